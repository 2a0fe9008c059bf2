"""Our reader beside the onnx package: models that its helpers make are accepted, or held for the reasons that the sheet
gives; models that its checker refuses are not accepted.  Left out where the package is not installed.

    test_onnx_reader.py WEIGHLOCK"""
import json
import os
import random
import subprocess
import sys
import tempfile

import tap

WEIGHLOCK = sys.argv[1]
SEED = 20261121

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError:
    onnx = None

def judged(models):
    """(verdict, codes) of serialised models, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, data in enumerate(models):
            paths.append(os.path.join(folder, f"{i}.onnx"))
            with open(paths[-1], "wb") as f:
                f.write(data)
        done = subprocess.run([WEIGHLOCK, "scan", "--format", "json", "--", *paths], capture_output=True, timeout=600,
                              check=False)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(verdicts) == len(paths), done.stderr[-1000:]
    return [(v["verdict"], {f["code"] for f in v["findings"]}) for v in verdicts]


def need_package():
    if onnx is None:
        raise tap.Skip("the onnx package is not installed")


# -- honest models

def dtypes():
    return [t for t in range(1, 17) if t != TensorProto.UNDEFINED]


def array_of(dtype, shape, rng):
    kind = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[dtype]
    n = int(np.prod(shape))
    if dtype == TensorProto.BOOL:
        return np.array([rng.random() < 0.5 for _ in range(n)], dtype=bool).reshape(shape)
    return np.array([rng.randrange(0, 100) for _ in range(n)]).astype(kind).reshape(shape)


def random_tensor(name, rng, dtype=None):
    dtype = dtype or rng.choice(dtypes())
    shape = [rng.randrange(0, 5) for _ in range(rng.randrange(0, 4))]
    n = int(np.prod(shape))
    if dtype == TensorProto.STRING:
        return helper.make_tensor(name, dtype, shape, [b"text"] * n)
    if rng.random() < 0.5 and dtype != TensorProto.BFLOAT16:
        return numpy_helper.from_array(array_of(dtype, shape, rng), name)
    if dtype in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        return helper.make_tensor(name, dtype, shape, [complex(i, -i) for i in range(n)])
    return helper.make_tensor(name, dtype, shape, [rng.randrange(0, 2) for _ in range(n)])


def typed_value(name, dtype=TensorProto.FLOAT if onnx else 1):
    return helper.make_tensor_value_info(name, dtype, ["batch", 3, None])


def constants(rng, names):
    """Nodes without inputs, one for each kind of attribute that a constant may have."""
    kinds = [{"value": random_tensor("", rng)}, {"value_float": rng.random()}, {"value_int": rng.randrange(-5, 5)},
             {"value_floats": [rng.random() for _ in range(rng.randrange(1, 20))]}, {"value_string": b"\xff\0text"},
             {"value_ints": [rng.randrange(-1 << 62, 1 << 62) for _ in range(rng.randrange(1, 20))]},
             {"value_strings": ["a", "b"]}]
    return [helper.make_node("Constant", [], [name], **rng.choice(kinds)) for name in names]


def body(prefix, rng, depth, outer):
    """A graph without inputs that uses a value of the one around it."""
    nodes = constants(rng, [f"{prefix}c"]) + [helper.make_node("Add", [f"{prefix}c", outer], [f"{prefix}s"])]
    last = f"{prefix}s"
    if depth > 0:
        inner = [body(f"{prefix}{branch}", rng, depth - 1, last) for branch in "te"]
        nodes.append(helper.make_node("If", [outer], [f"{prefix}r"], then_branch=inner[0], else_branch=inner[1]))
        last = f"{prefix}r"
    return helper.make_graph(nodes, prefix + "body", [], [typed_value(last)],
                             [random_tensor(f"{prefix}w", rng)] if rng.random() < 0.5 else [])


def loop(rng):
    inner = helper.make_graph(
        [helper.make_node("Identity", ["lc"], ["ld"]), helper.make_node("Add", ["lv", "x"], ["lr"])], "loop",
        [helper.make_tensor_value_info("li", TensorProto.INT64, []),
         helper.make_tensor_value_info("lc", TensorProto.BOOL, []), typed_value("lv")],
        [helper.make_tensor_value_info("ld", TensorProto.BOOL, []), typed_value("lr")])
    return [helper.make_node("Constant", [], ["trips"], value_int=rng.randrange(1, 1000)),
            helper.make_node("Loop", ["trips", "", "x"], ["looped"], body=inner)]


def scan_node():
    inner = helper.make_graph([helper.make_node("Add", ["sa", "sb"], ["sc"]), helper.make_node("Identity", ["sc"], ["sd"])],
                              "scan", [typed_value("sa"), typed_value("sb")], [typed_value("sc"), typed_value("sd")])
    return helper.make_node("Scan", ["x", "x"], ["scanned", "all"], body=inner, num_scan_inputs=1)


def sparse_tensor(rng):
    places = sorted(rng.sample(range(12), 4))
    values = helper.make_tensor("sparse", TensorProto.FLOAT, [4], [1.0, 2.0, 3.0, 4.0])
    if rng.random() < 0.5:
        indices = helper.make_tensor("", TensorProto.INT64, [4], places)
    else:
        indices = numpy_helper.from_array(np.array([[p // 4, p % 4] for p in places], dtype=np.int64))
    return helper.make_sparse_tensor(values, indices, [3, 4])


def function_of(rng):
    return helper.make_function(
        "local", "Twice", ["a"], ["b"],
        [helper.make_node("Add", ["a", "a"], ["t"])] + [helper.make_node("LeakyRelu", ["t"], ["b"], alpha=rng.random())],
        [helper.make_opsetid("", 17)], [])


def elsewhere(t):
    size = len(t.raw_data)
    t.ClearField("raw_data")
    t.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "model.onnx.data"), ("offset", "4096"), ("length", str(size))):
        entry = t.external_data.add()
        entry.key, entry.value = key, value
    return t


def honest_model(i):
    rng = random.Random(SEED + i)
    nodes = constants(rng, [f"c{k}" for k in range(rng.randrange(0, 6))]) + [helper.make_node("Relu", ["x"], ["y"])]
    tensors = [random_tensor(f"w{k}", rng) for k in range(rng.randrange(0, 8))]
    opsets, held, more = [helper.make_opsetid("", 17)], set(), {}
    if rng.random() < 0.3:
        then, otherwise = (body(p, rng, rng.randrange(0, 3), "x") for p in "te")
        nodes.append(helper.make_node("If", ["x"], ["chosen"], then_branch=then, else_branch=otherwise))
    if rng.random() < 0.2:
        nodes += loop(rng)
    if rng.random() < 0.2:
        nodes.append(scan_node())
    if rng.random() < 0.2:
        opsets.append(helper.make_opsetid("local", 1))
        nodes.append(helper.make_node("Twice", ["x"], ["doubled"], domain="local"))
        more["functions"] = [function_of(rng)]
    if rng.random() < 0.15:
        tensors.append(elsewhere(numpy_helper.from_array(np.ones([2, 3], dtype=np.float32), "far")))
        held.add("onnx-external-unchecked")
    graph = helper.make_graph(nodes, "g", [typed_value("x")], [typed_value("y")], tensors,
                              doc_string="Prose,\nwith lines." if rng.random() < 0.3 else None,
                              sparse_initializer=[sparse_tensor(rng)] if rng.random() < 0.3 else None)
    model = helper.make_model(graph, opset_imports=opsets, producer_name="test", ir_version=rng.choice([7, 8]), **more)
    if rng.random() < 0.3:
        helper.set_model_props(model, {"author": "somebody", "note": "a\nb"})
    if rng.random() < 0.15:
        info = model.training_info.add()
        info.algorithm.CopyFrom(helper.make_graph([helper.make_node("Identity", ["x"], ["z"])], "algorithm", [], []))
        held.add("onnx-training-info")
    return model, held


def test_what_the_package_writes_is_accepted():
    need_package()
    made = [honest_model(i) for i in range(300)]
    wrong = [i for i, (m, held) in enumerate(made) if "onnx-external-unchecked" not in held and refused(m)]
    for i, ((_, held), (verdict, codes)) in enumerate(zip(made, judged([m.SerializeToString() for m, _ in made]))):
        if codes != held or verdict != ("review" if held else "accept"):
            wrong.append((i, verdict, codes, held))
    assert not wrong, wrong[:5]


# -- damaged models

def set_of(field, value):
    def damage(m, _):
        setattr(m, field, value)
    return damage


def initializer(change):
    def damage(m, _):
        del m.graph.initializer[:]
        m.graph.initializer.append(helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0]))
        change(m.graph.initializer[0])
    return damage


def first_node(change):
    def damage(m, _):
        change(m.graph.node[-1])
    return damage


def two_values(t):
    t.raw_data = bytes(8)


def attribute_twice(n):
    for _ in range(2):
        n.attribute.append(helper.make_attribute("k", 1))


def attribute_of_two(n):
    a = helper.make_attribute("k", 1)
    a.f = 1.0
    n.attribute.append(a)


def attribute_reference(n):
    a = helper.make_attribute("k", 1)
    a.ClearField("i")
    a.ref_attr_name = "other"
    n.attribute.append(a)


def sparse_of(indices, dims=(4,), values=(1.0, 2.0)):
    def damage(m, _):
        m.graph.sparse_initializer.append(helper.make_sparse_tensor(
            helper.make_tensor("s", TensorProto.FLOAT, [len(values)], values),
            helper.make_tensor("", TensorProto.INT64, [len(indices)], indices), dims))
    return damage


def unsorted(m, _):
    m.graph.node.append(helper.make_node("Relu", ["later"], ["sooner"]))
    m.graph.node.append(helper.make_node("Relu", ["x"], ["later"]))


def output_twice(m, _):
    for _ in range(2):
        m.graph.node.append(helper.make_node("Relu", ["x"], ["same"]))


def branch_unknown(m, _):
    graph = helper.make_graph([helper.make_node("Relu", ["nowhere"], ["b"])], "g", [], [typed_value("b")])
    m.graph.node.append(helper.make_node("If", ["x"], ["z"], then_branch=graph, else_branch=graph))


DAMAGES = [
    lambda m, _: m.ClearField("ir_version"), lambda m, _: m.ClearField("graph"),
    lambda m, _: m.ClearField("opset_import"), set_of("ir_version", 99), unsorted, output_twice, branch_unknown,
    initializer(two_values), initializer(lambda t: t.ClearField("float_data")),
    initializer(lambda t: t.dims.append(3)), initializer(lambda t: t.ClearField("data_type")),
    initializer(lambda t: t.int32_data.append(1)), initializer(lambda t: t.float_data.pop()),
    initializer(lambda t: t.ClearField("name")), first_node(attribute_twice), first_node(attribute_of_two),
    first_node(attribute_reference), first_node(lambda n: n.ClearField("op_type")),
    first_node(lambda n: n.input.append("nowhere")),
    first_node(lambda n: setattr(n, "domain", "not.imported")),
    lambda m, _: m.graph.input[0].ClearField("type"), sparse_of([3, 1]), sparse_of([1, 1]), sparse_of([1, 4]),
    sparse_of([-1, 1]), sparse_of([1]),
]


def refused(model):
    try:
        checker.check_model(model)
    except (checker.ValidationError, RuntimeError, ValueError):
        return True
    return False


def test_what_the_checker_refuses_is_not_accepted():
    need_package()
    made = []
    for i in range(120):
        model, _ = honest_model(i)
        rng = random.Random(i)
        DAMAGES[i % len(DAMAGES)](model, rng)
        made.append((i % len(DAMAGES), refused(model), model.SerializeToString()))
    assert sum(bad for _, bad, _ in made) > 80, sum(bad for _, bad, _ in made)
    wrong = [(n, verdict, codes) for (n, bad, _), (verdict, codes) in zip(made, judged([m for _, _, m in made]))
             if bad and verdict == "accept"]
    assert not wrong, wrong[:5]


def test_no_cut_of_a_model_is_accepted():
    need_package()
    model = next(m for m, held in map(honest_model, range(300)) if not held and 500 < m.ByteSize() < 3000)
    data = model.SerializeToString()
    wrong = [i for i, (verdict, _) in enumerate(judged([data[:i] for i in range(len(data))])) if verdict == "accept"]
    assert not wrong, wrong


tap.main(globals())
