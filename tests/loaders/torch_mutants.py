"""Checkpoints nobody wrote: calls, arguments, states, storages and arrays at random, mostly almost right."""
import os
import random
import struct
import sys

import ours

sys.path.insert(0, os.path.join(ours.SOURCE, "tests", "support"))
from torch_writer import (  # noqa: E402 pylint: disable=wrong-import-position
    SYSTEM, Build, Call, G, Get, Id, Items, New, Put, Raw, checkpoint, dumps, legacy, ordered)

CLASSES = {"FloatStorage": 4, "DoubleStorage": 8, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4,
           "ByteStorage": 1, "BoolStorage": 1, "ComplexFloatStorage": 8, "QInt8Storage": 1, "UntypedStorage": 1}
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64", "float8_e5m2",
          "uint16", "qint8")
SPECIAL = (bytes.fromhex("0000c07f"), bytes.fromhex("0000807f"), bytes.fromhex("7fc00000"), bytes.fromhex("0000803f"),
           bytes(4), bytes.fromhex("01000000"), bytes.fromhex("007c007e"), bytes.fromhex("803f803f"))
NAMES = ("data", "real", "imag", "grad", "note", "_grad", "requires_grad", "T", "x", "_is_own", "__class__", "names", "shape")


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.legacy = self.r.random() < 0.4
        self.odd_left = self.r.choice((0, 0, 1, 1, 2, 9))    # a file with many faults says nothing of one
        self.storages = {}    # key: (class, numel, bytes)
        self.used = set()
        self.put = 0
        self.protocol = self.r.choice((2, 2, 2, 3, 4))
        self.arrays = self.protocol > 2
        for key in range(self.r.randint(1, 3)):
            self.storages[str(key)] = self.fresh()

    def often(self, p=0.93):
        """False now and then, as long as the file may have faults."""
        if self.odd_left == 0 or self.r.random() < p:
            return True
        self.odd_left -= 1
        return False

    def one(self, *choices):
        return self.r.choice(choices)

    def fresh(self):
        cls = self.one(*CLASSES)
        numel = self.one(0, 1, 2, 4, 8)
        size = numel * CLASSES[cls]
        raw = b"".join(self.one(*SPECIAL) if self.r.random() < 0.05 else bytes(2) + b"\x80\x3f" for _ in range(size // 4 + 1))
        raw = raw[:size] if cls != "BoolStorage" else bytes(self.r.choice((0, 1)) for _ in range(size))
        return cls, numel, raw

    def storage(self, key=None):
        key = key or self.one(*self.storages)
        self.used.add(key)
        cls, numel, _ = self.storages[key]
        cls, numel = cls if self.often(0.97) else self.one(*CLASSES), numel if self.often(0.97) else numel + self.one(-1, 1)
        module = "torch.storage" if cls == "UntypedStorage" else "torch"
        fields = ["storage", G(module, cls), key, "cpu", numel]
        if self.legacy:
            view = None
            if self.r.random() < 0.3:
                view = (f"7{key}", 0, numel) if self.often(0.7) else (str(self.one(7, 8, 9, 0, 1)), self.one(0, 0, 1, 2),
                                                                      self.one(1, 2, numel))
            fields.append(view)
        return Id(tuple(fields)), cls, max(numel, 0)

    def shape(self, numel):
        half = numel // 2
        shapes = [((numel,), (1,)), ((2, half), (half, 1)), ((1, numel), (1, 1)), ((half, 2), (1, half)),
                  ((), ()) if numel else ((0,), (1,)), ((2,), (0,)) if numel else ((0,), (1,))]
        size, stride = self.one(*shapes) if self.often() else ((self.one(-1, 3, 9),), (self.one(-1, 1, 2),))
        return Call(G("torch", "Size"), size) if self.r.random() < 0.1 else size, stride

    def flag(self):
        return self.r.random() < 0.1 if self.often(0.98) else self.one(None, 1, 2.0)

    def hooks(self):
        return ordered() if self.often(0.98) else self.one(None, {}, Items(ordered(), (1, 2)))

    def view(self, dtype=None):
        key = None
        if dtype and self.often(0.8):
            key, self.storages["4"] = "4", ("UntypedStorage", 8, bytes(2) + b"\x80\x3f\x01\0\1\1")
        storage, _, numel = self.storage(key)
        if key:
            numel //= {"float64": 8, "int64": 8, "complex64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2,
                       "uint16": 2}.get(dtype, 1)
        size, stride = self.shape(numel)
        return storage, 0 if self.often(0.9) else 1, size, stride

    def metadata(self):
        return [] if self.often(0.9) else [self.one({}, {"conj": True}, {"neg": True}, {"x": 1})]

    def tensor(self, depth=0):
        u = "torch._utils"
        kind = self.r.random() * (0.94 if self.often(0.9) else 1)
        if kind < 0.45:
            return Call(G(u, "_rebuild_tensor_v2"), *self.view(), self.flag(), self.hooks(), *self.metadata())
        if kind < 0.55:
            dtype = "float32" if self.often(0.6) else self.one(*DTYPES)
            return Call(G(u, "_rebuild_tensor_v3"), *self.view(dtype), self.flag(), self.hooks(), G("torch", dtype))
        if kind < 0.6:
            return Call(G(u, "_rebuild_tensor"), *self.view())
        if depth > 2:
            return Call(G(u, "_rebuild_tensor"), *self.view())
        inner = self.tensor(depth + 1)
        if kind < 0.66:
            return Call(G(u, "_rebuild_parameter"), inner, self.flag(), self.hooks())
        if kind < 0.74:
            return Call(G(u, "_rebuild_parameter_with_state"), inner, self.flag(), self.hooks(), self.state(depth))
        if kind < 0.82:
            args = (*self.view(), self.flag(), self.hooks())
            function = G(u, "_rebuild_tensor_v2")
            if self.r.random() < 0.2:
                function, args = G(u, "_rebuild_parameter_with_state"), (inner, True, ordered(), self.state(depth))
            cls = self.one(G("torch", "Tensor"), G("torch.nn.parameter", "Parameter"))
            return Call(G("torch._tensor", "_rebuild_from_type_v2"), function, cls, args, self.state(depth))
        if kind < 0.86:
            return Call(G(u, "_rebuild_device_tensor_from_cpu_tensor"), inner, G("torch", "float32" if self.often(0.5) else
                        self.one(*DTYPES)), self.device(), False)
        if kind < 0.9:
            return Call(G(u, "_rebuild_device_tensor_from_numpy"), self.array(), G("torch", "float32" if self.often(0.5) else
                        self.one(*DTYPES[:7])), self.device(), False)
        if kind < 0.94:
            bare = Call(G("torch", "Tensor" if self.often(0.9) else "FloatTensor"))
            return Build(bare, self.view() if self.often(0.7) else (inner, None, self.hooks(), True, False))
        if kind < 0.97:
            scale = self.one(0.5, 1.0, 0.0, 1e30)
            return Call(G(u, "_rebuild_qtensor"), *self.view(), (G("torch", "per_tensor_affine"), scale, 0), False, ordered())
        return self.one(Call(G("torch", "Tensor"), [1.0]), New(G("torch", "Tensor"), inner),
                        Call(G("torch.nn.parameter", "Parameter"), inner), Call(G("torch.storage", "UntypedStorage"), 8),
                        self.sparse())

    def device(self):
        return "cpu" if self.often(0.95) else self.one("meta", "xla:0", None, Call(G("torch", "device"), "cpu"))

    def sparse(self):
        rows = self.one(1, 1, 2)
        self.storages["5"] = ("LongStorage", 2 * rows, struct.pack(f"<{2 * rows}q", *(self.one(0, 0, 1, 2, 2) if self.often(0.98) else
                              self.one(7, -1) for _ in range(2 * rows))))
        self.storages["6"] = ("FloatStorage", 2, struct.pack("<2f", 1, 2))
        self.storages.setdefault("5", None)
        index = Call(G("torch._utils", "_rebuild_tensor"), self.storage("5")[0], 0, (rows, 2), (2, 1))
        values = Call(G("torch._utils", "_rebuild_tensor"), self.storage("6")[0], 0, (2,), (1,))
        layout = Call(G("torch.serialization", "_get_layout"), "torch.sparse_coo")
        return Call(G("torch._utils", "_rebuild_sparse_tensor"), layout, (index, values, (3,) * rows, *self.one((), (True,), (False,))))

    def state(self, depth):
        def attributes():
            value = self.tensor(depth + 1) if self.r.random() < 0.3 else self.one(1, None, "x", True)
            return {"note" if self.often(0.7) else self.one(*NAMES): value}
        return self.one({}, None, {"note": 1}, attributes(), (None, attributes()), (attributes(), None))

    def dtype(self):
        name, order = self.one("f4", "f4", "f8", "i4", "i8", "f2", "u1"), self.one("<", "<", ">")
        if not self.often(0.9):
            name, order = self.one(">f4", "f4"), self.one("|", "=", ">", "<")
        elif name == "u1":
            order = "|"
        made = Call(G("numpy", "dtype"), name, False, self.often(0.97))
        if self.r.random() < 0.2:
            return made
        if not self.often(0.95):
            order = Raw(b"C\x01" + order.encode())
        flags, version = 0 if self.often() else self.one(2, 63, 8), 3 if self.often() else self.one(2, 4)
        state = (version, order, None, None, None, -1, -1, flags)
        if not self.often(0.95):
            made, base = Call(G("numpy", "dtype"), "V8", False, True), Call(G("numpy", "dtype"), "f4", False, True)
            base = Build(base, (3, "<", None, None, None, -1, -1, 0))
            state = (3, "|", (base, (self.one(2, 2, 1000),)), None, None, 8, 4, 0)
        made = Build(made, state)
        return made if self.often(0.97) else Build(made, state)

    def array(self):
        raw = b"".join(self.one(*SPECIAL[3:6]) for _ in range(2)) if self.often(0.9) else SPECIAL[0] * 2
        content, of = Raw(b"C" + bytes([len(raw)]) + raw), self.dtype()
        if not self.arrays:
            content = Call(G("_codecs", "encode"), raw.decode("latin-1") if self.often(0.97) else "\u0100" * 4, "latin1" if
                           self.often(0.98) else "utf-8")
        name = next(iter((of.target if isinstance(of, Build) else of).args), "f4") if not isinstance(of, Build) or \
            isinstance(of.target, Call) else "f4"
        count = 8 // int(name[-1]) if self.often(0.9) else self.one(1, 2, 4, 8)
        if self.r.random() < 0.3:
            return Call(G("numpy.core.numeric", "_frombuffer"), content, of, (count,), "C")
        made = Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), Raw(b"C\x01b") if self.arrays else "b")
        made = Build(made, (1, (count,), of, False, content))
        return made if self.often(0.97) else Build(made, (1, (count,), of, False, content))

    def value(self):
        items, shared = [], None
        for i in range(self.r.randint(1, 4)):
            item = self.array() if self.arrays and self.r.random() < 0.25 else self.tensor()
            if self.r.random() < 0.3:
                self.put, item = self.put + 1, Put(self.put, item)
                shared = self.put - 1
            items.append((f"t{i}", item))
        if shared is not None and self.r.random() < 0.5:
            items.append(("again", Get(shared) if self.often(0.8) else Build(Get(shared), self.view())))
        return Items(ordered(), *items) if self.often(0.5) else dict(items)

    def contents(self):
        raw = bytearray(dumps(self.value(), self.protocol))
        if not self.often(0.85):
            for _ in range(self.r.randint(1, 3)):
                raw[self.r.randrange(2, len(raw))] = self.r.choice((self.r.randrange(256), raw[self.r.randrange(len(raw))]))
        storages = {k: v[2] if self.often(0.99) else v[2] + b"\0" for k, v in self.storages.items() if k in self.used or not self.often()}
        if not self.legacy:
            return checkpoint(bytes(raw), storages, byteorder=b"little" if self.often(0.98) else b"big")
        system = SYSTEM if self.often(0.98) else {**SYSTEM, "little_endian": False}
        whole = legacy(bytes(raw), {}, list(storages), system=system, pickle=self.protocol)
        for key, content in storages.items():
            whole += struct.pack("<Q", self.storages[key][1]) + content
        return whole


def mutant(seed):
    return Maker(seed).contents()
