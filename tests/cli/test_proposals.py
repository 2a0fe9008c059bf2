"""What a scan writes for the next one: a baseline that counts as it is, a policy that does not before somebody says why; and the
bill of materials, whose names are a stranger's."""
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

import tap
from fixtures import BAD, GOOD, NAN, WEIGHLOCK, environment, write

SCRATCH = tempfile.mkdtemp(prefix="weighlock-proposals-")
KNOWN = b"\x80\x02csklearn.linear_model._base\nLinearRegression\n)\x81."
OURS = b"\x80\x02cours.models\nThing\n)\x81."
EVIL = b"\x80\x02cposix\nsystem\nX\x02\x00\x00\x00id\x85R."
HOSTILE = [b"*.safetensors", b'q"uote\\.safetensors', b"nl\n  - code: x.safetensors", b"\xff.safetensors",
           "\u202e.safetensors".encode(), b"#: {a}.safetensors", b"?[x].safetensors"]


def run(*arguments):
    return subprocess.run([WEIGHLOCK, *arguments], cwd=SCRATCH, env=environment(), timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def folder(name, **files):
    os.makedirs(os.path.join(SCRATCH, name), exist_ok=True)
    for file, data in files.items():
        write(os.path.join(SCRATCH, name, file.replace("__", ".")), data)
    return name


def hostile_folder():
    name = folder("hostile")
    for i, file in enumerate(HOSTILE):
        write(os.path.join(SCRATCH.encode(), name.encode(), file), NAN + bytes(0))
    return name


def read(name):
    with open(os.path.join(SCRATCH, name), encoding="utf-8") as f:
        return f.read()


def test_a_baseline_is_written_that_sets_aside_what_was_found_and_nothing_else():
    tree = folder("known", a__safetensors=NAN, b__pkl=KNOWN, c__safetensors=GOOD)
    assert run("scan", tree).returncode == 1
    assert run("scan", "--write-baseline", "b.yaml", tree).returncode == 1
    done = run("scan", "--baseline", "b.yaml", tree)
    assert done.returncode == 0 and b"expires" not in done.stderr, done
    write(os.path.join(SCRATCH, tree, "a.safetensors"), NAN.replace(b"\xc0\x7f", b"\xc1\x7f"))  # another file
    assert run("scan", "--baseline", "b.yaml", tree).returncode == 1
    day = re.search(r"expires: (.*)", read("b.yaml"))[1]
    assert 85 < (datetime.date.fromisoformat(day) - datetime.date.today()).days < 95, day


def test_no_baseline_holds_what_the_policy_keeps_from_it():
    tree = folder("bad", a__safetensors=BAD, b__pkl=EVIL, n__safetensors=NAN)
    run("scan", "--write-baseline", "bad.yaml", tree)
    text = read("bad.yaml")
    assert text.count("  - code: ") == 1 and "code: weights-nan" in text and "# left: pickle-call-dangerous in bad/b.pkl" in text, text
    done = run("scan", "--baseline", "bad.yaml", "--format", "json", tree)
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["reject", "reject", "accept"], done
    write(os.path.join(SCRATCH, "keep.yaml"), b"version: 1\nbaseline: none\n")
    assert run("scan", "--policy", "keep.yaml", "--write-baseline", "none.yaml", tree).returncode == 1
    assert "findings: []" in read("none.yaml") and run("scan", "--policy", "keep.yaml", "--baseline", "none.yaml", tree).returncode == 1


def test_a_saved_policy_is_none_until_its_reasons_are_there():
    tree = folder("saved", a__safetensors=NAN, b__pkl=KNOWN, c__pkl=OURS)
    run("scan", "--policy", "ci", "--pack", "pandas", "--save-policy", "p.yaml", tree)
    done = run("policy", "check", "p.yaml")
    assert done.returncode == 4 and b"an empty value" in done.stderr, done
    text = read("p.yaml")
    assert "base: ci\n" in text and "packs: [" in text and "sklearn" in text and "pandas" in text, text
    assert "code: pickle-global-unknown" in text and '#    - "ours.models.Thing object"' in text, text
    write(os.path.join(SCRATCH, "p.yaml"), text.replace('reason: ""', "reason: trained before the fix").encode())
    assert run("policy", "check", "p.yaml").returncode == 0
    assert run("scan", "--policy", "p.yaml", tree).returncode == 0
    write(os.path.join(SCRATCH, tree, "d.pkl"), OURS + b"\x2e"[:0])
    write(os.path.join(SCRATCH, tree, "d.pkl"), OURS.replace(b"Thing", b"Other"))
    assert run("scan", "--policy", "p.yaml", tree).returncode == 1


def test_a_saved_policy_accepts_nothing_that_was_rejected():
    tree = folder("rejected", a__safetensors=BAD, b__pkl=EVIL)
    run("scan", "--save-policy", "r.yaml", tree)
    text = read("r.yaml")
    assert "action: accept" not in text and "# left: pickle-call-dangerous in rejected/b.pkl" in text, text
    assert run("policy", "check", "r.yaml").returncode == 0 and run("scan", "--policy", "r.yaml", tree).returncode == 1


def test_a_name_is_no_yaml_and_no_glob():
    tree = hostile_folder()
    run("scan", "--write-baseline", "h.yaml", "--save-policy", "hp.yaml", tree)
    text = read("h.yaml")
    assert text.count("  - code: ") == len(HOSTILE) and 'path: "hostile/\\\\*.safetensors"' in text, text
    assert run("scan", "--baseline", "h.yaml", tree).returncode == 0
    write(os.path.join(SCRATCH, "hp.yaml"), read("hp.yaml").replace('reason: ""', "reason: x").encode())
    assert run("scan", "--policy", "hp.yaml", tree).returncode == 0, run("policy", "check", "hp.yaml")


def test_a_name_of_a_class_is_no_yaml_either():
    tree = folder("quoted", a__pkl=OURS.replace(b"Thing", b'Th"ing'))
    run("scan", "--save-policy", "q.yaml", tree)
    assert '#    - "ours.models.Th\\"ing object"\n' in read("q.yaml"), read("q.yaml")


def test_what_is_left_out_is_counted():
    tree = folder("crowd", **{f"{i}__pkl": EVIL for i in range(530)})
    run("scan", "--save-policy", "crowd.yaml", tree)
    text = read("crowd.yaml")
    assert text.count("# left: pickle-") == 1024 and "# left: 36 more that cannot be excepted\n" in text, text[-300:]


def test_proposals_are_about_one_scan_by_a_built_in_policy():
    for arguments in (["--db", "x.db"], ["--baseline", "b.yaml"], ["--socket=s"]):
        done = run("scan", *arguments, "--write-baseline", "x.yaml", ".")
        assert done.returncode == 4 and b"--write-baseline" in done.stderr, done
    write(os.path.join(SCRATCH, "own.yaml"), b"version: 1\n")
    done = run("scan", "--policy", "own.yaml", "--save-policy", "x.yaml", ".")
    assert done.returncode == 4 and b"built-in" in done.stderr, done
    assert not os.path.exists(os.path.join(SCRATCH, "x.yaml"))


# ---- CycloneDX ----

def bom_of(*arguments):
    done = run("scan", "-q", "--format", "cyclonedx", *arguments)
    return json.loads(done.stdout.decode("ascii")), done


def check_structure(bom):
    """What the schema of CycloneDX 1.6 asks of what we write: no other members, and each of its kind."""
    assert set(bom) == {"$schema", "bomFormat", "specVersion", "serialNumber", "version", "components", "metadata"}, bom.keys()
    assert (bom["bomFormat"], bom["specVersion"], bom["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", bom["serialNumber"])
    assert set(bom["metadata"]) == {"timestamp", "tools", "properties"}
    datetime.datetime.strptime(bom["metadata"]["timestamp"], "%Y-%m-%dT%H:%M:%SZ")
    refs = [c["bom-ref"] for c in bom["components"]]
    assert len(set(refs)) == len(refs)
    for c in bom["components"]:
        assert set(c) <= {"type", "bom-ref", "name", "properties", "hashes", "modelCard"} and c["name"], c
        assert c["type"] in ("machine-learning-model", "file") and ("modelCard" not in c or c["type"] == "machine-learning-model"), c
        for h in c.get("hashes", []):
            assert set(h) == {"alg", "content"} and h["alg"] == "SHA-256" and re.fullmatch("[0-9a-f]{64}", h["content"]), h
        for p in c["properties"] + c.get("modelCard", {"properties": []})["properties"]:
            assert set(p) == {"name", "value"} and isinstance(p["value"], str) and p["name"].startswith("weighlock:"), p


def properties(component):
    return {p["name"]: p["value"] for p in component["properties"]}


def test_a_bill_of_materials_has_each_file_by_its_digest():
    tree = folder("bom", a__safetensors=GOOD, b__safetensors=NAN, c__md=b"# text\n", d__safetensors=BAD)
    bom, done = bom_of(tree, "nowhere")
    check_structure(bom)
    assert done.returncode == 1 and len(bom["components"]) == 5, bom
    for component, (name, data, model) in zip(bom["components"], (("a.safetensors", GOOD, True), ("b.safetensors", NAN, True),
                                                                ("c.md", b"# text\n", False), ("d.safetensors", BAD, True))):
        assert component["name"] == "bom/" + name
        assert component["hashes"][0]["content"] == hashlib.sha256(data).hexdigest(), component
        assert (component["type"] == "machine-learning-model") == model, component
    assert [properties(c)["weighlock:verdict"] for c in bom["components"]] == ["accept", "review", "accept", "reject", "error"]
    assert properties(bom["components"][1])["weighlock:finding"] == "weights-nan: review"
    assert "hashes" not in bom["components"][4] and properties(bom["components"][4])["weighlock:complete"] == "false"


def test_a_bill_of_materials_of_hostile_names_and_of_nothing_is_one():
    bom, _ = bom_of(hostile_folder())
    check_structure(bom)
    assert len(bom["components"]) == len(HOSTILE)
    os.makedirs(os.path.join(SCRATCH, "void"), exist_ok=True)
    bom, done = bom_of("void")
    check_structure(bom)
    assert bom["components"] == [] and done.returncode == 3, done


# ---- model: true or false ----

def test_a_verdict_says_whether_the_file_is_a_model():
    tree = folder("kinds", a__safetensors=GOOD, b__safetensors=b"", c__md=b"# text\n", d__pkl=EVIL, e__xyz=bytes(range(256)))
    lines = run("scan", "--format", "json", tree, "nowhere").stdout.splitlines()
    got = {os.path.basename(v["file"]["name"]): v["model"] for v in map(json.loads, lines)}
    assert got == {"a.safetensors": True, "b.safetensors": False, "c.md": False, "d.pkl": True, "e.xyz": False, "nowhere": False}, got


try:
    tap.main(globals())
finally:
    shutil.rmtree(SCRATCH)
