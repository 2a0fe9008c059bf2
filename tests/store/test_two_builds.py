"""Two builds with different rules on one store: what one rule of one format changes, and what it does not."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:])
SOURCE = pathlib.Path(OPTIONS["source"])
SCRIPT = SOURCE / "store/facts_versions.py"


def table(path):
    """reader -> how it was chosen -> version"""
    rows = re.findall(r"X\((\w+), UINT64_C\((\w+)\), UINT64_C\((\w+)\), UINT64_C\((\w+)\)\)", pathlib.Path(path).read_text())
    rows.append(("", re.search(r"FACTS_PASS UINT64_C\((\w+)\)", pathlib.Path(path).read_text())[1], "", ""))
    return {name: hashes for name, *hashes in rows}


OURS = table(OPTIONS["versions"])


def with_changes(changes):
    """The table of an engine in which each (file, what, instead) was changed once."""
    with tempfile.TemporaryDirectory() as root:
        for folder in ("lib", "worker"):
            shutil.copytree(SOURCE / folder, f"{root}/{folder}")
        for name, what, instead in changes:
            path = pathlib.Path(root) / name
            text = path.read_text(encoding="utf-8")
            assert what in text, (name, what)
            path.write_text(text.replace(what, instead, 1), encoding="utf-8")
        subprocess.run([sys.executable, SCRIPT, f"{root}/table", f"{root}/d", root], check=True)
        return table(f"{root}/table")


def differing(other, how=0):
    assert OURS.keys() == other.keys(), OURS.keys() ^ other.keys()
    return {name for name in OURS if name and OURS[name][how] != other[name][how]}


def pass_differs(other):
    return OURS[""] != other[""]


def test_a_rule_of_a_layout_leaves_the_pass_as_it_was_and_one_of_weights_or_guests_does_not():
    layout = with_changes([("lib/formats/safetensors/safetensors.c", "if (n > limit)", "if (n > limit + 1)"),
                           ("lib/formats/gguf/gguf_tensors.c", "return n <= 65535;", "return n <= 65534;"),
                           ("lib/judges/pickle/names.tsv", "", "# a word\n")])
    assert {"SAFETENSORS", "GGUF", "PICKLE"} <= differing(layout) and not pass_differs(layout)
    assert pass_differs(with_changes([("lib/judges/pickle/guess.c", "s.n <= NAME_BYTES", "s.n < NAME_BYTES")]))
    assert pass_differs(with_changes([("lib/polyglots/polyglot.c", "{ find_magic, 4,", "{ find_magic, 5,")]))
    assert pass_differs(with_changes([("lib/engine/zero_tail.c", "if (zeros < n)", "if (zeros <= n)")]))
    assert pass_differs(with_changes([("lib/engine/elements.c", "if (by_dtype[dtype] > 0)", "if (by_dtype[dtype] > 1)")]))


def test_a_rule_of_one_format_is_stale_there_and_where_files_of_it_lie_inside_and_nowhere_else():
    other = table(OPTIONS["other_versions"])
    changed = differing(other)
    assert {"GGUF", "ZIP", "TAR", "GZIP", "PYTORCH"} <= changed, changed
    assert not changed & {"SAFETENSORS", "NPY", "KERAS_HDF5", "ARROW", "CATBOOST", "TIKTOKEN"}, changed
    assert "SAFETENSORS" not in differing(other, 2)  # nor does any other way to it lead through gguf's rules


def test_no_build_takes_what_the_other_one_made_by_that_rule_forwards_and_back():
    with tempfile.TemporaryDirectory() as folder:
        def ask(build, action, *formats):
            done = subprocess.run([OPTIONS[build], f"{folder}/s", action, *formats], stdout=subprocess.PIPE, text=True, check=True)
            return done.stdout.split()

        both = ("safetensors", "gguf")
        ask("ours", "put", *both)
        assert ask("ours", "get", *both) == ["safetensors", "gguf"]
        assert ask("other", "get", *both) == ["safetensors"]
        ask("other", "put", "gguf")
        assert ask("other", "get", *both) == ["safetensors", "gguf"]
        assert ask("ours", "get", *both) == ["safetensors"]
        ask("ours", "put", "gguf")
        assert ask("ours", "get", *both) == ["safetensors", "gguf"]
        assert ask("other", "get", *both) == ["safetensors"]


def test_comments_layout_texts_and_codes_of_findings_change_nothing():
    same = with_changes([
        ("lib/formats/safetensors/safetensors.c", "static ", "/* a word */ static\n\t"),
        ("lib/core/findings.txt", "\n\tfix", "\n\tfix in other words,"),
        ("lib/formats/gguf/findings.txt", "", "a-new-one malformed high\n\ttitle a\n\twhy b\n\tfix c\n\tclause d\n"),
        ("lib/core/codes.txt", "", "a-new-one 8\n")])
    assert not any(differing(same, how) for how in range(3))


def test_a_probe_is_of_those_behind_it_and_of_what_no_probe_knew():
    behind = with_changes([("lib/formats/boosting/catboost.c", "static bool probe(const struct probe *p)\n{", "static bool probe(const struct probe *p)\n{\n\tif (p->n == 77) return false;")])
    changed = differing(behind)
    assert {"CATBOOST", "ONNX", "JSON", "UNKNOWN"} <= changed and not changed & {"SAFETENSORS", "GGUF", "NPY"}, changed
    assert differing(behind, 2) == OURS.keys() - {""}  # who was chosen by name was refused by every probe


tap.main(globals())
