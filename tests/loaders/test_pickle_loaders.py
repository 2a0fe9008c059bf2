"""The real loaders about corpus/pickle-loaders and corpus/pickle-fourth: what its attacks are said to do they do, here or with another release, and the
honest files beside them load in time and do nothing else."""
import json
import os

import child
import opens
import ours
import tap

FOLDERS = [os.path.join(ours.CORPUS, name) for name in ("pickle-loaders", "pickle-fourth")]
LIMITS = child.Limits(cpu_s=5, wall_s=60)
LIBRARIES = ("numpy", "torch", "sklearn", "omegaconf", "ultralytics")
# load() again and again on one reader; the values are held, for some are dangerous only when they are freed or shown.
CASE = """
value = []
for reader in (pickle.Unpickler, pickle._Unpickler):
    again = reader(io.BytesIO(data))
    try:
        while True:
            value.append(repr(again.load())[:100])
    except EOFError:
        pass
    except Exception as e:
        if isinstance(e, MemoryError):
            raise
        value.append(type(e).__name__ + ': ' + str(e)[:100])
"""
# What each attack does: to any loader that has the library.
HARM = {"again-system.pkl": "getcwd", "again-arguments.pkl": "x00", "type-divided.pkl": -8, "state-range.pkl": "time",
        "state-version-bomb.pkl": "time",
        "state-pairs.pkl": "AttributeError", "keys-arc.pkl": "time", "letter-divided.pkl": -8, "depth-30000.pkl": -11,
        "layers-64.pkl": "time", "size-99999999.pkl": "time", "text-float-nonfinite-2.pkl": "inf", "text-decimal-nonfinite-0.pkl": "NaN"}
# And to the loaders of one generation.
HARM_OF = {"debian": {"dimensions-33.pkl": "ValueError"}, "today": {"flags-O-3.pkl": -11, "flags-O-7.pkl": -11}}


def setup():
    return opens.names_setup() + """
for name in ('torch', 'torch.nn.modules.activation', 'sklearn', 'sklearn.linear_model', 'sklearn.pipeline', 'omegaconf'):
    try:
        importlib.import_module(name)
    except Exception:
        pass
"""


def cases():
    for folder in FOLDERS:
        with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
            for row in map(json.loads, f):
                with open(os.path.join(folder, "files", row["file"]), "rb") as content:
                    yield row["file"], row["expect"] == ["accept"], content.read()


def lacks(loader, content):
    words = {b"ctorch.": "torch", b"csklearn.": "sklearn", b"comegaconf.": "omegaconf", b"cultralytics.": "ultralytics"}
    return any(word in content and not loader.has(library) for word, library in words.items())


def asked(loader):
    child.need(loader, "numpy")
    with child.Server(loader, setup(), CASE, LIMITS) as server:
        for name, honest, content in cases():
            if b"cultralytics." not in content and not lacks(loader, content):
                yield name, honest, server.run(data=content)


def did(result, what):
    if what == "time":
        return bool(result.signal) or result.cpu_s > 4 or result.error.startswith("MemoryError") or bool(
            opens.harm(result))
    if isinstance(what, int):
        return result.status == what
    return what in str(result.value) or (what == "getcwd" and any("/" in str(v) for v in result.value or ()))


def told(loader):
    seen, harm = set(), {**HARM, **HARM_OF[str(loader)]}
    for name, honest, result in asked(loader):
        if honest and name not in harm:
            assert not opens.harm(result) and result.value, (name, opens.harm(result), result.value, result.error)
        elif name in harm:
            assert did(result, harm[name]), (name, result.status, result.value, result.cpu_s)
            seen.add(name)
    assert {"again-system.pkl", "again-arguments.pkl", "type-divided.pkl", "keys-arc.pkl", "letter-divided.pkl", "depth-30000.pkl",
            *HARM_OF[str(loader)]} <= seen, seen


def test_each_does_what_it_is_said_to_do_with_debian():
    told(child.DEBIAN)


def test_each_does_what_it_is_said_to_do_with_today():
    told(child.TODAY)


if __name__ == "__main__":
    tap.main(globals())
