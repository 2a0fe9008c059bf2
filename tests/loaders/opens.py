"""How the real loaders open each kind of file, and what they may do meanwhile.

A kind is what is imported first, and a snippet that opens `path`.  Imports done before are no events; so an import that is
seen is one that the file, or what it called, asked for."""
import os
import re

import child
import ours

STANDARD = """
import array, builtins, codecs, _codecs, collections, collections.abc, copyreg, datetime, decimal, enum, fractions
import functools, io, gzip, bz2, lzma, zlib, zipfile, tarfile, json, operator, pathlib, pickle, pickletools, types, uuid
import encodings.latin_1
import _compat_pickle, encodings.ascii, encodings.utf_8, encodings.idna, encodings.raw_unicode_escape, stringprep, traceback
import itertools, random, re, zoneinfo, ipaddress, argparse, time, warnings, os, posixpath, sys, typing
warnings.simplefilter('ignore')
"""


def table():
    """(module, name) of what the judge's table of names lets a pickle import."""
    with open(os.path.join(ours.SOURCE, "lib", "judges", "pickle", "names.tsv"), encoding="utf-8") as f:
        rows = [line.split("\t") for line in f if not line.startswith("#")]
    return [(row[1], name) for row in rows if row[0] in ("weights", "data", "context") for name in row[2].split()]


def names_setup():
    """Imports of those modules, as far as this loader has them; so an import that is seen is a foreign one."""
    modules = sorted({module for module, _ in table()})
    return STANDARD + f"""
import importlib
for name in {modules!r}:
    try:
        importlib.import_module(name)
    except Exception:
        pass
"""


PICKLE = """
value = []
for unpickler in (pickle.Unpickler, pickle._Unpickler):
    for encoding in ('ASCII', 'latin1'):
        with open(path, 'rb') as f:
            try:
                while f.peek(1):
                    unpickler(f, encoding=encoding).load()
                value.append('loaded')
            except Exception as e:
                value.append(type(e).__name__ + ': ' + str(e)[:200])
"""

ARRAY = """
loaded = numpy.load(path, allow_pickle=False)
value = []
for name in getattr(loaded, 'files', []):
    value.append(str(loaded[name].shape))
"""

TORCH = """
value = []
for weights_only in (True, False):
    try:
        torch.load(path, map_location='cpu', weights_only=weights_only)
        value.append('loaded')
    except Exception as e:
        value.append(type(e).__name__ + ': ' + str(e)[:200])
"""

HDF5 = """
with h5py.File(path, 'r') as f:
    value = []
    f.visititems(lambda name, thing: value.append(name) or (thing[()] if isinstance(thing, h5py.Dataset) else None))
"""

KINDS = {  # of a file name's end: (libraries, setup, snippet)
    ".pkl": ((), names_setup, PICKLE),
    ".dat": ((), names_setup, PICKLE),
    ".data": ((), names_setup, PICKLE),
    ".npy": (("numpy",), lambda: STANDARD + "import numpy, numpy.lib.format, ast", ARRAY),
    ".npz": (("numpy",), lambda: STANDARD + "import numpy, numpy.lib.format, ast", ARRAY),
    ".joblib": (("joblib",), lambda: names_setup() + "\nimport joblib, numpy", "joblib.load(path)"),
    ".pt": (("torch",), lambda: names_setup() + "\nimport torch", TORCH),
    ".ckpt": (("torch",), lambda: names_setup() + "\nimport torch", TORCH),
    ".h5": (("h5py",), lambda: STANDARD + "import h5py, numpy", HDF5),
    ".json": ((), lambda: STANDARD, "json.load(open(path, 'rb'))"),
    ".yaml": (("yaml",), lambda: STANDARD + "import yaml", "yaml.safe_load(open(path, 'rb'))"),
    ".msgpack": (("msgpack",), lambda: STANDARD + "import msgpack",
                 "msgpack.unpackb(open(path, 'rb').read(), raw=False, strict_map_key=False)"),
}


def kind_of(path):
    name = re.sub(r"\.(gz|bz2|xz|lzma|lz4|z)$", "", os.path.basename(path)) if ".joblib" in path else path
    return os.path.splitext(name)[1]


def watch(**more):
    """What loaders do themselves and nobody chose: allowed; the rest is an event."""
    libraries = ["numpy", "scipy", "sklearn", "joblib", "pandas", "torch", "h5py", "yaml", "msgpack", "encodings",
                 *(module for module, _ in table()), "__builtin__", "copy_reg"]   # Python 2's: from protocol 4 on, nowhere
    return child.Watch(allow={"import": libraries, "open": ["/usr/share/zoneinfo"]}, **more)


def server(loader, kind, **options):
    libraries, setup, case = KINDS[kind]
    child.need(loader, *libraries)
    return child.Server(loader, setup(), case, **{"watch": watch(), **options})


def took(result):
    """Whether the loader read it to its end; of several readers, one of them."""
    return result.loaded and (result.value is None or not result.value or "loaded" in result.value or
                              not any(": " in str(v) for v in result.value))


MEMORY = 1024 * child.MIB


def harm(result):
    """What a case did that nothing accepted may do; "" if it is harmless."""
    if result.canary:
        return "canary"
    if result.events:
        return f"events {result.events[:4]}"
    if result.timed_out or result.cpu_s > 5:
        return f"time: {result.cpu_s:.1f} s of CPU"
    if result.peak_bytes - result.base_bytes > MEMORY or result.error.startswith("MemoryError"):
        return f"memory: {result.peak_bytes >> 20} MiB, {result.error}"
    if any(isinstance(v, str) and v.startswith("MemoryError") for v in result.value or ()):
        return f"memory: {result.value}"
    if result.status not in (0,):
        return f"ended by {result.status}: {result.err[-200:]}"
    return ""
