#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: archives of TorchScript with small sources, as PyTorch writes them and as
it does not.  Always the same bytes; nothing here is ever loaded, and no payload would do more than write a file.

A case has the members of corpus/findings; code is for review, whatever it calls."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from torch_writer import (  # noqa: E402 pylint: disable=wrong-import-position
    Build, Call, G, New, checkpoint, dumps, storage, tensor)

CODE, LOADABLE, ALLOWED = "torch-script-code", "torch-opcode-outside-weights-only", "pickle-global-allowed"
UNKNOWN, ACTS = f"{CODE} torch-script-unknown", f"{CODE} torch-script-operator"
CORPUS = Cases(".pt", {LOADABLE, ALLOWED}, {CODE, "torch-script-unknown", "torch-script-bytecode", "pickle-global-unknown",
                                                  "pickle-arguments", "torch-unknown-member"}, sections=True)

HEAD = "class Net(Module):\n  __parameters__ = [\"w\", ]\n  __buffers__ = []\n  w : Tensor\n  training : bool\n"
FORWARD = "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n"
MODULE = Build(New(G("__torch__", "Net")), {"w": tensor(), "training": False})


def source(*body):
    return HEAD + FORWARD + "".join(f"    {line}\n" for line in body)


def case(name, text, codes, why, module=MODULE, extra=(), **more):
    members = [("archive/code/__torch__.py", text.encode() if isinstance(text, str) else text), *extra]
    CORPUS.case(name, checkpoint(module, extra=members), f"{codes} {LOADABLE} {ALLOWED}", why, **more)


ADD = source("w = self.w", "return torch.add(x, w)")


def known():
    case("known-add", ADD, CODE, "an operator of the table")
    case("known-default", ADD, CODE, "the same, where the policy says nothing", expect="review")
    case("known-review", ADD, CODE, "the same")
    case("known-words", source(
        "_0 = __torch__.torch.nn.functional.relu", "x0 = _0(x, )", "outs = annotate(List[Tensor], [])", "n = torch.len(outs)",
        "for i in range(n):", "  x1 = outs[i]", "if bool(torch.gt(torch.sum(x0), 0)):", "  x2 = unchecked_cast(Tensor, x0)",
        "else:", "  ops.prim.RaiseException(\"no: \\\"\\n\", \"builtins.ValueError\")", "  x2 = x",
        "layers = getattr(self, \"0\")", "x3 = (layers).forward(x2, -1, 1e-05, 2., -inf, )",
        "x4 = torch.masked_fill(x3, CONSTANTS.c0, {\"a\": 1})", "return (x4)"), CODE, "as PyTorch writes a model")
    case("known-convolution", source("return torch._convolution(x, x, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, False, False, "
                                     "True, True)"), CODE, "what traces are made of, though its name is private")
    case("known-nested", source("return torch.add(torch.mul(x, 2), ops.prim.NumToTensor(1))"), CODE, "one in another")
    floats = struct.pack("<2f", 1, float("nan"))
    constants = dumps((tensor(storage(numel=2), size=(2,)),))
    case("known-constants", ADD, f"{CODE} weights-nan", "tensors that the source names are weights too", expect="review",
         nonfinite={"0": counts(1)}, extra=[("archive/constants/0", floats), ("archive/constants.pkl", constants)])
    case("known-constants-missing", ADD, f"{CODE} torch-storage-missing", "their storages are there",
         extra=[("archive/constants.pkl", constants)])
    functions = dumps(Call(G("torch.jit._pickle", "build_intlist"), [1, 2]))
    case("known-debug", ADD, CODE, "where the source came from", extra=[("archive/code/__torch__.py.debug_pkl", functions)])
    case("known-debug-other", ADD, f"{CODE} pickle-global-dangerous", "another function of that module",
         extra=[("archive/code/__torch__.py.debug_pkl", dumps(G("torch.jit._pickle", "loads")))], expect="reject")


def unknown():
    def odd(name, why, *body, **more):
        case("unknown-" + name, source(*body, "return x"), UNKNOWN, why, **more)

    odd("empty", "memory that nobody filled", "x0 = torch.empty([3])")
    odd("private", "an operator whose arguments are believed", "x0 = torch._embedding_bag_backward(x, x)")
    odd("future", "an operator that no release has", "x0 = torch.open_sesame(x)")
    odd("method", "the same on a value", "x0 = x.set_(x)")
    odd("method-text", "the same by a text", "x0 = getattr(x, \"set_\")(x)")
    odd("getattr-escaped", "a text that says something else", "x0 = getattr(x, \"s\\145t_\")(x)")
    odd("getattr-computed", "a text that is computed", "x0 = getattr(x, name)(x)")
    odd("getattr-renamed", "under another name it takes any text", "_0 = getattr", "x0 = _0(x, \"set_\")")
    odd("namespace", "operators of another library", "x0 = ops.quantized.linear(x, x)")
    odd("namespace-renamed", "a namespace under another name", "_0 = torch", "x0 = _0.add(x, x)")
    odd("namespace-prim", "a primitive that is none of a saved model", "x0 = ops.prim.PythonOp(x)")
    odd("custom-class", "a class of C++", "x0 = __torch__.torch.classes.quantized.LinearPackedParamsBase")
    odd("custom-class-renamed", "the same in two steps", "_0 = __torch__.torch", "x0 = _0.classes")
    odd("fork", "runs beside", "_0 = fork(x)")
    odd("with", "calls what the object has for it", "with x:", "  pass")
    odd("call", "a name that the source did not make", "x0 = open(\"x\")")
    odd("comment", "no writer writes any; the next quote begins or ends a text", "# \"")
    odd("text-triple", "a text over several lines", "x0 = \"\"\" \" \"\"\"")
    odd("text-single", "other quotes", "x0 = '\"'")
    odd("text-prefix", "another kind of text", "x0 = r\"\\\"")
    odd("text-open", "a text without an end", "x0 = \"")
    odd("character", "a line that goes on", "x0 = torch.\\")
    odd("letter", "a letter of another alphabet", "t\u043erch = 1")
    odd("number", "a method of a number", "x0 = 1.set_(x)")
    quantised = Build(New(G("__torch__", "Net")), {"w": tensor(), "p": Build(New(G("__torch__.torch.classes.quantized", "Linear")), ())})
    case("unknown-object", ADD, f"{CODE} pickle-global-unknown", "an instance of a class of C++", module=quantised)
    case("unknown-bytecode", ADD, f"{CODE} torch-script-bytecode", "instructions, whose numbers are followed",
         extra=[("archive/bytecode.pkl", dumps((9, ("__torch__.Net.forward", (("operators", (("aten::add", "Tensor", 2),)),)))))])


def acting():
    def acts(name, why, *body):
        case("acts-" + name, source(*body, "return x"), ACTS, why)

    acts("save", "writes a file", "torch.save(5, \"canary\")")
    acts("from-file", "maps a file, and may write to it", "x0 = torch.from_file(\"canary\", True, 1)")
    acts("namespace", "by another name", "ops.aten.save(5, \"canary\")")
    acts("renamed", "called later", "_0 = torch.save", "_1 = _0(5, \"canary\")")
    acts("spaced", "however it is spaced", "torch . save(5, \"canary\")")
    acts("image", "an operator of torchvision", "ops.image.write_file(\"canary\", x)")
    acts("video", "a library that opens files and nothing else", "x0 = ops.video.Video")
    case("acts-hidden", source("# \"", "torch.save(5, \"canary\")", "return x"), f"{UNKNOWN} torch-script-operator",
         "behind what ends the reading")
    case("acts-default", source("torch.save(5, \"canary\")", "return x"), ACTS, "under any policy")
    case("acts-bytecode", ADD, f"{ACTS} torch-script-bytecode", "among the instructions",
         extra=[("archive/bytecode.pkl", dumps((9, ("f", (("operators", (("aten::save", "", 2),)),)))))])
    case("acts-library", ADD, f"{CODE} torch-native-code", "native code beside the source",
         extra=[("archive/extra/model.so", b"\x7fELF" + bytes(60))])


for section in (known, unknown, acting):
    section()
CORPUS.write()
