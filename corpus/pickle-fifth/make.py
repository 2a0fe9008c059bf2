#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: pickles of what packs vouch for.  Indexes of three numbers that stand for a
billion items, given to what makes them all; numbers that are places in something else, and lead out of it.  Beside each the honest
file that is one number away.

A case has the members of corpus/findings; all are judged with every pack of tables."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position
from pickle_values import (  # noqa: E402 pylint: disable=wrong-import-position
    ARRAYS, INDEX, MANAGERS, array, dtype, floats, index, longs, manager, names, octets, packed, rows, small, span, sparse_array)
from torch_writer import Build, Call, G, Get, New, Put, dumps  # noqa: E402 pylint: disable=wrong-import-position

PACKS = "version: 1\nname: packs\npickle: {packs: [numpy, numpy-random, pandas, scipy, scipy-sparse, sklearn]}\n"
ALLOWED = "pickle-global-allowed"
ARGUMENTS, RANGE, MEMORY = (f"{ALLOWED} {code}" for code in ("pickle-arguments", "pickle-place-range", "pickle-load-memory"))
TIME = f"{MEMORY} pickle-load-time"
CORPUS = Cases(".pkl", {ALLOWED}, {"pickle-arguments"}, sections=True)
BILLION = 10**9


def case(name, value, codes, why):
    CORPUS.case(name, dumps(value, 4), codes, why, policy=PACKS)


def sizes():
    why = "pandas makes them all: 7.5 GiB of 300 bytes"
    case("index-data", index(INDEX, data=longs(1, 2)), ALLOWED, "an array")
    case("index-range", index(INDEX, data=rows(BILLION), dtype=dtype("O8")), ARGUMENTS, why)
    case("index-range-plain", index(INDEX, data=rows(3)), ARGUMENTS, "no release writes an index of an index")
    case("index-copy", index(INDEX, data=longs(1, 2), copy=True), ARGUMENTS, "a copy for each call")
    case("index-dtype", index(INDEX, data=longs(1, 2), dtype=dtype("O8")), ARGUMENTS, "an object for each number")
    case("index-categories", index(("pandas.core.indexes.category", "CategoricalIndex"), data=rows(BILLION)), ARGUMENTS, "likewise")
    case("sparse-data", index(INDEX, data=sparse_array(10)), ALLOWED, "a sparse array, of ten")
    case("sparse-data-long", index(INDEX, data=sparse_array(BILLION)), TIME, "zeros that stand nowhere are made")
    case("empty-items", index(INDEX, data=array("S0", (3,), b"")), ALLOWED, "texts of no bytes")
    case("empty-items-many", index(INDEX, data=array("S0", (BILLION,), b"")), TIME, "a billion of them: an object each")
    sides = ("pandas.core.indexes.interval", "IntervalIndex")
    make = G("pandas.core.indexes.interval", "_new_IntervalIndex")
    both = {"closed": "left", "name": None}
    case("intervals-range", Call(make, G(*sides), {"left": rows(3), "right": rows(3), **both}), ALLOWED, "of two ranges")
    case("intervals-range-long", Call(make, G(*sides), {"left": rows(BILLION), "right": rows(BILLION), **both}), TIME,
         "an array of either is made, and they are compared")
    case("axes-range", manager([names("a"), rows(2)]), ALLOWED, "a range is its ends, and stays so")
    case("axes-sparse", manager([names("a"), sparse_array(3)], 3), ARGUMENTS, "an index is made of whatever is none")
    series = G(MANAGERS, "SingleBlockManager")
    for name, axis, codes in (("state-range", rows(2), ALLOWED), ("state-sparse", sparse_array(BILLION), ARGUMENTS)):
        state = {"0.14.1": {"axes": [axis], "blocks": [{"values": floats(0.5, 0.5), "mgr_locs": span(0, 2)}]}}
        case(f"axes-{name}", Build(New(series), ([rows(2)], [floats(0.5, 0.5)], [rows(2)], state)), codes, "likewise, of a series")


def categorical(codes, n, *more):
    kind = Build(New(G("pandas.core.dtypes.dtypes", "CategoricalDtype")), {"categories": names(*"abcdefgh"[:n]), "ordered": False})
    made = Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), G("pandas.core.arrays.categorical", "Categorical"), 0x4f1061f, None)
    return Build(made, (kind, codes, *more))


def levels(codes, *texts, **more):
    return index(("pandas.core.indexes.multi", "MultiIndex"), levels=[names(*texts)], codes=[codes], sortorder=None, names=[None], **more)


def places():
    why = "the pointer at that place is taken for an object: pandas 1.5.3 dies"
    case("codes-fit", categorical(small(0, 1, -1, 1), 2, {}), ALLOWED, "codes of two categories, and none")
    case("codes-high", categorical(small(0, 2), 2, {}), RANGE, why)
    case("codes-low", categorical(small(0, -2), 2, {}), RANGE, "before the first")
    case("codes-wide", categorical(longs(1, 1 << 40), 2, {}), RANGE, "of eight bytes")
    case("codes-floats", categorical(floats(0.0), 2, {}), ARGUMENTS, "no integers")
    case("codes-dict", Build(Call(G(ARRAYS, "__pyx_unpickle_NDArrayBacked"), G("pandas.core.arrays.categorical", "Categorical"), 0x4f1061f, None),
                             {"_codes": small(100)}), ARGUMENTS, "another way to give the same")
    case("levels-fit", levels(small(0, 1, -1), "a", "b"), ALLOWED, "a level of two")
    case("levels-high", levels(small(0, 100), "a", "b"), RANGE, why)
    case("levels-many", index(("pandas.core.indexes.multi", "MultiIndex"), levels=[names("a")], codes=[small(0), small(0)],
                              sortorder=None, names=[None]), ARGUMENTS, "codes of a level that is not there")


# -- SciPy

def compressed(cls, shape, indices, pointers, **more):
    n = len(indices)
    return Build(New(G(f"scipy.sparse._{cls}", f"{cls}_matrix")),
                 {"_shape": shape, "maxprint": 50, "data": floats(*[1.0] * n), "indices": packed("i4", "i", indices),
                  "indptr": packed("i4", "i", pointers), **more})


def pairs(shape, rows_at, columns_at):
    return Build(New(G("scipy.sparse._coo", "coo_matrix")),
                 {"_shape": shape, "data": floats(*[1.0] * len(rows_at)), "row": packed("i4", "i", rows_at),
                  "col": packed("i4", "i", columns_at), "has_canonical_format": False})


def matrices():
    why = "toarray() writes there: SciPy dies"
    case("csr-fit", compressed("csr", (2, 9), (8, 0, 3), (0, 2, 3)), ALLOWED, "two rows of nine, the columns of one in no order")
    case("csr-column", compressed("csr", (2, 9), (9, 0, 3), (0, 2, 3)), RANGE, why)
    case("csr-far", compressed("csr", (2, 9), (300000000, 0, 3), (0, 2, 3)), RANGE, why)
    case("csr-negative", compressed("csr", (2, 9), (8, -1, 3), (0, 2, 3)), RANGE, why)
    case("csr-pointer", compressed("csr", (2, 9), (8, 0, 3), (0, 2, 4)), RANGE, "more than there are")
    case("csr-falling", compressed("csr", (3, 9), (8, 0, 3), (0, 3, 1, 3)), RANGE, "what is copied is more than was counted")
    case("csr-rows", compressed("csr", (3, 9), (8, 0, 3), (0, 2, 3)), ARGUMENTS, "a row of which nobody says where it begins")
    case("csr-shape", compressed("csr", (2, BILLION), (8, 0, 3), (0, 2, 3)), ALLOWED, "wide, and empty")
    case("csr-shapeless", compressed("csr", None, (8, 0, 3), (0, 2, 3)), ARGUMENTS, "of no shape")
    case("csc-fit", compressed("csc", (9, 2), (8, 0, 3), (0, 2, 3)), ALLOWED, "likewise, by columns")
    case("csc-turned", compressed("csc", (2, 9), (8, 0, 3), (0, 2, 3)), ARGUMENTS, "of nine columns")
    case("csc-row", compressed("csc", (9, 2), (8, 9, 3), (0, 2, 3)), RANGE, why)
    blocks = {"data": floats(*[1.0] * 8, shape=(2, 2, 2))}
    case("bsr-fit", compressed("bsr", (4, 4), (0, 1), (0, 1, 2), **blocks), ALLOWED, "blocks of two by two")
    case("bsr-column", compressed("bsr", (4, 4), (0, 2), (0, 1, 2), **blocks), RANGE, "a column of blocks")
    case("bsr-nothing", compressed("bsr", (4, 4), (0, 1), (0, 1, 2), data=array("f8", (2, 0, 2), b"")), ARGUMENTS, "divides by it")
    case("coo-fit", pairs((2, 3), (1, 0), (2, 2)), ALLOWED, "pairs of places")
    case("coo-row", pairs((2, 3), (2, 0), (2, 2)), RANGE, why)
    case("coo-column", pairs((2, 3), (1, 0), (2, 3)), RANGE, why)
    case("coo-short", pairs((2, 3), (1,), (2, 2)), ARGUMENTS, "a row for one of two")
    for name, offsets, codes in (("fit", (0, 7), ALLOWED), ("short", (0, 7, 1), ARGUMENTS)):
        case(f"dia-{name}", Build(New(G("scipy.sparse._dia", "dia_matrix")), {"_shape": (2, 2), "data": floats(*[1.0] * 4, shape=(2, 2)),
                                                                             "offsets": packed("i4", "i", offsets)}), codes,
             "diagonals; of one that leads out, nothing is taken, of one without numbers foreign ones are")
    for name, column, codes in (("fit", 2, ALLOWED), ("column", 3, ARGUMENTS)):
        lists = {"rows": array("O8", (2,), [[0, column], []]), "data": array("O8", (2,), [[1.0, 2.0], []])}
        case(f"lil-{name}", Build(New(G("scipy.sparse._lil", "lil_matrix")), {"_shape": (2, 3), "dtype": dtype("f8"), **lists}), codes,
             "lists of columns: a product with a vector reads there")


def record(key, of, size, n):
    """A type of n fields of one type, which stands in the memo."""
    fields = [f"f{i}" for i in range(n)]
    return Build(Call(G("numpy", "dtype"), f"V{size * n}", False, True),
                 (3, "|", None, tuple(fields), {f: (Get(key) if i else Put(key, of), i * size) for i, f in enumerate(fields)}, size * n, 1, 16))


def flagged(flags):
    kind = Build(Call(G("numpy", "dtype"), "V4", False, True), (3, "|", None, ("a",), {"a": (dtype("i4"), 0)}, 4, 1, flags))
    return Build(Call(G("numpy.core.multiarray", "_reconstruct"), G("numpy", "ndarray"), (0,), octets(b"b")),
                 (1, (2,), kind, False, octets(bytes(8))))


def masked(of):
    made = Call(G("numpy.ma.core", "_mareconstruct"), G("numpy.ma.core", "MaskedArray"), G("numpy", "ndarray"), (0,), octets(b"b"))
    return Build(made, (1, (0,), of, False, octets(b""), octets(b""), None))


def records():
    case("flags-fit", flagged(16), ALLOWED, "a record, as NumPy writes it")
    case("flags-aligned", flagged(128 + 16 - 256), ALLOWED, "likewise, aligned as C does")
    case("flags-none", flagged(0), f"{ALLOWED} pickle-array-state", "sort() lets Python's lock go, and compares fields with Python: NumPy dies")
    for name, n, times, codes, why in (
            ("fit", 3, 1, ALLOWED, "27 fields"),
            ("deep", 200, 1, TIME, "8,000,000 fields of 18 KB: numpy.ma makes a type and a value of each, in Python"),
            ("again", 30, 300, TIME, "27,000 fields, for each of 300 arrays")):
        of = record(3, record(2, record(1, dtype("i1"), 1, n), n, n), n * n, n)
        case(f"fields-{name}", [masked(Get(4) if i else Put(4, of)) for i in range(times)], codes, why)


def generators():
    make, bits = G("numpy.random._pickle", "__randomstate_ctor"), G("numpy.random._pickle", "__bit_generator_ctor")
    key = packed("u4", "I", [7] * 624)
    why = "the next number is read there: NumPy dies, or tells what is in memory"

    def twister(place):
        return {"bit_generator": "MT19937", "state": {"key": key, "pos": place}, "has_gauss": 0, "gauss": 0.0}
    for name, state, codes in (
            ("fit", twister(624), ALLOWED), ("far", twister(625), ARGUMENTS), ("negative", twister(-1), ARGUMENTS),
            ("old", ("MT19937", key, 3, 0, 0.0), ALLOWED), ("old-far", ("MT19937", key, 10**8, 0, 0.0), ARGUMENTS)):
        case(f"random-{name}", Build(Call(make, "MT19937", bits), state), codes, why if codes is ARGUMENTS else "a state of the Mersenne twister")
    for name, place, codes in (("fit", 4, ALLOWED), ("negative", -1, ARGUMENTS)):
        inner = {"counter": packed("u8", "Q", [0] * 4), "key": packed("u8", "Q", [1, 2])}
        state = {"bit_generator": "Philox", "state": inner, "buffer": packed("u8", "Q", [0] * 4), "buffer_pos": place, "has_uint32": 0, "uinteger": 0}
        case(f"random-philox-{name}", Build(Call(bits, "Philox"), state), codes, why if codes is ARGUMENTS else "a state of Philox")


CORPUS.make(sizes, places, matrices, records, generators)
