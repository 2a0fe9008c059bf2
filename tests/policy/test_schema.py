"""Verdicts of samples.c against docs/verdict.schema.json (JSON Schema, draft 2020-12).

test_schema.py SAMPLES_PROGRAM SCHEMA
"""
import copy
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import jsonschema  # noqa: E402
import tap  # noqa: E402

with open(sys.argv[2], encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
LINES = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8").splitlines()
VERDICTS = [json.loads(line) for line in LINES]


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_sample_is_valid():
    assert len(VERDICTS) > 300, len(VERDICTS)
    for v in VERDICTS:
        VALIDATOR.validate(v)


def test_samples_reach_every_value():
    assert {v["verdict"] for v in VERDICTS} == {"accept", "review", "reject", "error"}
    assert any(v.get("suppressed") for v in VERDICTS)
    assert any("count" in f for v in VERDICTS for f in v["findings"])
    assert {"accept", "review"} <= {v["effective"] for v in VERDICTS if "effective" in v}
    assert any("observed" in f for v in VERDICTS for f in v["findings"])


def test_samples_use_only_members_the_schema_names():
    def check(value, schema, path):
        if isinstance(value, list):
            for item in value:
                check(item, schema.get("items", {}), path)
        elif isinstance(value, dict) and "properties" in schema:
            for key, item in value.items():
                assert key in schema["properties"], f"{path}.{key}"
                check(item, schema["properties"][key], f"{path}.{key}")

    for v in VERDICTS:
        check(v, SCHEMA, "")


def test_accept_is_complete_and_has_a_digest():
    for v in VERDICTS:
        if v["verdict"] == "accept":
            assert v["complete"] and v["file"]["sha256"] and "error" not in v["scan"], v
            assert all(f["action"] == "accept" for f in v["findings"]), v
        if not v["complete"]:
            assert v["verdict"] != "accept", v


def test_error_names_its_cause_and_whether_to_retry():
    for v in VERDICTS:
        if v["verdict"] == "error":
            assert "error" in v["scan"], v
        assert ("error" in v["scan"]) == ("retry" in v["scan"]), v


def test_only_a_non_accept_has_reasons():
    for v in VERDICTS:
        assert bool(v["reasons"]) == (v["verdict"] != "accept"), v
        assert len(set(v["reasons"])) == len(v["reasons"]), v


def test_no_line_holds_a_control_character():
    for line in LINES:
        assert not any(ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 for c in line), line
        assert "\\u00" not in line, line


def test_the_validator_notices_a_wrong_verdict():
    broken = copy.deepcopy(VERDICTS[0])
    broken["findings"][0]["action"] = "maybe"
    assert not VALIDATOR.is_valid(broken)
    broken = copy.deepcopy(VERDICTS[0])
    del broken["scan"]["rules"]
    assert not VALIDATOR.is_valid(broken)


tap.main(globals())
