"""The manifest beside other readers' idea of the same files: what plain Python, zipfile and NumPy see in a file, weighlock
lists, with the same names, types, shapes, places and bytes."""
import collections
import hashlib
import io
import json
import math
import os
import pickle
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

import tap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from torch_writer import Call, G, Raw, legacy, legacy_storage, state, tensor  # noqa: E402 pylint: disable=wrong-import-position

try:
    import joblib
    import numpy as np
except ImportError:
    joblib = np = None

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
SIZES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4,
         "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8, "C64": 8}
NUMPY = {"?": "BOOL", "u1": "U8", "i1": "I8", "<i2": "I16", ">i2": "I16", "<u2": "U16", "<i4": "I32", "<u4": "U32",
         "<i8": "I64", ">i8": "I64", "<u8": "U64", "<f2": "F16", "<f4": "F32", ">f4": "F32", "<f8": "F64", "<c8": "C64",
         "<c16": "C128"}


def scan(paths, *options):
    done = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", *options, "--", *paths],
                          capture_output=True, timeout=300, check=False)
    return dict(zip(paths, [json.loads(line) for line in done.stdout.splitlines()], strict=True))


def listed(paths):
    return scan(paths, "--tensors", "--tensor-digests")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def shown(name):
    """What a verdict makes of a name of letters that everybody can see."""
    return name.replace("\\", "\\\\")


def same(got, expected, what):
    assert got["tensors_listed"] is True, (what, got["verdict"], [f["code"] for f in got["findings"]])
    got["tensors"] = [{k: v for k, v in t.items() if k != "stats"} for t in got["tensors"]]
    assert got["tensors"] == expected, (what, got["tensors"][:3], expected[:3])


# -- safetensors, written and read by nothing but struct and json --


def write_safetensors(r, path):
    entries, data = [], bytearray()
    for i in range(r.choice((0, 1, 2, 17, 300))):
        dtype = r.choice(list(SIZES))
        shape = [r.choice((0, 1, 2, 3, 7)) for _ in range(r.randrange(5))]
        n = math.prod(shape) * SIZES[dtype]
        name = "".join(r.choice('abcXYZ019._-/"\\äπ語😀 ') for _ in range(r.randrange(1, 40))) + f"#{i}"
        entries.append((name, {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + n]}))
        data += bytes(r.getrandbits(1) for _ in range(n)) if dtype == "BOOL" else r.randbytes(n)
    r.shuffle(entries)
    if r.random() < 0.5:
        entries.insert(r.randrange(len(entries) + 1), ("__metadata__", {"format": "pt"}))
    header = json.dumps(dict(entries), separators=r.choice(((",", ":"), (", ", ": "))),
                        ensure_ascii=r.random() < 0.5).encode()
    header += b" " * (-len(header) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(header)) + header + data)


def read_safetensors(path):
    with open(path, "rb") as f:
        content = f.read()
    at = 8 + struct.unpack("<Q", content[:8])[0]
    rows = []
    for name, e in json.loads(content[8:at]).items():
        if name != "__metadata__":
            begin, end = (at + offset for offset in e["data_offsets"])
            rows.append({"name": shown(name), "dtype": e["dtype"], "shape": e["shape"], "offsets": [begin, end],
                         "sha256": sha256(content[begin:end])})
    return rows


def test_random_safetensors_files_are_listed_as_python_reads_them():
    r = random.Random(20261121)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{i}.safetensors") for i in range(40)]
        for path in paths:
            write_safetensors(r, path)
        for path, got in listed(paths).items():
            same(got, read_safetensors(path), path)


def test_digests_are_asked_for_on_their_own():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.safetensors")
        write_safetensors(random.Random(3), path)
        expected = read_safetensors(path)
        plain, rows = scan([path])[path], scan([path], "--tensors")[path]
        assert expected and "tensors" not in plain and "tensors_listed" not in plain
        same(rows, [{k: v for k, v in e.items() if k != "sha256"} for e in expected], path)


# -- numbers --

LANES = 32


def sum_in_order(values):
    """As lib/engine/stats.h says: element i is added to sum i % 32, then each half to the other."""
    sums = [0.0] * LANES
    for i, v in enumerate(values):
        sums[i % LANES] += v
    half = LANES // 2
    while half:
        sums[:half] = [a + b for a, b in zip(sums[:half], sums[half:2 * half])]
        half //= 2
    return sums[0]


def stats_of(values):
    finite = [v for v in values if math.isfinite(v)]
    made = {"elements": len(values)}
    if finite:
        total = sum_in_order([v if math.isfinite(v) else 0.0 for v in values])
        made |= {"min": min(finite) + 0.0, "max": max(finite) + 0.0, "mean": total / len(finite)}
    if values:
        made["zero_share"] = finite.count(0) / len(values)
    if len(finite) < len(values):
        made["nonfinite"] = len(values) - len(finite)
    return made


def test_statistics_are_those_of_the_numbers_to_the_last_bit():
    r = random.Random(9)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.safetensors")
        types = {"F64": "d", "F32": "f", "F16": "e", "I8": "b", "U8": "B", "I16": "h", "U16": "H", "I32": "i", "U32": "I"}
        entries, data, expected = {}, b"", {}
        for dtype, code in types.items():
            for n in (0, 1, 31, 32, 33, 5000):
                part = b"".join(r.choice((r.randbytes(struct.calcsize(code)), bytes(struct.calcsize(code)))) for _ in range(n))
                name = f"{dtype}-{n}"
                entries[name] = {"dtype": dtype, "shape": [n], "data_offsets": [len(data), len(data) + len(part)]}
                expected[name] = stats_of([float(v) for v in struct.unpack(f"<{n}{code}", part)])
                data += part
        header = json.dumps(entries).encode()
        with open(path, "wb") as f:
            f.write(struct.pack("<Q", len(header)) + header + data)
        rows = scan([path], "--tensors")[path]["tensors"]
        assert len(rows) == len(expected)
        for row in rows:
            want = {k: v for k, v in expected[row["name"]].items() if math.isfinite(v)}  # a sum beyond a double is none
            assert row["stats"] == want, (row, want)


# -- NumPy --


def arrays(r):
    """Arrays of every type: those that hold numbers hold none that would be found."""
    for descr in NUMPY:
        shape = tuple(r.choice((0, 1, 2, 5)) for _ in range(r.randrange(4)))
        yield descr, np.asarray(np.random.default_rng(r.randrange(1000)).integers(0, 2, shape)).astype(descr)
    yield "fortran", np.asfortranarray(np.arange(12, dtype="<f4").reshape(3, 4))


def row_of(array, name, begin):
    """Its elements as they lie in the file: in the order of Fortran when NumPy writes them so."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    data = array.tobytes("F" if fortran else "C")
    descr = array.dtype.str.replace("|b1", "?").lstrip("|")
    return {"name": name, "dtype": NUMPY[descr], "shape": list(array.shape), "offsets": [begin, begin + len(data)],
            "sha256": sha256(data)}


def data_at(content):
    """Where the elements of an array begin in its file."""
    size = struct.unpack_from("<H", content, 8)[0] if content[6] == 1 else struct.unpack_from("<I", content, 8)[0]
    return (10 if content[6] == 1 else 12) + size


def test_arrays_are_listed_as_numpy_reads_them():
    if np is None:
        raise tap.Skip("python3-numpy is missing")
    with tempfile.TemporaryDirectory() as folder:
        expected = {}
        for i, (_, array) in enumerate(arrays(random.Random(1))):
            path = os.path.join(folder, f"{i}.npy")
            np.save(path, array)
            with open(path, "rb") as f:
                expected[path] = row_of(np.load(path), "data", data_at(f.read()))
        for path, got in listed(list(expected)).items():
            same(got, [expected[path]], path)


def rows_of_archive(path, compressed):
    rows = []
    with zipfile.ZipFile(path) as z, open(path, "rb") as f:
        whole = f.read()
        for info in z.infolist():
            content = z.read(info)
            begin = data_at(content)
            if not compressed: # the member's bytes stand in the file, behind its local header
                name_n, extra_n = struct.unpack_from("<HH", whole, info.header_offset + 26)
                begin += info.header_offset + 30 + name_n + extra_n
            key = info.filename.removesuffix(".npy")
            row = row_of(np.load(path)[key], key, begin)
            rows.append({**{k: v for k, v in row.items() if k != "sha256"}, "member": info.filename,
                         "sha256": row["sha256"]})
    return rows


def test_archives_are_listed_as_numpy_reads_them():
    if np is None:
        raise tap.Skip("python3-numpy is missing")
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for seed in range(4):
            content = {f"k{i}": array for i, (_, array) in enumerate(arrays(random.Random(seed)))}
            for compressed in (False, True):
                path = os.path.join(folder, f"{seed}-{compressed}.npz")
                (np.savez_compressed if compressed else np.savez)(path, **content)
                paths[path] = compressed
        for path, got in listed(list(paths)).items():
            same(got, rows_of_archive(path, paths[path]), path)


# -- what says nothing of shapes: one dimension --


def test_pickled_arrays_are_listed_by_their_elements():
    if joblib is None:
        raise tap.Skip("python3-joblib or python3-numpy is missing")
    value = {"w": np.arange(35, dtype="<f4").reshape(5, 7), "b": np.arange(5, dtype="<i8")}
    with tempfile.TemporaryDirectory() as folder:
        for coding in (0, ("zlib", 3), ("xz", 3)):
            path = os.path.join(folder, "m.joblib")
            joblib.dump(value, path, compress=coding)
            got = listed([path])[path]
            rows = {row["name"]: row for row in got["tensors"]}
            assert got["tensors_listed"] and set(rows) == set(value), got["tensors"]
            for name, array in value.items():
                assert rows[name]["shape"] == [array.size], rows[name]
                assert rows[name]["dtype"] == NUMPY[array.dtype.str]
                assert rows[name]["sha256"] == sha256(array.tobytes())


def test_list_that_is_not_all_says_so():
    if np is None:
        raise tap.Skip("python3-numpy is missing")
    with tempfile.TemporaryDirectory() as folder:
        objects, text, empty = (os.path.join(folder, n) for n in ("o.npy", "t.pkl", "e.pkl"))
        np.save(objects, np.array([1, "x", None], dtype=object))
        for path, value in ((text, np.arange(3, dtype="<f4")), (empty, np.zeros(0, dtype="<f4"))):
            with open(path, "wb") as f: # protocol 2 spells bytes as text
                pickle.dump({"w": value}, f, protocol=2 if path == text else 4)
        for path, got in listed([objects, text, empty]).items():
            assert got["complete"] and got["tensors"] == [] and got["tensors_listed"] is False, (path, got)


def test_array_in_a_legacy_checkpoint_is_not_listed():
    """torch.load() makes a tensor of it, whose bytes stand in the pickle."""
    content = Raw(b"C\x08" + bytes(8))
    array = Call(G("numpy.core.numeric", "_frombuffer"), content, Call(G("numpy", "dtype"), "f4", False, True), (2,), "C")
    made = Call(G("torch._utils", "_rebuild_device_tensor_from_numpy"), array, G("torch", "float32"), "cpu", False)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a.pt", "b.pt")]
        for path, value in zip(paths, (state(a=tensor(legacy_storage())), state(a=tensor(legacy_storage()), b=made))):
            with open(path, "wb") as f:
                f.write(legacy(value, pickle=3))
        got = listed(paths)
        assert [got[p]["verdict"] for p in paths] == ["accept", "accept"], got
        assert [got[p]["tensors_listed"] for p in paths] == [True, False], got


def test_storages_of_checkpoints_are_listed_as_zipfile_reads_them():
    folder = os.path.join(OPTIONS["corpus"], "pytorch-models", "files")
    paths = [p for p in (os.path.join(folder, n) for n in sorted(os.listdir(folder))) if zipfile.is_zipfile(p)]
    checked = 0
    for path, got in listed(paths).items():
        if got["format"] != "pytorch" or not got["tensors_listed"]:
            continue
        with zipfile.ZipFile(path) as z:
            for row in got["tensors"]:
                content = z.read(row["member"])
                assert row["sha256"] == sha256(content), (path, row)
                assert row["offsets"][1] - row["offsets"][0] == len(content), (path, row)
                with open(path, "rb") as f:
                    f.seek(row["offsets"][0])
                    assert f.read(len(content)) == content, (path, row)
                checked += 1
            storages = [n for n in z.namelist() if "/data/" in n]
            assert len(got["tensors"]) == len(storages), (path, storages)
    assert checked > 10, checked


class Anything:
    """What a checkpoint names besides tensors."""

    def __init__(self, *_):
        pass

    def __setstate__(self, _):
        pass

    def __setitem__(self, *_):
        pass


class ShapeReader(pickle.Unpickler):
    """Resolves no name: a tensor is noted as the shape of its storage when it is all of it, row by row."""

    def __init__(self, f, shapes):
        super().__init__(f, encoding="latin-1")
        self.shapes = shapes

    def persistent_load(self, pid):
        return pid

    def find_class(self, module, name):
        if name == "OrderedDict":
            return collections.OrderedDict
        return self.rebuild if name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_qtensor") else Anything

    def rebuild(self, storage, offset, size, stride, *_):
        strides = [math.prod(size[i + 1:]) for i in range(len(size))]
        whole = offset == 0 and math.prod(size) == storage[4]
        if whole and (0 in size or all(n == 1 or a == b for n, a, b in zip(size, stride, strides))):
            self.shapes.setdefault(storage[2], list(size))
        return Anything()


def shapes_in_zip(path, rows):
    shapes = {}
    with zipfile.ZipFile(path) as z:
        data = [n for n in z.namelist() if n.endswith("/data.pkl")]
        ShapeReader(io.BytesIO(z.read(data[0])), shapes).load()
    return [shapes.get(row["member"].rsplit("/", 1)[1]) for row in rows]


def shapes_in_legacy(path, _):
    """Magic, version, system, what was saved, keys in the order of their storages."""
    shapes = {}
    with open(path, "rb") as f:
        keys = [ShapeReader(f, shapes).load() for _ in range(5)][4]
    return [shapes.get(key) for key in keys]


def test_storages_of_checkpoints_have_the_shape_of_the_tensor_they_are():
    folder = os.path.join(OPTIONS["corpus"], "pytorch-models", "files")
    readers = {"pytorch": shapes_in_zip, "pytorch-legacy": shapes_in_legacy}
    ranks = {format: set() for format in readers}
    for path, got in listed([os.path.join(folder, n) for n in sorted(os.listdir(folder))]).items():
        if got["format"] not in readers or not got["tensors_listed"]:
            continue
        for row, shape in zip(got["tensors"], readers[got["format"]](path, got["tensors"]), strict=True):
            flat = [(row["offsets"][1] - row["offsets"][0]) // {**SIZES, "C128": 16}[row["dtype"]]]
            assert row["shape"] == (flat if shape is None or len(shape) > 8 else shape), (path, row, shape)
            ranks[got["format"]].add(len(row["shape"]))
    assert all(len(r) > 1 for r in ranks.values()), ranks


def tensor_over(key, numel, size, stride):
    """Opcodes of a tensor from the beginning of a storage of floats."""
    def numbers(values):
        return b"(" + b"".join(b"K%c" % v for v in values) + b"t"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n((U\7storagectorch\nFloatStorage\nU\1%dU\3cpuK%ctQK\0" % (key, numel)
            + numbers(size) + numbers(stride) + b"\x89ccollections\nOrderedDict\n)RtR")


def test_what_is_not_all_of_a_storage_is_not_its_shape():
    views = ((0, 6, (2, 3), (3, 1), [2, 3]), (1, 6, (2, 3), (1, 2), [6]), (2, 6, (2, 2), (2, 1), [6]),
             (3, 1, (), (), []), (4, 6, (1,) * 8 + (6,), (6,) * 8 + (1,), [6]))
    body = b"".join(b"U\1%d" % v[0] + tensor_over(*v[:4]) for v in views)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pt")
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("m/data.pkl", b"\x80\2}(" + body + b"u.")
            for key, numel, *_ in views:
                z.writestr(f"m/data/{key}", bytes(4 * numel))
            z.writestr("m/version", "3\n")
        rows = listed([path])[path]["tensors"]
    assert [(r["name"], r["shape"]) for r in rows] == [(str(v[0]), v[4]) for v in views], rows


# -- every file of every corpus --


def corpus_files():
    for name in sorted(os.listdir(OPTIONS["corpus"])):
        folder = os.path.join(OPTIONS["corpus"], name, "files")
        if os.path.isdir(folder):
            paths = (os.path.join(folder, n) for n in sorted(os.listdir(folder)))
            yield [p for p in paths if os.path.isfile(p) and not os.path.islink(p)]


def check_rows(path, verdict):
    """Of what is not inside a member, offsets are those of the file."""
    with open(path, "rb") as f:
        content = f.read()
    for row in verdict["tensors"]:
        assert not verdict["tensors_listed"] or "sha256" in row, (path, row)
        if "member" in row:
            continue
        begin, end = row["offsets"]
        assert begin <= end <= len(content), (path, row)
        assert "sha256" not in row or row["sha256"] == sha256(content[begin:end]), (path, row)


def test_asking_changes_nothing_and_what_is_listed_is_there():
    seen, share = 0, 200 if OPTIONS["sanitized"] == "false" else 50  # of each 200: sanitizers look at all of them in other tests
    for paths in corpus_files():
        for i in range(0, len(paths), 200):
            batch = paths[i:i + share]
            plain, rows = scan(batch), listed(batch)
            for path in batch:
                assert plain[path]["verdict"] == rows[path]["verdict"], path
                assert plain[path]["findings"] == rows[path]["findings"], path
                assert plain[path].get("weights") == rows[path].get("weights"), path
                check_rows(path, rows[path])
                seen += len(rows[path]["tensors"])
    assert seen > 1000, seen


tap.main(globals())
