"""What the command's tests scan: a small tree of files good, bad and odd, made anew for each test program."""
import fcntl
import json
import os
import shutil
import socket
import struct
import sys
import tempfile
import termios
import time

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK = OPTIONS["weighlock"]
NOBODY = 65534
PATIENCE_S = 60  # for what must happen: a machine may be slow, and nobody waits so long where all is well


def until(read):
    """What read() returns, once that is something; its last word where the patience ends."""
    deadline = time.monotonic() + PATIENCE_S
    while not (got := read()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return got


def awaits_input(process):
    """Standard input, a pipe, is read: what was written into it is gone."""
    process.stdin.write(b"x")
    process.stdin.flush()
    return until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) == bytes(4))


def environment(**more):
    """For every command.  In a sanitizer build a finding must not look like exit code 1; what looks for leaks is
    left to each program, for the jailed one cannot."""
    return {"PATH": os.path.dirname(WEIGHLOCK) + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm",
            "ASAN_OPTIONS": "abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1:abort_on_error=1", **more}


def safetensors(shape=(2,), dtype="F32", data=None, end=None):
    """A file of one tensor; `end` lies about where it ends."""
    if data is None:
        data = b"\0\0\x80\x3f" * shape[0]
    header = json.dumps({"w": {"dtype": dtype, "shape": list(shape), "data_offsets": [0, end or len(data)]}},
                        separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data


GOOD = safetensors()
BAD = safetensors(end=12)                                     # rejected: past the end
NAN = safetensors(data=b"\0\0\x80\x3f" + b"\0\0\xc0\x7f")     # review
POINTER = (b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n")

# Escape sequences, a line break, a direction override and a byte that is no UTF-8.
ODD_NAME = b"odd\x1b[31m\n\xe2\x80\xae\xff.safetensors"


def write(path, content):
    with open(path, "wb") as f:
        f.write(content)


def hub(root):
    """A Hub cache: a snapshot of links into blobs, one link that leaves it, one into refs."""
    cache = os.path.join(root, "models--org--name")
    snapshot = os.path.join(cache, "snapshots", "main")
    for folder in ("blobs", "refs", "snapshots/main/sub"):
        os.makedirs(os.path.join(cache, folder))
    write(os.path.join(cache, "blobs", "0123"), GOOD)
    write(os.path.join(cache, "refs", "main"), b"main")
    os.symlink("../../blobs/0123", os.path.join(snapshot, "model.safetensors"))
    os.symlink("../../../blobs/0123", os.path.join(snapshot, "sub", "model.safetensors"))
    return cache, snapshot


def links(root):
    """A folder in which every kind of entry that is no regular file appears once."""
    os.makedirs(os.path.join(root, "links", "sub"))
    inside = os.path.join(root, "links")
    write(os.path.join(inside, "a.safetensors"), GOOD)
    os.symlink("a.safetensors", os.path.join(inside, "in"))
    os.symlink(os.path.abspath(os.path.join(inside, "a.safetensors")), os.path.join(inside, "in-absolute"))
    os.symlink("../good.safetensors", os.path.join(inside, "out"))
    os.symlink("nothing", os.path.join(inside, "dangling"))
    os.symlink("sub", os.path.join(inside, "folder"))
    os.symlink("loop", os.path.join(inside, "loop"))
    os.symlink("/dev/zero", os.path.join(inside, "device"))
    os.symlink(".", os.path.join(inside, "sub", "self"))
    os.mkfifo(os.path.join(inside, "pipe"))
    with socket.socket(socket.AF_UNIX) as s:
        here = os.getcwd()
        os.chdir(inside)  # a socket's path must be short
        s.bind("socket")
        os.chdir(here)


def tree():
    """The folder all tests run in; readable by nobody, so that it can be scanned without rights."""
    root = tempfile.mkdtemp(prefix="weighlock-cli-")
    os.chmod(root, 0o755)
    for name, content in (("good", GOOD), ("bad", BAD), ("nan", NAN)):
        write(f"{root}/{name}.safetensors", content)
    write(f"{root}/pointer.safetensors", POINTER)
    write(f"{root}/README.md", b"A text.\n")
    write(f"{root}/empty", b"")
    os.mkdir(f"{root}/mixed")
    for name, content in (("a.safetensors", GOOD), ("b.safetensors", NAN), ("c.safetensors", BAD)):
        write(f"{root}/mixed/{name}", content)
    os.makedirs(f"{root}/order/b")
    for name in ("a", "b/z", "b/A", "b.x", "Z", "\u00e9"):
        write(f"{root}/order/{name}", GOOD)
    os.mkdir(f"{root}/none")
    os.mkdir(f"{root}/odd")
    write(os.path.join(os.fsencode(root), b"odd", ODD_NAME), GOOD)
    os.symlink("good.safetensors", f"{root}/given-link")
    os.symlink("mixed", f"{root}/given-folder-link")
    os.makedirs(f"{root}/locked/folder")
    write(f"{root}/locked/folder/x.safetensors", GOOD)
    write(f"{root}/locked/file", GOOD)
    os.chmod(f"{root}/locked/folder", 0)
    os.chmod(f"{root}/locked/file", 0)
    write(f"{root}/lenient.yaml", b"version: 1\nname: lenient\nbase: default\nrules:\n"
          b"  - code: weights-nan\n    action: accept\n    reason: known\n    expires: 2099-01-01\n")
    write(f"{root}/broken.yaml", b"version: 1\nname: broken\nbase: default\nsurprise: 1\n")
    links(root)
    hub(root)
    return root


def remove(root):
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o700)
    os.chmod(f"{root}/locked/folder", 0o700)
    shutil.rmtree(root)
