"""weighlock diff: what differs between two models, in how many files whichever."""
import json
import os
import shutil
import subprocess
import tempfile

import tap
from fixtures import BAD, OPTIONS, WEIGHLOCK, environment, write
from models import f32, floats, safetensors_of, shard_name, sharded, weights

ROOT = tempfile.mkdtemp(prefix="weighlock-diff-")


def run(*arguments, **options):
    return subprocess.run([WEIGHLOCK, "diff", *arguments], cwd=ROOT, env=environment(), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def diff(a, b, *arguments):
    done = run("--format", "json", *arguments, a, b)
    return json.loads(done.stdout), done.returncode


def model(name, tensors, **more):
    write(f"{ROOT}/{name}", safetensors_of(tensors, **more))
    return name


def kinds(result):
    return [(d["kind"], d["name"]) for d in result["differences"]]


# Read by several tests.
model("old.safetensors", {"kept": f32(1, 2), "gone": f32(3), "bytes": f32(1, 2), "dtype": f32(1, 1),
                          "shape": f32(1, 2, 3, 4)})
model("new.safetensors", {"come": f32(3), "kept": f32(1, 2), "bytes": f32(1, 3),
                          "dtype": ("F64", [1], floats(1, 1)), "shape": f32(1, 2, 3, 4, shape=(2, 2))})


def test_a_file_is_the_same_as_itself():
    a = model("same.safetensors", weights(5))
    result, code = diff(a, a)
    assert code == 0 and result["same"] and result["complete"] and result["identical"] == 5, result
    assert result["differences"] == []


def test_other_shards_other_order_and_other_metadata_are_the_same_model():
    tensors = weights(40)
    backwards = dict(reversed(tensors.items()))
    model("whole.safetensors", backwards, metadata={"format": "pt"})
    for n in (1, 3, 7):
        sharded(f"{ROOT}/in-{n}", tensors, n)
        for a, b in ((f"in-{n}", "whole.safetensors"), ("whole.safetensors", f"in-{n}"), ("in-1", f"in-{n}")):
            for jobs in ("1", "6"):
                result, code = diff(a, b, "-j", jobs)
                assert code == 0 and result["identical"] == 40, (a, b, result)


def test_every_kind_of_difference_is_told():
    result, code = diff("old.safetensors", "new.safetensors")
    assert code == 1 and not result["same"] and result["complete"], result
    assert (result["identical"], result["changed"], result["removed"], result["added"]) == (1, 3, 1, 1), result
    assert kinds(result) == [("removed", "gone"), ("changed", "bytes"), ("changed", "dtype"), ("changed", "shape"),
                             ("added", "come")], kinds(result)
    by_name = {d["name"]: d for d in result["differences"]}
    assert by_name["bytes"]["changes"] == ["bytes"]
    assert by_name["dtype"]["changes"] == ["dtype", "shape"], by_name["dtype"]
    assert by_name["shape"]["changes"] == ["shape"] and by_name["shape"]["a"]["shape"] == [4]
    assert by_name["shape"]["b"]["shape"] == [2, 2] and by_name["shape"]["a"]["sha256"] == by_name["shape"]["b"]["sha256"]
    assert by_name["bytes"]["a"]["stats"] == {"elements": 2, "min": 1, "max": 2, "mean": 1.5, "zero_share": 0}
    assert by_name["come"]["b"]["file"] == "new.safetensors" and "a" not in by_name["come"]


def test_a_person_sees_the_same():
    done = run("old.safetensors", "new.safetensors")
    out = done.stdout.decode().splitlines()
    assert done.returncode == 1 and done.stderr == b"", done
    assert out[:5] == ["- gone  F32 [1]",
                       "~ bytes  other bytes: 1 to 2, mean 1.5, 0 % zero becomes 1 to 3, mean 2, 0 % zero",
                       "~ dtype  F32 becomes F64, [2] becomes [1]",
                       "~ shape  [4] becomes [2, 2]", "+ come  F32 [1]"], out
    assert out[-1] == "1 identical, 3 changed, 1 only in a, 1 only in b", out


def test_quiet_says_it_with_the_status_only():
    for a, b, code in (("old.safetensors", "old.safetensors", 0), ("old.safetensors", "new.safetensors", 1)):
        done = run("-q", a, b)
        assert (done.returncode, done.stdout, done.stderr) == (code, b"", b""), done


def test_one_bit_in_one_of_many_shards_is_found():
    tensors = weights(60)
    sharded(f"{ROOT}/left", tensors, 20)
    changed = dict(tensors)
    changed["layer.33.weight"] = f32(33, 1, 2, 3.0000002384185791, shape=(2, 2))
    sharded(f"{ROOT}/right", changed, 4)
    result, code = diff("left", "right")
    assert code == 1 and kinds(result) == [("changed", "layer.33.weight")] and result["identical"] == 59, result
    assert result["differences"][0]["a"]["file"] == "left/" + shard_name(11, 20)
    assert result["differences"][0]["b"]["file"] == "right/" + shard_name(2, 4)


def test_what_could_not_be_judged_is_no_comparison():
    model("good.safetensors", weights(2))
    write(f"{ROOT}/bad.safetensors", BAD)
    write(f"{ROOT}/text.txt", b"hello\n")
    os.makedirs(f"{ROOT}/empty", exist_ok=True)
    for other, words in (("bad.safetensors", "not all of its tensors are known"), ("nowhere", "could not be judged"),
                         ("text.txt", ""), ("empty", "no tensors found"), ("/dev/null", "could not be judged")):
        for a, b in (("good.safetensors", other), (other, "good.safetensors")):
            done = run(a, b)
            assert done.returncode == 2 and words in done.stderr.decode(), (a, b, done)
            result, code = diff(a, b)
            assert code == 2 and not result["same"] and not result["complete"], (a, b, result)
    done = run("-q", "bad.safetensors", "bad.safetensors")
    assert done.returncode == 2, done


def test_an_unjudged_file_in_a_folder_is_not_passed_over():
    sharded(f"{ROOT}/holes", weights(4), 2)
    os.mkfifo(f"{ROOT}/holes/pipe.safetensors")
    result, code = diff("holes", "holes")
    assert code == 2 and not result["complete"], result
    assert [f for f in result["a"]["files"] if f["name"] == "holes/pipe.safetensors"][0]["verdict"] == "error", result


def test_a_file_whose_tensors_are_not_all_known_is_not_passed_over():
    sharded(f"{ROOT}/partly", weights(4), 2)
    write(f"{ROOT}/partly/bad.safetensors", BAD)
    result, code = diff("partly", "partly")
    assert code == 2 and not result["complete"] and not result["a"]["complete"] and result["identical"] >= 4, result


def test_files_without_tensors_do_not_matter():
    sharded(f"{ROOT}/with", weights(4), 2)
    sharded(f"{ROOT}/without", weights(4), 2)
    write(f"{ROOT}/with/README.md", b"# A model\n")
    write(f"{ROOT}/with/config.json", b'{"model_type": "x"}\n')
    result, code = diff("with", "without")
    assert code == 0 and result["a"]["other_files"] == 3 and result["b"]["other_files"] == 1, result


def test_a_name_that_a_side_has_twice_is_not_guessed():
    os.makedirs(f"{ROOT}/twice", exist_ok=True)
    model("twice/1.safetensors", {"w": f32(1), "v": f32(2)})
    model("twice/2.safetensors", {"w": f32(2)})
    model("once.safetensors", {"w": f32(1), "v": f32(2)})
    for a, b in (("twice", "once.safetensors"), ("once.safetensors", "twice"), ("twice", "twice")):
        result, code = diff(a, b)
        assert code == 2 and result["not_compared"] > 0 and result["identical"] == 1, (a, b, result)
        assert {("ambiguous", "w")} == set(kinds(result)), result


def test_a_rejected_file_is_compared_and_named():
    model("odd.safetensors", {"a\x1b[31m": f32(1), "b": f32(2)})
    done = run("odd.safetensors", "odd.safetensors")
    assert done.returncode == 0, done
    assert "odd.safetensors: is rejected" in done.stderr.decode() and b"\x1b" not in done.stdout + done.stderr, done


def test_standard_input_can_be_a_side():
    with open(f"{ROOT}/{model('stdin.safetensors', weights(3))}", "rb") as f:
        done = subprocess.run([WEIGHLOCK, "diff", "-", "stdin.safetensors"], cwd=ROOT, env=environment(), input=f.read(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0 and b"3 identical" in done.stdout, done


def test_wrong_usage_is_told():
    for arguments in ((), ("a",), ("a", "b", "c"), ("", "b"), ("-", "-"), ("--format", "xml", "a", "b"),
                      ("-j", "0", "a", "b"), ("--unknown", "a", "b")):
        done = run(*arguments)
        assert done.returncode == 4 and done.stdout == b"" and b"weighlock diff --help" in done.stderr, (arguments, done)


def test_answers_are_valid_against_the_schema():
    import jsonschema
    with open(os.path.join(os.path.dirname(OPTIONS["schema"]), "diff.schema.json"), encoding="utf-8") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    for a, b in (("old.safetensors", "new.safetensors"), ("twice", "once.safetensors"), ("bad.safetensors", "holes"),
                 ("nowhere", "in-3"), ("odd.safetensors", "in-7")):
        result, _ = diff(a, b)
        assert not [e.message for e in validator.iter_errors(result)], result
        assert not result.keys() - validator.schema["properties"].keys()
        assert not result["a"].keys() - validator.schema["properties"]["a"]["properties"].keys()


def test_a_hundred_thousand_tensors_are_compared_in_seconds():
    if OPTIONS["sanitized"] == "true":
        raise tap.Skip("a sanitizer build is slow")
    tensors = {f"model.layers.{i}.weight": ("U8", [1], bytes([i % 251])) for i in range(100000)}
    sharded(f"{ROOT}/many", tensors, 10)
    tensors["model.layers.77777.weight"] = ("U8", [1], b"\xff")
    model("many.safetensors", tensors)
    result, code = diff("many", "many.safetensors")
    assert code == 1 and result["identical"] == 99999 and kinds(result) == [("changed", "model.layers.77777.weight")], code


def test_what_is_rejected_and_lists_nothing_may_be_anything():
    tensors = weights(2)
    for side in "evil", "plain":
        os.makedirs(f"{ROOT}/{side}")
        model(f"{side}/a.safetensors", tensors)
    with open(f"{ROOT}/evil/extra.bin", "wb") as f:
        f.write(b"cposix\nsystem\n(S'true'\ntR.")  # pickle: os.system("true")
    result, code = diff("evil", "plain")
    assert code == 2 and not result["complete"] and result["identical"] == 2, (code, result)


try:
    tap.main(globals())
finally:
    shutil.rmtree(ROOT)
