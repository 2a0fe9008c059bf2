"""What others are to copy, as far as no program of theirs is needed to try it."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import tap
from fixtures import GOOD, NAN, OPTIONS, WEIGHLOCK, environment, write

SOURCE = os.path.dirname(os.path.dirname(OPTIONS["schema"]))
SCRATCH = tempfile.mkdtemp(prefix="weighlock-recipes-")
sys.path.insert(0, os.path.join(SOURCE, "recipes"))
from hub_status import status  # noqa: E402


def verdicts(**files):
    folder = os.path.join(SCRATCH, "hub")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, data in files.items():
        write(os.path.join(folder, name.replace("__", ".")), data)
    lines = subprocess.run([WEIGHLOCK, "scan", "--format", "json", folder], env=environment(), timeout=120,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {os.path.basename(v["file"]["name"]): v for v in map(json.loads, lines)}


def test_a_hub_calls_nothing_mild_that_would_be_called():
    got = verdicts(good__safetensors=GOOD, nan__safetensors=NAN, script__py=b"import os\n", unknown__xyz=bytes(range(1, 200)),
                   known__pkl=b"\x80\x02csklearn.linear_model._base\nLinearRegression\n)\x81.",
                   ours__pkl=b"\x80\x02cours.models\nThing\n)R.", evil__pkl=b"cposix\nsystem\n(S'id'\ntR.",
                   config__json=b'{"_target_": "ours.models.build"}')
    said = {name: (v["verdict"], status(v)["status"]) for name, v in got.items()}
    assert said == {"good.safetensors": ("accept", "safe"), "nan.safetensors": ("review", "caution"),
                    "script.py": ("review", "caution"), "unknown.xyz": ("review", "caution"),
                    "known.pkl": ("review", "suspicious"), "ours.pkl": ("review", "suspicious"),
                    "evil.pkl": ("reject", "unsafe"), "config.json": ("review", "suspicious")}, said


def test_a_hub_calls_nothing_mild_that_it_does_not_know():
    mild = {"code": "weights-nan", "class": "quality", "action": "review"}
    for findings, reasons, expected in (([mild], ["quality"], "caution"), ([], ["quality"], "suspicious"),
                                        ([mild, {"code": "new", "class": "code", "action": "review"}], ["quality", "code"], "suspicious"),
                                        ([{**mild, "action": "other"}], ["quality"], "suspicious"),
                                        ([mild], ["quality", "incomplete"], "suspicious")):
        assert status({"verdict": "review", "findings": findings, "reasons": reasons})["status"] == expected, findings


try:
    tap.main(globals())
finally:
    shutil.rmtree(SCRATCH)
