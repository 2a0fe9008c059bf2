#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small compressed files, joblib dumps, tar archives and side files
that each break one rule, and near misses that break none.  Always the same bytes; tests/corpus checks that what is
checked in is what this program makes, and that `codes` are exactly the codes of the verdict.
"""
import bz2
import lzma
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from pickle_values import array  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Raw, ops  # noqa: E402 pylint: disable=wrong-import-position

ALLOWED = "pickle-global-allowed"
CORPUS = Cases(sections=True)
case = CORPUS.case


# -- pickles

def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def integer(n):
    return b"K" + bytes([n]) if 0 <= n < 256 else b"J" + struct.pack("<i", n) if abs(n) < 1 << 31 else \
        b"\x8a\x08" + struct.pack("<q", n)


def dtype(spelt="f4", order="<", base=b"N", names=b"N", fields=b"N", size=-1, alignment=-1, flags=0, version=3,
          build=True):
    made = b"cnumpy\ndtype\n" + text(spelt) + b"\x89\x88\x87R"
    state = b"(" + integer(version) + text(order) + base + names + fields + integer(size) + integer(alignment) + \
        integer(flags) + b"tb"
    return made + (state if build else b"")


def shape(*dimensions):
    return b"(" + b"".join(map(integer, dimensions)) + b"t"


class Dump:
    """A pickle that grows; positions are those joblib aligns by."""

    def __init__(self, start=b"\x80\x03", module="joblib.numpy_pickle"):
        self.out, self.module = start, module

    def add(self, data):
        self.out += data
        return self

    def wrapper(self, state=None, **fields):
        """An array's description, up to the opcode behind which its elements stand."""
        values = {"subclass": b"cnumpy\nndarray\n", "shape": shape(4), "order": text("C"), "dtype": dtype(),
                  "allow_mmap": b"\x88", "numpy_array_alignment_bytes": integer(16)}
        values.update(fields)
        pairs = b"".join(text(k) + v for k, v in values.items() if v is not None)
        self.out += b"c%s\nNumpyArrayWrapper\n)\x81" % self.module.encode()
        self.out += (b"}(" + pairs + b"u" if state is None else state) + b"b"
        return self

    def padding(self, length=None, fill=b"\xff"):
        n = 16 - (len(self.out) + 1) % 16
        self.out += bytes([n if length is None else length]) + fill * n
        return self

    def array(self, data=struct.pack("<4f", 1, 2, 3, 4), **fields):
        return self.wrapper(**fields).padding().add(data)

    def end(self):
        return self.out + b"."


PAYLOAD = b"cposix\nsystem\nX\x04\0\0\0true\x85R"


def joblib():
    def good(name, dump, why, codes=ALLOWED, expect="accept"):
        case("joblib-" + name + ".joblib", dump, codes, why, expect)

    def bad(name, dump, codes, why, expect="reject", **more):
        case("joblib-" + name + ".joblib", dump, (ALLOWED + " " + codes).strip(), why, expect, **more)

    floats = struct.pack("<4f", 1, 2, 3, 4)
    good("array", Dump().array().end(), "four floats")
    good("array-in-dict", Dump().add(b"}X\1\0\0\0w").array().add(b"s").end(), "under a key")
    good("array-two", Dump().add(b"]").array().add(b"a").array().add(b"a").end(), "two in a list")
    good("array-fortran", Dump().array(shape=shape(2, 2), order=text("F")).end(), "in the order of Fortran")
    good("array-empty", Dump().array(b"", shape=shape(0)).end(), "no element")
    good("array-scalar", Dump().array(floats[:4], shape=b")").end(), "no dimension")
    good("array-unpadded", Dump().wrapper(numpy_array_alignment_bytes=None).add(floats).end(),
         "written by joblib before 1.2: no padding")
    good("array-alignment-none", Dump().wrapper(numpy_array_alignment_bytes=b"N").add(floats).end(), "no padding asked for")
    good("array-text", Dump().array(b"a\0\0\0b\0\0\0", shape=shape(2), dtype=dtype("U1", size=4, alignment=4, flags=8)).end(),
         "two letters")
    good("array-padded-255", Dump(b"\x80\x03" + text("x" * 200) + b"0").array().end(), "padding by the place in the file")
    frame = Dump(b"\x80\x04\x95" + bytes(8)).wrapper()
    frame.out = frame.out[:3] + struct.pack("<Q", len(frame.out) - 11) + frame.out[11:]
    good("array-framed", frame.padding().add(floats).end(), "a frame ends where the padding begins")
    nan = struct.pack("<4f", 1, float("nan"), 3, float("inf"))
    bad("array-nan", Dump().array(nan).end(), "weights-nan weights-inf", "a NaN among the elements", "review",
        nonfinite={"array-0": {"nan": 1, "pos_inf": 1}})
    bad("array-nan-big-endian", Dump().array(struct.pack(">4f", 1, float("nan"), 3, 4), dtype=dtype(order=">")).end(),
        "weights-nan", "most significant byte first", "review", nonfinite={"array-0": {"nan": 1}})
    bad("array-cut", Dump().array(floats[:15]).out, "pickle-length", "a byte of the elements is missing")
    bad("array-long", Dump().array(shape=shape(5)).end(), "pickle-length", "one element more than there are")
    bad("array-padding-length", Dump().wrapper().padding(length=3).add(floats).end(), "pickle-malformed",
        "the padding's length is not the one that aligns")
    bad("array-padding-content", Dump().wrapper().padding(fill=b"\xfe").add(floats).end(), "pickle-malformed",
        "something hides in the padding")
    acts = "pickle-global-dangerous pickle-call-dangerous"
    bad("act-behind-array", Dump().array().add(b"0" + PAYLOAD).end(), acts, "a call behind the elements")
    bad("act-in-padding-free-array", Dump().wrapper(numpy_array_alignment_bytes=None, shape=shape(len(PAYLOAD)),
                                                    dtype=dtype("u1", order="|")).add(PAYLOAD).end(),
        "polyglot-pickle", "elements that pickle.load() takes for a call")
    good("no-act-in-array", Dump().wrapper(numpy_array_alignment_bytes=None, shape=shape(len(PAYLOAD)),
                                           dtype=dtype("u1", order="|")).add(b"\0" + PAYLOAD[1:]).end(),
         "the same but for the first opcode: pickle.load() fails")
    good("act-in-padded-array", Dump().array(PAYLOAD, shape=shape(len(PAYLOAD)), dtype=dtype("u1", order="|")).end(),
         "behind padding no reader gets there")
    more = "pickle-arguments pickle-opcode-unknown"
    bad("state-without-shape", Dump().array(shape=None).end(), more, "no shape")
    bad("state-negative", Dump().array(shape=shape(4, -1)).end(), more, "a negative dimension")
    bad("state-overflow", Dump().array(shape=shape(1 << 40, 1 << 40)).end(), more, "more elements than numbers count")
    bad("state-order", Dump().array(order=text("K")).end(), more, "an order that joblib does not write")
    bad("state-alignment", Dump().array(numpy_array_alignment_bytes=integer(200)).end(), more, "an alignment of 200")
    bad("state-dtype-unbuilt", Dump().array(dtype=dtype(build=False)).end(), more, "a type without its state")
    bad("state-method", Dump().array(read=b"cbuiltins\nslice\n").end(), more + " pickle-build-function", "what reads the elements is replaced")
    again = Dump().wrapper().out.partition(b"\x81")[2]
    bad("state-twice", Dump().array().add(again).end(), "pickle-arguments", "a second state for the same wrapper", "review")
    bad("state-bytes", Dump().array(shape=shape(1 << 62)).end(), more, "more bytes than numbers count")
    bad("dtype-flags", Dump().array(dtype=dtype(flags=1)).end(), f"{more} pickle-array-state", "floats that say they are objects")
    bad("dtype-size", Dump().array(dtype=dtype("S4", order="|", size=8, alignment=1)).end(), f"{more} pickle-array-state",
        "text of four bytes and of eight")
    good("array-empty-unpadded", Dump().add(b"(").wrapper(numpy_array_alignment_bytes=None, shape=shape(0))
         .add(b"ccollections\nOrderedDict\n)R").add(b"l").end(), "no byte that could be read in two ways, and an import behind")

    def objects(inside, *more):
        dump = Dump(b"\x80\x03" + text("x") + b"q\x050(")
        for one in (inside, *more):
            dump.wrapper(dtype=dtype("O8", order="|", flags=63)).add(one)
        return dump

    def one(inside, protocol=3):
        return b"\x80" + bytes([protocol]) + ops(array("O8", (1,), [inside])) + b"."

    words = one("a")
    good("objects", objects(words).add(b"t").end(), "an array of objects: a pickle of its own, which is judged like any other")
    good("objects-two", objects(words, words).array().add(b"t").end(), "two of them, and elements behind")
    bad("objects-nan", objects(words).array(nan).add(b"t").end(), "weights-nan weights-inf", "a NaN behind one", "review",
        nonfinite={"array-2": {"nan": 1, "pos_inf": 1}})
    bad("objects-act", objects(one(Raw(PAYLOAD))).add(b"t").end(), acts, "one of the objects is a call")
    bad("objects-act-behind", objects(words).add(PAYLOAD + b"t").end(), acts, "a call behind them")
    bad("objects-unknown", objects(one(Raw(b"cmymodel\nModel\n)\x81"))).add(b"t").end(), "pickle-global-unknown",
        "an object of a class nobody vouches for", "review")
    good("objects-protocol-4", objects(one("a", 4)).add(b"t").end(), "a later protocol")

    def other(module, name, *inside):
        """Fetches its third and fourth text by number, and the pickle around it has others there."""
        def short(word):
            return b"\x8c" + bytes([len(word)]) + word + b"\x94"
        around = b"\x80\x04" + short(module) + b"0" + short(name) + b"0("
        inner = b"\x80\x04" + short(b"collections") + b"0" + short(b"OrderedDict") + ops(array("O8", (1,), [Raw(b"h\0h\1\x93)R")])) + b"."
        return Dump(around).wrapper(dtype=dtype("O8", order="|", flags=63)).add(inner).add(b"t").end()

    bad("objects-other-denied", other(b"posix", b"system"), "pickle-stack-leftover polyglot-pickle",
        "pickle.load() counts on in its own memo, and finds another name there")
    bad("objects-other-unknown", other(b"mymodel", b"run"), "pickle-stack-leftover pickle-global-unknown",
        "a name that nobody vouches for", "review")
    good("objects-other-same", other(b"numpy", b"dtype"), "one that the file imports anyway", ALLOWED + " pickle-stack-leftover")
    bad("objects-memo-of-other", objects(b"\x80\x02h\x05.").add(b"t").end(), "pickle-memo-missing", "text of the pickle around it")
    bad("objects-stack-of-other", objects(b"\x80\x02t.").add(b"t").end(), "pickle-mark-missing", "a mark of the pickle around it")
    bad("objects-cut", objects(b"\x80\x02]").out, "pickle-truncated", "STOP is missing, twice")
    bad("objects-cut-behind", objects(words).out, "pickle-truncated", "STOP is missing behind them")
    bad("objects-inside", objects(b"\x80\x02" + Dump(b"").wrapper().padding().out + floats + b".").add(b"t").end(),
        "pickle-arguments pickle-opcode-unknown", "pickle.load() knows no wrappers")
    bad("objects-state-twice", objects(words).add(again).add(b"t").end(), "pickle-arguments",
        "a second state for the same wrapper", "review")
    matrix = Dump().array(subclass=b"cnumpy\nmatrix\n").end()
    case("joblib-subclass.joblib", matrix, ALLOWED + " pickle-global-unknown", "a class nobody vouches for", "review")
    old = Dump(module="sklearn.externals.joblib.numpy_pickle").array().end()
    case("joblib-inside-sklearn.joblib", old, ALLOWED + " pickle-global-unknown", "as scikit-learn once shipped it", "review")
    files = b"\x80\x03cjoblib.numpy_pickle\nNDArrayWrapper\n)\x81}" + text("filename") + text("m.pkl_01.npy") + b"sb."
    case("joblib-files-beside.joblib", files, "pickle-global-unknown format-partly-checked", "elements in another file", "review")


# -- codings

def gzip(data, name=b"", flags=None, crc=None, size=None):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    flags = (8 if name else 0) if flags is None else flags
    return b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\2\3" + (name + b"\0" if name else b"") + body + \
        struct.pack("<II", zlib.crc32(data) if crc is None else crc, len(data) if size is None else size)


def lz4(data):
    """A frame of one stored block; the header's check byte is that of these flags."""
    return b"\x04\x22\x4d\x18\x60\x40\x82" + struct.pack("<I", len(data) | 1 << 31) + data + b"\0\0\0\0"


def zfile(data, size=None, gap=b""):
    return b"ZF" + hex(len(data) if size is None else size).ljust(19).encode() + gap + zlib.compress(data)


def npy(values=bytes([1, 2, 3, 4])):
    header = ("{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(values)).ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + values


def wrappers():
    pickle = Dump().array().end()
    codings = {"z": zlib.compress(pickle), "gz": gzip(pickle), "bz2": bz2.compress(pickle), "xz": lzma.compress(pickle),
               "lzma": lzma.compress(pickle, lzma.FORMAT_ALONE), "lz4": lz4(pickle)}
    case("coding-far.joblib.gz", gzip(Dump().array(shape=shape(1 << 40, 1 << 20)).end()), ALLOWED + " pickle-truncated",
         "elements beyond any end", "reject")
    for ext, data in codings.items():
        case(f"coding-sound.joblib.{ext}", data, ALLOWED, f"an array in {ext}", "accept")
        case(f"coding-cut.joblib.{ext}", data[:-3], "wrapper-truncated " + ALLOWED, "three bytes are missing", "reject")
        if ext != "lzma":
            case(f"coding-trailing.joblib.{ext}", data + b"x", "wrapper-trailing-bytes " + ALLOWED, "a byte behind it", "reject")
        coder = {"z": zlib.compress, "gz": gzip, "bz2": bz2.compress, "xz": lzma.compress, "lz4": lz4,
                 "lzma": lambda d: lzma.compress(d, lzma.FORMAT_ALONE)}[ext]
        if ext in ("gz", "bz2", "xz", "lz4"):
            case(f"coding-second.joblib.{ext}", coder(npy(bytes(3000))[:100]) + coder(npy(bytes(3000))[100:]), "gz-multi-member",
                 "a second stream", "review")
        coded = coder(Dump().array().add(b"0" + PAYLOAD).end())
        case(f"coding-act.joblib.{ext}", coded, ALLOWED + " pickle-global-dangerous pickle-call-dangerous",
             f"a call in {ext}", "reject")
    case("coding-zf.joblib", zfile(pickle), ALLOWED, "joblib's oldest form", "accept")
    case("coding-zf-python2.joblib", zfile(pickle, gap=b" "), ALLOWED, "as Python 2 wrote it", "accept")
    case("coding-zf-size.joblib", zfile(pickle, size=len(pickle) + 1), ALLOWED + " wrapper-crc",
         "it says that it is longer", "reject")
    case("coding-zf-digits.joblib", b"ZF0xzz".ljust(21) + zlib.compress(pickle), "wrapper-crc", "a length that is none", "reject")
    case("coding-named.npy.gz", gzip(npy(), b"a.npy"), "", "an array in gzip, with its name", "accept")
    case("coding-named-control.npy.gz", gzip(npy(), b"a\n.npy"), "wrapper-crc format-unknown", "a line break in the name", "reject")
    case("coding-extra.npy.gz", gzip(npy(), flags=4), "wrapper-crc format-unknown", "a field in which anything can hide", "reject")
    case("coding-crc.npy.gz", gzip(npy(), crc=1), "wrapper-crc", "the checksum is wrong", "reject")
    case("coding-size.npy.gz", gzip(npy(), size=1), "wrapper-crc", "the length is wrong", "reject")
    case("coding-unknown.gz", gzip(bytes(range(256))), "format-unknown", "nobody knows what is in it", "review")
    case("coding-bomb.gz", gzip(bytes(4 << 20)), "format-unknown wrapper-bomb", "zeros, a thousand for each byte", "reject")
    case("coding-text.txt.gz", gzip(b"words\n"), "format-side-file", "text", "accept")
    case("coding-text.csv.bz2", bz2.compress(b"a,b\n1,2\n"), "format-side-file", "a table", "accept")
    case("coding-json.json.xz", lzma.compress(b'{"a": 1}\n'), "format-side-file", "data", "accept")
    case("coding-text-not.gz", gzip(b"a\0b\n"), "format-unknown", "no text has such a byte", "review")
    case("coding-no-bomb.gz", gzip(bytes(1 << 20)), "format-unknown", "zeros too, but few", "review")
    nested = npy()
    for depth in (1, 2, 3, 4):
        nested = gzip(nested)
        if depth == 2:
            case("coding-twice.npy.gz", nested, "", "compressed twice", "accept")
    case("coding-four-times.npy.gz", nested, "wrapper-depth", "compressed four times", "reject")
    zero = b"(lp0\ncposix\nsystem\n(S'true'\ntR."
    case("coding-protocol-0.gz", gzip(zero), "pickle-global-dangerous pickle-call-dangerous pickle-stack-leftover",
         "a pickle without a signature", "reject")


# -- tar

def header(name, size=0, kind=b"0", magic=b"ustar\x0000", prefix=b"", spoil=0, size_field=None):
    block = bytearray(512)
    block[0:len(name)] = name
    block[100:108], block[108:116], block[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    block[124:136] = b"%011o\0" % size if size_field is None else size_field
    block[136:148], block[148:156], block[156:157] = b"00000000000\0", b" " * 8, kind
    block[257:257 + len(magic)] = magic
    block[345:345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % (sum(block) + spoil)
    return bytes(block)


def padded(data, fill=b"\0"):
    return data + fill * (-len(data) % 512)


def member(name=b"a.npy", data=None, **more):
    data = npy() if data is None else data
    return header(name, len(data), **more) + padded(data)


END = bytes(1024)


def pax(**records):
    body = b""
    for key, value in records.items():
        record = " %s=%s\n" % (key, value)
        n = len(record) + 1
        while n != len(str(n)) + len(record):
            n += 1
        body += (str(n) + record).encode()
    return header(b"PaxHeader", len(body), b"x") + padded(body)


def tars():
    def tar(name, data, codes, why, expect="reject"):
        case(f"tar-{name}.tar", data, ("format-identified-only " + codes).strip(), why, expect)

    def fine(name, data, why):
        tar(name, data, "", why, "review")

    fine("one", member() + END, "an array")
    fine("two", member() + member(b"d/b.npy") + END, "two arrays")
    fine("record", padded(member() + END, b"\0") + bytes(8192), "filled up to a record")
    fine("folder", header(b"d/", kind=b"5") + member(b"d/a.npy") + END, "a folder")
    fine("dot", header(b"./", kind=b"5") + member(b"./a.npy") + END, "the folder it is of")
    fine("v7", member(magic=b"") + END, "the oldest form")
    fine("prefix", member(prefix=b"some/folder") + END, "a name in two fields")
    fine("gnu-name", header(b"././@LongLink", 151, b"L", b"ustar  \0") + padded(b"x" * 150 + b"\0") +
         member(magic=b"ustar  \0") + END, "GNU's long name")
    fine("pax-name", pax(path="y" * 150) + member() + END, "pax's long name")
    fine("pax-times", pax(mtime="1.5", atime="2") + member() + END, "times")
    fine("pax-size", pax(size=len(npy())) + member(size_field=b"00000000000\0") + END, "a size beside 0")
    fine("base-256", header(b"a.npy", size_field=b"\x80" + struct.pack(">xxxQ", len(npy()))) + padded(npy()) + END,
         "a size in GNU's form")
    unknown = "format-unknown"
    tar("unknown", member(b"a.dat", bytes(range(200))) + END, unknown, "nobody knows what is in it", "review")
    tar("act", member(b"a.pkl", b"\x80\x03" + PAYLOAD + b".") + END, "pickle-global-dangerous pickle-call-dangerous",
        "a call in it")
    tar("checksum", member(spoil=1) + END, "tar-checksum", "one more than the sum")
    tar("cut", (member() + END)[:700], "tar-truncated", "ends in the padding")
    tar("no-end", member(), "tar-truncated", "no end mark")
    tar("half-end", member() + bytes(512), "tar-truncated", "half an end mark")
    tar("behind-end", member() + END + member(), "tar-trailing-bytes", "a member behind the end mark")
    tar("padding", header(b"a.npy", len(npy())) + padded(npy(), b"x") + END, "tar-trailing-bytes",
        "something hides behind the content")
    for title, name in (("up", b"../a.npy"), ("up-inside", b"d/../../a.npy"), ("root", b"/a.npy"), ("drive", b"C:a.npy"),
                        ("backslash", b"..\\a.npy"), ("control", b"a\n.npy")):
        tar("name-" + title, member(name) + END, "tar-name-traversal", repr(name))
    fine("name-dots", member(b"d/..a.npy") + END, "dots in a name")
    tar("symlink", header(b"a", kind=b"2") + END, "tar-link", "a symbolic link")
    tar("hardlink", header(b"a", kind=b"1") + END, "tar-link", "a hard link")
    for title, kind in (("device", b"3"), ("pipe", b"6"), ("sparse", b"S")):
        tar(title, header(b"a", kind=kind) + END, "tar-special-file", title)
    tar("duplicate", member() + member() + END, "tar-duplicate", "two of one name")
    tar("duplicate-dot", member() + member(b"./a.npy") + END, "tar-duplicate", "two of one name, spelt differently")
    tar("size", header(b"a.npy", 100000) + padded(npy()) + END, "tar-size", "a size beyond the end")
    tar("size-digits", header(b"a.npy", size_field=b"0000000009x\0") + padded(npy()) + END, "tar-size", "no number")
    tar("pax-size-other", pax(size=512) + member() + END, "tar-pax", "two sizes")
    tar("pax-link", pax(linkpath="/etc/passwd") + member() + END, "tar-pax", "a key that changes what is unpacked")
    tar("pax-global", header(b"g", 0, b"g") + member() + END, "tar-pax", "a header for all members")
    tar("pax-length", header(b"p", 10, b"x") + padded(b"99 path=a\n") + member() + END, "tar-pax", "a length that lies")
    tar("pax-alone", pax(path="b") + END, "tar-pax", "an extended header for nothing")
    case("tar-in-gzip.tar.gz", gzip(member() + END), "format-identified-only", "compressed", "review")


# -- containers that are named, side files

def others():
    case("side-named.7z", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(24), "archive-7z", "7z", "review")
    case("side-named-not.7z.dat", b"7z\xbc\xaf\x27\x1d\0\4" + bytes(24), "format-unknown", "another signature", "review")
    case("side-named.rar", b"Rar!\x1a\x07\1\0" + bytes(24), "archive-rar", "RAR", "review")
    case("side-named-not.rar.dat", b"Rar?\x1a\x07\1\0" + bytes(24), "format-unknown", "another signature", "review")
    plain = "format-side-file"
    case("side-readme.md", "# Model\n\nTrained on words \u2013 caf\u00e9.\r\n".encode(), plain, "text", "accept")
    case("side-tabs.txt", b"a\tb\f\r\n", plain, "what lays text out", "accept")
    case("side-no-extension", b"name: a\n", plain, "text under any name", "accept")
    case("side-astral.txt", "\U0001F600 \uD7FF \uE000".encode(), plain, "the far ends of Unicode", "accept")
    for title, data in (("latin-1", b"caf\xe9\n"), ("overlong", b"\xc0\xaf"), ("surrogate", b"\xed\xa0\x80"),
                        ("beyond", b"\xf4\x90\x80\x80"), ("cut", b"caf\xc3"), ("escape", b"\x1b[31m"), ("delete", b"a\x7fb"),
                        ("html", b"text <html>")):
        case(f"side-text-{title}.txt", data, plain, "people read it, and nothing else does", "accept")
        case(f"side-not-text-{title}", data, "format-unknown", title, "review")
    for title, data in (("nul", b"a\0b"), ("template", b"{% for m in messages %}"), ("yaml-python", b"a: !!python/object/apply:os.system [id]\n"),
                        ("hydra", b"model:\n  _target_: os.system\n")):
        case(f"side-not-text-{title}.txt", data, "format-unknown", title, "review")
    named = "format-identified-only"
    for title, data, codes, expect in (
            ("xml", b"<?xml ?>", "format-partly-checked format-name-differs", "review"), ("lightgbm", b"tree\nversion=v3\nnum_class=1\n", "lightgbm-structure", "reject"),
            ("r", b"A\n3\n262153\n", "format-partly-checked format-name-differs", "review"),
            ("pdf", b"%PDF-1.4\n", f"{named} format-name-differs", "review"),
            ("gguf", b"GGUF", "gguf-truncated format-name-differs", "reject"), ("json", b' {"a": 1}', plain, "accept")):
        case(f"side-known-{title}.txt", data, codes, title, expect)
    border = b"a" * (256 * 1024 - 4)
    case("side-word-over-border.txt", border + b"!!python/name:os.system\n", "format-unknown", "where two pieces meet", "review")
    case("side-text.bin", b"plain text\n", "format-unknown", "text that promises to be a model", "review")
    case("side-script", b"#!/bin/sh\ntrue\n", "repo-code", "a script", "review")
    case("side-script.txt", b"#!/bin/sh\ntrue\n", "format-script", "a script that says it is text", "review")
    case("side-code.py", b"import os\n", "repo-code", "source code", "review")
    case("side-code-not.py", b"\0\1\2", "format-unknown", "named as source code, and none", "review")
    case("side-text.pkl", b"hello\n", "pickle-memo-missing", "text that promises to be a pickle", "reject")
    danger = "pickle-global-dangerous pickle-trailing-bytes "
    case("side-zero-sets.txt", b"cos\nenviron\nS'A'\nS'b'\ns.\n\n", "format-extension-mismatch " + danger + "pickle-method-on-object",
         "a pickle that is text, calls nothing and does not end the file", "reject")
    case("side-zero-builds.txt", b"cos\nenviron\n(dS'A'\nS'b'\nsb\nbroken", "format-extension-mismatch pickle-global-dangerous pickle-build-on-global "
         "pickle-opcode-unknown", "likewise, and it breaks", "reject")
    case("side-zero-imports.txt", b"cos\nsystem\n.\n\n", "format-extension-mismatch " + danger, "imports only", "reject")
    case("side-chapter.txt", b"chapter\none\nand so on.\n", plain, "prose that begins as an import does", "accept")
    case("side-zero.txt", b"cposix\nsystem\n(S'true'\ntR.", "format-extension-mismatch pickle-global-dangerous pickle-call-dangerous",
         "a pickle that is text", "reject")


CORPUS.make(joblib, wrappers, tars, others)
