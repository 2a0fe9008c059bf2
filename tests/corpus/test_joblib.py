"""What joblib itself writes through the built command: every protocol and coding, every element type, is accepted with all
elements counted; and what is put into it is found."""
import itertools
import json
import os
import subprocess
import sys
import tempfile

import tap

try:
    import joblib
    import numpy as np
except ImportError:
    joblib = None

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
CODINGS = ("zlib", "gzip", "bz2", "xz", "lzma")
PLAIN = ("f2", "f4", "f8", ">f4", ">f8", "c8", "c16", "i1", "i8", ">i2", "u1", "u8", "?")


class Printing:
    """Prints when it is loaded, which nobody does."""

    def __reduce__(self):
        return print, ("boo",)


def scan(paths):
    done = subprocess.run([OPTIONS["weighlock"], "scan", "--format", "json", "--", *paths], capture_output=True,
                          timeout=300, check=False)
    return dict(zip(paths, [json.loads(line) for line in done.stdout.splitlines()], strict=True))


def without_joblib():
    raise tap.Skip("python3-joblib or python3-numpy is missing")


def dumps(folder, name, value):
    """Paths of one value in every protocol and in every coding."""
    for protocol in (2, 3, 4, 5):
        path = os.path.join(folder, f"{name}-{protocol}.joblib")
        joblib.dump(value, path, protocol=protocol)
        yield path
    for coding in CODINGS:
        path = os.path.join(folder, f"{name}-{coding}.joblib")
        joblib.dump(value, path, compress=(coding, 3))
        yield path


def values():
    """Name, value, floating-point elements at least."""
    ones = np.arange(35).reshape(5, 7) % 2
    yield "types", {t: ones.astype(t) for t in PLAIN}, 6 * 35 + 35
    yield "fortran", {"a": np.asfortranarray(ones.astype("f4")), "t": ones.astype("f8").T}, 70
    yield "text", [np.array(["a", "bc"]), np.array([b"x"]), np.array(["2020-01-01"], dtype="M8[D]")], 0
    yield "records", np.zeros(5, dtype=[("a", "f4"), ("b", "i8", (2,)), ("c", "S3")]), 0
    yield "shapes", [np.zeros((0, 5)), np.array(3.5), np.zeros((1, 1, 1, 2), "f4")], 3
    yield "late", dict([(f"k{i}", "v" * 20) for i in range(1000)] + [("a", np.ones(100))]), 100
    yield "no-array", {"a": 1, "b": [1.5, None, "x"]}, 0


def test_what_joblib_writes_is_accepted():
    with tempfile.TemporaryDirectory() as folder:
        for name, value, _ in values():
            for path, verdict in scan(list(dumps(folder, name, value))).items():
                assert verdict["verdict"] == "accept", (path, verdict["findings"])


def test_every_element_is_counted():
    with tempfile.TemporaryDirectory() as folder:
        for name, value, elements in values():
            for path, verdict in scan(list(dumps(folder, name, value))).items():
                got = verdict.get("weights", {}).get("elements", 0)
                assert got >= elements, (path, got, elements)


def test_nan_is_found_by_its_key():
    with tempfile.TemporaryDirectory() as folder:
        for order, size in itertools.product("<>", "248"):
            value = {"fine": np.ones(9), "bad": np.array([1, np.nan, np.inf, -np.inf], dtype=f"{order}f{size}")}
            for path, verdict in scan(list(dumps(folder, "nan", value))).items():
                (row,) = verdict["weights"]["nonfinite"]
                assert (row["tensor"], row["nan"], row["pos_inf"], row["neg_inf"]) == ("bad", 1, 1, 1), (path, row)


def test_objects_are_judged_as_the_pickle_they_are():
    objects = np.array([1, "x", None, {"a": np.float32(2)}, np.arange(3.0)], dtype=object)
    with tempfile.TemporaryDirectory() as folder:
        value = {"objects": objects, "behind": np.ones(9), "more": objects[:2]}
        for path, verdict in scan(list(dumps(folder, "objects", value))).items():
            assert verdict["verdict"] == "accept", (path, verdict["findings"])
            assert verdict["weights"]["elements"] >= 9, path
        value["objects"] = np.array([Printing()], dtype=object)
        for path, verdict in scan(list(dumps(folder, "printing", value))).items():
            assert verdict["verdict"] == "review", (path, verdict["findings"])
            assert "builtins.print" in {f.get("subject") for f in verdict["findings"]}, path


tap.main(globals() if joblib else {"test_joblib": without_joblib})
