#!/usr/bin/python3
"""formats.py [WEIGHLOCK]: docs/formats.md from the table of formats, on standard output.

    docs/formats.py build/cli/weighlock > docs/formats.md
"""
import json
import subprocess
import sys

HEAD = """# Formats

Written by `docs/formats.py` from `weighlock formats --format json`; change a folder's `formats.txt`
(`lib/core/tables.py`) instead. What a file is, its content says; the extensions are what its name suggests.

* **validated**: accepted only when every byte of it is understood.
* **scanned**: what is dangerous in it is looked for; never accepted by policy `default`.
* **identified**: named, not read; for review, and rejected where it is a program.

`weighlock convert` reads the tensors of safetensors, deathtensors, pytorch, pytorch-legacy, torchscript, npy, npz, pickle, joblib,
gguf (types that are not quantised), flax-msgpack, keras-hdf5 and keras-zip (data sets without filters), onnx (initializers);
tf-checkpoint and onnx with their external-weights; and of these in gzip, bzip2, xz, lzma, zlib, lz4 and zstd.
"""


def main():
    out = subprocess.check_output([sys.argv[1] if len(sys.argv) > 1 else "weighlock", "formats", "--format", "json"])
    print(HEAD)
    print("| format | level | can be a model | extensions |")
    print("|---|---|---|---|")
    for f in json.loads(out)["formats"]:
        print(f"| {f['format']} | {f['level']} | {'yes' if f['model'] else 'no'} | {' '.join(f['extensions'])} |")


main()
