"""What the tests of the Python package share."""
import asyncio
import contextlib
import os
import shutil
import tempfile

from daemon import model, options

OPTIONS = options()
FILES = os.path.join(OPTIONS["corpus"], "safetensors", "files")
GOOD = model(3000)
REJECTED = os.path.join(FILES, "off-overlap-partial.safetensors")
REVIEWED = os.path.join(FILES, "weights-f16-mixed.safetensors")

os.environ["WEIGHLOCK_COMMAND"] = OPTIONS["weighlock"]
os.environ["WEIGHLOCK_SOCKET"] = ""  # whatever runs on this machine is none of ours


class Scratch:
    """with Scratch() as s: a folder that nobody else can change, and the cache in it"""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="weighlock-python-")
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.path, "cache")
        self.cache = os.path.join(self.path, "cache", "weighlock")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name="m.safetensors", content=GOOD, age=60):
        """A file that is older than what the kernel may not tell."""
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)
        return path

    def kept(self):
        """The files that were kept, and what is left in staging."""
        found = []
        for folder, _, files in os.walk(self.cache):
            found += [os.path.relpath(os.path.join(folder, f), self.cache) for f in files if os.path.basename(folder) != "known"]
        return sorted(found)


def raises(kind, function, *arguments, **named):
    """The exception; it must come."""
    try:
        function(*arguments, **named)
    except kind as e:
        return e
    raise AssertionError(f"no {kind.__name__} from {function} {arguments} {named}")


def given(admission):
    """What `with` gives, as long as it may be asked about: (path, bytes by the path, bytes of the file, sha256)"""
    with admission as a:
        with open(a.path, "rb") as f:
            return a.path, f.read(), a.file.read(), a.sha256


def wait(awaitable):
    return asyncio.run(awaitable)


@contextlib.contextmanager
def environment(**values):
    before = {key: os.environ.get(key) for key in values}
    try:
        for key, value in values.items():
            os.environ.pop(key, None)
            if value is not None:
                os.environ[key] = value
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key, None)
            if value is not None:
                os.environ[key] = value
