"""The Debian packages of this tree, built once for each state of the sources."""
import functools
import glob
import hashlib
import os
import shutil

import bare
from foreign import OPTIONS, need, run

SOURCE = OPTIONS["source"]
CACHE = os.path.join(OPTIONS["build"], "integrations", "packages")
ROOTS = os.path.join(OPTIONS["build"], "integrations", "roots")
SECONDS = 900

# Not needed to build a package: what other builds leave, the history, and what tests use.
LEFT_OUT = ("build", "build-*", ".git", "corpus", "obj-*", "tests", "bench")


def ignored(path, names):
    patterns = ("__pycache__", ".debhelper") + (LEFT_OUT if path == SOURCE else ())
    return set(shutil.ignore_patterns(*patterns)(path, names))


def copy_source(to):
    shutil.copytree(SOURCE, to, ignore=ignored, symlinks=True)
    return to


@functools.cache
def state():
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(SOURCE):
        gone = ignored(folder, folders + files)
        folders[:] = sorted(set(folders) - gone)
        for name in sorted(set(files) - gone):
            path = os.path.join(folder, name)
            digest.update(os.path.relpath(path, SOURCE).encode() + b"\0")
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    digest.update(hashlib.file_digest(f, "sha256").digest())
    return digest.hexdigest()[:16]


def found(folder):
    """name -> file, of the packages there; those of debugging symbols are named ...-dbgsym."""
    return {os.path.basename(p).split("_")[0]: p for p in sorted(glob.glob(os.path.join(folder, "*.deb")))}


def build_in(source, **env):
    """As a packager does, with the variables given."""
    done = run("nice", need("dpkg-buildpackage"), "-us", "-uc", "-b", cwd=source, timeout=SECONDS,
               env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEB_BUILD_OPTIONS": f"parallel={os.cpu_count()}", **env})
    assert done.returncode == 0, (done.stdout[-2000:].decode(), done.stderr[-2000:].decode())
    return found(os.path.dirname(source))


@functools.cache
def attempt():
    """Packages, or why there are none: what failed is not tried again for each test."""
    here = os.path.join(CACHE, state())
    if found(here):
        return found(here)
    scratch = bare.folder("packages")
    try:
        built = build_in(copy_source(os.path.join(scratch, "weighlock")))
    except Exception as e:  # noqa: BLE001 - raised by whoever asks
        return e
    shutil.rmtree(CACHE, ignore_errors=True)
    os.makedirs(here)
    for path in built.values():
        shutil.copy(path, here)
    return found(here)


def built():
    got = attempt()
    if isinstance(got, Exception):
        raise got
    return got


def field(package, name):
    return run("dpkg-deb", "--field", built()[package], name).stdout.decode().strip()


def listed(*groups):
    """What packages.debian has in these groups."""
    with open(os.path.join(SOURCE, "packages.debian"), encoding="utf-8") as f:
        lines = [line.partition("#")[0].partition(":") for line in f]
    return [word for group, _, words in lines if group in groups for word in words.split()]


def archives():
    """The suites of this Debian, where this machine takes them from."""
    lines = run("apt-get", "indextargets", "--format", "deb $(SITE) $(RELEASE) $(COMPONENT)",
                "Created-By: Packages", "Origin: Debian").stdout.decode().split("\n")
    return sorted({line for line in lines if line})


def of_today():
    """The folder for what is made of the suites as apt knows them now; what was made of others is not used again."""
    digest = hashlib.sha256()
    for path in sorted(glob.glob("/var/lib/apt/lists/*Release")):
        with open(path, "rb") as f:
            digest.update(hashlib.file_digest(f, "sha256").digest())
    here = os.path.join(ROOTS, digest.hexdigest()[:16])
    if not os.path.isdir(here):
        shutil.rmtree(ROOTS, ignore_errors=True)
        os.makedirs(here)
    return here


def bootstrapped(*include):
    """An archive of a Debian of nothing but what apt needs and what is named."""
    path = os.path.join(of_today(), hashlib.sha256(" ".join(sorted(include)).encode()).hexdigest()[:16] + ".tar")
    if os.path.exists(path):
        return path
    done = run("nice", need("mmdebstrap"), "--mode=root", "--variant=apt", "--include=" + ",".join(include),
               "bookworm", path + ".part.tar", *archives(), timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    os.rename(path + ".part.tar", path)
    return path


def debian(*include):
    path = os.path.join(bare.folder("debian"), "root")
    os.mkdir(path)
    done = run("tar", "-C", path, "-xf", bootstrapped(*include), "--numeric-owner", "--xattrs", "--xattrs-include=*",
               timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-2000:].decode()
    return bare.Root(path)
