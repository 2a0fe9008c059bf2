"""The page of --format html in a real browser: it shows what the command knows, runs nothing but its own script, asks for nothing,
and can be used with a keyboard, on a telephone and in the dark.  What needs no browser: tests/cli/test_html.py."""
import json
import os
import struct
import tempfile
import zipfile
import zlib

import tap
from foreign import OPTIONS, WEIGHLOCK, missing, need, run

HERE = os.path.dirname(os.path.abspath(__file__))
NAN = b"\0\0\xc0\x7f"
HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'`=<svg onload=alert(1)>", "<!--<script>",
           "\u2028\u202e\u2066\ufeff", "\x01\x1b[31m\x7f"]


def safetensors(tensors, metadata=None):
    """name -> bytes, each a vector of F32"""
    header, at = {"__metadata__": metadata} if metadata else {}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "F32", "shape": [len(data) // 4], "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(tensors.values())


def call(argument):
    return b"cos\nsystem\n(V" + argument.encode("raw-unicode-escape") + b"\ntR."


def write(*path, data):
    os.makedirs(os.path.join(*path[:-1]), exist_ok=True)
    with open(os.path.join(*path), "wb") as f:
        f.write(data)


def look(folder, *arguments, few=False):
    page, modules = os.path.join(folder, "page.html"), os.path.join(OPTIONS["build"], "integrations", "browser", "node_modules")
    chromium = need("chromium")
    if not os.path.exists(os.path.join(modules, "puppeteer-core")):
        missing("npm package puppeteer-core")
    done = run(WEIGHLOCK, "scan", "--no-progress", "--quiet", "--format", "html=" + page, *arguments, cwd=folder)
    assert done.returncode in (0, 1, 2), done
    done = run(need("node"), os.path.join(HERE, "browser", "look.js"), os.path.dirname(modules), chromium, page, folder, *["few"] * few)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["console"] == found["errors"] == found["requests"] == found["dialogs"] == [], found
    for shot in found["shots"]:
        assert is_drawn(shot), shot
    return found


def is_drawn(path):
    """PNG: lines of pixels that differ from each other; of an empty page nearly all are alike."""
    with open(path, "rb") as f:
        data = f.read()
    width, height, at, packed = *struct.unpack(">II", data[16:24]), 8, b""
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    raw = zlib.decompress(packed)
    line = len(raw) // height
    return width > 0 and len({raw[i:i + line] for i in range(0, len(raw), line)}) > 100


def test_the_page_shows_what_is_known_and_can_be_used():
    with tempfile.TemporaryDirectory() as folder:
        tensors = {f"model.layers.{i}.weight": b"\0" * 256 for i in range(40)}
        write(folder, "good.safetensors", data=safetensors(tensors))
        write(folder, "nan.safetensors", data=safetensors({**tensors, "last.bias": NAN}))
        write(folder, "call.pkl", data=call("echo canary"))
        write(folder, "set", "part.safetensors", data=safetensors({"in.part": b"\0" * 4}))
        index = {"metadata": {}, "weight_map": {"in.part": "part.safetensors", "gone": "gone.safetensors"}}
        write(folder, "set", "model.safetensors.index.json", data=json.dumps(index).encode())
        found = look(folder, "--calls", "good.safetensors", "nan.safetensors", "call.pkl", "set")
    assert found["first"] == "reject" and found["open"] == 0, "the worst stands first, and nothing is opened unasked"
    assert found["searched"] == ["call.pkl"], found["searched"]
    assert found["filtered"][:2] == ["reject", "reject"] and "review" in found["filtered"] and "accept" not in found["filtered"], found["filtered"]
    every = found["all"]
    assert every["rendered"] == every["entries"] == 6 and every["marks"] >= 2 and min(every["parts"]) >= 2, every
    for words in ('os.system("echo canary") would run when this file is loaded', "Do not load this file", "last.bias", "model.layers.39.weight",
                  "Layout", "Types of tensors", "How it was judged", "seccomp", "00000010",
                  "Files of the set", "What it says about other files", "gone.safetensors"):
        assert words in every["text"], words
    assert found["pointed"].startswith(("last.bias", "model.layers.39.weight")), found["pointed"]
    assert found["home"].startswith("header") and found["next"].startswith("model.layers.0.weight"), (found["home"], found["next"])
    assert not found["zoomed"].endswith("B"), found["zoomed"]
    assert found["sideways"] <= 0, "a telephone has to scroll sideways"
    assert found["light"] >= 4.5 and found["dark"] >= 4.5, (found["light"], found["dark"])
    assert found["printed"] > 10000


def test_what_comes_from_files_is_shown_and_runs_nowhere():
    with tempfile.TemporaryDirectory() as folder:
        for i, h in enumerate(HOSTILE):
            name = h.replace("/", "\u2215")
            write(folder, "in", name + ".safetensors", data=safetensors({h: NAN}, {h: h}))
            write(folder, "in", f"call{i}.pkl", data=call(h))
            with zipfile.ZipFile(os.path.join(folder, "in", f"members{i}.zip"), "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr(h, call(h))
        write(folder.encode(), b"in", b"\xff\xfe<script>.pkl", data=b"c\xff<script>\n<b>\n.")
        found = look(folder, "--calls", "--tensors", "in")
    every = found["all"]
    assert every["rendered"] == every["entries"] and every["entries"] >= 3 * len(HOSTILE) + 1, every["entries"]
    assert every["scripts"] == 1 and every["handlers"] == 0, every
    assert not set(every["tags"]) & {"img", "iframe", "object", "embed", "link", "a", "form", "base"}, every["tags"]
    for h in HOSTILE[:4]:
        assert every["text"].count(h) >= 3, h
    assert not [c for c in every["text"] if c in "\u2028\u202e\u2066\ufeff\x01\x1b\x7f"]
    assert found["sideways"] <= 0


def test_a_page_of_a_thousand_files_is_measured():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(1000):
            tensors = {f"model.layers.{n}.weight": b"\0" * 64 for n in range(30)}
            write(folder, "in", f"{i:04}.safetensors", data=safetensors({**tensors, "x": NAN if i % 3 else b"\0" * 4}))
        found = look(folder, "in", few=True)
        size = os.path.getsize(os.path.join(folder, "page.html"))
    print(f"# 1,000 files: {size} bytes, loaded and drawn in {found['ms']} ms")
    assert found["first"] == "review"


tap.main(globals())
