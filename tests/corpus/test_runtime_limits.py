"""Every row of the tables of limits: it is understood, and each of its terms holds on one side of its bound and fails on the other,
through the built command.  Files of the simple terms are made here from the rows; all others are in corpus/limits."""
import json
import os
import re
import subprocess
import sys
import tempfile

import tap

OPTIONS = dict(a.split("=", 1) for a in sys.argv[1:] if "=" in a)
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"), OPTIONS["tables"]]
sys.dont_write_bytecode = True
import limits_gguf  # noqa: E402 pylint: disable=wrong-import-position
import limits_onnx  # noqa: E402 pylint: disable=wrong-import-position
import limits_sides  # noqa: E402 pylint: disable=wrong-import-position
import limits_tf  # noqa: E402 pylint: disable=wrong-import-position
import limits_tflite  # noqa: E402 pylint: disable=wrong-import-position
import limits  # noqa: E402 pylint: disable=wrong-import-position
import terms  # noqa: E402 pylint: disable=wrong-import-position

FAILED = re.compile(r"(gguf|tflite|onnx|tf)-runtime-(limit|range)")


def scan(paths):
    """(subject, term) of each finding, by path."""
    command = [OPTIONS["weighlock"], "scan", "--format", "json", "--", *paths]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths), done.stderr[-1000:]
    return {path: {(f.get("subject"), f["allowed"]) for f in json.loads(line)["findings"] if FAILED.fullmatch(f["code"])}
            for path, line in zip(paths, lines)}


def scan_corpus():
    folder = os.path.join(OPTIONS["corpus"], "limits", "files")
    return set().union(*scan([os.path.join(folder, f) for f in sorted(os.listdir(folder))]).values())


def sides(term):
    """Keys that fail a simple term and keys that hold it, of the row's key `x`; None: of another term."""
    match = re.fullmatch(r"x(<=|>=|>|!=)(-?\d+)~?", term)
    if match:
        n = int(match[2])
        bad = {"<=": n + 1, ">=": n - 1, ">": n, "!=": n}[match[1]]
        good = {"<=": n, ">=": n, ">": n + 1, "!=": n + 1}[match[1]]
        return {"x": bad}, {"x": good}
    match = re.fullmatch(r"len\(x\)(<=|=)(\d+)", term)
    if match:
        return {"x": [1] * (int(match[2]) + 1)}, {"x": [1] * int(match[2])}
    if term.startswith("len(x)=block_count"):
        return {"x": [1] * 3, "*.block_count": 2}, {"x": [1] * 2, "*.block_count": 2}
    if re.fullmatch(r"even\(x\)~?", term):
        return {"x": 3}, {"x": 2}
    return None


def gguf_file(key, keys, architecture):
    return limits_gguf.gguf({key if k == "x" else k: v for k, v in keys.items()}, architecture)


def gguf_cases():
    """(key, term, the two files or None)."""
    _, _, rules = limits.gguf_read(os.path.join(OPTIONS["tables"], "gguf.tsv"))
    for _, key, architectures, terms_of in rules:
        architecture = "llama" if architectures[0] in "*!" else architectures.split()[0]
        for term in terms_of.split():
            two = sides(term)
            yield key.removeprefix("*."), term, two and [gguf_file(key, s, architecture) for s in two]


def of_table(format_, ending, read, build):
    """(subject, term, the two files or None) of each row that read() gives as (subject, terms, anything); build(that, operands)."""
    for subject, terms_of, row in read(os.path.join(OPTIONS["tables"], format_)):
        for term in terms_of.split():
            two = None if (subject, term) in ELSEWHERE else limits_sides.sides(term)
            yield subject, term, two and [build(row, operands) for operands in two], ending


# What calls subgraphs that are not there is broken before anybody asks how many it takes.
ELSEWHERE = {("WHILE", "in=out"), ("IF", "in>=1"), ("CALL_ONCE", "in=0"), ("CALL_ONCE", "out=0")}


def tf_rows(path):
    for _, (name, *_, terms_of) in limits.rows(path):
        yield name, terms_of, name


def onnx_rows(path):
    for _, domain, name, since, inputs, _, terms_of in limits.onnx_read(path):
        yield name, terms_of, (name, domain, since, inputs)


def tflite_rows(path):
    for _, code, name, table, fields, _, _, terms_of in limits.tflite_read(path):
        least = [int(m[1]) if m else 1 for m in (re.search(rf"\b{w}>?=(\d+)", terms_of) for w in ("in", "out"))]
        yield name, terms_of, (code, table, {k: -1 - v[0] for k, v in fields.items()}, least)


def check(cases, least):
    """Of each term a file that fails it and one that holds it; those not made here are in the corpus."""
    made, left = [], []
    with tempfile.TemporaryDirectory() as folder:
        for subject, term, two, ending in cases:
            if two is None:
                left.append((subject, term))
                continue
            paths = [os.path.join(folder, f"{len(made)}-{side}.{ending}") for side in ("bad", "good")]
            for path, data in zip(paths, two):
                with open(path, "wb") as f:
                    f.write(data)
            made.append((subject, term, *paths))
        found = scan([p for row in made for p in row[2:]])
    for subject, term, bad, good in made:
        assert (subject, term) in found[bad], (subject, term, found[bad])
        assert (subject, term) not in found[good], (subject, term)
    corpus = scan_corpus() if left else set()
    missing = [row for row in left if row not in corpus and row not in ELSEWHERE]
    assert not missing, missing
    assert len(made) > least


def test_every_term_of_gguf_has_a_file_on_both_sides():
    check(((*row, "gguf") for row in gguf_cases()), 150)


def test_every_term_of_onnx_has_a_file_on_both_sides():
    check(of_table("onnx.tsv", "onnx", onnx_rows, lambda row, operands: limits_onnx.of_operands(*row, operands)), 400)


def test_every_term_of_tflite_has_a_file_on_both_sides():
    check(of_table("tflite.tsv", "tflite", tflite_rows, lambda row, operands: limits_tflite.of_operands(*row, operands)), 600)


def test_every_term_of_tensorflow_has_a_file_on_both_sides():
    check(of_table("tf.tsv", "pb", tf_rows, limits_tf.of_operands), 650)


def test_what_is_no_term_is_refused():
    words = terms.Terms(lambda name: {"x": 0, "y": 1}[name])
    for text in ("x", "x>", ">0", "x>>0", "x!0", "x|", "#", "x..r>0", "f(x)>0", "if(x>0)", "if(x>0", "size:", "x=1|2|3|4"):
        try:
            words.term(text)
        except (terms.Bad, KeyError):
            continue
        raise AssertionError(text)


tap.main(globals())
