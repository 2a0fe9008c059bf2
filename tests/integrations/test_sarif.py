"""Our SARIF beside Microsoft's validator, with the rules of the standard and those of GitHub's ingestion, and beside the
schema that it brings."""
import json
import os
import stat
import tempfile

import jsonschema
import tap
from foreign import CORPUS, WEIGHLOCK, module, run

PACKAGE = ("@microsoft", "sarif-multitool-linux")

# Hints about what would be nice to have; our program has no page to point to.
TOLERATED = {"SARIF2005"}


def sarif_of(folder, *arguments):
    path = os.path.join(folder, "out.sarif")
    done = run(WEIGHLOCK, "scan", "--format", "sarif=" + path, "--quiet", *arguments, cwd=folder)
    assert done.returncode in (0, 1, 2), done
    return path


def validate(path):
    """Results of the validator.  Its exit status says nothing about them."""
    tool = module(*PACKAGE, "Sarif.Multitool")
    os.chmod(tool, os.stat(tool).st_mode | stat.S_IXUSR)
    done = run(tool, "validate", path, "--rule-kind", "Sarif;Ghas", "--output", path + ".results", "--log", "ForceOverwrite",
               env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "PATH": "/usr/bin:/bin", "HOME": "/tmp"})
    with open(path + ".results", encoding="utf-8-sig") as f:
        results = json.load(f)["runs"][0].get("results", [])
    assert b"1 files scanned" in done.stdout, done
    return [r for r in results if r["ruleId"] not in TOLERATED]


def schema_errors(path):
    with open(module(*PACKAGE, "sarif-2.1.0.json"), encoding="utf-8-sig") as f:
        validator = jsonschema.Draft202012Validator(json.load(f))
    with open(path, encoding="utf-8") as f:
        return [e.message for e in validator.iter_errors(json.load(f))]


def check(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = sarif_of(folder, *arguments)
        with open(path, encoding="utf-8") as f:
            n = len(json.load(f)["runs"][0]["results"])
        errors, results = schema_errors(path), validate(path)
        assert not errors, errors[:5]
        assert not results, results[:5]
        return n


def test_findings_of_every_corpus_are_good_sarif():
    folders = sorted(f.path for f in os.scandir(CORPUS) if f.is_dir())
    assert check(*folders) > 1000


def test_no_finding_is_good_sarif():
    assert check("--allow-empty", os.path.join(CORPUS, "safetensors", "cases.jsonl")) == 0


def test_a_file_that_is_not_there_is_good_sarif():
    assert check("nowhere") == 0


def test_the_validator_would_tell():
    with tempfile.TemporaryDirectory() as folder:
        path = sarif_of(folder, os.path.join(CORPUS, "pickle"))
        with open(path, encoding="utf-8") as f:
            log = json.load(f)
        for result in log["runs"][0]["results"]:
            result["locations"] = []
        log["runs"][0]["results"][0]["ruleIndex"] = 10 ** 6
        with open(path, "w", encoding="utf-8") as f:
            json.dump(log, f)
        assert validate(path), "no locations, and nothing was said"


tap.main(globals())
