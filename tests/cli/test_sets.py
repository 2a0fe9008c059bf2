"""Folders as sets, and the tensors of files: `weighlock scan` on what speaks about other files."""
import hashlib
import json
import os
import shutil
import statistics
import struct
import subprocess
import tempfile

import external
import tap
from fixtures import BAD, GOOD, OPTIONS, WEIGHLOCK, environment, write
from models import f32, safetensors_of, shard_name, sharded, weights, write_index

ROOT = tempfile.mkdtemp(prefix="weighlock-sets-")


def scan(*arguments, **options):
    return subprocess.run([WEIGHLOCK, "scan", *arguments], cwd=ROOT, env=environment(), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def lines(*arguments):
    done = scan("--format", "json", *arguments)
    return [json.loads(line) for line in done.stdout.decode().splitlines()], done.returncode


def sets_of(verdicts):
    return [v for v in verdicts if v["schema"] == "weighlock.set/1"]


def codes(verdict):
    return {f["code"] for f in verdict["findings"]}


def folder(name):
    path = os.path.join(ROOT, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def load_schema(name):
    import jsonschema
    with open(os.path.join(os.path.dirname(OPTIONS["schema"]), name), encoding="utf-8") as f:
        return jsonschema.Draft202012Validator(json.load(f))


# ---- which folders are sets ----

def test_a_set_has_its_verdict_behind_its_files():
    sharded(folder("sound"), weights(6), 3)
    verdicts, code = lines("sound")
    assert code == 0 and len(verdicts) == 5, verdicts
    whole = verdicts[-1]
    assert whole["schema"] == "weighlock.set/1" and whole["name"] == "sound" and whole["verdict"] == "accept", whole
    assert whole["complete"] and whole["reasons"] == []
    names = [m["name"] for m in whole["members"]]
    assert names == [shard_name(i, 3) for i in range(3)] + ["model.safetensors.index.json"], names
    by_file = {v["file"]["name"]: v["file"] for v in verdicts[:-1]}
    for m in whole["members"]:
        assert m["sha256"] == by_file["sound/" + m["name"]]["sha256"] and m["size"] == by_file["sound/" + m["name"]]["size"]


def test_the_digest_is_what_sha256sum_makes_of_the_folder():
    sharded(folder("digest"), weights(4), 2)
    verdicts, _ = lines("digest")
    sums = subprocess.run("sha256sum -z -- * | LC_ALL=C sort -z -k2 | sha256sum", shell=True, cwd=f"{ROOT}/digest",
                          stdout=subprocess.PIPE, check=True).stdout.decode().split()[0]
    assert sums == verdicts[-1]["sha256"], verdicts[-1]


def test_independent_files_in_a_folder_are_no_set():
    path = folder("independent")
    for name in ("a", "b"):
        write(f"{path}/{name}.safetensors", GOOD)
    verdicts, code = lines("independent")
    assert code == 0 and len(verdicts) == 2 and not sets_of(verdicts), verdicts
    done = scan("independent")
    assert b"set" not in done.stdout, done.stdout


def test_files_given_alone_are_no_set():
    path = folder("alone")
    sharded(path, weights(4), 2)
    verdicts, _ = lines(*[f"alone/{name}" for name in sorted(os.listdir(path))])
    assert len(verdicts) == 3 and not sets_of(verdicts), verdicts


def test_each_given_folder_is_a_set_of_its_own_in_its_place():
    sharded(folder("first"), weights(2), 2)
    sharded(folder("second"), weights(3), 3)
    write(f"{ROOT}/between.safetensors", GOOD)
    for jobs in ("1", "7"):
        verdicts, code = lines("-j", jobs, "first", "between.safetensors", "second", "first")
        assert code == 0
        order = [v["name"] if v["schema"] == "weighlock.set/1" else v["file"]["name"] for v in verdicts]
        assert [i for i, v in enumerate(verdicts) if v["schema"] == "weighlock.set/1"] == [3, 9, 13], order
        assert order[3] == "first" and order[4] == "between.safetensors" and order[9] == "second", order


def test_an_index_in_a_subfolder_speaks_about_its_own_folder():
    path = folder("pipeline")
    sharded(f"{path}/unet", weights(4), 2)
    write(f"{path}/other.safetensors", GOOD)
    verdicts, code = lines("pipeline")
    assert code == 0, verdicts
    assert [m["name"] for m in sets_of(verdicts)[0]["members"]][-1] == "unet/model.safetensors.index.json"


LAYER = ('<?xml version="1.0"?>\n<net name="n" version="11"><layers><layer id="0" name="w" type="%s" version="opset1">%s<output>'
         '<port id="0" precision="F32"><dim>2</dim></port></output></layer></layers><edges/></net>\n')
DATA = '<data element_type="f32" shape="2" offset="0" size="8"/>'
PARAMETER = '<data element_type="f32" shape="2"/>'


def members_of(name, files):
    path = folder(name)
    for file, content in files.items():
        write(f"{path}/{file}", content)
    verdicts, _ = lines(name)
    return [[m["name"] for m in s["members"]] for s in sets_of(verdicts)]


def test_an_openvino_graph_and_its_weights_are_a_set():
    weights_file = {"m.bin": struct.pack("<2f", 1, 2)}
    graph = (LAYER % ("Const", DATA)).encode()
    assert members_of("openvino", {"m.xml": graph, **weights_file}) == [["m.bin", "m.xml"]]
    alone = (LAYER % ("Parameter", PARAMETER)).encode()
    assert members_of("openvino-alone", {"m.xml": alone, **weights_file}) == [], "it speaks about no other file"


def test_a_model_of_tensorflow_js_and_its_weights_are_a_set():
    weights_file = {"group1-shard1of1.bin": struct.pack("<2f", 1, 2)}
    model = {"format": "layers-model", "modelTopology": {"class_name": "Sequential", "config": {"layers": []}},
             "weightsManifest": [{"paths": list(weights_file), "weights": [{"name": "w", "shape": [2], "dtype": "float32"}]}]}
    assert members_of("tfjs", {"model.json": json.dumps(model).encode(), **weights_file}) == [[*weights_file, "model.json"]]
    model["weightsManifest"] = []
    assert members_of("tfjs-alone", {"model.json": json.dumps(model).encode(), **weights_file}) == []


# ---- weights in other files ----

def by_name(verdicts):
    return {os.path.basename(v["file"]["name"]): v for v in verdicts if "file" in v}


def test_weights_in_other_files_are_read_whichever_file_comes_first():
    path = folder("external")
    write(f"{path}/model.onnx", external.model(("a.data", 0, 64), ("z.data", 0, 64), ("z.data", 64, 64)))
    write(f"{path}/a.data", external.floats(16))
    write(f"{path}/z.data", external.floats(32))
    for jobs in ("1", "7"):
        verdicts, code = lines("-j", jobs, "external")
        assert code == 0, verdicts
        assert [v["file"]["name"] for v in verdicts[:-1]] == ["external/" + n for n in ("a.data", "model.onnx", "z.data")]
        assert [v["format"] for v in verdicts[:-1]] == ["external-weights", "onnx", "external-weights"]
        assert verdicts[-1]["verdict"] == "accept" and verdicts[-1]["findings"] == [], verdicts[-1]
    write(f"{path}/a.data", external.floats(15) + external.NAN)
    verdicts, code = lines("external")
    row = by_name(verdicts)["a.data"]["weights"]["nonfinite"][0]
    assert code == 1 and (row["tensor"], row["nan"], row["first_offset"]) == ("w0", 1, 60), verdicts
    assert by_name(verdicts)["z.data"]["verdict"] == "accept" and verdicts[-1]["verdict"] == "review"


def test_files_given_alone_are_not_read_as_anybodys_weights():
    path = folder("external-alone")
    write(f"{path}/model.onnx", external.model(("model.data", 0, 64)))
    write(f"{path}/model.data", external.floats(16))
    verdicts, code = lines("external-alone/model.data", "external-alone/model.onnx")
    assert code == 1 and codes(verdicts[0]) == {"format-unknown"}, verdicts
    assert codes(verdicts[1]) == {"onnx-external-unchecked"} and verdicts[1]["verdict"] == "review", verdicts


def test_tensors_of_another_file_are_listed_with_it():
    path = folder("external-list")
    data = external.floats(8) + struct.pack("<8f", *range(8))
    write(f"{path}/model.onnx", external.model(("model.data", 0, 32), ("model.data", 32, 32)))
    write(f"{path}/model.data", data)
    listed = by_name(lines("--tensor-digests", "external-list")[0])["model.data"]
    stats = [t.pop("stats") for t in listed["tensors"]]
    assert [s["mean"] for s in stats] == [statistics.fmean(struct.unpack("<8f", data[32 * i:32 * i + 32])) for i in (0, 1)], stats
    assert listed["tensors_listed"] and listed["tensors"] == [
        {"name": f"w{i}", "dtype": "F32", "shape": [8], "offsets": [32 * i, 32 * i + 32],
         "sha256": hashlib.sha256(data[32 * i:32 * i + 32]).hexdigest()} for i in (0, 1)], listed["tensors"]


def test_more_results_than_are_held_back_otherwise_wait_for_weights():
    path = folder("external-many")
    write(f"{path}/a.data", external.floats(16))
    for i in range(80):
        write(f"{path}/b{i:02}.safetensors", GOOD)
    write(f"{path}/model.onnx", external.model(("a.data", 0, 64)))
    verdicts, code = lines("-j", "1", "external-many")
    assert code == 0 and verdicts[0]["format"] == "external-weights" and len(verdicts) == 83, verdicts[0]


def test_of_more_files_than_can_be_open_none_is_waited_for():
    path = folder("external-too-many")
    names = [f"a{i:02}.data" for i in range(60)]
    for name in names:
        write(f"{path}/{name}", external.floats(16))
    write(f"{path}/model.onnx", external.model(*[(name, 0, 64) for name in names]))
    done = subprocess.run(["prlimit", "--nofile=420:420", WEIGHLOCK, "scan", "--format", "json", "external-too-many"], cwd=ROOT,
                          env=environment(), timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1 and len(verdicts) == 62, done
    assert {v["verdict"] for v in verdicts[:60]} == {"review"} and codes(verdicts[0]) == {"format-unknown"}, verdicts[0]
    assert codes(verdicts[-1]) == {"onnx-external-unchecked"} and verdicts[-1]["verdict"] == "review", verdicts[-1]


# ---- what is wrong with a set ----

def test_one_wrong_entry_among_two_hundred_shards_is_found():
    path = folder("wide")
    index = sharded(path, weights(400), 200)
    verdicts, code = lines("wide")
    assert code == 0 and sets_of(verdicts)[0]["verdict"] == "accept", sets_of(verdicts)[0]["findings"]
    index["weight_map"]["layer.123.weight"] = shard_name(5, 200)
    write_index(path, index)
    verdicts, code = lines("wide")
    whole = sets_of(verdicts)[0]
    assert code == 1 and whole["verdict"] == "reject" and len(whole["members"]) == 201, whole["findings"]
    assert any("layer.123.weight" in f.get("subject", "") for f in whole["findings"]), whole["findings"]
    assert all(v["verdict"] == "accept" for v in verdicts[:-1])


def test_a_missing_shard_is_found():
    path = folder("missing")
    sharded(path, weights(4), 2)
    os.unlink(f"{path}/{shard_name(1, 2)}")
    verdicts, code = lines("missing")
    assert code != 0 and sets_of(verdicts)[0]["verdict"] in ("reject", "review"), verdicts[-1]
    assert sets_of(verdicts)[0]["findings"]


def test_a_shard_that_is_no_regular_file_is_an_error_and_never_opened():
    outside = f"{ROOT}/outside.safetensors"
    write(outside, safetensors_of({"layer.1.weight": f32(1, 1, 2, 3, shape=(2, 2))}))
    for make, found in ((os.mkfifo, "index-shard-type"), (lambda at: os.symlink(outside, at), "index-shard-symlink"),
                        (lambda at: os.symlink("nothing", at), "index-shard-symlink")):
        path = folder("irregular")
        sharded(path, weights(2), 2)
        shard = f"{path}/{shard_name(1, 2)}"
        os.unlink(shard)
        make(shard)
        verdicts, code = lines("irregular")
        whole = sets_of(verdicts)[0]
        member = [m for m in whole["members"] if m["name"] == shard_name(1, 2)][0]
        assert member["verdict"] == "error" and member["sha256"] is None, member
        assert code != 0 and whole["verdict"] in ("error", "reject") and not whole["complete"], whole
        assert whole["sha256"] is None and found in codes(whole), whole


def test_a_folder_where_a_shard_should_be_is_found():
    path = folder("nested")
    sharded(path, weights(2), 2)
    shard = f"{path}/{shard_name(1, 2)}"
    os.rename(shard, f"{path}/moved")
    os.mkdir(shard)
    os.rename(f"{path}/moved", f"{shard}/inner.safetensors")
    verdicts, code = lines("nested")
    assert code != 0 and sets_of(verdicts)[0]["verdict"] != "accept", verdicts[-1]


def test_links_into_the_blobs_of_a_cache_are_members_like_any():
    cache = folder("models--org--name")
    snapshot = f"{cache}/snapshots/main"
    sharded(snapshot, weights(4), 2)
    os.makedirs(f"{cache}/blobs")
    for name in os.listdir(snapshot):
        os.rename(f"{snapshot}/{name}", f"{cache}/blobs/{hashlib.sha256(name.encode()).hexdigest()}")
        os.symlink(f"../../blobs/{hashlib.sha256(name.encode()).hexdigest()}", f"{snapshot}/{name}")
    verdicts, code = lines("models--org--name/snapshots/main")
    assert code == 0 and sets_of(verdicts)[0]["verdict"] == "accept", verdicts[-1]


def test_a_set_is_no_better_than_its_worst_file():
    path = folder("worst")
    sharded(path, weights(4), 2)
    write(f"{path}/extra.safetensors", BAD)
    verdicts, code = lines("worst")
    whole = sets_of(verdicts)[0]
    assert code == 1 and whole["verdict"] == "reject" and "member" in whole["reasons"], whole


def test_the_policy_judges_findings_about_sets_too():
    path = folder("policy")
    index = sharded(path, weights(4), 2)
    index["weight_map"]["layer.0.weight"] = shard_name(1, 2)
    write_index(path, index)
    verdicts, code = lines("policy")
    found = sets_of(verdicts)[0]["findings"]
    assert code == 1 and found
    write(f"{ROOT}/lenient.yaml", ("version: 1\nname: lenient\nrules:\n" + "".join(
        f"- {{code: {c}, format: set, path: policy, action: accept, reason: known, expires: 2999-01-01}}\n"
        for c in sorted({f["code"] for f in found}))).encode())
    verdicts, code = lines("--policy", "lenient.yaml", "policy")
    whole = sets_of(verdicts)[0]
    assert whole["policy"]["name"] == "lenient" and {f["code"] for f in whole["suppressed"]} == {f["code"] for f in found}, whole
    assert whole["verdict"] != "reject"


def test_verdicts_about_sets_are_valid_against_their_schema():
    path = folder("schema")
    index = sharded(path, weights(4), 2)
    validator = load_schema("set.schema.json")
    seen = set()
    for change in (None, "wrong", "fifo"):
        if change == "wrong":
            index["weight_map"]["layer.0.weight"] = shard_name(1, 2)
            write_index(path, index)
        if change == "fifo":
            os.mkfifo(f"{path}/pipe")
        for verdict in sets_of(lines("schema")[0]):
            assert not [e.message for e in validator.iter_errors(verdict)], verdict
            unknown = verdict.keys() - validator.schema["properties"].keys()
            assert not unknown, unknown
            seen.add(verdict["verdict"])
    assert "accept" in seen and len(seen) > 1, seen


def test_a_person_is_told_about_the_set_once():
    path = folder("people")
    index = sharded(path, weights(4), 2)
    index["weight_map"]["layer.0.weight"] = shard_name(1, 2)
    write_index(path, index)
    out = scan("people").stdout.decode().splitlines()
    about = [line for line in out if "as a set" in line]
    assert len(about) == 1 and about[0].startswith("REJECT  people, as a set"), out
    assert out[-1] == "1 set: 0 accepted, 0 under review, 1 rejected, 0 not judged", out[-1]
    quiet = scan("-q", "people").stdout.decode()
    assert quiet.startswith("REJECT  people, as a set"), quiet


# ---- tensors ----

def test_tensors_are_listed_on_request_only():
    write(f"{ROOT}/t.safetensors", safetensors_of({"a": f32(1, 2, 3, 4, shape=(2, 2)), "b": f32(5)}))
    (plain,), _ = lines("t.safetensors")
    assert "tensors" not in plain and "tensors_listed" not in plain and "tensors_listed" not in plain["facts"]
    (listed,), _ = lines("--tensors", "t.safetensors")
    assert listed["tensors_listed"] is True
    a, b = listed["tensors"]
    assert (a["name"], a["dtype"], a["shape"]) == ("a", "F32", [2, 2]) and b["shape"] == [1], listed["tensors"]
    assert a["offsets"][1] - a["offsets"][0] == 16 and b["offsets"] == [a["offsets"][1], listed["file"]["size"]]
    assert "sha256" not in a


def test_digests_are_those_of_the_bytes_at_the_offsets():
    tensors = weights(20)
    write(f"{ROOT}/d.safetensors", safetensors_of(tensors))
    (v,), code = lines("--tensor-digests", "d.safetensors")
    with open(f"{ROOT}/d.safetensors", "rb") as f:
        data = f.read()
    assert code == 0 and len(v["tensors"]) == 20
    for t in v["tensors"]:
        assert t["sha256"] == hashlib.sha256(data[slice(*t["offsets"])]).hexdigest(), t
        assert t["sha256"] == hashlib.sha256(tensors[t["name"]][2]).hexdigest(), t


def test_listed_verdicts_are_valid_against_the_schema():
    path = folder("listed")
    sharded(path, weights(4), 2)
    write(f"{path}/bad.safetensors", BAD)
    validator = load_schema("verdict.schema.json")
    verdicts, _ = lines("--tensor-digests", "listed")
    for v in verdicts[:-1]:
        assert not [e.message for e in validator.iter_errors(v)], v
        assert not v.keys() - validator.schema["properties"].keys()
    by_name = {v["file"]["name"]: v for v in verdicts[:-1]}
    assert by_name["listed/bad.safetensors"]["tensors_listed"] is False
    assert len(by_name["listed/model.safetensors.index.json"]["mappings"]) == 4
    assert "tensors" not in verdicts[-1]


def test_a_long_table_is_folded_unless_asked_for():
    write(f"{ROOT}/long.safetensors", safetensors_of(weights(60)))
    short = scan("--tensors", "long.safetensors").stdout.decode()
    assert short.count("layer.") == 50 and "... and 10 more (--verbose shows all)" in short, short
    full = scan("--tensors", "-v", "long.safetensors").stdout.decode()
    assert full.count("layer.") == 60 and "more" not in full.split("tensors:")[1], full


def test_names_of_tensors_cannot_act_on_the_terminal():
    write(f"{ROOT}/odd.safetensors", safetensors_of({"\x1b[31m\u202e\n": f32(1)}))
    for arguments in (["--tensors"], ["--tensor-digests", "-v"], ["--tensors", "--format", "json"]):
        out = scan(*arguments, "odd.safetensors").stdout
        assert b"\x1b" not in out and "\u202e".encode() not in out and b"x1B[31m" in out, out


def peak(*arguments):
    """The verdict, and the largest resident size of any of the processes, in KiB."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([WEIGHLOCK, "scan", "--format", "json", *arguments], cwd=ROOT, env=environment(), stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        assert os.waitstatus_to_exitcode(status) in (0, 1), status
        return json.load(out), usage.ru_maxrss


def test_a_hundred_thousand_tensors_cost_next_to_no_memory():
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("a sanitizer build needs more")
    n = 100000
    entries = ",".join(f'"model.layers.{i}.weight":{{"dtype":"U8","shape":[1],"data_offsets":[{i},{i + 1}]}}' for i in range(n))
    text = ("{" + entries + "}").encode()
    text += b" " * (-len(text) % 8)
    write(f"{ROOT}/many.safetensors", struct.pack("<Q", len(text)) + text + bytes(i % 251 for i in range(n)))
    (none, plain), (verdict, listed) = peak("many.safetensors"), peak("--tensor-digests", "many.safetensors")
    assert "tensors" not in none and len(verdict["tensors"]) == n
    assert verdict["tensors"][n - 1]["sha256"] == hashlib.sha256(bytes([(n - 1) % 251])).hexdigest()
    assert listed < plain + 6 * 1024, f"{plain} KiB without the list, {listed} KiB with it"


try:
    tap.main(globals())
finally:
    shutil.rmtree(ROOT)
