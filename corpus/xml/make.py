#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: OpenVINO models, PMML, SVG and other XML that each break one rule of
formats/xml, formats/openvino or formats/pmml, and near misses that break none.  Always the same bytes, made by hand after
the public schemas; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict, of a folder those of all verdicts
about it.
"""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

ACCEPTED = {"format-side-file", "openvino-weights-unchecked", "weights-in-set"}
REVIEWED = {"xml-encoding-declared", "xml-instruction", "openvino-version", "openvino-unknown", "openvino-extension-op",
            "pmml-version", "pmml-unknown", "pmml-function", "pmml-extension-code", "svg-script", "svg-external",
            "format-partly-checked", "format-unknown", "format-name-differs", "repo-code", "lfs-pointer-unresolved", "weights-nan"}
CORPUS = Cases("", ACCEPTED, REVIEWED)
case = CORPUS.case


# -- OpenVINO

DECLARATION = '<?xml version="1.0"?>\n'


def port(number, dims, precision="FP32"):
    return f'<port id="{number}" precision="{precision}">' + "".join(f"<dim>{d}</dim>" for d in dims) + "</port>"


def layer(number, kind, data="", body="", name=None, version="opset1"):
    name = name or f"{kind}_{number}"
    return f'<layer id="{number}" name="{name}" type="{kind}" version="{version}">{data}{body}</layer>\n'


def const(number, offset=0, size=32, shape="8", kind="f32", name=None, dims=(8,)):
    data = f'<data element_type="{kind}" shape="{shape}" offset="{offset}" size="{size}" />'
    return layer(number, "Const", data, f"<output>{port(0, dims)}</output>", name)


PARAMETER = layer(0, "Parameter", '<data shape="?,8" element_type="f32"/>', f"<output>{port(0, (-1, 8))}</output>")
ADD = layer(2, "Add", '<data auto_broadcast="numpy"/>',
            f"<input>{port(0, (-1, 8))}{port(1, (8,))}</input><output>{port(2, (-1, 8))}</output>")
RESULT = layer(3, "Result", "", f"<input>{port(0, (-1, 8))}</input>")
EDGES = "".join(f'<edge from-layer="{a}" from-port="{p}" to-layer="{b}" to-port="{q}"/>\n'
                for a, p, b, q in ((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0)))
NOTES = '<rt_info><MO_version value="2023.0"/><optimization><x value="a"/></optimization></rt_info>\n'


def net(layers=None, edges=EDGES, rest=NOTES, version="11", head=DECLARATION, constant=None):
    layers = layers or PARAMETER + (constant or const(1)) + ADD + RESULT
    return (f'{head}<net name="Model0" version="{version}">\n<layers>\n{layers}</layers>\n<edges>\n{edges}</edges>\n'
            f'{rest}</net>\n')


HELD = "openvino-weights-unchecked "


def openvino():
    def ov(name, text, codes="", why="", held=True, **more):
        case(f"openvino-{name}.xml", text, (HELD if held else "") + codes, why, **more)

    def noted(note):
        return net(rest=f"<rt_info>{note}</rt_info>")

    ov("sound", net(), why="a sum with a constant")
    ov("sound-10", net(version="10", rest="<meta_data><MO_version value='2020'/><cli_parameters><a value='x'/>"
                       "</cli_parameters></meta_data>"), why="version 10 with its notes")
    ov("sound-bom", b"\xef\xbb\xbf" + net(head="").encode(), why="a byte order mark and no declaration")
    ov("sound-comment", net(head="<!-- written by hand -->\n"), why="a comment in front")
    ov("sound-declared", net(head='<?xml version="1.0" encoding="utf-8" standalone="yes"?>'), why="a whole declaration")
    ov("sound-no-weights", net(PARAMETER + layer(3, "Result"), '<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>'),
       held=False, why="no constant")
    ov("sound-scalar", net(constant=const(1, size=4, shape="", dims=())), why="a scalar")
    ov("sound-empty", net(constant=const(1, size=0, shape="0,4", dims=(0, 4))), why="a constant without elements")
    ov("sound-u4", net(constant=const(1, size=5, shape="9", kind="u4")), why="two elements a byte")
    ov("sound-u3", net(constant=const(1, size=6, shape="9", kind="u3")), why="eight elements in three bytes")
    ov("sound-string", net(constant=const(1, size=21, shape="2", kind="string")), why="texts have no fixed size")
    ov("sound-blobs", net(constant=layer(1, "Const", '<data element_type="f32" shape="8"/>',
                                         '<output/><blobs><custom offset="0" size="32" precision="FP32"/></blobs>')),
       why="the range in <blobs>, as older writers put it")
    ov("sound-folded", net(PARAMETER + const(1) + ADD.replace('"Add"', '"ADD"') + RESULT), why="types in any case of letters")
    body = net(head="").split("<layers>")[1].rsplit("<rt_info>")[0]
    loop = layer(0, "TensorIterator", "",
                 '<input/><output/><port_map><input external_port_id="0" internal_layer_id="0" axis="1"/></port_map>'
                 '<back_edges><edge from-layer="3" to-layer="0"/></back_edges><body><layers>' + body + "</body>")
    ov("sound-body", net(loop, ""), why="a loop whose body has layers of the same numbers")
    ov("sound-twice", net(PARAMETER + const(1) + const(4) + ADD + RESULT), why="two constants of the same bytes")
    ov("sound-preprocess", net(rest='<pre-process mean-precision="FP32"><channel id="0"><mean offset="32" size="4"/>'
                               "</channel></pre-process>"), why="a mean in the weights")
    ov("sound-text", net(rest="<quantization_parameters><config>{'a': &lt;1}</config></quantization_parameters>"),
       why="text in notes")
    ov("sound-references", noted('<a value="&lt;&gt;&amp;&quot;&apos;&#65;&#x42;"/>'), why="the five entities, and numbers")
    ov("sound-template", noted('<chat_template value="{% for m in messages %}{{ m.content }}{% endfor %}"/>'),
       why="a chat template in notes")
    ov("template", noted('<chat_template value="{{ x.__class__.__mro__ }}"/>'), "template-dunder", "one that reaches for classes",
       expect="reject")

    ov("extension", net(PARAMETER + const(1) + ADD.replace("opset1", "extension") + RESULT), "openvino-extension-op",
       "an operation of an extension")
    ov("extension-opset", net(PARAMETER + const(1) + ADD.replace("opset1", "opset99") + RESULT), "openvino-extension-op",
       "an operation set that does not exist")
    ov("extension-type", net(PARAMETER + const(1) + ADD.replace('"Add"', '"PythonOp"') + RESULT), "openvino-extension-op",
       "no such operation")
    ov("extension-not", net(PARAMETER + const(1) + ADD.replace("opset1", "opset16") + RESULT), why="the newest sets are known")
    for ending in ("so", "dll", "DYLIB", "so.6"):
        ov(f"library-{ending.lower()}", noted(f'<extensions value="/tmp/lib/custom.{ending}"/>'), "openvino-library-path",
           "a library in notes")
    ov("library-list", noted('<extensions value="a.xml,./b.so,c"/>'), "openvino-library-path", "in a list")
    ov("library-entry", noted('<extensions value="a.so:init"/>'), "openvino-library-path", "with an entry point")
    ov("library-data", net(PARAMETER + const(1) + ADD.replace('"numpy"', '"x.dll"') + RESULT), "openvino-library-path",
       "in the data of a layer")
    ov("library-reference", noted('<extensions value="a&#46;so"/>'), "openvino-library-path", "spelled otherwise")
    ov("library-not", noted('<a value="a.soft"/><b value="DIR"/><c value="so"/><d value="x.so/y"/>'), why="endings that are none")
    ov("version-9", net(version="9"), "openvino-version", "an older version")
    old = (PARAMETER + const(1) + ADD + RESULT).replace(' version="opset1"', "")
    ov("version-6", net(old, version="6"), "openvino-version", "before sets of operations: layers without a version")
    ov("version-6-library", net(old, version="6", rest='<extensions value="a.so"/>'), "openvino-version openvino-unknown openvino-library-path",
       "and one that names a library")
    ov("version-10-old", net(old, version="10"), "openvino-structure", "of today, without them")
    ov("version-none", net().replace(' version="11"', ""), "openvino-version", "no version")
    ov("version-long", net(version="11.0"), "openvino-version", "not spelled like that")

    ov("structure-no-id", net(PARAMETER + const(1) + ADD + RESULT + layer("", "Add")), "openvino-structure", "a layer without number")
    ov("structure-same-id", net(PARAMETER + const(1) + ADD + RESULT + layer(3, "Add")), "openvino-structure", "a number twice")
    ov("structure-zero-id", net(PARAMETER + const(1) + ADD + RESULT + layer("04", "Add")), "openvino-structure", "a leading zero")
    ov("structure-edge", net(edges=EDGES + '<edge from-layer="7" from-port="0" to-layer="3" to-port="0"/>'), "openvino-structure",
       "an edge from nowhere")
    ov("structure-edge-body", net(loop, '<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>'), "openvino-structure",
       "to a layer of another graph")
    ov("structure-port", net(edges=EDGES.replace('to-port="0"', 'to-port="x"')), "openvino-structure", "no number")
    ov("structure-no-offset", net(constant=layer(1, "Const", '<data element_type="f32" shape="8"/>')), "openvino-structure",
       "a constant without a range", held=False)
    ov("structure-offset", net(constant=const(1, offset="-4")), "openvino-structure", "below zero", held=False)
    ov("structure-hex", net(constant=const(1, offset="0x10")), "openvino-structure", "no decimal number", held=False)
    ov("structure-shape", net(constant=const(1, shape="8,-1")), "openvino-structure", "a dimension below zero", held=False)
    ov("structure-data", net(constant=layer(1, "Const", '<data element_type="f32" shape="8" offset="0" size="32"/>' * 2)),
       "openvino-structure", "two ranges")
    ov("structure-text", net(rest=NOTES + "text"), "openvino-structure", "text between elements")
    ov("structure-cdata", noted("<a><![CDATA[<x>]]></a>"), "openvino-structure", "a section of characters")
    ov("structure-dim", net().replace("<dim>8</dim>", "<dim>eight</dim>"), "openvino-structure", "a dimension in letters")
    ov("unknown-element", net(rest=NOTES + "<plugins><plugin/></plugins>"), "openvino-unknown", "an element of another file")
    ov("unknown-attribute", net(PARAMETER + const(1) + ADD.replace("<layer", '<layer impl="x"') + RESULT), "openvino-unknown",
       "an attribute that layers do not have")
    ov("unknown-type", net(constant=const(1, kind="f128")), "openvino-unknown", "no such element type")
    ov("unknown-place", net(rest=NOTES + PARAMETER), "openvino-unknown", "a layer beside the layers")
    ov("size-short", net(constant=const(1, size=28)), "openvino-tensor-size", "four bytes too few")
    ov("size-long", net(constant=const(1, size=36)), "openvino-tensor-size", "four bytes too many")
    ov("size-wraps", net(constant=const(1, shape=",".join(["4294967296"] * 2 + ["8"]))), "openvino-tensor-size",
       "a shape whose product wraps")
    ov("bounds-wraps", net(constant=const(1, offset=2**63 - 16)), "xml-bounds", "an end beyond 2^63", held=False)
    ov("bounds-last", net(constant=const(1, offset=2**63 - 33)), why="an end that is a number")
    ov("overlap", net(PARAMETER + const(1) + const(4, offset=28) + ADD + RESULT), "openvino-overlap", "four bytes of two constants")
    ov("overlap-within", net(PARAMETER + const(1) + const(4, offset=8, size=4, shape="1") + ADD + RESULT), "openvino-overlap",
       "one within the other")
    ov("overlap-not", net(PARAMETER + const(1) + const(4, offset=32) + ADD + RESULT), why="one behind the other")


def folder(name, files, codes, why):
    case(name, files, codes, why)


def openvino_folders():
    weights = struct.pack("<8f", *range(8))
    two = net(PARAMETER + const(1) + const(4, offset=64) + ADD + RESULT)
    read, unread = "weights-in-set ", "weights-in-set " + HELD

    def ov(name, files, codes="", why=""):
        folder("set-" + name, files, codes, why)

    ov("sound", {"model.xml": net(), "model.bin": weights}, read, "model and weights")
    ov("sound-aligned", {"model.xml": two, "model.bin": weights + bytes(32) + weights}, read, "a constant at a multiple of 64")
    ov("sound-folder", {"a/model.xml": net(), "a/model.bin": weights}, read, "in a folder")
    ov("sound-blobs", {"model.xml": net(constant=layer(1, "Const", '<data element_type="f32" shape="8"/>',
                       '<output/><blobs><custom offset="0" size="32" precision="FP32"/></blobs>')), "model.bin": weights},
       read, "the range in <blobs>, as older writers put it")
    ov("nan", {"model.xml": net(), "model.bin": weights[:-4] + struct.pack("<f", float("nan"))}, read + "weights-nan",
       "a constant that is not a number")
    ov("nan-of-integers", {"model.xml": net(constant=const(1, kind="i32")),
                           "model.bin": weights[:-4] + struct.pack("<f", float("nan"))}, read, "the same bits in whole numbers")
    ov("bounds", {"model.xml": net(), "model.bin": weights[:-1]}, read + "xml-bounds", "a byte is missing")
    ov("bounds-offset", {"model.xml": net(constant=const(1, offset=4)), "model.bin": weights},
       read + "xml-bounds openvino-weights-hole", "four bytes past the end, and four in front of nobody")
    ov("missing", {"model.xml": net(), "other.bin": weights}, unread + "format-unknown openvino-weights-missing",
       "weights of another name")
    ov("missing-folder", {"model.xml": net(), "a/model.bin": weights}, unread + "format-unknown openvino-weights-missing",
       "in another folder")
    ov("missing-not", {"model.xml": net(PARAMETER + layer(3, "Result"), "")}, "", "no constants, no weights")
    ov("hole", {"model.xml": net(), "model.bin": weights + b"PK"}, read + "openvino-weights-hole", "two bytes of nobody")
    ov("hole-large", {"model.xml": two.replace('offset="64"', 'offset="128"'), "model.bin": weights + bytes(96) + weights},
       read + "openvino-weights-hole", "more than alignment")
    ov("overlap", {"a.xml": net(), "a.bin": weights, "b.xml": net(), "b.bin": weights}, read, "two models of the same shape")


# -- the text of XML

def xml():
    def bad(name, text, codes="xml-syntax", why="", held=""):
        case(f"text-{name}.xml", text, held + codes, why)

    model = net()
    bad("doctype", model.replace("<net", "<!DOCTYPE net>\n<net", 1), HELD + "xml-doctype", "a document type without anything")
    bad("doctype-external", model.replace("<net", '<!DOCTYPE net SYSTEM "http://x.example/y.dtd">\n<net', 1), HELD + "xml-doctype",
        "one from elsewhere")
    laughs = '<!DOCTYPE net [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<net'
    bad("doctype-laughs", model.replace("<net", laughs, 1), "xml-doctype xml-entity", "entities of entities")
    bad("doctype-elements", model.replace("<net", "<!DOCTYPE net [<!ELEMENT net ANY>]>\n<net", 1), "xml-doctype", "declarations of elements")
    bad("entity", model.replace("Model0", "&xxe;"), "xml-entity", "an entity that nobody declared")
    bad("entity-text", model.replace("<dim>8", "<dim>&file;"), "xml-entity", "in text", "")
    bad("entity-not", model.replace("Model0", "&lt;&#38;"), HELD, "one of the five")

    def nested(n):
        inside = n - 2  # net and rt_info
        return net(rest="<rt_info>" + "<a>" * inside + "</a>" * inside + "</rt_info>")
    bad("depth-64", nested(64), HELD, "as deep as is read")
    bad("depth-65", nested(65), HELD + "xml-depth", "one deeper")
    bad("depth-bomb", net(rest="<rt_info>" + "<a>" * 5000), HELD + "xml-depth", "thousands, never closed")
    bad("size-attributes-64", net(rest="<rt_info><a " + " ".join(f'a{i}="1"' for i in range(64)) + "/></rt_info>"), HELD, "64 attributes")
    bad("size-attributes-65", net(rest="<rt_info><a " + " ".join(f'a{i}="1"' for i in range(65)) + "/></rt_info>"),
        HELD + "xml-size", "one more")
    bad("size-name-255", net(rest="<rt_info><" + "a" * 255 + "/></rt_info>"), HELD, "a name of 255 bytes")
    bad("size-name-256", net(rest="<rt_info><" + "a" * 256 + "/></rt_info>"), HELD + "xml-size", "one more")
    bad("duplicate", model.replace('name="Model0"', 'name="a" name="b"'), "xml-duplicate-attribute", "two names")
    bad("duplicate-not", model.replace('name="Model0"', 'name="a" Name="b"'), HELD, "names differ by case")
    bad("trailing-text", model + "x", HELD + "xml-trailing-bytes", "a letter behind the root")
    bad("trailing-nul", model + "\0", HELD + "xml-encoding", "a NUL behind the root")
    bad("trailing-root", model + "<net/>", HELD + "xml-trailing-bytes", "a second root")
    bad("trailing-not", model + "\n<!-- end -->\n", HELD, "a comment behind the root")
    bad("syntax-cut", model[:-9], HELD + "xml-syntax", "the end is missing")
    bad("syntax-mismatched", model.replace("</layers>", "</Layers>"), HELD + "xml-syntax", "an end of another name")
    bad("syntax-quote", model.replace('name="Model0"', "name=Model0"), "xml-syntax", "a value without quotes")
    bad("syntax-less", model.replace("Model0", "a<b"), "xml-syntax", "a tag within a value")
    bad("syntax-space", model.replace('name="Model0" version', 'name="Model0"version'), "xml-syntax", "no blank between attributes")
    bad("syntax-no-value", model.replace('name="Model0"', "name"), "xml-syntax", "an attribute without value")
    bad("syntax-comment", model.replace("<layers>", "<!-- a -- b --><layers>", 1), "xml-syntax", "two dashes in a comment")
    bad("syntax-comment-html", model.replace("<layers>", "<!--><script>1</script>--><layers>", 1), "xml-syntax",
        "a comment that browsers end at once")
    bad("syntax-comment-not", model.replace("<layers>", "<!-- a - b --><!----><layers>", 1), HELD, "dashes that end nothing")
    bad("syntax-cdata-end", model.replace("<dim>8", "<dim>]]>8"), "xml-syntax", "an end of a section that has not begun")
    bad("syntax-declaration", " " + model, "xml-syntax", "a blank before the declaration")
    bad("syntax-declaration-late", model.replace("<layers>", '<?xml version="1.0"?><layers>', 1), "xml-syntax", "a second declaration")
    bad("syntax-version", model.replace('version="1.0"', 'version="1.1"', 1), "xml-syntax", "XML 1.1")
    bad("syntax-character", model.replace("Model0", "&#0;"), "xml-syntax", "the number of no character")
    bad("syntax-surrogate", model.replace("Model0", "&#xD800;"), "xml-syntax", "half of a pair")
    bad("syntax-beyond", model.replace("Model0", "&#x110000;"), "xml-syntax", "beyond Unicode")
    bad("syntax-last-not", model.replace("Model0", "&#x10FFFF;&#xE000;&#9;"), HELD, "the last character")
    bad("encoding-latin1", model.replace("Model0", "\xe9").encode("latin-1"), "xml-encoding", "not UTF-8")
    bad("encoding-utf8-not", model.replace("Model0", "\xe9\u4e2d\U0001f600"), HELD, "UTF-8")
    bad("encoding-utf16", b"\xff\xfe" + model.encode("utf-16-le"), "format-partly-checked", "UTF-16: known by nothing but its name")
    bad("encoding-surrogate", model.encode().replace(b"Model0", b"\xed\xa0\x80"), "xml-encoding", "a surrogate")
    bad("encoding-overlong", model.encode().replace(b"Model0", b"\xc0\xbc"), "xml-encoding", "a longer form")
    bad("encoding-control", model.replace("Model0", "\x01"), "xml-encoding", "a control character")
    bad("encoding-fffe", model.replace("Model0", "\ufffe"), "xml-encoding", "a character that XML does not have")
    bad("encoding-fffd-not", model.replace("Model0", "\ufffd"), HELD, "the one before it")
    bad("encoding-utf7", model.replace('"1.0"', '"1.0" encoding="UTF-7"', 1), "xml-encoding", "declares UTF-7")
    bad("encoding-declared", model.replace('"1.0"', '"1.0" encoding="ISO-8859-1"', 1), HELD,
        "declares an encoding of single bytes, and is ASCII")
    bad("encoding-declared-bytes", model.replace('"1.0"', '"1.0" encoding="windows-1252"', 1).replace("Model0", "\xe9").encode("latin-1"),
        HELD + "xml-encoding-declared", "and uses it")
    bad("encoding-declared-doctype", model.replace('"1.0"', '"1.0" encoding="ISO-8859-1"', 1).replace("<net", "<!DOCTYPE a>\n<net", 1),
        HELD + "xml-doctype", "and has a document type")
    bad("instruction", model.replace("<net", '<?xml-stylesheet href="a.xsl"?>\n<net', 1), HELD + "xml-instruction", "a style sheet")
    bad("instruction-markup", model.replace("<layers>", "<?a ><script>1</script>?>\n<layers>", 1), "xml-instruction xml-syntax",
        "an instruction that browsers end early")
    bad("empty", "", "format-partly-checked", "no byte")
    bad("document", DECLARATION + "<annotation><size>1</size></annotation>", "repo-code", "a document of no format")
    for name, root, why in (("xhtml", '<a xmlns="http://www.w3.org/1999/xhtml"/>', "a browser runs it"),
                            ("xhtml-inside", '<a><x:b xmlns:x="http://www.w3.org/1999/xhtml"/></a>', "also within"),
                            ("svg", '<a><b xmlns="http://www.w3.org/2000/svg"/></a>', "and pictures"),
                            ("xsl", '<a xmlns="http://www.w3.org/1999/XSL/Transform"/>', "a program in XML"),
                            ("xaml", '<Window xmlns="http://schemas.microsoft.com/winfx/2006/xaml/presentation"/>', "WPF makes objects of it"),
                            ("clr", '<a xmlns:b="clr-namespace:System.Diagnostics;assembly=System"/>', "of any class"),
                            ("java", '<java version="1.8" class="java.beans.XMLDecoder"/>', "XMLDecoder makes objects of it"),
                            ("beans", '<beans><bean class="java.lang.ProcessBuilder"/></beans>', "Spring makes objects of it")):
        bad(f"document-{name}", DECLARATION + root, "format-partly-checked", why)
    bad("document-java-not", DECLARATION + "<a><java/></a>", "repo-code", "a word of somebody's")
    case("text-document-project.csproj", "\ufeff<Project Sdk='Microsoft.NET.Sdk'><a>1</a></Project>", "repo-code", "without a declaration")
    case("text-document-project-beans.csproj", "<beans><bean class='java.lang.ProcessBuilder'/></beans>", "format-side-file", "text: Spring is not asked by this name")
    case("text-document-beans-name.xml", "<beans><bean class='java.lang.ProcessBuilder'/></beans>", "format-partly-checked", "a name that it looks for")
    case("text-document-plist.plist", DECLARATION + '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
       '"http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0"><dict/></plist>', "repo-code", "a property list")
    case("text-document-plist-fetched.plist", DECLARATION + '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" '
       '"http://example.org/a.dtd">\n<plist version="1.0"><dict/></plist>', "format-partly-checked", "its type is fetched from elsewhere")
    bad("document-broken", DECLARATION + "<annotation><size>1</annotation>", "format-partly-checked", "and a broken one")
    bad("document-doctype", DECLARATION + '<!DOCTYPE plist PUBLIC "a" "b">\n<plist/>', "format-partly-checked", "a property list")
    bad("document-entity", DECLARATION + '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<a>&x;</a>', "xml-doctype xml-entity",
        "a file of the reader's machine")


# -- PMML

FIELDS = ('<DataDictionary numberOfFields="2"><DataField name="x" optype="continuous" dataType="double"/>'
          '<DataField name="y" optype="continuous" dataType="double"/></DataDictionary>')
SCHEMA = '<MiningSchema><MiningField name="x"/><MiningField name="y" usageType="target"/></MiningSchema>'
LINE = ('<RegressionTable intercept="1.5"><NumericPredictor name="x" exponent="1" coefficient="2"/></RegressionTable>')


def pmml_text(version="4.4", uri="http://www.dmg.org/PMML-4_4", header="", before="", transform="", head=DECLARATION):
    return (f'{head}<PMML version="{version}" xmlns="{uri}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
            f'<Header copyright="nobody">{header}<Application name="by hand" version="1"/></Header>\n{FIELDS}\n{before}'
            f'<RegressionModel functionName="regression">{SCHEMA}{transform}{LINE}</RegressionModel>\n</PMML>\n')


def transform(expression):
    return ('<LocalTransformations><DerivedField name="z" optype="continuous" dataType="double">' + expression +
            "</DerivedField></LocalTransformations>")


def apply(function):
    return transform(f'<Apply function="{function}"><FieldRef field="x"/><Constant dataType="double">1</Constant></Apply>')


def pmml():
    def pm(name, text, codes="", why=""):
        case(f"pmml-{name}.pmml", text, codes, why)

    pm("sound", pmml_text(), why="a line")
    for version in ("3.0", "3.2", "4.0", "4.1", "4.2.1", "4.3"):
        pm(f"sound-{version}", pmml_text(version, "http://www.dmg.org/PMML-" + version[:3].replace(".", "_")), why="an older version")
    pm("sound-function", pmml_text(transform=apply("+")), why="a built-in function")
    define = ('<TransformationDictionary><DefineFunction name="f" optype="continuous"><ParameterField name="a"/>'
              '<FieldRef field="a"/></DefineFunction></TransformationDictionary>')
    pm("sound-defined", pmml_text(before=define, transform=apply("f")), why="a function that is defined")
    pm("sound-table", pmml_text(transform=transform(
        '<MapValues outputColumn="out"><FieldColumnPair field="x" column="in"/><InlineTable><row><in>1</in><out>2</out></row>'
        "</InlineTable></MapValues>")), why="a table whose columns have any names")
    pm("sound-extension", pmml_text(header='<Extension name="user" value="somebody" extender="R/pmml"/>'), why="who wrote it")
    pm("sound-repr", pmml_text(before='<MiningBuildTask><Extension name="repr">PMMLPipeline(steps=[("a", B(c=1))])</Extension>'
                                      "</MiningBuildTask>"), why="how it was built")
    pm("version-5", pmml_text("5.0"), "pmml-version", "a version to come")
    pm("version-1", pmml_text("1.1"), "pmml-version", "a version that had another schema")
    pm("version-none", pmml_text().replace(' version="4.4"', ""), "pmml-version", "no version")
    pm("unknown-element", pmml_text(transform=transform("<Script language='js'>1</Script>")), "pmml-unknown", "an element of a vendor")
    pm("unknown-namespace", pmml_text(uri="http://www.example.org/"), "pmml-unknown", "the elements of somebody else")
    pm("unknown-include", pmml_text(before='<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>'),
       "pmml-unknown", "an inclusion")
    pm("unknown-row", pmml_text(transform=transform(
        '<MapValues outputColumn="out"><InlineTable><row><in><deep/></in></row></InlineTable></MapValues>')), "pmml-unknown",
       "columns in columns")
    pm("unknown-case", pmml_text(transform=apply("+").replace("FieldRef", "fieldref")), "pmml-unknown", "another case of letters")
    pm("function-class", pmml_text(transform=apply("com.example.Shell")), "pmml-function", "a class")
    pm("function-class-defined", pmml_text(before=define.replace('"f"', '"com.example.Shell"'), transform=apply("com.example.Shell")),
       "pmml-function", "a class, and a definition of its name")
    pm("function-extension", pmml_text(transform='<Extension><DefineFunction name="f" optype="continuous"/></Extension>' + apply("f")),
       "pmml-function", "defined where evaluators do not look")
    pm("function-unknown", pmml_text(transform=apply("f")), "pmml-function", "defined nowhere")
    pm("function-case", pmml_text(transform=apply("MAX")), "pmml-function", "another case of letters")
    pm("function-none", pmml_text(transform=transform("<Apply/>")), "pmml-function", "no name")
    for name, text in (("script", "&lt;script&gt;1"), ("python", "import os\nos.getcwd()"), ("eval", "EVAL(x)"),
                       ("java", "java.lang.Runtime.getRuntime()"), ("shell", "#!/bin/true")):
        pm(f"extension-{name}", pmml_text(header=f"<Extension>{text}</Extension>"), "pmml-extension-code", "something like code")
    pm("extension-value", pmml_text(header='<Extension name="a" value="javascript:1"/>'), "pmml-extension-code", "in an attribute")
    pm("extension-cdata", pmml_text(header="<Extension><![CDATA[<script>1</script>]]></Extension>"), "pmml-extension-code",
       "in a section of characters")
    pm("extension-split", pmml_text(header="<Extension>" + "x" * 506 + "javascript:1</Extension>"), "pmml-extension-code",
       "across two pieces of text")
    pm("extension-inner", pmml_text(header="<Extension><Value value='os.system(1)'/></Extension>"), "pmml-extension-code",
       "in an element within")
    pm("extension-vendor", pmml_text(header="<Extension><tool:x xmlns:tool='urn:x'/></Extension>"), "pmml-unknown", "elements of a vendor")
    pm("extension-not", pmml_text(header="<Extension>important osteology, evaluation (x)</Extension>"), why="words that begin alike")
    pm("doctype", pmml_text().replace("<PMML", '<!DOCTYPE PMML SYSTEM "pmml.dtd">\n<PMML', 1), "xml-doctype", "a document type")
    pm("entity-external", pmml_text(header="&x;").replace("<PMML", '<!DOCTYPE PMML [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<PMML', 1),
       "xml-doctype xml-entity", "an external entity")
    pm("entity-undeclared", pmml_text(header="&x;"), "xml-entity", "an entity of nobody")
    deep = transform("<Discretize>" * 58 + "</Discretize>" * 58)
    pm("depth-64", pmml_text(transform=deep.replace("<Discretize>", "<Discretize>", 1)), "", "nested expressions")
    pm("depth-65", pmml_text(transform=transform("<Discretize>" * 61 + "</Discretize>" * 61)), "xml-depth", "too many")


# -- SVG

def picture(inside="", attributes="", head=""):
    return (f'{head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="8" height="8" '
            f'viewBox="0 0 8 8"{attributes}>{inside}</svg>\n')


def svg():
    side = "format-side-file"

    def sv(name, text, codes=side, why=""):
        case(f"svg-{name}.svg", text, codes, why)

    sv("sound", picture('<path d="M0 0L8 8"/>'), why="a line")
    sv("sound-declared", picture("<g/>", head=DECLARATION + '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n'
                                 '  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'), why="as plotting libraries write it")
    sv("sound-subset", picture(head='<!DOCTYPE svg [\n]>\n'), why="a document type that declares nothing")
    sv("sound-comment", "<!-- drawn by hand -->\n" + picture(), why="a comment in front")
    sv("sound-style", picture("<style><![CDATA[ .a > .b{fill:url(#g)} ]]></style><defs><linearGradient id='g'><stop/></linearGradient>"
                              '</defs><use xlink:href="#g"/><rect style="fill:url(\'#g\')"/>'), why="styles and references within")
    sv("sound-style-split", picture("<style>" + "x" * 509 + "url(#abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz)</style>"),
       why="a reference across two pieces of text")
    sv("sound-image", picture('<image xlink:href="data:image/png;base64,AAAA"/>'), why="an embedded picture")
    sv("sound-editor", picture("<metadata><rdf:RDF><dc:title>on</dc:title></rdf:RDF></metadata><sodipodi:namedview id='a'/>",
                               ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"'
                               ' xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"'), why="what editors add")
    sv("sound-animation", picture('<rect><animate attributeName="x" from="0" to="8" dur="1s"/></rect>'), why="something moves")
    script = {
        "script": "<script>1</script>", "script-cdata": "<script><![CDATA[1 < 2]]></script>", "script-case": "<SCRIPT/>",
        "script-prefix": '<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>',
        "handler": '<g onload="1"/>', "handler-case": '<g OnClick="1"/>',
        "foreign": "<foreignObject><div><script>1</script></div></foreignObject>", "foreign-frame": "<foreignObject><iframe/></foreignObject>",
        "html": '<h:script xmlns:h="http://www.w3.org/1999/xhtml">1</h:script>', "foreign-handler": "<foreignObject><p onclick='1'>a</p></foreignObject>",
        "address": '<use xlink:href="#a" fill="javascript:1"/>', "address-reference": '<g id="java&#9;script&#58;1"/>',
        "data": '<image href="data:image/svg+xml;base64,AAAA"/>',
        "animated": '<rect><set attributeName="href" to="x"/></rect>',
        "style-markup": "<style><![CDATA[</style><img onerror=1>]]></style>",
        "expression": '<g style="width:expression(1)"/>'}
    for name, inside in script.items():
        more = "format-partly-checked" if name == "html" else side
        sv(f"script-{name}", picture(inside), "svg-script " + more, "something that browsers run")
    label = '<switch><foreignObject width="9"><div xmlns="http://www.w3.org/1999/xhtml" style="font-size: 1px"><b>a</b><br/></div></foreignObject>'
    sv("sound-label", picture(label + "<text>a</text></switch>"), why="a label as diagrams.net writes it")
    sv("partly-label", picture("<foreignObject/><div/>"), "format-partly-checked", "one outside of it")
    sv("partly-label-element", picture("<foreignObject><button/></foreignObject>"), "format-partly-checked", "what is no text")
    html = 'xmlns%s="http://www.w3.org/1999/xhtml"'
    sv("sound-label-paragraph", picture(f"<foreignObject><p {html % ''}>a</p></foreignObject>"), why="HTML, said of a label")
    for name, tag, why in (("prefix", f"h:button {html % ':h'}", "HTML under a prefix"), ("prefix-label", f"h:b {html % ':h'}", "also of a label"),
                           ("shape", f"rect {html % ''}", "said of an element of the drawing"), ("page", f"button {html % ''}", "of none in the list")):
        sv(f"partly-label-{name}", picture(f"<foreignObject><{tag}/></foreignObject>"), "format-partly-checked", why)
    external = {
        "use": '<use xlink:href="http://x.example/a.svg#b"/>', "image": '<image href="//x.example/a.png"/>',
        "relative": '<image href="a.png"/>', "link": '<a xlink:href="http://x.example/"><g/></a>', "style": '<rect style="fill:url(http://x.example/a)"/>',
        "style-text": "<style>.a{fill:url(a)}</style>",
        "style-blanks": "<style>.a{fill:url(" + " " * 600 + "http://x.example/)}</style>",
        "style-split": "<style>" + "x" * 507 + "url(http://x.example/)</style>",
        "import": "<style>@import 'a.css';</style>", "attribute": '<rect fill="URL( a.svg#b)"/>', "base": '<g xml:base="http://x.example/"/>'}
    for name, inside in external.items():
        sv(f"external-{name}", picture(inside), "svg-external " + side, "something outside")
    sv("sound-link", picture('<a xlink:title="&lt;b&gt; (1)"><g/></a><a href="#b"><g/></a>'), why="a link to nowhere and one within, as Graphviz writes them")
    sv("sound-text", picture("<font><glyph unicode='&lt;' glyph-name='less'/><glyph unicode='\\'/><hkern u1='\\' u2='&lt;'/></font>", " content='&lt;mxfile&gt;a:(\\)&lt;/mxfile&gt;'"),
       why="characters of a font, and a drawing in its editor's form: no styles")
    sv("sound-notes", picture("", ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:osb="http://www.openswatchbook.org/uri/2009/osb"'),
       why="namespaces of more editors")
    sv("sound-quotes", picture(head="<!DOCTYPE svg  PUBLIC '-//W3C//DTD SVG 1.1//EN'  'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>"),
       why="a document type in the other quotes")
    sv("doctype-quotes", picture(head="<!DOCTYPE svg  PUBLIC '-//W3C//DTD SVG 1.1//EN'  'http://x.example/svg11.dtd'>"), "xml-doctype",
       "and one from elsewhere")
    sv("sound-type", picture('<image xlink:href="data:img/png;base64,AAAA"/>'), why="a picture whose type is misspelled")
    sv("script-type", picture('<image xlink:href="data:text/html;base64,AAAA"/>'), "svg-script " + side, "a page")
    sv("sound-latin1", picture("<title>caf\xe9</title>", head='<?xml version="1.0" encoding="iso-8859-1"?>\n').encode("latin-1"),
       why="another encoding, declared and used")
    sv("script-latin1", picture("<title>caf\xe9</title><script>1</script>", head='<?xml version="1.0" encoding="iso-8859-1"?>\n').encode("latin-1"),
       "svg-script " + side, "one that runs, in another encoding")
    sv("partly-latin1", picture("<title>caf\xe9</title>").encode("latin-1"), "format-partly-checked", "the same bytes, and nothing declared")
    sv("partly-utf7", picture(head='<?xml version="1.0" encoding="utf-7"?>\n'), "format-partly-checked", "an encoding in which ASCII is not ASCII")
    sv("partly-element", picture("<blink/>"), "format-partly-checked", "an element of nobody")
    sv("partly-namespace", picture("<x:y xmlns:x='urn:x'/>"), "format-partly-checked", "a namespace of nobody")
    sv("partly-escape", picture('<g style="\\75rl(a)"/>'), "format-partly-checked", "a style that is spelled otherwise")
    sv("partly-cdata", picture("<text><![CDATA[<img>]]></text>"), "format-partly-checked", "markup in a section of characters")
    sv("partly-large", picture("<text " + " ".join(f'a{i}="1"' for i in range(65)) + "/>"), "format-partly-checked", "too many attributes")
    sv("doctype", picture(head='<!DOCTYPE svg SYSTEM "http://x.example/svg.dtd">\n'), "xml-doctype", "a document type from elsewhere")
    sv("doctype-entity", picture(head='<!DOCTYPE svg [<!ENTITY a "b">]>\n'), "xml-doctype xml-entity", "entities as editors write them")
    case("script-named.png", picture("<script>1</script>"), "format-extension-mismatch svg-script format-side-file", "named as a picture of dots",
         expect="reject")
    case("script-named-not.png", picture(), "format-name-differs format-side-file", "one that runs nothing")


CORPUS.make(openvino, openvino_folders, xml, pmml, svg, ensure_ascii=False)
