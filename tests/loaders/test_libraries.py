"""Accept means that the library opens it: mutants of the corpora's accepted files, byte by byte, and what the libraries of each
format make of those that we accept.  A library may know less than a format has, which a file's parent shows: mutants of what it
does not open are not asked.  A crash is never right.

WEIGHLOCK_LOADERS_CASES=20000 for a long run, seed=N for others; kind=NAME for one format."""
import json
import os
import random
import tempfile

import child
import ours
import tap

SEED = int(ours.OPTIONS.get("seed", "1"))
LARGEST = 64 << 10
TOGETHER = 40
COMMON = """
import json, warnings
warnings.simplefilter('ignore')

def asked(paths):
    answers = []
    for path in json.loads(paths):
        try:
            answers.append(list(opened(path)))
        except Exception as e:
            answers.append(type(e).__name__ + ': ' + str(e)[:200])
    return answers

"""

HDF5 = """
import h5py

def opened(path):
    tensors = 0
    with h5py.File(path, 'r') as f:
        def visit(name, thing):
            nonlocal tensors
            [thing.attrs[key] for key in thing.attrs]
            if isinstance(thing, h5py.Dataset):
                thing[()]
                tensors += thing.dtype.kind in 'biufc'
        [f.attrs[key] for key in f.attrs]
        f.visititems(visit)
    return ()
"""
NUMPY = """
import numpy

def opened(path):
    loaded = numpy.load(path, allow_pickle=False)
    for name in getattr(loaded, 'files', ()):
        loaded[name]
    return ()
"""
GGUF = """
import gguf

def opened(path):
    reader = gguf.GGUFReader(path)
    return sorted(t.name for t in reader.tensors)
"""
ONNX = """
import onnx

def opened(path):
    model = onnx.load_model(path, load_external_data=False)
    [onnx.numpy_helper.to_array(t) for t in model.graph.initializer if t.data_location != 1]
    return ()
"""
RUNTIME = """
import onnxruntime
onnxruntime.set_default_logger_severity(4)

def opened(path):
    onnxruntime.InferenceSession(path, providers=['CPUExecutionProvider'])
    return ()
"""
MSGPACK = """
import msgpack

def opened(path):
    with open(path, 'rb') as f:
        msgpack.unpackb(f.read(), raw=False, strict_map_key=False, ext_hook=lambda code, data: data)
    return ()
"""
TFLITE = """
from ai_edge_litert.interpreter import Interpreter

def opened(path):
    Interpreter(model_path=path)
    return ()
"""
XGBOOST = """
import xgboost
xgboost.set_config(verbosity=0)

def opened(path):
    xgboost.Booster().load_model(path)
    return ()
"""
LIGHTGBM = """
import lightgbm

def opened(path):
    lightgbm.Booster(model_file=path)
    return ()
"""
ZIP = """
import subprocess, zipfile

def opened(path):
    with zipfile.ZipFile(path) as z:
        names = z.namelist()
        assert z.testzip() is None
    done = subprocess.run(['unzip', '-tqq', path], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return names
"""
CRASHES = ("onnxruntime",)  # which asks more of a graph than its format says: types that fit, operators that it has
KINDS = {  # name: (corpus, endings, module, snippet, which loaders)
    "h5py": ("hdf5", (".h5",), "h5py", HDF5, child.LOADERS),
    "numpy": ("numpy", (".npy", ".npz"), "numpy", NUMPY, child.LOADERS),
    "gguf": ("gguf", (".gguf",), "gguf", GGUF, child.LOADERS),
    "onnx": ("onnx", (".onnx",), "onnx", ONNX, child.LOADERS),
    "onnxruntime": ("onnx", (".onnx",), "onnxruntime", RUNTIME, child.LOADERS),
    "msgpack": ("flax", (".msgpack",), "msgpack", MSGPACK, child.LOADERS),
    "tflite": ("tflite", (".tflite",), "ai_edge_litert", TFLITE, child.LOADERS),
    "xgboost": ("xgboost", (".json", ".ubj"), "xgboost", XGBOOST, child.LOADERS),
    "lightgbm": ("lightgbm", (".txt", ".model"), "lightgbm", LIGHTGBM, child.LOADERS),
    "zip": ("zip", (".zip", ".npz", ".keras", ".pt"), "zipfile", ZIP, (child.DEBIAN,)),
}


def changed(rng, data):
    """One or two bytes are others, or a few are gone, twice there, or zeros."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2))):
        if not data:
            break
        at, what = rng.randrange(len(data)), rng.randrange(10)
        if what < 4:
            data[at] ^= 1 << rng.randrange(8)
        elif what < 7:
            data[at] = rng.choice((0, 1, 2, 0x7f, 0x80, 0xff, rng.randrange(256)))
        elif what == 7:
            data[at] = (data[at] + rng.choice((-1, 1))) & 255
        elif what == 8:
            n = rng.choice((2, 4, 8))
            data[at:at + n] = rng.choice((bytes(n), b"\xff" * n))[:len(data) - at]
        else:
            n = rng.choice((1, 2, 4, 8))
            data[at:at + n] = rng.choice((b"", bytes(data[at:at + n]) * 2))
    return bytes(data)


def answers_of(server, paths):
    """One answer for each: a list, or what went wrong."""
    result = server.run(json.dumps(paths).encode())
    if result.loaded and isinstance(result.value, list) and len(result.value) == len(paths):
        return result.value
    if len(paths) == 1:
        return [f"died: {result.status} {'timeout' if result.timed_out else ''} {result.error}"]
    return [answers_of(server, [path])[0] for path in paths]


def ask(server, paths):
    return [a for i in range(0, len(paths), TOGETHER) for a in answers_of(server, paths[i:i + TOGETHER])]


def parents_of(server, corpus, endings):
    paths = [path for path, _ in ours.accepted(corpus) if path.endswith(endings) and 0 < os.path.getsize(path) <= LARGEST]
    return [path for path, answer in zip(paths, ask(server, paths)) if isinstance(answer, list)]


def mutants_of(parents, n):
    rng, contents = random.Random(SEED), {}
    for _ in range(n):
        path = rng.choice(parents)
        if path not in contents:
            with open(path, "rb") as f:
                contents[path] = f.read()
        yield changed(rng, contents[path]), path


def check(name, loader):
    corpus, endings, module, snippet, _ = KINDS[name]
    child.need(loader, module)
    limits = child.Limits(memory_bytes=4 << 30, cpu_s=60, wall_s=120)
    asked, wrong, accepted = 0, [], 0
    with child.Server(loader, COMMON + snippet, "value = asked(data)", limits=limits) as server:
        parents, total = parents_of(server, corpus, endings), ours.share(name, 300)
        if not parents:
            raise tap.Skip(f"{loader} opens none of corpus/{corpus}")
        by_ending = {}
        for content, path in mutants_of(parents, total):
            by_ending.setdefault(os.path.splitext(path)[1], []).append((content, path))
        for ending, made in by_ending.items():
            for i in range(0, len(made), 2000):
                part = made[i:i + 2000]
                with tempfile.TemporaryDirectory(prefix="mutants-") as kept:
                    paths = {}
                    for k, (path, content, verdict) in enumerate(ours.judged((c for c, _ in part), ending)):
                        asked += 1
                        if verdict["verdict"] == "accept" and verdict["model"]:
                            where = os.path.join(kept, f"{k}{ending}")
                            with open(where, "wb") as f:
                                f.write(content)
                            paths[where] = part[k]
                    accepted += len(paths)
                    for path, answer in zip(paths, ask(server, list(paths))):
                        if answer.startswith("died") if name in CRASHES and isinstance(answer, str) else not isinstance(answer, list):
                            wrong.append((os.path.basename(paths[path][1]), answer))
                            keep(name, loader, len(wrong), paths[path][0], ending)
    print(f"# {name}, {loader}: {asked} mutants of {len(parents)} files, {accepted} accepted, {len(wrong)} not opened")
    assert not wrong, "\n".join(f"{file}: {answer}" for file, answer in wrong[:20])


def keep(name, loader, number, content, ending):
    folder = ours.OPTIONS.get("keep")
    if folder:
        with open(os.path.join(folder, f"{name}-{loader}-{number}{ending}"), "wb") as f:
            f.write(content)


TESTS = {f"test_{name}_of_{loader}_opens_what_is_accepted": (lambda name=name, loader=loader: check(name, loader))
         for name, kind in KINDS.items() for loader in kind[4] if ours.OPTIONS.get("kind", name) == name}

if __name__ == "__main__":
    tap.main(TESTS)
