"""weighlock convert: what comes out, what is left behind, and that nothing comes out where anything is doubtful."""
import gzip
import hashlib
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import zipfile

import tap
from fixtures import OPTIONS, WEIGHLOCK, environment, write
from models import f32, floats, safetensors_of

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + "/support")
import protobuf_writer as protobuf  # noqa: E402
import torch_writer as torch  # noqa: E402

ROOT = tempfile.mkdtemp(prefix="weighlock-convert-")
OUT = f"{ROOT}/out.safetensors"
TWELVE = floats(*range(12))


def run(*arguments, **options):
    return subprocess.run([WEIGHLOCK, "convert", *arguments], cwd=ROOT, env=environment(), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def parse(data):
    """Another reader than ours: tensors, metadata, names in the order of the header."""
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n], object_pairs_hook=dict)
    assert n % 8 == 0 and len(header) == len(json.loads(data[8:8 + n], object_pairs_hook=lambda pairs: pairs))
    metadata = header.pop("__metadata__")
    body, at, tensors = data[8 + n:], 0, {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        assert begin == at and end >= begin, (name, t)
        tensors[name], at = (t["dtype"], t["shape"], body[begin:end]), end
    assert at == len(body)
    return tensors, metadata


def converted(name, content, *arguments):
    """Tensors, metadata, report."""
    write(f"{ROOT}/{name}", content)
    done = run(name, "-o", OUT, "--force", "--format", "json", *arguments)
    assert done.returncode == 0 and done.stderr == b"", (name, done)
    with open(OUT, "rb") as f:
        data = f.read()
    os.unlink(OUT)
    report, (tensors, metadata) = json.loads(done.stdout), parse(data)
    assert report["output"]["verdict"] == "accept" and report["output"]["tensors"] == len(tensors), report
    assert report["output"]["file"]["sha256"] == hashlib.sha256(data).hexdigest()
    assert metadata["source_sha256"] == hashlib.sha256(content).hexdigest() == report["source"]["file"]["sha256"]
    assert metadata["source_verdict"] == report["source"]["verdict"]
    return tensors, metadata, report


def refused(name, content, code, what, *arguments):
    """Nothing is made, and nothing is left."""
    write(f"{ROOT}/{name}", content)
    before = sorted(os.listdir(ROOT))
    done = run(name, "-o", OUT, *arguments)
    assert done.returncode == code and what in done.stderr.decode() and done.stdout == b"", (name, done)
    assert sorted(os.listdir(ROOT)) == before
    return done.stderr.decode()


def left(report):
    return {item["name"]: item["why"] for item in report["left"]}


# -- the output

def test_the_output_is_in_the_order_of_the_reference_and_the_same_each_time():
    tensors = {"b": f32(1, 2), "a": f32(3), "h": ("BF16", [1], b"\x80\x3f"), "i": ("I64", [1], bytes(8)),
               "z": ("BOOL", [3], b"\1\0\1"), "u": ("U8", [2], b"ab"), "s": ("F64", [], floats(0, 1)),
               "e": ("F32", [0, 3], b""), "\u00fc\"\\": f32(9)}
    content = safetensors_of(tensors, metadata={"old": "gone"})
    got, metadata, _ = converted("order.safetensors", content)
    assert got == tensors
    assert list(got) == ["i", "s", "a", "b", "e", "\u00fc\"\\", "h", "u", "z"], list(got)
    assert sorted(metadata) == ["source_sha256", "source_verdict"]
    first = run("order.safetensors", "-o", OUT)
    with open(OUT, "rb") as f:
        once = f.read()
    assert first.returncode == 0 and b'"\xc3\xbc\\"\\\\":{"dtype":"F32"' in once
    run("order.safetensors", "-o", OUT, "--force")
    with open(OUT, "rb") as f:
        assert f.read() == once
    os.unlink(OUT)


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced():
    write(f"{ROOT}/in.safetensors", safetensors_of({"a": f32(1)}))
    write(f"{ROOT}/there.safetensors", b"mine")
    done = run("in.safetensors", "-o", "there.safetensors")
    assert done.returncode == 4 and b"--force" in done.stderr, done
    write(f"{ROOT}/bad.safetensors", b"\0")
    assert run("bad.safetensors", "-o", "there.safetensors", "--force").returncode != 0
    with open(f"{ROOT}/there.safetensors", "rb") as f:
        assert f.read() == b"mine"
    assert run("in.safetensors", "-o", "there.safetensors", "--force").returncode == 0
    with open(f"{ROOT}/there.safetensors", "rb") as f:
        assert parse(f.read())[0] == {"a": f32(1)}
    assert not [n for n in os.listdir(ROOT) if n.startswith(".")]
    assert run("in.safetensors", "-o", "no/such/folder").returncode == 2
    assert run("in.safetensors").returncode == run("-o", OUT).returncode == 4
    assert run(".", "-o", OUT).returncode == run("in.safetensors", "", "-o", OUT).returncode == 4
    assert run("in.safetensors", "bad.safetensors", "-o", OUT).returncode == 1


# -- several files, and shards


def made(name):
    with open(f"{ROOT}/{name}", "rb") as f:
        return parse(f.read())


def test_several_files_become_one():
    tied = {"x": torch.Put(77, torch.tensor()), "y": torch.Get(77)}
    write(f"{ROOT}/1.pt", torch.checkpoint(tied))
    write(f"{ROOT}/2.safetensors", safetensors_of({"a": f32(1), "i": ("I64", [1], bytes(8))}, metadata={"format": "pt"}))
    done = run("1.pt", "2.safetensors", "-o", OUT, "--format", "json")
    assert done.returncode == 0 and done.stderr == b"", done
    report, (tensors, metadata) = json.loads(done.stdout), made("out.safetensors")
    assert tensors == {"i": ("I64", [1], bytes(8)), "a": f32(1), "x": ("F32", [4], torch.FLOATS)} and list(tensors) == ["i", "a", "x"]
    digests = [s["file"]["sha256"] for s in report["sources"]]
    assert metadata == {"source_sha256": ",".join(digests), "source_verdict": "accept,accept", "format": "pt", "y": "x"}
    assert report["aliases"] == {"y": "x"} and report["output"] == report["outputs"][0] and "index" not in report, report
    os.unlink(OUT)
    write(f"{ROOT}/3.safetensors", safetensors_of({"b": f32(2)}, metadata={"format": "tf"}))
    assert run("1.pt", "3.safetensors", "-o", OUT).returncode == 0 and "format" not in made("out.safetensors")[1]
    os.unlink(OUT)


def test_two_files_may_not_have_the_same_name_nor_an_other_name_of_it():
    tied = {"x": torch.Put(77, torch.tensor()), "y": torch.Get(77)}
    write(f"{ROOT}/1.pt", torch.checkpoint(tied))
    for name in "xy":
        write(f"{ROOT}/2.safetensors", safetensors_of({name: f32(1)}))
        before = sorted(os.listdir(ROOT))
        done = run("1.pt", "2.safetensors", "-o", OUT)
        assert done.returncode == 1 and f"would have this name: {name}".encode() in done.stderr, done
        assert sorted(os.listdir(ROOT)) == before


def test_shards_hold_no_more_than_they_may_and_the_index_knows_them():
    tensors = {f"t{i}": f32(*range(250)) for i in range(5)} | {"large": f32(*range(600)), "h": ("F16", [1], b"\0<")}
    write(f"{ROOT}/s.safetensors", safetensors_of(tensors, metadata={"format": "pt"}))
    done = run("s.safetensors", "-o", "m.safetensors", "--shard-size", "2KB", "--format", "json")
    assert done.returncode == 0, done
    report, got = json.loads(done.stdout), {}
    with open(f"{ROOT}/m.safetensors.index.json", encoding="utf-8") as f:
        index = json.load(f)
    names = [o["file"]["name"] for o in report["outputs"]]
    assert names == [f"m-{i:05}-of-00004.safetensors" for i in range(1, 5)] and report["index"] == "m.safetensors.index.json"
    for name in names:
        shard, metadata = made(name)
        assert metadata["format"] == "pt" and metadata["source_verdict"] == "accept"
        assert len(shard) == 1 or sum(len(t[2]) for t in shard.values()) <= 2000, (name, list(shard))
        assert all(index["weight_map"][k] == name for k in shard)
        got |= shard
    assert got == tensors and sorted(index["weight_map"]) == sorted(tensors)
    assert index["metadata"]["total_size"] == sum(len(t[2]) for t in tensors.values())
    folder = f"{ROOT}/as-a-set"
    os.mkdir(folder)
    for name in names + ["m.safetensors.index.json"]:
        os.rename(f"{ROOT}/{name}", f"{folder}/{name}")
    assert subprocess.run([WEIGHLOCK, "scan", folder], env=environment(), stdout=subprocess.PIPE, check=False).returncode == 0
    assert run("s.safetensors", "-o", "m.safetensors", "--shard-size", "1MiB").returncode == 0
    assert made("m.safetensors")[0] == tensors and not os.path.exists(f"{ROOT}/m.safetensors.index.json")
    os.unlink(f"{ROOT}/m.safetensors")


def brain(x):
    """Rounded to the nearest, of two to the even."""
    n = struct.unpack("<I", struct.pack("<f", x))[0]
    return struct.pack("<H", (n + 0x7fff + (n >> 16 & 1)) >> 16)


def test_floats_become_those_that_were_asked_for():
    values = [0.0, -0.0, 1.0, -1.5, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 2.0**-14, 2.0**-24, 2.0**-25, 65504.0, 1e-5]
    whole = torch.Put(77, torch.storage(numel=12))
    wide = ("F32", [len(values)], floats(*values))
    made = {"F16": b"".join(struct.pack("<e", x) for x in values), "BF16": b"".join(brain(x) for x in values),
            "F64": struct.pack(f"<{len(values)}d", *struct.unpack(f"<{len(values)}f", floats(*values))), "F32": wide[2]}
    for dtype, data in made.items():
        others = {"i": ("I64", [1], bytes(8)), "f8": ("F8_E4M3", [1], b"8"), "e": ("F32", [0, 2], b"")}
        got, _, report = converted("cast.safetensors", safetensors_of({"w": wide, **others}), "--dtype", dtype)
        assert got == {"w": (dtype, [len(values)], data), "i": others["i"], "f8": others["f8"], "e": (dtype, [0, 2], b"")}, (dtype, got)
        assert report["unchecked"] == []
        back = converted("back.safetensors", safetensors_of({"w": (dtype, [len(values)], data)}), "--dtype", "F32")[0]["w"]
        assert dtype not in ("F32", "F64") or back == wide, dtype
    turned = {"whole": torch.tensor(whole, size=(3, 4), stride=(4, 1)), "turned": torch.tensor(torch.Get(77), size=(4, 3), stride=(1, 4))}
    got = converted("turned.pt", torch.checkpoint(turned, {"0": TWELVE}), "--dtype", "F16")[0]
    assert got["turned"] == ("F16", [4, 3], struct.pack("<12e", 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)), got
    refused("huge.safetensors", safetensors_of({"w": f32(1, 65520)}), 1, "not accepted", "--dtype", "F16")
    assert converted("huge.safetensors", safetensors_of({"w": f32(65519)}), "--dtype", "F16")[0]["w"][2] == struct.pack("<e", 65504)
    for word in ("f16", "I8", "F8_E4M3", "", "float16"):
        assert run("cast.safetensors", "-o", OUT, "--dtype", word).returncode == 4, word


def test_a_size_of_shards_is_a_number_with_a_unit():
    write(f"{ROOT}/in.safetensors", safetensors_of({"a": f32(1)}))
    for size in ("", "5", "GB", "0GB", "-1GB", "5 GB", "5gb", "99999999999GB", "5GBx", "1.5GB"):
        assert run("in.safetensors", "-o", OUT, "--shard-size", size).returncode == 4, size
    assert run("in.safetensors", "-o", "m.st", "--shard-size", "5GB").returncode == 4


def test_the_framework_that_a_file_names_stays():
    for word, kept in (("pt", "pt"), ("mlx", "mlx"), ("two words", None), ("x" * 33, None)):
        content = safetensors_of({"a": f32(1)}, metadata={"format": word})
        assert converted("f.safetensors", content)[1].get("format") == kept, word


# -- formats

def test_views_of_one_storage_become_tensors_and_other_names_are_metadata():
    whole = torch.Put(77, torch.storage(numel=12))
    of = torch.Get(77)
    value = {"rows": torch.tensor(whole, size=(3, 4), stride=(4, 1)), "turned": torch.tensor(of, size=(4, 3), stride=(1, 4)),
             "tied": torch.tensor(of, size=(3, 4), stride=(4, 1)), "part": torch.tensor(of, 5, (2, 2), (4, 1)),
             "one": torch.tensor(of, 7, (), ()), "spread": torch.tensor(of, 2, (2, 3), (0, 1)),
             "none": torch.tensor(of, 0, (0, 4), (4, 1))}
    got, metadata, report = converted("views.pt", torch.checkpoint(value, {"0": TWELVE}))
    assert got.pop("rows") == f32(*range(12), shape=(3, 4))
    assert got.pop("turned") == f32(0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, shape=(4, 3))
    assert got.pop("part") == f32(5, 6, 9, 10, shape=(2, 2)) and got.pop("one") == ("F32", [], floats(7))
    assert got.pop("spread") == f32(2, 3, 4, 2, 3, 4, shape=(2, 3)) and got.pop("none") == ("F32", [0, 4], b"")
    assert not got and metadata["tied"] == "rows" and metadata["format"] == "pt"
    assert report["aliases"] == {"tied": "rows"} and report["unchecked"] == [], report


def test_nested_dictionaries_are_named_as_state_dicts_are_and_state_is_left():
    value = {"model": torch.state(w=torch.tensor()), "epoch": 3, "list": [torch.tensor(torch.storage(key="1")), "text"],
             "optimizer": {"state": {0: {"exp_avg": torch.tensor(torch.storage(key="2"))}}, "lr": None}}
    got, _, report = converted("nested.pt", torch.checkpoint(value, {k: torch.FLOATS for k in "012"}))
    assert sorted(got) == ["list.0", "model.w", "optimizer.state.0.exp_avg"], got
    assert left(report) == {"epoch": "no tensor", "list.1": "no tensor", "optimizer.lr": "no tensor"}, report["left"]
    legacy = torch.legacy({"a": {"b": torch.tensor(torch.legacy_storage())}})
    assert converted("legacy.pt", legacy)[0] == {"a.b": ("F32", [4], torch.FLOATS)}


def test_a_tensor_in_two_places_has_two_names():
    value = {"a": torch.Put(77, torch.tensor()), "b": torch.Get(77), "c": [torch.Get(77)]}
    got, metadata, _ = converted("twice.pt", torch.checkpoint(value))
    assert list(got) == ["a"] and metadata["b"] == metadata["c.0"] == "a", metadata


def test_more_dictionaries_than_a_scan_remembers():
    many = {str(i): floats(i) for i in range(400)}
    content = torch.checkpoint({"state": {i: {"m": torch.tensor(torch.storage(key=str(i), numel=1), size=(1,)), "step": i}
                                          for i in range(400)}}, many)
    assert {k: v[2] for k, v in converted("many.pt", content)[0].items()} == {
        f"state.{i}.m": floats(i) for i in range(400)}


def test_what_releases_read_in_two_ways_is_converted_in_none():
    content = torch.checkpoint({"a": torch.tensor()}, byteorder=b"big")
    refused("big.pt", content, 1, "its structure is not sound", "--drop-code")


def npy(descr, fortran, shape, data):
    text = str({"descr": descr, "fortran_order": fortran, "shape": shape}).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def test_numpy_arrays():
    assert converted("a.npy", npy("<f4", True, (3, 4), TWELVE))[0] == {
        "data": f32(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, shape=(3, 4))}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.npy", npy("<f4", False, (12,), TWELVE))
        z.writestr("b.npy", npy(">i2", False, (2,), b"\1\2\3\4"))
        z.writestr("text.npy", npy("<U1", False, (1,), b"a\0\0\0"))
        z.writestr("time.npy", npy("<M8[s]", False, (1,), bytes(8)))
    got, _, report = converted("a.npz", packed.getvalue())
    assert got == {"a": f32(*range(12)), "b": ("I16", [2], b"\2\1\4\3")}
    assert sorted(left(report)) == ["text", "time"]


def test_a_file_that_only_goes_by():
    for size in (3 << 20, 9 << 20):  # a copy of it is not made; from 8 MiB on two processes read and hash it
        values = floats(*range(1000)) * (size // 4000)
        n = len(values) // 4
        assert converted("a.npy", npy("<f4", False, (n,), values))[0] == {"data": ("F32", [n], values)}
        turned = converted("a.npy", npy("<f4", True, (4, n // 4), values))[0]["data"][2]
        assert turned == b"".join(values[i:i + 4] for row in range(4) for i in range(row * 4, len(values), 16))


def gguf(tensors):
    """name: (type, dimensions as GGUF has them, bytes)"""
    head, at = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 0), 0
    for name, (kind, dims, data) in tensors.items():
        head += struct.pack("<Q", len(name)) + name.encode() + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, at)
        at += len(data) + -len(data) % 32
    return head + bytes(-len(head) % 32) + b"".join(d + bytes(-len(d) % 32) for _, _, d in tensors.values())


def test_ggufs_plain_types_with_their_dimensions_turned():
    content = gguf({"w": (0, (4, 3), TWELVE), "n": (0, (4,), TWELVE[:16])})
    got, _, _ = converted("a.gguf", content, "--drop-code")
    assert got == {"w": f32(*range(12), shape=(3, 4)), "n": f32(0, 1, 2, 3)}
    quantised = gguf({"w": (0, (4, 3), TWELVE), "q": (8, (32,), bytes(34))})
    write(f"{ROOT}/q.gguf", quantised)
    assert run("q.gguf", "-o", OUT).returncode == 1 and not os.path.exists(OUT)
    _, _, report = converted("q.gguf", quantised, "--drop-code")
    assert list(left(report)) == ["q"]


# -- what does not become a tensor

EVIL = torch.Call(torch.G("posix", "system"), "touch CANARY")


def test_code_is_left_behind_and_does_not_run():
    content = torch.checkpoint({"w": torch.tensor(), "x": EVIL})
    refused("evil.pt", content, 1, "--drop-code")
    got, metadata, report = converted("evil.pt", content, "--drop-code")
    assert got == {"w": ("F32", [4], torch.FLOATS)} and metadata["source_verdict"] == "reject"
    assert "pickle-global-dangerous" in [f["code"] for f in report["source"]["findings"]]
    assert left(report) == {"x": "no tensor"} and not os.path.exists(f"{ROOT}/CANARY")


def test_two_tensors_of_one_name_are_an_error():
    two = {"a.b": torch.tensor(), "a": {"b": torch.tensor(torch.storage(key="1"))}}
    for more in ((), ("--drop-code",)):
        refused("two.pt", torch.checkpoint(two, {k: torch.FLOATS for k in "01"}), 1, "would have this name: a.b", *more)


def test_what_is_no_plain_tensor_is_an_error_unless_it_may_be_left():
    conjugated = torch.tensor(torch.storage("ComplexFloatStorage", "1", 2), size=(2,), metadata={"conj": True})
    content = torch.checkpoint({"w": torch.tensor(), "c": conjugated}, {"0": torch.FLOATS, "1": TWELVE[:16]})
    refused("conj.pt", content, 1, "conjugated, or without elements: c")
    assert "c" in left(converted("conj.pt", content, "--drop-code")[2])
    unreachable = {"w": torch.tensor(), "x": torch.Call(torch.G("builtins", "id"), torch.tensor(torch.storage(key="1")))}
    content = torch.checkpoint(unreachable, {k: torch.FLOATS for k in "01"})
    assert list(converted("held.pt", content, "--drop-code")[0]) == ["w"]


def test_small_files_do_not_become_large_ones():
    content = torch.checkpoint({"x": torch.tensor(size=(1 << 20, 1 << 10), stride=(0, 0))})
    refused("large.pt", content, 1, "far more room", "--drop-code")


def test_names_that_are_taken_or_that_safetensors_does_not_have():
    for name in ("__metadata__", "format", "source_sha256", ""):
        write(f"{ROOT}/named.pt", torch.checkpoint({name: torch.tensor()}))
        done = run("named.pt", "-o", OUT)
        assert done.returncode == 1 and not os.path.exists(OUT), done


def initializer(name, dims, raw):
    return b"".join(protobuf.num(1, d) for d in dims) + protobuf.num(2, 1) + protobuf.blob(
        8, name) + protobuf.blob(9, raw)


def test_initializers_of_a_graph_and_not_its_constants():
    node = protobuf.blob(2, "y") + protobuf.blob(4, "Constant") + protobuf.blob(5, protobuf.blob(1, "value") + protobuf.num(
        20, 4) + protobuf.blob(5, initializer("in_node", (2,), TWELVE[:8])))
    kind = protobuf.blob(1, protobuf.num(1, 1) + protobuf.blob(2, protobuf.many(1, [protobuf.num(1, 2)])))
    graph = protobuf.many(1, [node]) + protobuf.blob(2, "g") + protobuf.many(
        5, [initializer("w", (3, 4), TWELVE), initializer("b", (2,), TWELVE[8:16])]) + protobuf.blob(
            12, protobuf.blob(1, "y") + protobuf.blob(2, kind))
    model = protobuf.num(1, 8) + protobuf.blob(7, graph) + protobuf.blob(8, protobuf.num(2, 17))
    got, _, report = converted("graph.onnx", model)
    assert got == {"w": f32(*range(12), shape=(3, 4)), "b": f32(2, 3)}, got
    assert list(left(report)) == ["in_node"], report["left"]


def test_data_sets_of_hdf5():
    folder = f"{OPTIONS['corpus']}/hdf5"
    with open(f"{folder}/cases.jsonl", encoding="utf-8") as f:
        accepted = [c["file"] for c in map(json.loads, f) if c["expect"] == ["accept"]]
    said = [run(f"{folder}/files/{file}", "-o", OUT, "--force").stderr.decode() for file in accepted]
    made = said.count("")
    assert made > 10 and made + sum("in no run of bytes" in s or "it has no tensors" in s for s in said) == len(said), said
    os.unlink(OUT)


def numpy_or_skip():
    try:
        import numpy
    except ImportError as missing:
        raise tap.Skip("no numpy") from missing
    return numpy


class Kept:
    """An object whose attributes are arrays, as an estimator's are."""


def test_arrays_of_a_pickle_are_named_by_the_way_to_them():
    numpy = numpy_or_skip()
    w = numpy.arange(6, dtype="<f4").reshape(2, 3)
    value = {"w": w, "turned": numpy.asfortranarray(w), "big": w.astype(">f4"), 7: numpy.float64(1.5), "tied": w,
             "deep": {"list": [w[:1].copy(), (numpy.zeros((0, 3), "<f4"), "text")]}, "words": numpy.array(["a"]),
             "none": None}
    same = ("F32", [2, 3], w.tobytes())
    for protocol in (3, 4, 5):
        got, metadata, report = converted("a.pkl", pickle.dumps(value, protocol))
        assert got == {n: same for n in ("big", "tied", "turned")} | {
            "deep.list.0": ("F32", [1, 3], w[:1].tobytes()), "deep.list.1.0": ("F32", [0, 3], b"")}, (protocol, got)
        assert metadata["w"] == "tied" and report["aliases"] == {"w": "tied"}
        assert left(report) == {n: "no tensor" for n in ("deep.list.1.1", "words", "none")}, report["left"]
    packed = gzip.compress(pickle.dumps(w, 4))
    assert converted("a.pkl.gz", packed)[0] == {"data": same}
    refused("text.pkl", pickle.dumps({"w": w}, 2), 1, "in no run of bytes: w")
    assert left(converted("text.pkl", pickle.dumps({"w": w, "x": w.astype("<f8")[:0]}, 2), "--drop-code")[2])["w"]
    records = numpy.zeros(2, [("a", "<f4"), ("b", "<i4")])
    refused("records.pkl", pickle.dumps([w, records], 4), 1, "elements are records: 1")


def test_attributes_of_objects_stand_for_themselves():
    numpy = numpy_or_skip()
    inner, outer = Kept(), Kept()
    inner.coef_, outer.mean_ = numpy.ones(2, "<f4"), numpy.zeros(3, "<f4")
    outer.steps = [("first", inner)]
    content = pickle.dumps(outer, 4)
    refused("object.pkl", content, 1, "--drop-code")
    got = converted("object.pkl", content, "--drop-code")[0]
    assert got == {"mean_": f32(0, 0, 0), "steps.0.1.coef_": f32(1, 1)}, got


def test_what_is_compressed_is_converted_as_what_is_in_it():
    content = safetensors_of({"a": f32(1, 2)})
    assert converted("a.safetensors.gz", gzip.compress(content))[0] == {"a": f32(1, 2)}
    refused("a.txt.gz", gzip.compress(b"text, and no more\n"), 1, "files of this format are not converted yet")


# -- tensors in other files

def several(*names, more=()):
    done = run(*names, "-o", OUT, "--force", "--format", "json", *more)
    if done.returncode != 0:
        assert not os.path.exists(OUT)
        return done.stderr.decode(), None
    assert done.stderr == b"", done
    tensors, metadata = made("out.safetensors")
    os.unlink(OUT)
    return tensors, (metadata, json.loads(done.stdout))


def external(name, dims, place, offset, length, kind=1):
    told = (("location", place), ("offset", str(offset)), ("length", str(length)))
    return b"".join(protobuf.num(1, d) for d in dims) + protobuf.num(2, kind) + protobuf.blob(8, name) + b"".join(
        protobuf.blob(13, protobuf.blob(1, k) + protobuf.blob(2, v)) for k, v in told) + protobuf.num(14, 1)


def model_of(initializers):
    kind = protobuf.blob(1, protobuf.num(1, 1) + protobuf.blob(2, protobuf.many(1, [protobuf.num(1, 2)])))
    graph = protobuf.many(1, [protobuf.blob(1, "w") + protobuf.blob(2, "y") + protobuf.blob(4, "Identity")]) + protobuf.blob(
        2, "g") + protobuf.many(5, initializers) + protobuf.blob(12, protobuf.blob(1, "y") + protobuf.blob(2, kind))
    return protobuf.num(1, 8) + protobuf.blob(7, graph) + protobuf.blob(8, protobuf.num(2, 17))


def test_initializers_that_are_in_other_files():
    body = TWELVE + floats(*range(20, 24))
    outside = [external("w", (3, 4), "m.data", 0, 48), external("b", (4,), "m.data", 48, 16)]
    write(f"{ROOT}/m.data", body)
    write(f"{ROOT}/m.onnx", model_of(outside))
    got, (metadata, report) = several("m.onnx", "m.data")
    assert got == {"w": f32(*range(12), shape=(3, 4)), "b": f32(20, 21, 22, 23)} and report["unchecked"] == [], (got, report)
    digests = [hashlib.sha256(x).hexdigest() for x in (model_of(outside), body)]
    assert metadata["source_sha256"] == ",".join(digests) and metadata["source_verdict"] == "accept,accept"
    assert several("m.data", "m.onnx")[0] == got
    mixed = outside + [initializer("own", (2,), TWELVE[:8]), external("tied", (3, 4), "m.data", 0, 48)]
    write(f"{ROOT}/m.onnx", model_of(mixed))
    got, (metadata, report) = several("m.onnx", "m.data")
    assert got == {"w": f32(*range(12), shape=(3, 4)), "b": f32(20, 21, 22, 23), "own": f32(0, 1)}, got
    assert metadata["tied"] == "w" and report["left"] == [], report
    write(f"{ROOT}/m.onnx", model_of(outside + [external("other", (1,), "n.data", 0, 4)]))
    assert "n.data" in several("m.onnx", "m.data")[0]
    write(f"{ROOT}/m.onnx", model_of(outside))
    write(f"{ROOT}/m.data", body[:-4])
    assert "not accepted" in several("m.onnx", "m.data")[0]
    assert "m.data" in several("2.safetensors", "m.data", more=["--drop-code"])[0]
    write(f"{ROOT}/m.data", body)
    assert "--dtype" in several("m.onnx", "m.data", more=["--dtype", "F16"])[0]
    for name in ("m.onnx", "m.data"):
        os.unlink(f"{ROOT}/{name}")


def test_a_checkpoint_of_tensorflow_is_its_index_and_its_data():
    folder = f"{OPTIONS['corpus']}/tf-checkpoint/files"

    def of(name, *files):
        return several(*(f"{folder}/{name}/{file}" for file in files))
    got, (metadata, report) = of("set-two", "m.index", "m.data-00000-of-00002", "m.data-00001-of-00002")
    assert got == {"a": ("F32", [2], bytes(range(1, 9))), "b": ("F32", [2], bytes(range(9, 17)))}, got
    assert report["unchecked"] == [] and metadata["source_verdict"] == "accept,accept,accept"
    assert len(of("set-sound", "m.index", "m.data-00000-of-00001")[0]) > 2
    assert "data-00001-of-00002" in of("set-two", "m.index", "m.data-00000-of-00002")[0]
    assert "not accepted" in of("set-short", "m.index", "m.data-00000-of-00001")[0]
    assert "it has no tensors" in of("set-text", "m.index", "m.data-00000-of-00001")[0]


def test_other_formats_are_named():
    for name in ("tflite", "ctranslate2", "mxnet"):
        folder = f"{OPTIONS['corpus']}/{name}"
        with open(f"{folder}/cases.jsonl", encoding="utf-8") as f:
            case = next(c for c in map(json.loads, f) if c["expect"] == ["accept"])
        with open(f"{folder}/files/{case['file']}", "rb") as f:
            said = refused(case["file"], f.read(), 1, "files of this format are not converted yet")
        assert f"({name}, accept)" in said, said


def test_the_report_is_what_its_schema_says():
    try:
        import jsonschema
    except ImportError as missing:
        raise tap.Skip("no jsonschema") from missing
    with open(os.path.join(os.path.dirname(OPTIONS["schema"]), "convert.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    report = converted("schema.pt", torch.checkpoint({"a": torch.Put(77, torch.tensor()), "b": torch.Get(77), "c": 1}))[2]
    jsonschema.validate(report, schema)


def test_every_file_of_the_corpora_becomes_an_accepted_file_or_none():
    made = 0
    for name in ("pytorch", "pytorch-models", "numpy", "deathtensors", "gguf", "flax", "pytorch-attacks", "wrappers"):
        for folder, _, files in os.walk(f"{OPTIONS['corpus']}/{name}/files"):
            for file in sorted(files)[::3]:
                done = run(f"{folder}/{file}", "-o", OUT, "--drop-code")
                assert done.returncode in (0, 1, 2), (file, done)
                assert os.path.exists(OUT) == (done.returncode == 0) and bool(done.stderr) != (done.returncode == 0), (file, done)
                if done.returncode == 0:
                    with open(OUT, "rb") as f:
                        made += len(parse(f.read())[0]) > 0
                    os.unlink(OUT)
    assert made > 50, made


tap.main(globals())
