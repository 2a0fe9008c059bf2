"""What packs vouch for, changed: objects that the libraries fitted and saved, with other numbers, places and states in them,
through us with the pack and through the library.  What we accept is loaded, or refused with an exception: it ends no process,
and takes no seconds or gigabytes.

WEIGHLOCK_LOADERS_CASES=20000 for a long run, seed=N for others; kind=NAME for one library; keep=FOLDER for what did harm."""
import base64
import hashlib
import os
import random
import struct

import child
import opens
import ours
import pickle_mutants
import tap

SEED = int(ours.OPTIONS.get("seed", 1))
LIMITS = child.Limits(memory_bytes=3 << 30, cpu_s=10, wall_s=60)
BATCH = 32
LARGEST = 64 << 10
NUMBERS = (-2**63, -2**31, -2, -1, 0, 1, 2, 3, 255, 65535, 2**24, 2**31 - 1, 2**31, 2**32 + 1, 2**62, 2**63 - 1)

SKLEARN = """
import numpy as np
import sklearn.cluster, sklearn.decomposition, sklearn.ensemble, sklearn.feature_extraction.text, sklearn.gaussian_process
import sklearn.isotonic, sklearn.linear_model, sklearn.neighbors, sklearn.pipeline, sklearn.preprocessing, sklearn.svm, sklearn.tree
X = np.arange(24.0).reshape(12, 2) % 7
y = np.arange(12) % 2
made = [model.fit(X, y) for model in (
    sklearn.tree.DecisionTreeClassifier(max_depth=2), sklearn.tree.DecisionTreeRegressor(max_depth=2),
    sklearn.ensemble.RandomForestClassifier(2, max_depth=2), sklearn.ensemble.GradientBoostingClassifier(n_estimators=2),
    sklearn.ensemble.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=1), sklearn.linear_model.SGDClassifier(),
    sklearn.linear_model.LogisticRegression(), sklearn.neighbors.KNeighborsClassifier(2, algorithm='kd_tree'),
    sklearn.neighbors.KNeighborsClassifier(2, algorithm='ball_tree'), sklearn.svm.SVC(), sklearn.decomposition.PCA(1),
    sklearn.cluster.KMeans(2, n_init=1), sklearn.gaussian_process.GaussianProcessRegressor(), sklearn.preprocessing.StandardScaler(),
    sklearn.pipeline.make_pipeline(sklearn.preprocessing.OneHotEncoder(), sklearn.linear_model.LogisticRegression()))]
made += [sklearn.isotonic.IsotonicRegression().fit(X[:, 0], y), sklearn.neighbors.KDTree(X), sklearn.neighbors.BallTree(X),
         sklearn.feature_extraction.text.CountVectorizer().fit(['a few words', 'more words'])]
"""
PANDAS = """
import numpy as np, pandas as pd
days = pd.date_range('2020', periods=3, tz='UTC')
made = [pd.DataFrame({'a': [1, 2, 3], 'b': [0.5, 1.5, 2.5], 'c': list('xyz'), 'd': days}), pd.Series(list('aba'), dtype='category'),
        pd.Series([1.0, 0.0], index=pd.MultiIndex.from_tuples([('a', 1), ('b', 2)])), pd.interval_range(0, 3),
        pd.period_range('2020', periods=3, freq='M'), days, pd.to_timedelta([1, 2]), pd.array([1, None]),
        pd.arrays.SparseArray([0.0, 1.0, 0.0]), pd.RangeIndex(5), pd.Timestamp('2020', tz='UTC'), pd.Timedelta(5),
        pd.Period('2020', 'M'), pd.Series([True, None], dtype='boolean')]
"""
NUMPY = """
import numpy as np
made = [np.zeros(2, [('a', 'f4'), ('b', 'i8', 2)]), np.ma.masked_array([1.0, 2.0], [0, 1]), np.random.RandomState(1),
        np.random.default_rng(1), np.random.Generator(np.random.Philox(1)), np.random.SeedSequence(5), np.poly1d([1, 2]),
        np.polynomial.Chebyshev([1, 2]), np.matrix([[1, 2]]), np.array(['a', None, (1, 2)], object), np.array(['2020'], 'M8[D]'),
        np.array(['abc', 'd']), np.float32(1), np.datetime64('2020'), np.zeros((2, 3), order='F'), np.zeros(2, 'O,f8')]
"""
SCIPY = """
import numpy as np, scipy.interpolate, scipy.sparse, scipy.spatial.transform
a = np.eye(4)
made = [getattr(scipy.sparse, kind + '_matrix')(a) for kind in ('csr', 'csc', 'coo', 'bsr', 'dia', 'lil', 'dok')]
made += [scipy.spatial.transform.Rotation.from_quat([[0, 0, 0, 1.0]]), scipy.interpolate.CubicSpline([0, 1, 2], [0, 1, 0]),
         scipy.interpolate.PPoly(np.ones((2, 1)), [0, 1])]
"""
STATSMODELS = """
import numpy as np, statsmodels.api as sm
X = sm.add_constant(np.arange(8.0))
made = [sm.OLS(np.arange(8.0) % 3, X).fit(), sm.GLM(np.arange(8.0) % 3, X).fit()]
"""
GYMNASIUM = """
import numpy as np
from gymnasium import spaces
box = spaces.Box(0, 1, (2,))
made = [box, spaces.Discrete(3), spaces.MultiDiscrete([2, 3]), spaces.MultiBinary(4), spaces.Dict({'a': box}),
        spaces.Tuple((box, box)), spaces.Text(5)]
"""
TORCH = """
import torch
nn = torch.nn
made = [nn.ReLU(), nn.Sequential(nn.ReLU(), nn.Softmax(1), nn.Dropout()), nn.MaxPool2d(2), nn.Upsample(scale_factor=2)]
"""
OTHERS = ["numpy", "numpy-random", "scipy-sparse"]
KINDS = {  # what is imported, what makes objects, the packs
    "sklearn": (("sklearn",), SKLEARN, ["sklearn", *OTHERS]),
    "pandas": (("pandas",), PANDAS, ["pandas", *OTHERS]),
    "numpy": (("numpy",), NUMPY, OTHERS),
    "scipy": (("scipy",), SCIPY, ["scipy", *OTHERS]),
    "statsmodels": (("statsmodels",), STATSMODELS, ["statsmodels", "pandas", "scipy", *OTHERS]),
    "gymnasium": (("gymnasium",), GYMNASIUM, ["gymnasium", *OTHERS]),
    "torch": (("torch",), TORCH, ["torch-nn"]),
}
SAVE = """
import base64, pickle, warnings
warnings.simplefilter('ignore')
value = [base64.b64encode(pickle.dumps(m, p)).decode() for m in made for p in (2, 4)]
"""
CASE = """
import pickle, warnings
warnings.simplefilter('ignore')
pickle.loads(data)
"""


def integer(rng):
    n = rng.choice(NUMBERS) if rng.random() < 0.7 else rng.randrange(-4, 40)
    if 0 <= n < 256:
        return b"K" + bytes([n])
    raw = n.to_bytes(9, "little", signed=True)
    return b"\x8a\x09" + raw


def payload(rng, part):
    """Elements of an array: one of them, or a byte, is another; the length stays."""
    head = {b"C": 2, b"B": 5, b"\x8e": 9}[part[:1]]
    at = rng.randrange(head, len(part))
    if rng.random() < 0.5 and len(part) - head >= 8:
        at = head + (at - head) // 8 * 8
        new = struct.pack("<q", max(min(rng.choice(NUMBERS), 2**63 - 1), -2**63))[:len(part) - at]
    else:
        new = bytes([rng.choice((0, 1, 2, 0x7f, 0x80, 0xff, rng.randrange(256)))])
    return part[:at] + new + part[at + len(new):]


def changed(rng, content, others):
    """Numbers and elements for the most part, else opcodes."""
    parts = pickle_mutants.opcodes(content)
    if parts is None or rng.random() < 0.35:
        return pickle_mutants.changed(rng, content, others)
    numbers = [i for i, p in enumerate(parts) if p[:1] in (b"K", b"M", b"J", b"\x8a")]
    elements = [i for i, p in enumerate(parts) if p[:1] in (b"C", b"B", b"\x8e") and len(p) > 9]
    for _ in range(rng.choice((1, 1, 2))):
        if elements and (not numbers or rng.random() < 0.4):
            at = rng.choice(elements)
            parts[at] = payload(rng, parts[at])
        elif numbers:
            parts[rng.choice(numbers)] = integer(rng)
    return b"".join(p for p in parts if p[:1] != b"\x95")


def fitted(loader, make):
    result = child.run(loader, SAVE, setup=make, limits=child.Limits(cpu_s=60, wall_s=120))
    assert result.loaded, result.error
    return [content for content in map(base64.b64decode, result.value) if len(content) <= LARGEST]


def keep(name, loader, content):
    if "keep" in ours.OPTIONS:
        file = f"{name}-{loader}-{hashlib.sha256(content).hexdigest()[:12]}.pkl"
        with open(os.path.join(ours.OPTIONS["keep"], file), "wb") as f:
            f.write(content)


def harm(result):
    """Memory that a library asks for and is refused is an exception like any other (a shape of 2^62, and eight bytes); memory
    that it takes is counted."""
    taken = result.peak_bytes - result.base_bytes
    refused = result.loaded is False and result.error.startswith("MemoryError") and taken <= opens.MEMORY
    return "" if refused and result.status == 0 and result.cpu_s <= 5 else opens.harm(result)


def check(name, loader):
    modules, make, packs = KINDS[name]
    child.need(loader, *modules)
    options = [word for pack in packs for word in ("--pack", pack)]
    saved = fitted(loader, make)
    parents = [content for _, content, verdict in ours.judged(saved, ".pkl", *options) if verdict["verdict"] == "accept"]
    if not parents:
        raise tap.Skip(f"what {name} of {loader} saves is held by its pack")
    rng, total, accepted, harmed = random.Random(f"{SEED} {name} {loader}"), ours.share(name, 300), [], []
    mutants = (changed(rng, rng.choice(parents), parents) for _ in range(total))
    for _, content, verdict in ours.judged(mutants, ".pkl", *options):
        if verdict["verdict"] == "accept":
            accepted.append(content)
    with child.Server(loader, make, CASE, LIMITS) as server:
        for i in range(0, len(accepted), BATCH):
            for content, result in zip(accepted[i:i + BATCH], server.run_many(accepted[i:i + BATCH])):
                if did := harm(result) if result else "":
                    harmed.append(did)
                    keep(name, loader, content)
    print(f"# seed {SEED}, {name} of {loader}: {len(parents)} of {len(saved)} objects, {total} mutants, {len(accepted)} accepted")
    assert not harmed, "\n".join(harmed[:20])


TESTS = {f"test_{name}_of_{loader}_survives_what_is_accepted": (lambda name=name, loader=loader: check(name, loader))
         for name in KINDS for loader in child.LOADERS if ours.OPTIONS.get("kind", name) == name}

if __name__ == "__main__":
    tap.main(TESTS)
