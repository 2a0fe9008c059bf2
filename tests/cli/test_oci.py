"""Folders of the OCI image layout: blobs are judged under the names that manifests give them."""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import tempfile

import tap
from fixtures import GOOD, NAN, WEIGHLOCK, environment
from models import sharded, weights

TITLE = "org.opencontainers.image.title"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Layout:
    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="weighlock-oci-")
        self.blobs = os.path.join(self.root, "blobs", "sha256")
        os.makedirs(self.blobs)
        self.manifests = []
        self.write("oci-layout", b'{"imageLayoutVersion":"1.0.0"}')

    def write(self, name, content):
        with open(os.path.join(self.root, name), "wb") as f:
            f.write(content)

    def blob(self, content, digest=None):
        digest = digest or hashlib.sha256(content).hexdigest()
        self.write(f"blobs/sha256/{digest}", content)
        return digest

    def layer(self, content, annotations=None, media="application/octet-stream", digest=None):
        row = {"mediaType": media, "digest": "sha256:" + self.blob(content, digest), "size": len(content)}
        return {**row, "annotations": annotations} if annotations else row

    def manifest(self, *layers, **more):
        text = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, "config": self.layer(b"{}"), "layers": layers, **more}).encode()
        digest = self.blob(text)
        self.manifests.append({"mediaType": MANIFEST, "digest": "sha256:" + digest, "size": len(text)})
        return "manifest-" + digest[:12]

    def scan(self, *more):
        self.write("index.json", json.dumps({"schemaVersion": 2, "manifests": self.manifests}).encode())
        return self.run(*more)

    def run(self, *more):
        done = subprocess.run([WEIGHLOCK, "scan", "--format", "json", *more, self.root], env=environment(), timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.set = [v for v in rows if v["schema"] == "weighlock.set/1"]
        return {os.path.relpath(v["file"]["name"], self.root): v for v in rows if v["schema"] == "weighlock.verdict/1"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)


def codes(v):
    return [f["code"] for f in v["findings"]]


def test_blobs_have_the_names_that_their_manifests_give_them():
    with Layout() as l:
        text = b"import os\n"
        by = l.manifest(l.layer(GOOD, {TITLE: "model.safetensors"}), l.layer(NAN, {"org.cncf.model.filepath": "a/b.safetensors"}),
                        l.layer(text, {TITLE: "modeling.py"}), l.layer(b"a license", media="application/vnd.ollama.image.license"))
        stray = l.blob(b"nobody names me")
        found = l.scan()
        assert {f"{by}/model.safetensors", f"{by}/a/b.safetensors", f"{by}/modeling.py", f"{by}/license.txt", "index.json", "oci-layout",
                f"blobs/sha256/{stray}"} <= found.keys(), found.keys()
        assert f"blobs/sha256/{hashlib.sha256(GOOD).hexdigest()}" not in found
        assert found[f"{by}/model.safetensors"]["verdict"] == "accept" and found[f"{by}/a/b.safetensors"]["weights"]["nan"] > 0
        assert found[f"{by}/modeling.py"]["verdict"] != "accept", found  # as by any other path of this name
        bare = tempfile.mkdtemp()
        with open(f"{bare}/modeling.py", "wb") as f:
            f.write(text)
        done = subprocess.run([WEIGHLOCK, "scan", "--format", "json", bare], env=environment(), stdout=subprocess.PIPE, check=False)
        assert codes(json.loads(done.stdout.splitlines()[0])) == codes(found[f"{by}/modeling.py"])
        shutil.rmtree(bare)


def test_the_files_of_a_manifest_are_a_set():
    with tempfile.TemporaryDirectory() as folder, Layout() as l:
        sharded(folder, weights(4), 2)
        names = sorted(os.listdir(folder))
        contents = {}
        for name in names:
            with open(os.path.join(folder, name), "rb") as f:
                contents[name] = f.read()
        l.manifest(*(l.layer(contents[n], {TITLE: n}) for n in names))
        l.scan()
        assert len(l.set) == 1 and l.set[0]["verdict"] != "reject" and not codes(l.set[0]), l.set
    with Layout() as l:
        l.manifest(*(l.layer(contents[n], {TITLE: n}) for n in names if not n.endswith("00002.safetensors")))
        l.scan()
        assert l.set and codes(l.set[0]), l.set  # one shard is not there


def test_a_blob_whose_digest_is_not_its_name_is_found():
    with Layout() as l:
        other = hashlib.sha256(b"other").hexdigest()
        by = l.manifest(l.layer(GOOD, {TITLE: "model.safetensors"}, digest=other))
        loose = l.blob(NAN, hashlib.sha256(b"another").hexdigest())
        found = l.scan()
        bad = found[f"{by}/model.safetensors"]
        assert "oci-blob-digest" in codes(bad) and bad["verdict"] == "reject" and bad["file"]["sha256"] != other, bad
        assert "oci-blob-digest" in codes(found[f"blobs/sha256/{loose}"])
        with tempfile.TemporaryDirectory() as folder:  # and remembered, under another policy too
            for policy in ("default", "default", "ci"):
                assert "oci-blob-digest" in codes(l.run("--db", f"{folder}/db", "--policy", policy)[f"{by}/model.safetensors"])


def test_a_manifest_that_is_not_its_digest_names_nothing():
    with Layout() as l:
        by = l.manifest(l.layer(GOOD, {TITLE: "model.safetensors"}))
        digest = l.manifests[0]["digest"][7:]
        with open(os.path.join(l.blobs, digest), "ab") as f:
            f.write(b" ")
        found = l.scan()
        assert f"blobs/sha256/{hashlib.sha256(GOOD).hexdigest()}" in found and not any(k.startswith(by) for k in found), found.keys()
        assert "oci-blob-digest" in codes(found[f"blobs/sha256/{digest}"])


def test_two_names_are_two_files_and_two_blobs_of_a_name_as_well():
    with Layout() as l:
        by = l.manifest(l.layer(GOOD, {TITLE: "a.safetensors"}), l.layer(GOOD, {TITLE: "b.gguf"}), l.layer(NAN, {TITLE: "a.safetensors"}))
        found = l.scan()
        assert {f"{by}/a.safetensors", f"{by}/b.gguf", f"{by}/2/a.safetensors"} <= found.keys(), found.keys()
        assert "format-extension-mismatch" in codes(found[f"{by}/b.gguf"])


def test_titles_lead_nowhere_else():
    with Layout() as l:
        by = l.manifest(*(l.layer(GOOD + bytes([]), {TITLE: t}) for t in ("../../../etc/a.safetensors", "/b.safetensors", "c/../d.safetensors", "e//f.safetensors",
                                                                         "./g.safetensors", "..", "", "h/")))
        found = l.scan()
        names = {k for k in found if k.startswith(by)}
        assert names == {f"{by}/{n}.safetensors" for n in "abdfg"}, names


def test_what_is_no_layout_is_judged_as_it_is():
    for broken in ({"index.json": b"[]"}, {"index.json": b'{"manifests":'}, {"oci-layout": b"{}"}, {"oci-layout": b"\xff"}):
        with Layout() as l:
            l.manifest(l.layer(GOOD, {TITLE: "model.safetensors"}))
            l.scan()
            for name, text in broken.items():
                l.write(name, text)
            found = l.run()
            assert f"blobs/sha256/{hashlib.sha256(GOOD).hexdigest()}" in found, (broken, found.keys())
    with Layout() as l:  # an index that lists itself ends
        text = json.dumps({"manifests": [{"digest": "sha256:" + "a" * 64}] * 300}).encode()
        l.manifests = [{"digest": "sha256:" + l.blob(text)}] * 300
        assert len(l.scan()) == 3


tap.main(globals())
