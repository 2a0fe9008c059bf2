"""Ways to code through pickles that only name what is allowed: CPython does what each file is made for, so the mechanism is
there; we reject it, and accept the honest file that is one opcode or one word away."""
import os
import struct
import tempfile

import child
import ours
import tap

# What the operator allows; `touch` stands for any function of a library that does something with its argument.
POLICY = "version: 1\nname: test\npickle: {allow: [mymodel.touch, mymodel.Bag]}\n"
SETUP = """
import collections, io, pickle, sys, types
mymodel = types.ModuleType('mymodel')
def touch(*args):
    open('canary', 'w').close()
class Bag(list):
    pass
touch.__module__ = Bag.__module__ = 'mymodel'
mymodel.touch, mymodel.Bag = touch, Bag
sys.modules['mymodel'] = mymodel
"""
CASE = """
value = []
for reader in (pickle.Unpickler, pickle._Unpickler):
    try:
        reader(io.BytesIO(data)).load()
        value.append('')
    except Exception as e:
        value.append(type(e).__name__ + ': ' + str(e))
"""

P4, TOUCH, BAG = b"\x80\x04", b"cmymodel\ntouch\n", b"cmymodel\nBag\n)\x81"
ORDERED = b"ccollections\nOrderedDict\n)R"


def frame(n):
    return b"\x95" + struct.pack("<Q", n)


def state(key, value):
    return b"}\x8c" + bytes([len(key)]) + key.encode() + value + b"sb"


def straddled(inside):
    """@inside: bytes of the second FRAME's argument that the first frame holds.  With seven, the C reader drops those and takes
    the last and seven bytes more for the length of a frame (2.6 MB, which are there), then goes on in the middle of a constant."""
    constant = b"\0\0" + TOUCH + b"(NtR."
    constant = b"B" + struct.pack("<I", len(constant)) + constant
    behind = b"B" + struct.pack("<I", 3 << 20) + bytes(3 << 20) + b"00."
    return P4 + frame(2 + inside if inside else 1) + b"N" + frame(len(constant)) + constant + behind


def crossed():
    """A length of four bytes, of which two are in the frame: the C reader drops those and reads four behind it."""
    hidden = TOUCH + b"(NtR."
    # B, and the low half of its length inside; the C reader then takes 0, 0 and the next two for a length.
    inside = b"NB" + struct.pack("<H", len(hidden) + 2 + 2)
    rest = b"\0\0" + b"\0\0" + hidden
    return P4 + frame(len(inside)) + inside + rest + b"00."


FRAMES = {"straddled": (straddled(7), straddled(0)),
          "argument": (crossed(), P4 + frame(1) + b"N" + b"B" + struct.pack("<I", 2) + b"\0\0" + b"0.")}
METHODS = {
    "append": (P4 + BAG + state("append", TOUCH) + b"Na.", P4 + BAG + b"Na" + state("note", b"N") + b"."),
    "extend": (P4 + BAG + state("extend", TOUCH) + b"(Ne.", P4 + BAG + b"(Ne" + state("note", b"N") + b"."),
    "add": (P4 + BAG + state("add", TOUCH) + b"(N\x90.", P4 + BAG + b"(Ne" + state("add", b"N") + b"."),
    "ordered-append": (P4 + ORDERED + state("append", TOUCH) + b"Na.", P4 + ORDERED + state("_metadata", b"N") + b"."),
    "ordered-add": (P4 + ORDERED + state("add", TOUCH) + b"(N\x90.", P4 + ORDERED + state("add", b"N") + b"."),
    "pair": (P4 + BAG + b"N}\x8c\x06append" + TOUCH + b"s\x86bNa.", P4 + BAG + b"Na."),
    "arguments": (P4 + TOUCH + b"ccollections\ndeque\n](Ne\x85RR.", P4 + TOUCH + b"0N."),
}


def judged(content):
    with tempfile.TemporaryDirectory() as folder:
        path, policy = os.path.join(folder, "x.pkl"), os.path.join(folder, "p.yaml")
        with open(policy, "w", encoding="ascii") as f:
            f.write(POLICY)
        with open(path, "wb") as f:
            f.write(content)
        return ours.scan([path], "--policy", policy)[0]


def attacks(loader, cases):
    child.need(loader)
    with child.Server(loader, SETUP, CASE) as server:
        for what, (attack, near) in cases.items():
            result = server.run(data=attack)
            assert result.canary, (what, "no reader does what the file is made for", result.value)
            assert judged(attack)["verdict"] == "reject", (what, judged(attack)["findings"])
            result = server.run(data=near)
            assert not result.canary and result.value == ["", ""], (what, result.value)
            assert judged(near)["verdict"] == "accept", (what, judged(near)["findings"])


def test_frames_that_are_cut_with_debian():
    attacks(child.DEBIAN, FRAMES)


def test_frames_that_are_cut_with_today():
    attacks(child.TODAY, FRAMES)


def test_methods_that_are_replaced_with_debian():
    attacks(child.DEBIAN, METHODS)


def test_methods_that_are_replaced_with_today():
    attacks(child.TODAY, METHODS)


if __name__ == "__main__":
    tap.main(globals())
