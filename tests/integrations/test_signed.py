"""Signed verdicts beside another implementation: python3-cryptography checks the signatures, with the encoding written here
anew from the DSSE specification, and signs what `weighlock verify` must take and refuse."""
import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile

import jsonschema
import tap
from daemon import Daemon, model, until
from foreign import OPTIONS, WEIGHLOCK, WEIGHLOCKD, missing, run

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
except ImportError:
    InvalidSignature = None

MEDIA_TYPE = "application/vnd.dsse.envelope.v1+json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
VERDICT_SCHEMA, STATEMENT_SCHEMA = (os.path.join(OPTIONS["source"], "docs", name + ".schema.json")
                                    for name in ("verdict", "statement"))


def pae(payload_type, body):
    """DSSE v1, protocol.md: "DSSEv1" SP LEN(type) SP type SP LEN(body) SP body."""
    parts = [b"DSSEv1", b"%d" % len(payload_type.encode()), payload_type.encode(), b"%d" % len(body), body]
    return b" ".join(parts)


def private_pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def public_pem(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_id(key):
    raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


class Folder:
    """A key, and a place for files."""

    def __enter__(self):
        if InvalidSignature is None:
            missing("python3-cryptography")
        self.path = tempfile.mkdtemp(prefix="weighlock-signed-")
        os.chmod(self.path, 0o711)
        self.key = Ed25519PrivateKey.generate()
        self.private, self.public = self.write("key.pem", private_pem(self.key), 0o600), self.write("key.pub", public_pem(self.key))
        self.state = os.path.join(self.path, "state")
        os.mkdir(self.state)
        os.chmod(self.state, 0o777)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name, data, mode=0o644):
        path = os.path.join(self.path, name)
        with open(path, "wb") as f:
            f.write(data)
        os.chmod(path, mode)
        return path

    def daemon(self, more="", key=None, **kwargs):
        return Daemon(WEIGHLOCKD, config=f"state_dir: {self.state}\nsigning_key: {key or self.private}\n{more}", **kwargs)


def ask(d, body, name="a.safetensors", query="?attest=1", headers=None):
    status, got, text = d.request("PUT", f"/v1/scan/{name}{query}", body, headers)
    return status, {k.lower(): v for k, v in got.items()}, text


def opened(envelope, key):
    """Signature checked, payload parsed."""
    envelope = json.loads(envelope)
    assert set(envelope) == {"payload", "payloadType", "signatures"} and envelope["payloadType"] == PAYLOAD_TYPE, envelope
    body = base64.b64decode(envelope["payload"], validate=True)
    (signature,) = envelope["signatures"]
    assert signature["keyid"] == key_id(key), signature
    key.public_key().verify(base64.b64decode(signature["sig"], validate=True), pae(envelope["payloadType"], body))
    statement = json.loads(body)
    for schema, instance in ((STATEMENT_SCHEMA, statement), (VERDICT_SCHEMA, statement["predicate"]["weighlock_verdict"])):
        with open(schema, encoding="utf-8") as f:
            jsonschema.Draft202012Validator(json.load(f)).validate(instance)
    return statement


def verify(folder, envelope, *files, key=None):
    path = folder.write("envelope.json", envelope if isinstance(envelope, bytes) else json.dumps(envelope).encode())
    done = run(WEIGHLOCK, "verify", "--key", key or folder.public, path, *files)
    return done.returncode, (done.stdout + done.stderr).decode()


def sealed(key, statement, payload_type=PAYLOAD_TYPE, signed_type=None):
    """An envelope of our own making."""
    body = statement if isinstance(statement, bytes) else json.dumps(statement).encode()
    signature = key.sign(pae(signed_type or payload_type, body))
    return {"payload": base64.b64encode(body).decode(), "payloadType": payload_type,
            "signatures": [{"keyid": key_id(key), "sig": base64.b64encode(signature).decode()}]}


def nan():
    return model(64)[:-1]


def test_the_vector_of_the_specification():
    assert pae("http://example.com/HelloWorld", b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_every_verdict_is_signed_and_says_what_it_is():
    good, bad = model(64), nan()
    with Folder() as f, f.daemon() as d:
        assert f"verdicts are signed with key {key_id(f.key)}" in d.read_log()
        for body, value, result in ((good, "accept", "PASSED"), (bad, "reject", "FAILED")):
            status, headers, text = ask(d, body)
            assert status == 200 and headers["content-type"] == MEDIA_TYPE and headers["weighlock-verdict"] == value, headers
            statement = opened(text, f.key)
            assert statement["subject"] == [{"name": "a.safetensors", "digest": {"sha256": hashlib.sha256(body).hexdigest()}}]
            predicate = statement["predicate"]
            assert predicate["result"] == result and predicate["weighlock_verdict"]["verdict"] == value
            assert bool(predicate["failedTests"]) == (value == "reject"), predicate
            path = f.write("a.safetensors", body)
            exit_status, said = verify(f, text, path)
            assert exit_status == (0 if value == "accept" else 1) and f"verdict  {value}" in said, said
        status, headers, text = ask(d, bad, query="?attest=1&gate=1")
        assert status == 422 and headers["content-type"] == MEDIA_TYPE
        opened(text, f.key)


def test_an_error_is_signed_as_a_failure():
    body = model(64)
    with Folder() as f, f.daemon() as d:
        status, headers, text = ask(d, body, query="?attest=1&sha256=" + "0" * 64)
        statement = opened(text, f.key)
        assert status == 200 and headers["weighlock-verdict"] == "error", headers
        assert statement["predicate"]["result"] == "FAILED"
        assert statement["predicate"]["weighlock_verdict"]["verdict"] == "error"
        assert verify(f, text)[0] == 2


def test_descriptors_and_stored_verdicts_are_signed_too():
    body = model(64)
    with Folder() as f, f.daemon("store: on\naudit: required\n") as d:
        with open(f.write("m.safetensors", body), "rb") as m:
            status, headers, envelope = d.scan_fd(m.fileno(), "?attest=1&name=m.safetensors")
        assert status == 200 and headers["content-type"] == MEDIA_TYPE
        assert opened(json.dumps(envelope), f.key)["subject"][0]["name"] == "m.safetensors"
        target = f"/v1/verdicts/{hashlib.sha256(body).hexdigest()}?name=m.safetensors&attest=1"
        assert until(lambda: d.get(target)[0] == 200)
        statement = opened(d.get(target)[2], f.key)
        assert statement["predicate"]["weighlock_verdict"]["scan"]["cached"] is True
        with open(os.path.join(f.state, "audit.jsonl"), encoding="ascii") as log:
            assert [json.loads(line)["kind"] for line in log][:2] == ["begin", "verdict"]


def test_without_asking_the_verdict_is_as_ever():
    with Folder() as f, f.daemon() as d:
        for query in ("", "?attest=0"):
            _, headers, text = ask(d, model(64), query=query)
            assert headers["content-type"] == "application/json" and json.loads(text)["schema"] == "weighlock.verdict/1"


def test_what_cannot_be_signed_is_refused_before_the_body():
    with Folder() as f, f.daemon() as d:
        assert ask(d, model(64), query="?attest=1&tensors=1")[0] == 400
        assert ask(d, model(64), headers={"Accept": "application/x-ndjson"})[0] == 400
        assert ask(d, model(64), query="?attest=2")[0] == 400
        fds = [os.open(f.write(n, model(64)), os.O_RDONLY) for n in ("a.safetensors", "b.safetensors")]
        assert d.scan_set(fds, ["a.safetensors", "b.safetensors"], "?attest=1")[0] == 400
    with Daemon(WEIGHLOCKD) as d:
        assert ask(d, model(64))[0] == 501
        assert d.get("/v1/verdicts/" + "0" * 64 + "?attest=1")[0] == 501


def test_without_its_keeper_nothing_is_given():
    with Folder() as f, f.daemon() as d:
        keeper = next(int(p) for p in os.listdir("/proc") if p.isdigit() and comm(p) == "weighlockd-keep" and parent(p) == d.process.pid)
        os.kill(keeper, signal.SIGSTOP)
        try:
            status, headers, text = ask(d, model(64))
        finally:
            os.kill(keeper, signal.SIGCONT)
        assert status == 503 and "weighlock-verdict" not in headers and b"accept" not in text, (status, headers, text)
        assert until(lambda: ask(d, model(64))[0] == 200)


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return int(f.read().rpartition(")")[2].split()[1])


# ---- keys ----

def test_a_key_may_be_a_credential_and_another_one_comes_with_a_reload():
    with Folder() as f:
        env = dict(os.environ, CREDENTIALS_DIRECTORY=f.path)
        with f.daemon(key="key.pem", env=env) as d:
            opened(ask(d, model(64))[2], f.key)
            other = Ed25519PrivateKey.generate()
            f.write("new.pem", private_pem(other), 0o600)
            os.rename(os.path.join(f.path, "new.pem"), f.private)
            d.process.send_signal(signal.SIGHUP)
            assert until(lambda: f"signed with key {key_id(other)}" in d.read_log()), d.read_log()
            opened(ask(d, model(64))[2], other)
            assert verify(f, ask(d, model(64))[2])[0] == 1


def test_keys_that_are_none_are_an_error_at_the_start():
    with Folder() as f:
        other = ec.generate_private_key(ec.SECP256R1())
        locked = f.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                     serialization.BestAvailableEncryption(b"x"))
        for data, mode, says in ((private_pem(f.key), 0o644, "others may not read"), (public_pem(f.key), 0o600, "no ed25519"),
                                 (private_pem(other), 0o600, "no ed25519"), (locked, 0o600, "no ed25519"), (b"", 0o600, "no ed25519")):
            d = f.daemon(key=f.write("bad.pem", data, mode), wait=False)
            try:
                assert d.process.wait(30) == 1 and says in d.read_log(), (says, d.read_log())
            finally:
                d.__exit__()
        d = f.daemon(key="nowhere", wait=False)
        try:
            assert d.process.wait(30) == 1 and "signing_key nowhere" in d.read_log(), d.read_log()
        finally:
            d.__exit__()


def test_openssl_makes_such_a_key():
    with Folder() as f:
        key = os.path.join(f.path, "made.pem")
        for command in (["genpkey", "-algorithm", "ed25519", "-out", key], ["pkey", "-in", key, "-pubout", "-out", key + ".pub"]):
            subprocess.run(["openssl", *command], check=True)
        with f.daemon(key=key) as d:
            assert verify(f, ask(d, model(64))[2], key=key + ".pub")[0] == 0


# ---- weighlock verify ----

def test_verify_takes_what_another_implementation_signed():
    with Folder() as f, f.daemon() as d:
        statement = opened(ask(d, model(64))[2], f.key)
        again = sealed(f.key, json.dumps(statement, indent=2).encode())
        path = f.write("m", model(64))
        assert verify(f, again, path) == (0, verify(f, again, path)[1])
        stranger = sealed(Ed25519PrivateKey.generate(), statement)
        both = dict(again, signatures=stranger["signatures"] + again["signatures"])
        assert verify(f, both)[0] == 0
        no_id = json.loads(json.dumps(again))
        del no_id["signatures"][0]["keyid"]
        assert verify(f, no_id)[0] == 0


def test_verify_refuses_everything_else():
    with Folder() as f, f.daemon() as d:
        text = ask(d, model(64))[2]
        statement, envelope = opened(text, f.key), json.loads(text)

        def refused(made, says, *files):
            status, said = verify(f, made, *files)
            assert status == 1 and says in said, (status, says, said)

        refused(text, "expected " + statement["subject"][0]["digest"]["sha256"], f.write("m", model(65)))
        refused(text, "found SHA-256", f.write("good", model(64)), f.write("m", model(65)))
        refused(sealed(Ed25519PrivateKey.generate(), statement), "no signature in it is by this key")
        refused(sealed(f.key, statement, payload_type="text/plain"), "another type")
        refused(sealed(f.key, statement, signed_type="text/plain"), "no signature")
        refused(dict(envelope, payload=base64.b64encode(base64.b64decode(envelope["payload"]).replace(b"accept", b"review")).decode()),
                "no signature")
        refused(sealed(f.key, b"{"), "no JSON")
        refused(sealed(f.key, dict(statement, predicateType="https://in-toto.io/attestation/svr/v0.1")), "predicate")
        refused(sealed(f.key, dict(statement, _type="https://in-toto.io/Statement/v0.1")), "Statement")
        refused(sealed(f.key, dict(statement, subject=statement["subject"] * 2)), "one subject")
        refused(sealed(f.key, dict(statement, predicate=dict(statement["predicate"], result="WARNED"))), "result")
        refused(b"not json", "no JSON")
        refused({}, "no DSSE envelope")


def test_verify_wants_a_key_and_files_that_are_there():
    with Folder() as f, f.daemon() as d:
        text = ask(d, model(64))[2]
        path = f.write("envelope.json", text)
        assert run(WEIGHLOCK, "verify", path).returncode == 4
        assert run(WEIGHLOCK, "verify", "--key", f.public).returncode == 4
        assert run(WEIGHLOCK, "verify", "--key", f.private, path).returncode == 4
        assert run(WEIGHLOCK, "verify", "--key", f.public, path, "/nonexistent").returncode == 2
        assert run(WEIGHLOCK, "verify", "--key", f.public, "/nonexistent").returncode == 2
        done = subprocess.run([WEIGHLOCK, "verify", "--key", f.public, "-"], input=text, stdout=subprocess.PIPE, timeout=60)
        assert done.returncode == 0


tap.main(globals())
