#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: models of perfect structure with a number that the program which runs
them does not bear, and beside each the nearest one that it does (formats/gguf, rule 51 and its like).  Always the same bytes;
nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
import limits_gguf  # noqa: E402 pylint: disable=wrong-import-position
import limits_onnx  # noqa: E402 pylint: disable=wrong-import-position
import limits_tf  # noqa: E402 pylint: disable=wrong-import-position
import limits_tflite  # noqa: E402 pylint: disable=wrong-import-position
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(sections=True, accepted={"onnx-loop-trip"}, reviewed={"gguf-runtime-range", "tflite-runtime-range", "tf-runtime-range", "onnx-runtime-range", "gguf-merge-form", "gguf-hparam-range", "gguf-hparam-zero"})

if __name__ == "__main__":
    limits_gguf.section(CORPUS.case)
    limits_onnx.section(CORPUS.case)
    limits_tflite.section(CORPUS.case)
    limits_tf.section(CORPUS.case)
    CORPUS.write()
