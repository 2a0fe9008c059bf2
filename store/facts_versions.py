#!/usr/bin/python3
"""facts_versions.py OUTPUT DEPFILE SOURCE_ROOT: what a report of each format depends on, as numbers in a C table.

A kept report is as good as new while nothing has changed that could have made it another.  Nobody raises a number by hand, so
nobody can forget to: a format's version is a hash of every declaration of the engine that its reader can reach.

The engine's sources are cut into declarations (a function, a type, a table, a macro).  One that mentions the name of another
reaches it: calls, tables of functions and macros alike.  A name that `##` makes is reached by what it begins or ends with, and so
is what it is made of.  What has no name, or is reached by nothing, counts with its file; of a folder that is reached its lists
(*.tsv, and what makes tables of them) count as a whole.  Where that says too much, a report is made once more; comments, layout of the text, texts of findings (read when a verdict is made) and numbers of enums of findings and
formats (never kept) change nothing.  What reaches wlk_formats[] reaches every reader: all but lib/scan.c, which asks their probes
in order.  So there are three versions, by how the reader was chosen (enum report_chosen):

    PROBED    the probes before its own, in their order
    RESORTED  all probes, and the last resorts before its own
    NAMED     all probes and last resorts: by its name, or no reader at all

And one of the pass alone: what it reaches of the engine, of the polyglots' rules, and of what these know a guest by: grammars, and
whether something is a pickle.  What a guest would do is not counted there, for that there is one is found whatever it does: a pass
that is taken for a claimed digest (facts_claim()) is taken with what was said of it then."""
import functools
import hashlib
import pathlib
import re
import sys

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
TABLES = {"reader": "wlk_formats", "json": "json_models", "member": "zip_readers_marked"}
NOT_FACTS = {"findings.txt", "formats.txt", "codes.txt", "codes.py", "tables.py", "meson.build", "rules_version.h"}


def number_of(body):
    return int.from_bytes(hashlib.sha256(body).digest(), "big")


class Chunk:
    """A declaration, or what of a file belongs to none (@name: None)."""

    def __init__(self, path, text):
        self.path, self.folder, self.text = path, path.parent, " ".join(text.split())
        self.bare = LITERAL.sub('""', self.text)
        self.words = set(re.findall(r"[A-Za-z_]\w*", self.bare))
        self.prefixes = {a for a in re.findall(r"(\w+)##", self.bare) if a.endswith("_")}
        self.suffixes = {a for a in re.findall(r"##(\w+)", self.bare) if a.startswith("_")}
        self.names = self.find_names()
        self.number = number_of(f"{path.name}\0{self.text}".encode())
        self.static = self.names == {"X"} or path.suffix == ".c" and bool(
            re.match(r"static|#|typedef|(const )?(struct|union|enum)( \w+)? *[{;]", self.text))

    def find_names(self):
        t = self.bare
        if t.startswith("#"):
            return set(re.findall(r"^# *define (\w+)", t))
        if t.startswith("_Static_assert"):
            return set()
        if re.match(r"\w+\(", t):  # a macro, which declares something made of what it is given: see Sources.of()
            return set()
        type_ = re.match(r"(?:typedef |static |const )*(struct|union|enum)(?: (\w+))? *([{;])", t)
        names = {type_[2]} - {None} if type_ else set()
        if type_ and type_[1] == "enum":
            names |= set(re.findall(r"[{,] *(\w+)", t))
        if t.startswith("typedef"):
            return names | set(re.findall(r"(?<=\(\*)\w+(?=\))|\w+(?=\()|\w+(?=;$)", t))
        if type_:
            return names | set(re.findall(r"\} *(\w+)", t))
        head = t.partition("{")[0].partition("=")[0]
        names = [w for w in re.findall(r"(\w+)\(", head) if not w.startswith("__attribute__")][:1]
        return {*names, *re.findall(r"\(\*(?:const )?(\w+)", head), *re.findall(r"(\w+)(?:\[[^]]*\])* *[=;]?$", head.strip())}


def strip(text):
    return TOKEN.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", text)


def pieces(text):
    """The texts of its declarations: a line at column 0 begins one when the last is over."""
    piece, depth = [], 0
    for line in re.sub(r"\\\n", " ", strip(text)).split("\n"):
        piece.append(line)
        code = LITERAL.sub("", line).strip()
        if not code.startswith("#"):
            depth += sum(map(code.count, "{([")) - sum(map(code.count, "})]"))
        if depth == 0 and (code.endswith((";", "}")) or code.startswith("#")):
            yield "\n".join(piece)
            piece = []
    yield "\n".join(piece)


class Sources:
    def __init__(self, root):
        self.chunks, self.rest, self.lists, self.tables = {}, {}, {}, {name: [] for name in TABLES}
        self.files = sorted(p for top in ("lib", "worker") for p in (root / top).rglob("*")
                            if p.is_file() and p.suffix in (".c", ".h", ".tsv", ".py", ".txt", ".build"))
        for path in self.files:
            if path.suffix in (".c", ".h") and path.name not in NOT_FACTS:
                self.add(path)
            elif path.name == "formats.txt":
                self.add_formats(path)
            elif path.name not in NOT_FACTS:
                self.lists[path.parent] = self.lists.get(path.parent, 0) + number_of(path.name.encode() + path.read_bytes())
        for path, chunk in self.rest.items():
            chunk.number += self.lists.get(path.parent, 0)
        for rows in self.tables.values():
            rows.sort()
        every = {c for cs in self.chunks.values() for c in cs}
        self.prefixed = [(p, c) for c in every for p in c.prefixes]
        self.suffixed = [(p, c) for c in every for p in c.suffixes]
        self.parts = tuple({p for p, _ in self.prefixed + self.suffixed})
        self.pasted, self.seen = {}, {}
        self.found, self.alone = {}, {}
        self.join_alone(every)

    def join_alone(self, every):
        """What nothing seems to reach counts with its file: whatever was misread there, no change of it passes unseen."""
        roots = [c for c in every if c.path.parts[-2] == "worker"] + self.of("wlk_scan", None)
        roots += [row_of(self, symbol) for _, symbol in self.tables["reader"]]
        for chunk in every - self.closure(roots):
            self.alone.setdefault(chunk.path, []).append(chunk)

    def add(self, path):
        rest = []
        for text in pieces(path.read_text(encoding="utf-8")):
            chunk = Chunk(path, text)
            if not chunk.names:
                rest.append(text)
            for name in chunk.names:
                self.chunks.setdefault(name, []).append(chunk)
        self.rest[path] = Chunk(path, "\n".join(rest))
        self.rest[path].prefixes = self.rest[path].suffixes = set()

    def add_formats(self, path):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.partition("#")[0].split()
            if words and words[0] in self.tables:
                self.tables[words[0]].append((int(words[1]), words[3]))

    def of(self, word, path, macro=False):
        """Declarations of this name that a file sees; those of a macro in a header are what its folder's files make of it."""
        if word not in self.pasted:
            self.pasted[word] = self.chunks.get(word) or (word.startswith(self.parts) or word.endswith(self.parts)) and [
                c for part, c in self.prefixed + self.suffixed if word.startswith(part) or word.endswith(part)]
        if not self.pasted[word]:
            return ()
        key = word, id(path), macro
        if key not in self.seen:
            self.seen[key] = self.seen_from(self.pasted[word], path, macro)
        return self.seen[key]

    def seen_from(self, chunks, path, macro):
        folder = path.parent if path else None
        found = [c for c in chunks if not c.static or c.path is path or macro and c.folder == folder]
        if found and all("extern" in c.words for c in found):  # and a macro defines it
            folders = {c.folder for c in found}
            found += [rest for rest in self.rest.values() if rest.folder in folders and rest.path.suffix == ".c"]
        return found

    @functools.lru_cache(None)
    def pasted_to(self, part):
        """Names that a macro with `part##` or `##part` may make."""
        return [n for n in self.chunks if n.startswith(part) or n.endswith(part)]

    def reached(self, chunk):
        if chunk not in self.found:
            macro = chunk.path.suffix == ".h" and chunk.text.startswith("#")
            near = {self.rest[chunk.path]}.union(*(self.of(word, chunk.path, macro) for word in chunk.words))
            for name in [n for p in chunk.prefixes | chunk.suffixes for n in self.pasted_to(p)]:
                near.update(c for c in self.of(name, chunk.path) if c.path.suffix == ".h" or c.folder == chunk.folder)
            for name, table in TABLES.items():
                if table in chunk.words and chunk.path.name != "scan.c" and not chunk.text.startswith("extern"):
                    near.update(c for _, symbol in self.tables[name] for c in self.of(symbol, chunk.path))
            self.found[chunk] = near
        return self.found[chunk].union(self.alone.get(chunk.path, ()))

    def closure(self, roots, known=frozenset()):
        """All that is reached, but for what is @known, a closure."""
        seen, ahead = set(), set(roots) - known
        while ahead:
            seen |= ahead
            ahead = set().union(*(self.reached(c) for c in ahead)) - seen - known
        return seen


def row_of(sources, symbol):
    """Where a reader's struct is filled in."""
    return next(c for c in sources.of(symbol, None) if c.bare.startswith(f"const struct wlk_format {symbol} = {{ .id = "))


def identity(sources, row, member, known):
    """What a reader's row says of how it is chosen, by one of its two ways."""
    function = re.search(rf"\.{member} = (\w+)", row.bare)
    return sources.closure(sources.of(function[1], row.path), known) if function else set()


def digest(seen, texts):
    script = pathlib.Path(__file__).read_bytes()
    return hashlib.sha256(b"".join([script, str(sum(c.number for c in seen)).encode(), *texts])).hexdigest()[:16]


def versions(sources):
    """reader's id -> the three hashes; "" is no reader."""
    base = sources.closure([c for p, c in sources.rest.items() if p.parts[-2] == "worker"]
                           + [c for cs in sources.chunks.values() for c in cs if c.path.parts[-2] == "worker"]
                           + sources.of("wlk_scan", None))
    order = [row_of(sources, symbol) for _, symbol in sources.tables["reader"]]
    ids = [re.search(r"\.id = WLK_FORMAT_(\w+)", row.bare)[1] for row in order]
    probes, resorts = ([identity(sources, row, member, base) for row in order] for member in ("probe", "last_resort"))
    side = [f"{symbol} {'side_file = true' in row.bare}\0".encode() for (_, symbol), row in zip(sources.tables["reader"], order)]
    for ident in sorted({*ids, ""}):
        mine = [i for i, has in enumerate(ids) if ident == has]
        last = max(mine, default=len(order) - 1) + 1
        own = base | sources.closure([order[i] for i in mine], base)
        every = own.union(*probes)
        yield ident, [digest(own.union(*probes[:last]), side[:last]),
                      digest(every.union(*resorts[:last]), side),
                      digest(every.union(*resorts), side)]


PASS = ("pass_run", "slicer_feed", "elements_init", "elements_tensor_begin", "elements_tensor_feed", "elements_tensor_end",
        "elements_end", "polyglot_plan", "polyglot_judge", "zero_tail_walker", "zero_tail_report")


PICKLES = ("acts.c", "guess.c", "machine.c", "machine.h", "opcodes.h")


def is_of_pass(chunk):
    """Lists count with what of a file has no name: those of the pickles' folder say what one may import."""
    folder, above = chunk.path.parts[-2], chunk.path.parts[-3]
    return folder in ("engine", "polyglots") or above == "grammars" or (
        folder == "pickle" and above == "judges" and chunk.path.name in PICKLES and bool(chunk.names))


def version_of_pass(sources):
    roots = [c for name in PASS for c in sources.of(name, None)]
    assert len({n for c in roots for n in c.names} & set(PASS)) == len(PASS), roots
    return digest({c for c in sources.closure(roots) if is_of_pass(c)}, [b"pass"])


def main():
    output, depfile, root = sys.argv[1:]
    sources = Sources(pathlib.Path(root))
    rows = [f"\tX({ident or 'UNKNOWN'}, " + ", ".join(f"UINT64_C(0x{h})" for h in hashes) + ")"
            for ident, hashes in versions(sources)]
    pathlib.Path(depfile).write_text(f"{output}: " + " ".join(map(str, sources.files)) + "\n")
    pathlib.Path(output).write_text("/* Made by facts_versions.py. */\n#define FACTS_VERSIONS(X) \\\n" + " \\\n".join(rows)
                                    + f"\n#define FACTS_PASS UINT64_C(0x{version_of_pass(sources)})\n")


if __name__ == "__main__":
    main()
