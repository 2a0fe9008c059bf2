#!/usr/bin/python3
"""make_pytorch.py FOLDER: checkpoints as PyTorch itself writes them, with what an expert would say of each.

Writes FOLDER/files and FOLDER/cases.jsonl (members as in corpus/pytorch).  Needs Debian's python3-torch and is not part
of the tests: a small choice of its output is kept in corpus/pytorch-models.
"""
import collections
import io
import json
import os
import pickle
import sys

import numpy
import torch

CASES = []
FOLDER = ""


def case(name, make, expect="accept", codes=(), nonfinite=None, why="", loadable=None, bool_invalid=None):
    path = os.path.join(FOLDER, "files", name)
    make(path)
    row = {"file": name, "expect": [expect] if isinstance(expect, str) else expect, "codes": list(codes), "why": why,
           "reference": "ok", "nonfinite": nonfinite or {}, "bool_invalid": bool_invalid or {}}
    if loadable is not None:
        row["weights_only_loadable"] = loadable
    CASES.append(row)


def saved(value, **options):
    return lambda path: torch.save(value, path, **options)


def state(**tensors):
    return collections.OrderedDict(tensors)


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))


def counts(nan=0, pos=0, neg=0):
    return {"nan": nan, "pos_inf": pos, "neg_inf": neg}


def plain():
    net = model()
    case("state-dict.pt", saved(net.state_dict()), loadable=True, why="a state dict")
    case("state-dict-legacy.pt", saved(net.state_dict(), _use_new_zipfile_serialization=False), loadable=True,
         why="the same in five pickles")
    case("empty.pt", saved({}), loadable=True, why="an empty dictionary")
    case("empty-legacy.pt", saved({}, _use_new_zipfile_serialization=False), loadable=True, why="no storage at all")
    case("tensor.pt", saved(torch.arange(6.0)), loadable=True, why="a tensor alone")
    case("zero-elements.pt", saved(state(a=torch.zeros(0, 3), b=torch.ones(2))), loadable=True, why="no elements")
    case("scalar.pt", saved(state(a=torch.tensor(1.5))), loadable=True, why="no dimensions")
    case("parameter.pt", saved(torch.nn.Parameter(torch.ones(3))), loadable=True, why="a parameter alone")
    case("list.pt", saved([torch.ones(2), (torch.zeros(1),)]), loadable=True, why="tensors in a list and a tuple")


def views():
    base = torch.arange(12.0).reshape(3, 4)
    tied = torch.nn.Embedding(4, 2)
    case("views.pt", saved(state(a=base, b=base.t(), c=base[1:, ::2], d=base[2, 3])), loadable=True,
         why="four views of one storage")
    case("views-legacy.pt", saved(state(a=base, b=base.t()), _use_new_zipfile_serialization=False), loadable=True,
         why="views in a legacy file")
    case("tied.pt", saved(state(**{"embed.weight": tied.weight, "head.weight": tied.weight})), loadable=True,
         why="two names for one parameter")
    case("expanded.pt", saved(state(a=torch.ones(1).expand(1000, 1000))), loadable=True, why="stride 0")
    case("conj.pt", saved(state(a=torch.ones(2, dtype=torch.complex64).conj())), loadable=True, why="a conjugate view")
    root = torch.arange(8.0).storage().untyped()
    case("storage-views-legacy.pt", saved([root, root[8:20]], _use_new_zipfile_serialization=False), ["accept", "review"],
         why="storages themselves, one a view of the other")


NAN, INF = float("nan"), float("inf")


def dtypes():
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        name = str(dtype)[6:]
        bad = torch.tensor([1.0, NAN, INF, -INF, NAN], dtype=dtype)
        case(f"{name}.pt", saved(state(w=torch.ones(5, dtype=dtype))), loadable=None, why=name)
        case(f"{name}-nonfinite.pt", saved(state(w=bad, v=torch.ones(3, dtype=dtype))), "review",
             ["weights-nan", "weights-inf"], {"w": counts(2, 1, 1)}, why=f"{name} with NaN and infinities")
        case(f"{name}-nonfinite-legacy.pt", saved(state(w=bad), _use_new_zipfile_serialization=False), "review",
             ["weights-nan"], {"w": counts(2, 1, 1)}, why=f"{name} in a legacy file")
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool):
        name = str(dtype)[6:]
        case(f"{name}.pt", saved(state(w=torch.ones(5, dtype=dtype))), why=name)
    for dtype in (torch.complex64, torch.complex128):
        name = str(dtype)[6:]
        case(f"{name}.pt", saved(state(w=torch.tensor([complex(1, 2), complex(NAN, INF)], dtype=dtype))), "review",
             ["weights-nan"], {"w": counts(1, 1)}, why=f"{name}, both halves")
    case("mask.pt", saved(state(m=torch.triu(torch.full((4, 4), -INF), 1))), "accept", ["weights-inf-mask"],
         {"m": counts(0, 0, 6)}, why="an attention mask")


def training():
    net = model()
    for name, make in (("adam", torch.optim.Adam), ("sgd", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9))):
        optimizer = make(net.parameters())
        net(torch.ones(5, 4)).sum().backward()
        optimizer.step()
        whole = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3, "loss": 0.25,
                 "args": {"lr": 0.1, "name": "x"}}
        case(f"checkpoint-{name}.pt", saved(whole), loadable=None, why=f"model and {name} state")
        case(f"checkpoint-{name}-legacy.pt", saved(whole, _use_new_zipfile_serialization=False), why="the same, legacy")
    schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD(net.parameters(), 0.1), 3)
    case("scheduler.pt", saved(schedule.state_dict()), why="a learning rate schedule")
    case("rng.pt", saved({"torch": torch.get_rng_state(), "numpy": numpy.random.RandomState(1).get_state()}),
         loadable=False, why="states of random generators, one of NumPy")
    nested = {"model": {"layer": {"w": torch.tensor([NAN])}}, "state": {7: {"m": torch.tensor([INF])}}}
    case("nested-names.pt", saved(nested), "review", ["weights-nan"],
         {"model.layer.w": counts(1), "state.7.m": counts(0, 1)}, why="names through dictionaries")


def odd():
    case("whole-model.pt", saved(model()), "review", loadable=False, why="a module: classes that are not vouched for")
    case("whole-model-legacy.pt", saved(model(), _use_new_zipfile_serialization=False), "review",
         ["torch-legacy-module"], loadable=False, why="a module with its source text")
    for protocol in (2, 3, 4, 5):
        case(f"protocol-{protocol}.pt", saved(model().state_dict(), pickle_protocol=protocol),
             loadable=protocol < 3 or None, why=f"pickle protocol {protocol}")
        case(f"protocol-{protocol}-legacy.pt",
             saved(model().state_dict(), pickle_protocol=protocol, _use_new_zipfile_serialization=False),
             why=f"pickle protocol {protocol}, legacy")
    script = torch.jit.script(torch.nn.Linear(2, 2))
    case("script.pt", script.save, "review", ["torch-script-code"], loadable=False, why="TorchScript")

    def pickled(path):
        with open(path, "wb") as f:
            pickle.dump(torch.ones(2), f)
    case("plain-pickle.pt", pickled, "reject", why="pickle.dump of a tensor: loads another pickle inside")


def special():
    quantised = torch.quantize_per_tensor(torch.ones(4), 0.5, 3, torch.quint8)
    channels = torch.quantize_per_channel(torch.ones(2, 3), torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), 0,
                                          torch.qint8)
    case("quantised.pt", saved(state(w=quantised)), why="one scale")
    case("quantised-channels.pt", saved(state(w=channels)), why="a scale a channel")
    coo = torch.sparse_coo_tensor(torch.tensor([[0, 1], [2, 0]]), torch.tensor([1.0, NAN]), (2, 3))
    case("sparse-coo.pt", saved(state(w=coo)), "review", ["weights-nan"], why="coordinates")
    case("sparse-coo-legacy.pt", saved(state(w=coo), _use_new_zipfile_serialization=False), "review", ["weights-nan"],
         why="coordinates, legacy")
    csr = torch.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse_csr()
    case("sparse-csr.pt", saved(state(w=csr)), why="compressed rows")
    case("meta.pt", saved(state(w=torch.empty(3, 2, device="meta"))), why="no storage")
    case("names-utf8.pt", saved(state(**{"gewicht_\u00e4": torch.tensor([NAN])})), "review", ["weights-nan"],
         {"gewicht_\u00e4": counts(1)}, why="a name that is not ASCII")
    case("many.pt", saved(collections.OrderedDict((f"w{i}", torch.full((2,), float(i))) for i in range(300))),
         loadable=True, why="three hundred storages")
    case("many-legacy.pt", saved(collections.OrderedDict((f"w{i}", torch.tensor([NAN if i == 250 else i]))
                                                         for i in range(300)), _use_new_zipfile_serialization=False),
         "review", ["weights-nan"], {"w250": counts(1)}, why="three hundred storages, legacy")
    buffer = io.BytesIO()
    torch.save(state(a=torch.ones(2)), buffer)
    case("buffer.pt", lambda path: open(path, "wb").write(buffer.getvalue()), loadable=True, why="saved to memory")


def main():
    global FOLDER
    FOLDER = sys.argv[1]
    os.makedirs(os.path.join(FOLDER, "files"), exist_ok=True)
    for part in (plain, views, dtypes, training, odd, special):
        part()
    with open(os.path.join(FOLDER, "cases.jsonl"), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(row, sort_keys=True) + "\n" for row in CASES)
    print(f"{len(CASES)} files")


main()
