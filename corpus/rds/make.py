#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small files of R's saveRDS() and save() that each break one rule, and
near misses that break none.  Always the same bytes, made without R.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import bz2
import gzip
import lzma
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask", "rds-environment", "rds-s4"}
REVIEWED = {"rds-builtin", "rds-altrep-class", "rds-namespace", "rds-persistent", "rds-raw", "weights-nan", "weights-inf",
            "format-partly-checked", "format-unknown"}
CORPUS = Cases(".rds", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- R's serialised objects (src/main/serialize.c)

def word(n):
    return struct.pack(">I", n & 0xffffffff)


NIL, GLOBALENV, BASEENV, EMPTYENV, MISSING = word(254), word(253), word(241), word(242), word(251)
OBJECT, ATTRIBUTES, TAG, ACTIVE = 1 << 8, 1 << 9, 1 << 10, 1 << 27
UTF8, LATIN1, ASCII = 1 << 15, 1 << 14, 1 << 18
R422, R350, R230 = 0x40202, 0x30500, 0x20300


def rds(item, version=3, encoding=b"UTF-8", form=b"X\n"):
    head = form + word(version) + word(R422) + word(R350 if version == 3 else R230)
    return head + (word(len(encoding)) + encoding if version == 3 else b"") + item


def rda(item, magic=b"RDX3\n", **more):
    return magic + rds(item, **more)


def char(text, mark=ASCII):
    if text is None:
        return word(9) + word(-1)
    raw = text if isinstance(text, bytes) else text.encode()
    return word(9 | mark) + word(len(raw)) + raw


def symbol(name):
    return word(1) + char(name)


def ref(n):
    return word(n << 8 | 255)


def length(n):
    return word(n) if n < 1 << 31 else word(-1) + word(n >> 32) + word(n)


def pairs(*entries, flags=0, end=NIL):
    """A pairlist of (tag or None, value)."""
    return b"".join(word(2 | flags | (TAG if t is not None else 0)) + (t or b"") + v for t, v in entries) + end


def with_attributes(kind, body, entries, flags=0):
    own = (ATTRIBUTES if entries else 0) | flags
    return word(kind | own) + body + (pairs(*((symbol(k) if isinstance(k, str) else k, v) for k, v in entries)) if entries else b"")


def integers(*values, attributes=(), kind=13):
    return with_attributes(kind, length(len(values)) + b"".join(map(word, values)), attributes)


def logicals(*values):
    return integers(*values, kind=10)


def doubles(*values, attributes=()):
    return with_attributes(14, length(len(values)) + b"".join(v if isinstance(v, bytes) else struct.pack(">d", v) for v in values), attributes)


def complexes(*values):
    return word(15) + length(len(values)) + b"".join(struct.pack(">dd", v.real, v.imag) for v in values)


def strings(*values, attributes=()):
    return with_attributes(16, length(len(values)) + b"".join(v if isinstance(v, bytes) else char(v) for v in values), attributes)


def vector(*items, attributes=(), kind=19, flags=0):
    return with_attributes(kind, length(len(items)) + b"".join(items), attributes, flags)


def raw(n):
    return word(24) + length(n) + bytes(i % 251 for i in range(n))


def call(function, *args):
    return word(6) + symbol(function) + pairs(*((None, a) for a in args))


def environment(frame=NIL, table=NIL, attributes=NIL, enclosure=EMPTYENV, locked=0):
    return word(4) + word(locked) + enclosure + frame + table + attributes


def altrep(name, state, package="base", kind=13, attributes=NIL):
    return word(238) + pairs((None, symbol(name)), (None, symbol(package)), (None, integers(kind))) + state + attributes


NA_REAL = bytes.fromhex("7ff00000000007a2")
NA_INTEGER = -(1 << 31)


def sequence(n, first=1, step=1):
    return altrep("compact_intseq", doubles(float(n), float(first), float(step)))


def data_frame(n=3):
    return vector(doubles(*map(float, range(n))), strings(*(f"s{i}" for i in range(n))),
                  attributes=[("names", strings("x", "y")), ("class", strings("data.frame")),
                              ("row.names", integers(NA_INTEGER, -n))], flags=OBJECT)


# -- sections

def wholes():
    plain = rds(data_frame())
    case("whole-data-frame", plain, why="what saveRDS() writes")
    case("whole-data-frame-version-2", rds(data_frame(), version=2), why="and before R 3.5")
    case("whole-without-name.bin", plain, why="known by its content, whatever its name")
    case("whole-gzip", gzip.compress(plain, mtime=0), why="as saveRDS() does by itself")
    case("whole-bzip2", bz2.compress(plain), why="compress = 'bzip2'")
    case("whole-xz", lzma.compress(plain), why="compress = 'xz'")
    case("whole-saved.rda", rda(pairs((symbol("x"), doubles(1.0)), (symbol("y"), data_frame()))), why="what save() writes")
    case("whole-saved-gzip.RData", gzip.compress(rda(pairs((symbol("x"), doubles(1.0)))), mtime=0), why="the same, compressed")
    case("whole-saved-version-2.rda", rda(pairs((symbol("x"), doubles(1.0))), b"RDX2\n", version=2), why="and before R 3.5")
    case("whole-saved-nothing.rda", rda(NIL), why="no variables")
    case("whole-native", b"B\n" + struct.pack("<3I", 2, R422, R230) + struct.pack("<2Id", 14, 1, 0.5), why="in the machine's order")
    case("whole-ascii", b"A\n3\n262658\n197888\n5\nUTF-8\n14\n1\n0.5\n", "format-partly-checked", "in digits: named, and held")
    case("whole-ascii-crlf", b"A\r\n3\r\n262658\r\n197888\r\n5\r\nUTF-8\r\n14\r\n1\r\n0.5\r\n", "format-partly-checked", "likewise, written on Windows")
    case("whole-null", rds(NIL), why="NULL")
    case("whole-trailing", plain + b"\0", "rds-trailing-bytes", "a byte behind the object")
    case("whole-trailing-second", plain + plain, "rds-trailing-bytes", "a second object")
    case("whole-trailing-gzip", gzip.compress(plain + b"\0", mtime=0), "rds-trailing-bytes", "in a wrapper")
    for cut in (23, 30, len(plain) // 2, len(plain) - 1):
        case(f"whole-cut-at-{cut}", plain[:cut], "rds-length" if cut == len(plain) // 2 else "rds-truncated", "the beginning")
    case("whole-cut-gzip", gzip.compress(plain[:-1], mtime=0), "rds-truncated", "in a wrapper")
    case("whole-saved-versions-differ.rda", rda(pairs((symbol("x"), NIL)), b"RDX2\n"), "rds-version", "its headers disagree")
    case("whole-saved-forms-differ.rda", rda(pairs((symbol("x"), NIL)), b"RDA3\n"), "rds-version", "its headers disagree")
    case("whole-saved-no-list.rda", rda(doubles(1.0)), "rds-structure", "load() wants a list of variables")
    case("whole-saved-no-name.rda", rda(pairs((None, doubles(1.0)))), "rds-structure", "a variable without a name")


def codes():
    """What has code."""
    promise = word(5 | TAG) + GLOBALENV + word(252) + call("system", strings("id"))
    case("code-promise", rds(environment(pairs((symbol("x"), promise)))), "rds-code rds-environment",
         "CVE-2024-27322: it runs when x is looked at")
    case("code-promise-itself", rds(promise), "rds-code", "the object is the promise")
    case("code-promise-in-saved.rda", rda(pairs((symbol("x"), promise))), "rds-code", "a variable")
    case("code-promise-gzip", gzip.compress(rds(promise), mtime=0), "rds-code", "in a wrapper")
    case("code-promise-as-attribute", rds(doubles(1.0, attributes=[("comment", promise)])), "rds-code", "in an attribute")
    case("code-closure", rds(word(3 | TAG) + GLOBALENV + NIL + call("system", strings("id"))), "rds-code", "a function")
    case("code-call", rds(call("system", strings("id"))), "rds-code", "a call, not evaluated")
    case("code-formula", rds(word(6 | OBJECT | ATTRIBUTES) + pairs((symbol("class"), strings("formula")),
                                                                 (symbol(".Environment"), GLOBALENV)) + symbol("~") +
                             pairs((None, symbol("y")), (None, symbol("x")))), "rds-code", "what a model was fitted by")
    case("code-expression", rds(vector(call("f"), kind=20)), "rds-code", "a vector of calls")
    case("code-dots", rds(word(17) + promise + NIL), "rds-code", "arguments that are not evaluated yet")
    case("code-bytecode", rds(word(21) + word(1)), "rds-code", "compiled: a grammar of its own")
    case("code-pointer", rds(word(22) + NIL + NIL), "rds-persistent", "a pointer of some package, which R makes empty")
    case("code-pointer-attributes", rds(word(22 | ATTRIBUTES) + NIL + NIL + pairs((symbol("class"), strings("p")))), "rds-persistent", "and its class")
    case("code-pointer-protects", rds(word(22) + call("system", strings("id")) + NIL), "rds-code rds-persistent", "what it kept is judged")
    case("code-weak", rds(vector(word(23), ref(1))), "rds-code", "a weak reference, twice")
    case("code-active", rds(environment(pairs((symbol("x"), word(8) + word(3) + b"sum"), flags=ACTIVE))),
         "rds-code rds-builtin rds-environment", "a variable that is computed when it is looked at")
    case("code-builtin", rds(vector(word(8) + word(3) + b"sum")), "rds-builtin", "one of R's functions")
    case("code-special", rds(vector(word(7) + word(2) + b"if")), "rds-builtin", "another")
    case("code-symbol", rds(symbol("system")), why="a name alone is data")
    case("code-text", rds(strings("system('id')")), why="text is data")
    case("code-environment", rds(environment(pairs((symbol("x"), doubles(1.0))))), "rds-environment", "variables, without code")
    case("code-environment-table", rds(environment(table=vector(NIL, pairs((symbol("x"), doubles(1.0)))))), "rds-environment", "in a table")
    case("code-environment-itself", rds(environment(pairs((symbol("self"), ref(1))))), "rds-environment", "which holds itself")
    case("code-s4", rds(word(25 | OBJECT | ATTRIBUTES) + pairs((symbol("x"), doubles(1.0)), (symbol("names"), strings("a", "b")), (
        symbol("class"), strings("P", attributes=[("package", strings(".GlobalEnv"))])))), "rds-s4", "an object with slots, one called names")
    case("code-namespace", rds(vector(word(249) + word(0) + word(2) + char("tools") + char("4.2.2"))), "rds-namespace", "a package is loaded")
    case("code-namespace-standard", rds(vector(word(249) + word(0) + word(2) + char("stats") + char("4.2.2"))), why="which always is")
    case("code-package", rds(vector(word(248) + word(0) + word(1) + char("package:evil"))), "rds-namespace", "as it is attached")
    case("code-persistent", rds(vector(word(247) + word(0) + word(1) + char("id"))), "rds-persistent", "the loading program makes it")
    case("code-raw", rds(raw(17)), "rds-raw", "bytes that some package unserialises")
    case("code-raw-short", rds(raw(16)), why="too short to be anything")


def structures():
    def broken(name, item, why):
        case("structure-" + name, rds(item), "rds-structure", why)
    broken("type-0", word(0), "no type that is written")
    broken("type-11", word(11), "no type at all")
    broken("class-reference", word(246), "R: cannot read class references")
    broken("bits", word(14 | 1 << 11) + word(0), "a flag that nobody sets")
    broken("tag", word(14 | TAG) + word(0), "a vector with a tag")
    broken("nil-flags", word(254 | ATTRIBUTES), "NULL with attributes")
    broken("text-alone", char("x"), "text outside of a vector")
    broken("text-in-list", vector(char("x")), "text in a list")
    broken("text-attributes", strings(word(9 | ATTRIBUTES) + word(1) + b"x"), "text with attributes")
    broken("strings-of-numbers", word(16) + word(1) + doubles(1.0), "no text in a vector of text")
    broken("symbol-of-number", word(1) + doubles(1.0), "a name that is a number")
    broken("symbol-empty", symbol(""), "a name of no characters")
    broken("attributes-vector", word(14 | ATTRIBUTES) + word(0) + doubles(1.0), "attributes that are no list")
    broken("attributes-nil", word(14 | ATTRIBUTES) + word(0) + NIL, "no attributes, though it says so")
    broken("attributes-untagged", word(14 | ATTRIBUTES) + word(0) + pairs((None, doubles(1.0))), "an attribute without a name")
    case("structure-attributes-call", rds(word(14 | ATTRIBUTES) + word(0) + word(6 | TAG) + symbol("x") + NIL + NIL),
         "rds-code rds-structure", "a call for attributes")
    broken("dotted", pairs((None, doubles(1.0)), end=doubles(2.0)), "a list that ends in a number")
    broken("tag-number", pairs((doubles(1.0), doubles(1.0))), "a number for a name")
    broken("names-form", vector(word(249) + word(1) + word(1) + char("stats")), "a list of names of another form")
    broken("trailing-long", word(14 | ATTRIBUTES) + word(0) + pairs((symbol("a"), NIL), end=doubles(1.0)), "attributes that end in a number")
    for name, item, why in (("enclosure", environment(enclosure=doubles(1.0)), "an enclosure that is a number"),
                            ("frame", environment(doubles(1.0)), "variables that are a number"),
                            ("frame-untagged", environment(pairs((None, NIL))), "a variable without a name"),
                            ("table", environment(table=doubles(1.0)), "a table that is a number: R crashes"),
                            ("table-empty", environment(table=vector()), "a table of nothing"),
                            ("table-number", environment(table=vector(doubles(1.0))), "a bucket that is a number"),
                            ("attributes", environment(attributes=doubles(1.0)), "attributes that are a number"),
                            ("locked", environment(locked=2), "neither locked nor not")):
        case("structure-environment-" + name, rds(item), "rds-environment rds-structure", why)
    case("structure-environment-enclosed", rds(environment(enclosure=ref(1))), "rds-environment rds-structure",
         "enclosed in itself: R looks for a name for ever")
    case("structure-environment-circle", rds(environment(enclosure=environment(enclosure=ref(1)))), "rds-environment rds-structure",
         "the same, with another between")
    case("structure-environment-inner", rds(environment(pairs((symbol("x"), environment(enclosure=ref(1)))))), "rds-environment",
         "one in another's variables, enclosed by that")
    case("structure-unbound", rds(vector(word(252))), "rds-structure", "what a variable without a value has [R 4.2.2 crashes]")
    case("structure-missing", rds(pairs((symbol("x"), MISSING))), why="what alist(x = ) has")
    case("structure-missing-name.rda", rda(pairs((MISSING, doubles(1.0)))), "rds-structure", "the name of nothing as a variable's")
    case("structure-closure-environment", rds(word(3 | TAG) + doubles(1.0) + NIL + NIL), "rds-code rds-structure", "where a function runs")
    case("structure-list", rds(pairs((symbol("a"), doubles(1.0)), (None, NIL))), why="a list with and without names")
    case("structure-list-attributes", rds(word(2 | ATTRIBUTES) + pairs((symbol("k"), NIL)) + NIL + NIL), why="attributes of a cell")
    case("structure-factor", rds(integers(1, 2, NA_INTEGER, attributes=[("levels", strings("a", "b")), ("class", strings("factor"))])), why="a factor")


def deep(n):
    return b"".join(word(19) + word(1) for _ in range(n)) + NIL


def numbers():
    case("depth-512", rds(deep(512)), why="as deep as it may be")
    case("depth-513", rds(deep(513)), "rds-depth", "one deeper")
    case("depth-bomb-gzip", gzip.compress(rds(deep(100000)), mtime=0), "rds-depth", "much deeper: R's stack ends")
    case("depth-long-list", rds(pairs(*((None, NIL) for _ in range(2000)))), why="a long list is not deep")
    case("length-negative", rds(word(14) + word(-2)), "rds-length", "less than nothing")
    case("length-huge", rds(word(14) + word(0x7fffffff) + bytes(64)), "rds-length", "sixteen gigabytes in 64 bytes")
    case("length-huge-gzip", gzip.compress(rds(word(14) + word(0x7fffffff) + bytes(64)), mtime=0), "rds-truncated", "the same, in a wrapper")
    case("length-list", rds(word(19) + word(0x7fffffff) + bytes(64)), "rds-length", "two billion objects in 64 bytes")
    case("length-long", rds(word(14) + word(-1) + word(1) + word(0)), "rds-length", "a long vector that is not there")
    case("length-long-short", rds(word(14) + word(-1) + word(0) + word(1) + bytes(8)), "rds-length", "a long form of a short length")
    case("length-text", rds(strings(word(9 | ASCII) + word(100) + b"x")), "rds-length", "text beyond the end")
    case("length-text-negative", rds(strings(word(9 | ASCII) + word(-2) + b"x")), "rds-length", "less than NA")
    case("length-encoding", b"X\n" + word(3) + word(R422) + word(R350) + word(64) + b"U" * 64 + NIL, "rds-length", "R takes 63")
    case("length-encoding-none", b"X\n" + word(3) + word(R422) + word(R350) + word(0) + NIL, "rds-length", "no name at all")
    case("length-builtin", rds(word(8) + word(1000) + b"x" * 1000), "rds-builtin rds-length", "a function's name of 1000 bytes")
    case("length-names", rds(word(249) + word(0) + word(0)), "rds-length", "a namespace without a name")
    case("length-zero", rds(vector(doubles(), integers(), strings(), vector(), logicals(1, 0, NA_INTEGER))), why="empty ones")
    case("reference-ok", rds(vector(symbol("a"), ref(1), word(255) + word(1))), why="in both forms")
    case("reference-zero", rds(vector(symbol("a"), word(255) + word(0))), "rds-reference", "to nothing")
    case("reference-beyond", rds(vector(symbol("a"), ref(2))), "rds-reference", "to what has not come")
    case("reference-wrong", rds(word(14 | ATTRIBUTES) + word(0) + pairs((word(1) + char("a"), environment()), (ref(2), NIL))),
         "rds-environment rds-structure", "an environment for a name")


def texts():
    case("string-utf8", rds(strings(char("m\u00fcller", UTF8), None, char(b"m\xfcller", LATIN1), "plain", char("m\u00fc", 0))), why="in every encoding")
    case("string-not-utf8", rds(strings(char(b"m\xfcller", UTF8))), "rds-string", "Latin-1, called UTF-8")
    case("string-cut-utf8", rds(strings(char(b"m\xc3", UTF8))), "rds-string", "half a character")
    case("string-not-ascii", rds(strings(char(b"m\xfcller", ASCII))), "rds-string", "Latin-1, called ASCII")
    case("string-native", rds(strings(char(b"m\xfcller", 0))), "rds-string", "not in the file's encoding")
    case("string-native-latin1", rds(strings(char(b"m\xfcller", 0)), encoding=b"ISO-8859-1"), why="in the file's encoding")
    case("string-nul", rds(strings(char(b"a\0b"))), "rds-string", "R: embedded nul in string")
    case("string-encoding", rds(NIL, encoding=b"UTF-\x1b"), "rds-string", "an encoding by a name nobody has")


def attributes():
    def of(name, value, items=(1.0, 2.0, 3.0, 4.0)):
        return rds(doubles(*items, attributes=[(name, value)]))
    case("attribute-dim", of("dim", integers(2, 2)), why="a matrix")
    case("attribute-dim-large", of("dim", integers(1000, 1000)), "rds-attribute", "R reads a million numbers of four")
    case("attribute-dim-overflow", of("dim", integers(*[65536] * 4)), "rds-attribute", "2^64 of them, which is 0")
    case("attribute-dim-negative", of("dim", integers(-2, -2)), "rds-attribute", "their product is right")
    case("attribute-dim-na", of("dim", integers(NA_INTEGER)), "rds-attribute", "not available")
    case("attribute-dim-doubles", of("dim", doubles(2.0, 2.0)), "rds-attribute", "R keeps integers")
    case("attribute-dim-none", of("dim", integers()), "rds-attribute", "no dimensions")
    case("attribute-dim-altrep", of("dim", sequence(2)), "format-partly-checked", "not worked out")
    case("attribute-dim-empty", of("dim", integers(0, 1000), ()), why="a matrix without rows")
    case("attribute-names", of("names", strings("a", "b", "c", "d")), why="a name for each")
    case("attribute-names-few", of("names", strings("a")), "rds-attribute", "R reads the second name, which is not there")
    case("attribute-names-numbers", of("names", doubles(1.0, 2.0, 3.0, 4.0)), "rds-attribute", "no names")
    case("attribute-dimnames", of("dimnames", doubles(1.0)), "rds-attribute", "no list")
    case("attribute-class", of("class", integers(1)), "rds-attribute", "no name")
    case("attribute-tsp", of("tsp", doubles(1.0, 4.0)), "rds-attribute", "begin and end without a frequency")
    case("attribute-tsp-ok", of("tsp", doubles(1.0, 4.0, 1.0)), why="a series")
    case("attribute-twice", rds(doubles(1.0, attributes=[("class", strings("a")), (ref(1), strings("b"))])), "rds-attribute", "a class twice")
    case("attribute-unknown", of("whatever", vector(NIL)), why="anything")
    matrix = [("dim", integers(2, 2))]
    def named(value, before=matrix):
        return rds(doubles(1.0, 2.0, 3.0, 4.0, attributes=[*before, ("dimnames", value)]))
    case("attribute-dimnames-ok", named(vector(strings("a", "b"), NIL)), why="names for rows, none for columns")
    case("attribute-dimnames-few", named(vector(strings("a"), NIL)), "rds-attribute", "a name too few: R reads the second")
    case("attribute-dimnames-short", named(vector(NIL)), "rds-attribute", "nothing for the columns [R 4.2.2 crashes]")
    case("attribute-dimnames-numbers", named(vector(integers(1, 2), NIL)), "rds-attribute", "R takes numbers for texts [R 4.2.2 crashes]")
    case("attribute-dimnames-alone", named(vector(NIL), []), "rds-attribute", "names of no dimensions")
    four = [("dim", integers(1, 2, 2, 1))]
    case("attribute-dimnames-four", named(vector(NIL, strings("a", "b"), NIL, strings("c")), four), why="of four dimensions")
    case("attribute-dimnames-four-few", named(vector(NIL, strings("a", "b"), strings("d"), NIL), four), "rds-attribute", "the third is short")
    case("attribute-dim-list", rds(word(2 | ATTRIBUTES) + pairs((symbol("dim"), integers(1000, 1000))) + NIL + NIL), "rds-attribute",
         "a list of one cell that says it has a million")
    case("attribute-class-bibentry", of("class", strings("a", "bibentry")), "rds-code", "printing it runs the code in its texts [R 4.2.2]")
    case("attribute-class-near", of("class", strings("bibentries")), why="another class")
    case("attribute-class-altrep", of("class", altrep("wrap_string", pairs((None, strings("bibentry")), end=integers(0, 0)), kind=16)),
         "rds-attribute", "classes written so that only R reads them")


def altreps():
    case("altrep-sequence", rds(sequence(1000)), why="1:1000")
    case("altrep-sequence-wrong-integers", rds(altrep("compact_realseq", integers(0, 0x3ff00000, 1), kind=14)), "rds-structure",
         "integers, which R reads as doubles, beyond their end")
    case("altrep-sequence-down", rds(sequence(3, 3, -1)), why="3:1")
    case("altrep-sequence-real", rds(altrep("compact_realseq", doubles(3.0, 1.0, 1.0), kind=14)), why="as doubles")
    case("altrep-sequence-integers", rds(altrep("compact_intseq", integers(3, 1, 1))), why="as R 3.5.0 wrote it")
    case("altrep-sequence-short", rds(altrep("compact_intseq", doubles(3.0))), "rds-structure", "R reads beyond the state")
    case("altrep-sequence-negative", rds(sequence(-3)), "rds-structure", "of less than nothing")
    case("altrep-sequence-step", rds(sequence(3, 1, 2)), "rds-structure", "a step R does not take")
    case("altrep-sequence-nan", rds(altrep("compact_intseq", doubles(NA_REAL, 1.0, 1.0))), "rds-structure", "of not available")
    case("altrep-sequence-names", rds(altrep("compact_intseq", doubles(2.0, 1.0, 1.0), attributes=pairs((symbol("names"), strings("a", "b"))))),
         why="attributes behind the state")
    case("altrep-type", rds(altrep("compact_intseq", doubles(3.0, 1.0, 1.0), kind=14)), "rds-structure", "integers, said to be doubles: R crashes")
    case("altrep-type-none", rds(altrep("compact_intseq", doubles(3.0, 1.0, 1.0), kind=13 | 1 << 12)), "rds-structure", "a type with more bits: R crashes")
    case("altrep-wrap", rds(altrep("wrap_real", pairs((None, doubles(1.0, 2.0)), end=integers(1, 1)), kind=14)), why="a sorted vector")
    case("altrep-wrap-type", rds(altrep("wrap_real", pairs((None, integers(1, 2)), end=integers(1, 1)), kind=14)), "rds-structure", "integers, read as doubles")
    case("altrep-wrap-list", rds(altrep("wrap_real", pairs((None, doubles(1.0)), (None, integers(1, 1))), kind=14)), "rds-structure", "not a pair")
    case("altrep-wrap-meta", rds(altrep("wrap_real", pairs((None, doubles(1.0)), end=integers(1)), kind=14)), "rds-structure", "half of what is said of it")
    case("altrep-deferred", rds(altrep("deferred_string", pairs((None, sequence(3)), end=integers(0)), kind=16)), "", "numbers that become text")
    case("altrep-deferred-text", rds(altrep("deferred_string", pairs((None, strings("a")), end=integers(0)), kind=16)), "rds-structure", "text for numbers")
    case("altrep-mmap", rds(altrep("mmap_real", vector(strings("/etc/passwd"), doubles(0.0, 8.0, 14.0)), kind=14)), "rds-altrep-file", "a file is mapped")
    case("altrep-foreign", rds(altrep("vroom_dbl", NIL, "vroom", 14)), "rds-altrep-class", "a package makes it")
    case("altrep-foreign-base", rds(altrep("compact_intseq", doubles(3.0, 1.0, 1.0), "basement")), "rds-altrep-class", "a known name in another package")
    case("altrep-class", rds(word(238) + pairs((None, symbol("compact_intseq"))) + NIL + NIL), "rds-structure", "a class without a package")


def weights():
    nan, inf = float("nan"), float("inf")
    case("weights-na", rds(doubles(1.0, NA_REAL, 2.0)), why="not available: statistics say so on purpose")
    case("weights-na-quiet", rds(doubles(1.0, bytes.fromhex("7ff80000000007a2"))), why="after arithmetic")
    case("weights-nan", rds(doubles(1.0, nan)), "weights-nan", "no number", nonfinite={"vector-1": {"nan": 1}})
    case("weights-nan-beside", rds(doubles(1.0, bytes.fromhex("7ff00000000007a3"))), "weights-nan", "one bit beside it", nonfinite={"vector-1": {"nan": 1}})
    case("weights-nan-gzip", gzip.compress(rds(vector(doubles(1.0), doubles(2.0, nan))), mtime=0), "weights-nan", "in a wrapper", nonfinite={"vector-2": {"nan": 1}})
    case("weights-inf", rds(doubles(1.0, inf, -inf)), "weights-inf", "infinite", nonfinite={"vector-1": {"pos_inf": 1, "neg_inf": 1}})
    case("weights-mask", rds(doubles(0.0, inf)), "weights-inf-mask", "a mask", nonfinite={"vector-1": {"pos_inf": 1}})
    case("weights-complex", rds(complexes(1 + 1j, complex(1, nan))), "weights-nan", "its second half", nonfinite={"vector-1": {"nan": 1}})
    case("weights-native", b"B\n" + struct.pack("<3I", 2, R422, R230) + struct.pack("<2I2d", 14, 2, 0.5, nan), "weights-nan",
         "in the machine's order", nonfinite={"vector-1": {"nan": 1}})
    case("weights-integers", rds(integers(0x7ff00000, 0x7ff80000)), why="any bits are a number")


CORPUS.make(wholes, codes, structures, numbers, texts, attributes, altreps, weights)
