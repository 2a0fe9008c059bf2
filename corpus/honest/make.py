#!/usr/bin/python3
"""make.py: writes files/ and cases.jsonl beside itself: what repositories hold beside their models and was held up for nothing, and
beside each what looks like it and is held.  Always the same bytes; nothing here is loaded.

A case has the members of corpus/findings; `codes` are exactly the codes of the verdict."""
import gzip
import io
import os
import pickle
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases, counts  # noqa: E402 pylint: disable=wrong-import-position
from protobuf_writer import blob  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(accepted={"format-side-file", "json-byte-order-mark", "json-comments"},
               reviewed={"format-unknown", "format-partly-checked", "json-syntax", "repo-code", "format-script", "config-auto-map", "format-identified-only",
                         "weights-nan"}, sections=True)
case = CORPUS.case
SIDE = "format-side-file"


def texts():
    case("text-blank.txt", b" \n\t\r\n", SIDE, "nothing but blanks")
    case("text-blank-long", b"\n" * 5000, SIDE, "and many of them")
    case("text-blank-front", b"\n" * 100 + b"words\n", SIDE, "blanks in front")
    case("text-blank-page", b"\n" * 100 + b"<p>words", "format-unknown", "of what a browser takes for a page")
    case("text-mark", b"\xef\xbb\xbfwords\n", SIDE, "a byte order mark in front")
    case("text-tag", b"<DOCUMENT>\nwords\n", SIDE, "a tag that nothing acts on")
    case("text-tag-paragraph", b"<p>words", "format-unknown", "one by which browsers know a page")
    case("text-tag-paragraph.txt", b"<p>words", SIDE, "a name that says it is text")
    case("text-tag-script", b"<DOCUMENT>\n<script>x</script>", "format-unknown", "a script in it")
    case("text-tag-directive.tt", b"<#@ template language=\"C#\" #>\n", SIDE, "a directive of a code generator's")
    case("text-tag-php.inc", b"<?php system('id');", "format-unknown", "a program")
    case("text-code-class.py", b"from a import b\n\nclass_name: str = 'x'\n", "repo-code", "an annotation is no YAML")
    case("text-code-target.py", b"_target_: str\n", "repo-code", "nor is this")
    case("text-code-rust.rs", b"#![allow(dead_code)]\nfn main() {}\n", SIDE, "an attribute of Rust's is no first line of a script")
    case("text-code-shell.rs", b"#!/bin/sh\nid\n", "repo-code", "and this is one")
    case("text-code-shell.txt", b"#!/bin/sh\nid\n", "format-script", "under a name that says text")


def utf16():
    case("utf16-words.txt", "na\u00efve\r\n\U0001f600\r\n".encode("utf-16"), SIDE, "as Windows saves it")
    case("utf16-words-big.txt", b"\xfe\xff" + "words".encode("utf-16-be"), SIDE, "in the other order of bytes")
    case("utf16-words", "words".encode("utf-16"), "format-unknown", "no name says that it is text")
    case("utf16-odd.txt", "words".encode("utf-16") + b"a", "format-unknown", "half of a character")
    case("utf16-pair.txt", b"\xff\xfea\0\x00\xd8b\0", "format-unknown", "half of a pair")
    case("utf16-pair-end.txt", b"\xff\xfea\0\x00\xd8", "format-unknown", "likewise at the end")
    case("utf16-control.txt", "a\0b".encode("utf-16"), "format-unknown", "a character that no text has")
    case("utf16-page.txt", "<script>x</script>".encode("utf-16"), "format-unknown", "a page")
    case("utf16-target.txt", "_target_: os.system".encode("utf-16"), "format-unknown", "what it names is called")
    case("utf16-list.txt", "--index-url https://a.example\nnumpy==1\n".encode("utf-16"), "format-unknown", "pip reads it in this encoding, too")


def zipped(members, method=zipfile.ZIP_STORED, extra=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type, info.extra, info.external_attr = method, extra, 0o600 << 16
            z.writestr(info, data)
    return out.getvalue()


def archives():
    case("zip-texts.zip", zipped({"a/weights.txt": b"1 2 3", "README.md": b"words", "b.csv": b"1,2\n"}), "", "notes and tables")
    case("zip-texts-deflated.zip", zipped({"b.csv": b"1,2\n" * 100}, zipfile.ZIP_DEFLATED), "", "compressed")
    case("zip-texts-extra.zip", zipped({"a.txt": b"words"}, extra=b"UT\x05\0\3" + bytes(4)), "format-identified-only format-unknown", "who packed it, and when")
    case("zip-texts-code.zip", zipped({"a.txt": b"words", "a.py": b"import os"}), "format-identified-only format-unknown", "source code")
    case("zip-texts-script.zip", zipped({"a.txt": b"#!/bin/sh\nid"}), "format-script", "a script")
    case("zip-texts-list.zip", zipped({"requirements.txt": b"a==1\n"}), "format-identified-only format-unknown", "what pip reads")
    case("zip-texts-no-name.zip", zipped({"data": b"words"}), "format-identified-only format-unknown", "a name that some loader knows")
    case("zip-texts-zeros.zip", zipped({"a.txt": bytes(4)}), "format-unknown", "no text")
    case("zip-texts-pickle.zip", zipped({"a.txt": pickle.dumps({"a": 1}, 2)}), "format-identified-only pickle-data-only", "something else by its content", "review")
    case("zip-empty.zip", zipped({}), "format-identified-only zip-empty", "nothing", "review")


def protobuf():
    def file(name):
        return blob(1, blob(1, name) + blob(2, b"package") + blob(4, blob(1, b"Message")))
    case("proto-descriptors.pb", file(b"a.proto") + file(b"b.proto"), "format-identified-only", "what protoc writes of schemas")
    case("proto-descriptors-not.pb", file(b"a.prot") + file(b"b.prot"), "tf-op-name tf-string-control", "nodes of a graph, broken", "reject")
    case("yaml-empty.yaml", b"", SIDE, "a document of nothing")


def json():
    case("json-comment.json", b'// words\n{"a": /* more */ 1 // the end\n}\n', f"json-comments {SIDE}", "comments, as editors write them")
    case("json-comment-return.json", b'// words\r{"a": 1}\r// the end', f"json-comments {SIDE}", "a line may end as it once did on a Macintosh")
    case("json-comment-mark.json", b'\xef\xbb\xbf// words\n[1]\n', f"json-byte-order-mark json-comments {SIDE}", "behind a byte order mark")
    case("json-comment-text.json", b'{"a": "// no /* comment"}', SIDE, "in a string there are none")
    case("json-comment-text-end.json", b'{"a": "\\\\"/**/}', f"json-comments {SIDE}", "a string that ends with a backslash")
    case("json-comment-hash.json", b'# words\n{"a": 1}', "json-syntax", "no comment of JSON's")
    case("json-comment-open.json", b'{"a": 1} /* ', "json-syntax", "one that does not end")
    case("json-comment-two.json", b'{} // one\n{}', "json-syntax", "two values")
    case("json-comment-hidden.json", b'{/**/"auto_map": {"AutoModel": "m.C"}}', "config-auto-map json-comments " + SIDE,
         "what it asks for is judged all the same")
    case("json-comment-model.json", b'// words\n{"learner": {}, "version": [1, 7, 0]}', "format-identified-only json-syntax",
         "a model's loader refuses it")
    case("json-comma.json", b'{"a": [1, 2,], }', f"json-comments {SIDE}", "commas behind the last item")
    case("json-comma-two.json", b'[1,,]', "json-syntax", "an item is missing")
    case("json-comma-alone.json", b'[,]', "json-syntax", "no item at all")


def templates():
    case("template-block.template", b"{% for m in messages %}\n{{ m.content }}\n{% endfor %}", SIDE, "a template under any name")
    case("template-block-dunder.template", b"{{ messages.__class__.__mro__ }}", "format-unknown", "one that reaches for classes")
    case("template-block-other.tpl", b'{{- define "name" -}}\n{{- .Values.name -}}\n{{- end }}', "format-side-file", "of another language: Jinja refuses it whole")


def array(kind, dims, elements):
    return struct.pack(">4B", 0, 0, kind, len(dims)) + b"".join(struct.pack(">I", d) for d in dims) + elements


def idx():
    images, floats = array(8, (2, 3, 3), bytes(18)), array(13, (2,), struct.pack(">2f", 1, 2))
    case("idx-images.idx3-ubyte", images, "", "pictures")
    case("idx-floats", floats, "", "numbers")
    case("idx-nan", array(13, (2,), struct.pack(">2f", 1, float("nan"))), "weights-nan", "one that is none", nonfinite={"data": counts(1)})
    case("idx-swapped", array(13, (2,), struct.pack("<2f", 1, float("nan"))), "", "which is not so in the other order of bytes")
    case("idx-short", images[:-1], "format-unknown", "a byte is missing")
    case("idx-longer", images + b"\0", "format-unknown", "a byte too many")
    case("idx-empty", array(8, (0,), b""), "format-unknown", "no elements")
    case("idx-type", array(10, (4,), bytes(4)), "format-unknown", "no such type")
    case("idx-wraps", array(14, (1 << 31, 1 << 31, 1), bytes(8)), "format-unknown", "dimensions whose product wraps")
    case("idx-images.gz", gzip.compress(images, mtime=0), "", "as they are published")
    case("idx-short.gz", gzip.compress(images[:-1], mtime=0), "format-partly-checked", "a byte is missing")
    case("idx-longer.gz", gzip.compress(images + b"PK", mtime=0), "format-partly-checked", "something behind")


CORPUS.make(texts, utf16, json, templates, idx, archives, protobuf)
