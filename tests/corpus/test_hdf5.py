"""Our HDF5 reader beside HDF5's own: what h5py writes is never rejected, and taken when it is in the subset; the weights that
are counted are those that NumPy counts; damage never passes for another file.

Skipped where h5py is not installed."""
import io
import json
import os
import random
import subprocess
import sys
import tempfile

import tap

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK = OPTIONS["weighlock"]
SEED = 20240611
LIBVERS = ("earliest", "v108", "v110", "latest")
NUMBERS = ("<f2", "<f4", "<f8", ">f2", ">f4", ">f8", "i1", "u1", "<i2", ">u2", "<i4", ">u4", "<i8", "<u8", "?")
# Outside of the subset: for a person to look at.
REVIEWED = {"h5-unsupported", "h5-datatype", "h5-reference", "h5-shared-message", "h5-object-shared"}


def need():
    if h5py is None:
        raise tap.Skip("no h5py")


def scan(files):
    """Verdicts of files, by name."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, data in files.items():
            paths[name] = os.path.join(folder, name + ".h5")
            with open(paths[name], "wb") as f:
                f.write(data)
        done = subprocess.run([WEIGHLOCK, "scan", "--format", "json", "--", *paths.values()], capture_output=True,
                              timeout=600, check=False)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(verdicts) == len(files), (done.returncode, done.stderr[-500:])
    return dict(zip(paths, verdicts))


def codes_of(verdict):
    return {f["code"] for f in verdict["findings"]}


def written(libver, write):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", libver=(libver, "latest")) as f:
        write(f)
    return buffer.getvalue()


def array(rng, dtype, shape):
    """Numbers, some of them none."""
    n = int(np.prod(shape, dtype=int))
    if np.dtype(dtype).kind == "f":
        flat = np.array([rng.choice((0.5, 1, 2, float("nan"), float("inf"), float("-inf")) if rng.random() < 0.2 else (1, 2))
                         for _ in range(n)])
    else:
        flat = np.array([rng.randrange(2) for _ in range(n)])
    return flat.astype(dtype).reshape(shape)


def shapes(rng):
    return tuple(rng.randrange(1, 8) for _ in range(rng.randrange(0, 4)))


def numbers(rng, f):
    for i in range(rng.randrange(1, 6)):
        shape = shapes(rng)
        how = {}
        if shape and rng.random() < 0.5:
            how["chunks"] = tuple(rng.randrange(1, n + 1) for n in shape)
        f.create_dataset(f"layer_{i}/kernel:0", data=array(rng, rng.choice(NUMBERS), shape), **how)


def attributes(rng, f):
    for i in range(rng.randrange(1, 12)):
        f.attrs[f"a{i}"] = rng.choice(("text", b"bytes", 1, 2.5, [1, 2, 3], np.array([b"a", b"bcd"]), "", "\u00e9",
                                       np.array(["x", "yy"], dtype=object), True))


def many(rng, f):
    for i in range(rng.randrange(5, 120)):
        g = f.create_group(f"group_{i}", track_order=rng.random() < 0.3)
        if rng.random() < 0.3:
            g.create_dataset("w", data=array(rng, "<f4", (3,)))


def crowded(rng, f):
    """So many that heaps have blocks of blocks, now and then."""
    for i in range(rng.randrange(1, 900)):
        f.attrs[f"attribute {i}"] = np.zeros(rng.randrange(1, 300), dtype="<f4")


def grown(rng, f):
    """Each index of chunks: by how many dimensions grow without end, and how far."""
    for i in range(4):
        shape = tuple(rng.randrange(1, 25) for _ in range(rng.randrange(1, 4)))
        most = tuple(rng.choice((None, n, n + rng.randrange(90))) for n in shape)
        chunks = tuple(rng.randrange(1, n + 1) for n in shape)
        d = f.create_dataset(f"layer_{i}/kernel:0", shape, dtype=rng.choice(NUMBERS), chunks=chunks, maxshape=most)
        d[tuple(slice(n // 3, None) for n in shape)] = array(rng, d.dtype, tuple(n - n // 3 for n in shape))
        if d.nbytes < 500:  # what is left behind is nobody's
            d.resize(tuple(rng.randrange(1, n + 1) for n in shape))


def keras(rng, f):
    layers = [{"class_name": "Dense", "config": {"name": f"dense_{i}", "units": 4}} for i in range(rng.randrange(1, 40))]
    f.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": layers}})
    f.attrs["keras_version"] = b"2.11.0"
    f.attrs["backend"] = b"tensorflow"
    g = f.create_group("model_weights")
    g.attrs["layer_names"] = np.array([layer["config"]["name"].encode() for layer in layers])
    for layer in layers:
        name = layer["config"]["name"]
        h = g.create_group(name)
        h.attrs["weight_names"] = np.array([(name + "/kernel:0").encode()])
        h.create_dataset(name + "/kernel:0", data=array(rng, "<f4", (3, 4)))


def outside(rng, f):
    kind = rng.randrange(4)
    if kind == 0:
        f.create_dataset("a", data=np.array([(1, 2.5)], dtype=[("x", "i4"), ("y", "f4")]))
    elif kind == 1:
        f.create_dataset("a", data=["x", "yy"], dtype=h5py.string_dtype())
    elif kind == 2:
        f.create_dataset("a", data=array(rng, "<f4", (64, 64)), chunks=(8, 8), compression="gzip")
    else:
        f["type"] = np.dtype("f4")
        f.create_dataset("a", data=array(rng, "<f4", (4,)))


WRITERS = (numbers, attributes, many, crowded, grown, keras, outside)


def honest():
    rng = random.Random(SEED)
    return {f"{w.__name__}-{libver}-{i}": written(libver, lambda f, w=w: w(rng, f))
            for w in WRITERS for libver in LIBVERS for i in range(12)}


def counted(data):
    """NaN and infinities in every float data set, by name."""
    found = {}

    def see(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            v = item[()]
            row = (int(np.isnan(v).sum()), int(np.isposinf(v).sum()), int(np.isneginf(v).sum()))
            if any(row):
                found[name] = row

    with h5py.File(io.BytesIO(data), "r") as f:
        f.visititems(see)
    return found


def listed(verdict):
    rows = {}
    for r in verdict["weights"]["nonfinite"]:
        row = rows.setdefault(r["tensor"], [0, 0, 0])
        for i, kind in enumerate(("nan", "pos_inf", "neg_inf")):
            row[i] += r[kind]
    return {name: tuple(row) for name, row in rows.items()}


def test_what_h5py_writes_is_never_rejected_and_counted_as_numpy_does():
    need()
    files = honest()
    wrong, accepted = [], 0
    for name, verdict in scan(files).items():
        rest = codes_of(verdict) - {"weights-nan", "weights-inf", "weights-inf-mask"}
        if name.startswith("grown"):
            rest -= {"h5-unclaimed-bytes"}
        accepted += not rest
        if verdict["verdict"] not in ("accept", "review") or not rest <= REVIEWED:
            wrong.append((name, verdict["verdict"], codes_of(verdict), verdict["findings"][:2]))
        elif rest and not name.startswith("outside"):
            wrong.append((name, "not in the subset", verdict["findings"][:2]))
        elif verdict["complete"] and listed(verdict) != counted(files[name]):
            wrong.append((name, listed(verdict), counted(files[name])))
    assert not wrong, wrong[:5]
    assert accepted > 150, accepted


def meaning(data):
    """Everything that a reader of models sees; None when the library refuses."""
    seen = []
    try:
        with h5py.File(io.BytesIO(data), "r") as f:
            def see(name, item):
                more = (str(item.dtype), item.shape, item[()].tobytes()) if isinstance(item, h5py.Dataset) else ()
                seen.append((name, sorted((k, str(v)) for k, v in item.attrs.items()), more))
            see("/", f)
            f.visititems(see)
    except Exception:  # noqa: BLE001 - h5py raises whatever the library says
        return None
    return seen


def small(libver):
    def write(f):
        f.attrs["model_config"] = '{"class_name": "Sequential", "config": []}'
        f.create_dataset("a/kernel:0", data=np.arange(6, dtype="<f4"))
        f.create_dataset("b", data=np.arange(6, dtype="<f4"), chunks=(4,))
    return written(libver, write)


def test_a_file_that_ends_early_is_never_accepted():
    need()
    for libver in ("earliest", "latest"):
        data = small(libver)
        cut = {f"{i}": data[:i] for i in range(0, len(data), max(1, len(data) // 150))}
        cut["last"] = data[:-1]
        passed = [n for n, v in scan(cut).items() if v["verdict"] in ("accept", "error")]
        assert not passed, (libver, passed)


def test_what_is_accepted_after_damage_the_library_reads():
    """Bits of weights and of texts make another model, which is none of our business; structure is."""
    need()
    rng = random.Random(SEED)
    for libver in ("earliest", "latest"):
        data = small(libver)
        flipped = {}
        for i in range(400):
            at, bit = rng.randrange(len(data)), rng.randrange(8)
            flipped[f"{at}-{bit}"] = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]
        wrong = []
        for name, verdict in scan(flipped).items():
            if verdict["verdict"] == "error" or (verdict["verdict"] == "accept" and meaning(flipped[name]) is None):
                wrong.append((name, verdict["verdict"], verdict["findings"][:1]))
        assert not wrong, (libver, len(wrong), wrong[:10])


def test_our_corpus_is_what_the_library_thinks_it_is():
    """What we accept it opens."""
    need()
    folder = OPTIONS["corpus"]
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    wrong = []
    for c in cases:
        with open(os.path.join(folder, "files", c["file"]), "rb") as f:
            data = f.read()
        if not c["codes"] and meaning(data) is None:
            wrong.append(c["file"])
    assert not wrong, wrong


tap.main(globals())
