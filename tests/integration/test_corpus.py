"""The corpus through the real daemon: every file by body and by descriptor, verdict, codes, counts and digest."""
import hashlib
import json
import os

import tap
from daemon import Daemon, UnixConnection, options

OPTIONS = options()
SETS = {"safetensors": 394, "deathtensors": 42}  # so that none is lost unseen
KINDS = ("nan", "pos_inf", "neg_inf")


def every_case():
    """Each with the path of its file."""
    for name, n in SETS.items():
        folder = os.path.join(OPTIONS["corpus"], name)
        with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
            cases = [json.loads(line) for line in f if line.strip()]
        assert len(cases) == n, (name, len(cases))
        for case in cases:
            yield case, os.path.join(folder, "files", case["file"])


def complaint(case, verdict, data):
    """What is wrong with a verdict, or None."""
    codes = {f["code"] for f in verdict["findings"]}
    if verdict["verdict"] not in case["expect"]:
        return f"want {case['expect']}, got {verdict['verdict']} {sorted(codes)}"
    if case["codes"] and not codes & set(case["codes"]):
        return f"want one of {case['codes']}, got {sorted(codes)}"
    if verdict["verdict"] == "accept" and not (verdict["complete"] and case.get("reference", "ok") == "ok"):
        return "accepted, but incomplete or refused by the reference"
    if verdict["file"]["size"] != len(data) or verdict["file"]["sha256"] != hashlib.sha256(data).hexdigest():
        return "size or digest are not the file's"
    rows = {r["tensor"]: r for r in verdict.get("weights", {}).get("nonfinite", [])}
    for name, want in case.get("nonfinite", {}).items():
        if [rows.get(name, {}).get(k) for k in KINDS] != [want[k] for k in KINDS]:
            return f"{name}: want {want}, got {rows.get(name)}"
    for name, want in case.get("bool_invalid", {}).items():
        if want and rows.get(name, {}).get("bool_invalid") != want:
            return f"{name}: want {want} invalid, got {rows.get(name)}"
    return None


def judge(scan):
    wrong = []
    for case, path in every_case():
        with open(path, "rb") as f:
            data = f.read()
        status, verdict = scan(case["file"], path, data)
        why = complaint(case, verdict, data) if status == 200 else f"status {status}: {verdict}"
        if why:
            wrong.append(f"{case['file']}: {why}")
    assert not wrong, "\n".join(wrong)


def test_every_corpus_file_by_body_over_one_connection():
    with Daemon(OPTIONS["weighlockd"]) as d:
        connection = UnixConnection(d.socket)

        def scan(name, _path, data):
            connection.request("PUT", f"/v1/scan/{name}", data)
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())

        judge(scan)
        connection.close()


def test_every_corpus_file_by_descriptor():
    with Daemon(OPTIONS["weighlockd"]) as d:

        def scan(name, path, _data):
            fd = os.open(path, os.O_RDONLY)
            try:
                status, _, verdict = d.scan_fd(fd, f"?name={name}")
            finally:
                os.close(fd)
            return status, verdict

        judge(scan)


def test_verdicts_are_valid_against_the_schema():
    import jsonschema
    with open(OPTIONS["schema"], encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    with Daemon(OPTIONS["weighlockd"]) as d:
        for case, path in list(every_case())[::3]:
            with open(path, "rb") as f:
                _, verdict = d.scan(f.read(), f"?name={case['file']}")
            errors = [e.message for e in validator.iter_errors(verdict)]
            assert not errors, (case["file"], errors)


tap.main(globals())
