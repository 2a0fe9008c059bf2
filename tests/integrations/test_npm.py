"""The tarball of `npm pack`, installed by npm without a network, used as its users use it."""
import json
import os
import shutil
import subprocess

import bare
import tap
from foreign import CORPUS, OPTIONS, run

SOURCE = OPTIONS["source"]
FILES = os.path.join(CORPUS, "safetensors", "files")


def installed():
    """A folder with the package in its node_modules."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise tap.Skip(f"{program} is not installed")
    folder = bare.folder("npm")
    home = {**os.environ, "HOME": folder, "npm_config_cache": os.path.join(folder, "cache"), "npm_config_update_notifier": "false"}
    packed = subprocess.run(["npm", "pack", "--json", os.path.join(SOURCE, "clients", "node")], cwd=folder, env=home, timeout=120,
                            stdout=subprocess.PIPE, check=True)
    made = json.loads(packed.stdout)[0]
    assert sorted(f["path"] for f in made["files"]) == ["README.md", "index.d.ts", "index.js", "package.json", "wire.js"], made["files"]
    subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", os.path.join(folder, made["filename"])], cwd=folder, env=home,
                   timeout=120, stdout=subprocess.DEVNULL, check=True)
    return folder


def test_the_tarball_judges_and_admits():
    folder = installed()
    with open(os.path.join(SOURCE, "clients", "node", "README.md"), encoding="utf-8") as f:
        lines = f.read().split("```js\n")[1].split("```")[0]
    for name, code, out in (("off-one-tensor", 0, "/sha256/"), ("off-overlap-partial", 1, "")):
        text = "(async () => {" + lines.replace("model.safetensors", os.path.join(FILES, name + ".safetensors")) + "\nconsole.log(model.path);})()"
        done = run("/usr/bin/env", f"WEIGHLOCK_COMMAND={OPTIONS['weighlock']}", "WEIGHLOCK_SOCKET=", f"XDG_CACHE_HOME={folder}/kept",
                   "sh", "-c", 'cd "$0" && exec node -e "$1"', folder, text)
        assert done.returncode == code and out in done.stdout.decode(), (name, done.stdout, done.stderr)
        assert code == 0 or b"Rejected" in done.stderr, done.stderr


tap.main(globals())
