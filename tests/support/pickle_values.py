"""Arrays, indexes and frames as NumPy and pandas pickle them, of a few numbers each: for corpora of what packs vouch for."""
import struct

from torch_writer import Build, Call, G, New, Raw


def octets(b):
    return Raw((b"C" + bytes([len(b)]) if len(b) < 256 else b"B" + struct.pack("<I", len(b))) + b)


def dtype(kind):
    order, flags = ("|", 63) if kind == "O8" else ("|" if kind in ("i1", "S0") else "<", 0)
    size, alignment = (8, 8) if kind == "O8" else (0, 1) if kind == "S0" else (-1, -1)
    return Build(Call(G("numpy", "dtype"), kind, False, True), (3, order, None, None, None, size, alignment, flags))


def array(kind, shape, content):
    content = content if isinstance(content, list) else octets(content)
    return Build(Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), octets(b"b")),
                 (1, shape, dtype(kind), False, content))


def packed(kind, letter, values, shape=None):
    return array(kind, shape or (len(values),), struct.pack(f"<{len(values)}{letter}", *values))


def small(*values):
    return packed("i1", "b", values)


def longs(*values):
    return packed("i8", "q", values)


def floats(*values, shape=None):
    return packed("f8", "d", values, shape)


# -- pandas

BASE, ARRAYS, MANAGERS = "pandas.core.indexes.base", "pandas._libs.arrays", "pandas.core.internals.managers"


def index(kind, **parts):
    return Call(G(BASE, "_new_Index"), G(*kind), {"name": None, **parts})


INDEX = (BASE, "Index")


def rows(n):
    return index(("pandas.core.indexes.range", "RangeIndex"), start=0, stop=n, step=1)


def names(*texts):
    return index(INDEX, data=array("O8", (len(texts),), list(texts)))


def sparse_array(n):
    kind = Build(New(G("pandas.core.arrays.sparse.dtype", "SparseDtype")), {"_dtype": dtype("f8"), "_fill_value": 0.0})
    places = Call(G("pandas._libs.sparse", "IntIndex"), n, packed("i4", "i", [2]))
    return Build(New(G("pandas.core.arrays.sparse.array", "SparseArray")), 
                 {"_sparse_index": places, "_sparse_values": floats(1.0), "_dtype": kind})


def manager(axes, n=2):
    block = Call(G("pandas._libs.internals", "_unpickle_block"), floats(*[0.5] * n, shape=(1, n)), span(0, 1), 2)
    return Call(G(MANAGERS, "BlockManager"), (block,), axes)


def span(begin, end):
    return Call(G("builtins", "slice"), begin, end, 1)


def series_manager():
    state = {"0.14.1": {"axes": [rows(2)], "blocks": [{"values": floats(0.5, 0.5), "mgr_locs": span(0, 2)}]}}
    return Build(New(G(MANAGERS, "SingleBlockManager")), ([rows(2)], [floats(0.5, 0.5)], [rows(2)], state))


def series(**more):
    return Build(New(G("pandas.core.series", "Series")), {"_mgr": series_manager(), "_typ": "series", "_metadata": ["name"], **more})


def frame(**more):
    return Build(New(G("pandas.core.frame", "DataFrame")),
                 {"_mgr": manager([names("a"), rows(2)]), "_typ": "dataframe", "_metadata": [], **more})
