"""The reference crate is the oracle for safetensors: what we accept it reads, as the same tensors; what it refuses we never
accept.  Every corpus, and mutants of the files it holds (seeded): random bytes, and headers changed by their structure."""
import copy
import json
import os
import random
import re
import shutil
import struct
import subprocess

import ours
import tap

HERE = os.path.join(ours.SOURCE, "tests", "loaders", "safetensors-oracle")
SEED = int(ours.OPTIONS.get("seed", 13))
POLICIES = ("default", "reference")
CORPORA = ("safetensors", "deathtensors", "deathtensors-rules", "safetensors-index", "polyglot", "polyglot-probes", "findings")


class Oracle:
    """The crate's program, built from its lock file; no network where cargo has the crates already."""

    def __init__(self):
        cargo = shutil.which("cargo", path=os.environ.get("PATH", "") + ":" + os.path.expanduser("~/.cargo/bin"))
        if not cargo:
            raise tap.Skip("no cargo: the crate safetensors cannot be asked")
        target = os.path.join(ours.BUILD, "loaders-target")
        for offline in (["--offline"], []):
            done = subprocess.run([cargo, "build", "--quiet", "--release", "--locked", *offline], cwd=HERE, check=False,
                                  env={**os.environ, "CARGO_TARGET_DIR": target}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
            if done.returncode == 0:
                break
        if done.returncode:
            raise tap.Skip("the crate safetensors cannot be built: " + done.stdout.decode(errors="replace")[-300:])
        self.process = subprocess.Popen([os.path.join(target, "release", "safetensors-oracle")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def ask(self, path):
        """(refusal or None, [(name, type, shape, begin, bytes), ...])"""
        self.process.stdin.write(path.encode() + b"\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().decode().rstrip("\n").split("\t")
        if words[0] != "ok":
            return words[1], []
        rows = [w.split(" ") for w in words[1:] if w]
        return None, sorted((bytes.fromhex(n), t, s, int(b), int(e)) for n, t, s, b, e in rows)


def bytes_of(name):
    """The name of a tensor from our list, where what a terminal would act on is escaped."""
    return re.sub(rb"\\(?:x([0-9A-F]{2})|(\\))", lambda m: bytes.fromhex(m[1].decode()) if m[1] else m[2], name.encode())


def ours_of(verdict, header_bytes):
    """The same rows from our list.  Of an empty tensor the crate does not say where it lies."""
    rows = []
    for t in verdict["tensors"]:
        begin, size = t["offsets"][0], t["offsets"][1] - t["offsets"][0]
        shape = ",".join(map(str, t["shape"]))
        rows.append((bytes_of(t["name"]), t["dtype"], shape, begin - header_bytes if size else 0, size))
    return sorted(rows)


def compare(oracle, triples, tally):
    for path, content, verdict in triples:
        refused, theirs = oracle.ask(path)
        tally["asked"] += 1
        if verdict["verdict"] != "accept" or verdict["format"] != "safetensors":
            tally["refused by both" if refused else "refused by us"] += 1
            continue
        tally["accepted"] += 1
        assert not refused, (refused, verdict, content[:4000])
        assert verdict["tensors_listed"], verdict
        mine = ours_of(verdict, 8 + struct.unpack("<Q", content[:8])[0])
        assert mine == theirs, (mine, theirs, content[:4000])


def fresh_tally():
    return {"asked": 0, "accepted": 0, "refused by us": 0, "refused by both": 0}


# ---- mutants ----

def pieces(content):
    """(header object, data) of a file whose header is JSON; else None"""
    if len(content) < 8:
        return None
    size, = struct.unpack("<Q", content[:8])
    try:
        header = json.loads(content[8:8 + size])
    except (ValueError, RecursionError):
        return None
    return (header, content[8 + size:]) if isinstance(header, dict) and size <= len(content) - 8 else None


NUMBERS = (0, 1, 2, 3, 4, 7, 8, 16, -1, 255, 256, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63,
           (1 << 64) - 1, 1 << 64, 1.0, 0.5, 1e3, True, None, "1", [], [1], {})
TYPES = ("BOOL", "U8", "I8", "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "F64", "I64", "U64", "F8_E4M3", "F8_E5M2",
         "F8_E8M0", "F4", "F6_E2M3", "F6_E3M2", "C64", "f32", "F32 ", "Q4", "", None, 3)
NAMES = ("a", "w", "", "__metadata__", "a\u0000", "\u00e9", "e\u0301", "\ud83d\ude00", "a/b", "../a", "x" * 300, " ", "\\", "\"")


def near(rng, number):
    if isinstance(number, int) and rng.random() < 0.7:
        return number + rng.choice((-8, -4, -2, -1, 1, 2, 4, 8))
    return rng.choice(NUMBERS)


def change_tensor(rng, tensor):
    what = rng.randrange(7)
    if not isinstance(tensor, dict):
        return rng.choice(NUMBERS)
    shape, offsets = tensor.get("shape"), tensor.get("data_offsets")
    if what == 0:
        tensor["dtype"] = rng.choice(TYPES)
    elif what == 1 and isinstance(shape, list) and shape:
        i = rng.randrange(len(shape))
        shape[i] = near(rng, shape[i])
    elif what == 2 and isinstance(shape, list):
        shape.insert(rng.randrange(len(shape) + 1), rng.choice((1, 1, 0, 2)))
    elif what == 3 and isinstance(offsets, list) and offsets:
        i = rng.randrange(len(offsets))
        offsets[i] = near(rng, offsets[i])
    elif what == 4 and isinstance(offsets, list):
        rng.choice((offsets.reverse, offsets.clear, lambda: offsets.append(0)))()
    elif what == 5:
        tensor.pop(rng.choice(sorted(tensor) or ["x"]), None)
    else:
        tensor[rng.choice(("dtype", "shape", "data_offsets", "extra", "DTYPE"))] = rng.choice(NUMBERS)
    return tensor


ALIKE = (("F32", "I32", "U32"), ("F16", "BF16", "I16", "U16"), ("U8", "I8", "BOOL", "F8_E4M3", "F8_E5M2"), ("F64", "I64", "U64"))


def alike(rng, tensor):
    """A tensor over the same bytes."""
    try:
        if rng.random() < 0.5:
            tensor["shape"].insert(rng.randrange(len(tensor["shape"]) + 1), 1)
        else:
            tensor["dtype"] = rng.choice(next(t for t in ALIKE if tensor["dtype"] in t))
    except (TypeError, KeyError, AttributeError, StopIteration):
        pass


def change_header(rng, header, data):
    what, names = rng.randrange(10), sorted(n for n in header if n != "__metadata__")
    if what >= 6 and names:
        alike(rng, header[rng.choice(names)])
        return header, data
    if what <= 2 and names:
        name = rng.choice(names)
        header[name] = change_tensor(rng, header[name])
    elif what == 3 and len(names) > 1:
        a, b = rng.sample(names, 2)
        header[a], header[b] = header[b], header[a]
    elif what == 4:
        header["__metadata__"] = rng.choice(({}, {"a": "b"}, {"a": 1}, [], None, {"a": None}, {"format": "pt"}, "x"))
    elif names:
        header[rng.choice(NAMES)] = header.pop(rng.choice(names))
    if rng.random() < 0.1:
        data = rng.choice((data[:-1], data + b"\0", b"", data * 2))
    return header, data


def spell(rng, header):
    """The header in one of the ways JSON has, now and then a wrong one."""
    text = json.dumps(header, ensure_ascii=rng.random() < 0.8, separators=rng.choice(((",", ":"), (", ", ": "))))
    what = rng.randrange(16)
    names = list(header)
    if what == 0 and names:                          # a key said twice, the second or the first as it was
        name = rng.choice(names)
        text = text[:-1] + "," + json.dumps(name) + ":" + json.dumps(header[name]) + "}"
    elif what == 1:                                  # a name by its escapes
        text = text.replace("dtype", "\\u0064type", 1)
    elif what == 2:
        text = text.replace(":", rng.choice((" : ", ":\n", ":\t", "::", ":\u00a0")), 1)
    elif what == 3:
        text = text.replace("0", rng.choice(("00", "-0", "0.0", "0e0", "+0", "1e400")), 1)
    elif what == 4:
        text = rng.choice((" ", "\n", "\ufeff", "\0", "[")) + text
    encoded = text.encode("utf-8", "surrogatepass")
    pad = -len(encoded) % 8
    return encoded + rng.choice((*[b" " * pad] * 16, b"\0" * pad, b"", b" " * (pad + 8), b"\n" * pad, b"}" * pad))


def mutant(rng, content):
    both = pieces(content)
    if both is None or rng.random() < 0.25:
        return scratch(rng, content)
    header, data = copy.deepcopy(both[0]), both[1]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        header, data = change_header(rng, header, data)
    head = spell(rng, header)
    size = len(head) + (rng.choice((-8, -1, 1, 8, 1 << 32, 1 << 62)) if rng.random() < 0.03 else 0)
    return struct.pack("<Q", size & (1 << 64) - 1) + head + data


def scratch(rng, content):
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not content:
            break
        at = rng.randrange(min(len(content), 512))
        what = rng.randrange(4)
        if what == 0:
            content[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            content[at] = rng.choice(b'0123456789"{}[]:, \\\x00\xff')
        elif what == 2:
            del content[at:at + rng.choice((1, 1, 2, 8))]
        else:
            content[at:at] = bytes([rng.choice(b'0129",]} \x00\xc3\xed')])
    return bytes(content)


def seeds():
    """Small files of the safetensors corpus: accepted ones thrice, for near misses are made of them."""
    with open(os.path.join(ours.CORPUS, "safetensors", "cases.jsonl"), encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    found = []
    for case in cases:
        with open(os.path.join(ours.CORPUS, "safetensors", "files", case["file"]), "rb") as f:
            content = f.read(20001)
        if len(content) <= 20000:
            found += [content] * (3 if case["expect"] == ["accept"] else 1)
    return found


def mutants(count, seed):
    rng, base = random.Random(seed), seeds()
    for _ in range(count):
        yield mutant(rng, rng.choice(base))


# ---- tests ----

def test_the_corpora_are_read_alike():
    oracle, tally = Oracle(), fresh_tally()
    for corpus in CORPORA:
        folder = os.path.join(ours.CORPUS, corpus, "files")
        paths = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
        for policy in POLICIES:
            triples = []
            for path, verdict in zip(paths, ours.scan(paths, "--tensors", "--policy", policy)):
                with open(path, "rb") as f:
                    triples.append((path, f.read(), verdict))
            compare(oracle, triples, tally)
    print(f"# {tally}")
    assert tally["accepted"] > 100


def test_mutants_are_read_alike():
    oracle, tally, count = Oracle(), fresh_tally(), ours.share("mutants", 4000)
    for policy in POLICIES:
        contents = mutants(count // 2, f"{SEED} {policy}")
        compare(oracle, ours.judged(contents, ".safetensors", "--tensors", "--policy", policy), tally)
    print(f"# seed {SEED}: {tally}")
    assert tally["accepted"] > count // 100, "mutants of which hardly one is accepted show nothing"


if __name__ == "__main__":
    tap.main(globals())
