#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small GGUF files that each break one rule of formats/gguf, and near
misses that break none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"gguf-key-upper-case", "gguf-token-utf8", "gguf-meta-url-scheme",
            "gguf-f64-exceeds-f32", "weights-inf-mask"}
REVIEWED = {"gguf-final-padding-missing", "gguf-meta-nonfinite", "gguf-alignment-small", "gguf-tensor-dims", "gguf-tensor-empty", "gguf-required-key",
            "gguf-type-runtime-only", "gguf-hparam-zero", "gguf-hparam-range", "gguf-nvfp4-scale-invalid", "gguf-template-dos",
            "gguf-template-unknown-tag", "gguf-template-hidden-text", "weights-nan", "weights-inf"}

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
PACK = {U8: "<B", I8: "<b", U16: "<H", I16: "<h", U32: "<I", I32: "<i", F32: "<f", BOOL: "<B", U64: "<Q", I64: "<q",
        F64: "<d"}

# id: elements and bytes of a block, offsets of its scales (formats/gguf, section 5)
HALF = {"q4_0": (2, 32, 18, 0), "q4_1": (3, 32, 20, 0, 2), "q5_0": (6, 32, 22, 0), "q5_1": (7, 32, 24, 0, 2),
        "q8_0": (8, 32, 34, 0), "q8_1": (9, 32, 36, 0, 2), "q2_k": (10, 256, 84, 80, 82), "q3_k": (11, 256, 110, 108),
        "q4_k": (12, 256, 144, 0, 2), "q5_k": (13, 256, 176, 0, 2), "q6_k": (14, 256, 210, 208),
        "iq2_xxs": (16, 256, 66, 0), "iq2_xs": (17, 256, 74, 0), "iq3_xxs": (18, 256, 98, 0), "iq1_s": (19, 256, 50, 0),
        "iq4_nl": (20, 32, 18, 0), "iq3_s": (21, 256, 110, 0), "iq2_s": (22, 256, 82, 0), "iq4_xs": (23, 256, 136, 0),
        "tq1_0": (34, 256, 54, 52), "tq2_0": (35, 256, 66, 64), "q1_0": (41, 128, 18, 0), "q2_0": (42, 64, 18, 0)}
CORPUS = Cases(".gguf", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- pieces

def string(text, n=None):
    text = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(text) if n is None else n) + text


def value(kind, v):
    """Of an array: (type, values)."""
    if kind == STR:
        return string(v)
    if kind == ARR:
        return struct.pack("<iQ", v[0], len(v[1])) + b"".join(value(v[0], x) for x in v[1])
    return v if isinstance(v, bytes) else struct.pack(PACK[kind], v)


def kv(key, kind, v):
    return string(key) + struct.pack("<i", kind) + value(kind, v)


ARCH = kv("general.architecture", STR, "llama")
QUANT = kv("general.quantization_version", U32, 2)


def info(name, ne, kind, offset, n_dims=None):
    return string(name) + struct.pack("<I", len(ne) if n_dims is None else n_dims) + b"".join(
        struct.pack("<Q", n % 2**64) for n in ne) + struct.pack("<IQ", kind % 2**32, offset % 2**64)


def up(n, align):
    return n + -n % align


def raw(kvs=(ARCH,), infos=(), data=b"", align=32, version=3, n_kv=None, n_tensors=None, pad=None):
    """Header, keys and table as they are given; zeros up to the alignment; data."""
    head = b"GGUF" + struct.pack("<IQQ", version, (len(infos) if n_tensors is None else n_tensors) % 2**64,
                                 (len(kvs) if n_kv is None else n_kv) % 2**64) + b"".join(kvs) + b"".join(infos)
    if infos or data or pad is not None:
        head += bytes(-len(head) % align) if pad is None else pad
    return head + data


def model(*tensors, kvs=None, align=32, version=3, last_pad=True):
    """Tensors are (name, ne, type, data), laid out as they should be."""
    infos, data = [], b""
    for name, ne, kind, content in tensors:
        infos.append(info(name, ne, kind, len(data)))
        data += content + bytes(-len(content) % align)
    if not last_pad and tensors:
        data = data[:len(data) - -len(tensors[-1][3]) % align]
    if kvs is None:
        kvs = (ARCH, QUANT) if any(t[2] not in (0, 1, 24, 25, 26, 27, 28, 30) for t in tensors) else (ARCH,)
    return raw(kvs, infos, data, align, version)


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


W = ("blk.0.weight", (4,), 0, floats(1, 2, 3, 4))
V = ("blk.1.weight", (4, 2), 0, floats(*range(8)))
SMALL = model(W, V)


def with_kv(*kvs, tensors=(W,)):
    return model(*tensors, kvs=(ARCH,) + kvs)


def bits(text, width=16):
    return int(text, 16).to_bytes(width // 8, "little")


# -- sections

def headers():
    case("header-sound", SMALL, why="two tensors")
    case("header-sound-v2", model(W, V, version=2), why="version 2 has the same layout")
    case("header-bad-magic", b"FUGG" + SMALL[4:], "gguf-bad-magic", "upstream HEADER_BAD_MAGIC")
    case("header-no-magic", b"GG", "gguf-bad-magic", "two bytes")
    case("header-empty-file", b"", "gguf-bad-magic", "no byte at all")
    case("header-magic-alone", b"GGUF", "gguf-truncated", "the magic and nothing else")
    case("header-cut", SMALL[:23], "gguf-truncated", "one byte short of a header")
    for magic in (b"lmgg", b"fmgg", b"tjgg", b"algg"):
        case(f"header-legacy-{magic.decode()}", magic + SMALL[4:], "gguf-legacy-magic", "a predecessor")
    for name, version, code in (("0", 0, "gguf-version-zero"), ("1", 1, "gguf-version-obsolete"),
                                ("4", 4, "gguf-version-future"), ("huge", 0xffffffff, "gguf-version-future"),
                                ("65536", 65536, "gguf-big-endian"), ("big-endian", 0x03000000, "gguf-big-endian")):
        case(f"header-version-{name}", b"GGUF" + struct.pack("<I", version) + SMALL[8:], code, "a version")
    case("header-big-endian-whole", b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "gguf-big-endian",
         "all of it in the other order")
    case("header-v1", b"GGUF" + struct.pack("<III", 1, 0, 0), "gguf-version-obsolete", "32-bit counts")
    for n in (2**64 - 1, 2**63, 65536, 1000):
        case(f"header-tensors-{n:x}", raw(n_tensors=n, pad=bytes(64)), "gguf-tensor-count",
             "more tensors than fit, or than allowed")
        case(f"header-keys-{n:x}", raw(n_kv=n, pad=bytes(64)), "gguf-kv-count", "more keys than fit, or than allowed")
    nothing = "gguf-empty gguf-required-key"
    case("header-counts-0", raw(()), nothing, "24 bytes: upstream HEADER_EMPTY")
    case("header-counts-0-v2", raw((), version=2), nothing, "24 bytes of the version before")
    case("header-counts-0-padded", raw((), pad=bytes(8)), nothing, "padded to 32")
    case("header-counts-0-trailing", raw((), pad=bytes(9)), nothing + " gguf-trailing-bytes", "33 bytes")
    case("header-keys-0", model(W, kvs=()), "gguf-required-key", "a tensor without metadata")
    case("header-keys-only", raw(), why="metadata and no tensor ends anywhere up to the alignment")
    case("header-keys-only-padded", raw(pad=bytes(-len(raw()) % 32)), why="padded, as writers do")
    case("header-keys-only-half-padded", raw(pad=bytes(5)), why="padded to something else")
    case("header-keys-only-more", raw(pad=bytes(-len(raw()) % 32 + 1)), "gguf-trailing-bytes", "a byte more")


def keys():
    case("keys-sound", with_kv(kv("gpt-oss.x_1.2", U32, 1), kv("a", U32, 1)), why="hyphens and digits")
    case("keys-empty", with_kv(kv("", U32, 1)), "gguf-key-empty", "upstream KV_EMPTY_KEY")
    for name, n in (("huge", 2**64 - 1), ("past-end", 500), ("65536", 65536)):
        body = raw((ARCH, struct.pack("<Q", n) + bytes(100)), pad=bytes(70000 if n == 65536 else 0))
        case(f"keys-length-{name}", body, "gguf-key-length", "upstream KV_BAD_KEY_SIZE")
    case("keys-length-65535", with_kv(kv("k" * 65535, U8, 0)), why="as long as may be")
    case("keys-duplicate", with_kv(kv("k", U32, 1), kv("k", U32, 1)), "gguf-key-duplicate", "upstream KV_DUPLICATE_KEY")
    case("keys-duplicate-long", with_kv(*[kv("k" * 5000 + e, U32, 1) for e in "aba"]), "gguf-key-duplicate",
         "alike but for the end")
    case("keys-alike", with_kv(kv("ka", U32, 1), kv("kb", U32, 1)), why="alike and not the same")
    case("keys-duplicate-architecture", with_kv(ARCH), "gguf-key-duplicate", "a known one")
    case("keys-upper", with_kv(kv("Some.Key", U32, 1)), "gguf-key-upper-case", "upper case")
    for name, key in (("space", "a b"), ("nul", b"a\0b"), ("utf8", "caf\u00e9"), ("latin-1", b"caf\xe9"), ("slash", "a/b"),
                      ("leading-dot", ".a"), ("trailing-dot", "a."), ("two-dots", "a..b"), ("control", "a\x1bb"),
                      ("direction", "a\u202eb")):
        case(f"keys-{name}", with_kv(kv(key, U32, 1)), "gguf-key-charset", "characters")
    case("keys-cut", raw((ARCH, string("k")), n_kv=2, pad=b"\4\0\0"), "gguf-truncated", "the second key is missing")
    case("keys-cut-value", raw((ARCH, string("key.of.some.length") + struct.pack("<i", U64) + bytes(7))),
         "gguf-truncated", "a value cut")
    case("keys-cut-long-type", raw((ARCH, string("key.of.some.length") + bytes(3))), "gguf-truncated", "a type cut")
    case("keys-cut-length", raw((string("general.architecture") + struct.pack("<i", STR) + string("x" * 40),
                                 bytes(7))), "gguf-truncated", "a length cut")


def architectures():
    for name, text, codes in (("sound", "nomic-bert-moe", ""), ("upper", "LLaMA", "gguf-key-upper-case"),
                              ("empty", "", "gguf-key-charset"), ("dot", "a.b", "gguf-key-charset"),
                              ("space", "a b", "gguf-key-charset"), ("path", "../x", "gguf-key-charset")):
        case(f"architecture-{name}", model(W, kvs=(kv("general.architecture", STR, text),)), codes, "keys begin with it")


SCALARS = ((U8, 255), (I8, -128), (U16, 65535), (I16, -1), (U32, 7), (I32, -7), (F32, 1.5), (BOOL, 1), (STR, "text"),
           (U64, 2**63), (I64, -2**63), (F64, 1e300))


def values():
    case("values-sound", with_kv(*[kv(f"s{k}", k, v) for k, v in SCALARS],
                                 *[kv(f"a{k}", ARR, (k, [v] * 3)) for k, v in SCALARS],
                                 *[kv(f"e{k}", ARR, (k, [])) for k, _ in SCALARS], kv("empty", STR, "")),
         why="upstream KV_SUCCESS: all types, arrays of them, empty ones")
    for name, kind in (("13", 13), ("negative", -1), ("huge", 0x7fffffff)):
        case(f"values-type-{name}", with_kv(string("k") + struct.pack("<i", kind) + bytes(8)), "gguf-value-type",
             "upstream KV_BAD_TYPE")
        case(f"values-array-type-{name}", with_kv(string("k") + struct.pack("<iiQ", ARR, kind, 0)), "gguf-value-type",
             "of an array's elements")
    case("values-array-nested", with_kv(kv("k", ARR, (ARR, [(U32, [1]), (U32, [2])]))), "gguf-array-nested",
         "upstream refuses it too")
    case("values-array-nested-empty", with_kv(kv("k", ARR, (ARR, []))), "gguf-array-nested", "of none")
    for name, kind, n in (("huge", U8, 2**64 - 1), ("past-end", U32, 1000), ("strings-past-end", STR, 100),
                          ("wraps", U64, 2**61), ("strings-wrap", STR, 2**61), ("16777217", U8, 2**24 + 1)):
        case(f"values-array-{name}", with_kv(string("k") + struct.pack("<iiQ", ARR, kind, n) + bytes(64)),
             "gguf-array-length", "more elements than fit, or than allowed")
    for name, n in (("huge", 2**64 - 1), ("2-to-63", 2**63), ("past-end", 1000)):
        case(f"values-string-{name}", with_kv(string("k") + struct.pack("<iQ", STR, n) + bytes(64)),
             "gguf-string-length", "upstream KV_BAD_VALUE_SIZE")
        case(f"values-array-string-{name}", with_kv(string("k") + struct.pack("<iiQQ", ARR, STR, 1, n) + bytes(64)),
             "gguf-string-length", "in an array")
    for name, v in (("2", b"\2"), ("255", b"\xff")):
        case(f"values-bool-{name}", with_kv(kv("k", BOOL, v)), "gguf-bool-invalid", "neither 0 nor 1")
    case("values-bool-array", with_kv(kv("k", ARR, (BOOL, [0, 1, b"\2"]))), "gguf-bool-invalid", "in an array")
    case("values-bool-0", with_kv(kv("k", BOOL, 0), kv("l", ARR, (BOOL, [0, 1]))), why="0 and 1")
    for name, v in (("nan", bits("7fc00000", 32)), ("inf", bits("7f800000", 32)), ("minus-inf", bits("ff800000", 32))):
        case(f"values-f32-{name}", with_kv(kv("k", F32, v)), "gguf-meta-nonfinite", "not finite")
        case(f"values-f32-array-{name}", with_kv(kv("k", ARR, (F32, [1.0, v, 2.0]))), "gguf-meta-nonfinite",
             "in an array")
    case("values-f64-nan", with_kv(kv("k", F64, bits("7ff8000000000000", 64))), "gguf-meta-nonfinite", "not finite")
    case("values-f64-large", with_kv(kv("k", F64, 1e308)), why="large and finite")
    case("values-f32-largest", with_kv(kv("k", F32, bits("7f7fffff", 32))), why="large and finite")


def strings():
    case("strings-sound", with_kv(kv("k", STR, "\u00e9\u4e2d\U0001f600"), kv("l", ARR, (STR, ["", "\u00e9"]))),
         why="UTF-8 of every length")
    for name, v in (("latin-1", b"caf\xe9"), ("overlong", b"\xc0\x80"), ("surrogate", b"\xed\xa0\x80"),
                    ("too-large", b"\xf4\x90\x80\x80"), ("cut", b"a\xe4\xb8"), ("lone", b"\x80")):
        case(f"strings-utf8-{name}", with_kv(kv("k", STR, v)), "gguf-string-utf8", "not UTF-8")
    case("strings-utf8-array", with_kv(kv("k", ARR, (STR, ["a", b"\xff", b"\xff"]))), "gguf-string-utf8", "in an array")
    case("strings-nul", with_kv(kv("k", STR, "a\0b")), "gguf-string-nul", "C readers see it end")
    case("strings-nul-array", with_kv(kv("k", ARR, (STR, ["a\0"]))), "gguf-string-nul", "in an array")
    long = "\u4e2d" * 50000
    case("strings-long", with_kv(kv("k", STR, long)), why="longer than is looked at in one piece")
    case("strings-long-bad", with_kv(kv("k", STR, long.encode()[:-1])), "gguf-string-utf8", "its last character is cut")
    case("strings-long-nul", with_kv(kv("k", STR, long + "\0")), "gguf-string-nul", "at its end")


def alignments():
    def aligned(kind, v, align, tensors=(W, V), **more):
        return model(*tensors, kvs=(ARCH, kv("general.alignment", kind, v)), align=align, **more)
    for a in (8, 16, 32, 64, 4096):
        case(f"align-{a}", aligned(U32, a, a), why="a power of two from 8 on")
    case("align-65536", model(W, kvs=(kv("general.alignment", U32, 65536), ARCH), align=65536, last_pad=False),
         "gguf-final-padding-missing", "the largest")
    for a in (1, 2, 4):
        case(f"align-{a}", aligned(U32, a, a), "gguf-alignment-small", "the reference takes it, the text does not")
    for a in (0, 13, 24, 33, 131072, 2**31, 2**32 - 1):
        case(f"align-{a}", aligned(U32, a, 32), "gguf-alignment-value", "upstream KV_BAD_ALIGN, TENSORS_BAD_ALIGN")
    for name, kind, v in (("i32", I32, 32), ("u64", U64, 32), ("u8", U8, 32), ("string", STR, "32"),
                          ("array", ARR, (U32, [32]))):
        case(f"align-type-{name}", aligned(kind, v, 32), "gguf-alignment-type", "upstream KV_WRONG_TYPE_ALIGN")
    case("align-last", model(W, V, kvs=(ARCH, kv("a", U32, 1), kv("general.alignment", U32, 64)), align=64),
         why="it governs the file wherever it stands")
    case("align-twice", model(W, V, kvs=(ARCH, kv("general.alignment", U32, 32), kv("general.alignment", U32, 64)),
                              align=64), "gguf-key-duplicate", "two of them")
    case("align-inconsistent", raw((ARCH,), (info("a", (1,), 0, 0), info("b", (1,), 0, 4)), floats(1, 2) + bytes(24)),
         "gguf-tensor-offset gguf-tensor-misaligned",
         "upstream TENSORS_INCONSISTENT_ALIGN: packed without padding while the alignment is 32")


def names():
    def named(name, second="b"):
        return model((name, (4,), 0, floats(1, 2, 3, 4)), (second, (4,), 0, floats(1, 2, 3, 4)))
    case("names-63", named("n" * 63), why="as long as may be")
    case("names-64", named("n" * 64), "gguf-tensor-name-length", "upstream TENSORS_BAD_NAME_SIZE")
    case("names-huge", raw((ARCH,), (struct.pack("<Q", 2**64 - 1) + bytes(64),)), "gguf-tensor-name-length", "2^64-1")
    case("names-empty", named(""), "gguf-tensor-name-charset", "no name")
    case("names-nul", named("a\0b", "a"), "gguf-tensor-name-charset", "the same to C readers")
    case("names-control", named("a\x1b[2J"), "gguf-tensor-name-charset", "for terminals")
    case("names-c1", named("a\u009bb"), "gguf-tensor-name-charset", "for terminals")
    case("names-utf8", named("caf\u00e9"), why="UTF-8")
    case("names-latin-1", named(b"caf\xe9"), "gguf-string-utf8", "not UTF-8")
    case("names-duplicate", named("b"), "gguf-tensor-name-duplicate", "upstream TENSORS_DUPLICATE_NAME")
    many = [(f"blk.{i}.w", (1,), 24, b"\0") for i in range(100)]
    case("names-many", model(*many), why="a hundred")
    case("names-many-duplicate", model(*many, ("blk.50.w", (1,), 24, b"\0")), "gguf-tensor-name-duplicate", "one twice")


def shapes():
    one = floats(1)
    for n in range(1, 5):
        case(f"dims-{n}", model(("a", (1,) * n, 0, one)), why="dimensions")
    case("dims-0", model(("a", (), 0, one)), "gguf-tensor-dims", "one element, says the reference")
    case("dims-5", model(("a", (1,) * 5, 0, one)), "gguf-tensor-dims gguf-tensor-dims-limit", "upstream TENSORS_BAD_N_DIMS")
    case("dims-huge", raw((ARCH,), (info("a", (1, 1), 0, 0, n_dims=2**32 - 1),), bytes(32)),
         "gguf-tensor-dims gguf-tensor-dims-limit", "2^32-1")
    for i in range(4):
        ne = [1, 1, 1, 1]
        ne[i] = -1
        case(f"dims-negative-{i}", model(("a", ne, 0, one)), "gguf-tensor-shape-negative", "upstream TENSORS_BAD_SHAPE")
        ne[i] = 0
        case(f"dims-zero-{i}", model(("a", ne, 0, b""), W), "gguf-tensor-empty", "upstream TENSORS_ZERO_DIM accepts it")
    case("dims-zero-last", model(W, ("a", (0,), 0, b"")), "gguf-tensor-empty", "behind another")


def types():
    case("types-sound", model(*[(f"t{k}", (4,), k, bytes(4 * n)) for k, n in
                                ((0, 4), (1, 2), (24, 1), (25, 2), (26, 4), (27, 8), (28, 8), (30, 2))]),
         why="each type of single elements")
    for name, kind in (("43", 43), ("100", 100), ("minus-1", -1), ("2-to-31", 2**31)):
        case(f"types-unknown-{name}", model(("a", (4,), kind, bytes(32)), kvs=(ARCH,)), "gguf-type-unknown",
             "upstream TENSORS_BAD_TYPE")
    case("types-unknown-first", model(("a", (4,), 43, bytes(32)), W, kvs=(ARCH,)), "gguf-type-unknown",
         "what follows cannot be placed")
    for kind in (4, 5, 31, 32, 33, 36, 37, 38):
        case(f"types-removed-{kind}", model(("a", (256,), kind, bytes(256)), kvs=(ARCH,)), "gguf-type-removed", "removed")
    for name in ("q8_1",):
        kind, block, n, *_ = HALF[name]
        case(f"types-runtime-{name}", model(("a", (block,), kind, bytes(n))), "gguf-type-runtime-only", "never in files")
    case("types-runtime-q8_k", model(("a", (256,), 15, bytes(292))), "gguf-type-runtime-only", "never in files")
    case("types-row-33", model(("a", (33,), 2, bytes(18))), "gguf-tensor-row-block", "a block is 32")
    case("types-row-16", model(("a", (16, 2), 2, bytes(18))), "gguf-tensor-row-block", "two rows make a block")
    case("types-row-64", model(("a", (64,), 2, bytes(36))), why="two blocks")
    case("types-row-0", model(("a", (0, 2), 2, b"")), "gguf-tensor-empty", "no row")


def sizes():
    """What the reference gets wrong (formats/gguf, section 6), and its neighbours."""
    def claims(kind, *ne, data=192):
        return raw((ARCH, QUANT), (info("a", ne, kind, 0),), bytes(data))
    over = "gguf-tensor-size-overflow"
    case("sizes-f32-wraps", claims(0, 2**32, 2**32), over, "the reference: 0 bytes, accepted")
    case("sizes-i8-negative", claims(24, 2**63 - 1, 2), over, "the reference: 2^64-2 bytes, loads from 192")
    case("sizes-i8-wraps", claims(24, 2**32, 2**32, 1), over, "the reference: 0 bytes, accepted")
    case("sizes-padding-wraps", claims(0, 4, 2**30 - 1, 2**30 + 1), over, "the reference: padding wraps to 0, loaded")
    case("sizes-q4_0-huge", claims(2, 2**34, 2**30), over, "the reference: aborts on the allocation")
    case("sizes-two-large", claims(0, 4 * (2**31 - 1), 4 * (2**31 - 1)), over, "upstream TENSORS_NE_TOO_BIG")
    case("sizes-i64", claims(27, 1518500250, 1518500250), over, "upstream TENSORS_NBYTES_TOO_BIG")
    case("sizes-behind-zero", claims(0, 0, 2**40, 2**40), "gguf-tensor-empty " + over, "readers that skip the zero see it")
    case("sizes-63-bits", claims(24, 2**63 - 1), over, "padding makes it 2^63")
    case("sizes-sum", raw((ARCH,), (info("a", (0x7fffffffffffffc0,), 24, 0),
                                    info("b", (0x7fffffffffffffc0,), 24, 0x7fffffffffffffc0)), bytes(192)),
         over + " gguf-truncated", "upstream DATA_MEM_SIZE_OVERFLOW")
    case("sizes-large", claims(24, 2**62), "gguf-truncated", "fits 63 bits, and no disk")
    case("sizes-exact", claims(24, 192), why="as large as the file")
    case("sizes-one-more", claims(24, 193), "gguf-truncated", "a byte more than the file")


def layouts():
    case("layout-truncated", SMALL[:-1], "gguf-truncated", "upstream DATA_NOT_ENOUGH_DATA")
    case("layout-no-data", SMALL[:-64], "gguf-truncated", "no data")
    case("layout-table-only", raw((ARCH,), (info("a", (4,), 0, 0),), pad=b""), "gguf-truncated", "ends with the table")
    case("layout-table-cut", raw((ARCH,), (info("a", (4,), 0, 0)[:-1],), pad=b""), "gguf-truncated", "ends in the table")
    case("layout-no-last-padding", model(V, W, last_pad=False), "gguf-final-padding-missing", "llama.cpp loads it")
    case("layout-half-last-padding", model(V, W)[:-1], "gguf-final-padding-missing", "a byte short of the padding")
    case("layout-empty-last", model(V, ("e", (0,), 0, b"")), "gguf-tensor-empty", "nothing behind the last")
    case("layout-trailing", SMALL + b"\0", "gguf-trailing-bytes", "a zero too many")
    case("layout-trailing-zip", SMALL + b"PK\5\6" + bytes(18), "gguf-trailing-bytes polyglot-zip",
         "an empty archive behind it")
    case("layout-trailing-padding", SMALL + bytes(32), "gguf-trailing-bytes", "as much as the alignment")
    table = len(raw((ARCH,), (info("blk.0.weight", (4,), 0, 0), info("blk.1.weight", (4, 2), 0, 32)), pad=b""))
    padded = bytearray(SMALL)
    padded[table] = 1
    case("layout-header-padding", bytes(padded), "gguf-padding-nonzero", "behind the table")
    padded = bytearray(SMALL)
    padded[up(table, 32) + 31] = 0x41
    case("layout-tensor-padding", bytes(padded), "gguf-padding-nonzero", "between two tensors")
    padded = bytearray(model(V, W))
    padded[-1] = 0xff
    case("layout-last-padding", bytes(padded), "gguf-padding-nonzero", "behind the last tensor")
    padded = bytearray(raw(pad=bytes(3)))
    padded[-1] = 1
    case("layout-keys-padding", bytes(padded), "gguf-padding-nonzero", "behind metadata without tensors")
    wv = floats(1, 2, 3, 4) + bytes(16)

    def placed(*offsets, data=wv * 4):
        return raw((ARCH,), [info(f"t{i}", (4,), 0, o) for i, o in enumerate(offsets)], data)
    case("layout-in-order", placed(0, 32, 64, 96), why="each behind the other")
    case("layout-hole", placed(0, 64, 96), "gguf-tensor-offset gguf-tensor-hole", "32 bytes belong to none")
    case("layout-hole-first", placed(32, 64, 96), "gguf-tensor-offset gguf-tensor-hole", "before the first")
    case("layout-reordered", placed(0, 64, 32, 96), "gguf-tensor-offset", "no hole and no overlap")
    case("layout-overlap", placed(0, 32, 32, 64, data=wv * 3), "gguf-tensor-offset gguf-tensor-overlap", "two in one place")
    case("layout-overlap-all", placed(0, 0, 0, data=wv), "gguf-tensor-offset gguf-tensor-overlap", "three in one place")
    case("layout-offset-huge", placed(0, 2**64 - 1, data=wv), "gguf-tensor-offset gguf-tensor-misaligned "
         "gguf-tensor-size-overflow", "upstream TENSORS_BAD_OFFSET")
    case("layout-offset-wraps", placed(2**64 - 16, data=wv), "gguf-tensor-offset gguf-tensor-misaligned "
         "gguf-tensor-size-overflow", "begins before the file when it wraps")
    case("layout-offset-past-end", placed(0, 4096, data=wv), "gguf-tensor-offset gguf-truncated", "behind the file")


def blocks():
    """Section 5: each type with each scale that is not finite, in the second of three blocks, and sound ones."""
    bad = (("inf", "7c00", counts(pos_inf=1)), ("minus-inf", "fc00", counts(neg_inf=1)), ("nan", "7e00", counts(nan=1)),
           ("nan-low", "7c01", counts(nan=1)), ("minus-nan", "ffff", counts(nan=1)))

    def three(kind, block, n, second, sound=b"\xff"):
        """Every other bit is set: none of them can be NaN."""
        return model(("t", (block, 3), kind, sound + second + sound))
    for name, (kind, block, n, *offsets) in HALF.items():
        runtime = "gguf-type-runtime-only " if name == "q8_1" else ""
        sound = bytearray(b"\xff" * n)
        for at in offsets:
            sound[at:at + 2] = bits("7bff")
        case(f"blocks-{name}-sound", three(kind, block, n, bytes(sound), bytes(sound)), runtime,
             "the largest finite scale")
        for at in offsets:
            for what, pattern, c in bad[:3]:
                broken = bytearray(sound)
                broken[at:at + 2] = bits(pattern)
                case(f"blocks-{name}-{at}-{what}", three(kind, block, n, bytes(broken), bytes(sound)),
                     runtime + ("weights-nan" if c["nan"] else "weights-inf"), "a scale", nonfinite={"t": c})
    kind, block, n, at = HALF["q4_0"]
    sound = bits("fbff") + b"\xff" * 16
    for what, pattern, c in bad[3:]:
        case(f"blocks-q4_0-{what}", three(kind, block, n, bits(pattern) + b"\xff" * 16, sound), "weights-nan", "a scale",
             nonfinite={"t": c})
    case("blocks-q4_k-all", model(("t", (256, 5), 12, (bits("7c00") + bits("fe00") + bytes(140)) * 5)),
         "weights-nan weights-inf", "every scale", nonfinite={"t": counts(nan=5, pos_inf=5)})
    case("blocks-q4_k-last", model(("t", (256, 500), 12, bytes(144 * 499) + bits("0000") + bits("7e00") + bytes(140))),
         "weights-nan", "in the last of 500 blocks", nonfinite={"t": counts(nan=1)})
    special_blocks(three)


def special_blocks(three):
    sound = bits("7f7fffff", 32) + b"\xff" * 288
    for what, pattern, c in (("nan", "7fc00000", counts(nan=1)), ("inf", "7f800000", counts(pos_inf=1)),
                             ("minus-inf", "ff800000", counts(neg_inf=1))):
        case(f"blocks-q8_k-{what}", three(15, 256, 292, bits(pattern, 32) + sound[4:], sound),
             "gguf-type-runtime-only " + ("weights-nan" if c["nan"] else "weights-inf"), "a 32-bit scale",
             nonfinite={"t": c})
    case("blocks-q8_k-sound", three(15, 256, 292, sound, sound), "gguf-type-runtime-only", "the largest")

    def iq1_m(half):
        x = int(half, 16)
        words = ((x & 0xf) << 12 | 0xfff, (x & 0xf0) << 8 | 0xfff, (x & 0xf00) << 4 | 0xfff, (x & 0xf000) | 0xfff)
        return b"\xff" * 48 + struct.pack("<4H", *words)
    for what, pattern, c in (("sound", "7bff", None), ("inf", "7c00", counts(pos_inf=1)), ("nan", "7e00", counts(nan=1)),
                             ("minus-inf", "fc00", counts(neg_inf=1))):
        case(f"blocks-iq1_m-{what}", three(29, 256, 56, iq1_m(pattern), iq1_m("fbff")),
             "" if c is None else "weights-nan" if c["nan"] else "weights-inf", "a scale in four nibbles",
             **({"nonfinite": {"t": c}} if c else {}))
    case("blocks-mxfp4-fe", three(39, 32, 17, b"\xfe" + b"\xff" * 16, b"\0" * 17), why="the largest scale")
    case("blocks-mxfp4-ff", three(39, 32, 17, b"\xff" * 17, b"\xfe" + b"\xff" * 16), "weights-nan", "the one NaN",
         nonfinite={"t": counts(nan=1)})
    case("blocks-nvfp4-sound", three(40, 64, 36, b"\x7e\0\1\x7e" + b"\xff" * 32, b"\x7e" * 4 + b"\xff" * 32),
         why="four sound scales")
    for i in range(4):
        for what, byte in (("nan", 0x7f), ("sign", 0x80), ("minus-nan", 0xff)):
            scales = bytearray(b"\x7e" * 4)
            scales[i] = byte
            case(f"blocks-nvfp4-{i}-{what}", three(40, 64, 36, bytes(scales) + b"\xff" * 32, b"\x7e" * 36),
                 "gguf-nvfp4-scale-invalid", "no scale")


def elements():
    f64 = lambda *v: struct.pack(f"<{len(v)}d", *v)
    case("elements-f32", model(("t", (4,), 0, floats(1, 2) + bits("7fc00000", 32) + bits("ff800000", 32))),
         "weights-nan weights-inf", "single elements", nonfinite={"t": counts(nan=1, neg_inf=1)})
    case("elements-f16", model(("t", (3,), 1, bits("7e00") + bits("3c00") + bits("7c00"))), "weights-nan weights-inf",
         "single elements", nonfinite={"t": counts(nan=1, pos_inf=1)})
    case("elements-bf16", model(("t", (3,), 30, bits("7fc0") + bits("3f80") + bits("ff80"))), "weights-nan weights-inf",
         "single elements", nonfinite={"t": counts(nan=1, neg_inf=1)})
    case("elements-f64", model(("t", (2,), 28, bits("7ff8000000000000", 64) + f64(1))), "weights-nan", "single elements",
         nonfinite={"t": counts(nan=1)})
    case("elements-mask", model(("t", (2,), 0, floats(0) + bits("ff800000", 32))), "weights-inf-mask", "zero and one infinity",
         nonfinite={"t": counts(neg_inf=1)})
    case("elements-integers", model(*[(f"t{k}", (4,), k, b"\xff" * n * 4) for k, n in ((24, 1), (25, 2), (26, 4), (27, 8))]),
         why="nothing can be wrong with them")
    case("elements-f64-1e300", model(("t", (3,), 28, f64(1, 1e300, -1e300))), "gguf-f64-exceeds-f32",
         "finite, and infinite as a 32-bit float")
    case("elements-f64-largest", model(("t", (1,), 28, f64(3.4028235677973362e38))), why="rounds down to the largest float")
    case("elements-f64-half-above", model(("t", (1,), 28, f64(3.4028235677973366e38))), "gguf-f64-exceeds-f32",
         "rounds up to infinity")
    case("elements-f64-both", model(("t", (2,), 28, f64(1e300, float("inf")))), "gguf-f64-exceeds-f32 weights-inf",
         "each is counted as what it is", nonfinite={"t": counts(pos_inf=1)})


def required():
    arch = kv("general.type", STR, "imatrix")
    q4 = ("t", (32,), 2, bytes(18))
    need = "gguf-required-key"
    shard = lambda n: (kv("split.no", U16, n), kv("split.count", U16, 2), kv("split.tensors.count", I32, 2))
    case("required-both", model(q4), why="architecture and version")
    case("required-no-architecture", model(W, kvs=()), need, "no architecture")
    case("required-no-version", model(q4, kvs=(ARCH,)), need, "quantised, and no version")
    case("required-no-version-needed", model(W), why="nothing is quantised")
    case("required-imatrix", model(W, kvs=(arch, kv("imatrix.datasets", ARR, (STR, ["x"])), kv("imatrix.chunk_count", U32, 1),
                                           kv("imatrix.chunk_size", U32, 512))), why="no model")
    case("required-model", model(W, kvs=(kv("general.type", STR, "model"),)), need, "a model, it says")
    case("required-shard-0", model(q4, kvs=shard(0)), need, "the first shard carries all keys")
    case("required-shard-no-count", model(W, kvs=(kv("split.no", U16, 1),)), need, "a number alone makes no shard")
    case("required-shard-beyond", model(W, kvs=shard(2)), need, "the third of two")
    case("required-shard-1", model(q4, kvs=shard(1)), why="later ones only their place")
    case("required-shard-whole", model(q4, kvs=(ARCH, QUANT) + shard(0)), why="a first shard")
    case("required-shard-keys-only", raw((ARCH,) + shard(0), pad=bytes(7)), why="a first shard without tensors")


def known():
    wrong = "gguf-key-type"
    case("known-sound", with_kv(kv("general.name", STR, "x"), kv("llama.block_count", U32, 2), kv("llama.context_length", U64, 9),
                                kv("llama.attention.head_count", ARR, (U32, [1, 2])), kv("general.file_type", U32, 1),
                                kv("llama.attention.head_count_kv", ARR, (I32, [1, 2])),
                                kv("llama.feed_forward_length", U32, 0), kv("llama.attention.causal", BOOL, 1),
                                kv("llama.rope.freq_base", F32, 1e4), kv("general.tags", ARR, (STR, ["a", "b"])),
                                kv("adapter.lora.alpha", F32, 16.0), kv("tokenizer.ggml.model", STR, "llama"),
                                kv("controlvector.layer_count", I32, 1)), why="documented types")
    for key, kind, v in (("general.architecture", U32, 1), ("general.name", U32, 1), ("general.file_type", STR, "1"),
                         ("general.quantization_version", I32, 2), ("general.tags", STR, "a"), ("general.type", BOOL, 1),
                         ("general.tags", ARR, (U32, [1])), ("llama.block_count", STR, "2"), ("llama.block_count", F32, 2.0),
                         ("llama.context_length", I32, 9), ("llama.attention.head_count", ARR, (STR, ["1"])),
                         ("llama.rope.freq_base", F64, 1e4), ("llama.attention.layer_norm_epsilon", U32, 1),
                         ("split.no", U32, 0), ("split.count", I32, 1), ("split.tensors.count", U16, 1),
                         ("tokenizer.chat_template", ARR, (STR, ["x"])), ("tokenizer.chat_template.tool", U32, 1),
                         ("tokenizer.ggml.model", U32, 1), ("tokenizer.ggml.add_bos_token", U32, 1),
                         ("tokenizer.ggml.bos_token_id", I32, 1), ("general.url", U32, 1), ("imatrix.chunk_count", STR, ""),
                         ("tokenizer.ggml.suppress_tokens", ARR, (U8, [1])), ("clip.vision.image_mean", ARR, (U8, [1, 1, 1])),
                         ("clip.vision.image_std", F32, 1.0), ("clip.vision.image_grid_pinpoints", ARR, (I16, [336, 672])),
                         ("clip.has_vision_encoder", U32, 1), ("clip.projector_type", U32, 3), ("clip.vision.image_size", STR, "336"),
                         ("clip.vision.patch_size", F32, 14.0), ("clip.use_gelu", F32, 1.0), ("clip.audio.num_mel_bins", I32, 80),
                         ("clip.vision.is_deepstack_layers", ARR, (U8, [1]))):
        base = () if key == "general.architecture" else (ARCH,)
        data = model(W, kvs=base + (kv(key, kind, v),))
        codes = wrong + (" gguf-required-key" if not base else "")
        name = f"known-{key.replace('.', '-')}-{kind}" + (f"-{v[0]}" if kind == ARR else "")
        case(name, data, codes, "another type than documented")
    case("known-encoder", with_kv(kv("clip.vision.image_mean", ARR, (F32, [0.5, 0.5, 0.5])), kv("llama.image_mean", U32, 1),
                                  kv("clip.vision.image_grid_pinpoints", ARR, (I32, [336, 672])),
                                  kv("tokenizer.ggml.suppress_tokens", ARR, (I32, [1]))), why="an encoder's, and another's")
    case("known-encoder-scalars", with_kv(kv("clip.has_vision_encoder", BOOL, 1), kv("clip.projector_type", STR, "mlp"), kv("clip.use_gelu", BOOL, 1),
                                          kv("clip.vision.image_size", U32, 336), kv("clip.audio.num_mel_bins", U32, 80)), why="as gguf-py writes them")
    case("known-unknown", with_kv(kv("some.vendor.key", ARR, (I8, [1])), kv("llama.something_new", I16, 1)),
         why="keys that nobody documented")


def hparams():
    case("hparam-block-count-1", with_kv(kv("llama.block_count", U32, 1)), why="one block")
    case("hparam-block-count-0", with_kv(kv("llama.block_count", U32, 0)), "gguf-hparam-zero", "no block")
    case("hparam-block-count-0-u64", with_kv(kv("x.y.block_count", U64, 0)), "gguf-hparam-zero", "no block")
    case("hparam-block-count-512", with_kv(kv("llama.block_count", U32, 512)), why="as many as there is room for")
    case("hparam-block-count-513", with_kv(kv("llama.block_count", U32, 513)), "gguf-hparam-range", "a block more than there is room for")
    case("hparam-block-count-u64", with_kv(kv("x.y.block_count", U64, 1 << 32)), "gguf-hparam-range", "of 64 bits")
    case("hparam-head-count-0", with_kv(kv("mamba.attention.head_count", U32, 0), kv("mamba.feed_forward_length", U32, 0)),
         why="state-space models have neither")


def vocabulary(tokens=("<unk>", "a", "b", "<0x41>"), scores=(F32, [0.0] * 4), kinds=(I32, [2, 1, 1, 6]), more=(), order=None):
    keys = [kv("tokenizer.ggml.tokens", ARR, (STR, list(tokens))), kv("tokenizer.ggml.scores", ARR, scores),
            kv("tokenizer.ggml.token_type", ARR, kinds)]
    return with_kv(*[keys[i] for i in order or (0, 1, 2)], *more)


def tokenizers():
    bad, form = "gguf-tokenizer-mismatch", "gguf-token-byte-form"
    ident = lambda n, name="bos": kv(f"tokenizer.ggml.{name}_token_id", U32, n)
    case("tokenizer-sound", vocabulary(more=(kv("tokenizer.ggml.merges", ARR, (STR, ["a b"])), ident(0), ident(3, "eos"))),
         why="arrays of one length")
    case("tokenizer-other-order", vocabulary(order=(2, 1, 0), more=(ident(3),)), why="in any order")
    case("tokenizer-id-first", with_kv(ident(1), kv("tokenizer.ggml.tokens", ARR, (STR, ["a", "b"]))), why="before the tokens")
    case("tokenizer-no-tokens", with_kv(ident(99)), why="an id of a vocabulary that is elsewhere")
    case("tokenizer-scores-i8", vocabulary(scores=(I8, [0] * 4)), bad, "of another type: read past its end")
    case("tokenizer-scores-short", vocabulary(scores=(F32, [0.0] * 3)), bad, "fewer scores")
    case("tokenizer-scores-long", vocabulary(scores=(F32, [0.0] * 5)), bad, "more scores")
    case("tokenizer-scores-alone", with_kv(kv("tokenizer.ggml.scores", ARR, (F32, [0.0]))), bad, "scores of no tokens")
    case("tokenizer-scores-nan", vocabulary(scores=(F32, [0.0] * 3 + [bits("7fc00000", 32)])), "gguf-meta-nonfinite",
         "a score that is not a number")
    case("tokenizer-types-short", vocabulary(kinds=(I32, [2, 1, 1])), bad, "fewer types")
    case("tokenizer-types-u32", vocabulary(kinds=(U32, [2, 1, 1, 6])), bad, "of another type")
    case("tokenizer-types-0", vocabulary(kinds=(I32, [0, 1, 1, 6])), bad, "no such type")
    case("tokenizer-types-7", vocabulary(kinds=(I32, [2, 1, 1, 7])), bad, "no such type")
    case("tokenizer-types-negative", vocabulary(kinds=(I32, [2, 1, 1, -1])), bad, "no such type")
    case("tokenizer-tokens-string", with_kv(kv("tokenizer.ggml.tokens", STR, "a")), bad, "no array")
    case("tokenizer-tokens-u8", with_kv(kv("tokenizer.ggml.tokens", ARR, (U8, [1]))), bad, "no strings")
    case("tokenizer-merges-i32", vocabulary(more=(kv("tokenizer.ggml.merges", ARR, (I32, [1])),)), bad, "no strings")
    case("tokenizer-id-4", vocabulary(more=(ident(0), ident(4, "eos"))), bad, "there are four tokens")
    case("tokenizer-id-huge", vocabulary(more=(ident(2**32 - 1, "padding"),)), bad, "minus one")
    case("tokenizer-id-4-first", with_kv(ident(4), kv("tokenizer.ggml.tokens", ARR, (STR, ["a"]))), bad, "before the tokens")
    case("tokenizer-long-token", vocabulary(tokens=("<unk>", "a", "b" * 65535, "<0x41>")), why="as long as may be")
    case("tokenizer-longer-token", vocabulary(tokens=("<unk>", "a", "b" * 65536, "<0x41>")), "gguf-string-length",
         "longer than loaders keep")
    case("tokenizer-raw-bytes", vocabulary(tokens=("<unk>", b"\xff", b"a\xe4", "<0x41>")), "gguf-token-utf8",
         "vocabularies of bytes are")
    case("tokenizer-nul", vocabulary(tokens=("<unk>", "\0", "b", "<0x41>")), "gguf-token-utf8", "a token of NUL")
    for name, token in (("minus", "<0x-1>"), ("one", "<0x1>"), ("three", "<0x123>"), ("plain", "A"), ("letter", "<0x4g>"),
                        ("upper-x", "<0X41>"), ("empty", ""), ("open", "<0x41")):
        case(f"tokenizer-byte-{name}", vocabulary(tokens=("<unk>", "a", "b", token)), form, "a byte token")
    case("tokenizer-byte-lower", vocabulary(tokens=("<unk>", "a", "b", "<0xaf>")), why="lower case")
    case("tokenizer-byte-other-order", vocabulary(tokens=("<unk>", "a", "b", "<0x-1>"), order=(2, 0, 1)), form,
         "types before tokens")
    case("tokenizer-byte-no-type", vocabulary(tokens=("<unk>", "a", "b", "<0x-1>"), kinds=(I32, [2, 1, 1, 1])),
         why="not a byte token")


def controls():
    arch = kv("general.architecture", STR, "controlvector")

    def vector(*names, kvs=(arch, kv("controlvector.model_hint", STR, "llama"), kv("controlvector.layer_count", I32, 2))):
        return model(*[(n, (4,), 0, floats(1, 2, 3, 4)) for n in names], kvs=kvs)
    case("control-sound", vector("direction.1", "direction.65535"), why="the first and the last")
    for name in ("direction.0", "direction.65536", "direction.99999", "direction.-1", "direction.", "direction.1x",
                 "direction.01", "direction.100000", "weight", "direction.1.2", "Direction.1"):
        case(f"control-{name.replace('.', '-')}", vector("direction.1", name), "gguf-control-vector-index", "no layer")
    case("control-no-vector", vector("direction.weight", kvs=(ARCH,)), why="a model may call a tensor so")


def urls():
    for name, key, v, codes in (("https", "general.url", "https://x", ""), ("http", "general.repo_url", "http://x", ""),
                                ("empty", "general.source.url", "", ""), ("name", "general.name", "javascript:x", ""),
                                ("javascript", "general.url", "javascript:x", "gguf-meta-url-scheme"),
                                ("file", "general.license.link", "file:///etc/passwd", "gguf-meta-url-scheme"),
                                ("bare", "general.base_model.0.repo_url", "example.org", "gguf-meta-url-scheme"),
                                ("upper", "general.base_model.0.url", "HTTPS://x", "gguf-meta-url-scheme")):
        case(f"url-{name}", with_kv(kv(key, STR, v)), codes, "links")


def templates():
    chat = lambda text, key="tokenizer.chat_template": with_kv(kv(key, STR, text))
    sound = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] | trim }}\n{% endfor %}"
    case("template-sound", chat(sound), why="a template")
    case("template-named", with_kv(kv("tokenizer.chat_templates", ARR, (STR, ["tool"])),
                                   kv("tokenizer.chat_template.tool", STR, sound), kv("tokenizer.chat_template", STR, "")),
         why="two templates")
    case("template-class", chat("{{ ''.__class__ }}"), "gguf-template-dunder", "CVE-2024-34359")
    case("template-named-class", chat("{{ ''.__class__ }}", "tokenizer.chat_template.rag"), "gguf-template-dunder",
         "under another name")
    case("template-escaped", chat("{{ ''['\\x5f\\x5fclass\\x5f\\x5f'] }}"), "gguf-template-dunder gguf-template-escape",
         "escapes")
    case("template-lipsum", chat("{{ lipsum }}"), "gguf-template-ladder", "a way out")
    for name, text, code in (
            ("attr", "{{ messages | attr('role') }}", "introspection"),
            ("attr-near", "{{ messages | selectattr('role') | list }}", ""),
            ("popen", "{{ popen('id') }}", "code unprovable"),
            ("popen-near", "popen('id') {{ 'popen' }}", ""),
            ("import", "{% import 'other' as o %}", "load"),
            ("import-near", "import 'other' {# import #}", ""),
            ("range", "{% for i in range(1000001) %}x{% endfor %}", "dos"),
            ("range-near", "{% for i in range(1000000) %}x{% endfor %}", ""),
            ("loops", "{% for m in messages %}" * 5 + "x" + "{% endfor %}" * 5, "dos"),
            ("loops-near", "{% for m in messages %}" + "{% for m in m %}" * 3 + "x" + "{% endfor %}" * 4, ""),
            ("tag", "{% debug %}", "unknown-tag"),
            ("tag-open", "{% if messages %}", "unknown-tag"),
            ("tag-near", "{% if messages %}{% endif %}", ""),
            ("bidi", "{{ messages }}\u202etxet", "hidden-text"),
            ("bidi-near", "{{ messages }} \u05e9\u05dc\u05d5\u05dd", "")):
        case(f"template-{name}", chat(text), " ".join("gguf-template-" + w for w in code.split()),
             "a rule of templates")


CORPUS.make(headers, keys, architectures, values, strings, alignments, names, shapes, types, sizes, layouts, blocks,
            elements, required, known, hparams, tokenizers, controls, urls, templates)
