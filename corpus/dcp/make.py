#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: shards of torch.distributed.checkpoint that each break one rule of
formats/pytorch, section 8, and near misses that break none.  Always the same bytes, made without PyTorch; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Call, G, checkpoint, dumps, state, tensor  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive  # noqa: E402 pylint: disable=wrong-import-position

ALLOWED = "pickle-global-allowed"
CORPUS = Cases(".distcp", {ALLOWED, "torch-opcode-outside-weights-only"}, {"weights-nan", "torch-unknown-member", "format-identified-only",
                                                                            "format-unknown"})
ONE, TWO = checkpoint(tensor()), checkpoint(state(a=tensor()))
NAN = checkpoint(tensor(), storages={"0": struct.pack("<4f", 1, 2, 3, float("nan"))})
NUMBER = checkpoint(dumps(7), storages={})
BOTH = ("zip-prefix-bytes", "zip-zip64-locator", "torch-misaligned")


def shards():
    CORPUS.case("shard-one", ONE, ALLOWED, "one tensor: a checkpoint")
    CORPUS.case("shard-two", ONE + TWO, ALLOWED, "two, one behind the other")
    CORPUS.case("shard-object", ONE + NUMBER, ALLOWED, "a tensor and a number")
    CORPUS.case("shard-nan", ONE + NAN, f"{ALLOWED} weights-nan", "a weight that is none",
                nonfinite={f"{len(ONE)}!archive/data/0": counts(nan=1)})
    CORPUS.case("shard-acts", checkpoint(dumps(Call(G("os", "system"), "touch canary")), storages={}) + ONE,
                f"{ALLOWED} pickle-global-dangerous pickle-call-dangerous torch-opcode-outside-weights-only", "the first acts")
    CORPUS.case("shard-zip", ONE + archive(("a.bin", b"\xff\xfe\xfd")), f"{ALLOWED} torch-unknown-member format-identified-only format-unknown",
                "an archive that no loader knows")


def gaps():
    CORPUS.case("gap-front", b"\0" + ONE + TWO, "format-unknown", "a byte in front")
    CORPUS.case("gap-between", ONE + b"\0" + TWO, f"{ALLOWED} {' '.join(BOTH)}", "a byte between them")
    CORPUS.case("gap-behind", ONE + TWO + b"\0", f"{ALLOWED} zip-trailing-bytes {' '.join(BOTH)}", "a byte behind them")
    CORPUS.case("gap-other-name.pt", ONE + TWO, f"{ALLOWED} {' '.join(BOTH)}", "of what torch.load() opens only the last counts")


CORPUS.make(shards, gaps)
