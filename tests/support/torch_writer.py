"""Small checkpoints, opcode by opcode and byte by byte: pickles that no pickler writes, and around them archives and legacy
files as PyTorch's writer makes them."""
import binascii
import struct

MAGIC = 0x1950A86A20F9469CFC6C


# -- pickles, opcode by opcode

class G:
    """A global."""
    def __init__(self, module, name):
        self.module, self.name = module, name


class Call:
    """REDUCE."""
    def __init__(self, callee, *args):
        self.callee, self.args = callee, args


class New:
    """NEWOBJ."""
    def __init__(self, cls, *args):
        self.cls, self.args = cls, args


class Build:
    def __init__(self, target, state):
        self.target, self.state = target, state


class Items:
    """SETITEMS on a target of any kind."""
    def __init__(self, target, *pairs):
        self.target, self.pairs = target, pairs


class Append:
    def __init__(self, target, item):
        self.target, self.item = target, item


class Id:
    """BINPERSID."""
    def __init__(self, value):
        self.value = value


class Put:
    """A value that is given a place in the memo."""
    def __init__(self, key, value):
        self.key, self.value = key, value


class Get:
    def __init__(self, key):
        self.key = key


class Raw(bytes):
    """Opcodes as they are."""


def number(n):
    if 0 <= n < 256:
        return b"K" + bytes([n])
    if 0 <= n < 65536:
        return b"M" + struct.pack("<H", n)
    if -2**31 <= n < 2**31:
        return b"J" + struct.pack("<i", n)
    raw = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(raw)]) + raw


def group(items):
    items = [ops(i) for i in items]
    if not items:
        return b")"
    return b"".join(items) + [b"\x85", b"\x86", b"\x87"][len(items) - 1] if len(items) < 4 else \
        b"(" + b"".join(items) + b"t"


def text(s):
    raw = s.encode("utf-8")
    return b"X" + struct.pack("<I", len(raw)) + raw


def pairs(items):
    return b"(" + b"".join(ops(k) + ops(v) for k, v in items) + b"u"


def ops(v):
    """The opcodes that make a value."""
    if v is None or v is True or v is False:
        return {None: b"N", True: b"\x88", False: b"\x89"}[v]
    if isinstance(v, Raw):
        return bytes(v)
    if isinstance(v, int):
        return number(v)
    if isinstance(v, float):
        return b"G" + struct.pack(">d", v)
    if isinstance(v, str):
        return text(v)
    if isinstance(v, tuple):
        return group(v)
    if isinstance(v, list):
        return b"](" + b"".join(map(ops, v)) + b"e"
    if isinstance(v, dict):
        return b"}" + pairs(v.items())
    if isinstance(v, G):
        return f"c{v.module}\n{v.name}\n".encode()
    if isinstance(v, Call):
        return ops(v.callee) + group(v.args) + b"R"
    if isinstance(v, New):
        return ops(v.cls) + group(v.args) + b"\x81"
    if isinstance(v, Build):
        return ops(v.target) + ops(v.state) + b"b"
    if isinstance(v, Items):
        return ops(v.target) + pairs(v.pairs)
    if isinstance(v, Append):
        return ops(v.target) + ops(v.item) + b"a"
    if isinstance(v, Id):
        return ops(v.value) + b"Q"
    if isinstance(v, Put):
        return ops(v.value) + b"q" + bytes([v.key])
    if isinstance(v, Get):
        return b"h" + bytes([v.key])
    raise TypeError(v)


def dumps(v, protocol=2):
    return b"\x80" + bytes([protocol]) + ops(v) + b"."


# -- PyTorch's values

def ordered():
    return Call(G("collections", "OrderedDict"))


def state(**tensors):
    """A state dict; names with dots are given as {...} by the caller."""
    return Items(ordered(), *tensors.items())


def storage(cls="FloatStorage", key="0", numel=4, location="cpu", module="torch"):
    return Id(("storage", G(module, cls), key, location, numel))


def tensor(of=None, offset=0, size=(4,), stride=(1,), hooks=None, grad=False, metadata=None):
    args = [of or storage(), offset, size, stride, grad, hooks or ordered()]
    return Call(G("torch._utils", "_rebuild_tensor_v2"), *args, *([] if metadata is None else [metadata]))


def tensor_v3(of, dtype, offset=0, size=(4,), stride=(1,)):
    return Call(G("torch._utils", "_rebuild_tensor_v3"), of, offset, size, stride, False, ordered(),
                G("torch", dtype))


def untyped(numel, key="0"):
    return storage("UntypedStorage", key, numel, module="torch.storage")


FLOATS = struct.pack("<4f", 1, 2, 3, 4)


# -- archives as PyTorch's writer makes them

def member(name, data, at, align=64, crc=None, padding=b"Z", descriptor_crc=None):
    """Local header, data, descriptor; padding in an extra field so that the data is aligned."""
    name, crc = name.encode(), binascii.crc32(data) if crc is None else crc
    start = at + 30 + len(name) + 4
    fill = -start % align
    extra = b"FB" + struct.pack("<H", fill) + (padding * fill)[:fill]
    flags = 0x0808 if data else 0x0800
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 0, flags, 0, 0, 0, 0, 0, 0, len(name), len(extra)) + name + extra
    out = local + data
    if data:
        out += struct.pack("<4sIII", b"PK\7\10", crc if descriptor_crc is None else descriptor_crc, len(data), len(data))
    central = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0, 0, flags, 0, 0, 0, crc, len(data), len(data), len(name), 0,
                          0, 0, 0, 0, at) + name
    return out, central


def archive(members, **options):
    """members: (name, data) or (name, data, options of member())."""
    body, directory = b"", b""
    for name, data, *more in members:
        out, central = member(name, data, len(body), **{**options, **(more[0] if more else {})})
        body += out
        directory += central
    n, at, size = len(members), len(body), len(directory)
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 0x031E, 45, 0, 0, n, n, size, at)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, at + size, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n, n, size, at, 0)
    return body + directory + end64 + locator + end


def checkpoint(pickle, storages=None, root="archive", extra=(), version=b"3\n", byteorder=b"little", before=(), **options):
    """data.pkl, byte order, storages, version, id: in the order of torch.save.  `pickle`: a value or its bytes."""
    pickle = pickle if isinstance(pickle, bytes) else dumps(pickle)
    storages = {"0": FLOATS} if storages is None else storages
    members = [(f"{root}/data.pkl", pickle), *before]
    members += [(f"{root}/byteorder", byteorder)] if byteorder is not None else []
    members += [(f"{root}/data/{k}", v) for k, v in storages.items()]
    members += [(f"{root}/version", version)] if version is not None else []
    members += [(f"{root}/.data/serialization_id", b"1" * 40), *extra]
    return archive(members, **options)


# -- legacy files

SYSTEM = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}


def legacy_storage(cls="FloatStorage", key="0", numel=4, view=None):
    return Id(("storage", G("torch", cls), key, "cpu", numel, view))


def legacy(value, storages=None, keys=None, magic=None, protocol=1001, system=None, tail=b"", numel=None, pickle=2):
    storages = {"0": FLOATS} if storages is None else storages
    out = dumps(MAGIC, pickle) if magic is None else magic
    out += dumps(protocol, pickle) + dumps(SYSTEM if system is None else system, pickle)
    out += value if isinstance(value, bytes) else dumps(value, pickle)
    out += dumps(list(storages) if keys is None else keys, pickle) if not isinstance(keys, bytes) else keys
    for raw in storages.values():
        out += struct.pack("<Q", len(raw) // 4 if numel is None else numel) + raw
    return out + tail
