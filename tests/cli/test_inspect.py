"""weighlock inspect: one file on one page.  What it shows is what is there, and nothing of the file acts."""
import json
import os
import pickle
import struct
import subprocess
import tempfile
import zipfile

import tap
from fixtures import OPTIONS, WEIGHLOCK, environment

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Call:
    def __init__(self, f, *args):
        self.made = f, args

    def __reduce__(self):
        return self.made


def safetensors(tail=b"", value=b"\0\0\x80\x3f"):
    header = json.dumps({"w": {"dtype": "F32", "shape": [64], "data_offsets": [0, 256]},
                         "b": {"dtype": "U8", "shape": [64], "data_offsets": [256, 320]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + value * 64 + bytes(64) + tail


def run(files, *arguments):
    """Exit status and output, with the folder's name taken out."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, data in files.items():
            paths.append(os.path.join(os.fsencode(folder), os.fsencode(name)))
            with open(paths[-1], "wb") as f:
                f.write(data)
        out = subprocess.run([WEIGHLOCK, "inspect", *arguments, *paths], capture_output=True, env=environment(), timeout=60)
    return out.returncode, out.stdout.replace(os.fsencode(folder) + b"/", b"")


def document(data, name="x.pkl"):
    status, out = run({name: data}, "--format", "json")
    doc = json.loads(out)
    if jsonschema:
        with open(os.path.join(os.path.dirname(OPTIONS["schema"]), "inspect.schema.json"), encoding="utf-8") as f:
            jsonschema.validate(doc, json.load(f))
    return doc


def zipped(data, name="a/x.pkl", method=zipfile.ZIP_DEFLATED):
    with tempfile.TemporaryFile() as f:
        with zipfile.ZipFile(f, "w", method) as z:
            z.writestr(name, data)
        f.seek(0)
        return f.read()


def shape(doc):
    return [(m["kind"], m.get("dtype"), m["length"]) for m in doc["map"]]


def test_the_map_says_what_every_byte_is():
    data = safetensors()
    header = len(data) - 320
    assert shape(document(data, "m.safetensors")) == [("header", None, header), ("tensor", "F32", 256), ("tensor", "U8", 64)]
    assert shape(document(safetensors(b"behind"), "m.safetensors"))[-1] == ("unexplained", None, 6)
    status, out = run({"m.safetensors": data})
    assert status == 0 and b"T  tensors F32                                     256 bytes" in out, out
    assert b"[hhhhhhhhhh" in out and b"TTTT]" in out, out
    status, out = run({"m.safetensors": safetensors(b"x" * 400)})
    assert status == 1 and b">  behind the end                                  400 bytes" in out and b">>>>]" in out, out


def test_a_small_file_has_a_cell_a_byte():
    _, out = run({"x.bin": b"\1\2\3"})
    assert b"  [???]\n" in out, out


def test_a_second_format_stands_in_the_map():
    data = safetensors() + zipped(b"hidden")
    status, out = run({"m.safetensors": data})
    place = f"!  a second format: ZIP at byte {len(data) - 22}".encode()  # its end record, where readers begin
    assert status == 1 and place in out and b"!" in out.split(b"map of")[1].split(b"]")[0], out


def test_bytes_around_a_finding_are_marked():
    value = struct.pack("<f", float("nan"))
    status, out = run({"m.safetensors": safetensors(value=value)})
    (line,) = [one for one in out.splitlines() if b"[00]" in one]
    assert status == 1 and b"[00]00 c0 7f" in line and line.endswith(b"|"), line
    doc = document(safetensors(value=value), "m.safetensors")
    (finding,) = [f for f in doc["verdict"]["findings"] if f["code"] == "weights-nan"]
    (shown,) = doc["bytes"]
    at = finding["offset"] - shown["offset"]
    assert bytes.fromhex(shown["hex"])[at:at + 4] == value
    data = b"\x80\4B" + struct.pack("<I", 3 << 20) + bytes(3 << 20) + b"0" + pickle.dumps(Call(os.system, "id"), 2)[2:]
    for shown in document(data)["bytes"]:  # of a file that only went by when it was judged
        assert bytes.fromhex(shown["hex"]) == data[shown["offset"]:][:len(shown["hex"]) // 2], shown
    assert document(data)["bytes"]


def test_bytes_of_a_packed_member_are_those_that_it_holds():
    content = pickle.dumps([1, "x" * 500, Call(os.system, "id")], 2)
    doc = document(zipped(content), "z.zip")
    (member,) = doc["members"]
    assert (member["path"], member["format"], member["size"], member["coding"]) == ("a/x.pkl", "pickle", len(content), "deflate")
    shown = [b for b in doc["bytes"] if "member_offset" in b]
    assert shown
    for one in shown:
        data = bytes.fromhex(one["hex"])
        assert one["member"] == "a/x.pkl" and content[one["member_offset"]:][:len(data)] == data, one
    status, out = run({"z.zip": zipped(content)})
    assert b"a/x.pkl: pickle, %d bytes, deflate at byte" % len(content) in out, out
    assert b"of what the member holds in a/x.pkl; formats/pickle, section 4" in out, out


def test_the_opcodes_that_lead_to_a_call():
    doc = document(pickle.dumps(Call(os.system, "id"), 2))
    texts = [(o["text"], o["calls"]) for o in doc["opcodes"]]
    assert texts == [("PROTO 2", False), ("GLOBAL posix system", False), ("BINPUT 0", False), ('BINUNICODE "id"', False),
                     ("BINPUT 1", False), ("TUPLE1", False), ("BINPUT 2", False), ("REDUCE", True)], texts
    assert [c["text"] for c in doc["verdict"]["calls"]] == ['posix.system("id")']
    status, out = run({"x.pkl": pickle.dumps(Call(os.system, "id"), 4)})
    assert b"STACK_GLOBAL" in out and b"REDUCE" in out and b'dangerous posix.system("id") (byte' in out, out
    assert document(pickle.dumps({"a": [1.5]}, 2))["opcodes"] == []


def test_opcodes_show_their_arguments():
    data = (b"(I-5\nL12L\nF1.5\nS'a\\x00b'\nVc\nK\xffM\x01\x02J\xfe\xff\xff\xffG@\x04\0\0\0\0\0\0U\x01zcposix\nsystem\n"
            b"(S'x'\ntR.")
    texts = [o["text"] for o in document(data)["opcodes"]]
    assert texts == ["MARK", "INT -5", "LONG 12L", "FLOAT 1.5", "STRING 'a\\\\x00b'", "UNICODE c", "BININT1 255", "BININT2 513",
                     "BININT -2", "BINFLOAT 2.5", 'SHORT_BINSTRING "z"', "GLOBAL posix system", "MARK", "STRING 'x'", "TUPLE",
                     "REDUCE"], texts


def test_nothing_in_a_file_acts():
    evil = "\u202e\x1b[31m\x07\x9b2J\u2028"
    name = "a/" + evil + ".pkl"
    data = zipped(pickle.dumps([Call(os.system, evil), {evil: evil}], 2), name, zipfile.ZIP_STORED)
    for extra in ((), ("--format", "json"), ("--color", "always")):
        status, out = run({"z\x1b[2J.zip": data}, *extra)
        shown = out.replace(b"\x1b[1;31m", b"").replace(b"\x1b[0m", b"").replace(b"\x1b[33m", b"").replace(b"\x1b[2m", b"")
        assert status == 1 and b"\x1b" not in shown and b"\x07" not in shown, (extra, shown)
        for bad in ("\u202e", "\x9b", "\u2028"):
            assert bad.encode() not in shown, (extra, bad)
    broken = pickle.dumps(Call(os.system, "id"), 0).replace(b"posix", b"po\x1b]0;x\x07")
    assert b"\x1b" not in run({"x.pkl": broken})[1]


def test_accepted_rejected_and_broken_have_their_status():
    assert run({"m.safetensors": safetensors()})[0] == 0
    assert run({"x.pkl": pickle.dumps(Call(os.system, "id"))})[0] == 1
    assert run({"m.safetensors": safetensors()[:20]})[0] == 1
    out = subprocess.run([WEIGHLOCK, "inspect", "/nowhere"], capture_output=True, env=environment(), timeout=60)
    assert out.returncode == 2, out
    assert subprocess.run([WEIGHLOCK, "inspect"], capture_output=True, timeout=60).returncode == 4


def test_inspecting_changes_no_verdict():
    files = {"m.safetensors": safetensors(value=b"\0\0\xc0\x7f"), "x.pkl": pickle.dumps(Call(os.system, "id")),
             "z.zip": zipped(b"{}", "a.json"), "empty.bin": b""}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in files]
        for path, data in zip(paths, files.values()):
            with open(path, "wb") as f:
                f.write(data)
        lines = {c: subprocess.run([WEIGHLOCK, c, "--format", "json", *paths], capture_output=True, env=environment(),
                                   timeout=60).stdout.splitlines() for c in ("scan", "inspect")}
    for plain, page in zip(lines["scan"], lines["inspect"]):
        plain, page = json.loads(plain), json.loads(page)["verdict"]
        assert page.pop("calls") is not None
        for v in (plain, page):
            for key in ("time", "duration_ms"):
                del v["scan"][key]
        assert plain == page, (plain, page)


def case_of(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        out = subprocess.run([WEIGHLOCK, "case", *(os.path.join(folder, name) for name in files)], capture_output=True, env=environment(), timeout=60)
    assert os.path.basename(folder).encode() not in out.stdout, "the folder's name"
    return out.returncode, [json.loads(line) for line in out.stdout.splitlines()], out.stdout


def test_a_case_has_structure_and_digests_and_no_weights():
    weights = b"\xab\xcd\xc0\x7f" * 64  # NaN
    data = safetensors(value=weights[:4])
    status, (doc,), text = case_of({"model.safetensors": data})
    assert status == 1 and doc["schema"] == "weighlock.case/1" and doc["verdict"]["file"]["name"] == "model.safetensors", doc
    assert [t["name"] for t in doc["tensors"]] == ["w", "b"] and doc["tensors_listed"] is True, doc["tensors"]
    header = 8 + struct.unpack("<Q", data[:8])[0]
    for shown in doc["bytes"]:
        assert shown["offset"] + len(shown["hex"]) // 2 <= header, shown
    assert b"abcdc07f" not in text.lower()
    if jsonschema:
        with open(os.path.join(os.path.dirname(OPTIONS["schema"]), "case.schema.json"), encoding="utf-8") as f:
            jsonschema.validate(doc, json.load(f))


def test_a_case_of_a_broken_header_shows_it():
    data = safetensors().replace(b'"U8"', b'"U8",', 1)
    status, (doc, other), _ = case_of({"a.safetensors": data, "b.npz": b"PK\x05\x06" + bytes(18)})
    assert status == 1 and doc["bytes"] and bytes.fromhex(doc["bytes"][0]["hex"]) in data, doc["bytes"]
    assert other["schema"] == "weighlock.case/1"


tap.main(globals())
