"""test_differential.py PRINT_EVENTS [N]: the pickle machine beside CPython, over generated streams (streams.py).

 - opcodes and their offsets are those of pickletools.genops, where that accepts the stream;
 - every import and call that the C or the Python unpickler makes is an event, in that order;
 - the machine stops where one of them loads, and does not where neither does.

The unpicklers get inert classes for every name (and nothing else): no code is imported or called.  They run in a child
with little memory and time, for a broken stream may ask for much of either.
"""
import io
import json
import os
import pickle
import pickletools
import resource
import signal
import struct
import subprocess
import sys

import _compat_pickle

import streams
import tap

PROGRAM = sys.argv[1]
N = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 0

# What the inert classes cannot be: text, mappings, module names, numbers ... Real ones may be.
CANNOT = ("STACK_GLOBAL requires str", "must be a mapping", "memo key must be", "unregistered extension",
          "argument list must be a tuple", "buffers", "out-of-band", "no attribute '__dict__'", "bytearray", "an integer")


class Meta(type):
    def __setitem__(cls, key, value):
        pass

    def __call__(cls, *args, **kwargs):
        return cls.__new__(cls)


class Inert(tuple, metaclass=Meta):
    """Takes whatever a pickle may do to it."""
    log = None

    def __new__(cls, *args, **kwargs):
        Inert.log.append("make")
        return tuple.__new__(Inert)

    def __call__(self, *args, **kwargs):
        Inert.log.append("make")
        return tuple.__new__(Inert)

    def __setstate__(*args):
        Inert.log.append("state")

    def __setitem__(self, key, value):
        pass

    def append(*args):
        pass

    extend = add = append


def unpickler(base):
    class Unpickler(base):
        def find_class(self, module, name):
            Inert.log.append("import " + hexed(f"{module}.{name}"))
            if not module or not name:
                raise ImportError("nothing has an empty name")
            return type("C", (Inert,), {})

        def persistent_load(self, pid):
            return tuple.__new__(Inert)
    return Unpickler


READERS = {"C": unpickler(pickle.Unpickler), "Python": unpickler(pickle._Unpickler)}


def told(error):
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001 - it may quote a value that doubles forty times: the timer ends it
        return f"{type(error).__name__}: "


def load(reader, data):
    """What it did, and how it ended: None, or the error."""
    Inert.log = []
    signal.setitimer(signal.ITIMER_REAL, 3)
    try:
        reader(io.BytesIO(data), encoding="utf-8", errors="surrogateescape").load()
        error = None
    except BaseException as e:  # noqa: BLE001 - every kind of error is an end
        error = told(e)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return Inert.log, error


def timed_out(*_):
    raise TimeoutError


def child():
    """Streams from standard input, a JSON line each of what every reader did."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    signal.signal(signal.SIGALRM, timed_out)
    while header := sys.stdin.buffer.read(4):
        data = sys.stdin.buffer.read(struct.unpack("<I", header)[0])
        try:
            line = json.dumps({name: load(reader, data) for name, reader in READERS.items()})
        except (MemoryError, TimeoutError):
            line = "null"  # even to say what went wrong took too much
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(line)


def packed(every):
    return b"".join(struct.pack("<I", len(data)) + data for data in every)


def machine(every, *options):
    done = subprocess.run([PROGRAM, *options], input=packed(every), stdout=subprocess.PIPE, check=True)
    runs, lines = [], []
    for line in done.stdout.decode("ascii").splitlines():
        lines.append(line)
        if line.startswith("end "):
            runs.append(lines)
            lines = []
    assert len(runs) == len(every), (len(runs), len(every))
    return runs


def readers(every):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--child"], input=packed(every),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def opcodes_of(lines):
    """Of print_events -o: offset and name."""
    return [tuple(line.split()) for line in lines if len(line.split()) == 2]


def genops(data):
    try:
        return [(str(at), op.name) for op, _, at in pickletools.genops(data)]
    except Exception:  # noqa: BLE001 - whatever it says, it does not accept
        return None


def unescaped(text):
    return text.replace("'", "").encode("ascii").decode("unicode_escape").encode("latin1").hex(" ")


def hexed(text):
    """As unescaped(): what the readers decoded, back to bytes."""
    return b"".join(bytes([ord(c) - 0xdc00]) if "\udc80" <= c <= "\udcff" else c.encode("utf-8", "surrogatepass")
                    for c in text).hex(" ")


def acts_of(lines):
    """As Inert logs them; None for one whose operands are not constant."""
    found = []
    for line in lines[:-1]:
        words = line.split(" ")
        what = words[2]
        if what == "import":
            target = line.split(" target=", 1)[1].rstrip("!").split("->")[0]
            found.append(None if target == "unknown" else "import " + unescaped(target))
        elif what in ("call", "new"):
            found.append("make")
        elif what == "build" and line.split(" target=", 1)[1].startswith(("'", "object", "persistent")):
            found.append("state")  # with data only Python goes on, without doing anything
    return found


def same(ours, theirs):
    return len(ours) >= len(theirs) and all(a is None or a == b for a, b in zip(ours, theirs))


def explain(data, ours, theirs):
    return f"{data!r}\n" + "\n".join(ours) + "\n" + json.dumps(theirs, indent=1)


def excusable(ours, theirs):
    """Why we may go on where both end: an inert class cannot be what is needed, or each of the readers refuses something
    that the other one takes, and that we note."""
    return any(error and any(c in error for c in CANNOT) for _, error in theirs.values()) or \
        any(f" note {what} " in line for line in ours for what in ("frame", "number-text")) or \
        any("end of frame" in (error or "") for _, error in theirs.values())


def check_acts(data, ours, theirs):
    acts = acts_of(ours)
    best = max((log for log, _ in theirs.values()), key=len)
    for log, _ in theirs.values():
        assert same(acts, log), "acts: " + explain(data, ours, theirs)
    # The act that breaks the walk is told, though a reader may refuse it before it does anything.
    assert excusable(ours, theirs) or len(acts) <= len(best) + 1, "more acts: " + explain(data, ours, theirs)


def check_end(data, ours, theirs):
    loads = any(error is None for _, error in theirs.values())
    stopped = ours[-1].startswith("end stopped")
    if any(e and e.startswith(("MemoryError", "TimeoutError")) for _, e in theirs.values()):
        return
    assert stopped or not loads, "we refuse: " + explain(data, ours, theirs)
    assert loads or not stopped or excusable(ours, theirs), "we take: " + explain(data, ours, theirs)
    if stopped and loads:
        length = max(len(log) for log, error in theirs.values() if error is None)
        assert len(acts_of(ours)) >= length, explain(data, ours, theirs)


def made(kind):
    return [kind(seed) for seed in range(SEED, SEED + N)]


def called_with_no_tuple(ours):
    """The Python reader calls with whatever it can iterate, and goes on; we tell the call, and end as the C reader does."""
    last = ours[-2] if len(ours) > 1 else ""
    return ours[-1].startswith("end type") and (" call " in last or " new " in last) and " args=tuple(" not in last


def compare(every):
    for data, ours, theirs in zip(every, machine(every), readers(every), strict=True):
        if theirs is None:
            continue
        noted = any(" note frame " in line for line in ours)
        refused = "frame" in (theirs["Python"][1] or "")
        assert noted or not refused or not ours[-1].startswith("end stopped"), "a frame: " + explain(data, ours, theirs)
        if noted or refused:
            del theirs["C"]  # which loses its place in such a file, and reads other opcodes than from memory
        if called_with_no_tuple(ours):
            continue
        check_acts(data, ours, theirs)
        check_end(data, ours, theirs)


def test_opcodes_are_those_of_genops():
    every = [s for s in made(streams.valid) + made(streams.broken)]
    compared = 0
    for data, lines in zip(every, machine(every, "-o"), strict=True):
        wanted, found = genops(data), opcodes_of(lines)
        if wanted is None:
            continue
        compared += 1
        if lines[-1].startswith("end stopped"):
            assert found == wanted, (data, found, wanted)
        else:
            assert found == wanted[:len(found)], (data, found, wanted)
    assert compared > N // 2, compared


def test_acts_and_end_of_valid_streams():
    every = made(streams.valid)
    stopped = sum(lines[-1].startswith("end stopped") for lines in machine(every))
    assert stopped > N // 2, stopped
    compare(every)


def test_acts_and_end_of_broken_streams():
    compare(made(streams.broken))


def test_pieces_do_not_matter():
    every = made(streams.valid) + made(streams.broken)
    whole = machine(every)
    for piece in ("1", "2", "7", "64"):
        assert machine(every, "-p", piece) == whole


def target_of(module, name):
    lines = machine([f"c{module}\n{name}\n.".encode()])[0]
    return lines[0].split(" target=")[1].rstrip("!").split("->")[-1].replace("'", "")


def test_python_2_names_are_mapped_as_by_pickle():
    for (module, name), (new_module, new_name) in _compat_pickle.NAME_MAPPING.items():
        assert target_of(module, name) == f"{new_module}.{new_name}"
    for module, new_module in _compat_pickle.IMPORT_MAPPING.items():
        assert target_of(module, "qqq") == f"{new_module}.qqq"
    for module, name in [("os", "system"), ("exceptions", "eval"), ("__builtin__x", "eval"), ("__builtin_", "x")]:
        assert target_of(module, name) == f"{module}.{name}"


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child()
    else:
        tap.main(globals())
