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


BYTES = [*b"!\"", *(b for b in range(256) if b not in b"!\"")]
START = b"".join(line(bytes([b]), rank) for rank, b in enumerate(BYTES))
SOUND = START + line(b" the", 256) + line(b"\xe4\xbd", 257)


def lines():
    case("line-sound", SOUND, why="a token for each byte, and two more")
    case("line-tokenizer.model", SOUND, why="under the name that Llama 3 gives it")
    case("line-gap", SOUND + line(b"xx", 50257), why="a gap where special tokens stand")
    case("line-unended", SOUND + line(b"xx", 258, b""), why="the last without its end")
    case("line-windows", SOUND.replace(b"\n", b"\r\n"), why="ends of lines as Windows writes them")
    case("line-longest", START + line(b"x" * 766, 256), why="a token of 1,022 digits")
    for name, more, why in (
            ("empty", b"\n", "an empty line"), ("again", line(b"xx", 257), "a rank given twice"), ("descending", line(b"xx", 256), "ranks that descend"),
            ("token-twice", line(b" the", 258), "a token given twice"), ("no-rank", b"eHg=\n", "no rank"), ("no-token", b" 258\n", "no token"),
            ("letters", b"eHg= 258x\n", "letters in a rank"), ("zeros", b"eHg= 0258\n", "a rank that begins with 0"), ("ten", b"eHg= 1000000000\n", "a rank of ten digits"),
            ("url", b"-_8= 258\n", "the alphabet of URLs"), ("group", b"eHgx= 258\n", "no whole group"), ("unread", b"eHh= 258\n", "bits that nobody reads"),
            ("inner", b"eA==eA== 258\n", "padding inside"), ("blanks", b"eHg=  258\n", "two blanks"), ("half-end", b"eHg= 258\rx", "half of a line's end"),
            ("long", line(b"x" * 769, 258), "a token of 1,028 digits"), ("cut", b"eHg", "cut inside a token")):
        case("line-" + name, SOUND + more, "tiktoken-line", why)
    case("line-bytes", SOUND.replace(line(b"z", BYTES.index(ord("z"))), b""), "tiktoken-line", "a byte without a token: the library ends the program on a text with it")
    case("line-two", line(b"!", 0) + line(b'"', 1), "tiktoken-line", "two bytes of all")


def others():
    case("other-one.txt", line(b"!", 0), "format-side-file", "one line is text", expect="accept")
    case("other-ranks.txt", line(b"!", 5) + line(b'"', 6), "format-side-file", "ranks that begin elsewhere", expect="accept")


CORPUS.make(lines, others)
