"""Pickles nobody wrote, by a seed: programs from a grammar, and files of the corpora whose opcodes were changed, copied from
others (harmful ones too), cut into other frames, or whose bytes were.  Payloads that come in are those of the corpora."""
import json
import os
import pickle
import pickletools
import random
import struct

import opens
import ours

SIZE_MAX = 8192
METHODS = ("append", "extend", "add", "update", "__setitem__", "__class__", "__reduce__", "__setstate__", "__dict__", "items",
           "data", "real", "grad", "default_factory", "maxlen", "a", "_fields")
TEXTS = ("touch canary", "os", "system", "builtins", "eval", "__import__('os').system('touch canary')", "posix", "a", "", "latin1",
         "zlib", "f4", "O8", "i8")


FOREIGN = [("os", "system"), ("posix", "system"), ("builtins", "eval"), ("builtins", "exec"), ("builtins", "map"),
           ("functools", "partial"), ("operator", "attrgetter"), ("builtins", "type"), ("smtpd", "SMTPServer"), ("collections", "UserList"), ("builtins", "print")]


def text(word):
    word = word.encode("utf-8", "surrogatepass")
    return b"\x8c" + bytes([len(word)]) + word if len(word) < 256 else b"X" + struct.pack("<I", len(word)) + word


# ---- from a grammar ----

class Program:
    """A pickle that grows value by value; mostly balanced, for what underflows is refused by all."""

    def __init__(self, rng, names):
        self.rng, self.names, self.memo = rng, names, 0

    def atom(self):
        rng = self.rng
        return rng.choice((
            lambda: b"N", lambda: b"\x88", lambda: b"\x89", lambda: b"K" + bytes([rng.randrange(256)]),
            lambda: b"J" + struct.pack("<i", rng.choice((-1, 0, 1, 1 << 20, -1 << 31, (1 << 31) - 1))),
            lambda: b"\x8a\x09" + struct.pack("<Q", rng.getrandbits(64)) + b"\0", lambda: text(rng.choice(TEXTS)),
            lambda: text(rng.choice(METHODS)), lambda: b"C\x04" + rng.randbytes(4), lambda: b"G" + rng.randbytes(8),
            lambda: b"]", lambda: b"}", lambda: b")", lambda: b"\x8f", lambda: b"I0%d\n" % rng.randrange(3),
            lambda: b"(l", lambda: b"(d", lambda: b"U\x01a"))()

    def name(self):
        rng = self.rng
        module, name = rng.choice(self.names) if rng.random() < 0.97 else rng.choice(FOREIGN)
        if rng.random() < 0.3:
            return text(module) + text(name) + b"\x93"
        return f"c{module}\n{name}\n".encode()

    def recall(self):
        return b"h" + bytes([self.rng.randrange(min(self.memo, 255))]) if self.memo else self.atom()

    def remember(self):
        self.memo += 1
        return b"\x94" if self.rng.random() < 0.5 else b"q" + bytes([self.memo - 1 & 255])

    def values(self, depth, most=3):
        return b"".join(self.value(depth) for _ in range(self.rng.randrange(most + 1)))

    def state(self, depth):
        pairs = b"".join(text(self.rng.choice(METHODS)) + self.value(depth) for _ in range(self.rng.randrange(1, 3)))
        state = b"}(" + pairs + b"u"
        return b"N" + state + b"\x86" if self.rng.random() < 0.2 else state

    def instance(self, depth):
        rng, callee = self.rng, self.name()
        arguments = rng.choice((b")", b"(" + self.values(depth) + b"t", self.value(depth) + b"\x85",
                                self.value(depth) + self.value(depth) + b"\x86"))
        made = rng.choice((callee + arguments + b"R", callee + arguments + b"\x81", b"(" + callee + self.values(depth) + b"o",
                           callee + arguments + b"}\x92"))
        if rng.random() < 0.5:
            made += self.state(depth) + b"b"
        return made + self.filled(depth) if rng.random() < 0.4 else made

    def filled(self, depth):
        rng = self.rng
        return rng.choice((lambda: self.value(depth) + b"a", lambda: b"(" + self.values(depth) + b"e",
                           lambda: self.value(depth) + self.value(depth) + b"s", lambda: b"(" + self.values(depth) + b"\x90",
                           lambda: b"(" + self.value(depth) + self.value(depth) + b"u"))()

    def value(self, depth):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            made = self.recall() if rng.random() < 0.25 else self.atom()
        elif rng.random() < 0.45:
            made = self.instance(depth - 1)
        else:
            made = rng.choice((lambda: b"(" + self.values(depth - 1) + b"t", lambda: b"](" + self.values(depth - 1) + b"e",
                               lambda: self.value(depth - 1) + b"\x85", lambda: b"(" + self.values(depth - 1) + b"\x91",
                               lambda: b"}(" + self.value(0) + self.value(depth - 1) + b"u", self.name,
                               lambda: self.value(depth - 1) + b"0" + self.value(depth - 1),
                               lambda: self.value(depth - 1) + b"2\x86"))()
        return made + self.remember() if rng.random() < 0.2 else made


def grown(rng, names):
    program = Program(rng, names)
    body = program.value(rng.randrange(1, 4)) + b"."
    body = framed(rng, body) if rng.random() < 0.2 else body
    return b"\x80" + bytes([rng.choice((2, 3, 4, 4, 5))]) + body if rng.random() < 0.8 else body


# ---- from files ----

def opcodes(content):
    """Its opcodes, each as its bytes; what follows STOP is the last.  None if pickletools cannot read it."""
    try:
        at = [place for _, _, place in pickletools.genops(content)]
    except Exception:  # noqa: BLE001 - whatever it says: no seed
        return None
    parts = [content[a:b] for a, b in zip(at, at[1:] + [len(content)])]
    return parts[:-1] + [parts[-1][:1], parts[-1][1:]]


def framed(rng, body):
    """Cut into frames, mostly where opcodes end or not, mostly of the length that is right or nearly."""
    cut = rng.randrange(1, len(body) + 1)
    pieces = [body[:cut], body[cut:]] if rng.random() < 0.6 else [body]
    out = b""
    for piece in pieces:
        length = len(piece) + (0 if rng.random() < 0.6 else rng.choice((-9, -8, -5, -1, 1, 4, 8, 9)))
        out += b"\x95" + struct.pack("<Q", max(0, length)) + piece
    return out


def changed(rng, content, others):
    parts = opcodes(content)
    if parts is None or len(parts) < 3 or rng.random() < 0.15:
        return scratched(rng, content)
    parts = [p for p in parts if p[:1] != b"\x95"]
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at, what = rng.randrange(len(parts)), rng.randrange(8)
        other = opcodes(rng.choice(others)) or [b"0"]
        place = rng.randrange(len(other))
        run = other[place:place + rng.choice((1, 1, 2, 4, 8))]
        if what == 0:
            del parts[at]
        elif what == 1:
            parts.insert(at, rng.choice(parts))
        elif what == 2:
            i = rng.randrange(len(parts))
            parts[at], parts[i] = parts[i], parts[at]
        elif what == 3:
            parts[at] = rng.choice(other)
        elif what == 4:
            parts[at:at] = run
        elif what == 5:
            parts[at] = bytes([rng.choice(b"()012Na]}bestudlRo\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x92\x93\x94")])
        elif what == 6 and parts[at][:1] in b"X\x8cCBU":
            parts[at] = text(rng.choice(TEXTS + METHODS))
        elif what == 7 and len(parts[at]) > 1:
            i = rng.randrange(1, len(parts[at]))
            parts[at] = parts[at][:i] + bytes([rng.randrange(256)]) + parts[at][i + 1:]
        if not parts:
            return b"N."
    if rng.random() < 0.2:
        head = parts[0] if parts[0][:1] == b"\x80" else b"\x80\x04"
        return head + framed(rng, b"".join(parts[1:]) or b".")
    return b"".join(parts)


def scratched(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, what = rng.randrange(len(content) or 1), rng.randrange(3)
        if what == 0 and content:
            content[at] = rng.randrange(256)
        elif what == 1:
            del content[at:at + rng.choice((1, 2, 8))]
        else:
            content[at:at] = bytes([rng.randrange(256)])
    return bytes(content)


def seeds():
    """(those we accept, all): pickles of the corpora of a moderate size."""
    good, every = [], []
    for corpus in ("pickle", "pickle-rules", "pickle-attacks"):
        folder = os.path.join(ours.CORPUS, corpus)
        with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
            for case in map(json.loads, f):
                with open(os.path.join(folder, "files", case["file"]), "rb") as g:
                    content = g.read(SIZE_MAX + 1)
                if 0 < len(content) <= SIZE_MAX and opcodes(content):
                    every.append(content)
                    if case["expect"] == ["accept"]:
                        good.append(content)
    honest = {"a": [1, 2.5, None, True], "b": (b"x", "y", {3, 4}), "c": 1 << 70, "d": bytearray(b"z")}
    good += [pickle.dumps(honest, protocol) for protocol in range(6)]
    return good, every


def mutants(count, seed):
    rng, names, (good, every) = random.Random(seed), opens.table(), seeds()
    for _ in range(count):
        yield grown(rng, names) if rng.random() < 0.4 else changed(rng, rng.choice(good), every)
