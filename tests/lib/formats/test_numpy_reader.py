"""Our reader of headers beside NumPy's: what NumPy's writer makes we read as it does and have nothing to say about; of
thousands of damaged variants, those that we find nothing in NumPy reads, and reads as we do.

    test_numpy_reader.py LISTER"""
import io
import json
import math
import random
import subprocess
import sys
import warnings

import numpy as np
from numpy.lib import format as npy_format

import tap

LISTER = sys.argv[1]
MEDIUM = 2  # enum finding_severity
SEED = 20240607

warnings.simplefilter("ignore")


# -- the two readers

def listed(headers):
    """What our reader makes of (version, text) each."""
    done = subprocess.run([LISTER], input="".join(f"{v} {text.hex()}\n" for v, text in headers), capture_output=True,
                          text=True, timeout=600, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(headers)
    return rows


def is_clean(row):
    """As good as accepted: understood, and nothing for a person to look at."""
    return row["understood"] and all(severity < MEDIUM for _, severity in row["codes"])


def length(version, n):
    return n.to_bytes(2 if version == 1 else 4, "little")


def by_numpy(version, text):
    """Shape, order and type; None when it refuses."""
    try:
        return npy_format._read_array_header(io.BytesIO(length(version, len(text)) + text), (version, 0),
                                             max_header_size=1 << 20)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return None


def loads(version, text, n):
    """Does NumPy make an array of this header and n bytes?"""
    file = io.BytesIO(b"\x93NUMPY" + bytes((version, 0)) + length(version, len(text)) + text + bytes(n))
    try:
        npy_format.read_array(file, allow_pickle=False, max_header_size=1 << 20)
    except (ValueError, TypeError, SystemError):
        return False
    return file.read() == b""


def is_big(dtype):
    return dtype.byteorder == ">" and dtype.kind != "S"


def flat(dtype, at=0, name="", inside=False):
    """(name, offset, count, kind, bytes, big) of every field, as our reader lists them."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        count = math.prod(shape)
        if base.names is None:
            return [(n, o, c * count, *rest) for n, o, c, *rest in flat(base, at, name, True)]
        return [f for i in range(count) for f in flat(base, at + i * base.itemsize, name, True)]
    if dtype.names is not None:
        join = (name + "." if inside else "")
        return [f for n in dtype.names for f in flat(dtype.fields[n][0], at + dtype.fields[n][1], join + n, True)]
    return [(name, at, 1, dtype.kind, dtype.itemsize, is_big(dtype))]


def fields_by_numpy(dtype, version):
    code = "utf-8" if version == 3 else "latin-1"
    return [[name.encode(code)[:256].hex(), *rest] for name, *rest in flat(dtype)] if dtype.names is not None else []


def is_padding(field):
    """NumPy leaves it out; by its last name, for whatever it lies in has one."""
    return field[3] == "V" and (field[0] == "" or field[0].endswith("2e"))


def difference(row, version, text):
    """How NumPy reads a header otherwise than we did, or None."""
    theirs = by_numpy(version, text)
    if theirs is None:
        return "refused"
    shape, fortran, dtype = theirs
    if list(shape) != row["shape"] or fortran != row["fortran"] or dtype.hasobject != row["object"]:
        return f"{theirs}"
    if dtype.itemsize * math.prod(shape) != row["bytes"]:
        return f"{dtype.itemsize * math.prod(shape)} bytes"
    if dtype.names is None and [dtype.kind, dtype.itemsize, is_big(dtype)] != row["type"]:
        return f"{dtype}"
    ours = [f for f in row["fields"] if not is_padding(f)]
    if ours != [list(f) for f in fields_by_numpy(dtype, version) if not is_padding(f)]:
        return f"fields {flat(dtype)}"
    if not dtype.hasobject and row["bytes"] < 1 << 16 and not loads(version, text, row["bytes"]):
        return "no array"
    return None


# -- what NumPy writes

PLAIN = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "S0", "S1", "S7", "U0", "U1",
         "U12", "V0", "V3", "V16", "M8[D]", "M8[ns]", "M8[25s]", "m8[h]", "m8[as]", "M8", "m8"]
NAMES = ["a", "b", "weight", "f0", "x y", "it's", 'say "x"', "\u00e9", "\u00ff", "a.b", "L", "True", "\u6f22", "A"]


def plain(rng):
    dtype = np.dtype(rng.choice(PLAIN))
    return dtype.newbyteorder(rng.choice("<>"))


def structure(rng, depth):
    names = rng.sample(NAMES, rng.randint(1, 5))
    fields = []
    for i, name in enumerate(names):
        field = structure(rng, depth - 1) if depth > 0 and rng.random() < 0.3 else plain(rng)
        label = (f"title {i}", name) if rng.random() < 0.15 else name
        shape = rng.choice([(), (), (), (), (2,), (1,), (3, 2), (0,)]) if field.itemsize else ()
        fields.append((label, field, shape) if shape else (label, field))
    return np.dtype(fields, align=rng.random() < 0.4)


def spread(rng):
    """Fields with room before, between and behind them."""
    dtypes = [plain(rng) for _ in range(rng.randint(1, 4))]
    offsets, at = [], 0
    for dtype in dtypes:
        at += rng.randint(0, 5)
        offsets.append(at)
        at += dtype.itemsize
    return np.dtype({"names": NAMES[:len(dtypes)], "formats": dtypes, "offsets": offsets,
                     "itemsize": at + rng.randint(0, 5)})


def shape(rng):
    """Of an array that fits a computer."""
    while True:
        dims = tuple(rng.choice([0, 1, 1, 2, 3, 5, 70000]) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 5, 32])))
        if math.prod(d or 1 for d in dims) <= 1 << 20:
            return dims


def written(rng, dtype):
    """A header as NumPy's writer makes it: (version, text)."""
    out = io.BytesIO()
    npy_format._write_array_header(out, {"descr": npy_format.dtype_to_descr(dtype), "shape": shape(rng),
                                         "fortran_order": rng.random() < 0.3}, rng.choice([None, None, (2, 0), (3, 0)]))
    data = out.getvalue()
    return data[6], data[10 if data[6] == 1 else 12:]


def make_written(n):
    rng = random.Random(SEED)
    dtypes = [np.dtype(t).newbyteorder(o) for t in PLAIN for o in "<>"]
    while len(dtypes) < n:
        dtypes.append(rng.choice([plain, spread, lambda r: structure(r, 2)])(rng))
    made = []
    for dtype in dtypes:
        try:
            made.append(written(rng, dtype))
        except UnicodeEncodeError:  # a name that the version cannot hold
            continue
    return made


WRITTEN = make_written(4000)


def test_what_numpy_writes_is_read_as_numpy_does():
    wrong = []
    for (version, text), row in zip(WRITTEN, listed(WRITTEN)):
        why = difference(row, version, text) if is_clean(row) else f"not clean: {row['codes']}"
        if why:
            wrong.append((version, text, why))
    assert len(WRITTEN) > 3000 and not wrong, (len(wrong), wrong[:5])


# -- damaged variants

PIECES = [b"True", b"False", b"None", b"0x2", b"1_0", b"0o7", b"0b1", b"00", b"01", b"3L", b"L", b"-", b"+", b"-1", b"1.0", b"1e3",
          b"1j", b"'<' 'f4'", b"'a'", b'"a"', b"u'a'", b"b'a'", b"r'a'", b"'''a'''", b"'\\x3cf4'", b"\\", b"'", b'"', b"#", b"# x\n",
          b"\n", b"\r", b"\t", b"\f", b" ", b"\0", b"(", b")", b"[", b"]", b"{", b"}", b",", b":", b"()", b"(1,)", b"(2)", b"[2]",
          b"((1,),)", b"'|O'", b"'O'", b"'f4,i2'", b"'float32'", b"'<f4'", b"'=f4'", b"'|f4'", b"'<i1'", b"'<f12'", b"'<M8[ns]'",
          b"'<M8[xs]'", b"'<M8[0s]'", b"'<U04'", b"'(2,)f4'", b"[('a', '<f4')]", b"[('', '|V4'), ('a', '<i2')]",
          b"[('', '<f4')]", b"[(('a', 'a'), '<f4')]", b"('<f4', (2,))", b"[('a', ('<f4', (2,)))]", b"[('a', '<f4', 3)]",
          b"[('a', '<f4', (3))]", b"[]", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616",
          b"4611686018427387904", b"'shape'", b"'descr'", b"'x'", b"'shape': (1,), ", b"\x80", b"\xe9", b"\xc3\xa9", b"\xed\xa0\x80",
          b"...", b"*", b"1 if 1 else 2", b"not 1", b"f'a'", b"B'a'", b"R'a'", b"U'a'", b"ur'a'", b"'\\N{DIGIT ONE}'", b"\\\n", b";"]


def tokens(text):
    """Where the pieces of a header begin: marks, strings, words."""
    return [i for i in range(len(text)) if text[i:i + 1] in b"{}[](),:'\"" or (i > 0 and text[i - 1:i] in b" (,[{:")]


def damaged(rng, text):
    text = bytearray(text.rstrip(b" \n") + b" " * rng.choice([0, 1, 7]) + rng.choice([b"\n", b"\n", b"\n", b""]))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        places = tokens(bytes(text)) or [0]
        at, to = sorted((rng.choice(places), rng.choice(places)))
        act = rng.randrange(7)
        if act == 0 and text:
            text[rng.randrange(len(text))] = rng.randrange(256)
        elif act == 1:
            text[at:at] = rng.choice(PIECES)
        elif act == 2:
            text[at:min(to, at + 12)] = rng.choice(PIECES)
        elif act == 3:
            del text[at:min(to, at + 8)]
        elif act == 4:
            text[at:at] = text[at:to]
        elif act == 5 and text:
            del text[rng.randrange(len(text))]
        else:
            text[at:at] = bytes((rng.choice(b" \t\n'\",()[]0123456789L<>|=fiuOVSU"),))
    return bytes(text)


def make_damaged(n):
    rng = random.Random(SEED + 1)
    short = [h for h in WRITTEN if len(h[1]) < 260]
    made = []
    for _ in range(n):
        version, text = rng.choice(short)
        made.append((rng.choice([version, version, 1, 2, 3]), damaged(rng, text)))
    return made


def test_where_we_find_nothing_numpy_reads_the_same():
    variants = make_damaged(40000)
    wrong, clean = [], 0
    for (version, text), row in zip(variants, listed(variants)):
        if not is_clean(row):
            continue
        clean += 1
        why = difference(row, version, text)
        if why:
            wrong.append((version, text, row, why))
    assert clean > 1000, clean
    assert not wrong, (len(wrong), wrong[:5])


def test_whole_alphabet_of_type_strings():
    """Every short text as a type: what we find nothing in NumPy reads as we do."""
    texts = {a + b + c for a in ["", "<", ">", "|", "="] for b in "?bBhHiIlLqQefdgcFDGSaUVOMmtpPnN0x " for c in
             ["", "0", "1", "2", "4", "8", "12", "16", "24", "32", "01", "-1", "1 ", "8[s]", "8[D]", "8[3D]", "8[s/3]", "8[]", "8[",
              "8[ss]", "4[s]"]}
    texts |= {a + b for a in ["float", "int", "uint", "complex", "bool", "str", "void", "object", "datetime", "timedelta", "bytes",
                              "half", "single", "double", "intp", "unicode"] for b in ["", "_", "0", "8", "16", "32", "64", "128"]}
    headers = [(1, b"{'descr': '%s', 'fortran_order': False, 'shape': (3,), }\n" % t.encode()) for t in sorted(texts)]
    wrong = [(text, difference(row, version, text)) for (version, text), row in zip(headers, listed(headers))
             if is_clean(row) and difference(row, version, text)]
    assert not wrong, wrong


tap.main(globals())
