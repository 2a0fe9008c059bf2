#!/usr/bin/python3
"""tables.py findings|formats|readers FILE...: what folders say of themselves, as C, on standard output.

findings.txt, of a folder: what its readers or judges find.  The enum, the text of verdicts, `weighlock rules`, GET /v1/rules,
docs/rules.md and the JSON codes all grow from it.  Codes are permanent: add, never rename, reuse or remove; lib/core/codes.txt
holds every code that ever shipped.  A finding is

    CODE [as NAME] CLASS SEVERITY      NAME: in C, where it is not the code's
    <tab>title   what is wrong, lower case, no full stop; with the numbers it is the verdict's message, so it must make sense
                 alone.  Never holds bytes from a file.
    <tab>why     why anybody should care, one sentence
    <tab>fix     what the uploader can do about it, one sentence
    <tab>clause  where the rule is written
    <tab>answers public advisories (CVE, GHSA) whose files raise it; only add
    <tab>says    for people: what it says of this file, its subject in front; not needed.  With {subject}, {found}, {allowed},
    <tab><tab>{member} for the finding's values (a single word as it is, else in quotes), {"found"} for a text in quotes,
    <tab><tab>{found!} for words that are always ours, {found bytes} for a number of something, {title} for the title.  Of
    <tab><tab>several, the first whose values the finding has is taken; without one it is the title.  Of malicious and code
    <tab><tab>it says what would happen; of others `why` does, which then stands below.
    <tab>noun    what to call it where such findings are only counted: "harmless import"; not needed

A text goes on in lines that begin with two tabs.  One rule under two codes: CODE, CODE CLASS SEVERITY, and `answers CODE: ...`;
all of a file's first codes come before its second ones.

formats.txt, of a folder: the formats it reads.  Extensions have no dots, and each belongs to one format.

    format ORDER NAME ID REVISION LEVEL KIND[: EXTENSIONS]     in the order in which people and policies list them
        REVISION is raised when the reader, or a check it uses, can change its facts.  KIND: model, when a file of it can be or
        hold a model; else side.  LEVEL: validated, every byte of it is understood before it is accepted; scanned, what is
        dangerous in it is looked for and it is never accepted; identified, it is only named.
    named ORDER NAME ID LEVEL SORT[: EXTENSIONS]     recognised by its first bytes (lib/layout/identify_signs.c); SORT: formats.h
    reader ORDER HEADER SYMBOL     a struct wlk_format; those of lower ORDER are asked first
    json ORDER HEADER SYMBOL       a struct json_model
    member ORDER HEADER SYMBOL     a struct zip_reader

Lines that begin with # and what follows ` # ` is for people."""
import hashlib
import re
import sys

TEXTS = ("title", "why", "fix", "clause")
LABELS = TEXTS + ("answers", "says", "noun")

VALUE = "(?:subject|found|allowed|member)"
PLACE = re.compile(r'\{(?:' + VALUE + '!?|"' + VALUE + '"|' + VALUE + r' [a-z]+s|title)\}')


def lines(paths):
    for path in paths:
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                if line.strip() and not line.startswith("#"):
                    yield path, number, line.rstrip("\n").partition(" # ")[0].rstrip()


def refuse(path, number, line):
    sys.exit(f"{path}:{number}: not understood: {line.strip()!r}")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def macro(name, rows):
    return f"#define {name}(X) \\\n" + " \\\n".join("\t" + row for row in rows) + "\n"


class Finding:
    def __init__(self, path, head):
        self.path, self.codes, self.name = path, [c.strip(",") for c in head[0]], head[1]
        self.sort, self.severity, self.texts = head[2].upper(), head[3].upper(), []

    def text(self, label):
        found = [" ".join(words) for name, words in self.texts if name == label]
        return found[0] if label in TEXTS and len(found) == 1 else found

    def answers(self, code):
        for text in self.text("answers"):
            of, colon, numbers = text.rpartition(": ")
            if not colon or of == code:
                return numbers
        return ""

    def row(self, i):
        texts = [self.text(label) for label in TEXTS]
        if not all(texts) or [] in texts:
            sys.exit(f"{self.path}: {self.codes[0]}: a text is missing, or given twice")
        return (f"X({self.names(i)}, {quoted(self.codes[i])}, {self.sort}, {self.severity}, "
                + ", ".join(map(quoted, texts)) + ")")

    def sentences(self, i):
        says, noun = "".join(text + "\n" for text in self.text("says")), "".join(self.text("noun"))
        for text in self.text("says"):
            if {"{", "}"} & set(PLACE.sub("", text)):
                sys.exit(f"{self.path}: {self.codes[0]}: not a place for a value: {text}")
        return f"X({self.names(i)}, {quoted(says)}, {quoted(noun)})"

    def names(self, i):
        return self.name or self.codes[i].upper().replace("-", "_")


def read_findings(paths):
    found = []
    for path, number, line in lines(paths):
        if not line.startswith("\t"):
            head = re.fullmatch(r"((?:[a-z0-9-]+, )?[a-z0-9-]+)(?: as ([A-Z0-9_]+))? ([a-z]+) ([a-z]+)", line)
            if head is None:
                refuse(path, number, line)
            found.append(Finding(path, (head[1].split(), *head.groups()[1:])))
            continue
        words = line.split()
        if not found or found[-1].path != path or not line.startswith("\t\t") and words[0] not in LABELS:
            refuse(path, number, line)
        if line.startswith("\t\t"):
            found[-1].texts[-1][1].extend(words)
        else:
            found[-1].texts.append((words[0], words[1:]))
    return found


def numbers(rows):
    """X(name, number), by the number: what stands for (name, text) in reports, which outlive a build whose enum had it elsewhere."""
    made = sorted((int(hashlib.sha256(text.encode()).hexdigest()[:8], 16), name) for name, text in rows)
    if len({number for number, _ in made}) < len(made):
        sys.exit("two names have one number")
    return [f"X({name}, UINT32_C({number}))" for number, name in made]


def print_findings(paths):
    """WLK_FINDINGS(X): X(name, code, class, severity, title, why, fix, clause); WLK_REFERENCES(X): X(name, numbers);
    WLK_SENTENCES(X): X(name, says, noun), the alternatives of says with a line end behind each;
    WLK_FINDING_NUMBERS(X): numbers()."""
    found = read_findings(paths)
    rows = [(f, i) for path in paths for i in (0, 1) for f in found if f.path == path and i < len(f.codes)]
    print(macro("WLK_FINDINGS", [f.row(i) for f, i in rows]))
    print(macro("WLK_REFERENCES", [f"X({f.names(i)}, {quoted(f.answers(f.codes[i]))})" for f, i in rows
                                   if f.answers(f.codes[i])]))
    print(macro("WLK_SENTENCES", [f.sentences(i) for f, i in rows if f.text("says") or f.text("noun")]))
    print(macro("WLK_FINDING_NUMBERS", numbers((f.names(i), f.codes[i]) for f, i in rows)))


def print_formats(paths):
    """WLK_FORMATS(X): X(id, name, revision, model, extensions, level); WLK_FORMATS_NAMED(X): X(id, name, sort, extensions, level);
    WLK_FORMAT_NUMBERS(X): numbers()."""
    read, named, names, seen = [], [], [], set()
    for path, number, line in lines(paths):
        words = line.partition(":")[0].split()
        extensions = line.partition(": ")[2]
        if words[0] not in ("format", "named"):
            continue
        if len(words) != (7 if words[0] == "format" else 6) or seen & {*extensions.split(), (words[0], int(words[1]))}:
            refuse(path, number, line)
        seen |= {*extensions.split(), (words[0], int(words[1]))}
        order = int(words[1])
        names.append((words[3], words[2]))
        if words[0] == "format":
            name, ident, revision, level, kind = words[2:]
            read.append((order, f'X({ident}, "{name}", {revision}, {int(kind == "model")}, "{extensions}", "{level}")'))
        else:
            name, ident, level, sort = words[2:]
            named.append((order, f'X({ident}, "{name}", {sort.upper()}, "{extensions}", "{level}")'))
    print(macro("WLK_FORMATS", [row for _, row in sorted(read)]))
    print(macro("WLK_FORMATS_NAMED", [row for _, row in sorted(named)]))
    print(macro("WLK_FORMAT_NUMBERS", numbers(names)))


TABLES = {"reader": ("struct wlk_format", "wlk_formats", "wlk_n_formats"),
          "json": ("struct json_model", "json_models", "json_n_models"),
          "member": ("struct zip_reader", "zip_readers_marked", "zip_n_readers_marked")}


def print_readers(paths):
    rows = []
    for path, number, line in lines(paths):
        words = line.split()
        if words[0] in TABLES:
            if len(words) != 4 or any(row[:2] == [words[0], int(words[1])] for row in rows):
                refuse(path, number, line)
            rows.append([words[0], int(words[1]), *words[2:]])
    for header in sorted({row[2] for row in rows}):
        print(f'#include "{header}"')
    for word, (kind, table, count) in TABLES.items():
        symbols = [row[3] for row in sorted(rows) if row[0] == word]
        print(f"\nconst {kind} *const {table}[] = {{\n" + "".join(f"\t&{s},\n" for s in symbols) + "};")
        print(f"const size_t {count} = {len(symbols)};")


if __name__ == "__main__":
    print(f"/* Made by tables.py from {len(sys.argv) - 2} files. */")
    {"findings": print_findings, "formats": print_formats, "readers": print_readers}[sys.argv[1]](sys.argv[2:])
