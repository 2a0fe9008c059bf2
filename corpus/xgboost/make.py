#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: small models of XGBoost, in JSON and in universal binary JSON, that
each break one rule, and near misses that break none.  Always the same bytes, made without XGBoost.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict.
"""
import copy
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"weights-inf-mask"}
REVIEWED = {"xgboost-unknown-key", "weights-nan", "weights-inf", "format-identified-only", "format-partly-checked", "format-unknown"}
CORPUS = Cases("", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- a model

FLOATS = {"base_weights", "loss_changes", "sum_hessian", "split_conditions", "weight_drop", "weights"}
TYPED = {"left_children": "l", "right_children": "l", "parents": "l", "split_indices": "l", "split_type": "U",
         "default_left": "U", "categories": "l", "categories_nodes": "l", "categories_segments": "L", "categories_sizes": "L"}
NO_PARENT = 2147483647


def tree(**changes):
    n = 5
    t = {"base_weights": [0.5, -1.0, 1.0, 2.0, -2.0], "categories": [], "categories_nodes": [], "categories_segments": [],
         "categories_sizes": [], "default_left": [1, 0, 0, 0, 0], "id": 0, "left_children": [1, 3, -1, -1, -1],
         "loss_changes": [9.5, 1.5, 0.0, 0.0, 0.0], "parents": [NO_PARENT, 0, 0, 1, 1],
         "right_children": [2, 4, -1, -1, -1], "split_conditions": [0.5, 0.25, 1.0, 2.0, -2.0],
         "split_indices": [0, 1, 0, 0, 0], "split_type": [0] * n, "sum_hessian": [9.0, 5.0, 4.0, 3.0, 2.0],
         "tree_param": {"num_deleted": "0", "num_feature": "2", "num_nodes": str(n), "size_leaf_vector": "0"}}
    t.update(changes)
    return t


def model(*trees, **changes):
    trees = trees or (tree(), tree())
    learner = {"attributes": {"best_iteration": "1"}, "feature_names": ["a", "b"], "feature_types": [],
               "gradient_booster": {"model": {"gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees)),
                                                                      "size_leaf_vector": "0"},
                                              "tree_info": [0] * len(trees), "trees": [dict(t, id=t["id"] or i) for i, t in enumerate(trees)]},
                                    "name": "gbtree"},
               "learner_model_param": {"base_score": "5E-1", "boost_from_average": "1", "num_class": "0", "num_feature": "2",
                                       "num_target": "1"},
               "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}}}
    m = {"learner": learner, "version": [1, 7, 4]}
    for path, value in changes.items():
        at, keys = m, path.split("__")
        for key in keys[:-1]:
            at = at[key]
        if value is None:
            del at[keys[-1]]
        else:
            at[keys[-1]] = value
    return copy.deepcopy(m)


def linear(weights, **changes):
    return model(learner__gradient_booster={"model": {"boosted_rounds": 3, "weights": weights}, "name": "gblinear"}, **changes)


# -- universal binary JSON, as XGBoost writes it

def length(n):
    return b"L" + struct.pack(">q", n)


def ubj_text(s):
    raw = s.encode() if isinstance(s, str) else s
    return length(len(raw)) + raw


def ubj(value, key=None):
    if isinstance(value, dict):
        return b"{" + b"".join(ubj_text(k) + ubj(v, k) for k, v in value.items()) + b"}"
    if isinstance(value, list) and (key in FLOATS or key in TYPED):
        form = "d" if key in FLOATS else TYPED[key]
        return b"[$" + form.encode() + b"#" + length(len(value)) + b"".join(
            struct.pack({"d": ">f", "l": ">i", "U": ">B", "L": ">q"}[form], v) for v in value)
    if isinstance(value, list):
        return b"[#" + length(len(value)) + b"".join(ubj(v) for v in value)
    if isinstance(value, str):
        return b"S" + ubj_text(value)
    if isinstance(value, bool):
        return b"T" if value else b"F"
    if isinstance(value, float):
        return b"d" + struct.pack(">f", value)
    return b"i" + struct.pack(">b", value) if -128 <= value < 128 else b"l" + struct.pack(">i", value)


def text(m):
    return json.dumps(m, separators=(",", ":"))


def both(name, m, codes="", why="", **more):
    case(name + ".json", text(m), codes, why, **more)
    case(name + ".ubj", ubj(m), codes, why, **more)


# -- sections

def wholes():
    both("whole-plain", model(), why="what save_model() writes")
    both("whole-one-node", model(leaf()), why="a tree that is a leaf")
    both("whole-linear", linear([0.5, 0.25, 0.125]), why="no trees")
    both("whole-dart", model(learner__gradient_booster={"gbtree": model()["learner"]["gradient_booster"], "name": "dart",
                                                        "weight_drop": [1.0, 0.5]}), why="trees with weights")
    both("whole-classes", model(learner__learner_model_param__num_class="3", learner__gradient_booster__model__tree_info=[0, 2]), why="three classes")
    both("whole-categories", model(tree(split_type=[1, 0, 0, 0, 0], categories=[1, 2, 5], categories_nodes=[0], categories_segments=[0],
                                        categories_sizes=[3])), why="a split by categories")
    case("whole-spaces.json", json.dumps(model(), indent=1), why="with blanks")
    case("whole-version-first.json", text(dict(reversed(model().items()))), why="in another order")
    case("whole-truths.json", text(model(tree(default_left=[True, False, False, False, False]))), why="as XGBoost 1.0 wrote it")
    case("whole-without-name.bin", ubj(model()), why="known by its content")
    case("whole-old.bst", b"binf" + struct.pack("<f", 0.5) + bytes(200), "format-identified-only", "the binary form of old versions")
    case("whole-configuration.json", '{"learner":{"rate":0.5},"steps":3}', "format-identified-only", "another thing that learns")
    case("trailing-space.json", text(model()) + "\n", why="a line end")
    case("trailing-byte.json", text(model()) + "x", "xgboost-trailing-bytes", "a byte behind it")
    case("trailing-byte.ubj", ubj(model()) + b"\0", "xgboost-trailing-bytes", "a byte behind it")
    case("trailing-second.ubj", ubj(model()) * 2, "xgboost-trailing-bytes", "a second model")


def leaf():
    t = {k: v[:1] if isinstance(v, list) else v for k, v in tree().items()}
    return dict(t, left_children=[-1], right_children=[-1], tree_param=dict(t["tree_param"], num_nodes="1"))


def codes():
    """Columns of words, as XGBoost writes them since 3.1: text, a column of numbers, whole numbers."""
    def cats(codes="", why="", name="", **changes):
        c = {"enc": [{"offsets": [0, 1, 3], "values": [97, -61, -68]}, {"offsets": [], "values": []}, {"type": 15, "values": [3, 5]}],
             "feature_segments": [0, 2, 2, 4], "sorted_idx": [1, 0, 0, 1]}
        c.update(changes)
        both(f"codes-{name}", model(learner__gradient_booster__model__cats=c, learner__learner_model_param__num_feature="3",
                                    learner__feature_names=[]), codes, why)
    cats(name="words", why="a column of words, one of numbers, one of whole numbers")
    cats(name="none", enc=[], feature_segments=[], sorted_idx=[], why="no such column")
    for name, changes, why in (
            ("segment", {"feature_segments": [0, 2, 2, 5]}, "a category more than there is"),
            ("segment-far", {"feature_segments": [0, 100000000, 2, 4]}, "a column that is not there"),
            ("segment-first", {"feature_segments": [1, 2, 2, 4]}, "the first is left out"),
            ("segments", {"feature_segments": [0, 2, 4]}, "a column fewer"),
            ("order", {"sorted_idx": [2, 0, 0, 1]}, "a category that the column does not have"),
            ("order-below", {"sorted_idx": [-1, 0, 0, 1]}, "below all"),
            ("type", {"enc": [{"type": 17, "values": [3, 5]}], "feature_segments": [0, 2], "sorted_idx": [0, 1]}, "a kind of numbers that the library does not have"),
            ("order-twice", {"sorted_idx": [0, 0, 0, 1]}, "a category twice: the library refuses it"),
            ("order-short", {"sorted_idx": [1, 0, 0]}, "one is missing"),
            ("offset", {"enc": [{"offsets": [0, 1, 9], "values": [97, 98]}], "feature_segments": [0, 2], "sorted_idx": [0, 1]}, "text that is not there"),
            ("offset-back", {"enc": [{"offsets": [0, 3, 2], "values": [97, 98]}], "feature_segments": [0, 2], "sorted_idx": [0, 1]}, "that ends before it begins"),
            ("offset-first", {"enc": [{"offsets": [1, 1, 2], "values": [97, 98]}], "feature_segments": [0, 2], "sorted_idx": [0, 1]}, "that nobody says"),
            ("values", {"enc": [{"type": 15}], "feature_segments": [0, 0], "sorted_idx": []}, "no categories at all")):
        cats("xgboost-structure", why, name, **changes)
    cats("xgboost-unknown-key", "a name of a later version", "unknown", more=1)
    split = {"split_type": [1, 0, 0, 0, 0], "categories": [1, 2, 5], "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [3]}
    nan = float("nan")
    both("codes-condition", model(tree(split_conditions=[nan, 0.25, 1.0, 2.0, -2.0], **split)), "", "a split by categories has no condition")
    both("codes-condition-not", model(tree(split_conditions=[0.5, nan, 1.0, 2.0, -2.0], **split)), "weights-nan", "and the next is none",
         nonfinite={"floats": {"nan": 1, "pos_inf": 0, "neg_inf": 0}})


def learners():
    both("objective-unknown", model(learner__objective={"name": "reg:mine"}), "format-partly-checked", "which XGBoost refuses")
    both("objective-none", model(learner__objective=None), "xgboost-structure", "none at all")
    both("objective-no-name", model(learner__objective={"a": "b"}), "format-partly-checked", "one without a name")
    both("objective-old", model(learner__objective={"name": "reg:linear"}), "", "the name that old versions have")
    both("objective-classes", model(learner__objective={"name": "multi:softmax"}), "xgboost-structure", "of no classes")
    both("score-list", model(learner__learner_model_param__base_score="[5E-1,1E0]"), "", "one for each output, as 3.1 writes it")
    both("score-word", model(learner__learner_model_param__base_score="x"), "xgboost-structure", "no number")
    both("score-list-word", model(learner__learner_model_param__base_score="[5E-1,]"), "xgboost-structure", "a number is missing")
    both("score-nan", model(learner__learner_model_param__base_score="[NaN]"), "weights-nan", "one that is none",
         nonfinite={"floats": {"nan": 1, "pos_inf": 0, "neg_inf": 0}})
    both("attributes-none", model(learner__attributes=None), "xgboost-structure", "which XGBoost asks for")
    case("floats-integer.json", text(model(tree(sum_hessian=[9, 5.0, 4.0, 3.0, 2.0]))), "format-partly-checked", "which XGBoost takes for no such number")


def syntaxes():
    plain, binary = text(model()), ubj(model())
    case("syntax-cut.json", plain[:-1], "xgboost-syntax", "the end is missing")
    case("syntax-comma.json", plain[:-1] + ",}", "xgboost-syntax", "a comma too many")
    case("syntax-comment.json", plain.replace('"gbtree"', '"gbtree"/**/'), "xgboost-syntax", "a comment")
    case("syntax-utf8.json", plain.encode().replace(b'"a"', b'"\xff"'), "xgboost-syntax", "no UTF-8")
    case("syntax-surrogate.json", plain.replace('"a"', '"\\ud800"'), "xgboost-syntax", "half of a pair")
    case("syntax-number.json", plain.replace("0.25", "0." + "2" * 100), "xgboost-syntax", "a number of a hundred digits")
    case("syntax-word.json", plain.replace("0.25", "nan"), "xgboost-syntax", "a word that XGBoost does not write")
    case("syntax-noop.ubj", binary[:-1] + b"N}", "xgboost-syntax", "a no-op")
    case("syntax-key-type.ubj", binary.replace(length(7) + b"version", b"S" + struct.pack(">q", 7) + b"version"), "xgboost-syntax", "a length by no type")
    case("syntax-high.ubj", binary.replace(b"i\x01i\x07i\x04", b"H\x01i\x07i\x04"), "xgboost-syntax", "a number of high precision")
    case("syntax-typed-uncounted.ubj", binary.replace(b"[$l#", b"[$lL", 1), "xgboost-syntax", "a type without a count")
    case("syntax-typed-objects.ubj", binary.replace(b"[$l#", b"[${#", 1), "xgboost-syntax", "a list of objects without their marks")
    case("syntax-typed-nothing.ubj", binary.replace(b"[$l#" + length(0), b"[$Z#" + length(1 << 40), 1), "xgboost-syntax", "a trillion nothings in no bytes")
    case("syntax-utf8.ubj", binary.replace(ubj_text("a"), ubj_text(b"\xff")), "xgboost-syntax", "no UTF-8")
    case("syntax-ended.ubj", binary.replace(b"[#" + length(3) + b"i\x01i\x07i\x04", b"[i\x01i\x07i\x04]"), "", "a list that says where it ends")
    case("length-negative.ubj", binary.replace(length(7) + b"version", length(-7) + b"version"), "xgboost-length", "a name of less than nothing")
    case("length-name.ubj", binary.replace(length(7) + b"version", length(1 << 40) + b"version"), "xgboost-length", "a name of a terabyte")
    case("length-count.ubj", binary.replace(b"[$l#" + length(5), b"[$l#" + length(1 << 62), 1), "xgboost-length", "more items than bytes")
    case("length-list.ubj", binary.replace(b"[#" + length(3), b"[#" + length(1 << 40)), "xgboost-length", "more items than bytes")
    case("length-half.ubj", binary[:len(binary) // 2], "xgboost-length", "half of it")
    case("length-ok.ubj", binary.replace(length(7) + b"version", b"U\x07version"), "", "a length of one byte")
    def nested(n):
        return '{"p":' + "[" * n + "]" * n + "}"
    for n, codes in ((29, ""), (30, "xgboost-depth"), (200, "xgboost-depth")):
        case(f"depth-{n}.json", plain.replace('{"name":"reg:squarederror","reg_loss_param":{"scale_pos_weight":"1"}}', '{"name":"reg:squarederror","p":' + nested(n - 1) + '}'), codes, "lists in lists")
    deep = ubj({"name": "reg:squarederror", "p": 0})
    for n, codes in ((29, ""), (30, "xgboost-depth"), (100000, "xgboost-depth")):
        case(f"depth-{n}.ubj", binary.replace(ubj(model()["learner"]["objective"]), deep[:-3] + b"[" * n + b"]" * n + b"}"), codes, "lists in lists")
    case("key-twice.json", plain.replace('"name":"gbtree"', '"name":"gbtree","name":"gbtree"'), "xgboost-duplicate-key", "a name twice")
    case("key-twice-escaped.json", plain.replace('"name":"gbtree"', '"name":"gbtree","n\\u0061me":"gbtree"'), "xgboost-duplicate-key", "spelled differently")
    case("key-twice.ubj", binary.replace(ubj_text("name") + ubj("gbtree"), (ubj_text("name") + ubj("gbtree")) * 2), "xgboost-duplicate-key", "a name twice")
    both("key-unknown", model(learner__new={"x": 1}), "xgboost-unknown-key", "a name of a later version")
    both("key-attribute", model(learner__attributes={"anything": "system('id')"}), "", "attributes are the user's")
    both("key-unknown-root", dict(model(), Config={}), "xgboost-unknown-key", "a memory snapshot's name")


def structures():
    trees = model()["learner"]["gradient_booster"]
    for name, booster, why in (("linear", {**trees, "name": "gblinear"}, "trees, called linear [XGBoost 1.7.4 crashes]"),
                               ("dart", {**trees, "name": "dart"}, "trees, called DART"),
                               ("unknown", {**trees, "name": "gbforest"}, "no booster that there is"),
                               ("unnamed", {"model": trees["model"]}, "no name"),
                               ("dart-in-dart", {"gbtree": {**trees, "name": "dart"}, "name": "dart"}, "DART in DART"),
                               ("trees-in-trees", {"gbtree": trees, "name": "gbtree"}, "trees in what is no DART")):
        both("structure-booster-" + name, model(learner__gradient_booster=booster), "xgboost-structure", why)
    both("structure-no-booster", model(learner__gradient_booster=None), "xgboost-structure", "nothing that predicts")
    both("structure-no-features", model(learner__learner_model_param={"base_score": "0"}), "xgboost-structure", "of how many features")
    both("structure-no-trees", model(learner__gradient_booster__model={}), "xgboost-structure", "neither trees nor weights")
    both("structure-number-text", model(learner__learner_model_param__num_feature="-2"), "xgboost-structure", "less than none")
    both("structure-number-word", model(learner__learner_model_param__num_feature="two"), "xgboost-structure", "no number")
    both("structure-number-type", model(learner__learner_model_param__num_feature=2), "xgboost-structure", "numbers are text here")
    both("structure-trees-object", model(learner__gradient_booster__model__trees={}), "xgboost-structure", "no list")
    both("structure-tree-list", model(learner__gradient_booster__model__trees=[[1]]), "xgboost-structure", "no object")
    both("structure-children-text", model(tree(left_children="1")), "xgboost-structure", "no list")
    case("structure-children-floats.json", text(model(tree(left_children=[1.5, 3, -1, -1, -1]))), "xgboost-structure", "a node between two")
    case("structure-null.json", text(model()).replace('"feature_types":[]', '"feature_types":null'), "xgboost-structure", "nothing for a list")
    case("structure-list.ubj", b"{L" + struct.pack(">q", 7) + b"learner{" + b"}[}", "xgboost-syntax", "a bracket for a name")
    both("structure-integers", model(tree()), "", "all as it should be")


def trees():
    def wrong(name, why, **changes):
        both("tree-" + name, model(tree(**changes)), "xgboost-tree", why)
    both("tree-ok", model(tree()), "", "one tree")
    wrong("child-beyond", "a child that is not there", left_children=[1, 5, -1, -1, -1])
    wrong("child-negative", "a child before the first", left_children=[1, -2, -1, -1, -1])
    wrong("child-half", "one child only", left_children=[1, -1, -1, -1, -1])
    wrong("circle", "a child that is its own parent", left_children=[1, 1, -1, -1, -1])
    wrong("circle-root", "a child that is the root", left_children=[1, 0, -1, -1, -1])
    wrong("shared", "a child of two", left_children=[1, 2, -1, -1, -1])
    wrong("feature-beyond", "a feature that is not there", split_indices=[0, 2, 0, 0, 0])
    wrong("feature-negative", "a feature before the first", split_indices=[0, -1, 0, 0, 0])
    wrong("short", "a list that is shorter than the others", split_conditions=[0.5])
    wrong("short-default", "a list that is shorter than the others", default_left=[1])
    wrong("short-weights", "a list that is shorter than the others", base_weights=[1.0])
    wrong("default", "neither left nor right", default_left=[2, 0, 0, 0, 0])
    wrong("no-nodes", "a tree of nothing", tree_param=dict(tree()["tree_param"], num_nodes="0"))
    wrong("more-nodes", "more nodes than it has", tree_param=dict(tree()["tree_param"], num_nodes="6"))
    wrong("categories", "categories that are not there", categories=[1], categories_nodes=[0], categories_segments=[0], categories_sizes=[2])
    wrong("categories-segment", "categories before the first", categories=[1], categories_nodes=[0], categories_segments=[-1], categories_sizes=[1])
    wrong("categories-lists", "sizes without segments", categories=[1], categories_nodes=[0], categories_sizes=[1])
    case("tree-child-huge.json", text(model(tree(left_children=[4294967297, 3, -1, -1, -1]))), "xgboost-tree", "2^32 + 1: one, where that is cut off")
    both("tree-leaf-vector", model(tree(tree_param=dict(tree()["tree_param"], size_leaf_vector="3"))), "format-partly-checked", "leaves of three numbers")
    both("tree-count", model(learner__gradient_booster__model__gbtree_model_param__num_trees="3"), "xgboost-tree", "one tree fewer than it says")
    both("tree-groups-short", model(learner__gradient_booster__model__tree_info=[0]), "xgboost-tree", "a tree for no output")
    both("tree-groups-beyond", model(learner__gradient_booster__model__tree_info=[0, 1]), "xgboost-tree", "an output that is not there")
    both("tree-groups-negative", model(learner__gradient_booster__model__tree_info=[0, -1]), "xgboost-tree", "an output before the first")
    case("tree-feature-beyond-first.json", text(dict(reversed(model(tree(split_indices=[0, 2, 0, 0, 0], tree_param=dict(
        tree()["tree_param"], num_feature="9"))).items()))), "xgboost-tree", "the tree's own number is another")
    wrong("category-huge", "two hundred megabytes of bits", split_type=[1, 0, 0, 0, 0], categories=[2147483647], categories_nodes=[0],
          categories_segments=[0], categories_sizes=[1])
    both("tree-parallel", model(learner__gradient_booster__model__gbtree_model_param__num_parallel_tree="0"), "xgboost-tree", "XGBoost divides by it")
    both("tree-rounds-ok", model(learner__gradient_booster__model__iteration_indptr=[0, 1, 2]), "", "as XGBoost 2 writes it")
    both("tree-rounds-beyond", model(learner__gradient_booster__model__iteration_indptr=[0, 1, 3]), "xgboost-tree", "a tree that is not there")
    both("tree-rounds-back", model(learner__gradient_booster__model__iteration_indptr=[0, 5, 2]), "xgboost-tree", "beyond, and back")
    both("tree-two-models", model(learner__gradient_booster__gbtree={"model": {}, "name": "gbtree"}), "xgboost-structure", "which one?")
    wrong("parent-beyond", "a parent that is not there: XGBoost crashes", parents=[NO_PARENT, 0, 0, 16777217, 1])
    wrong("parent-other", "a parent whose child is another", parents=[NO_PARENT, 0, 0, 2, 1])
    wrong("parent-of-root", "the root's parent", parents=[4, 0, 0, 1, 1])
    wrong("parent-none", "a child that knows no parent", parents=[NO_PARENT, 0, NO_PARENT, 1, 1])
    wrong("parents-missing", "no parents", parents=[])
    both("tree-deleted", model(tree(left_children=[1, -1, -1, -1, -1], right_children=[2, -1, -1, -1, -1], parents=[NO_PARENT, 0, 0, 1, 1])),
         "", "nodes that were cut off")
    for name, parent in (("none", NO_PARENT), ("minus", -1), ("far", 1000000000)):
        both(f"tree-deleted-{name}", model(tree(left_children=[1, -1, -1, -1, -1], right_children=[2, -1, -1, -1, -1], parents=[NO_PARENT, 0, 0, 1, parent])),
             "xgboost-tree", "whose parent XGBoost looks at all the same")
    both("tree-deleted-word", model(tree(tree_param=dict(tree()["tree_param"], num_deleted="x"))), "xgboost-structure", "no number")
    wrong("number", "put where another is", id=1)
    both("tree-linear-short", linear([0.5, 0.25]), "xgboost-tree", "fewer weights than features")
    both("tree-drop", model(learner__gradient_booster={"gbtree": model()["learner"]["gradient_booster"], "name": "dart",
                                                       "weight_drop": [1.0]}), "xgboost-tree", "fewer weights than trees")


def weights():
    nan, inf = float("nan"), float("inf")
    both("weights-nan", model(tree(base_weights=[0.5, nan, 1.0, 2.0, 3.0])), "weights-nan", "no number", nonfinite={"floats": {"nan": 1}})
    both("weights-inf", model(tree(split_conditions=[0.5, inf, -inf, 2.0, 3.0])), "weights-inf", "infinite", nonfinite={"floats": {"pos_inf": 1, "neg_inf": 1}})
    case("weights-overflow.json", text(model()).replace("[0.5,0.25,1.0", "[0.5,1e39,1.0", 1), "weights-inf", "more than a float holds", nonfinite={"floats": {"pos_inf": 1}})
    case("weights-largest.json", text(model()).replace("[0.5,0.25,1.0", "[0.5,3.4028235e38,1.0", 1), "", "the largest")
    both("weights-base", model(learner__learner_model_param__base_score="nan"), "weights-nan", "what predictions begin with", nonfinite={"floats": {"nan": 1}})
    both("weights-mask", linear([0.0, 0.0, inf]), "weights-inf-mask", "a mask", nonfinite={"floats": {"pos_inf": 1}})


def parameters():
    """What XGBoost 3.2 does not open the model without, and what it reads as a number."""
    for path in ("base_score", "num_class", "num_feature"):
        both("parameter-" + path.replace("_", "-"), model(**{"learner__learner_model_param__" + path: None}), "xgboost-structure", "XGBoost: map::at")
    for path in ("num_feature", "size_leaf_vector"):
        given = {k: v for k, v in tree()["tree_param"].items() if k != path}
        both("parameter-tree-" + path.replace("_", "-"), model(tree(), tree(tree_param=given)), "xgboost-tree", "of the second tree: map::at")
    both("parameter-targets", model(learner__learner_model_param__num_target="0"), "xgboost-structure", "of nothing")
    both("parameter-average", model(learner__learner_model_param__boost_from_average="q"), "format-partly-checked", "no number")
    both("parameter-weight", model(learner__objective__reg_loss_param={"scale_pos_weight": "q"}), "format-partly-checked", "no number")
    both("parameter-word", model(learner__objective={"name": "survival:aft", "aft_loss_param": {"aft_loss_distribution": "normal",
                                                                                               "aft_loss_distribution_scale": "1"}}), why="a word")
    both("parameter-others", model(learner__learner_model_param__num_target=None, learner__learner_model_param__boost_from_average=None), why="not asked for")


CORPUS.make(wholes, codes, learners, syntaxes, structures, trees, weights, parameters)
