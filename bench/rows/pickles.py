"""Row 11: the pickle machine beside C pickle.load, which is what a loader takes anyway, and pickletools.genops, which is
what scanners in Python are built on.  No peer that judges packages for Debian; picklescan 1.0.5 publishes and shows about
a million opcodes a second, so the demand is fifty times that."""
import collections
import gc
import io
import os
import pickle
import pickletools
import time

from measure import Row, json_lines

DEMAND_MOPS, AIM_MOPS = 50, 150


class Storage:
    """Stands for a torch storage: pickled as a persistent id."""

    def __init__(self, key):
        self.key = key


class Tensor:
    """Pickled as torch pickles one: a call with its storage, geometry and an empty OrderedDict."""

    def __init__(self, i):
        self.i = i

    def __reduce__(self):
        return rebuild, (Storage(str(self.i)), 0, (512, 64 + self.i % 8), (64, 1), False, collections.OrderedDict())


def rebuild(*_):
    return None


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        if isinstance(value, Storage):
            return ("storage", float, value.key, "cpu", 32768)
        return None


def state_dict(path, tensors):
    """As torch.save writes its data.pkl: protocol 2."""
    names = ("attn.q_proj.weight", "attn.k_proj.weight", "mlp.up_proj.weight", "input_layernorm.weight")
    state = collections.OrderedDict((f"model.layers.{i // 4}.{names[i % 4]}", Tensor(i)) for i in range(tensors))
    with open(path, "wb") as f:
        Pickler(f, protocol=2).dump(state)


def plain_data(path, items):
    """A vocabulary and its numbers: what most other pickles are."""
    with open(path, "wb") as f:
        pickle.dump([{"token": f"t{i}", "id": i, "score": i / 7} for i in range(items)], f, protocol=4)


class Inert(tuple):
    def __new__(cls, *_):
        return tuple.__new__(cls)

    def __setitem__(self, *_):
        pass


class Unpickler(pickle.Unpickler):
    """C pickle.load with nothing to import."""

    def find_class(self, module, name):
        return Inert

    def persistent_load(self, pid):
        return None


def seconds_of(action):
    gc.disable()
    start = time.process_time()
    action()
    took = time.process_time() - start
    gc.enable()
    return took


def one(bench, name, make, n):
    path = bench.path("bench.pkl")
    make(path, n)
    with open(path, "rb") as f:
        data = f.read()
    program = [bench.program("bench", "bench_pickle"), path, "1"]
    loads, genops, ours = [], [], []
    for i in range(bench.pairs + 1):
        run = json_lines(program)[0]
        took = run["seconds"] / run["walks"]
        load = seconds_of(lambda: Unpickler(io.BytesIO(data)).load())
        ops = seconds_of(lambda: collections.deque(pickletools.genops(data), maxlen=0))
        if i == 0:
            continue  # warms caches
        ours.append(run["opcodes"] / took / 1e6)
        loads.append(took / load)
        genops.append(took / ops)
    os.remove(path)
    yield Row(11, f"{name}, {run['opcodes']} opcodes: ours", ours, unit="Mops/s", demand=DEMAND_MOPS, aim=AIM_MOPS,
              at_least=True)
    yield Row(11, f"{name} / C pickle.load, inert", loads)
    yield Row(11, f"{name} / pickletools.genops", genops)


def walking(bench):
    """Row 11."""
    yield from one(bench, "torch-like pickle", state_dict, bench.size(2600, 50))
    yield from one(bench, "plain pickle", plain_data, bench.size(200_000, 500))
