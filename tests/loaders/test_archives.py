"""Archives through the loaders: what Python's tarfile takes for an archive before torch unpickles, what miniz reads of a member
whose headers contradict each other, and archives with damaged headers: what we accept, PyTorch and zipfile read alike."""
import glob
import json
import os
import random

import child
import ours
import tap

CASES = ours.share("archives", 600)
SEED = 20261122
TAR = """
import tarfile
try:
    tarfile.open(path, "r:").close()
    value = True
except Exception:
    value = False
"""
TORCH_TAR = """
seen = []
def extract(self, member, *more, **options):
    seen.append(member)
    raise tarfile.TarError("that is enough")
tarfile.TarFile.extract = extract
try:
    torch.load(path)
except Exception:
    pass
value = seen
"""
RECORDS = """
reader = torch._C.PyTorchFileReader(path)
with zipfile.ZipFile(path) as z:
    names = z.namelist()
    root = names[0].split("/")[0] + "/"
    value = [[n for n in names if not n.startswith(root)],
             [n for n in names if n.startswith(root) and reader.get_record(n[len(root):]) != z.read(n)],
             sorted(root + n for n in reader.get_all_records()) == sorted(names)]
"""


def cases(corpus, *endings):
    folder = os.path.join(ours.CORPUS, corpus)
    with open(os.path.join(folder, "cases.jsonl"), encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    return [(r, os.path.join(folder, "files", r["file"])) for r in rows if r["file"].endswith(endings)]


def test_tarfile_takes_what_the_corpus_says():
    with child.Server(child.DEBIAN, "import tarfile", TAR) as server:
        wrong = [r["file"] for r, path in cases("tar-python", "") if server.run(path=path).value is not r["tar"]]
    assert not wrong, wrong


def test_torch_unpacks_what_is_rejected_and_nothing_of_what_is_accepted():
    child.need(child.DEBIAN, "torch")
    with child.Server(child.DEBIAN, "import tarfile, torch", TORCH_TAR) as server:
        for row, path in cases("tar-python", ".pt"):
            seen = server.run(path=path).value
            assert seen == (["storages"] if row["expect"] == ["reject"] else []), (row["file"], seen)


def test_a_member_that_is_a_folder_to_miniz_is_not_what_zipfile_reads():
    child.need(child.DEBIAN, "torch")
    with child.Server(child.DEBIAN, "import torch, zipfile", RECORDS) as server:
        for row, path in cases("zip-attributes", ".pt"):
            result = server.run(path=path)
            alike = result.value == [[], [], True]
            if row["expect"] == ["accept"]:
                assert alike, (row["file"], result.value, result.error)
            if "dos-folder" in row["file"]:
                assert not alike, row["file"]


# -- damaged headers

def headers(data):
    """Places of local and central headers, and of the end record, with their lengths."""
    places = []
    for signature, n in ((b"PK\3\4", 30), (b"PK\1\2", 46), (b"PK\5\6", 22), (b"PK\6\6", 56), (b"PK\6\7", 20)):
        at = data.find(signature)
        while at >= 0:
            places.append((at, n))
            at = data.find(signature, at + 4)
    return places


def damaged(r, data, places):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        at, n = r.choice(places)
        i = at + 4 + r.randrange(n + 20 - 4)  # the name and the fields behind it, too
        if i < len(data):
            data[i] = r.choice([0, 1, 8, 16, 32, 64, 128, 255, data[i] ^ (1 << r.randrange(8)), r.randrange(256)])
    return bytes(data)


def mutants():
    r = random.Random(SEED)
    sound = [path for row, path in cases("zip-attributes", ".pt") if row["expect"] == ["accept"]]
    sound += sorted(glob.glob(os.path.join(ours.CORPUS, "pytorch-models", "files", "*.pt")))
    seeds = []
    for path in sound:
        with open(path, "rb") as f:
            data = f.read()
        if len(data) < 20000 and data[:2] == b"PK":
            seeds.append((data, headers(data)))
    for _ in range(CASES):
        yield damaged(r, *r.choice(seeds))


def test_accepted_archives_are_read_alike_by_torch_and_zipfile():
    child.need(child.DEBIAN, "torch")
    accepted = 0
    with child.Server(child.DEBIAN, "import torch, zipfile", RECORDS) as server:
        for path, _, verdict in ours.judged(mutants(), ".pt"):
            if verdict["verdict"] != "accept":
                continue
            accepted += 1
            result = server.run(path=path)
            assert result.value == [[], [], True], (path, result.value, result.error, open(path, "rb").read().hex())
    print(f"# {accepted} of {CASES} accepted")
    assert accepted > CASES // 50, accepted


tap.main(globals())
