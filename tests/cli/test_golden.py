"""Ten bad files of ten formats, and one of a library: what a person reads about each, whole.  Whoever changes a word here reads the
page as a stranger would: what would happen, where, and what is there to do?

test_golden.py write ...: write what the command prints now."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tap
from fixtures import OPTIONS, WEIGHLOCK, environment

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
FILES = {
    "pickle": ["pickle/files/mal_gadget_subprocess_checkoutput.pkl"],
    "library": ["packs/files/pandas-frame.pkl"],
    "pytorch": ["pickle/files/mal_zip_deflate.pt"],
    "safetensors": ["safetensors/files/poly-zip-in-tensor-with-comment.safetensors"],
    "gguf": ["attacks/files/CVE-2024-34359.gguf"],
    "onnx": ["attacks/files/CVE-2022-25882.onnx"],
    "keras": ["attacks/files/CVE-2025-1550.keras"],
    "npy": ["attacks/files/CVE-2019-6446.npy"],
    "savedmodel": ["attacks/files/CVE-2021-37648.pb"],
    "config": ["attacks/files/CVE-2025-23304/model_config.yaml"],
    "nan": ["tflite/files/data-nan-f16.tflite"],
}

README = {"a.safetensors": "safetensors/files/poly-benign-prefix-zlib.safetensors",
          "b.pkl": "pickle/files/mal_gadget_subprocess_checkoutput.pkl"}


def printed(name):
    """As eighty columns show it; times are none of a golden file's."""
    done = subprocess.run([WEIGHLOCK, "scan", "--policy", "default", *FILES[name]], cwd=OPTIONS["corpus"], timeout=60,
                          env=environment(COLUMNS="80"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 1 and done.stderr == b"", done
    return re.sub(r" in \d+\.\d s\n", " in ... s\n", done.stdout.decode())


def is_as_written(name):
    with open(os.path.join(FOLDER, name + ".txt"), encoding="utf-8") as f:
        want = f.read()
    got = printed(name)
    assert got == want, f"read it, then: {sys.argv[0]} write {' '.join(sys.argv[1:])}\n{got}"
    assert all(len(line) <= 80 or " " not in line.strip() for line in got.splitlines()), got
    assert "\x1b" not in got


def readme_is_as_printed():
    """What the README shows is what the command prints about two files of the corpus."""
    with open(os.path.join(OPTIONS["corpus"], "../README.md"), encoding="utf-8") as f:
        shown = f.read().split("of the rest, what decided comes first:\n\n")[1].split("\n\n")[0]
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/models")
        for name, path in README.items():
            shutil.copy(os.path.join(OPTIONS["corpus"], path), f"{folder}/models/{name}")
        done = subprocess.run([WEIGHLOCK, "scan", "models/"], cwd=folder, env=environment(), timeout=60, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)

    def untimed(text):
        return re.sub(r" in \d+\.\d s$", "", text.rstrip())
    assert untimed("".join("    " + line for line in done.stdout.splitlines(True))) == untimed(shown), done.stdout


if "write" in sys.argv:
    for each in FILES:
        with open(os.path.join(FOLDER, each + ".txt"), "w", encoding="utf-8") as golden:
            golden.write(printed(each))
else:
    tap.main({**{f"test_{each}": lambda each=each: is_as_written(each) for each in FILES}, "test_readme": readme_is_as_printed},
             at_once=4)
