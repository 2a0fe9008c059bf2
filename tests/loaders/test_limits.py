"""Parameters of operators in the runtimes themselves: models made from the tables of limits, one of their numbers another, and near
misses of the corpus with a number changed.  One that we accept neither ends the runtime nor runs beyond limits; that it may refuse a
model, with an exception, is its business.

Numbers are small or far beyond memory: what lies between is what a policy allows and this machine may not have."""
import os
import random
import re
import struct
import sys

import child
import ours
import tap

sys.path[:0] = [os.path.join(ours.SOURCE, "tests", "support"), os.path.join(ours.SOURCE, "lib", "judges", "limits")]
# pylint: disable=wrong-import-position
import limits  # noqa: E402
import limits_gguf  # noqa: E402
import limits_onnx  # noqa: E402
import limits_tf  # noqa: E402
import limits_tflite  # noqa: E402
from limits_sides import Operand, sides  # noqa: E402

CASES = ours.share("limits", 60)
SEED = int(ours.OPTIONS.get("seed", 18))
TABLES = os.path.join(ours.SOURCE, "lib", "judges", "limits")
EDGES = (0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 255, -1, -2, -3, -8, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 40, -(1 << 40), 1 << 62)
AT_ONCE = 16
LIMITS = child.Limits(cpu_s=60, wall_s=600, memory_bytes=4096 * child.MIB)


def onnx_rows():
    """Inputs of other ranks than one, and outputs of any."""
    rng = random.Random(SEED)

    def value(name, _=None):
        shape = [limits_onnx.num(1, d) for d in rng.choice(((1,), (2, 2), (1, 1, 4), (1, 1, 4, 4), (1, 4, 4, 4)))]
        said = limits_onnx.blob(2, limits_onnx.many(1, shape)) if name == "x" else b""
        return limits_onnx.blob(1, name) + limits_onnx.blob(2, limits_onnx.blob(1, limits_onnx.num(1, limits_onnx.FLOAT) + said))
    limits_onnx.value = value
    for _, domain, name, since, inputs, _, terms in limits.onnx_read(os.path.join(TABLES, "onnx.tsv")):
        yield terms, lambda o, row=(name, domain, since, inputs): limits_onnx.of_operands(*row, o)


def tflite_rows():
    for _, code, _, table, fields, _, _, terms in limits.tflite_read(os.path.join(TABLES, "tflite.tsv")):
        places = {k: -1 - v[0] for k, v in fields.items()}
        yield terms, lambda o, row=(code, table, places, (2, 1)): limits_tflite.of_operands(*row, o)


def tf_rows():
    """Types that nothing else says are FLOAT, where the operator takes it: it has kernels."""
    for _, (name, *_, terms) in limits.rows(os.path.join(TABLES, "tf.tsv")):
        takes, _, attrs = limits_tf.OPS[name]

        def build(operands, name=name, takes=takes, attrs=attrs):
            said = {t for n, t in takes if n in operands}
            free = [a for a, m in attrs.items() if m[2] == "type" and not m[3] and m[4] and a not in said and a not in operands]
            floats = {a: Operand([1]) for a in free if not attrs[a][6] or "1" in attrs[a][6].split(",")}
            return limits_tf.of_operands(name, {**floats, **operands})
        yield terms, build


def gguf_rows():
    """A key of a small model that the library reads."""
    for _, key, architectures, terms in limits.gguf_read(os.path.join(TABLES, "gguf.tsv"))[2]:
        architecture = "llama" if architectures[0] in "*!" else architectures.split()[0]
        base = {"*.block_count": 1, "*.context_length": 8, "*.embedding_length": 8, "*.feed_forward_length": 8,
                "*.attention.head_count": 2, "*.attention.layer_norm_rms_epsilon": 1e-5, "tokenizer.ggml.model": "llama",
                "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "a"], "tokenizer.ggml.scores": [0.0] * 4,
                "tokenizer.ggml.token_type": [2, 3, 3, 1]}

        def build(operands, key=key, architecture=architecture, base=base):
            values = next(iter(operands.values())).values if operands else 1
            one = values[0] if isinstance(values, list) and len(values) == 1 else values
            return limits_gguf.gguf({**base, key: one if isinstance(one, list) else max(min(one, (1 << 32) - 1), -(1 << 31))}, architecture)
        yield terms, build


def varied(rng, operands):
    """The same names, and another number or dimension in one of them."""
    found = dict(operands)
    name = rng.choice(sorted(found))
    o = found[name]
    if not isinstance(o, Operand):
        return {**found, name: rng.choice((0, 1, 2, 3, 5, 9))}
    if o.dims is not None:
        dims = list(o.dims) or [1]
        dims[rng.randrange(len(dims))] = rng.choice((0, 1, 2, 3, 4, 7))
        return {**found, name: Operand(dims=tuple(dims), kind=o.kind)}
    values = list(o.values) if isinstance(o.values, list) else [o.values]
    if not values or isinstance(values[0], str):
        return found
    values[rng.randrange(len(values))] = rng.choice(EDGES)
    return {**found, name: Operand(values[:rng.choice((1, 2, 4, 300))], kind=o.kind)}


def of_tables(rng, rows):
    """Models without end; those that the builders do not make are left out."""
    rows = [(terms.split(), build) for terms, build in rows if terms]
    while True:
        terms, build = rng.choice(rows)
        operands = {}
        for term in rng.sample(terms, min(len(terms), 3)):
            good = (sides(term) or ({}, {}))[1]
            operands.update({k: v for k, v in good.items() if k not in operands})
        try:
            yield build(varied(rng, operands) if operands else operands)
        except (KeyError, IndexError, ValueError, TypeError, OverflowError, ArithmeticError) as e:
            if not e.args:
                raise
        except Exception as e: # pylint: disable=broad-exception-caught
            if type(e).__name__ != "error": # struct's: no number of that width
                raise


def of_corpus(rng, ending):
    """Near misses with a byte or four changed, which is often a number."""
    folder = os.path.join(ours.CORPUS, "limits", "files")
    contents = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(f"-near.{ending}"):
            with open(os.path.join(folder, name), "rb") as f:
                contents.append(f.read())
    while True:
        data = bytearray(rng.choice(contents))
        at, width = rng.randrange(len(data)), rng.choice((1, 4))
        data[at:at + width] = (rng.choice(EDGES) % 2 ** (8 * width)).to_bytes(width, "little")[:len(data) - at]
        yield bytes(data)


def models(rows, ending):
    rng = random.Random(SEED)
    tables, corpus = of_tables(rng, list(rows)), of_corpus(rng, ending)
    for i in range(CASES):
        yield next(corpus if i % 3 == 0 else tables)


def tokenizers():
    """Those of the corpus that we accept, with another number."""
    rng, contents = random.Random(SEED), []
    for path, _ in ours.accepted("tokenizers", "--allow-empty"):
        with open(path, "rb") as f:
            contents.append(f.read())
    for _ in range(CASES):
        data = rng.choice(contents)
        numbers = list(re.finditer(rb"(?<=[\s:\[,])-?\d+(?=[\s,\]}])", data))
        one = rng.choice(numbers) if numbers else None
        yield data[:one.start()] + str(rng.choice(EDGES)).encode() + data[one.end():] if one else data


def harm(result):
    """How it ended, if not by an exception.  Memory that this machine does not give is no harm."""
    if b"bad_alloc" in result.err or b"out of memory" in result.err.lower():
        return None
    return "no end" if result.timed_out else f"signal {result.signal}" if result.signal else None


ALL = """
import struct
value, at = [], 0
while at < len(data):
    n, = struct.unpack_from("<I", data, at)
    try:
        one(data[at + 4:at + 4 + n])
        value.append("ran")
    except Exception as e:
        value.append(type(e).__name__)
    at += 4 + n
"""


def framed(contents):
    return b"".join(struct.pack("<I", len(c)) + c for c in contents)


def check(what, contents, ending, setup):
    """@setup defines one(data), which opens a model and runs it.  Many share a process; where that comes to harm, each is asked alone."""
    accepted = [data for _, data, verdict in ours.judged(contents, "." + ending, "--allow-empty") if verdict["verdict"] == "accept"]
    harmed, ran = [], 0
    with child.Server(child.TODAY, setup, ALL, limits=LIMITS) as server:
        for i in range(0, len(accepted), AT_ONCE):
            some = accepted[i:i + AT_ONCE]
            together = server.run(framed(some))
            results = [] if together.loaded else [(data, server.run(framed([data]))) for data in some]
            ran += sum((r.value or []).count("ran") for r in [together, *(r for _, r in results)])
            harmed += [(harm(r), data.hex(), r.err[-300:]) for data, r in results if harm(r)]
    print(f"# {what}: {len(accepted)} of {CASES} accepted, {ran} of them ran")
    assert len(accepted) >= CASES // 20, len(accepted)
    assert not harmed, (len(harmed), harmed[:3])


def test_what_is_accepted_does_not_end_onnxruntime():
    child.need(child.TODAY, "onnxruntime")
    check("onnxruntime", models(onnx_rows(), "onnx"), "onnx", """
        import numpy, onnxruntime
        onnxruntime.set_default_logger_severity(4)
        TYPES = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(int64)": "i8", "tensor(int32)": "i4", "tensor(bool)": "?"}

        def one(data):
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
            session.run(None, {i.name: numpy.zeros([d if isinstance(d, int) and d < 64 else 1 for d in i.shape], TYPES[i.type])
                               for i in session.get_inputs()})
        """)


def test_what_is_accepted_does_not_end_litert():
    child.need(child.TODAY, "ai_edge_litert")
    check("ai-edge-litert", models(tflite_rows(), "tflite"), "tflite", """
        from ai_edge_litert import interpreter

        def one(data):
            for resolver in ("BUILTIN_WITHOUT_DEFAULT_DELEGATES", "BUILTIN_REF"):
                runtime = interpreter.Interpreter(model_content=data, num_threads=1,
                                                  experimental_op_resolver_type=interpreter.OpResolverType[resolver])
                runtime.allocate_tensors()
                runtime.invoke()
        """)


def test_what_is_accepted_does_not_end_tensorflow():
    child.need(child.TODAY, "tensorflow")
    check("tensorflow", models(tf_rows(), "pb"), "pb", """
        import os
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow as tf
        from tensorflow.core.protobuf import saved_model_pb2

        def one(data):
            model = saved_model_pb2.SavedModel.FromString(data)
            with tf.Graph().as_default() as graph:
                tf.graph_util.import_graph_def(model.meta_graphs[0].graph_def, name="")
                ops = graph.get_operations()
                config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
                with tf.compat.v1.Session(graph=graph, config=config) as session:
                    for op in ops:
                        if op.type not in ("Placeholder", "Const"):
                            session.run(list(op.outputs) or op) # what a caller would give is not the file's
        """)


def test_what_is_accepted_does_not_end_openvino():
    child.need(child.TODAY, "openvino")
    check("openvino", models(onnx_rows(), "onnx"), "onnx", """
        import numpy, openvino
        core = openvino.Core()
        core.set_property("CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1})

        def one(data):
            compiled = core.compile_model(core.read_model(data), "CPU")
            compiled([numpy.zeros([1 if d.is_dynamic else d.get_length() for d in i.partial_shape], i.element_type.to_dtype())
                      for i in compiled.inputs])
        """)


def test_what_is_accepted_does_not_end_the_reader_of_gguf():
    child.need(child.TODAY, "gguf")
    check("gguf", models(gguf_rows(), "gguf"), "gguf", """
        import gguf

        def one(data):
            with open("model.gguf", "wb") as f:
                f.write(data)
            [t.data.shape for t in gguf.GGUFReader("model.gguf").tensors]
        """)


def test_what_is_accepted_does_not_end_tokenizers():
    child.need(child.TODAY, "tokenizers")
    check("tokenizers", tokenizers(), "json", """
        import os
        from tokenizers import Tokenizer

        def one(data):
            try:
                t = Tokenizer.from_str(data.decode())
                for text in ("a b ab", "a" * 40 + "!", "[CLS] a\u00e9", "a " * 200):
                    t.encode(text)
                t.decode([0, 1, 2, 3], skip_special_tokens=False)
            except BaseException as e:
                if type(e).__name__ == "PanicException": # Rust's; of a program in C it is the end
                    os.abort()
                raise
        """)


if __name__ == "__main__":
    tap.main(globals())
