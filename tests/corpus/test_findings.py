"""The corpora through the built command, and a walk over the table: every finding owns a file that raises it.

A corpus with a make.py is made for the rules: its cases give exactly the codes of each verdict.  The others were collected:
their cases give the verdicts that are right.

What needs a file too large to check in is made here; what no file can raise is excepted below, with the reason."""
import gzip
import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK, CORPUS = OPTIONS["weighlock"], OPTIONS["corpus"]
CORPORA = sorted(os.listdir(CORPUS))
MADE = [c for c in CORPORA if os.path.exists(os.path.join(CORPUS, c, "make.py"))]
RAISED = {}  # codes by path, under the default policy: two tests ask about every file
KINDS = ("nan", "pos_inf", "neg_inf")

EXCEPTED = {
    "oci-blob-digest": "what a folder of blobs promises, not a file: tests/cli/test_oci.py",
    "weights-not-read": "a question to the daemon, not a file: tests/integration/test_claimed.py",
    "limit-time": "the worker has no clock of its own to stop by: a scan that takes too long is ended from outside, "
                  "with the cause worker-timeout; the code is for readers that count their work",
    "polyglot-safetensors": "what is safetensors is judged as that before anything else is asked; the rule does not rest "
                            "on this order (tests/lib/polyglots/test_polyglot_rules.c)",
    **dict.fromkeys(("ort-hole", "ort-overlap", "ort-structure", "ort-trailing-bytes", "ort-unsupported"),
                    "of a reader that is gone; codes are for good"),
}


def load(corpus):
    with open(os.path.join(CORPUS, corpus, "cases.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


ORDER = ("accept", "review", "error", "reject")


def as_one(verdicts):
    """Those about a folder, of which the last is about all of it."""
    worst = max((v["verdict"] for v in verdicts), key=ORDER.index)
    assert verdicts[-1]["schema"] == "weighlock.verdict/1" or verdicts[-1]["verdict"] == worst, verdicts
    return {"verdict": worst, "complete": all(v["complete"] for v in verdicts), "file": {"sha256": None},
            "findings": [f for v in verdicts for f in v["findings"]]}


def scan_folder(path, policy=None):
    command = [WEIGHLOCK, "scan", "--format", "json"] + (["--policy", policy] if policy else []) + ["--", path]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode in (0, 1, 2, 3), done
    return as_one([json.loads(line) for line in done.stdout.splitlines()])


def scan(paths, policy=None):
    """Verdicts by path; the paths share a policy, a built-in name or a file."""
    folders = {p: scan_folder(p, policy) for p in paths if os.path.isdir(p)}
    verdicts = {**scan_files([p for p in paths if p not in folders], policy), **folders}
    if policy is None:
        RAISED.update((path, codes_of(verdict)) for path, verdict in verdicts.items())
    return verdicts


def scan_files(paths, policy):
    if not paths:
        return {}
    command = [WEIGHLOCK, "scan", "--format", "json"] + (["--policy", policy] if policy else []) + ["--", *paths]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode in (0, 1, 2, 3), done
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(verdicts) == len(paths), done.stderr[-1000:]
    return dict(zip(paths, verdicts))


def codes_of(verdict):
    return {f["code"] for f in verdict["findings"]}


def difference(case, verdict, data):
    """What is wrong with a verdict, or None."""
    codes = codes_of(verdict)
    if verdict["verdict"] not in case["expect"] or codes != set(case["codes"]):
        return f"want {case['expect']} {case['codes']}, got {verdict['verdict']} {sorted(codes)}"
    if verdict["verdict"] == "accept" and not (verdict["complete"] and case.get("reference", "ok") == "ok"):
        return "accepted, but not examined whole or refused by the reference"
    if verdict["file"]["sha256"] not in (hashlib.sha256(data).hexdigest(), None):
        return "another file's digest"
    weights = verdict.get("weights", {"nonfinite": []})
    rows = {r["tensor"]: r for r in weights["nonfinite"]}
    want = {**{t: {} for t in case.get("bool_invalid", {})}, **case.get("nonfinite", {})}
    if set(rows) != set(want):
        return f"rows of {sorted(rows)}, want {sorted(want)}"
    for tensor, numbers in want.items():
        if [rows[tensor][k] for k in KINDS] != [numbers.get(k, 0) for k in KINDS]:
            return f"{tensor}: got {rows[tensor]}"
        if rows[tensor].get("bool_invalid", 0) != case.get("bool_invalid", {}).get(tensor, 0):
            return f"{tensor}: got {rows[tensor]}"
    for kind in KINDS:
        if weights.get(kind, 0) != sum(n.get(kind, 0) for n in want.values()):
            return f"total of {kind}"
    return None


def content(path):
    """Of a folder: nothing, as no digest is given for it."""
    if os.path.isdir(path):
        return b""
    with open(path, "rb") as f:
        return f.read()


def judged(corpus):
    """Every case of a corpus with its verdict: those without a policy, or with one that is built in, in one go."""
    cases = load(corpus)
    path = {c["file"]: os.path.join(CORPUS, corpus, "files", c["file"]) for c in cases}
    verdicts = {}
    for text in {c.get("policy") for c in cases}:
        paths = list({path[c["file"]] for c in cases if c.get("policy") == text})
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
            policy.write(text or "")
            policy.flush()
            own = text is not None and "\n" in text
            found = scan(paths, *([policy.name] if own else [text] if text else []))
        verdicts.update({(p, text): v for p, v in found.items()})
    return [(c, path[c["file"]], verdicts[path[c["file"]], c.get("policy")]) for c in cases]


def test_every_case_raises_its_codes_and_no_other():
    wrong = []
    for case, path, verdict in (row for corpus in MADE for row in judged(corpus)):
        why = difference(case, verdict, content(path))
        if why:
            wrong.append(f"{case['file']} ({case['why']}): {why}")
    assert not wrong, "\n".join(wrong)


def test_every_collected_case_gets_a_right_verdict():
    """But those that wait for the reader of their host: they have to go on waiting, or lose the mark."""
    wrong = []
    for case, _, verdict in (row for corpus in CORPORA if corpus not in MADE for row in judged(corpus)):
        if (verdict["verdict"] in case["expect"]) == ("awaits" in case):
            wrong.append(f"{case['file']} ({case['why']}): want {case['expect']}, got {verdict['verdict']} "
                         f"{sorted(codes_of(verdict))}")
    assert not wrong, "\n".join(wrong)


def test_policy_reference_rejects_nothing_that_the_reference_loads():
    """And accepts nothing that it refuses."""
    wrong = []
    for corpus in CORPORA:
        cases = [c for c in load(corpus) if "policy" not in c and "reference" in c]
        path = {c["file"]: os.path.join(CORPUS, corpus, "files", c["file"]) for c in cases}
        verdicts = scan(list(path.values()), "reference")
        for c in cases:
            never = "reject" if c["reference"] == "ok" else "accept"
            if verdicts[path[c["file"]]]["verdict"] in (never, "error"):
                wrong.append((c["file"], c["reference"], codes_of(verdicts[path[c["file"]]])))
    assert not wrong, wrong


def header_of(n):
    """A safetensors file without tensors whose header has n bytes."""
    return struct.pack("<Q", n) + b"{}".ljust(n)


def tensors_of(n):
    """A deathtensors file of n empty tensors."""
    entry = '":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}'
    names = ",".join(f'"{i}{entry}' for i in range(n))
    header = f'{{"format":"deathtensors","format_version":1,"tensors":{{{names}}}}}'.encode()
    return b"DTLEGION" + struct.pack("<IIQ", 1, 0, len(header)) + header + bytes(-len(header) % 8)


def index_of(size):
    """An index of one shard with a note that makes it so long."""
    text = b'{"weight_map":{"a":"model.safetensors"},"metadata":{"note":"%s"}}'
    return text % (b"x" * (size - len(text) + 2))


def spread_ends():
    """End records of ZIP that lead far apart in turn: each look re-reads a block, for the file may have changed."""
    block, n = 1 << 20, 40
    tail = b"".join(struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, 46, (i % 2 + 1) * block, 0) for i in range(n))
    size = 4 * block
    header = f'{{"w":{{"dtype":"U8","shape":[{size}],"data_offsets":[0,{size}]}}}}'.encode()
    return struct.pack("<Q", len(header)) + header + bytes(size - len(tail)) + tail


def archive_of(members, extra_bytes):
    """A ZIP archive of empty members, each with so much padding in its extra field."""
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 7, 0)
    padding = struct.pack("<HH", 0x4246, extra_bytes - 4).ljust(extra_bytes, b"Z") if extra_bytes else b""
    body = b"".join(local + b"%07d" % i for i in range(members))
    directory = b"".join(struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, extra_bytes, 0,
                                     0, 0, 0, i * (len(local) + 7)) + b"%07d" % i + padding for i in range(members))
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, members, members, len(directory), len(body))
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, len(body) + len(directory), 1)
    few = min(members, 0xffff)
    return body + directory + end64 + locator + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, few, few, len(directory),
                                                            len(body), 0)


def tar_in_gzip(size):
    """A tar archive of zeros, in gzip that compresses nothing."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        info = tarfile.TarInfo("zeros")
        info.size = size
        tar.addfile(info, io.BytesIO(bytes(size)))
    return gzip.compress(packed.getvalue(), 0, mtime=0)


def gzip_in_header(inverted):
    """A header whose length spells gzip and whose first name is a stored block: 0x4020 bytes, and that inverted."""
    text = b'{"x' + b"\x20\x40\xdf" + bytes([inverted]) + b'":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'
    return struct.pack("<Q", 0x088B1F) + text.ljust(0x088B1F)


def gguf_of(template_bytes):
    """A model without tensors, whose chat template has so many bytes."""
    def text(b):
        return struct.pack("<Q", len(b)) + b
    def pair(key, value):
        return text(key) + struct.pack("<i", 8) + text(value)
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + pair(b"general.architecture", b"llama")
    head += pair(b"tokenizer.chat_template", b"{{ x }}".ljust(template_bytes))
    return head.ljust(-(-len(head) // 32) * 32, b"\0")


def lightgbm_of(line_bytes):
    """A model without trees, with a line of so many bytes."""
    head = b"tree\nversion=v4\nnum_class=1\nlabel_index=0\nmax_feature_idx=0\nfeature_names=a\nfeature_infos=none\n"
    return (head + b"x=").ljust(len(head) + line_bytes, b"1") + b"\nend of trees\n"


MIB = 1 << 20


def zero_tail(first, zeros_in_first, *others):
    """Bytes of a tensor that ends with so many zeros, and of those behind it: all zero, or with a last byte that is not."""
    parts = [b"\1" * (first - zeros_in_first) + bytes(zeros_in_first)]
    parts += [bytes(n) if isinstance(n, int) else bytes(n[0] - 1) + b"\1" for n in others]
    header, at = {}, 0
    for i, part in enumerate(parts):
        header[f"w{i}"] = {"dtype": "U8", "shape": [len(part)], "data_offsets": [at, at + len(part)]}
        at += len(part)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


LARGE = {  # what is made for the time of a test: content (a number: so many zeros), codes, verdict
    "header-25000000": (lambda: header_of(25_000_000), set(), "accept"),
    "header-25000001": (lambda: header_of(25_000_001), {"safetensors-header-large"}, "accept"),
    "header-100000000": (lambda: header_of(100_000_000), {"safetensors-header-large"}, "accept"),
    "header-100000001": (lambda: header_of(100_000_001), {"safetensors-header-too-large"}, "reject"),
    "deathtensors-1048576": (lambda: tensors_of(1 << 20), set(), "accept"),
    "deathtensors-1048577": (lambda: tensors_of((1 << 20) + 1), {"dt-tensor-count"}, "reject"),
    "gzip-in-header": (lambda: gzip_in_header(0xBF), {"polyglot-magic", "polyglot-gzip"}, "reject"),
    "gzip-in-header-not": (lambda: gzip_in_header(0xBE), {"polyglot-magic"}, "reject"),
    "zip-65536-members": (lambda: archive_of(65536, 0), {"format-identified-only"}, "review"),
    "zip-65537-members": (lambda: archive_of(65537, 0), {"limit-zip-entries"}, "reject"),
    "zip-directory-64-MiB": (lambda: archive_of(1024, 65536 - 53), {"format-identified-only"}, "review"),
    "zip-directory-larger": (lambda: archive_of(1025, 65536 - 53), {"limit-zip-directory"}, "reject"),
    "tar-31-MiB-in-gzip": (lambda: tar_in_gzip(31 << 20), {"format-identified-only", "format-unknown"}, "review"),
    "tar-33-MiB-in-gzip": (lambda: tar_in_gzip(33 << 20), {"limit-nested"}, "review"),
    "index-64-MiB": (lambda: index_of(64 << 20), {"index-metadata-key", "index-single-shard", "index-shards-unchecked"},
                     "accept"),
    "index-larger": (lambda: index_of((64 << 20) + 1), {"index-too-large"}, "reject"),
    "template-1048576": (lambda: b"{{ x }}".ljust(1 << 20), {"format-side-file"}, "accept"),
    "template-1048577": (lambda: b"{{ x }}".ljust((1 << 20) + 1), {"template-length"}, "reject"),
    "gguf-1048576": (lambda: gguf_of(1 << 20), set(), "accept"),
    "gguf-1048577": (lambda: gguf_of((1 << 20) + 1), {"gguf-template-length"}, "reject"),
    "onnx-2-GiB": (lambda: 1 << 31, {"onnx-too-large"}, "reject"),
    "tensorflow-2-GiB": (lambda: 1 << 31, {"tf-too-large"}, "reject"),
    "lightgbm-16-MiB": (lambda: lightgbm_of(16 << 20), {"format-partly-checked"}, "review"),
    "lightgbm-larger": (lambda: lightgbm_of((16 << 20) + 1), {"lightgbm-line"}, "reject"),
    "zero-tail": (lambda: zero_tail(8192, 4096, 4096, MIB - 4096), {"weights-zero-tail"}, "accept"),
    "zero-tail-byte-less-behind": (lambda: zero_tail(8192, 4096, 4096, MIB - 4097), set(), "accept"),
    "zero-tail-byte-less-in-front": (lambda: zero_tail(8192, 4095, MIB), set(), "accept"),
    "zero-tail-rows-of-padding": (lambda: zero_tail(3 * MIB, 2 * MIB, 4096), set(), "accept"),
    "zero-tail-one-tensor": (lambda: zero_tail(3 * MIB, 2 * MIB), set(), "accept"),
    "zero-tail-of-whole-tensors": (lambda: zero_tail(8192, 0, MIB, MIB), set(), "accept"),
    "zero-tail-in-the-middle": (lambda: zero_tail(8192, 4096, 2 * MIB, (16,)), set(), "accept"),
    "zero-tail-all-of-it": (lambda: zero_tail(8192, 8192, 2 * MIB), set(), "accept"),
    "many-ends-of-zip": (spread_ends, {"limit-reread"}, "error"),
}


def write_content(path, content_):
    """Bytes; a number: so many zeros, which take no room on the disk."""
    with open(path, "wb") as f:
        if isinstance(content_, int):
            f.truncate(content_)
        else:
            f.write(content_)


def memory_folder():
    """Where reading zeros that were never written fills no cache, if there is such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def large():
    folder, sparse = (tempfile.mkdtemp(prefix="weighlock-large-", dir=where) for where in (None, memory_folder()))
    try:
        for name, (make, codes, expect) in LARGE.items():
            ending = {"zip": ".data", "tar": ".data", "deathtensors": ".dt", "template": ".jinja", "onnx": ".onnx", "gguf": ".gguf", "tensorflow": ".meta", "lightgbm": ".lgb",
                      "index": ".safetensors.index.json"}.get(name.split("-")[0], ".safetensors")
            content_ = make()
            path = os.path.join(sparse if isinstance(content_, int) else folder, name + ending)
            write_content(path, content_)
            yield name, scan([path])[path], codes, expect
            os.remove(path)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(sparse)


def test_large_files_at_the_borders():
    for name, verdict, codes, expect in large():
        assert codes_of(verdict) == codes and verdict["verdict"] == expect, (name, expect, codes, verdict)


def test_every_finding_owns_a_file_that_raises_it():
    table = {r["code"] for r in json.loads(subprocess.check_output([WEIGHLOCK, "rules", "--format", "json"]))["rules"]}
    raised = set().union(*(codes for _, codes, _ in LARGE.values()))
    for corpus in CORPORA:
        # `codes` of a foreign corpus are alternatives, so only what is raised counts.
        files = [os.path.join(CORPUS, corpus, "files", c["file"]) for c in load(corpus) if "policy" not in c]
        scan([path for path in files if path not in RAISED])
        raised |= set().union(*(RAISED[path] for path in files))
        raised |= {code for c in load(corpus) if "policy" in c for code in c["codes"]}
    assert table - raised == set(EXCEPTED), (table - raised, set(EXCEPTED))


def test_every_finding_has_a_near_miss():
    """Beside a file that raises it there is one of the same section that does not."""
    sections = {}
    for corpus, case in ((corpus, case) for corpus in MADE for case in load(corpus)):
        sections.setdefault((corpus, case["file"].split("-")[0]), []).append(set(case["codes"]))
    raised = set().union(*(codes for section in sections.values() for codes in section))
    lonely = {code for code in raised
              if not any(any(code in c for c in s) and any(code not in c for c in s) for s in sections.values())}
    assert not lonely, lonely


def tree(folder):
    """Contents by path; of links what they lead to."""
    paths = [os.path.join(root, n) for root, _, names in os.walk(folder) for n in names]
    return {os.path.relpath(p, folder): os.readlink(p) if os.path.islink(p) else content(p) for p in paths}


def test_files_are_what_the_generator_makes():
    if OPTIONS.get("sanitized") == "true":
        raise tap.Skip("no program of the build takes part, so once is enough")
    for corpus in MADE:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(CORPUS, corpus, "make.py"), folder],
                           check=True, stdout=subprocess.DEVNULL)
            made, kept = tree(folder), tree(os.path.join(CORPUS, corpus))
            for source in ("make.py", "attacks.tsv"): # and the table that one of them reads
                kept.pop(source, None)
            assert made == kept, (corpus, [n for n in {*made, *kept} if made.get(n) != kept.get(n)])


tap.main(globals())
