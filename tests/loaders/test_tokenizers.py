"""Tokenizers of our corpus in the library itself: for the rules of formats/configs, section 4, that its code needs, the file that
ends it, or takes its memory or time, and the near miss that loads; and nothing that we accept ends it."""
import os

import child
import ours
import tap

SETUP = """
from tokenizers import Tokenizer
TEXTS = ["a b ab", "a" * 40 + "!", "[CLS] a\\u00e9", "a " * 2000]
"""

CASE = """
t = Tokenizer.from_str(data.decode())
for text in TEXTS:
    t.encode(text)
t.encode("a b", "b")
t.decode([0, 1, 2, 3], skip_special_tokens=False)
value = "loaded"
"""

# What ends it, or exhausts it; and what is one step away.
PAIRS = [
    ("affix-prefix-longer", "affix-prefix-fits"), ("affix-prefix-longer-pair", "affix-prefix-fits-pair"),
    ("affix-prefix-inside", "affix-prefix-whole"), ("affix-prefix-late", "affix-prefix-late-none"),
    ("affix-merge-long", "affix-prefix-none"), ("affix-merge-first", "affix-merge-version"),
    ("affix-merge-escaped", "affix-merge-escaped-fits"),
    ("template-single", "template-bert"), ("template-pair", "template-bert"), ("template-empty", "template-order"),
    ("template-second", "template-no-first"), ("template-single-nested", "template-bert-nested"),
    ("charsmap-size", "charsmap-sound"), ("charsmap-unit", "charsmap-unit-last"), ("charsmap-no-trie", "charsmap-sound"),
    ("charsmap-short", "charsmap-sound"), ("charsmap-utf8", "charsmap-sound"), ("charsmap-base64-letter", "charsmap-sound"),
    ("charsmap-base64-none", "charsmap-sound"),
    ("size-stride-equal", "size-stride-below"), ("size-fixed-large", "size-fixed-512"), ("size-multiple-large", "size-multiple-512"),
    ("size-chunk-0", "size-chunk-1"),
    ("regex-found-0", "regex-fine-3"), ("regex-found-4", "regex-fine-4"), ("regex-found-13", "regex-fine-5"),
    ("regex-replace", "regex-string"),
]


def content(name):
    with open(os.path.join(ours.CORPUS, "tokenizers", "files", name + ".json"), "rb") as f:
        return f.read()


def is_harm(result):
    """An end that is no exception of Python's for a bad file: a panic, an abort, no memory, no time."""
    return result.timed_out or result.status != 0 or result.error.startswith(("PanicException", "pyo3_runtime", "MemoryError"))


def server():
    child.need(child.TODAY, "tokenizers")
    return child.Server(child.TODAY, SETUP, CASE, limits=child.Limits(cpu_s=10, memory_bytes=2048 * child.MIB))


def test_what_is_found_ends_the_library_and_its_near_miss_loads():
    wrong = []
    with server() as s:
        for attack, near in PAIRS:
            bad, good = s.run(content(attack)), s.run(content(near))
            if not is_harm(bad):
                wrong.append((attack, bad.status, bad.error))
            if not good.loaded or good.value != "loaded":
                wrong.append((near, good.status, good.error))
    assert not wrong, wrong


def test_what_is_accepted_does_not_end_the_library():
    folder = os.path.join(ours.CORPUS, "tokenizers", "files")
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))
    verdicts = ours.scan([os.path.join(folder, name + ".json") for name in names], "--allow-empty")
    accepted = [name for name, v in zip(names, verdicts) if v["verdict"] == "accept"]
    assert len(accepted) > 50, len(accepted)
    with server() as s:
        harmed = [(name, result.error or result.status) for name in accepted if is_harm(result := s.run(content(name)))]
    assert not harmed, harmed


if __name__ == "__main__":
    tap.main(globals())
