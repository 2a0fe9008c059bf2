"""What test_configs and test_config_lines share: a configuration and its near miss, in the library and by us."""
import dataclasses
import os
import tempfile

import child
import ours
import tap

TOUCH = "open('canary', 'w').close()\n"
LIMITS = child.Limits(memory_bytes=16 << 30, cpu_s=120, wall_s=240)     # torch
# Of the installed ones, torchaudio may be made for another release of torch; none of these libraries needs it.
HUB = "import sys\nsys.modules['torchaudio'] = None\n"
BESIDE = "import sys\nsys.path.insert(0, path)\n"                       # as of a program that is run in the folder


@dataclasses.dataclass
class Case:
    libraries: tuple
    setup: str
    case: str           # `path` is the folder
    attack: dict        # name: text
    near_miss: dict
    opened: str = ""    # the same, less a release's guard or with the consent of who loads
    refusal: str = ""   # of the release without
    unfinished: str = ""   # what ends the near miss: no weights are there


def mlmodel(loader):
    return (f"flavors:\n  python_function:\n{loader}"
            "model_uuid: a\nrun_id: b\nutc_time_created: '2024-01-01 00:00:00.000000'\n")


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return folder


def installed(library):
    """Whether it is there; whether it can be imported, a case finds out."""
    return child.TODAY.has(f"importlib.util as u; assert u.find_spec('{library}')")


def verdicts(folder, files):
    """Without programs and weights beside the files: they are held up whatever the files say."""
    paths = [os.path.join(folder, name) for name in files if not name.endswith((".py", ".pth"))]
    return {v["verdict"] for v in ours.scan(paths)}


def check(c):
    with tempfile.TemporaryDirectory(prefix="configs-") as at:
        attack, near = write(os.path.join(at, "attack"), c.attack), write(os.path.join(at, "near"), c.near_miss)
        said = verdicts(attack, c.attack)
        assert said & {"reject", "review"}, said
        assert verdicts(near, c.near_miss) == {"accept"}, ours.scan([near])
        with child.Server(child.TODAY, c.setup, c.opened or c.case, LIMITS) as server:
            result = server.run(path=attack)
            assert result.canary, result
        with child.Server(child.TODAY, c.setup, c.case, LIMITS) as server:
            result = server.run(path=near)
            assert not result.canary and (result.loaded or c.unfinished in result.error != ""), result
            if c.refusal:
                result = server.run(path=attack)
                assert result.canary or c.refusal in result.error, result


def declared(name, c):
    def run():
        child.need(child.TODAY)
        for library in c.libraries:
            if not installed(library):
                raise tap.Skip(f"{child.TODAY} has no {library}")
        check(c)
    run.__doc__ = f"{name}: the library runs it, and not its near miss; we say so."
    return run


def tests(cases):
    return {"test_" + name: declared(name, c) for name, c in cases.items()}
