#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: DDUF files that each break one rule of formats/dduf, and near misses that break
none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import checkpoint, state, tensor  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".dduf", {"pickle-global-allowed"}, {"dduf-structure", "weights-nan", "format-unknown"})


def weights(*numbers):
    head = json.dumps({"w": {"dtype": "F32", "shape": [len(numbers)], "data_offsets": [0, 4 * len(numbers)]}}).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + struct.pack(f"<{len(numbers)}f", *numbers)


INDEX = json.dumps({"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.32.0", "vae": ["diffusers", "AutoencoderKL"],
                    "tokenizer": ["transformers", "CLIPTokenizer"]})
PARTS = {"model_index.json": INDEX, "vae/config.json": '{"_class_name": "AutoencoderKL"}', "vae/model.safetensors": weights(1, 2),
         "tokenizer/tokenizer_config.json": '{"model_max_length": 77}', "tokenizer/merges.txt": "#version: 0.2\ni n\n"}


def case(name, codes, why, parts=None, order=None, **more):
    members = {**PARTS, **(parts or {})}
    CORPUS.case(name, archive(*((n, *(d if isinstance(d, tuple) else (d,))) for n in order or members for d in [members[n]]
                                if d is not None)), codes, why, **more)


def files():
    case("file-sound", "", "a pipeline")
    case("file-order", "", "its index stands last", order=[*list(PARTS)[1:], "model_index.json"])
    case("file-deflated", "dduf-structure", "a member that is compressed", {"tokenizer/merges.txt": (PARTS["tokenizer/merges.txt"], 8)})
    case("file-nested", "dduf-structure", "a folder in a folder", {"vae/a/config.json": "{}"})
    case("file-kind", "dduf-structure", "another kind of file", {"vae/notes.md": "# notes\n"})
    case("file-unnamed", "dduf-structure", "a folder that the index does not name", {"unet/config.json": "{}"})
    case("file-unconfigured", "dduf-structure", "a folder without a configuration", {"vae/config.json": None})
    case("file-nan", "weights-nan", "a weight that is none", {"vae/model.safetensors": weights(1, float("nan"))},
         nonfinite={"w": counts(nan=1)})
    case("file-pickle", "dduf-structure pickle-global-allowed", "a checkpoint by the name of weights",
         {"vae/model.safetensors": checkpoint(state(w=tensor()))})
    case("file-bytes", "dduf-structure format-unknown", "no weights at all", {"vae/model.safetensors": b"\xff\xfe\xfd" * 7})


def indexes():
    case("index-no-json", "dduf-structure", "an index that is none", {"model_index.json": "{"})
    case("index-list", "dduf-structure", "no dictionary", {"model_index.json": "[]"})
    case("index-key-twice", "dduf-structure", "a folder twice", {"model_index.json": INDEX[:-1] + ', "vae": ["diffusers", "AutoencoderKL"]}'})


CORPUS.make(files, indexes)
