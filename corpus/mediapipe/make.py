#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: bundles of MediaPipe's that each break one rule of formats/mediapipe, and near
misses that break none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from flatbuffer_writer import Table, Vector, Writer, ints, text  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".task", set(), {"mediapipe-structure", "weights-nan", "format-unknown"})


def model(*weights):
    """One addition, of a weight."""
    tensors = [Table({0: ints(len(weights)), 2: ("<I", 1) if name == "w" else None, 3: text(name)}) for name in "xwy"]
    add = Table({1: ints(0, 1), 2: ints(2)})
    graph = Table({0: Vector(tensors), 1: ints(0), 2: ints(2), 3: Vector([add]), 4: text("main")})
    buffers = [Table({}), Table({0: Vector(struct.pack(f"<{len(weights)}f", *weights), align=16)})]
    return Writer(b"TFL3").write(Table({0: ("<I", 3), 1: Vector([Table({})]), 2: Vector([graph]), 3: text("made"), 4: Vector(buffers)}), 4)


MODEL = model(1.0, 2.0)
INNER = archive(("hand_detector.tflite", MODEL), ("hand_landmarks_detector.tflite", MODEL))


def bundles():
    CORPUS.case("bundle-sound", INNER, why="two models")
    CORPUS.case("bundle-nested", archive(("hand_landmarker.task", INNER), ("gestures.tflite", MODEL)), why="a bundle in a bundle")
    CORPUS.case("bundle-labels", archive(("detector.tflite", MODEL), ("labels.txt", "a\nb\n")), why="and labels")
    CORPUS.case("bundle-language", archive(("TF_LITE_PREFILL_DECODE", MODEL), ("notes.txt", "a\n")), why="a language model by its name")
    CORPUS.case("bundle-nan", archive(("detector.tflite", model(1.0, float("nan")))), "weights-nan", "a weight that is none",
                nonfinite={"w": counts(nan=1)})
    CORPUS.case("bundle-deflated", archive(("detector.tflite", MODEL, 8)), "mediapipe-structure", "a model that cannot be mapped")
    CORPUS.case("bundle-text", archive(("detector.tflite", "a\n")), "mediapipe-structure", "a model that is none")
    CORPUS.case("bundle-graph", archive(("detector.tflite", MODEL), ("METADATA", b"\x0a\x03\xff\xfe\xfd")), "format-unknown",
                "a member that nobody knows")


CORPUS.make(bundles)
