"""Claimed digests: whoever may claim one has the structure alone read; what comes of it rests on a whole report about that
digest, and nothing that goes by verdicts takes it."""
import hashlib
import io
import json
import os
import struct
import tempfile
import zipfile

import tap
from daemon import MIB, Daemon, options, until

OPTIONS = options()
CLAIMS = f"claim_uids: [{os.getuid()}]\n"


def safetensors(data=MIB, dtype="F32", last=b"\0\0\0\0"):
    header = json.dumps({"w": {"dtype": dtype, "shape": [data // 4], "data_offsets": [0, data]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + bytes(data - 4) + last


def digest(body):
    return hashlib.sha256(body).hexdigest()


class Claims(Daemon):
    def __init__(self, more=CLAIMS, store="on"):
        self.state = tempfile.mkdtemp(prefix="weighlock-state-")
        os.chmod(self.state, 0o777)
        super().__init__(OPTIONS["weighlockd"], config=f"store: {store}\nstate_dir: {self.state}\n{more}")

    def __exit__(self, *args):
        import shutil
        super().__exit__(*args)
        shutil.rmtree(self.state, ignore_errors=True)

    def metric(self, name):
        text = self.get("/metrics")[2].decode()
        return int(next(l for l in text.splitlines() if l.startswith(f"weighlock_{name} ")).split()[1])

    def whole(self, body, query="&name=a.safetensors"):
        before = self.metric("store_stored_total")
        verdict = self.with_file(body, query.lstrip("&"))
        until(lambda: self.metric("store_stored_total") > before)
        return verdict

    def with_file(self, body, query, ok=200):
        with tempfile.NamedTemporaryFile() as f:
            f.write(body)
            f.flush()
            with open(f.name, "rb") as source:
                status, _, answer = self.scan_fd([source.fileno()], "?" + query)
        assert status == ok, (status, answer)
        return answer

    def claim(self, body, sha256, query="", ok=200):
        return self.with_file(body, f"digest=claimed&sha256={sha256}&name=a.safetensors{query}", ok)


def valid(verdict):
    try:
        import jsonschema
    except ImportError:
        return
    with open(OPTIONS["schema"], encoding="utf-8") as f:
        jsonschema.validate(verdict, json.load(f))


def without_time(v):
    scan = {k: x for k, x in v["scan"].items() if k not in ("request_id", "time", "duration_ms", "bytes", "digest_by", "weights")}
    return {**v, "scan": scan}


def test_what_a_whole_scan_found_is_the_claims_as_well():
    with Claims() as d:
        for body in (safetensors(), safetensors(last=b"\0\0\xc0\x7f")):
            whole, claimed = d.whole(body), d.claim(body, digest(body))
            valid(claimed)
            assert claimed["scan"]["digest_by"] == "caller" and claimed["file"]["sha256"] == digest(body)
            assert claimed["scan"]["weights"] == "stored" and claimed["scan"]["bytes"] == 0
            assert without_time(claimed) == without_time(whole), (claimed, whole)
        assert "digest-by=caller" in d.read_log()


def corpus(name):
    with open(os.path.join(OPTIONS["corpus"], name), "rb") as f:
        return f.read()


def test_numbers_that_are_structure_are_counted_by_the_whole_report():
    with Claims() as d:
        for name in ("xgboost/files/whole-plain.json", "xgboost/files/weights-inf.ubj"):
            body, query = corpus(name), "&name=" + os.path.basename(name)
            whole = d.whole(body, query)
            assert whole["complete"] and whole["weights"]["elements"] > 0, whole
            claimed = d.with_file(body, f"digest=claimed&sha256={digest(body)}{query}")
            assert without_time(claimed) == without_time(whole), (claimed, whole)
            claimed = d.with_file(body, f"digest=claimed&sha256={'a' * 64}{query}")
            assert claimed["scan"]["weights"] == "not-read" and claimed["scan"].get("error") is None and "weights" not in claimed, claimed


def test_what_nobody_reads_is_unknown_and_no_error():
    with Claims() as d:
        verdict = d.with_file(bytes(300000), f"digest=claimed&sha256={'a' * 64}&name=a.bin")
        assert verdict["verdict"] == "review" and verdict["format"] is None, verdict
        assert [f["code"] for f in verdict["findings"]] == ["format-unknown", "weights-not-read"], verdict
        assert "nonsense" not in d.read_log()


def test_without_a_whole_report_it_is_never_accepted():
    body = safetensors()
    for store in ("on", "off"):
        with Claims(store=store) as d:
            for policy in ("default", "strict", "permissive", "transformers", "research"):
                status, _, text = d.request("GET", f"/v1/verdicts/{digest(body)}?policy={policy}")
                if b"no policy" in text:
                    continue
                verdict = d.claim(body, digest(body), f"&policy={policy}")
                valid(verdict)
                assert verdict["verdict"] in ("review", "reject") and not verdict["complete"], (policy, verdict)
                assert verdict["scan"]["weights"] == "not-read" and "weights" not in verdict
                assert [f["code"] for f in verdict["findings"]] == ["weights-not-read"], verdict
            assert store == "off" or d.metric("store_stored_total") == 0  # nor is it one itself
            assert d.get(f"/v1/verdicts/{digest(body)}")[0] == 404


def test_a_forged_claim_gets_nothing():
    good, bad = safetensors(), safetensors(last=b"\0\0\xc0\x7f")
    with Claims() as d:
        d.whole(good)
        d.whole(bad)
        other = safetensors(dtype="I32")
        verdict = d.claim(other, digest(good))
        assert verdict["verdict"] == "error" and verdict["scan"]["error"] == "digest-mismatch", verdict
        assert verdict["format"] is None and not verdict["findings"], verdict
        verdict = d.claim(good, digest(bad))  # of the same structure: of the digest's own weights is told
        assert verdict["verdict"] == "review" and verdict["weights"]["nan"] == 1, verdict
        verdict = d.claim(good + b"\0", digest(good))
        assert verdict["verdict"] != "accept" and not verdict["complete"], verdict
        verdict = d.claim(b"no model at all", digest(good))
        assert verdict["verdict"] != "accept" and not verdict["complete"], verdict
        assert json.loads(d.get(f"/v1/verdicts/{digest(bad)}?name=a.safetensors")[2])["verdict"] == "review"


def test_only_listed_users_claim_and_nothing_goes_by_it():
    body = safetensors()
    with Claims(more="") as d:
        assert "may not claim" in d.claim(body, digest(body), ok=403)["detail"]
    with Claims() as d:
        for more in ("&gate=1", "&attest=1", "&tensors=1", "&calls=1"):
            assert "nothing goes by it" in d.claim(body, digest(body), more, ok=400)["detail"]
        assert d.with_file(body, "digest=claimed", ok=400) and d.with_file(body, "present=0-1", ok=400)
        assert d.with_file(body, f"digest=ours&sha256={digest(body)}", ok=400)
        assert d.request("PUT", f"/v1/scan/a?digest=claimed&sha256={digest(body)}", body)[0] == 400
        assert d.claim(body, digest(body), "&present=5-1", ok=400)


def fetch(d, body, name, sha256):
    """Ask, fetch what is missing, ask again.  The last verdict, how often something was missing, and how many bytes were fetched."""
    there, rounds, sparse = [], 0, bytearray(len(body))
    while rounds < 9:
        present = ",".join(f"{a}-{b}" for a, b in sorted(there)) or "none"
        verdict = d.with_file(bytes(sparse), f"digest=claimed&sha256={sha256}&name={name}&present={present}")
        valid(verdict)
        if verdict["scan"].get("error") != "input-absent":
            break
        assert verdict["verdict"] == "error" and not verdict["complete"], verdict
        rounds += 1
        for part in verdict["scan"]["needs"].split(","):
            a, b = map(int, part.split("-"))
            there.append((a, b))
            sparse[a:b + 1] = body[a:b + 1]
    return verdict, rounds, sum(b + 1 - a for a, b in there)


def many_safetensors():
    header = {f"layer.{i}.weight": {"dtype": "U8", "shape": [1000], "data_offsets": [1000 * i, 1000 * i + 1000]} for i in range(3000)}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(3000 * 1000)


def gguf(tokens=100000):
    def text(s):
        return struct.pack("<Q", len(s)) + s

    keys = [text(b"general.architecture") + struct.pack("<I", 8) + text(b"llama"),
            text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, tokens) + b"".join(text(b"token %d" % i) for i in range(tokens))]
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(keys)) + b"".join(keys) \
        + text(b"w") + struct.pack("<IQIQ", 1, 16 * MIB, 0, 0)
    return head + bytes(-len(head) % 32) + bytes(64 * MIB)


def npz(arrays=20):
    head = repr({"descr": "<f4", "fortran_order": False, "shape": (65536,)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as z:
        for i in range(arrays):
            z.writestr(f"a{i}.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(65536 * 4))
    return made.getvalue()


def hdf5(sets=30):
    try:
        import h5py
    except ImportError:
        return None
    made = io.BytesIO()
    with h5py.File(made, "w") as f:
        for i in range(sets):
            f.create_dataset(f"w{i}", data=bytearray(256 << 10))
    return made.getvalue()


def test_what_is_not_there_is_asked_for_until_it_is():
    body = many_safetensors()
    with Claims() as d:
        d.whole(body)
        verdict, rounds, fetched = fetch(d, body, "a.safetensors", digest(body))
        assert verdict["verdict"] == "accept" and verdict["scan"]["weights"] == "stored", verdict
        assert rounds == 2 and fetched < len(body) / 6, (rounds, fetched)


def test_structure_is_fetched_in_four_rounds():
    with Claims() as d:
        for name, body in (("a.safetensors", many_safetensors()), ("a.gguf", gguf()), ("a.npz", npz()), ("a.h5", hdf5())):
            if body is None:
                continue
            verdict, rounds, fetched = fetch(d, body, name, "a" * 64)
            assert verdict["scan"].get("error") is None and verdict["format"] is not None, (name, verdict)
            assert [f["code"] for f in verdict["findings"]] == ["weights-not-read"], (name, verdict)
            assert rounds <= 4 and fetched < len(body) / 2, (name, rounds, fetched, len(body))


tap.main(globals())
