"""Rows as text: for the terminal, and as Markdown between two marks of docs/performance.md."""
import sys

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
WIDTHS = (3, 62, 9, 17, 8, 8, 5)
COLUMNS = ("row", "measure", "median", "min-max", "demand", "aim", "met")


def number(value, unit):
    if value is None:
        return ""
    if unit == "x":
        return f"{value:.3f}"
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def bound(value, row):
    if value is None:
        return ""
    return (">= " if row["at_least"] else "<= ") + f"{value:g}"


def cells(row, judged):
    unit = row["unit"]
    median = number(row["median"], unit) + ("" if unit == "x" else f" {unit}")
    spread = f"{number(row['min'], unit)}-{number(row['max'], unit)}" if row["n"] > 1 else ""
    met = {None: "", True: "yes", False: "NO"}[row["met"]] if judged else ""
    bounds = [bound(row["demand"], row), bound(row["aim"], row)]
    return [str(row["row"]), row["measure"], median, spread, *bounds, met]


def fixed(values):
    return "  ".join(v.ljust(w) for v, w in zip(values, WIDTHS)).rstrip()


def heading():
    return fixed(COLUMNS)


def line(row, judged):
    return fixed(cells(row, judged))


def markdown(result):
    m = result["machine"]
    judged = not result["smoke"]
    lines = [f"Measured {m['date']} on {m['cpu']}, {m['cores']} cores, {m['memory_mib']} MiB, Linux {m['kernel']}, "
             f"{m['openssl']}; {result['pairs']} pairs a row; load {result['load_before']:.1f} before and "
             f"{result['load_after']:.1f} after (the benchmark's own included); {result['seconds']} s in all.", "",
             "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(row, judged)) + " |" for row in result["rows"]]
    return "\n".join(lines)


def write(path, result):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"bench: {path} lacks {BEGIN} ... {END}")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}{BEGIN}\n{markdown(result)}\n{END}{tail}")
