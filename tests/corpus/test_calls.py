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


def test_inspect_shows_what_a_malicious_pickle_calls():
    bad = {name: [c["text"] for c in v["calls"] if c["standing"] == "dangerous"]
           for name, v in corpora()[0].items() if any(f["code"] == "pickle-call-dangerous" for f in v["findings"])}
    out = subprocess.run([OPTIONS["weighlock"], "inspect", *bad], capture_output=True, timeout=240).stdout.decode()
    pages = dict(zip(bad, re.split(r"(?m)^(?=REJECT  )", out)[1:]))
    wrong = [(name, text) for name, calls in bad.items() for text in calls if text not in pages.get(name, "")]
    assert len(bad) > 100 and all(bad.values()) and not wrong, (len(bad), [n for n in bad if not bad[n]], len(wrong), wrong[:3])


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


def config(name, text, *arguments):
    return [c["text"] for c in one(text.encode(), *arguments, name=name)["calls"]]


def test_configurations_say_what_they_would_have_called():
    hydra = ("m:\n  _target_: os.system\n  command: id; ls\n  n: {a: [1, 2.5, null, true]}\n  _partial_: true\n"
             "p:\n  _target_: subprocess.Popen\n  _args_: [[/bin/sh, -c, id]]\n  shell: false\n")
    assert config("hydra.yaml", hydra) == [
        'os.system(command="id; ls", n={"a": [1, 2.5, None, True]})', 'subprocess.Popen(["/bin/sh", "-c", "id"], shell=False)']
    as_json = {"m": {"_target_": "os.system", "command": "id\n\"", "x": [1, {"y": None}]}}
    assert config("config.json", json.dumps(as_json)) == ['os.system(command="id\\n\\"", x=[1, {"y": None}])']
    assert config("x.yaml", "m:\n  class_path: subprocess.Popen\n  init_args: {args: [id]}\n") == ['subprocess.Popen(args=["id"])']
    assert config("hyperparams.yaml", "a: !apply:os.system [id]\nb: !new:subprocess.Popen\n  args: [id]\n") == [
        'os.system("id")', 'subprocess.Popen(args=["id"])']
    python = ('a: !!python/object/apply:os.system ["id"]\nb: !!python/object/apply:subprocess.Popen\n  args: [[id]]\n'
              "  kwds: {shell: true}\nc: !!python/name:os.system ''\n")
    assert config("x.yaml", python) == ['os.system("id")', 'subprocess.Popen(["id"], shell=True)',
                                        'importlib.import_module("os.system")']
    reduced = {"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["id"]}]}
    assert config("x.json", json.dumps(reduced)) == ['os.system("id")'], config("x.json", json.dumps(reduced))


def test_other_files_of_a_repository_say_it_too():
    flavor = "flavors:\n  python_function:\n    data: model\n    loader_module: ours.loader\nmodel_uuid: a\n"
    assert config("MLmodel", flavor) == ['ours.loader._load_pyfunc("model")']
    assert config("Modelfile", "FROM ../../etc/passwd\n") == ['open("../../etc/passwd")']
    assert config("requirements.txt", "git+https://example.org/x.git\n") == ['pip.install("git+https://example.org/x.git")']
    server = {"mcpServers": {"a": {"command": "npx", "args": ["-y", "x"], "env": {"K": "v"}}}}
    assert config("mcp.json", json.dumps(server)) == ['subprocess.run(["npx", "-y", "x"], env={"K": "v"})']


def test_configurations_are_cut_with_a_mark():
    def target(**arguments):
        return config("x.json", json.dumps({"m": {"_target_": "os.system", **arguments}}))
    (text,) = target(command="x" * 5000)
    assert text == 'os.system(command="' + "x" * 4096 + '…")'
    (text,) = target(a=1, data=list(range(1000)), z=2)
    assert text.startswith("os.system(a=1, data=[…") and text.endswith("…], z=2)"), text
    deep = functools.reduce(lambda inner, _: [inner], range(30), 1)
    (text,) = target(a=deep)
    assert text.count("[") == 16 and "…" in text, text
    many = {f"m{i}": {"_target_": "os.system", "n": i} for i in range(300)}
    v = one(json.dumps(many).encode(), name="x.json")
    assert len(v["calls"]) == 100 and v["calls"][99]["text"] == "os.system(n=99)"
    (text,) = config("x.json", json.dumps({"v": [{str(i): i} for i in range(20000)], "m": {"_target_": "os.system", "c": "id"}}))
    assert text == 'os.system(c="id")'
    yaml = "d: &d {c: id}\nm:\n  _target_: os.system\n  a: *d\n"
    assert config("x.yaml", yaml) == ["os.system(a={…})"], config("x.yaml", yaml)


def test_asking_for_calls_of_configurations_and_scripts_changes_nothing_else():
    for corpus in ("configs", "config-attacks", "config-lines", "torchscript"):
        folder = os.path.join(OPTIONS["corpus"], corpus, "files")
        asked, plain = verdicts([folder], "--calls"), verdicts([folder])
        assert asked.keys() == plain.keys()
        for name, v in asked.items():
            for part in ("verdict", "complete", "reasons", "findings", "format", "weights"):
                assert v.get(part) == plain[name].get(part), (name, part)


def script(source, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("m/data.pkl", pickle.dumps({}, 2))
        z.writestr("m/code/__torch__.py", "class M(Module):\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n" +
                   "".join(f"    {line}\n" for line in source))
        z.writestr("m/constants.pkl", pickle.dumps((), 2))
        z.writestr("m/version", "3\n")
    return out.getvalue()


def scripted(*source, **more):
    return [c for c in one(script(source, **more), name="m.pt")["calls"] if c["standing"] != "allowed"]


def test_a_script_says_what_it_would_call():
    (call,) = scripted('_0 = torch.from_file("/etc/passwd", False, 10, dtype=None)', "return x")
    assert call["text"] == 'torch.from_file("/etc/passwd", False, 10, dtype=None)' and call["callee"] == "torch.from_file"
    assert call["standing"] == "dangerous" and call["member"] == "m/code/__torch__.py" and "offset" in call, call
    (call,) = scripted('_0 = ops.image.write_file("/root/.bashrc",', '      torch.tensor([1, 2], dtype=0))', method=zipfile.ZIP_DEFLATED)
    assert call["text"] == 'ops.image.write_file("/root/.bashrc", torch.tensor([1, 2], dtype=0))' and "member_offset" in call, call
    (call,) = scripted('torch.save(x, "a)b(\\"c")')
    assert call["text"] == 'torch.save(x, "a)b(\\"c")', call
    calls = scripted('_0 = ops.ours.thing(x, 1)', 'torch.save(x, "y")', "_1 = torch.relu(x)")
    assert [(c["text"], c["standing"]) for c in calls] == [("ops.ours.thing(x, 1)", "doubtful"), ('torch.save(x, "y")', "dangerous")]


def test_a_script_is_cut_with_a_mark():
    (call,) = scripted(f'torch.save(x, "{"y" * 9000}")')
    assert call["cut"] and call["text"].startswith('torch.save(x, "yyy') and call["text"].endswith("…") and len(call["text"]) < 6144
    (call,) = scripted('torch.save(x, "y"')
    assert call["cut"] and call["text"].startswith('torch.save(x, "y"'), call
    assert len(scripted(*[f'torch.save(x, "{i}")' for i in range(300)])) == 100
    (call,) = scripted("# no writer spells this", 'torch.save(x, "y")')
    assert call["text"] == 'torch.save(x, "y")', call


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
