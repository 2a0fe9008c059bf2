"""Policy packs: every name of a pack is lifted by it, and a library's real models pass with its pack."""
import json
import os
import pickle
import subprocess
import sys
import tempfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
WEIGHLOCK, PACKS = OPTIONS["weighlock"], OPTIONS["packs"]


def names_of(pack):
    with open(os.path.join(PACKS, pack + ".yaml"), encoding="ascii") as f:
        return [line.split()[1] for line in f if line.startswith("  - ")]  # what it is granted aside


def packs():
    return sorted(os.path.splitext(name)[0] for name in os.listdir(PACKS))


def scan(content, pack, more=""):
    """The verdict on these bytes under a policy with this pack; None: without."""
    with tempfile.NamedTemporaryFile(suffix=".pkl") as f, tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        f.write(content)
        f.flush()
        policy.write("version: 1\nname: test\n" + (f"pickle: {{packs: [{pack}]}}\n" if pack else "") + more)
        policy.flush()
        command = [WEIGHLOCK, "scan", "--format", "json", "--policy", policy.name, f.name]
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1, 2), done
    return json.loads(done.stdout)


def importing(names):
    """A pickle that imports them all."""
    return b"\x80\x02" + b"".join(b"c%s\n%s\n0" % tuple(n.encode().rsplit(b".", 1)) for n in names) + b"N."


def subjects(verdict, code):
    return [f["subject"] for f in verdict["findings"] if f["code"] == code]


def test_a_pack_lifts_each_of_its_names_and_none_is_lifted_without():
    for pack in packs():
        names = names_of(pack)
        for some in (names[i:i + 50] for i in range(0, len(names), 50)):  # a report lists a hundred of a code
            lifted, held = scan(importing(some), pack), scan(importing(some), None)
            assert lifted["verdict"] == "accept", (pack, lifted["findings"])
            assert subjects(held, "pickle-global-unknown") == some, (pack, held["findings"])
            proposed = {f.get("allowed") for f in held["findings"] if f["code"] == "pickle-global-unknown"}
            assert all(p.startswith("by the pack ") for p in proposed), (pack, proposed)


def test_a_payload_beside_the_names_is_rejected():
    for pack in packs():
        content = importing(names_of(pack)[:3])[:-2] + b"cos\nsystem\n(S'boo'\ntR."
        assert scan(content, pack)["verdict"] == "reject", pack


def granted(pack):
    """(module, name, grant) of each line."""
    with open(os.path.join(PACKS, pack + ".yaml"), encoding="ascii") as f:
        for line in f:
            if line.startswith("  - "):
                words = line.split()
                yield (*words[1].rsplit(".", 1), words[2] if len(words) > 2 else "object")


def test_each_use_that_is_not_granted_is_rejected():
    for pack in packs():
        for grant in ("object", "items", "value"):
            some = [b"c%s\n%s\n" % (m.encode(), n.encode()) for m, n, g in granted(pack) if g == grant]
            if not some:
                continue
            called = b"\x80\x02" + b"".join(name + b"K\x07\x85R0" for name in some) + b"N."
            verdict = scan(called, pack)
            assert verdict["verdict"] == "reject", (pack, grant)
            assert sum(f.get("count", 1) for f in verdict["findings"] if f["code"] == "pickle-use") >= min(len(some), 100), \
                (pack, grant, [f for f in verdict["findings"] if f["code"] != "pickle-global-allowed"])


FIT = """
import pickle, sys, warnings
warnings.simplefilter("ignore")
import numpy
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
x = numpy.arange(60.0).reshape(20, 3) % 7
y = numpy.arange(20) % 2
models = [m.fit(x, y) for m in (make_pipeline(StandardScaler(), LogisticRegression()), SGDClassifier(), MultinomialNB(),
    KNeighborsClassifier(algorithm="kd_tree"), SVC(), RandomForestClassifier(3, random_state=numpy.random.RandomState(1)),
    GradientBoostingClassifier(n_estimators=3), HistGradientBoostingClassifier(max_iter=3))]
models.append(TfidfVectorizer().fit(["a model of words", "and another one"]))
sys.stdout.buffer.write(pickle.dumps([pickle.dumps(m, p) for m in models for p in range(6)], 2))
"""


def test_fitted_models_pass_with_their_pack_and_are_held_without():
    made = subprocess.run([sys.executable, "-c", FIT], capture_output=True, check=False)
    if b"ModuleNotFoundError" in made.stderr:
        raise tap.Skip("scikit-learn is not installed here")
    models = pickle.loads(made.stdout)  # our own bytes of a moment ago
    assert len(models) == 54, made.stderr.decode()[-1000:]
    for content in models:
        verdict = scan(content, "sklearn")
        assert verdict["verdict"] == "accept", verdict["findings"]
        assert scan(content, None)["verdict"] == "review"


tap.main(globals())
