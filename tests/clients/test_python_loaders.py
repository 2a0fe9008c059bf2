"""weighlock.torch, .numpy, .safetensors and .joblib beside the libraries they are named after."""
import importlib
import os
import pickle

import tap
import weighlock
from daemon import Daemon
from python_support import OPTIONS, Scratch, environment, raises


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise tap.Skip(f"no {name} here: {e}") from None


class Attack:
    """Touches a file when it is loaded by who should not have."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def everywhere(check):
    """check() with a daemon and without one, from the cache and from memory."""
    with Daemon(OPTIONS["weighlockd"]) as d:
        for socket in (d.socket, ""):
            for memory in (False, True):
                with environment(WEIGHLOCK_SOCKET=socket):
                    check(memory)


def refuses(load, s, name):
    """A pickle that acts is not loaded, whatever its name."""
    canary = os.path.join(s.path, "canary")
    path = s.file(name, pickle.dumps(Attack(canary)))
    raises(weighlock.Rejected, load, path)
    raises(weighlock.Rejected, load, path, memory=True)
    assert not os.path.exists(canary)


def test_torch():
    torch = library("torch")
    import weighlock.torch
    with Scratch() as s:
        path, state = os.path.join(s.path, "m.bin"), {"w": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3)}
        torch.save(state, path)

        def check(memory):
            got = weighlock.torch.load(path, map_location="cpu", memory=memory)
            assert got.keys() == state.keys() and all(torch.equal(got[k], state[k]) for k in state)
        everywhere(check)
        refuses(weighlock.torch.load, s, "m.pt")
        asked, load = [], torch.load
        torch.load = lambda *a, **k: asked.append(k)
        try:
            weighlock.torch.load(path)
            weighlock.torch.load(path, weights_only=False)
        finally:
            torch.load = load
        assert asked == [{"weights_only": True}, {"weights_only": False}], asked


def test_numpy():
    numpy = library("numpy")
    import weighlock.numpy
    with Scratch() as s:
        array, npy, npz = numpy.arange(12.0).reshape(3, 4), os.path.join(s.path, "a.npy"), os.path.join(s.path, "a.npz")
        numpy.save(npy, array)
        numpy.savez(npz, a=array, b=array + 1)

        def check(memory):
            assert numpy.array_equal(weighlock.numpy.load(npy, memory=memory), array)
            assert numpy.array_equal(weighlock.numpy.load(npy, "r", memory=memory), array)
            with weighlock.numpy.load(npz, memory=memory) as z:
                assert numpy.array_equal(z["b"], array + 1)
        everywhere(check)
        refuses(weighlock.numpy.load, s, "a.npy")


def test_joblib():
    joblib, numpy = library("joblib"), library("numpy")
    import weighlock.joblib
    with Scratch() as s:
        path, value = os.path.join(s.path, "m.joblib"), {"a": numpy.arange(1000.0), "n": [1, 2.5, "x"]}
        joblib.dump(value, path)

        def check(memory):
            got = weighlock.joblib.load(path, memory=memory)
            assert numpy.array_equal(got["a"], value["a"]) and got["n"] == value["n"]
        everywhere(check)
        assert numpy.array_equal(weighlock.joblib.load(path, mmap_mode="r")["a"], value["a"])
        refuses(weighlock.joblib.load, s, "m.joblib")


def test_safetensors():
    library("safetensors")
    numpy, saved = library("numpy"), library("safetensors.numpy")
    import weighlock.safetensors
    with Scratch() as s:
        path, state = os.path.join(s.path, "m.safetensors"), {"w": numpy.arange(6, dtype="float32").reshape(2, 3)}
        saved.save_file(state, path)

        def check(memory):
            got = weighlock.safetensors.load_file(path, framework="numpy", memory=memory)
            assert got.keys() == state.keys() and numpy.array_equal(got["w"], state["w"])
            torch = library("torch")
            library("safetensors.torch")
            assert torch.equal(weighlock.safetensors.load_file(path, "cpu", memory=memory)["w"], torch.from_numpy(state["w"]))
        refuses(lambda *a, **k: weighlock.safetensors.load_file(*a, framework="numpy", **k), s, "bad.safetensors")
        everywhere(check)


def test_transformers_load_an_admitted_snapshot():
    library("torch")
    transformers = library("transformers")
    import weighlock.hub
    with Scratch() as s:
        folder = os.path.join(s.path, "hub", "models--org--tiny", "snapshots", "ab" * 20)
        config = transformers.BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
        try:
            model = transformers.BertModel(config)
        except ImportError as e:
            raise tap.Skip(f"transformers cannot be used here: {e}") from None
        model.save_pretrained(folder)
        blobs = os.path.join(s.path, "hub", "models--org--tiny", "blobs")
        os.mkdir(blobs)
        for i, name in enumerate(os.listdir(folder)):
            os.rename(os.path.join(folder, name), os.path.join(blobs, f"{i:064x}"))
            os.symlink(f"../../blobs/{i:064x}", os.path.join(folder, name))
        with weighlock.hub.snapshot(folder) as admitted:
            model = transformers.AutoModel.from_pretrained(admitted.path)
        assert model.config.hidden_size == 8


tap.main(globals())
