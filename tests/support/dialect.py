#!/usr/bin/python3
"""dialect.py [--fix] FILE...: what clang-format does not know of how C reads here (CONTRIBUTING.md, "How it should read").

A file opens with what it is; comments are /* */; a header is read once; a pointer is compared with NULL; no function has more
than 60 lines and no file more than 700.  Faults go to standard output, a line each; --fix repairs comparisons."""
import re
import sys

FUNCTION_MAX, FILE_MAX = 60, 700
# What is a table though it is a function: a line for each opcode of the pickle machine, whose loop is what a scan of a pickle costs.
TABLES = ("static const uint8_t *run(struct pickle *p, const struct piece *piece, const uint8_t *at)",)
TYPE = r"(?:struct\s+\w+|\w+_t|char|void|FILE|bool|unsigned|int)"
DECLARED = (re.compile(rf"(?:^|[\t ,;(])(?:const\s+)?{TYPE}\s+\*+(?:const\s+)?([a-z_]\w*)\s*(?=[,;=)])"),
            re.compile(r", \*+([a-z_]\w*)\s*(?=[,;=)])"))


def blanked(text):
    """The same lines without comments and what strings hold."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text, flags=re.S)


def functions(text):
    """Of a file without comments: where head and body begin, and the body's end."""
    for match in re.finditer(r"^[^\n{};#][^{};]*\)\n\{\n(?:.*\n)*?\}\n", text, flags=re.M):
        yield match.start(), match.start() + match.group().index("\n{\n") + 1, match.end()


def pointers(text):
    return {name for pattern in DECLARED for name in pattern.findall(text)}


def truths(text, begin, body, end):
    """Where a pointer stands for a truth value: (from, to, what it should say)."""
    for name in pointers(text[begin:end]):
        word = re.escape(name)
        for match in re.finditer(rf"!{word}\b(?!\s*(?:->|\.|\[|\())", text[body:end]):
            yield body + match.start(), body + match.end(), f"{name} == NULL"
        for match in re.finditer(rf"(?<=\()({word})(?=\) \{{|\)\n| && | \|\| )|(?<=&& )({word})(?=\)| &&| \|\||;| \?)|(?<=\|\| )({word})(?=\)| &&| \|\||;| \?)"
                                 rf"|(?<=return )({word})(?= && | \|\| | \?)",
                                 text[body:end]):
            before = text[:body + match.start()]
            if match.start(1) < 0 or re.search(r"(?:if|while) \($", before):
                yield body + match.start(), body + match.end(), f"{name} != NULL"


def sizes(path, text, plain):
    if text.count("\n") > FILE_MAX:
        yield f"{path}: {text.count(chr(10))} lines, of which {FILE_MAX} are the most"
    for begin, body, end in functions(plain):
        lines = plain[body:end].count("\n")
        if lines > FUNCTION_MAX and not text[begin:body].strip().endswith(TABLES):
            yield f"{path}:{plain[:body].count(chr(10))}: a function of {lines} lines, of which {FUNCTION_MAX} are the most"


def faults(path, text):
    plain = blanked(text)
    if not text.startswith("/*"):
        yield f"{path}:1: does not say what it is"
    if path.endswith(".h") and not re.search(r"\*/\n+#(?:pragma once|ifndef \w+_H)\n", text):
        yield f"{path}:1: no #pragma once behind what it is"
    for match in re.finditer(r"//", plain):
        yield f"{path}:{plain[:match.start()].count(chr(10)) + 1}: a comment of C++"
    for begin, body, end in functions(plain):
        for at, _, right in truths(plain, begin, body, end):
            yield f"{path}:{plain[:at].count(chr(10)) + 1}: a pointer as a truth value: {right}"
    yield from sizes(path, text, plain)


def fixed(text):
    plain = blanked(text)
    places = {place for function in functions(plain) for place in truths(plain, *function)}
    for begin, end, right in sorted(places, reverse=True):
        text = text[:begin] + right + text[end:]
    return text


def main(arguments):
    found = []
    for path in (a for a in arguments if not a.startswith("--")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if "--fix" in arguments and fixed(text) != text:
            with open(path, "w", encoding="utf-8") as f:
                f.write(fixed(text))
        elif "--fix" not in arguments:
            found += faults(path, text)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
