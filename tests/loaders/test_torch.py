"""torch.load() beside us: what it makes of attacks, and that of files we accept it makes the tensors that we report."""
import json
import os
import subprocess
import tempfile

import child
import ours
import tap
import torch_mutants
import torch_tensors

ATTACKS = os.path.join(ours.CORPUS, "pytorch-attacks", "files")


def batch(loader, paths):
    """Of each path what describe() says, or the result of a case of its own that said nothing."""
    with child.Server(loader, torch_tensors.SETUP, MANY, torch_tensors.LIMITS) as server:
        yield from (server.run(data="\n".join(paths[i:i + 50]).encode()) for i in range(0, len(paths), 50))


def indent(text):
    return "".join("    " + line + "\n" for line in text.splitlines())


MANY = f"""
many = {{}}
for path in data.decode().split():
{indent(torch_tensors.CASE)}
    many[path] = value
value = many
"""


def loaded(server, path):
    result = server.run(path=path)
    assert result.status == 0 and not result.canary, (path, result.status, result.error, result.err[-500:])
    return result.value


def rows_of(loader, *names):
    with torch_tensors.server(loader) as server:
        return [loaded(server, os.path.join(ATTACKS, name)) for name in names]


def declare(loader):
    def other_numbers():
        """Not the numbers of its storage, or those of another type."""
        child.need(loader, "torch")
        sets, = rows_of(loader, "state-type-data.pt")
        assert sets and not sets[0][2], sets
        if loader is child.TODAY:
            two, = rows_of(loader, "type-two.pt")
            assert {row[0]: row[2] for row in two} == {"float32": True, "bfloat16": False}, two

    def views_go_by_their_first():
        child.need(loader, "torch")
        rows, = rows_of(loader, "view-other-root.pt")
        assert rows[0][1] == rows[1][1], rows

    def literals_are_tensors():
        child.need(loader, "torch")
        for name in ("literal-tensor.pt", "literal-parameter.pt", "literal-array-text.pt"):
            rows, = rows_of(loader, name)
            assert isinstance(rows, list) and rows, (name, rows)

    def parts_are_examined():
        """weights_only=True looks at what sparse tensors are made of; whoever loads without reads and writes outside."""
        child.need(loader, "torch")
        checks = loader is child.TODAY
        with child.Server(loader, torch_tensors.SETUP, "torch.load(path, weights_only=True)",
                          torch_tensors.LIMITS) as server:
            for name, takes in (("view-indices", True), ("view-indices-beyond", False), ("compressed-dense", checks),
                                ("compressed-dense-less", False), ("compressed-mixed", False), ("compressed-line", checks),
                                ("compressed-line-over", False), ("sparse-coalesced-equal", False),
                                ("sparse-coalesced-falling", False), ("sparse-coalesced-equal-not", checks),
                                ("sparse-coalesced-rows", checks), ("sparse-coalesced-rows-equal", False)):
                result = server.run(path=os.path.join(ATTACKS, name + ".pt"))
                assert result.status == 0 and result.loaded == takes, (name, result.status, result.error)

    def meta_has_no_numbers():
        """Without map_location; only releases of today take the device of a tensor from the file."""
        child.need(loader, "torch")
        names = ["../../pytorch/files/id-location-meta.pt"] + ["literal-device-meta.pt"] * (loader is child.TODAY)
        with child.Server(loader, torch_tensors.SETUP, "value = [t.is_meta for t in torch.load(path).values()]",
                          torch_tensors.LIMITS) as server:
            for name in names:
                assert server.run(path=os.path.join(ATTACKS, name)).value == [True], name

    def compressed_is_not_what_is_mapped():
        child.need(loader, "torch")
        if loader is not child.TODAY:
            raise tap.Skip(f"{loader} maps no files")
        with child.Server(loader, torch_tensors.SETUP, "a = torch.load(path, mmap=True, weights_only=False)\nvalue = {k: [v._indices().max().item() "
                          "if v.is_sparse else 0, v.is_sparse or bool(v.isfinite().all())] for k, v in a.items()}",
                          torch_tensors.LIMITS) as server:
            for name, want in (("finite", [0, True]), ("nan", [0, False]), ("not", [0, True]), ("indices", [1 << 41, True]),
                               ("values", [2, True])):
                result = server.run(path=os.path.join(ATTACKS, f"mapped-{name}.pt"))
                assert result.value and list(result.value.values()) == [want], (name, result.value, result.error)

    def repeated_scales_are_copied():
        child.need(loader, "torch")
        with torch_tensors.server(loader) as server:
            one = server.run(path=os.path.join(ATTACKS, "quantised-channels-one.pt"))
            assert isinstance(one.value, list), (one.status, one.value)
            many = server.run(path=os.path.join(ATTACKS, "quantised-channels-repeated.pt"))
            assert isinstance(many.value, str) and "allocate" in many.value, (many.status, many.value)

    def accepted_are_as_reported():
        paths = []
        for corpus in ("pytorch", "pytorch-models", "pytorch-attacks"):
            paths += [path for path, name in ours.accepted(corpus) if path.endswith(".pt")]
        compare(loader, paths)

    def real_checkpoints_are_as_reported():
        child.need(loader, "torch")
        with tempfile.TemporaryDirectory(prefix="torch-") as folder:
            program = os.path.join(ours.SOURCE, "tests", "models", "make_pytorch.py")
            subprocess.run([loader.python, "-W", "ignore", program, folder], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=300)
            with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
                cases = [json.loads(line) for line in f]
            paths = [os.path.join(folder, "files", case["file"]) for case in cases]
            for case, verdict in zip(cases, ours.scan(paths)):
                assert verdict["verdict"] in case["expect"], (case["file"], verdict["verdict"])
            compare(loader, [p for p, v in zip(paths, ours.scan(paths)) if v["verdict"] == "accept"])

    def mutants_are_as_reported():
        child.need(loader, "torch")
        n = ours.share("torch", 400)
        first = int(ours.OPTIONS.get("first") or 0)
        accepted = 0
        for begin in range(first, first + n, 2000):
            with tempfile.TemporaryDirectory(prefix="torch-") as folder:
                for seed in range(begin, min(begin + 2000, first + n)):
                    with open(os.path.join(folder, f"{seed}.pt"), "wb") as f:
                        f.write(torch_mutants.mutant(seed))
                verdicts = [v for v in ours.scan([folder]) if v["schema"] == "weighlock.verdict/1"]
                paths = [v["file"]["name"] for v in verdicts if v["verdict"] == "accept"]
                accepted += len(paths)
                compare(loader, paths)
        print(f"# {loader}: {n} mutants, {accepted} accepted")
        assert accepted > n // 50

    for test in (other_numbers, views_go_by_their_first, literals_are_tensors, parts_are_examined,
                 meta_has_no_numbers, compressed_is_not_what_is_mapped, repeated_scales_are_copied, accepted_are_as_reported, real_checkpoints_are_as_reported,
                 mutants_are_as_reported):
        globals()[f"test_{test.__name__}_with_{loader}"] = test


def compare(loader, paths):
    child.need(loader, "torch")
    wrong, took, described = [], 0, {}
    verdicts = {v["file"]["name"]: v for v in ours.scan(paths, "--tensor-digests")} if paths else {}
    for result in batch(loader, paths):
        if result.status == 0 and isinstance(result.value, dict):
            described.update(result.value)
    with torch_tensors.server(loader) as server:
        for path in paths:
            rows = described.get(path)
            if rows is None:
                result = server.run(path=path)
                if result.status != 0 or result.value is None or result.canary:
                    wrong.append(f"{path}: {result.status} {result.error} {result.err[-300:]}")
                    continue
                rows = result.value
            if isinstance(rows, str):
                continue
            took += 1
            with open(path, "rb") as f:
                differ = torch_tensors.differs(verdicts[path], f.read(), rows)
            if differ:
                wrong.append(f"{path}: {differ}")
    print(f"# {loader}: {len(paths)} accepted, of which the loader took {took}")
    assert not wrong, "\n".join(wrong[:20])


for LOADER in child.LOADERS:
    declare(LOADER)


if __name__ == "__main__":
    tap.main(globals())
