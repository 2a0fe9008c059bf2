#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: formats that are not read as members, in every wrapper, and beside
each the format in the same place that is.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict."""
import bz2
import json
import lzma
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob, num  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(reviewed={"weights-nan"}, accepted={"pickle-global-allowed", "format-side-file"}, sections=True)


def gzipped(data):
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + zlib.compress(data)[2:-4] + struct.pack("<2I", zlib.crc32(data), len(data))


WRAPPERS = {"gz": gzipped, "bz2": bz2.compress, "xz": lambda d: lzma.compress(d, preset=0), "zlib": zlib.compress,
            "lzma": lambda d: lzma.compress(d, lzma.FORMAT_ALONE, preset=0)}


def safetensors(first=1, end=8):
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, end]}}).encode().ljust(64)
    return struct.pack("<Q", len(header)) + header + struct.pack("<2f", first, 2)


def sentencepiece():
    """Three pieces, of which one stands for what is unknown, and a trainer's and a normaliser's settings."""
    def piece(text, score, kind=None):
        return blob(1, blob(1, text) + b"\x15" + struct.pack("<f", score) + (num(3, kind) if kind else b""))
    return piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("a", -1) + blob(2, num(3, 1)) + blob(3, blob(1, "identity"))


def array():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<2f", 1, 2)


def the_members():
    for ending, wrap in WRAPPERS.items():
        CORPUS.case(f"safetensors-in.{ending}", wrap(safetensors()), "", "which is read wherever it is")
        CORPUS.case(f"safetensors-nan-in.{ending}", wrap(safetensors(float("nan"))), "weights-nan", "with a weight that is none",
                    nonfinite={"w": counts(1)})
        CORPUS.case(f"safetensors-behind-in.{ending}", wrap(safetensors() + b"more"), "safetensors-data-trailing", "with something behind it")
        CORPUS.case(f"safetensors-far-in.{ending}", wrap(safetensors(end=16)), "safetensors-data-trailing safetensors-offsets-out-of-bounds safetensors-size-mismatch",
                    "whose tensor ends elsewhere")
        CORPUS.case(f"sentencepiece-in.{ending}", wrap(sentencepiece()), "format-side-file", "a vocabulary, which is read wherever it is")
        CORPUS.case(f"npy-in.{ending}", wrap(array()), "", "an array, which is read wherever it is")


CORPUS.make(the_members)
