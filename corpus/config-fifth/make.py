#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: programs beside models, which say who would run them, and configurations that make a
loader or a tool run code, by what is read without being asked; each beside one that does not.  By the rules of formats/configs.  Always
the same bytes; nothing here is loaded, and names that are not a library's name nothing that exists.
"""
import json
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "config-code-in-set", "config-yaml-tag-local", "config-yaml-syntax-local", "config-environment"}
REJECTED = {"config-target", "config-import", "config-code-file", "config-remote-code", "config-expression-dangerous", "config-library",
            "config-path-escape", "config-requirement-insecure", "template-dunder", "yaml-python-tag", "format-executable"}
WHOLE = ("yaml-python-tag", "template-dunder", "repo-code")


class Fifth(Cases):
    """What is neither rejected nor accepted is held."""
    def verdict_of(self, codes):
        codes = set(codes)
        return "reject" if codes & REJECTED else "review" if codes - ACCEPTED else "accept"


CORPUS = Fifth(sections=True)
SIDE = "format-side-file"


def one(name, file, data, words="", why="", side=SIDE):
    """One configuration, under the name that its loader looks for; codes without `config-`."""
    data = json.dumps(data) if isinstance(data, (dict, list)) else data
    codes = " ".join(w if w in WHOLE else "config-" + w for w in words.split())
    CORPUS.case(f"{name}/{file}", data, codes + " " + side, why)


def elf(kind, interpreter, entry):
    """A header, one program header and a name."""
    return (b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
            + struct.pack("<II", 3 if interpreter else 1, 0) + bytes(48) + b"\0" + entry + b"\0").ljust(256, b"\0")


def programs():
    """Whoever runs them, they are held; what a library is for its entry says."""
    for name, data, why in (("python.so", elf(3, False, b"PyInit_model"), "importlib asks for PyInit_ and the module's name"),
                            ("onnxruntime.so", elf(3, False, b"RegisterCustomOps"), "session.cc, RegisterCustomOpsLibrary"),
                            ("triton.so", elf(3, False, b"TRITONBACKEND_ModelInstanceExecute"), "backend_manager.cc"),
                            ("aoti.so", elf(3, False, b"AOTInductorModelContainerRun"), "model_container_runner.cpp"),
                            ("plain.so", elf(3, False, b"run"), "no entry that we know"),
                            ("started.so", elf(3, True, b"main"), "an interpreter: it is started")):
        CORPUS.case("program-" + name, data, "format-executable", why)
    CORPUS.case("program-shell.llamafile", b"jartsr='\n" + bytes(64), "format-executable", "ape/specification.md: without Windows")
    CORPUS.case("program-debug.llamafile", b"APEDBG='\n" + bytes(64), "format-executable", "ape/specification.md: for debuggers")
    CORPUS.case("program-words.txt", "jartsr= is how it begins\n", SIDE, "a sentence")
    one("program-triton-python", "config.pbtxt", 'name: "x"\nbackend: "python"\n', "auto-map", "python_be.cc: model.py is run")
    one("program-triton-onnx", "config.pbtxt", 'name: "x"\nbackend: "onnxruntime"\n', "", "a backend of the server")


if __name__ == "__main__":
    CORPUS.make(programs)
