#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small checkpoints that each break one rule of formats/pytorch,
and near misses that break none.  Always the same bytes; nothing here is loaded, and payloads are names only.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict, `weights_only_loadable` is the
fact of that name.
"""
import io
import os
import re
import struct
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import (  # noqa: E402 pylint: disable=wrong-import-position
    FLOATS, MAGIC, SYSTEM, Append, Build, Call, G, Get, Id, Items, New, Put, Raw, archive, checkpoint, dumps, legacy,
    legacy_storage, member, number, ops, ordered, state, storage, tensor, tensor_v3, text, untyped)

# -- cases

ACCEPTED = {"torch-misaligned", "torch-member-deflated", "torch-storage-pickle", "torch-storage-untyped-opaque",
            "torch-opcode-outside-weights-only", "weights-inf-mask", "pickle-opcode-protocol", "zip-crc-absent",
            "pickle-data-only", "pickle-global-allowed"}
REVIEWED = {"weights-nan", "weights-inf", "weights-bool-invalid", "torch-version-missing", "torch-version-duplicate",
            "torch-serialization-id", "torch-format-version", "torch-storage-alignment", "torch-offset-order",
            "torch-padding-bytes", "torch-unknown-member", "torch-storage-class", "torch-storage-orphan",
            "torch-tensor-expanded", "torch-location", "torch-metadata", "torch-subclass", "pickle-global-unknown",
            "torch-byteorder-big", "torch-legacy-module", "torch-script-code"}
LOADABLE = "torch-opcode-outside-weights-only"


IMPORTS = re.compile(rb"c(collections\nOrderedDict|torch[.\w]*\n\w+)\n")
CORPUS = Cases(".pt", ACCEPTED, REVIEWED)


def case(name, data, codes, why, expect=None, loadable=None, imports=None, **more):
    if "pickle-global-dangerous" in codes.split() and "torch-storage-class" not in codes.split():
        codes += " pickle-call-dangerous"
    if IMPORTS.search(data) if imports is None else imports:
        codes += " pickle-global-allowed"
    if loadable is not None:
        more["weights_only_loadable"] = loadable
    CORPUS.case(name, data, codes, why, expect, **more)


def containers():
    good = state(w=tensor())
    case("zip-state-dict", checkpoint(good), "", "as torch.save writes it", loadable=True)
    case("zip-empty-dict", checkpoint({}, {}), "", "no tensor", loadable=True)
    case("zip-preview-format", b"PYTORCH1" + bytes(56), "torch-preview-format", "a format of no released version")
    case("zip-no-data-pkl", archive([("archive/version", b"3\n"), ("archive/data/0", FLOATS)]),
         "torch-no-datapkl torch-storage-orphan", "storages without a pickle")
    case("zip-no-root", archive([("data.pkl", dumps({})), ("version", b"3\n")]),
         "torch-no-root torch-no-datapkl torch-version-missing pickle-data-only torch-hidden-pickle torch-unknown-member",
         "no folder around the members")
    case("zip-two-roots", checkpoint(good, extra=[("other/data.pkl", dumps({}))]),
         "torch-multiple-roots torch-hidden-pickle pickle-data-only", "a second folder with a pickle of its own")
    case("zip-two-roots-first-is-read", checkpoint(good, extra=[("other/data.pkl", dumps(Call(G("os", "system"), "x")))]),
         "torch-multiple-roots torch-hidden-pickle pickle-global-dangerous", "the second pickle acts")
    case("zip-case-shadow", checkpoint(good, extra=[("archive/DATA.PKL", dumps({}))]),
         "zip-name-case-collision torch-hidden-pickle pickle-data-only", "readers that ignore case find either")
    case("zip-second-pickle-in-data-pkl", checkpoint(dumps(good) + dumps({})), "torch-trailing-bytes",
         "the loader stops at the first")
    case("zip-storages-from-python", repacked(good), "torch-misaligned", "packed again with another program")
    case("zip-deflated", repacked(good, deflate=True), "torch-member-deflated",
         "packed again and compressed", imports=True)
    case("zip-bad-crc", checkpoint(good, extra=[("archive/.format_version", b"1", {"crc": 1})]), "zip-crc",
         "a wrong checksum stops other readers")
    case("zip-crc-absent", checkpoint(good, crc=0), "zip-crc-absent", "torch.save can leave checksums out")
    case("zip-cut", checkpoint(good)[:-30], "zip-eocd-missing", "the transfer was cut",
         imports=False)
    case("zip-odd-padding", checkpoint(good, padding=b"hide"), "torch-padding-bytes zip-extra-content",
         "data in the padding")
    case("zip-after-pickle", dumps({}) + checkpoint(good), "pickle-data-only pickle-trailing-bytes polyglot-zip",
         "a pickle in front: the loader reads that", imports=False)


def repacked(value, deflate=False):
    import zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED) as z:
        for name, data in (("data.pkl", dumps(value)), ("data/0", FLOATS), ("version", b"3\n")):
            z.writestr(zipfile.ZipInfo("archive/" + name), data,
                       zipfile.ZIP_DEFLATED if deflate else zipfile.ZIP_STORED)
    return out.getvalue()


def records():
    good = state(w=tensor())
    for version, codes in ((b"1\n", ""), (b"10\n", ""), (b"11\n", "torch-version-invalid"), (b"3", ""),
                           (b"0\n", "torch-version-invalid"), (b"x\n", "torch-version-invalid"),
                           (b"99999999999999999999\n", "torch-version-invalid")):
        name = version.decode().strip() + ("" if version.endswith(b"\n") else "-without-newline")
        case(f"record-version-{name}", checkpoint(good, version=version), codes, "versions 1 to 10")
    case("record-version-missing", checkpoint(good, version=None), "torch-version-missing", "no version")
    case("record-version-inner", checkpoint(good, version=None, extra=[("archive/.data/version", b"3\n")]), "",
         "the version in its other place")
    case("record-version-twice", checkpoint(good, extra=[("archive/.data/version", b"3\n")]),
         "torch-version-duplicate", "the version in both places")
    for order, codes in ((b"little", ""), (b"middle", "torch-byteorder-invalid"), (b"little\n", "torch-byteorder-invalid")):
        name = order.decode().strip() + ("-newline" if order.endswith(b"\n") else "")
        case(f"record-byteorder-{name}", checkpoint(good, byteorder=order), codes, "little or big, nothing else")
    case("record-byteorder-big", checkpoint(good, {"0": struct.pack(">4f", 1, float("nan"), 3, 4)}, byteorder=b"big"),
         "weights-nan torch-byteorder-big", "most significant byte first", nonfinite={"w": counts(1)})
    case("record-byteorder-big-clean", checkpoint(good, {"0": struct.pack(">4f", 1, 2, 3, 4)}, byteorder=b"big"),
         "torch-byteorder-big", "nothing wrong, but to releases that do not look at the record")
    case("record-byteorder-none", checkpoint(good, byteorder=None), "", "old writers do not say")
    fresh = [("archive/.format_version", b"1"), ("archive/.storage_alignment", b"64")]
    case("record-format-version", checkpoint(good, before=fresh), "", "as 2.6 and later write")
    case("record-format-version-2", checkpoint(good, before=[("archive/.format_version", b"2")]), "torch-format-version",
         "a version nobody knows")
    for n, codes in ((b"1", ""), (b"65536", ""), (b"0", "torch-storage-alignment"), (b"48", "torch-storage-alignment"),
                     (b"131072", "torch-storage-alignment")):
        case(f"record-alignment-{n.decode()}",
             checkpoint(good, before=[("archive/.storage_alignment", n)], align=min(max(int(n), 1), 65536)
                        if not codes else 64), codes, "a power of two up to 65536")
    case("record-serialization-id", checkpoint(good, extra=[("archive/.data/version", b"x" * 40)]),
         "torch-version-duplicate torch-version-invalid", "letters where a version belongs")
    case("record-serialization-id-short", serialization_id(b"123"), "torch-serialization-id", "three digits")
    case("record-serialization-id-text", serialization_id(b"#!/bin/sh" + b"x" * 31), "torch-serialization-id", "no digits")
    two = state(a=tensor(), b=tensor(storage(key="1")))
    storages = {"0": FLOATS, "1": FLOATS}
    case("record-order-of-storages", checkpoint(two, storages, before=fresh), "", "in the order of the pickle")
    case("record-order-turned", checkpoint(two, dict(reversed(storages.items())), before=fresh), "torch-offset-order",
         "the other way round: computed offsets are wrong")
    case("record-order-turned-old", checkpoint(two, dict(reversed(storages.items()))), "",
         "without .format_version nobody computes offsets")


def serialization_id(text_):
    return archive([("archive/data.pkl", dumps({})), ("archive/version", b"3\n"),
                    ("archive/.data/serialization_id", text_)])


def members():
    good = state(w=tensor())
    case("member-code", checkpoint(good, extra=[("archive/code/__torch__.py", b"def f(x):\n  return x\n")]),
         "torch-script-code " + LOADABLE, "TorchScript's source", loadable=False)
    case("member-code-file-operator",
         checkpoint(good, extra=[("archive/code/__torch__.py", b"  x = torch.from_file(\"/etc/passwd\", size=9)\n")]),
         "torch-script-code torch-script-operator " + LOADABLE, "source that opens a file")
    case("member-constants", checkpoint(good, extra=[("archive/constants.pkl", dumps(()))]),
         "torch-script-code " + LOADABLE, "TorchScript's constants")
    module = dumps(Build(New(G("__torch__", "Net")), {"w": tensor()}))
    case("member-script-class", checkpoint(module, extra=[("archive/code/__torch__.py", b"class Net(Module):\n")]),
         "torch-script-code " + LOADABLE, "a class of the archive's own source")
    case("member-script-class-alone", checkpoint(module), "pickle-global-dangerous " + LOADABLE,
         "the same without the source: Python would import it")
    case("member-library", checkpoint(good, extra=[("archive/data/aotinductor/model.so", b"\x7fELF" + bytes(60))]),
         "torch-native-code " + LOADABLE, "an exported program's library")
    case("member-package", checkpoint(good, extra=[("archive/.data/extern_modules", b"numpy\n")]),
         "torch-package " + LOADABLE, "torch.package")
    case("member-text", checkpoint(good, extra=[("archive/hubconf.py", b"import os\n")]), "torch-unknown-member",
         "Python source beside the weights")
    case("member-unknown", checkpoint(good, extra=[("archive/notes", bytes(64))]), "torch-unknown-member", "anything else")
    case("member-hidden-pickle", checkpoint(good, extra=[("archive/notes", dumps(Call(G("os", "system"), "x")))]),
         "torch-hidden-pickle pickle-global-dangerous", "a pickle under another name")
    case("member-hidden-data", checkpoint(good, extra=[("archive/notes", dumps({"a": [1, 2, 3, "some text"]}))]),
         "torch-hidden-pickle pickle-data-only", "a harmless pickle under another name")
    act = dumps(Call(G("collections", "OrderedDict")))
    case("member-storage-pickle", checkpoint(state(w=tensor(storage("ByteStorage", numel=len(act)), size=(len(act),))),
                                             {"0": act}), "torch-storage-pickle", "bytes that are a pickle")
    act = dumps(Call(G("os", "system"), "x"))
    case("member-storage-pickle-acts", checkpoint(state(w=tensor(storage("ByteStorage", numel=len(act)),
                                                                 size=(len(act),))), {"0": act}),
         "torch-storage-pickle pickle-global-dangerous", "bytes that are a pickle with a payload")


def ids():
    case("id-key-traversal", checkpoint(state(w=tensor(storage(key="../0")))), "torch-storage-key torch-storage-orphan "
         + LOADABLE, "a path as key", loadable=False)
    case("id-key-zeros", checkpoint(state(w=tensor(storage(key="00"))), {"00": FLOATS}),
         "torch-storage-key torch-unknown-member " + LOADABLE, "not canonical")
    case("id-key-huge", checkpoint(state(w=tensor(storage(key="18446744073709551616"))), {"18446744073709551616": FLOATS}),
         "", "2^64 is a name like any other")
    case("id-key-int", checkpoint(state(w=tensor(storage(key=0)))), "torch-storage-key torch-storage-orphan " + LOADABLE,
         "a number as key")
    case("id-missing", checkpoint(state(w=tensor(storage(key="1")))), "torch-storage-missing torch-storage-orphan",
         "no member of that name, and a member nobody names")
    case("id-orphan", checkpoint(state(w=tensor()), {"0": FLOATS, "1": FLOATS}), "torch-storage-orphan",
         "a member nobody names")
    for numel, codes in ((5, "torch-storage-size"), (3, "torch-storage-size torch-tensor-bounds"),
                         (2**61 - 1, "torch-storage-size"), (2**61, "torch-storage-numel torch-storage-size"),
                         (2**62, "torch-storage-numel"),
                         (-4, "torch-storage-numel torch-storage-orphan " + LOADABLE),
                         (2**64, "torch-storage-numel torch-storage-orphan " + LOADABLE),
                         (True, "torch-storage-numel torch-storage-orphan " + LOADABLE)):
        case(f"id-numel-{numel}", checkpoint(state(w=tensor(storage(numel=numel)))), codes,
             "declared length against the record's")
    case("id-two-classes", checkpoint(state(a=tensor(), b=tensor(storage("IntStorage")))), "torch-storage-conflict",
         "one key, two classes")
    case("id-two-lengths", checkpoint(state(a=tensor(), b=tensor(storage(numel=2), size=(2,)))), "torch-storage-conflict",
         "one key, two lengths")
    case("id-two-places", checkpoint(state(a=tensor(), b=tensor(storage(location="cuda:0")))), "torch-storage-conflict",
         "one key, two locations")
    case("id-twice", checkpoint(state(a=tensor(), b=tensor())), "", "one key, used twice", loadable=True)
    case("id-unknown-class", checkpoint(state(w=tensor(storage("FakeStorage", module="mylib")))),
         "torch-storage-class pickle-global-unknown " + LOADABLE, "a storage class of somebody's own")
    case("id-dangerous-class", checkpoint(state(w=tensor(storage("system", module="os")))),
         "torch-storage-class pickle-global-dangerous " + LOADABLE, "a function for a class")
    case("id-number", checkpoint({"w": Id(7)}, {}), "torch-persid-invalid " + LOADABLE, "a number for an id")
    case("id-module", checkpoint({"w": Id(("module", G("torch.nn.modules.linear", "Linear"), "a", "b"))}, {}),
         "torch-persid-invalid pickle-global-unknown " + LOADABLE, "modules are for legacy files", imports=False)
    case("id-short", checkpoint({"w": Id(("storage", G("torch", "FloatStorage"), "0", "cpu"))}),
         "torch-persid-invalid torch-storage-orphan " + LOADABLE, "four fields")
    for where, codes in (("cuda:0", ""), ("mps", ""), ("meta", "torch-location"), ("cuda:x", "torch-location"), ("disk", "torch-location"),
                         ("cpu/../x", "torch-location")):
        case(f"id-location-{where.replace('/', '_').replace(':', '-')}",
             checkpoint(state(w=tensor(storage(location=where)))), codes, "where a storage was")


def geometry():
    case("tensor-view", checkpoint(state(a=tensor(), b=tensor(offset=2, size=(2,)))), "", "two views")
    case("tensor-transposed", checkpoint(state(a=tensor(size=(2, 2), stride=(1, 2)))), "", "strides")
    case("tensor-scalar", checkpoint(state(a=tensor(offset=3, size=(), stride=()))), "", "no dimensions")
    case("tensor-scalar-behind", checkpoint(state(a=tensor(offset=4, size=(), stride=()))), "torch-tensor-bounds",
         "one behind the end")
    case("tensor-empty-behind", checkpoint(state(a=tensor(offset=9, size=(0,)))), "", "no elements, wherever")
    case("tensor-offset", checkpoint(state(a=tensor(offset=1))), "torch-tensor-bounds", "one too far")
    case("tensor-size", checkpoint(state(a=tensor(size=(5,)))), "torch-tensor-bounds", "one too many")
    case("tensor-stride", checkpoint(state(a=tensor(size=(2, 2), stride=(3, 1)))), "torch-tensor-bounds", "strides too wide")
    case("tensor-wraps", checkpoint(state(a=tensor(size=(2**40, 2**40)))), "torch-tensor-geometry", "strides missing")
    case("tensor-elements-wrap", checkpoint(state(a=tensor(size=(2**40, 2**40), stride=(0, 0)))), "torch-tensor-geometry",
         "more elements than 63 bits count")
    case("tensor-stride-wraps", checkpoint(state(a=tensor(size=(2, 2), stride=(2**62, 2**63 - 1)))), "torch-tensor-bounds",
         "strides that wrap")
    case("tensor-negative-size", checkpoint(state(a=tensor(size=(-1,)))), "torch-tensor-geometry", "a negative size")
    case("tensor-negative-stride", checkpoint(state(a=tensor(stride=(-1,)))), "torch-tensor-geometry", "a negative stride")
    case("tensor-negative-offset", checkpoint(state(a=tensor(offset=-1))), "torch-tensor-geometry", "a negative offset")
    case("tensor-ranks-differ", checkpoint(state(a=tensor(size=(2, 2)))), "torch-tensor-geometry", "one stride, two sizes")
    case("tensor-64-dimensions", checkpoint(state(a=tensor(size=(1,) * 64, stride=(1,) * 64))), "", "the most there may be")
    case("tensor-65-dimensions", checkpoint(state(a=tensor(size=(1,) * 65, stride=(1,) * 65))), "torch-tensor-geometry",
         "one dimension too many")
    case("tensor-expanded", checkpoint(state(a=tensor(size=(2**40, 1), stride=(0, 1)))), "", "2^40 elements of one")
    case("tensor-expanded-more", checkpoint(state(a=tensor(size=(2**40, 2), stride=(0, 0)))), "torch-tensor-expanded",
         "2^41 elements of one")
    case("tensor-no-storage", checkpoint(state(a=Call(G("torch._utils", "_rebuild_tensor_v2"), 1, 0, (1,), (1,), False,
                                                      ordered())), {}), "torch-tensor-geometry", "a number for a storage",
         expect="reject")
    case("tensor-first-version", checkpoint(state(a=Call(G("torch._utils", "_rebuild_tensor"), storage(), 0, (4,), (1,)))),
         "", "the first rebuild function")
    for what, end, codes in (("", 4, ""), ("-bounds", 5, "torch-tensor-bounds")):
        case(f"tensor-from-state{what}", checkpoint(state(a=Build(Call(G("torch", "Tensor")), (storage(), 0, (end,), (1,))))),
             codes, "a bare tensor and its state: before 0.4")
    hooked = Items(ordered(), (1, G("torch", "Size")))
    case("tensor-hooks", checkpoint(state(a=tensor(hooks=hooked))), "torch-hooks", "hooks", expect="reject")
    later = (Put(9, ordered()), tensor(hooks=Get(9)), Items(Get(9), (1, 2)))
    case("tensor-hooks-later", checkpoint(later), "torch-hooks",
         "hooks that come after the tensor", expect="reject")
    case("tensor-hooks-none", checkpoint(state(a=tensor(hooks=Raw(b"N")))), "", "no dictionary: 0.4 wrote that")
    case("tensor-hooks-text", checkpoint(state(a=tensor(hooks="x"))), "torch-hooks", "a text", expect="reject")
    case("tensor-metadata", checkpoint(state(a=tensor(metadata={"conj": False, "neg": True}))), "", "the two bits")
    case("tensor-metadata-other", checkpoint(state(a=tensor(metadata={"x": True}))), "torch-metadata", "another key")
    case("tensor-metadata-text", checkpoint(state(a=tensor(metadata={"conj": "x"}))), "torch-metadata", "a text for a bit")
    case("tensor-parameter", checkpoint(state(a=Call(G("torch._utils", "_rebuild_parameter"), tensor(), True, ordered()))),
         "", "a parameter", loadable=True)
    with_state = Call(G("torch._utils", "_rebuild_parameter_with_state"), tensor(), True, ordered(), {"x": 1})
    case("tensor-parameter-with-state", checkpoint(state(a=with_state)), "", "a parameter with attributes", loadable=True)
    case("tensor-meta", checkpoint(state(a=Call(G("torch._utils", "_rebuild_meta_tensor_no_storage"), G("torch", "float32"),
                                                (2, 3), (3, 1), False)), {}), "", "a shape without a storage")
    case("tensor-meta-ranks", checkpoint(state(a=Call(G("torch._utils", "_rebuild_meta_tensor_no_storage"),
                                                      G("torch", "float32"), (2, 3), (3,), False)), {}),
         "torch-tensor-geometry", "a shape that is none")
    rebuild, args = G("torch._utils", "_rebuild_tensor_v2"), (storage(), 0, (4,), (1,), False, ordered())
    case("tensor-from-type", checkpoint(state(a=Call(G("torch._tensor", "_rebuild_from_type_v2"), rebuild,
                                                     G("torch.nn.parameter", "Parameter"), args, {}))), "",
         "a class that PyTorch has")
    dunder = "pickle-build-dunder torch-state-attribute"
    case("tensor-from-type-dunder", checkpoint(state(a=Call(G("torch._tensor", "_rebuild_from_type_v2"), rebuild,
                                                            G("torch.nn.parameter", "Parameter"), args, {"__class__": 1}))),
         dunder, "the state is set on the tensor, attribute by attribute", expect="reject")
    case("tensor-from-type-slots", checkpoint(state(a=Call(G("torch._tensor", "_rebuild_from_type_v2"), rebuild,
                                                           G("torch.nn.parameter", "Parameter"), args,
                                                           (None, {"__class__": 1})))),
         dunder, "the same, for slots", expect="reject")
    case("tensor-from-type-made", checkpoint(state(a=Call(G("torch._tensor", "_rebuild_from_type_v2"), rebuild,
                                                          G("torch.nn.parameter", "Parameter"), args, ordered()))),
         "pickle-arguments torch-call-unknown", "a state that a call made", expect="review")
    case("tensor-parameter-with-dunder", checkpoint(state(a=Call(G("torch._utils", "_rebuild_parameter_with_state"),
                                                                 tensor(), True, ordered(), {"__class__": 1}))),
         dunder, "a parameter with another class", expect="reject")
    case("tensor-subclass", checkpoint(state(a=Call(G("torch._tensor", "_rebuild_from_type_v2"), rebuild,
                                                    G("mylib", "Tensor"), args, {}))),
         "torch-subclass pickle-global-unknown " + LOADABLE, "a class of somebody's own")


DTYPES = {  # storage class: bytes of 1.0, NaN and infinity
    "DoubleStorage": ("<d", 8), "FloatStorage": ("<f", 4), "HalfStorage": ("<e", 2),
}


def weights():
    nan, inf = float("nan"), float("inf")
    for cls, (form, width) in DTYPES.items():
        raw = b"".join(struct.pack(form, v) for v in (1.0, nan, inf, -inf))
        case(f"weights-{cls}", checkpoint(state(w=tensor(storage(cls))), {"0": raw}), "weights-nan weights-inf", cls,
             nonfinite={"w": counts(1, 1, 1)})
        raw = b"".join(struct.pack(form, v) for v in (1.0, 0.0, -2.0, 4.0))
        case(f"weights-{cls}-finite", checkpoint(state(w=tensor(storage(cls))), {"0": raw}), "", cls)
    raw = struct.pack("<4H", 0x3F80, 0x7F80, 0xFF80, 0x4000)
    case("weights-BFloat16Storage", checkpoint(state(w=tensor(storage("BFloat16Storage"))), {"0": raw}), "weights-inf",
         "infinities in bfloat16", nonfinite={"w": counts(0, 1, 1)})
    raw = struct.pack("<4f", 1, nan, -inf, 2)
    case("weights-ComplexFloatStorage", checkpoint(state(w=tensor(storage("ComplexFloatStorage", numel=2), size=(2,))),
                                                   {"0": raw}), "weights-nan weights-inf", "both halves",
         nonfinite={"w": counts(1, 0, 1)})
    raw = struct.pack("<4d", 1, nan, -inf, 2)
    case("weights-ComplexDoubleStorage", checkpoint(state(w=tensor(storage("ComplexDoubleStorage", numel=2), size=(2,))),
                                                    {"0": raw}), "weights-nan weights-inf", "both halves",
         nonfinite={"w": counts(1, 0, 1)})
    case("weights-BoolStorage", checkpoint(state(w=tensor(storage("BoolStorage"))), {"0": b"\0\1\0\1"}), "", "booleans")
    case("weights-BoolStorage-7", checkpoint(state(w=tensor(storage("BoolStorage"))), {"0": b"\0\1\7\1"}),
         "weights-bool-invalid", "a boolean that is 7", bool_invalid={"w": 1})
    for cls, width in (("LongStorage", 8), ("IntStorage", 4), ("ShortStorage", 2), ("CharStorage", 1), ("ByteStorage", 1),
                       ("QInt32Storage", 4)):
        case(f"weights-{cls}", checkpoint(state(w=tensor(storage(cls))), {"0": b"\xff" * 4 * width}), "",
             f"{cls} has no NaN")
    for dtype, width, raw, codes, row in (
            ("float8_e5m2", 1, b"\x3c\x7c\x7d\xfc", "weights-nan weights-inf", counts(1, 1, 1)),
            ("float8_e4m3fn", 1, b"\x38\x7f\xff\x7e", "weights-nan", counts(2)),
            ("float8_e5m2fnuz", 1, b"\x80\x7f\xff\x00", "weights-nan", counts(1)),
            ("float8_e4m3fnuz", 1, b"\x80\x7f\xff\x80", "weights-nan", counts(2)),
            ("float8_e8m0fnu", 1, b"\xff\x7f\x00\x01", "weights-nan", counts(1)),
            ("complex32", 4, struct.pack("<8e", 1, nan, inf, 0, 0, 0, 0, 0), "weights-nan weights-inf", counts(1, 1)),
            ("uint16", 2, b"\xff" * 8, "", None), ("uint32", 4, b"\xff" * 16, "", None),
            ("uint64", 8, b"\xff" * 32, "", None), ("bits8", 1, b"\xff" * 4, "", None),
            ("float4_e2m1fn_x2", 1, b"\xff" * 4, "", None)):
        case(f"weights-{dtype}", checkpoint(state(w=tensor_v3(untyped(4 * width), dtype)), {"0": raw}), codes,
             f"{dtype} over an untyped storage", nonfinite={"w": row} if row else {})
    case("weights-untyped-bounds", checkpoint(state(w=tensor_v3(untyped(8), "uint32", size=(3,))), {"0": bytes(8)}),
         "torch-tensor-bounds", "lengths of untyped storages are bytes")
    case("weights-untyped-opaque", checkpoint({"s": untyped(4)}, {"0": b"\xff" * 4}), "torch-storage-untyped-opaque",
         "bytes that no tensor looks at")
    case("weights-between-views", checkpoint(state(a=tensor(size=(1,)), b=tensor(offset=2, size=(1,))),
                                             {"0": struct.pack("<4f", 1, nan, 2, 3)}), "weights-nan",
         "whole storages are looked at", nonfinite={"a": counts(1)})
    deep = {"model": {"layer": state(w=tensor())}, "steps": [1, 2]}
    case("weights-names", checkpoint(deep, {"0": struct.pack("<4f", 1, nan, 2, 3)}), "weights-nan",
         "the path of keys names it", nonfinite={"model.layer.w": counts(1)})
    case("weights-no-name", checkpoint(tensor(), {"0": struct.pack("<4f", 1, nan, 2, 3)}), "weights-nan",
         "a tensor alone goes by its storage", nonfinite={"archive/data/0": counts(1)})


def sparse():
    def coo(indices, size=(2, 3), values=2, index_class="LongStorage", rows=2):
        width = 8 if index_class == "LongStorage" else 4
        layout = Call(G("torch.serialization", "_get_layout"), "torch.sparse_coo")
        n = len(indices) // rows
        at = tensor(storage(index_class, "0", len(indices)), size=(rows, n), stride=(max(n, 1), 1))
        of = tensor(storage("FloatStorage", "1", values), size=(values,))
        made = Call(G("torch._utils", "_rebuild_sparse_tensor"), layout, (at, of, Call(G("torch", "Size"), size)))
        return checkpoint(state(w=made), {"0": b"".join(i.to_bytes(width, "little", signed=True) for i in indices),
                                          "1": bytes(4 * values)})

    case("sparse-coo", coo([0, 1, 2, 0]), "", "indices within the size")
    case("sparse-coo-none", coo([], values=0), "", "no entry: torch counts an empty dimension's strides as if it had one")
    case("sparse-coo-none-values", coo([]), "torch-sparse-invalid", "no index, and two values")
    case("sparse-coo-row", coo([0, 2, 2, 0]), "torch-sparse-invalid", "a row behind the last")
    case("sparse-coo-column", coo([0, 1, 3, 0]), "torch-sparse-invalid", "a column behind the last")
    case("sparse-coo-negative", coo([0, 1, -1, 0]), "torch-sparse-invalid", "a negative index")
    case("sparse-coo-floats", coo([0, 1, 2, 0], index_class="FloatStorage"), "torch-sparse-invalid", "indices no integers")
    case("sparse-coo-values", coo([0, 1, 2, 0], values=3), "torch-sparse-invalid", "more values than indices")
    case("sparse-coo-rank", coo([0, 1, 2, 0], size=(2,)), "torch-sparse-invalid", "more index rows than dimensions")

    def csr(rows, columns, size=(2, 3), layout="sparse_csr"):
        layout = Call(G("torch.serialization", "_get_layout"), "torch." + layout)
        parts = [tensor(storage("LongStorage", "0", len(rows)), size=(len(rows),)),
                 tensor(storage("LongStorage", "1", len(columns)), size=(len(columns),)),
                 tensor(storage("FloatStorage", "2", len(columns)), size=(len(columns),))]
        made = Call(G("torch._utils", "_rebuild_sparse_csr_tensor"), layout, (*parts, Call(G("torch", "Size"), size)))
        packed = [b"".join(i.to_bytes(8, "little", signed=True) for i in r) for r in (rows, columns)]
        return checkpoint(state(w=made), {"0": packed[0], "1": packed[1], "2": bytes(4 * len(columns))})

    case("sparse-csr", csr([0, 1, 2], [2, 0]), "", "compressed rows")
    case("sparse-csc", csr([0, 1, 2, 2], [1, 0], layout="sparse_csc"), "", "compressed columns")
    case("sparse-csr-falls", csr([0, 3, 2], [2, 0]), "torch-sparse-invalid", "ends that fall")
    case("sparse-csr-total", csr([0, 1, 3], [2, 0]), "torch-sparse-invalid", "more entries than there are")
    case("sparse-csr-start", csr([1, 1, 2], [2, 0]), "torch-sparse-invalid", "does not begin with 0")
    case("sparse-csr-column", csr([0, 1, 2], [3, 0]), "torch-sparse-invalid", "a column behind the last")
    case("sparse-csr-rows", csr([0, 1, 1, 2], [2, 0]), "torch-sparse-invalid", "more rows than the size has")
    case("sparse-unknown-layout", csr([0, 1, 2], [2, 0], layout="sparse_xyz"), "torch-sparse-invalid", "no such layout")


def quantised():
    def q(*params, cls="QUInt8Storage", width=1):
        made = Call(G("torch._utils", "_rebuild_qtensor"), storage(cls), 0, (4,), (1,), params, False, ordered())
        return checkpoint(state(w=made), {"0": bytes(4 * width)})

    affine = G("torch", "per_tensor_affine")
    case("quant-affine", q(affine, 0.5, 255), "", "one scale", loadable=True)
    case("quant-scale-zero", q(affine, 0.0, 3), "torch-quant-params", "scale 0")
    case("quant-scale-negative", q(affine, -0.5, 3), "torch-quant-params", "a negative scale")
    case("quant-scale-inf", q(affine, float("inf"), 3), "torch-quant-params pickle-float-nonfinite", "an infinite scale")
    case("quant-scale-nan", q(affine, float("nan"), 3), "torch-quant-params pickle-float-nonfinite", "no number")
    case("quant-scale-integer", q(affine, 1, 3), "torch-quant-params", "an integer")
    case("quant-zero-point-256", q(affine, 0.5, 256), "torch-quant-params", "above an unsigned byte")
    case("quant-zero-point-signed", q(affine, 0.5, -128, cls="QInt8Storage"), "", "the least signed byte")
    case("quant-zero-point-129", q(affine, 0.5, -129, cls="QInt8Storage"), "torch-quant-params", "below a signed byte")

    def packed(elements, cls="QUInt4x2Storage"):
        made = Call(G("torch._utils", "_rebuild_qtensor"), storage(cls), 0, (elements,), (1,), (affine, 0.5, 3), False,
                    ordered())
        return checkpoint(state(w=made), {"0": bytes(4)})

    case("quant-packed-halves", packed(8), "", "two elements in a byte")
    case("quant-packed-halves-over", packed(9), "torch-tensor-bounds", "nine elements in four bytes of two")
    case("quant-packed-quarters", packed(16, "QUInt2x4Storage"), "", "four elements in a byte")
    case("quant-packed-quarters-over", packed(17, "QUInt2x4Storage"), "torch-tensor-bounds", "one element too many")
    case("quant-unknown-scheme", q(G("torch", "float32"), 0.5, 3), "torch-quant-params", "no scheme")


def uses():
    good = state(w=tensor())
    case("use-protocol-4", checkpoint(dumps(good, 4)), "", "PROTO alone changes nothing", loadable=True)
    frame = ops(good) + b"."
    case("use-frames", checkpoint(b"\x80\x04\x95" + struct.pack("<Q", len(frame)) + frame), LOADABLE,
         "honest, but the restricted loader knows no frames", loadable=False)
    case("use-dangerous", checkpoint(Call(G("os", "system"), "x"), {}), "pickle-global-dangerous " + LOADABLE,
         "code", loadable=False)
    case("use-setitem-on-tensor", checkpoint(Items(tensor(), ("a", 1))), "pickle-method-on-object " + LOADABLE,
         "SETITEM on a tensor", expect="reject", loadable=False)
    case("use-append-on-tensor", checkpoint(Append(tensor(), 1)), "pickle-method-on-object " + LOADABLE,
         "APPEND on a tensor", expect="reject", loadable=False)
    case("use-new-unknown", checkpoint(New(G("mylib", "Net")), {}), "pickle-global-unknown " + LOADABLE, "a class",
         loadable=False)
    nested = Call(G("torch.storage", "_load_from_bytes"), Raw(b"C\x04abcd"))
    case("use-nested-load", checkpoint(dumps(nested, 3), {}), "pickle-global-dangerous " + LOADABLE,
         "another pickle inside", loadable=False, imports=False)


def legacies():
    value = state(w=tensor(legacy_storage()))
    for protocol in range(2, 6):
        case(f"legacy-protocol-{protocol}", legacy(value, pickle=protocol), "", "five pickles and a storage", loadable=True)
    text_magic = b"L119547037146038801333356L\n."
    case("legacy-text-magic", legacy(value, magic=text_magic), LOADABLE, "the magic number in digits")
    case("legacy-empty", legacy({}, {}), "", "no storage", loadable=True)
    case("legacy-view", legacy(state(w=tensor(legacy_storage(view=("9", 1, 2)), size=(2,)))), "", "a view of a storage")
    case("legacy-view-bounds", legacy(state(w=tensor(legacy_storage(view=("9", 1, 2)), size=(3,)))), "torch-tensor-bounds",
         "a tensor larger than the view")
    case("legacy-view-behind", legacy(state(w=tensor(legacy_storage(view=("9", 3, 2)), size=(2,)))), "torch-tensor-bounds",
         "a view that reaches past the storage")
    case("legacy-protocol-1002", legacy(value, protocol=1002), "torch-legacy-header", "another protocol")
    case("legacy-system-short", legacy(value, system={"protocol_version": 1001, "little_endian": True}),
         "torch-legacy-header", "sizes are missing")
    case("legacy-system-more", legacy(value, system={**SYSTEM, "x": 1}), "torch-legacy-header", "one entry too many")
    case("legacy-system-acts", legacy(value, system=Call(G("os", "system"), "x")),
         "torch-legacy-header pickle-global-dangerous " + LOADABLE, "a payload in the header")
    case("legacy-big-endian", legacy(value, {"0": struct.pack(">4f", 1, float("nan"), 2, 3)},
                                     system={**SYSTEM, "little_endian": False}),
         "weights-nan torch-byteorder-big",
         "most significant byte first", nonfinite={"w": counts(1)})
    case("legacy-nan", legacy(value, {"0": struct.pack("<4f", 1, float("nan"), 2, 3)}), "weights-nan", "a NaN",
         nonfinite={"w": counts(1)})
    case("legacy-keys-missing", legacy(value, {}), "torch-storage-missing", "a storage that is not listed")
    case("legacy-keys-unknown", legacy(value, {"0": FLOATS, "7": FLOATS}), "torch-legacy-keys", "a key nobody uses")
    case("legacy-keys-twice", legacy(value, keys=["0", "0"]), "torch-legacy-keys", "a key twice")
    case("legacy-keys-tuple", legacy(value, keys=dumps(("0",))), "torch-legacy-keys", "no list")
    case("legacy-keys-act", legacy(value, keys=dumps(Call(G("os", "system"), "x"))),
         "torch-legacy-keys pickle-global-dangerous " + LOADABLE, "a payload in the list's place")
    case("legacy-keys-shuffled", legacy(value, keys=b"\x80\x02]" + text("0") + b"q\x010(h\x01e."), "torch-legacy-keys " + LOADABLE,
         "the list is made from the memo", expect="reject")
    case("legacy-numel", legacy(value, numel=3), "torch-storage-size", "the record says three elements")
    case("legacy-numel-huge", legacy(value, numel=2**62), "torch-storage-size", "the record says 2^62 elements")
    case("legacy-cut-in-storage", legacy(value)[:-1], "torch-legacy-truncated", "one byte short")
    case("legacy-cut-in-numel", legacy(value)[:-17], "torch-legacy-truncated", "the count is cut")
    case("legacy-cut-in-pickle", legacy(value)[:60], "pickle-length " + LOADABLE, "a pickle is cut", expect="reject")
    case("legacy-cut-after-header", dumps(MAGIC) + dumps(1001), "torch-legacy-truncated", "two pickles of five",
         expect="reject")
    case("legacy-trailing", legacy(value, tail=b"\0"), "torch-trailing-bytes", "one byte too many")
    case("legacy-then-zip", legacy(value, tail=checkpoint(value)), "torch-trailing-bytes torch-ambiguous-container "
         "polyglot-zip", "an archive at the end")
    case("legacy-module", legacy({"m": Id(("module", G("torch.nn.modules.linear", "Linear"), "linear.py", "class Linear"))},
                                 {}), "torch-legacy-module pickle-global-unknown " + LOADABLE, "source text", imports=False)
    whole = Id(("module", G("torch.nn.modules.linear", "Linear"), "linear.py", "class Linear"))
    case("legacy-module-instance", legacy(New(whole), {}), "torch-legacy-module pickle-global-unknown " + LOADABLE,
         "a whole model: its class is named in the id", imports=False)
    case("legacy-module-text", legacy(New(Id(("module", "Linear", "linear.py", "class Linear"))), {}),
         "torch-legacy-module pickle-callee-dynamic " + LOADABLE, "the id names no class", imports=False)
    case("legacy-id-of-five", legacy(state(w=tensor())), "torch-persid-invalid torch-legacy-keys " + LOADABLE,
         "an id without its view", expect="reject")


def tars():
    def tar(files):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
            for name, data in files:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                t.addfile(info, io.BytesIO(data))
        return out.getvalue()

    plain = [("sys_info", dumps({})), ("pickle", dumps({})), ("tensors", dumps(0)), ("storages", dumps(0))]
    case("tar-empty", tar(plain), "torch-legacy-tar", "a tar checkpoint", expect="reject")
    evil = plain[:3] + [("storages", dumps(1) + dumps(Call(G("os", "system"), "x")))]
    case("tar-acts", tar(evil), "torch-legacy-tar pickle-global-dangerous", "a payload in a member",
         expect="reject")
    case("tar-zip-instead", checkpoint({}, {}), "", "what replaced it")


def in_order():
    CORPUS.rows.sort(key=lambda row: row["file"])


CORPUS.make(containers, records, members, ids, geometry, weights, sparse, quantised, uses, legacies, tars, in_order)
