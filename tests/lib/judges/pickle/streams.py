"""Pickle streams for tests and fuzz seeds: structurally valid ones, from a seed, and slightly broken ones.

A generator keeps a rough stack of types, so that most opcodes it chooses are ones a loader takes; now and then it
chooses any.  Nothing here loads a pickle.  streams.py FOLDER N writes N of them.
"""
import os
import pickletools
import random
import struct
import sys

NAMES = [("os", "system"), ("collections", "OrderedDict"), ("a.b", "C"), ("__builtin__", "eval"), ("copy_reg", "_x"),
         ("m", "f.g"), ("\u00e9", "x"), ("m\r", "n"), ("exceptions", "IOError")]
INTS = ["0", "00", "01", "1", "-1", "12345678901234567890", "-9223372036854775808", "9223372036854775807", "0x10", "1_0",
        " 5", "5 ", "+7", "-0", "010", "08", "0o7", "0b2", "0b1", "1__0", "_1", "", "x", "7\0x", "00 ", "0_0", "L", "5L",
        "0x", "0x_f", "--1", "9" * 25, " ", "\t3\r", "1e3"]
FLOATS = ["0.0", "1.5", "-2.25", "1e+16", "1e-05", "inf", "-inf", "nan", "1e999", ".5", "5.", " 1.0", "1_0.5", "Infinity",
          "1.5\0z", "", "1.5.2", "e5", "0x1p3", "+1.0", "-nan", "1e", "3", "1_.0", "-INF"]
INDEXES = ["0", "1", "2", "07", " 1", "1 ", "+1", "-1", "1_0", "300", "99999", "99999999999", "x", "", "1\0"]
STRINGS = [b"'os'", b'"system"', b"'a\\x62'", b"'\\n\\t\\\\ \\''", b"'\\101\\7z\\400'", b"'\\q'", b"''", b"'", b"a", b"'x\"",
           b"'\\x4'", b"'\\'", b"'\xe9'", b"'\\xe9'", b"'it's'", b"'a' ", b"'\\8'", b"'a\0b'", b"'\\u0041'"]
UNICODES = [b"os", b"\\u0041b", b"\\U0001f600", b"\\u12", b"\\U00110000", b"\xe9", b"\\\\u0041", b"\\", b"a\\q", b"",
            b"\\ud800", b"\\u005c", b"\\uZZZZ", b"x\\u00e9y\\"]
TEXTS = ["os", "system", "", "k", "__class__", "x" * 300, "\u00e9\u4e2d", "\U0001f600", "collections", "key"]


class Stream:
    """One stream in the making; self.stack: a letter a value, M for marks."""

    def __init__(self, rng):
        self.rng, self.out, self.stack, self.memo, self.protocol = rng, bytearray(), [], {}, 0

    def emit(self, *parts):
        for part in parts:
            self.out += part

    def pick(self, values):
        return self.rng.choice(values)

    def above_mark(self):
        n = 0
        while n < len(self.stack) and self.stack[-1 - n] != "M":
            n += 1
        return n

    def has_mark(self):
        return "M" in self.stack

    def pop(self, n=1):
        del self.stack[len(self.stack) - n:]

    def pop_mark(self):
        n = self.above_mark()
        items = self.stack[len(self.stack) - n:]
        self.pop(n + 1)
        return items

    def push(self, kind):
        self.stack.append(kind)

    # -- scalars --

    def integer(self):
        r = self.rng
        self.emit(r.choice([lambda: b"K" + bytes([r.randrange(256)]), lambda: b"M" + r.randbytes(2),
                            lambda: b"J" + r.randbytes(4), lambda: b"\x8a" + self.counted(r.randbytes(r.randrange(12))),
                            lambda: b"\x8b" + struct.pack("<i", 3) + r.randbytes(3),
                            lambda: b"I" + self.pick(INTS).encode() + b"\n",
                            lambda: b"L" + self.pick(INTS).encode() + self.pick([b"L\n", b"\n"])])())
        self.push("i")

    def real(self):
        self.emit(b"G" + self.rng.randbytes(8) if self.rng.random() < 0.5 else
                  b"F" + self.pick(FLOATS).encode() + b"\n")
        self.push("f")

    @staticmethod
    def counted(data):
        return bytes([len(data)]) + data

    def text(self, value=None):
        r = self.rng
        value = (self.pick(TEXTS) if value is None else value).encode()
        forms = [b"X" + struct.pack("<I", len(value)) + value, b"\x8d" + struct.pack("<Q", len(value)) + value]
        if len(value) < 256:
            forms += [b"\x8c" + self.counted(value)] * 3 + [b"U" + self.counted(value)]
        if r.random() < 0.1:
            forms = [b"S" + self.pick(STRINGS) + b"\n", b"V" + self.pick(UNICODES) + b"\n",
                     b"T" + struct.pack("<i", len(value)) + value, b"\x8c\x03\xed\xa0\x80", b"\x8c\x02\xc3\x28"]
        self.emit(r.choice(forms))
        self.push("s")

    def blob(self):
        data = self.rng.randbytes(self.rng.choice([0, 1, 5, 20, 1500]))
        forms = [b"B" + struct.pack("<I", len(data)) + data, b"\x8e" + struct.pack("<Q", len(data)) + data]
        if len(data) < 256:
            forms.append(b"C" + self.counted(data))
        if self.rng.random() < 0.2:
            self.emit(b"\x96" + struct.pack("<Q", len(data)) + data)
            self.push("B")
        else:
            self.emit(self.pick(forms))
            self.push("b")

    def constant(self):
        self.emit(self.pick([b"N", b"\x88", b"\x89"]))
        self.push("n")

    def empty(self):
        code, kind = self.pick([(b")", "t"), (b"]", "l"), (b"}", "d"), (b"\x8f", "e")])
        self.emit(code)
        self.push(kind)

    # -- stack and memo --

    def mark(self):
        if self.stack.count("M") < 6:
            self.emit(b"(")
            self.push("M")

    def drop(self):
        if self.stack and self.rng.random() < 0.3:
            self.emit(b"0")
            self.pop()
        elif self.has_mark() and self.rng.random() < 0.1:
            self.emit(b"1")
            self.pop_mark()

    def dup(self):
        if self.above_mark():
            self.emit(b"2")
            self.push(self.stack[-1])

    def put(self):
        if not self.above_mark():
            return
        key = self.rng.randrange(6) if self.rng.random() < 0.9 else self.rng.randrange(300)
        self.emit(self.pick([b"q" + bytes([key & 255]), b"r" + struct.pack("<I", key & 255),
                             b"p" + str(key & 255).encode() + b"\n"]))
        self.memo[key & 255] = self.stack[-1]

    def memoize(self):
        if self.above_mark():
            self.emit(b"\x94")
            self.memo[len(self.memo)] = self.stack[-1]

    def get(self):
        if not self.memo:
            return
        key = self.pick(list(self.memo))
        forms = [b"j" + struct.pack("<I", key), b"g" + str(key).encode() + b"\n"]
        self.emit(self.pick(forms + ([b"h" + bytes([key])] * 3 if key < 256 else [])))
        self.push(self.memo[key])

    def odd_index(self):
        if self.above_mark():
            self.emit(self.pick([b"p", b"g"]), self.pick(INDEXES).encode(), b"\n")

    # -- containers --

    def group(self):
        if not self.has_mark():
            return
        n = self.above_mark()
        items = self.stack[len(self.stack) - n:]
        hashable = not any(i in "ldeBT" for i in items)
        forms = [(b"t", "t" if hashable else "T"), (b"l", "l")]
        if n % 2 == 0 and not any(i in "ldeBT" for i in items[::2]):
            forms.append((b"d", "d"))
        if hashable:
            forms.append((b"\x91", "z"))
        code, kind = self.pick(forms)
        self.emit(code)
        self.pop_mark()
        self.push(kind)

    def tuple(self):
        n = self.rng.randint(1, 3)
        if self.above_mark() >= n:
            self.emit(bytes([0x84 + n]))
            hashable = not any(i in "ldeBT" for i in self.stack[-n:])
            self.pop(n)
            self.push("t" if hashable else "T")

    def add_one(self):
        if self.above_mark() >= 2 and self.stack[-2] in "lo":
            self.emit(b"a")
            self.pop()
        elif self.above_mark() >= 3 and self.stack[-3] in "do" and self.stack[-2] not in "ldeBT":
            self.emit(b"s")
            self.pop(2)

    def add_many(self):
        if not self.has_mark():
            return
        n = self.above_mark()
        below = self.stack[len(self.stack) - n - 2] if len(self.stack) > n + 1 else "M"
        items = self.stack[len(self.stack) - n:]
        if below in "lo":
            self.emit(b"e")
        elif below == "d" and n % 2 == 0 and not any(i in "ldeBT" for i in items[::2]):
            self.emit(b"u")
        elif below == "e" and not any(i in "ldeBT" for i in items):
            self.emit(b"\x90")
        else:
            return
        self.pop_mark()

    # -- acts --

    def name(self):
        module, name = self.pick(NAMES)
        if self.rng.random() < 0.5:
            self.emit(b"c", module.encode(), b"\n", name.encode(), b"\n")
        else:
            self.text(module)
            self.text(name)
            self.pop(2)
            self.emit(b"\x93")
        self.push("c")

    def stack_global(self):
        if self.above_mark() >= 2 and self.stack[-2:] == ["s", "s"]:
            self.emit(b"\x93")
            self.pop(2)
            self.push("c")

    def call(self):
        if self.above_mark() >= 2 and self.stack[-2] in "co" and self.stack[-1] in "tT":
            new = self.stack[-2] == "c" and self.rng.random() < 0.4
            self.emit(b"\x81" if new else b"R")
            self.pop(2)
            self.push("o")
        elif self.above_mark() >= 3 and self.stack[-3] == "c" and self.stack[-2] in "tT" and self.stack[-1] == "d":
            self.emit(b"\x92")
            self.pop(3)
            self.push("o")

    def call_marked(self):
        if not self.has_mark():
            return
        n = self.above_mark()
        if n and self.stack[len(self.stack) - n] == "c" and self.rng.random() < 0.5:
            self.emit(b"o")
        else:
            module, name = self.pick(NAMES)
            self.emit(b"i", module.encode(), b"\n", name.encode(), b"\n")
        self.pop_mark()
        self.push("o")

    def build(self):
        if self.above_mark() >= 2 and self.stack[-2] in "oc":
            self.emit(b"b")
            self.pop()

    def persistent(self):
        if self.rng.random() < 0.5:
            self.emit(b"Pid7\n")
            self.push("o")
        elif self.above_mark():
            self.emit(b"Q")
            self.pop()
            self.push("o")

    def any_opcode(self):
        """Whatever comes, with an argument that may not fit."""
        self.emit(bytes([self.pick(b"()01.2BCFGIJKLMNPQRSTUVX]abcdeghijlopqrstu}\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e"
                                   b"\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98\x82\x80")]))
        self.emit(self.rng.choice([b"", b"\x00", b"\x01\x00\x00\x00", b"x\n", b"0\n", b"\x03"]))

    STEPS = ([integer, real, text, text, text, blob, constant, empty, empty, mark, mark, drop, dup, put, memoize, memoize,
              get, get, group, group, tuple, tuple, add_one, add_many, name, name, stack_global, call, call, call,
              call_marked, build, build, persistent])

    def begin(self):
        self.protocol = self.pick([None, 2, 3, 4, 4, 5])
        if self.protocol is not None:
            self.emit(b"\x80", bytes([self.protocol]))

    def finish(self):
        if self.above_mark() and not self.has_mark():
            self.emit(b".")
            return
        while self.has_mark():
            self.emit(b"t")
            self.pop_mark()
            self.push("T")
        self.emit(b"." if self.stack else b"N.")


def opcode_starts(body):
    """Offsets at which an opcode begins, as far as they are known."""
    starts = []
    try:
        starts.extend(at for _, _, at in pickletools.genops(body))
    except Exception:  # noqa: BLE001 - of broken ones a part is enough
        pass
    return starts


def cut_into_frames(rng, body):
    """Several frames, which begin and end at opcodes; or one of them a few bytes beside, so that it cuts an opcode, a line or
    the next FRAME."""
    starts = sorted(rng.sample(opcode_starts(body) or [0], k=min(4, len(opcode_starts(body)) or 1)))
    out, last = body[:starts[0]], starts[0]
    for at in starts[1:] + [len(body)]:
        length = at - last
        if rng.random() < 0.15:
            length = max(0, length + rng.choice([-5, -2, -1, 1, 2, 5, 8, 9, 10]))
        if rng.random() < 0.8:
            out += b"\x95" + struct.pack("<Q", length)
        out += body[last:at]
        last = at
    return out


def framed(rng, body):
    """The opcodes behind PROTO in a frame, of a right or a wrong length, or in several."""
    if rng.random() < 0.5:
        return cut_into_frames(rng, body)
    length = len(body) if rng.random() < 0.7 else max(0, len(body) + rng.choice([-1, -3, 1, 100]))
    return b"\x95" + struct.pack("<Q", length) + body


def valid(seed):
    rng = random.Random(seed)
    s = Stream(rng)
    s.begin()
    head = len(s.out)
    for _ in range(rng.randint(1, 60)):
        rng.choice(Stream.STEPS)(s)
        if rng.random() < 0.004:
            s.any_opcode()
        if rng.random() < 0.004:
            s.odd_index()
    s.finish()
    out = bytes(s.out)
    if s.protocol in (4, 5) and rng.random() < 0.5:
        out = out[:head] + framed(rng, out[head:])
    return out


def broken(seed):
    rng = random.Random(seed ^ 0x5eed)
    out = bytearray(valid(seed))
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(out)) if out else 0
        what = rng.randrange(5)
        if what == 0:
            del out[at:]
        elif what == 1 and out:
            out[at] = rng.randrange(256)
        elif what == 2 and out:
            del out[at]
        elif what == 3:
            out[at:at] = bytes([rng.choice(b"(.0RbtN\x85\x93\x94ouae\n")])
        else:
            s = Stream(rng)
            s.any_opcode()
            out[at:at] = s.out
    return bytes(out)


def main():
    folder, n = sys.argv[1], int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    for seed in range(n):
        with open(os.path.join(folder, f"stream-{seed:04}"), "wb") as f:
            f.write(valid(seed) if seed % 4 else broken(seed))


if __name__ == "__main__":
    main()
