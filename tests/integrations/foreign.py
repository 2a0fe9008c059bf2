"""What the tests beside other programs share: the options, and finding such a program."""
import os
import shutil
import subprocess
import sys

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK = OPTIONS["weighlock"]
WEIGHLOCKD = OPTIONS["weighlockd"]
CORPUS = OPTIONS["corpus"]
REQUIRED = os.environ.get("WEIGHLOCK_INTEGRATIONS") == "1"


def missing(what):
    """Run by hand, a test is skipped without it; run for real, that is a failure."""
    if REQUIRED:
        raise AssertionError(f"{what} is not here")
    raise tap.Skip(f"{what} is not here")


def need(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") or missing(program)


def module(*path):
    """A file of an npm package."""
    full = os.path.join(OPTIONS["modules"], *path)
    return full if os.path.exists(full) else missing("npm package " + path[0])


def run(*command, **options):
    return subprocess.run(command, timeout=options.pop("timeout", 120), stdin=options.pop("stdin", subprocess.DEVNULL),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
