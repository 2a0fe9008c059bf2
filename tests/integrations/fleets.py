"""What tests of weighlock-fleet share: the command, files and jobs about them."""
import hashlib
import json
import os
import struct
import subprocess
import tempfile

from foreign import OPTIONS, missing

FLEET = os.path.join(OPTIONS["build"], "fleet", "weighlock-fleet")
BAD = b"cos\nsystem\n(S'true'\ntR."


def fleet(p, *words, text=None, status=0, timeout=600):
    if not os.path.exists(FLEET):
        missing("weighlock-fleet (built where libpq is)")
    done = subprocess.run([FLEET, "--database", p.conninfo, *words], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, text=True)
    assert status is None or done.returncode == status, (words, done)
    return done


def model(name, values):
    """A safetensors file of F32."""
    header = json.dumps({name: {"dtype": "F32", "shape": [len(values)], "data_offsets": [0, 4 * len(values)]}}).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(values)}f", *values)


class Files:
    """A root folder of files, and jobs about them."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="weighlock-fleet-")
        self.root = os.path.join(self.folder.name, "models")
        os.mkdir(self.root)
        os.chmod(self.folder.name, 0o755)

    def job(self, name, data, **more):
        with open(os.path.join(self.root, name), "wb") as f:
            f.write(data)
        return {"ref": f"file:{self.root}/{name}", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data), **more}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def lines(jobs):
    return "".join(json.dumps(job) + "\n" for job in jobs)


def agent(p, d, files, *more):
    return [FLEET, "--database", p.conninfo, "agent", "--socket", d.socket, "--root", files.root, *more]


def run_agent(p, d, files, *more):
    return subprocess.run(agent(p, d, files, "--until-empty", *more), timeout=600, stderr=subprocess.PIPE, text=True, check=True)
