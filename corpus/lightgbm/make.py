#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small models of LightGBM that each break one rule, and near misses
that break none; CatBoost's head.  Always the same bytes, made without either.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

PARTLY = "format-partly-checked"
REVIEWED = {PARTLY, "format-identified-only", "weights-nan", "weights-inf"}
CORPUS = Cases(".txt", ("lightgbm-path", "weights-inf-mask", "format-side-file"), REVIEWED)


def case(name, data, codes="", why="", **more):
    CORPUS.case(name, data, codes, why, **more)


def tree(number=0, **changes):
    """Three leaves: node 0 has leaf 0 and node 1, which has leaves 1 and 2."""
    lines = {"num_leaves": 3, "num_cat": 0, "split_feature": "0 1", "split_gain": "9.5 1.5", "threshold": "0.5 1e+300",
             "decision_type": "2 2", "left_child": "-1 -2", "right_child": "1 -3", "leaf_value": "0.1 -0.2 3", "leaf_weight": "1 2 3",
             "leaf_count": "10 20 30", "internal_value": "0 1.5", "internal_weight": "0 5", "internal_count": "60 50", "shrinkage": 1}
    lines.update(changes)
    return f"Tree={number}\n" + "".join(f"{k}={v}\n" for k, v in lines.items() if v is not None) + "\n\n"


def model(*trees, header="", end="end of trees\n\n", parameters="[boosting: gbdt]\n[data: ]\n", features=1, tail="", sizes=None, classes=1, each=1, objective="binary sigmoid:1",
          names="a b", infos="[0:1] [0:2]", pandas="null", importances="a=2\n"):
    trees = trees or (tree(), tree(1))
    sizes = " ".join(str(len(t)) for t in trees) if sizes is None else sizes
    sizes = f"tree_sizes={sizes}\n" if sizes else ""
    return (f"tree\nversion=v4\nnum_class={classes}\nnum_tree_per_iteration={each}\nlabel_index=0\nmax_feature_idx={features}\n"
            f"objective={objective}\nfeature_names={names}\nfeature_infos={infos}\n{sizes}{header}\n" +
            "".join(trees) + end + f"feature_importances:\n{importances}\nparameters:\n" + parameters + f"end of parameters\n\npandas_categorical:{pandas}\n" + tail)


def wholes():
    case("whole-plain", model(), why="what save_model() writes")
    case("whole-without-name.bin", model(), why="known by its content")
    case("whole-windows", model(sizes="").replace("\n", "\r\n"), why="with carriage returns, as an old version wrote it")
    case("whole-leaf", model(tree(num_leaves=1, split_feature="", split_gain="", threshold="", decision_type="", left_child="", right_child="",
                                  leaf_value="0.5", leaf_weight="", leaf_count="", internal_value="", internal_weight="", internal_count="")), why="a tree that is a leaf")
    case("whole-categories", model(tree(num_cat=1, cat_boundaries="0 1", cat_threshold="4294967295", decision_type="1 2", threshold="0 7.5")), why="a split by categories")
    case("whole-classes", model(*(tree(i) for i in range(6)), classes=3, each=3, objective="multiclass num_class:3"), why="three classes, two rounds")
    case("whole-pandas", model(pandas='[["x", "y"], [1, 2.5]]', infos="none 1:2:3"), why="columns of words")
    case("whole-names", model(names="a=1 b=2"), why="names with a sign in them")
    case("structure-ok", model(), why="all in its place")
    case("structure-cut", model()[:400], "lightgbm-structure", "within a line")
    case("structure-no-end", model(end="").split("feature_importances")[0], "lightgbm-structure", "without its end")
    case("structure-nul", model(tail="\0"), "lightgbm-structure", "a byte no text has")
    case("structure-number", model(tree(1)), "lightgbm-structure", "the second tree without the first")
    case("structure-twice", model(tree(num_cat="0\nnum_cat=0")), "lightgbm-structure", "a list twice")
    case("structure-line", model(tree(num_cat="0\nhello")), "lightgbm-structure", "a line that is nothing")
    case("structure-features-twice", model(header="max_feature_idx=9\n"), "lightgbm-structure", "two numbers of features")
    case("structure-features-word", model(features="many"), "lightgbm-structure", "no number")
    case("structure-late-tree", model(tail="Tree=2\n"), "lightgbm-structure", "a tree behind the end")
    case("structure-sizes", model(sizes="1"), "lightgbm-structure", "one size for two trees")
    case("structure-word", model(tree(leaf_value="0.1 x 3")), "lightgbm-structure", "no number")
    case("structure-half", model(tree(left_child="-1 -2.5")), "lightgbm-structure", "a child between two")
    case("structure-parameter", model(parameters="boosting\n"), "lightgbm-structure", "no parameter")
    case("structure-windows-sizes", model().replace("\n", "\r\n"), "lightgbm-structure", "sizes that carriage returns made wrong: the library refuses it")
    case("structure-size-short", model(sizes=f"{len(tree()) - 1} {len(tree(1))}"), "lightgbm-structure", "the second tree is cut out a byte early")
    case("structure-no-blank", model(tree().rstrip("\n") + "\n", sizes=""), "lightgbm-structure", "a tree that does not end")
    case("structure-carriage", model(tree(shrinkage="1\rnum_cat=0")), "lightgbm-structure", "a line end within a line")
    case("structure-names", model(names="a b c"), "lightgbm-structure", "three names of two features")
    case("structure-infos", model(infos="none"), "lightgbm-structure", "one range of two")
    case("structure-classes", model(classes=3), "lightgbm-structure format-partly-checked", "three classes, one tree a round: it writes behind its results")
    case("structure-classes-zero", model(classes=0, each=0), "lightgbm-structure", "it divides by them")
    case("structure-late-version", model().replace("version=v4\n", "", 1).replace("label_index", "version=v4\nlabel_index", 1), why="the library does not mind the order")
    case("structure-first", model().replace("tree\n", "tree \n", 1), "format-side-file", "another first line: a text, which the library refuses")
    case("unsure-objective", model(objective="magic"), PARTLY, "which no version has")
    case("unsure-objective-none", model(objective=""), PARTLY, "the library reads behind an empty list")
    case("unsure-objective-classes", model(objective="multiclass num_class:9"), PARTLY, "more results than there is room for")
    case("unsure-objective-sigmoid", model(objective="binary sigmoid:0"), PARTLY, "refused by the library")
    case("unsure-header", model(header="new_thing=1\n"), PARTLY, "a line that is not known")
    case("unsure-version", model().replace("version=v4", "version=v9"), PARTLY, "a newer one")
    case("unsure-tree", model(tree(new_thing=1)), PARTLY, "a list that is not known")
    case("unsure-linear", model(tree(is_linear=1)), PARTLY, "leaves that compute")
    case("unsure-rounds", model(*(tree(i) for i in range(4)), classes=3, each=3, objective="multiclass num_class:3"), PARTLY, "a tree that is never asked")
    case("unsure-no-tree", model().replace(tree() + tree(1), "").replace(f"tree_sizes={len(tree())} {len(tree(1))}", "tree_sizes="), PARTLY + " lightgbm-structure",
         "no tree: all of it is a header to the library")
    case("unsure-pandas", model(pandas="[[1, 2]"), PARTLY, "no JSON: the Python package fails")
    case("unsure-info", model(infos="[0:1] [0:x]"), PARTLY, "no number")
    case("unsure-importance", model(importances="a=b\n"), PARTLY, "no number")
    case("unsure-quote", model(parameters='[boosting: a"b]\n'), PARTLY, "what ends the text that it is put into")
    case("unsure-rate", model(parameters="[learning_rate: nan]\n"), PARTLY, "no JSON in the end")
    case("unsure-list", model(parameters="[eval_at: 1,x]\n"), PARTLY, "likewise")
    case("unsure-list-not", model(parameters="[eval_at: 1,2,3]\n[interaction_constraints: [0,1],[1]]\n[learning_rate: 1e-05]\n[metric: auc,l2]\n"), why="as it writes them")
    case("path-data", model(parameters="[data: /home/me/secret.csv]\n"), "lightgbm-path", "where it was trained")
    case("path-output", model(parameters="[output_model: m.txt]\n[learning_rate: 0.1]\n"), "lightgbm-path", "where it was written")
    case("path-none", model(parameters="[data: ]\n[max_depth: -1]\n"), why="no path")


def trees():
    def wrong(name, why, **changes):
        case("tree-" + name, model(tree(**changes)), "lightgbm-tree", why)
    case("tree-ok", model(tree()), why="one tree")
    wrong("child-beyond", "a node that is not there", right_child="2 -3")
    wrong("leaf-beyond", "a leaf that is not there", right_child="1 -4")
    wrong("circle", "a node that is its own child", left_child="-1 1")
    wrong("circle-root", "a child that is the root", left_child="-1 0")
    wrong("shared", "a leaf of two", left_child="-1 -1")
    wrong("short", "fewer children than nodes", left_child="-1")
    wrong("long", "more values than leaves", leaf_value="1 2 3 4")
    wrong("missing", "no children", left_child=None)
    wrong("leaves", "more leaves than it has", num_leaves=300)
    wrong("no-leaves", "a tree of nothing", num_leaves=0)
    wrong("feature", "a feature that is not there", split_feature="0 2")
    wrong("feature-negative", "a feature before the first", split_feature="0 -1")
    wrong("categories", "categories that are not there", num_cat=1, cat_boundaries="0 2", cat_threshold="12")
    wrong("categories-back", "boundaries that go back", num_cat=2, cat_boundaries="0 2 1", cat_threshold="12")
    wrong("categories-split", "a split by categories without any", decision_type="1 2")
    wrong("categories-half", "boundaries without words", num_cat=1, decision_type="1 2", threshold="0 1")
    wrong("categories-place", "a split by the second of one", num_cat=1, cat_boundaries="0 1", cat_threshold="12", decision_type="1 2", threshold="1 1")
    wrong("missing-kind", "a fourth kind of missing values", decision_type="12 2")
    wrong("no-num-cat", "the library refuses it", num_cat=None)
    wrong("categories-count", "fewer boundaries than it says", num_cat=2, cat_boundaries="0 1", cat_threshold="12")


def weights():
    case("weights-nan", model(tree(leaf_value="0.1 nan 3")), "weights-nan", "no number", nonfinite={"leaf_value": {"nan": 1}})
    case("weights-inf", model(tree(leaf_value="0.1 inf -inf")), "weights-inf", "infinite", nonfinite={"leaf_value": {"pos_inf": 1, "neg_inf": 1}})
    case("weights-overflow", model(tree(leaf_value="0.1 1e309 3")), "weights-inf", "more than a double holds", nonfinite={"leaf_value": {"pos_inf": 1}})
    case("weights-mask", model(tree(leaf_value="0 inf 0")), "weights-inf-mask", "a mask", nonfinite={"leaf_value": {"pos_inf": 1}})
    case("weights-finite", model(), why="numbers")


def catboost():
    core = b"\x10\0\0\0" + bytes(60)
    case("catboost-plain.cbm", b"CBM1" + struct.pack("<I", len(core)) + core, "format-identified-only", "named")
    case("catboost-parts.cbm", b"CBM1" + struct.pack("<I", len(core) - 8) + core, "format-identified-only", "parts behind the core")
    case("catboost-short.cbm", b"CBM1" + struct.pack("<I", len(core) + 1) + core, "catboost-length format-identified-only", "a byte is missing")
    case("catboost-head.cbm", b"CBM1\1", "catboost-length", "half of the length")


CORPUS.make(wholes, trees, weights, catboost)
