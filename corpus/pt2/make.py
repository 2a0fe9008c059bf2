#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: exported programs as torch.export.save() writes them that each break one rule
of formats/pt2, and near misses that break none.  Always the same bytes, made without PyTorch; nothing here is loaded, and no payload
would do more than touch a file `canary`.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict, less those that every sample raises.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import Call, G, archive, checkpoint, dumps, state, tensor  # noqa: E402 pylint: disable=wrong-import-position
from zip_writer import archive as zipped  # noqa: E402 pylint: disable=wrong-import-position

ALLOWED, LOADABLE = "pickle-global-allowed", "torch-opcode-outside-weights-only"
PARTLY = "format-partly-checked"


class Programs(Cases):
    """Each is held for what nobody asks of it, whatever else there is."""
    def case(self, name, data, codes="", why="", **more):
        super().case(name, data, f"{codes} {PARTLY}".strip(), why, **more)


CORPUS = Programs(".pt2", {ALLOWED, LOADABLE}, {PARTLY, "pt2-operator", "pt2-expression-unlisted", "pt2-tree", "weights-nan", "torch-storage-orphan",
                                              "torch-unknown-member", "format-unknown", "config-target-unlisted"})

LEAF = {"type": None, "context": None, "children_spec": []}


def tree(kind, *children, context="null"):
    return {"type": kind, "context": context, "children_spec": list(children)}


def spec(value):
    return json.dumps([1, value])


ARGUMENTS = spec(tree("builtins.tuple", tree("builtins.tuple", LEAF), tree("builtins.dict", context="[]")))


def named(name):
    return {"as_tensor": {"name": name}}


def meta(sizes=(2,), strides=(1,), offset=0, dtype=7, trained=False, device="cpu", layout=7):
    number = lambda n: n if isinstance(n, dict) else {"as_int": n}  # noqa: E731 pylint: disable=unnecessary-lambda-assignment
    return {"dtype": dtype, "sizes": [number(n) for n in sizes], "requires_grad": trained, "device": {"type": device, "index": None},
            "strides": [number(n) for n in strides], "storage_offset": {"as_int": offset}, "layout": layout}


def symbol(expression, hint=2):
    return {"as_expr": {"expr_str": expression, "hint": {"as_int": hint}}}


S0 = "Symbol('s0', positive=True, integer=True)"


def program(target="torch.ops.aten.add.Tensor", size=2, guards=(), in_spec=ARGUMENTS, out_spec=spec(LEAF), metadata=None, **more):
    """y = x + w."""
    arguments = [{"name": n, "arg": named(t), "kind": 1} for n, t in (("self", "x"), ("other", "p_w"))]
    node = {"target": target, "inputs": arguments, "outputs": [named("add")], "metadata": metadata or {"torch_fn": "add_1;add"},
            "is_hop_single_tensor_return": None, "name": "add"}
    value = meta((size,))
    graph = {"inputs": [named("p_w"), named("x")], "outputs": [named("add")], "nodes": [node],
             "tensor_values": {"p_w": meta(), "x": value, "add": value}, "sym_int_values": {}, "sym_bool_values": {},
             "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {}}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "w"}}, {"user_input": {"arg": named("x")}}],
                 "output_specs": [{"user_output": {"arg": named("add")}}]}
    call = {"fqn": "", "signature": {"inputs": [], "outputs": [], "in_spec": in_spec, "out_spec": out_spec, "forward_arg_names": ["x"]}}
    module = {"graph": graph, "signature": signature, "module_call_graph": [call], "metadata": {}, "treespec_namedtuple_fields": {}}
    return {"graph_module": module, "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20},
            "verifiers": ["TRAINING"], "torch_version": "2.15.0", "guards_code": list(guards), **more}


def payload(path="weight_0", pickled=False, **more):
    return {"path_name": path, "is_param": True, "use_pickle": pickled, "tensor_meta": meta(**{"trained": True, **more})}


def config(**tensors):
    return {"config": tensors}


TWO = struct.pack("<2f", 1, 2)
SAMPLE = checkpoint(dumps(((tensor(size=(2,)),), {})), storages={"0": struct.pack("<4f", 1, 2, 3, 4)})
PARTS = {"data/weights/weight_0": TWO, "data/weights/model_weights_config.json": config(w=payload()),
         "data/constants/model_constants_config.json": config(), "models/model.json": program(), "data/sample_inputs/model.pt": SAMPLE,
         "archive_format": b"pt2", "archive_version": b"0", ".data/version": b"6\n", "byteorder": b"little",
         ".data/serialization_id": b"1" * 40}


def encoded(data):
    return data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else json.dumps(data).encode()


def saved(parts, root="model"):
    return archive([(f"{root}/{name}", encoded(data)) for name, data in parts.items() if data is not None])


def case(name, codes, why, root="model", **more):
    """`parts`: members in the place of, or beside, those of the sound one."""
    parts = more.pop("parts", {})
    sampled = f" {ALLOWED}" if "sampled" not in more else ""
    more.pop("sampled", None)
    CORPUS.case(name, saved({**PARTS, **parts}, root), codes + sampled, why, **more)


def of(name, codes, why, **more):
    case(name, codes, why, parts={"models/model.json": program(**more)})


def parts():
    case("part-sound", "", "a graph, a weight, a sample")
    case("part-root", "", "in another folder", root="package")
    case("part-order", "", "its format stands first", parts={})
    CORPUS.files["part-order.pt2"] = saved({"archive_format": b"pt2", **PARTS})
    for name in ("archive_version", ".data/version", "data/sample_inputs/model.pt", "data/weights/model_weights_config.json",
                 "data/constants/model_constants_config.json"):
        code = "pt2-structure torch-storage-orphan format-unknown" if "weights" in name else "pt2-structure"
        case(f"part-without-{name.rsplit('/', 1)[-1].strip('.').split('.')[0].replace('_', '-')}", code.replace(" format-unknown", ""),
             f"without {name}", parts={name: None}, **({"sampled": False} if "sample" in name else {}))
    case("part-no-byteorder", "", "the order of bytes is that of the machine", parts={"byteorder": None})
    case("part-big", "pt2-structure", "raw bytes are not swapped", parts={"byteorder": b"big"})
    case("part-format", "pt2-structure", "another format", parts={"archive_format": b"pt3"})
    case("part-version", "pt2-structure", "another version", parts={"archive_version": b"1"})
    case("part-release", "pt2-structure", "a version of the archive that no release has", parts={".data/version": b"11\n"})
    case("part-extra", "", "notes", parts={"extra/notes.txt": b"hello\n"})
    case("part-unknown", "torch-unknown-member", "a part that the loader does not know", parts={"notes.txt": b"hello\n"})
    case("part-two-programs", "", "two graphs", parts={"data/weights/a_weights_config.json": config(w=payload()), "models/a.json": program(),
                                                        "data/constants/a_constants_config.json": config(), "data/sample_inputs/a.pt": SAMPLE})
    case("part-other-folder", "pt2-structure torch-unknown-member", "a member beside the folder")
    CORPUS.files["part-other-folder.pt2"] = archive([(f"model/{n}", encoded(d)) for n, d in PARTS.items()] + [("x/a.txt", b"a\n")])


def old():
    def members(graph=None, sample=SAMPLE, more=()):
        return zipped(("serialized_exported_program.json", encoded(graph or program())),
                      ("serialized_state_dict.pt", checkpoint(state(w=tensor()))), ("serialized_constants.pt", checkpoint(dumps({}), storages={})),
                      ("serialized_example_inputs.pt", sample), ("version", b"8.2"), *more)

    CORPUS.case("old-sound", members(), ALLOWED, "as releases before 2.7 wrote it")
    CORPUS.case("old-extra", members(more=[("extra_files/a.txt", b"a\n")]), ALLOWED, "notes")
    CORPUS.case("old-unknown", members(more=[("a.txt", b"a\n")]), f"{ALLOWED} torch-unknown-member", "a part that the loader does not know")
    CORPUS.case("old-expression", members(program(size=symbol("__import__('os').system('touch canary')"))), f"{ALLOWED} pt2-expression",
                "a size that is a program")
    CORPUS.case("old-without", zipped(("serialized_exported_program.json", encoded(program()))), "pt2-structure", "a graph without weights")


def payloads():
    def with_(name, codes, why, data=TWO, more=None, **tensor_meta):
        codes += " torch-storage-orphan" if codes == "pt2-payload" and data else ""
        case(f"payload-{name}", codes, why, parts={"data/weights/model_weights_config.json": config(w=payload(**tensor_meta)),
                                                    "data/weights/weight_0": data, **(more or {})})

    with_("nan", "weights-nan", "a weight that is none", struct.pack("<2f", 1, float("nan")))
    CORPUS.rows[-1]["nonfinite"] = {"w": counts(nan=1)}
    with_("view", "", "every second of four", struct.pack("<4f", 1, 2, 3, 4), strides=(2,), offset=1)
    with_("view-beyond", "pt2-payload", "one beyond the last", struct.pack("<4f", 1, 2, 3, 4), strides=(2,), offset=2)
    with_("broadcast", "", "a step of nothing", struct.pack("<f", 1), strides=(0,))
    with_("odd", "pt2-payload", "half an element", TWO + b"\0\0")
    with_("short", "pt2-payload", "an element less", TWO[:4])
    with_("empty", "", "no element", b"", sizes=(0,))
    with_("empty-large", "pt2-payload", "zeros of the file's choice of size", b"", sizes=(1 << 40,))
    with_("huge", "pt2-payload", "a shape that no number holds", sizes=(1 << 40, 1 << 40), strides=(1, 1))
    with_("rank", "pt2-payload", "a stride too many", strides=(1, 1))
    with_("integers", "", "indices", struct.pack("<2q", 1, 2), dtype=5, trained=False)
    with_("integers-trained", "pt2-payload", "integers have no gradient", struct.pack("<2q", 1, 2), dtype=5)
    with_("type", "pt2-payload", "a type that there is not", dtype=14)
    with_("sparse", "pt2-payload", "another layout", layout=1)
    with_("meta", "pt2-payload", "a device of which nothing is loaded", device="meta")
    with_("expression", "pt2-payload", "a size that is no number", sizes=(symbol("s0"),))
    with_("missing", "pt2-payload torch-storage-orphan", "a member that is not there", path="weight_1")
    with_("folder", "pt2-payload torch-storage-orphan", "one in another folder", path="../constants/weight_0")
    two = config(w=payload(), v=payload(dtype=4, trained=False))
    case("payload-two-types", "pt2-payload", "the same bytes, as two types", parts={"data/weights/model_weights_config.json": two})
    case("payload-shared", "", "the same bytes, twice", parts={"data/weights/model_weights_config.json": config(w=payload(), v=payload())})
    case("payload-key-twice", "pt2-payload", "a name twice", parts={"data/weights/model_weights_config.json":
         json.dumps(config(w=payload()))[:-2] + ', "w": ' + json.dumps(payload()) + "}}"})
    case("payload-no-json", "pt2-structure torch-storage-orphan", "no JSON", parts={"data/weights/model_weights_config.json": b"{"})
    case("payload-pickled", "", "a tensor class of its own", parts={"data/weights/model_weights_config.json": config(w=payload(pickled=True)),
                                                                    "data/weights/weight_0": checkpoint(tensor())})
    case("payload-pickled-number", "pt2-payload torch-storage-orphan", "1 is true to the loader, which then unpickles the bytes", parts={
        "data/weights/model_weights_config.json": config(w=payload(pickled=1))})
    bad = checkpoint(dumps(Call(G("os", "system"), "touch canary")))
    case("payload-pickled-acts", f"pickle-global-dangerous pickle-call-dangerous torch-storage-orphan {LOADABLE}", "a pickle that acts", parts={
        "data/weights/model_weights_config.json": config(w=payload(pickled=True)), "data/weights/weight_0": bad})
    case("payload-object", "pickle-global-dangerous pickle-call-dangerous", "an object of the file's choice", parts={
        "data/constants/opaque_obj_0": dumps(Call(G("os", "system"), "touch canary"))})


def operators():
    of("operator-higher", "pt2-operator", "a loop", target="torch.ops.higher_order.while_loop")
    of("operator-cond", "", "a choice", target="torch.ops.higher_order.cond")
    of("operator-python", "", "on sizes", target="_operator.mul")
    of("operator-power", "pt2-operator", "a power of sizes", target="_operator.pow")
    of("operator-other", "pt2-operator", "of somebody's own library", target="torch.ops.mine.add.default")
    of("operator-file", "pt2-operator config-target", "one that maps a file", target="torch.ops.aten.from_file.default")
    of("operator-library", "pt2-operator config-target", "no operator at all", target="torch.ops.load_library")
    of("operator-system", "pt2-operator config-target", "a function of a module that torch imports", target="torch.os.system")
    of("operator-dunder", "pt2-operator", "an attribute of the operator", target="torch.ops.aten.add.__class__")
    of("operator-unsafe", "pt2-operator", "memory that nobody filled", target="torch.ops.aten.empty.memory_format")
    of("operator-copy", "", "as graphs are decomposed", target="torch.ops.aten._to_copy.default")
    of("operator-metadata", "", "notes are not looked up", metadata={"stack_trace": "torch.os.system", "from_node": "[]"})


def expressions():
    of("expression-sound", "", "a symbol", size=symbol(S0))
    of("expression-sum", "", "arithmetic", size=symbol(f"Add(Mul(Integer(2), {S0}), FloorDiv({S0}, Integer(-1)))"))
    of("expression-printed", "", "as releases before 2.5 wrote it", size=symbol("s0**2 + 3*u1//4 - 1"))
    of("expression-import", "pt2-expression", "a program", size=symbol("__import__('os').system('touch canary')"))
    of("expression-attribute", "pt2-expression", "an attribute", size=symbol("s0.free_symbols"))
    of("expression-class", "pt2-expression", "of a number", size=symbol("().__class__"))
    of("expression-text", "pt2-expression", "a text that is one", size=symbol("sympify('s0 + 1')"))
    of("expression-escape", "pt2-expression", "an escape", size=symbol("Symbol('\\x73')"))
    of("expression-lambda", "pt2-expression", "a function", size=symbol("(lambda: 1)()"))
    of("expression-function", "pt2-expression-unlisted", "a word that is not known", size=symbol("factorial(s0)"))
    of("expression-factorial", "pt2-expression-unlisted", "a number of which nobody has seen the end", size=symbol("99999999!"))
    of("expression-unequal", "", "and what looks like it", size=symbol("Ne(s0, 1) != 1"))
    of("expression-power", "", "a symbol to a power", size=symbol(f"Pow({S0}, Integer(2))"))
    of("expression-powers", "pt2-expression-unlisted", "a power of a power", size=symbol("Pow(Integer(9), Pow(Integer(9), Integer(9)))"))
    of("expression-stars", "pt2-expression-unlisted", "the same", size=symbol("9**9**9"))
    of("expression-power-large", "pt2-expression-unlisted", "to a large power", size=symbol(f"Pow({S0}, Integer(999))"))
    of("expression-shift", "pt2-expression-unlisted", "a shift", size=symbol("1<<99999999"))
    of("expression-hexadecimal", "pt2-expression-unlisted", "no number of arithmetic", size=symbol("0x10"))
    of("expression-empty", "pt2-expression-unlisted", "nothing", size=symbol(""))
    of("guard-sound", "", "a guard", guards=["L['x'].size()[0] >= 2", "(3*L['x'].size()[0]) % 2 == 0 and not L['x'].size()[0] > 9"])
    of("guard-acts", "pt2-expression", "a program", guards=["L['x'].size()[0] >= 2", "__import__('os').system('touch canary')"])
    of("guard-quote", "pt2-expression", "the end of the message that it is put in", guards=["L['x'] == 1, \"\")\n  import os#"])
    of("guard-no-list", "pt2-structure", "guards that are no list", **{"guards_code": {"a": "L['x']"}})


def trees():
    of("tree-list", "", "lists and dictionaries", out_spec=spec(tree("builtins.list", tree("builtins.dict", LEAF, context='["a"]'))))
    of("tree-return", "", "what an operator returns", out_spec=spec(tree("torch.return_types.topk", LEAF, LEAF)))
    of("tree-enum", "pt2-tree", "an enumeration of a module that is imported", out_spec=spec(
        tree("builtins.dict", LEAF, context='[{"__enum__": true, "fqn": "canary:A", "name": "B"}]')))
    of("tree-enum-escaped", "pt2-tree", "the same, spelled otherwise",
       out_spec=spec(tree("builtins.dict", LEAF, context="@")).replace("@", '[\\u007b\\"__enum__\\": true}]'))
    of("tree-default", "pt2-tree", "a module that is imported", out_spec=spec(
        tree("collections.defaultdict", LEAF, context={"default_factory_module": "canary", "default_factory_name": "a", "dict_context": []})))
    of("tree-other", "pt2-tree", "a class of somebody's own", out_spec=spec(tree("mine.Output", LEAF)))
    of("tree-no-json", "pt2-tree", "no JSON", out_spec="[1, ")


def graphs():
    case("graph-no-json", "pt2-structure", "no JSON", parts={"models/model.json": b"[1,"})
    case("graph-other", "pt2-structure", "JSON of something else", parts={"models/model.json": b"{}"})
    case("graph-key-twice", "pt2-structure", "a key twice", parts={"models/model.json": json.dumps(program())[:-1] + ', "guards_code": []}'})
    case("graph-escaped-key", "pt2-expression", "a key that is spelled otherwise", parts={
        "models/model.json": json.dumps(program(size=symbol("().a"))).replace('"expr_str"', '"\\u0065xpr_str"')})


def compiled():
    elf = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 0, 64, 0, 0)
    case("compiled-so", "torch-native-code format-executable", "a package of AOTInductor", parts={"data/aotinductor/model/model.so": elf})
    CORPUS.case("compiled-only", saved({"data/aotinductor/model/model.so": elf, "data/aotinductor/model/model.wrapper.cpp": b"int main;\n",
                                        **{n: PARTS[n] for n in ("archive_format", "archive_version", ".data/version", "byteorder")}}),
                "torch-native-code format-executable", "nothing but it")
    case("compiled-source", "torch-native-code", "its source alone", parts={"data/aotinductor/model/a.cpp": b"int main;\n"})
    case("compiled-notes", "", "notes about it", parts={"data/aotinductor/model/a.json": b"{}"})


CORPUS.make(parts, old, payloads, operators, expressions, trees, graphs, compiled)
