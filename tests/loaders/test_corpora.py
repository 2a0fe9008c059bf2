"""Every file of the corpora that we accept, opened by the loader it is for: it loads or fails, and nothing else happens."""
import functools
import os
import pickle
import tempfile

import child
import opens
import ours
import tap

CORPORA = ("pickle", "pickle-rules", "numpy", "wrappers", "pytorch", "pytorch-attacks", "pytorch-models", "hdf5", "keras",
           "json-models", "xgboost", "lightgbm", "flax")


@functools.lru_cache(maxsize=None)
def accepted():
    """Paths by kind."""
    found = {}
    for corpus in CORPORA:
        for path, name in ours.accepted(corpus):
            kind = opens.kind_of(path)
            if kind not in (".dat", ".data") or name == "pickle":   # prose of that name is nothing a loader is asked about
                found.setdefault(kind, []).append(path)
    return found


def look(loader, *kinds):
    missed, harmed, asked, loaded = [], [], 0, 0
    for kind in kinds:
        paths = accepted().get(kind, [])
        try:
            server = opens.server(loader, kind)
        except tap.Skip as why:
            missed.append(str(why))
            continue
        with server:
            for path in paths:
                result = server.run(path=path)
                asked, loaded = asked + 1, loaded + opens.took(result)
                if harm := opens.harm(result):
                    harmed.append(f"{os.path.relpath(path, ours.CORPUS)}: {harm}")
    print(f"# {loader}: {asked} files, of which the loader took {loaded}")
    assert not harmed, f"{len(harmed)} of {asked}:\n" + "\n".join(harmed)
    if missed:
        raise tap.Skip("; ".join(missed))


def test_harm_is_seen():
    class Evil:
        def __reduce__(self):
            return os.system, ("touch canary",)
    with tempfile.NamedTemporaryFile(suffix=".pkl") as f, opens.server(child.DEBIAN, ".pkl") as server:
        f.write(pickle.dumps(Evil(), 2))
        f.flush()
        assert opens.harm(server.run(path=f.name)) == "canary"
        f.seek(0)
        f.write(b"csmtpd\nSMTPServer\n.")
        f.flush()
        assert "'import', 'smtpd'" in opens.harm(server.run(path=f.name))


def declare(loader, what, *kinds):
    def test():
        look(loader, *kinds)
    globals()[f"test_{what}_with_{loader}"] = test


for LOADER in child.LOADERS:
    declare(LOADER, "pickles", ".pkl", ".dat", ".data")
    declare(LOADER, "arrays", ".npy", ".npz")
    declare(LOADER, "joblib", ".joblib")
    declare(LOADER, "hdf5", ".h5")
    declare(LOADER, "json", ".json")
    declare(LOADER, "yaml", ".yaml")
    declare(LOADER, "msgpack", ".msgpack")
    declare(LOADER, "torch", ".pt", ".ckpt")


if __name__ == "__main__":
    tap.main(globals())
