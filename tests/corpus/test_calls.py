"""What loading would call, with all arguments: only on request, and asking for it changes nothing else.

    test_calls.py weighlock=COMMAND corpus=FOLDER"""
import base64
import functools
import glob
import io
import json
import marshal
import os
import pickle
import pickletools
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
STAR = b"\xe2\x80\xae\x1b[31m\x9b"  # reorders, colours, and is no UTF-8


def run(paths, *arguments):
    out = subprocess.run([OPTIONS["weighlock"], "scan", "--no-progress", *arguments, *paths], capture_output=True, timeout=240)
    return out.stdout


def verdicts(paths, *arguments):
    lines = [json.loads(line) for line in run(paths, "--format", "json", *arguments).splitlines()]
    return {v["file"]["name"]: v for v in lines if "file" in v}


def one(data, *arguments, name="x.pkl"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        return verdicts([path], "--calls", *arguments)[path]


class Call:
    def __init__(self, f, *args, state=None):
        self.made = (f, args) if state is None else (f, args, state)

    def __reduce__(self):
        return self.made


def texts(data):
    return [c["text"] for c in one(data)["calls"]]


def called(thing, protocol=2):
    return texts(pickle.dumps(thing, protocol))


@functools.lru_cache(None)
def corpora():
    folders = sorted(glob.glob(os.path.join(OPTIONS["corpus"], "pickle*", "files")))
    folders = [f for f in folders if "pickle-cost" not in f]  # they take their time, and call nothing that acts
    folders += [os.path.join(OPTIONS["corpus"], name, "files") for name in ("pytorch",)]
    return verdicts(folders, "--calls"), verdicts(folders)


def test_every_call_that_a_finding_is_about_is_shown_with_its_arguments():
    n, wrong = 0, []
    for name, v in corpora()[0].items():
        places = {(c.get("offset"), c.get("member_offset"), c.get("member")): c for c in v["calls"]}
        for f in v["findings"]:
            if f["code"] != "pickle-call-dangerous":
                continue
            n += 1
            call = places.get((f.get("offset"), f.get("member_offset"), f.get("member")))
            subject = f["subject"].removeprefix("builtins.")
            good = call and call["standing"] == "dangerous" and call["text"].startswith(call["callee"] + "(") and \
                call["callee"].removesuffix(".__new__") == subject and \
                (call.get("cut") or call["text"].endswith(")")) and \
                ("found" not in f or json.dumps(f["found"])[1:4] in call["text"])
            if not good and v["facts"].get("calls_omitted", 0) == 0:
                wrong.append((name, f, call))
    assert n > 200 and not wrong, (n, len(wrong), wrong[:3])


def test_asking_for_calls_changes_nothing_else():
    asked, plain = corpora()
    assert asked.keys() == plain.keys()
    for name, v in asked.items():
        assert "calls" not in plain[name]
        for part in ("verdict", "complete", "reasons", "findings", "format", "weights"):
            assert v.get(part) == plain[name].get(part), (name, part)


def test_arguments_are_shown_as_python_has_them():
    args = (1, -2, 1 << 70, True, None, 2.5, -1e20, 1e-7, "a\"\\\n", b"\x00\xff", [1, [2]], (3,), (), {"k": {"v": 1}})
    assert called(Call(subprocess.Popen, ["/bin/sh", "-c", "id"])) == ['subprocess.Popen(["/bin/sh", "-c", "id"])']
    for protocol in (3, 4):
        assert called(Call(os.system, *args), protocol) == [
            'posix.system(1, -2, …, True, None, 2.5, -1.0e20, 1.0e-7, "a\\"\\\\\\n", b"\\x00\\xff", [1, [2]], (3,), (), '
            '{"k": {"v": 1}})']
    assert called(Call(exec, "x")) == ['exec("x")']
    assert called(Call(getattr, Call(__import__, "os"), "system"))[-1] == 'getattr(__import__("os"), "system")'


def test_states_and_keywords_are_shown_where_they_act():
    data = (b"\x80\x04\x8c\x0asubprocess\x8c\x05Popen\x93)}\x8c\x04args]\x8c\x02idas\x92.")
    assert texts(data) == ['subprocess.Popen.__new__(args=["id"])'], texts(data)
    shown = called(Call(os.system, "id", state={"__setstate__": print}))
    assert shown == ['posix.system("id")', 'posix.system("id").__setstate__({"__setstate__": print})'], shown


def test_what_is_long_is_cut_with_a_mark():
    source = "".join(f"line{i}\n" for i in range(5000))
    for protocol in (0, 2, 4):
        (call,) = one(pickle.dumps(Call(exec, source), protocol))["calls"]
        body = json.loads(re.fullmatch(r'exec\((".*)…"\)', call["text"])[1] + '"')
        assert body == source[:4096] and call["cut"], (protocol, call["text"][-40:])
    deep = functools.reduce(lambda inner, _: [inner], range(40), 1)
    (call,) = one(pickle.dumps(Call(exec, deep), 2))["calls"]
    assert call["cut"] and "…" in call["text"] and call["text"].count("[") < 20
    (call,) = one(pickle.dumps(Call(exec, list(range(10000))), 2))["calls"]
    assert call["cut"] and call["text"].startswith("exec([0, 1, 2,") and len(call["text"].encode()) <= 6144


def test_a_crowd_does_not_hide_the_one_that_matters():
    import collections
    crowd = [Call(collections.OrderedDict) for _ in range(5000)] + [Call(os.system, "id")]
    v = one(pickle.dumps(crowd, 2))
    standings = [c["standing"] for c in v["calls"]]
    assert standings.count("allowed") == 20 and v["calls"][-1]["text"] == 'posix.system("id")'
    assert v["facts"]["calls_omitted"] == 4980
    many = one(pickle.dumps([Call(exec, "x" * 4000 + str(i)) for i in range(300)], 2))
    assert 50 < len(many["calls"]) <= 100 and len(json.dumps(many)) < 1 << 20


def test_nothing_of_the_file_acts_on_a_terminal():
    name = STAR.decode("latin-1")
    data = pickletools.optimize(pickle.dumps([Call(os.system, STAR.decode("utf-8", "surrogateescape").replace("\udc9b", name))], 4))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pkl")
        with open(path, "wb") as f:
            f.write(data)
        outputs = [run([path], "--calls", "--format", f) for f in ("json", "text", "sarif", "junit", "github")]
    for out in outputs:
        assert b"\x1b" not in out and b"\xe2\x80\xae" not in out and b"\xc2\x9b" not in out, out
    assert b"posix.system" in outputs[1] and b"\\xE2\\x80\\xAE\\x1b[31m" in outputs[1], outputs[1]


def test_text_and_sarif_show_them_only_on_request():
    data = pickle.dumps(Call(os.system, "echo a payload"), 2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.pkl")
        with open(path, "wb") as f:
            f.write(data)
        text, sarif = run([path], "--calls"), json.loads(run([path], "--calls", "--format", "sarif"))
        plain = json.loads(run([path], "--format", "sarif"))
        assert b"would call" not in run([path])
    assert b'dangerous posix.system("echo a payload") (byte' in text, text
    flows = [r["codeFlows"][0]["threadFlows"][0]["locations"] for r in sarif["runs"][0]["results"] if "codeFlows" in r]
    assert [f[-1]["location"]["message"]["text"] for f in flows] == ['posix.system("echo a payload")'], flows
    assert not any("codeFlows" in r for r in plain["runs"][0]["results"])
    assert "payload" not in json.dumps([r["message"]["text"].split("; found")[0] for r in plain["runs"][0]["results"]])


def test_messages_hold_no_byte_of_the_file():
    v = one(pickle.dumps(Call(os.system, "a-payload"), 2))
    assert "a-payload" in v["calls"][0]["text"]
    assert not any("a-payload" in f["message"] for f in v["findings"])


def keras(code):
    """A Lambda of Keras 3 with this code object, as marshal wrote it."""
    lambda_ = {"class_name": "__lambda__", "config": {"code": base64.b64encode(code).decode(), "defaults": None, "closure": None}}
    layer = {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "l", "function": lambda_}}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        z.writestr("metadata.json", '{"keras_version": "3.0.0", "date_saved": "2024-01-01@00:00:00"}')
        z.writestr("config.json", json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": [layer]}}))
        z.writestr("model.weights.h5", b"")
    return out.getvalue()


def of_keras(code):
    return [c["text"] for c in one(keras(code), name="m.keras")["calls"]]


def hidden(x):
    import os
    os.system("touch canary")
    return [(lambda y: os.popen("inner"))(i) for i in (1, -2.5, b"\0")]


def older(integers, after):
    """A code object as older Pythons write it: no flags, as many numbers as they have."""
    def text(s):
        return b"u" + struct.pack("<I", len(s)) + s

    def row(*items):
        return b"(" + struct.pack("<I", len(items)) + b"".join(items)
    return b"c" + bytes(4 * integers) + b"s\1\0\0\0d" + row(b"N", text(b"id"), b"i\xff\xff\xff\xff") + \
        row(text(b"os"), text(b"system")) + row() * 3 + text(b"f.py") + text(b"f") + bytes(4) + (b"s\0\0\0\0") * after


def test_bytecode_of_keras_says_what_it_names():
    (text,) = of_keras(marshal.dumps(hidden.__code__))
    assert text.startswith('keras.layers.Lambda(code(names=("os", "system"), constants=(None, 0, "touch canary", '), text
    assert 'code(names=("popen",), constants=(None, "inner"))' in text and "-2.5" in text and 'b"\\x00"' in text, text
    for integers, after in ((5, 2), (6, 1), (5, 1), (4, 1)):
        assert of_keras(older(integers, after)) == [
            'keras.layers.Lambda(code(names=("os", "system"), constants=(None, "id", -1)))'], integers


def test_bytecode_that_is_none_is_only_marked():
    code = marshal.dumps(hidden.__code__)
    deep = b"c" + bytes(20) + b"(\1\0\0\0" * 3000
    for broken in (code[:-1], code[:60], code + b"x", b"c" + bytes(40) + b"\xff" * 40, deep, code[:30] + b"\xff" * len(code[30:])):
        assert of_keras(broken) == ["keras.layers.Lambda(…)"], broken[:40]


tap.main(globals())
