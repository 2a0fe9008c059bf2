#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: vocabularies of tiktoken that each break one rule of formats/tiktoken, and near
misses that break none.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import base64
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(".tiktoken")
case = CORPUS.case


def line(token, rank, end=b"\n"):
    return base64.b64encode(token) + b" " + str(rank).encode() + end


START = line(b"!", 0) + line(b'"', 1)
SOUND = START + line(b" the", 2) + line(b"\xe4\xbd", 3)


def lines():
    case("line-sound", SOUND, why="four tokens")
    case("line-tokenizer.model", SOUND, why="under the name that Llama 3 gives it")
    case("line-gap", SOUND + line(b"x", 50257), why="a gap where special tokens stand")
    case("line-unended", SOUND + line(b"x", 4, b""), why="the last without its end")
    case("line-windows", SOUND.replace(b"\n", b"\r\n"), why="ends of lines as Windows writes them")
    case("line-longest", START + line(b"x" * 766, 2), why="a token of 1,022 digits")
    for name, more, why in (
            ("empty", b"\n", "an empty line"), ("again", line(b"x", 3), "a rank given twice"), ("descending", line(b"x", 2), "ranks that descend"),
            ("token-twice", line(b"!", 4), "a token given twice"), ("no-rank", b"eHg=\n", "no rank"), ("no-token", b" 4\n", "no token"),
            ("letters", b"eHg= 4x\n", "letters in a rank"), ("zeros", b"eHg= 04\n", "a rank that begins with 0"), ("ten", b"eHg= 1000000000\n", "a rank of ten digits"),
            ("url", b"-_8= 4\n", "the alphabet of URLs"), ("group", b"eHgx= 4\n", "no whole group"), ("unread", b"eHh= 4\n", "bits that nobody reads"),
            ("inner", b"eA==eA== 4\n", "padding inside"), ("blanks", b"eHg=  4\n", "two blanks"), ("half-end", b"eHg= 4\rx", "half of a line's end"),
            ("long", line(b"x" * 769, 4), "a token of 1,028 digits"), ("cut", b"eHg", "cut inside a token")):
        case("line-" + name, SOUND + more, "tiktoken-line", why)


def others():
    case("other-one.txt", line(b"!", 0), "format-side-file", "one line is text", expect="accept")
    case("other-ranks.txt", line(b"!", 5) + line(b'"', 6), "format-side-file", "ranks that begin elsewhere", expect="accept")


CORPUS.make(lines, others)
