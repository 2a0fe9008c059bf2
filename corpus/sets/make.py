#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: indexes of shards that each break one rule of
formats/safetensors-index, folders in which index and shards (or the parts of a split GGUF) do not fit together, and near
misses that break none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict, of a folder those of all verdicts
about it.
"""
import io
import json
import os
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, Link  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, num  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"index-shards-unchecked", "index-single-shard", "index-shard-naming", "index-metadata-key",
            "index-number-form", "index-total-size-files", "index-total-parameters", "format-side-file",
            "weights-in-set", "weights-inf-mask"}
REVIEWED = {"index-key-unknown", "index-shard-unreferenced", "index-total-size", "index-ambiguous-set",
            "index-format-mismatch", "lfs-pointer-unresolved", "format-identified-only",
            "format-unknown", "onnx-external-unchecked", "weights-nan", "weights-inf", "weights-bool-invalid"}

ONE, TWO = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
MAP = {"a": ONE, "b": ONE, "c": TWO}
CORPUS = Cases("", ACCEPTED, REVIEWED)


# -- an index alone

def dump(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def index(weight_map=None, total=24, **metadata):
    return dump({"metadata": {**({} if total is None else {"total_size": total}), **metadata},
                 "weight_map": MAP if weight_map is None else weight_map})


def alone(name, text, codes="", why="", family="safetensors", bare=False):
    """`codes` without index-shards-unchecked, which all have that were read to their end."""
    CORPUS.case(f"{name}.{family}.index.json", text, codes + ("" if bare else " index-shards-unchecked"), why)


def metadata_of(text):
    return '{"metadata":' + text + ',"weight_map":' + dump(MAP) + "}"


def the_text():
    alone("json-ok", index(), why="what libraries write")
    alone("json-bom", b"\xef\xbb\xbf" + index().encode(), "index-json-syntax", "a byte order mark", bare=True)
    alone("json-utf8", index({"a\x80": ONE}).encode("latin-1"), "index-json-syntax", "not UTF-8", bare=True)
    alone("json-utf8-ok", index({**MAP, "\u00e9": ONE}), why="UTF-8 beyond ASCII")
    alone("json-surrogate", index().replace('"a"', '"\\ud800"'), "index-json-syntax", "half of a surrogate pair")
    alone("json-pair-ok", index().replace('"a"', '"\\ud83d\\ude00"'), why="a whole surrogate pair")
    alone("json-empty", "", "index-json-syntax", "no byte", bare=True)
    alone("json-cut", index()[:-1], "index-json-syntax", "the last brace is missing", bare=True)
    alone("json-conflict", "<<<<<<< HEAD\n" + index(), "index-json-syntax", "a merge conflict", bare=True)
    alone("json-array", "[" + index() + "]", "index-json-syntax", "an array", bare=True)
    alone("json-comma", index().replace("}}", "},}"), "index-json-syntax", "a comma behind the last member", bare=True)
    alone("json-crlf-ok", index() + "\r\n", why="a line end")
    alone("json-lines-ok", index() + "\n\n", why="line ends")
    alone("json-garbage", index() + "\0", "index-trailing-bytes", "a byte behind the object")
    alone("json-second", index() + index(), "index-trailing-bytes", "a second object")
    alone("json-depth", metadata_of('{"x":[[[]]]}'), "index-json-depth index-metadata-key", "five levels", bare=True)
    alone("json-deep", metadata_of('{"x":' + "[" * 100 + "]" * 100 + "}"), "index-json-depth index-metadata-key", "a hundred levels",
          bare=True)
    alone("json-depth-ok", metadata_of('{"x":[[]]}'), "index-metadata-key", "four levels")
    alone("json-duplicate", index().replace('"b"', '"a"'), "index-key-duplicate", "a tensor twice")
    alone("json-duplicate-escaped", index().replace('"b"', '"\\u0061"'), "index-key-duplicate", "spelled differently")
    alone("json-duplicate-total", metadata_of('{"total_size":24,"total_size":24}'), "index-key-duplicate",
          "a total twice")
    alone("json-duplicate-map", index()[:-1] + ',"weight_map":{}}', "index-key-duplicate", "two maps")
    alone("json-unknown", index()[:-1] + ',"weights":1}', "index-key-unknown", "a key that is not of the format")
    alone("json-long-metadata-ok", index(note="x" * 5000), "index-metadata-key", "the map is not in the first 4 KiB")


def the_map():
    alone("map-ok", index(), why="three tensors in two files")
    alone("map-missing", '{"metadata":{}}', "index-weight-map", "no weight_map", bare=False)
    alone("map-empty", index({}), "index-weight-map", "no tensor")
    alone("map-array", '{"weight_map":[]}', "index-weight-map", "an array")
    alone("map-null", '{"weight_map":null}', "index-weight-map", "null")
    alone("map-number", index({**MAP, "d": 1}), "index-weight-map", "a number for a file")
    alone("map-object", index({**MAP, "d": {"file": ONE, "offset": 0}}), "index-weight-map", "an object for a file")
    alone("map-tensor-empty", index({**MAP, "": ONE}), "index-tensor-name", "a tensor without a name")
    alone("map-tensor-escape", index({**MAP, "\x1b[2J": ONE}), "index-tensor-name", "a terminal's escape")
    alone("map-tensor-hidden", index({**MAP, "a\u200b": ONE}), "index-tensor-name", "an invisible character")
    alone("map-tensor-path", index({**MAP, "../a": ONE}), "index-tensor-name", "a name that climbs")
    alone("map-tensor-long", index({**MAP, "a" * 1025: ONE}), "index-tensor-name", "1025 bytes")
    alone("map-tensor-long-ok", index({**MAP, "a" * 1024: ONE}), why="1024 bytes")


def the_metadata():
    alone("metadata-ok", metadata_of("{}"), why="empty")
    alone("metadata-absent-ok", dump({"weight_map": MAP}), why="none")
    alone("metadata-behind-ok", dump({"weight_map": MAP, "metadata": {"total_size": 24}}), why="after the map")
    alone("metadata-array", metadata_of("[]"), "index-metadata", "an array")
    alone("metadata-null", metadata_of("null"), "index-metadata", "null")
    alone("metadata-total-text", metadata_of('{"total_size":"24"}'), "index-metadata", "a total as text")
    alone("metadata-total-negative", index(total=-1), "index-metadata", "below zero")
    alone("metadata-total-2p64", index(total=1 << 64), "index-metadata", "2^64")
    alone("metadata-total-2p53", index(total=1 << 53), "index-metadata", "2^53")
    alone("metadata-total-2p53-ok", index(total=(1 << 53) - 1), why="2^53-1")
    alone("metadata-total-float", metadata_of('{"total_size":1.3e10}'), "index-number-form", "a float")
    alone("metadata-total-zero", index(total=0), "index-number-form", "zero")
    alone("metadata-parameters-ok", index(total_parameters=6), why="total_parameters")
    alone("metadata-parameters-text", index(total_parameters="6"), "index-metadata", "total_parameters as text")
    alone("metadata-format-ok", index(format="pt"), why="format")
    alone("metadata-format-number", index(format=1), "index-metadata", "format as a number")
    alone("metadata-note", index(note="x"), "index-metadata-key", "a key of its own")


def the_names():
    def to(name, file, codes, why):
        alone("name-" + name, index({"a": "model.safetensors", "b": file}), codes + " index-shard-naming", why)

    odd, leaves, extension = "index-shard-name", "index-shard-traversal", " index-shard-extension"
    to("ok", "shard_00.safetensors", "", "a name of its own")
    to("dotdot", "../x.safetensors", leaves, "a folder up")
    to("dots", "..", leaves + extension, "the folder above")
    to("root", "/etc/passwd", leaves + extension, "a path from the root")
    to("sub", "sub/x.safetensors", leaves, "a folder below")
    to("backslash", "sub\\x.safetensors", leaves, "a folder below, as Windows writes it")
    to("drive", "C:x.safetensors", leaves, "a drive")
    to("url", "https://h/x.safetensors", leaves, "a URL")
    to("percent", "%2e%2E%2fx.safetensors", leaves, "a coded path")
    to("percent-other", "50%.safetensors", odd, "a percent sign that codes nothing")
    to("nul", "x.safetensors\0.bin", odd + extension, "a NUL")
    to("control", "x\n.safetensors", odd, "a line end")
    to("space", "x y.safetensors", odd, "a space")
    to("unicode", "\u00e9.safetensors", odd, "a letter beyond ASCII")
    to("hidden", ".x.safetensors", odd, "a leading dot")
    to("none", "", odd + extension, "no name")
    to("long", "x" * 244 + ".safetensors", odd, "256 bytes")
    to("long-ok", "x" * 243 + ".safetensors", "", "255 bytes")
    to("pickle", "x.bin", extension, "a pickle among safetensors")
    to("no-extension", "x", extension, "no extension")
    to("case", "MODEL.safetensors", "index-shard-case-collision", "differs in case alone")
    alone("name-single", index({"a": "model.safetensors"}), "index-single-shard", "one shard")
    bins = {"a": "pytorch_model-00001-of-00002.bin", "b": "pytorch_model-00002-of-00002.bin"}
    alone("name-bin-ok", index(bins), "", "an index of pickles", family="bin")
    alone("name-bin-mixed", index({**bins, "c": "x.h5"}), "index-shard-extension index-shard-naming",
          "a pickle and something else", family="bin")
    alone("name-bin-only", index(bins), "index-shard-extension", "pickles in an index for safetensors")
    h5 = {k: v.replace("bin", "h5") for k, v in bins.items()}
    alone("name-h5-ok", index(h5), "", "an index of HDF5 files", family="h5")


def numbered(*numbers, total=2, form="model-%05d-of-%05d.safetensors"):
    return {f"t{i}": form % (n, total) for i, n in enumerate(numbers)}


def the_sequences():
    alone("sequence-ok", index(numbered(1, 2)), why="all there")
    alone("sequence-underscore-ok", index(numbered(1, 2, form="model_%05d-of-%05d.safetensors")), why="an underscore")
    alone("sequence-underscore", index(numbered(1, 3, total=3, form="model_%05d-of-%05d.safetensors")),
          "index-shard-sequence", "an underscore and a gap")
    alone("sequence-six-ok", index(numbered(1, 2, form="model-%05d-of-%06d.safetensors")), why="six digits")
    alone("sequence-gap", index(numbered(1, 3, total=3)), "index-shard-sequence", "2 of 3 is missing")
    alone("sequence-end", index(numbered(1, 2, total=3)), "index-shard-sequence", "3 of 3 is missing")
    alone("sequence-beyond", index(numbered(1, 2, 3)), "index-shard-sequence", "3 of 2")
    alone("sequence-zero", index(numbered(0, 1, 2)), "index-shard-sequence", "counted from 0")
    alone("sequence-totals", index({**numbered(1, 2), **{"u": "model-00001-of-00003.safetensors"}}),
          "index-shard-sequence", "two totals")
    alone("sequence-huge", index(numbered(1, 2, total=99999)), "index-shard-sequence", "99997 are missing")


# -- folders

def safetensors(tensors, metadata=None):
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, n in tensors.items():
        header[name] = {"dtype": "F32", "shape": [n], "data_offsets": [at, at + 4 * n]}
        at += 4 * n
    text = dump(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + struct.pack("<f", 0.5) * (at // 4)


SHARDS = {ONE: {"a": 2, "b": 2}, TWO: {"c": 2}}


def files_of(shards=None, text=None):
    """An index and its shards, right unless told otherwise."""
    return {"model.safetensors.index.json": text or index(),
            **{name: safetensors(tensors) for name, tensors in (shards or SHARDS).items()}}


def folder(name, files, codes="", why="", **more):
    """`codes` without index-shards-unchecked, which the index's own verdict has."""
    codes = codes.split() + (["index-shards-unchecked"] if any("index" in f for f in files) else [])
    CORPUS.case(name, files, " ".join(sorted(codes)), why, **more)


def without(files, *names):
    return {k: v for k, v in files.items() if k not in names}


POINTER = ("version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1048576\n").encode()


def the_shards():
    folder("set-ok", files_of(), why="index and shards agree")
    folder("set-nested-ok", {"unet/" + k: v for k, v in files_of().items()}, why="in a folder of the folder")
    folder("set-missing", without(files_of(), TWO), "index-shard-missing", "a shard is not there")
    folder("set-elsewhere", {**without(files_of(), TWO), "sub/" + TWO: safetensors({"c": 2})}, "index-shard-missing",
           "a shard lies in another folder")
    folder("set-link", {**files_of(), TWO: Link("nowhere")}, "index-shard-symlink", "a link for a shard")
    folder("set-folder", {**without(files_of(), TWO), TWO + "/note.txt": "note\n"},
           "index-shard-type format-side-file", "a folder for a shard")
    folder("set-pointer", {**files_of(), TWO: POINTER}, "lfs-pointer-unresolved", "a git-lfs pointer for a shard")
    folder("set-extra", {**files_of(), "model-00003-of-00003.safetensors": safetensors({"d": 1})},
           "index-shard-unreferenced", "a shard that the index does not name")
    folder("set-extra-zero", {**files_of(), "model-00003-of-00002.safetensors": safetensors({"d": 1})},
           "index-shard-unreferenced", "a number above the total")
    folder("set-extra-stem", {**files_of(), "model-extra.safetensors": safetensors({"d": 1})},
           "index-shard-unreferenced", "a name that goes on from the index's")
    folder("set-extra-stem-numbered", {**files_of(), "Model2.safetensors": safetensors({"d": 1})},
           "index-shard-unreferenced", "the same in another case, and no dash")
    folder("set-extra-foreign", {**files_of(), "other-00001-of-00001.safetensors": safetensors({"d": 1})},
           "index-shard-unreferenced", "numbered, whatever it is called")
    layers = {f"layer_{i}.safetensors": {f"l{i}": 2} for i in (1, 2)}
    layer_map = index({"l1": "layer_1.safetensors", "l2": "layer_2.safetensors"}, total=16)
    folder("set-extra-shape", {**files_of(layers, layer_map), "layer_03.safetensors": safetensors({"l3": 1})},
           "index-shard-naming index-shard-unreferenced", "shaped as the shards are")
    folder("set-beside-shape-ok", {**files_of(layers, layer_map), "layers.safetensors": safetensors({"x": 1})},
           "index-shard-naming", "another shape")
    folder("set-beside-ok", {**files_of(), "adapter_model.safetensors": safetensors({"lora_A": 2}),
                             "consolidated.safetensors": safetensors({"norm": 2}),
                             "mm_projector.safetensors": safetensors({"mm": 2})}, why="no pieces of the model")
    folder("set-beside-variant-ok", {**files_of(), "model.fp16.safetensors": safetensors({"a": 2, "b": 2, "c": 2})},
           why="another variant of the whole")
    variant = "model.fp32-%05d-of-00002.safetensors"
    folder("set-variant-of-single-ok", {
        "model.safetensors": safetensors({"a": 2, "c": 2}), "model.safetensors.index.fp32.json": index(
            {"a": variant % 1, "c": variant % 2}, total=16),
        variant % 1: safetensors({"a": 2}), variant % 2: safetensors({"c": 2})}, why="a variant is sharded, the model is not")
    folder("set-extra-other-ok", {**files_of(), "readme.txt": "text\n"}, "format-side-file", "a file that is no shard")
    folder("set-case", {**files_of(), "MODEL-00002-of-00002.safetensors": safetensors({"c": 2})},
           "index-shard-case-collision index-shard-unreferenced", "a file whose name differs in case alone")
    folder("set-single", {**files_of(), "model.safetensors": safetensors({"a": 2})}, "index-ambiguous-set",
           "the whole model beside its shards")
    folder("set-variant-ok", {**files_of(), "model.safetensors.index.fp16.json": index(
        {"a": "model.fp16-00001-of-00001.safetensors"}, total=8), "model.fp16-00001-of-00001.safetensors":
        safetensors({"a": 2})}, "index-single-shard", "an index of another variant")
    folder("set-number", {**files_of(), TWO: b"\x93NUMPY\x01\0v\0" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n" + bytes(8)},
           "format-extension-mismatch index-shard-format" + " safetensors-header-too-large",
           "a shard that is an array of NumPy's")
    folder("set-index", {**files_of(), TWO: index()}, "format-extension-mismatch index-shard-format" +
           " safetensors-header-too-large", "a shard that is an index")
    folder("set-format", {**files_of(), ONE: safetensors(SHARDS[ONE], {"format": "pt"}),
                          TWO: safetensors(SHARDS[TWO], {"format": "mlx"})}, "index-format-mismatch",
           "shards for two frameworks")
    folder("set-format-ok", {**files_of(), ONE: safetensors(SHARDS[ONE], {"format": "pt"}),
                             TWO: safetensors(SHARDS[TWO], {"format": "pt"})}, why="shards for one framework")


def the_tensors():
    folder("tensor-ok", files_of(), why="all where the index says")
    folder("tensor-missing", files_of({ONE: {"a": 2, "b": 2}, TWO: {"d": 2}}, index({**MAP, "d": TWO})),
           "index-tensor-missing", "c is nowhere")
    folder("tensor-unlisted", files_of(text=index({"a": ONE, "c": TWO})), "index-tensor-unlisted",
           "b is not in the index")
    folder("tensor-wrong", files_of(text=index({**MAP, "b": TWO})), "index-tensor-wrong-shard", "b is in the other shard")
    folder("tensor-twice", files_of({ONE: {"a": 2, "b": 1}, TWO: {"c": 2, "b": 1}}), "index-tensor-duplicate",
           "b is in both shards")
    # 200 shards, one entry of which is wrong: the finding says which.
    name = "model-%05d-of-00200.safetensors"
    shards = {name % i: {f"layers.{i}.{k}": 1 for k in "wb"} for i in range(1, 201)}
    right = {f"layers.{i}.{k}": name % i for i in range(1, 201) for k in "wb"}
    folder("tensor-200", files_of(shards, index({**right, "layers.117.w": name % 116}, total=1600)),
           "index-tensor-wrong-shard", "200 shards and one wrong entry", subject="layers.117.w", member=name % 117)


def the_totals():
    size = sum(len(safetensors(t)) for t in SHARDS.values())
    folder("total-ok", files_of(text=index(total_parameters=6)), why="24 bytes, 6 elements")
    folder("total-absent-ok", files_of(text=index(total=None)), why="no total")
    folder("total-zero-ok", files_of(text=index(total=0)), "index-number-form", "zero")
    folder("total-float-ok", files_of(text=metadata_of('{"total_size":24.0}')), "index-number-form", "24.0")
    folder("total-float", files_of(text=metadata_of('{"total_size":25.0}')), "index-number-form index-total-size", "25.0")
    folder("total-low", files_of(text=index(total=23)), "index-total-size", "a byte too few")
    folder("total-high", files_of(text=index(total=25)), "index-total-size", "a byte too many")
    folder("total-files", files_of(text=index(total=size)), "index-total-size-files", "the files, not the tensors")
    folder("total-files-high", files_of(text=index(total=size + 1)), "index-total-size", "a byte more than the files")
    folder("total-parameters", files_of(text=index(total_parameters=7)), "index-total-parameters", "an element too many")


# -- split GGUF

U16, U32, I32, STRING = 2, 4, 5, 8


def gguf(tensors, **keys):
    """F32 tensors of 8 elements each."""
    def string(text):
        return struct.pack("<Q", len(text)) + text.encode()

    types = {"general.architecture": STRING, "split.no": U16, "split.count": U16, "split.tensors.count": I32}
    meta = b""
    for key, v in keys.items():
        kind = types[key]
        meta += string(key) + struct.pack("<I", kind)
        meta += string(v) if kind == STRING else struct.pack({U16: "<H", I32: "<i"}[kind], v)
    infos = b"".join(string(t) + struct.pack("<IQIQ", 1, 8, 0, 32 * i) for i, t in enumerate(tensors))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + meta + infos
    return head + bytes(-len(head) % 32) + struct.pack("<f", 0.5) * 8 * len(tensors)


def part(i, n, total, tensors, no=None, count=None):
    return gguf(tensors, **{"general.architecture": "llama", "split.no": i - 1 if no is None else no,
                            "split.count": n if count is None else count, "split.tensors.count": total})


def the_splits():
    name = "m-%05d-of-00003.gguf"
    whole = {name % i: part(i, 3, 3, [f"t{i}"]) for i in (1, 2, 3)}
    folder("split-ok", whole, why="three parts")
    folder("split-one-ok", {"m.gguf": gguf(["t"], **{"general.architecture": "llama"})}, why="a model that is not split")
    folder("split-missing", without(whole, name % 3), "gguf-split-mismatch", "the third part is not there")
    folder("split-number", {**whole, name % 2: part(2, 3, 3, ["t2"], no=2)}, "gguf-split-mismatch",
           "the second says it is the third")
    folder("split-count", {**whole, name % 2: part(2, 3, 3, ["t2"], count=4)}, "gguf-split-mismatch",
           "the second is of four")
    folder("split-tensors", {**whole, name % 2: part(2, 3, 3, ["t2", "t4"])}, "gguf-split-mismatch",
           "a tensor more than the parts say")
    folder("split-twice", {**whole, name % 2: part(2, 3, 3, ["t1"])}, "gguf-split-mismatch", "a tensor in two parts")
    folder("split-unmarked", {**whole, name % 2: gguf(["t2"], **{"general.architecture": "llama"})},
           "gguf-split-mismatch", "a part that does not know of it")
    folder("split-renamed", {**without(whole, name % 3), "m.gguf": whole[name % 3]}, "gguf-split-mismatch",
           "a part under another name")


def field(number, data):
    """Of protobuf: a number, or what has a length."""
    return num(number, data) if isinstance(data, int) else blob(number, data)


# ONNX's number of a type, and bytes of an element.
FLOATS, BYTES, WHOLES, BOOLS, HALVES = (1, 4), (2, 1), (6, 4), (9, 1), (10, 2)


def onnx(*places):
    """A model whose tensors are elsewhere: (file, offset, length) each, and a type when they are not of floats."""
    def tensor(i, place, dtype=FLOATS):
        keys = zip(("location", "offset", "length"), map(str, place))
        return field(1, field(1, place[2] // dtype[1])[1:]) + field(2, dtype[0]) + field(8, f"w{i}") + b"".join(
            field(13, field(1, k) + field(2, v)) for k, v in keys) + field(14, 1)
    node = (field(1, "w0") if places else b"") + field(2, "y") + field(4, "Identity" if places else "Constant")
    graph = field(1, node) + field(2, "g") + b"".join(field(5, tensor(i, p[:3], *p[3:])) for i, p in enumerate(places))
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))


def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr(zipfile.ZipInfo("__main__.py"), "print(1)\n")
    return out.getvalue()


def the_externals():
    """Weights of ONNX models that are in other files, which are read by what the models say of them."""
    data = "model.onnx.data"
    floats = struct.pack("<f", 0.5) * 16
    nan, infinity = (floats[:-4] + struct.pack("<f", float(x)) for x in ("nan", "inf"))
    two = [(data, 0, 32), (data, 32, 32)]
    unread = "onnx-external-unchecked"

    def weights(name, places, files, codes="", why="", **more):
        folder("external-" + name, {"model.onnx": onnx(*places), **files}, ("weights-in-set " + codes).strip(), why, **more)
    weights("ok", two, {data: floats}, why="two tensors, and nothing else")
    folder("external-none", {"model.onnx": onnx(), data: floats}, "format-unknown", "a file that no model speaks of")
    weights("tied", [*two, (data, 32, 32)], {data: floats}, why="one tensor under two names")
    weights("folder", [("weights/" + f, a, n) for f, a, n in two], {"weights/" + data: floats}, why="in a folder beside it")
    weights("padding", [(data, 0, 64), (data, 4096, 64)], {data: floats + bytes(4032) + floats}, why="aligned to pages")
    weights("empty", [*two, (data, 64, 0)], {data: floats}, why="a tensor without elements behind the last")
    weights("two-files", [("a.data", 0, 64), ("b.data", 0, 64)], {"a.data": floats, "b.data": floats}, why="a file for each tensor")
    # what the bytes hold
    weights("nan", two, {data: nan}, "weights-nan", "a weight that is not a number")
    weights("infinite", two, {data: infinity}, "weights-inf", "an infinite weight")
    weights("mask", [(data, 0, 64), (data, 64, 8)], {data: floats + struct.pack("<2f", 0, float("-inf"))}, "weights-inf-mask",
            "zero and minus infinity")
    weights("nan-of-integers", [(data, 0, 64, WHOLES)], {data: nan}, why="the same bits where numbers are whole")
    weights("nan-half", [(data, 0, 4, HALVES)], {data: b"\0\x38\1\x7e"}, "weights-nan", "a half that is not a number")
    weights("bool", [(data, 0, 4, BOOLS)], {data: b"\0\1\1\2"}, "weights-bool-invalid", "neither true nor false")
    weights("bool-ok", [(data, 0, 4, BOOLS)], {data: b"\0\1\1\0"}, why="true and false")
    whole = [(*place, WHOLES) for place in two]
    other = {"other.onnx": onnx(*whole), data: nan}
    weights("two-models", two, {**other, data: floats}, why="two models, two types, the same bytes")
    weights("two-models-nan", two, other, "weights-nan", "what is a number to the one is none to the other")
    weights("two-models-back", whole, {"a.onnx": onnx(*two), data: nan}, "weights-nan", "whichever comes first")
    weights("types", [(data, 0, 64, t) for t in (FLOATS, BYTES, WHOLES, HALVES)], {data: bytes(64)}, why="four types of the same bytes")
    weights("types-many", [(data, 0, 64, t) for t in (FLOATS, BYTES, WHOLES, HALVES, BOOLS)], {data: bytes(64)},
            "onnx-external-overlap", "one more than anybody examines")
    # where they are
    weights("missing", two, {}, "onnx-external-missing " + unread, "no such file")
    weights("elsewhere", two, {"sub/" + data: floats}, f"format-unknown onnx-external-missing {unread}", "in another folder")
    weights("link", two, {data: Link("/etc/passwd")}, "onnx-external-missing " + unread, "a link, which leads anywhere")
    weights("pointer", two, {data: POINTER}, "lfs-pointer-unresolved " + unread, "a git-lfs pointer for the data")
    weights("beyond", two, {data: floats[:-1]}, "onnx-external-bounds", "a byte is missing")
    weights("far", [*two, (data, 1 << 32, 4)], {data: floats}, "onnx-external-bounds", "four GiB behind the end")
    weights("overlap", [(data, 0, 36), (data, 32, 32)], {data: floats}, "onnx-external-overlap", "four bytes twice")
    weights("hole", [(data, 0, 16), (data, 32, 32)], {data: floats}, "onnx-external-hole", "16 bytes of nobody")
    weights("hole-large", [(data, 0, 64), (data, 69632, 64)], {data: floats + bytes(69568) + floats}, "onnx-external-hole",
            "aligned, and too large")
    weights("hole-written", [(data, 0, 64), (data, 4096, 64)], {data: floats + bytes(4031) + b"P" + floats}, "onnx-external-hole",
            "padding that is not zero")
    weights("trailing", two, {data: floats + b"PK"}, "onnx-external-hole", "two bytes behind the last tensor")
    weights("hole-unknown", [(data, 0, 16), (data, 32, 32)], {data: floats, "cut.onnx": onnx((data, 16, 16))[:-70]},
            "format-unknown onnx-truncated", "a model that could not be read to its end may have named the rest", expect="reject")
    # files that are something else
    pickle = b"\x80\4cos\nsystem\n0N."
    weights("pickle", [(data, 0, len(pickle), BYTES)], {data: pickle}, "pickle-global-dangerous " + unread,
            "weights that begin as a pickle are one", expect="reject")
    weights("text", [(data, 0, 16)], {data: b"plain text here\n"}, "format-side-file " + unread, "and text is text")
    behind = bytes(32) + archive()
    weights("zip", [(data, 0, len(behind), BYTES)], {data: behind}, "polyglot-zip", "an archive behind the first weights",
            expect="reject")

    sparse(data, floats)


def sparse(data, floats):
    """A sparse tensor whose indices are elsewhere: the set reads them as weights, and nobody sees where they point."""
    def tensor(dtype, *rest):
        return field(1, 2) + field(2, dtype) + b"".join(rest)
    places = [("location", data), ("offset", "0"), ("length", "16")]
    outside = [field(13, field(1, k) + field(2, v)) for k, v in places] + [field(14, 1)]
    inside = field(9, struct.pack("<2q", 0, 3))

    def model(*indices):
        values = tensor(1, field(8, "s"), field(9, floats[:8]))
        graph = field(1, field(2, "y") + field(4, "Constant")) + field(2, "g") + field(15, field(1, values) + field(
            2, tensor(7, *indices)) + blob(3, b"\4"))
        return field(1, 8) + field(7, graph) + field(8, field(2, 17))
    folder("sparse-outside", {"model.onnx": model(*outside), data: struct.pack("<2q", 0, 3)},
           "weights-in-set onnx-external-unchecked", "indices nobody sees")
    folder("sparse-alone", {"model.onnx": model(*outside)},
           "weights-in-set onnx-external-unchecked onnx-external-missing", "and the file is missing")
    folder("sparse-inside", {"model.onnx": model(inside)}, "", "the same indices in the model")


CORPUS.make(the_text, the_map, the_metadata, the_names, the_sequences, the_shards, the_tensors, the_totals,
            the_splits, the_externals, ensure_ascii=False)
