"""weighlock convert beside the libraries: the tensors that come out are those that the library loads, bit by bit, and the reference
library opens every output."""
import json
import os
import subprocess
import tempfile

import child
import ours
import tap

FOLDER = tempfile.mkdtemp(prefix="converted-")

# Read here, not by us: the output as a dictionary of dtype, shape, bytes.
READ = """
import json, struct

def read(path):
    with open(path, "rb") as f:
        data = f.read()
    n = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + n])
    metadata = header.pop("__metadata__")
    tensors = {k: (v["dtype"], v["shape"], data[8 + n + v["data_offsets"][0]:8 + n + v["data_offsets"][1]])
               for k, v in header.items()}
    tensors.update({k: tensors[kept] for k, kept in metadata.items() if kept in tensors})
    return tensors

def differ(want, got):
    return [k for k in sorted(set(want) | set(got)) if k not in want or k not in got or want[k] != got[k]]
"""

NAMES = {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
         "int16": "I16", "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL",
         "complex64": "C64", "float8_e5m2": "F8_E5M2", "float8_e4m3fn": "F8_E4M3", "float8_e5m2fnuz": "F8_E5M2FNUZ",
         "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e8m0fnu": "F8_E8M0"}

TORCH = READ + f"""
import torch
NAMES = {NAMES!r}

def plain(t):
    t = t.detach().resolve_conj().contiguous().clone().reshape(-1)
    return t.view(torch.uint8).numpy().tobytes() if t.numel() else b""

def flat(o, at=""):
    if torch.is_tensor(o):
        return {{at or "tensor": (NAMES.get(str(o.dtype).split(".")[-1]), list(o.shape), plain(o))}}
    if isinstance(o, torch.nn.Module):
        o = o.state_dict()
    pairs = o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, (list, tuple)) else ()
    out = {{}}
    for k, v in pairs:
        out.update(flat(v, f"{{at}}.{{k}}" if at else str(k)))
    return out
"""

NUMPY = READ + f"""
import numpy
NAMES = {NAMES!r}

def row(a):
    return (NAMES[a.dtype.name], list(a.shape), a.astype(a.dtype.newbyteorder("<")).tobytes())
"""

LOADS = {
    "torch": (TORCH, "torch", "source, made = json.loads(data)\nvalue = differ(flat(torch.load(source, map_location='cpu', "
              "weights_only=True)), read(made))"),
    "safetensors": (TORCH + "import safetensors.torch\n", "safetensors", "source, made = json.loads(data)\n"
                    "value = differ(flat(safetensors.torch.load_file(source)), read(made))"),
    "numpy": (NUMPY, "numpy", """
source, made = json.loads(data)
loaded = numpy.load(source)
loaded = {k: loaded[k] for k in loaded.files} if hasattr(loaded, "files") else {"data": loaded}
value = differ({k: row(v) for k, v in loaded.items() if v.dtype.kind in "biufc" and v.dtype.name in NAMES}, read(made))
"""),
    "joblib": (NUMPY + """
import joblib

def flat(o, at=""):
    if isinstance(o, numpy.ndarray):
        return {at or "data": row(o)} if o.dtype.kind in "biufc" and o.dtype.name in NAMES else {}
    if not isinstance(o, (dict, list, tuple)):
        o = getattr(o, "__dict__", {})
    out = {}
    for k, v in o.items() if isinstance(o, dict) else enumerate(o):
        out.update(flat(v, f"{at}.{k}" if at else str(k)))
    return out

# An object in two places has its arrays under one of the names, and an extension type's are only seen in the pickle.
def missing(want, got):
    return [k for k, v in want.items() if (got[k] if k in got else v) != v or v not in got.values()]
""", "joblib", "source, made = json.loads(data)\nvalue = missing(flat(joblib.load(source)), read(made))"),
    "gguf": (NUMPY + "import gguf\n", "gguf", """
source, made = json.loads(data)
plain = {0: "F32", 1: "F16", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 30: "BF16"}
value = differ({t.name: (plain[int(t.tensor_type)], [int(n) for n in reversed(t.shape)], t.data.tobytes())
                for t in gguf.GGUFReader(source).tensors}, read(made))
"""),
    "h5py": (NUMPY + "import h5py\n", "h5py", """
source, made = json.loads(data)
want = {}
def visit(name, o):
    if isinstance(o, h5py.Dataset) and o.dtype.kind in "biufc":
        want[name] = row(o[()])
h5py.File(source).visititems(visit)
value = differ(want, read(made))
"""),
}

MAKE = """
import sys, torch, numpy
folder = sys.argv[1]
torch.manual_seed(0)
whole = torch.randn(6, 4, 5)
values = {
    "state": torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).state_dict(),
    "views": {"whole": whole, "same": whole, "turned": whole.permute(2, 0, 1), "part": whole[1:, ::2, 3], "one": whole[0, 0, 0],
              "spread": torch.ones(1).expand(3, 4), "last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
              "none": torch.zeros(0, 3)},
    "types": {str(t).split(".")[-1]: torch.zeros(3, dtype=t) + 1 for t in (torch.float64, torch.float16, torch.bfloat16,
              torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64)},
    "training": {"model": {f"l{i}": torch.randn(2) for i in range(300)}, "epoch": 3, "optimizer": {"state": {
        i: {"step": torch.tensor(float(i)), "exp_avg": torch.randn(2)} for i in range(300)}, "param_groups": [{"lr": 1}]}},
    "list": [torch.ones(2), {"k": torch.zeros(2)}, (torch.ones(1), 3)],
    "single": torch.randn(3, 3), "large": {"t": torch.randn(2500, 2400).t()},
}
for name, value in values.items():
    torch.save(value, f"{folder}/{name}.pt")
    torch.save(value, f"{folder}/{name}-legacy.pt", _use_new_zipfile_serialization=False)
arrays = {"a": numpy.arange(24.0).reshape(2, 3, 4), "f": numpy.asfortranarray(numpy.arange(24, dtype=">i4").reshape(2, 3, 4)),
          "c": numpy.ones(3, "c8"), "h": numpy.ones((), "f2"), "b": numpy.array([True, False]), "e": numpy.zeros((0, 2))}
numpy.savez(f"{folder}/plain.npz", **arrays)
numpy.savez_compressed(f"{folder}/packed.npz", **arrays, large=numpy.asfortranarray(numpy.random.rand(1500, 1600)))
numpy.save(f"{folder}/fortran.npy", arrays["f"])
"""

MAKE_NUMPY = """
import collections, pickle, sys
import h5py, joblib, numpy
folder = sys.argv[1]
dice = numpy.random.default_rng(0)
a = dice.random((3, 4)).astype("f4")
values = {
    "one": numpy.asfortranarray(dice.random((3, 4, 5))), "list": [a, dice.random(7), "text"],
    "dict": {"w": a, "turned": numpy.asfortranarray(a), "big": numpy.arange(6, dtype=">i4").reshape(2, 3), "tied": a, 7: a[:2].copy(),
             "deep": {"list": [dice.random(2), (numpy.zeros((0, 3)), 3)]}, "flags": numpy.array([True, False]), "n": numpy.array(3.5),
             "ordered": collections.OrderedDict(p=dice.random(3), q=dice.random(2)), "half": a.astype("f2"), "z": a.astype("c8")},
    "many": {str(i): dice.random(2) for i in range(3000)}}
for name, value in values.items():
    for how in (0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)):
        joblib.dump(value, f"{folder}/{name}-{how if isinstance(how, int) else how[0]}.joblib", compress=how)
    for protocol in (3, 4, 5):
        with open(f"{folder}/{name}-{protocol}.pkl", "wb") as f:
            pickle.dump(value, f, protocol)
for kind in ("earliest", "latest"):
    with h5py.File(f"{folder}/{kind}.h5", "w", libver=kind) as f:
        f.create_dataset("grid", data=dice.random((100, 70)).astype("f4"), chunks=(32, 16))
        f.create_dataset("line", data=dice.integers(0, 9, 50).astype(">i4"), chunks=(16,))
        f.create_dataset("rows", data=dice.random((9, 8, 7)), chunks=(3, 8, 7))
        f.create_dataset("grows", data=dice.random((9, 8, 7)), chunks=(4, 3, 7), maxshape=(None, None, 7))
        f.create_dataset("ends", data=dice.random((40, 6)).astype("f2"), chunks=(7, 6), maxshape=(None, 6))
        f.create_dataset("bytes", data=dice.integers(0, 9, (5, 5)).astype("i1"), chunks=(2, 2))
        f.create_dataset("large", data=dice.random((3000, 800)), chunks=(3000, 800))
        f.create_group("deep").create_dataset("plain", data=dice.random((4, 4)))
"""

OPENS = """
from safetensors import safe_open
with safe_open(path, "np") as f:
    value = sorted(f.keys())
"""


CORPORA = {  # by the library that reads them: how many come out the same at least, and where they are
    "torch": (60, ("pytorch", "pytorch-models", "pytorch-attacks", "pickle", "polyglot-probes", "zip-attributes")),
    "numpy": (50, ("numpy", "polyglot-probes", "zip", "zip-attributes")),
    "joblib": (20, ("packs", "pickle", "pickle-rules", "wrappers", "wrapped")),
    "gguf": (0, ("gguf",)),
    "h5py": (20, ("hdf5", "keras")),
    "safetensors": (150, ("safetensors", "findings", "polyglot", "polyglot-probes")),
}


def not_accepted(corpus):
    folder = os.path.join(ours.CORPUS, corpus, "files")
    try:
        with open(os.path.join(ours.CORPUS, corpus, "cases.jsonl"), encoding="utf-8") as f:
            cases = [json.loads(line) for line in f if line.strip()]
    except FileNotFoundError:
        return []
    paths = [os.path.join(folder, case["file"]) for case in cases if "accept" not in case["expect"]]
    return [path for path in paths if os.path.isfile(path)]


def convert(source, *options):
    """The output; NULL: there is none, and why."""
    made = os.path.join(FOLDER, "made.safetensors")
    done = subprocess.run([ours.WEIGHLOCK, "convert", source, "-o", made, "--force", "--format", "json", *options], timeout=120,
                          cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1, 2) if options else done.returncode in (0, 1), (source, done.stderr)
    return (made, json.loads(done.stdout)) if done.returncode == 0 else (None, done.stderr.decode())


def compare(loader, library, sources, every):
    """How many came out; with `every`, all must."""
    setup, needs, case = LOADS[library]
    child.need(loader, needs)
    n = 0
    limits = child.Limits(cpu_s=60, wall_s=120, memory_bytes=4 << 30)
    with child.Server(loader, setup, case, limits) as server:
        for source in sources:
            made, said = convert(source)
            assert made or not every, (source, said)
            if made is None:
                continue
            result = server.run(data=json.dumps([source, made]).encode())
            if not every and not result.loaded:
                continue  # not for this library, or this release of it
            assert result.status == 0 and result.value == [], (source, result.value, result.error)
            n += 1
    return n


def made_here(loader, ending, script=MAKE, needs=("torch",)):
    child.need(loader, *needs)
    folder = tempfile.mkdtemp(dir=FOLDER)
    subprocess.run([loader.python, "-c", script, folder], check=True, timeout=300, stdin=subprocess.DEVNULL)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(ending))


def declare(loader):
    def torch_files():
        sources = made_here(loader, ".pt")
        assert compare(loader, "torch", sources, True) == len(sources) == 14

    def numpy_files():
        assert compare(loader, "numpy", made_here(loader, (".npz", ".npy")), True) == 3

    def arrays():
        def made(ending):
            return made_here(loader, ending, MAKE_NUMPY, ("numpy", "joblib", "h5py"))
        assert compare(loader, "joblib", made((".joblib", ".pkl")), True) == 36
        assert compare(loader, "h5py", made(".h5"), True) == 2

    def malicious():
        """Of all that is not accepted nothing runs, and what comes out the reference library opens."""
        child.need(loader, "safetensors", "numpy")
        rejected = [path for name in sorted(os.listdir(ours.CORPUS)) for path in not_accepted(name)]
        rejected = rejected[::max(1, len(rejected) // ours.share("malicious", 400))]
        made_of = 0
        with child.Server(loader, "", OPENS, child.Limits(memory_bytes=4 << 30, cpu_s=60)) as server:
            for source in rejected:
                made, said = convert(source, "--drop-code")
                if made is None:
                    assert said.startswith("weighlock: "), (source, said)
                    continue
                result = server.run(path=made)
                assert result.status == 0 and len(result.value) == said["output"]["tensors"], (source, result.error)
                made_of += 1
        assert not [f for f in os.listdir(FOLDER) if "canary" in f.lower()]
        print("#", len(rejected), "files,", made_of, "outputs")
        assert made_of > 0

    def corpora():
        n = 0
        for library, (least, names) in CORPORA.items():
            if not loader.has(LOADS[library][1]):
                print("#", loader.name, "has no", library)
                continue
            same = compare(loader, library, [path for name in names for path, _ in ours.accepted(name)
                                             if os.path.isfile(path)], False)
            assert same >= least, (library, same)
            n += same
        print("#", n, "files")
        assert n >= 300 or not loader.has("torch"), n

    def reference():
        child.need(loader, "safetensors", "numpy", "torch")
        with child.Server(loader, "", OPENS, child.Limits(memory_bytes=4 << 30, cpu_s=60)) as server:
            for source in made_here(loader, (".pt", ".npz")):
                made, said = convert(source)
                result = server.run(path=made)
                assert result.status == 0 and len(result.value) == said["output"]["tensors"], (source, result.error)

    for function in (torch_files, numpy_files, arrays, corpora, malicious, reference):
        globals()[f"test_{function.__name__}_with_{loader.name}"] = function


for LOADER in child.LOADERS:
    declare(LOADER)


if __name__ == "__main__":
    tap.main(globals())
