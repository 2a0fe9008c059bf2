#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: what repositories hold beside models - templates of other languages, sources with
odd strings, braces that are nobody's JSON, workflows, tables of packages - each beside one that stays held.  Always the same bytes.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Cases(sections=True)
case = CORPUS.case
SIDE = "format-side-file"


def braces():
    for name, text in (("template-go-comment.tpl", "{{/*\nThe name of the chart.\n*/}}\n{{- define \"a.name\" -}}\na\n{{- end }}\n"),
                       ("template-go.gotmpl", '{{ template "chart.header" . }}\n'), ("template-go-dot.tmpl", "{{- .Values.name }}\n"),
                       ("template-mustache.mustache", "{{#files}}\n{{name}}\n{{/files}}\n"),
                       ("brace-nix.nix", "{\n  inputs.a.url = \"github:a/b\";\n}\n"), ("brace-map.map", "{\n  global:\n    *a*;\n  local:\n    *;\n};\n"),
                       ("brace-suppression.supp", "{\n   some_name\n   Memcheck:Cond\n   fun:some\n}\n")):
        case(name, text, SIDE, "nobody's JSON, and Jinja refuses it whole", "accept")
    for name, text, codes, why in (
            ("template-jinja.tpl", "{{ ''.__class__.__mro__ }}\n", "format-unknown", "an expression of Jinja's"),
            ("template-not.tpl", "{{ not \"a\".__class__ }}\n", "format-unknown", "a word and a string that Jinja takes"),
            ("template-markup.tpl", "{{/* a */}}\n<script>a()</script>\n", "format-unknown", "a page"),
            ("brace-json.nix", "{\n  \"a\": b\n}\n", "json-syntax", "JSON that is broken"),
            ("brace-single.map", "{'a': 1}\n", "json-syntax", "a dictionary of Python's")):
        case(name, text, codes, why, "review")
    case("template-tempita.pyx.tp", "{{py:\nnames = ['a']\n}}\ncdef int {{names[0]}}\n", SIDE, "Tempita's: Jinja refuses the colon", "accept")
    case("template-tempita-not.pyx.tp", "{{py['x'].__class__}}\n", "format-unknown", "Jinja takes the bracket", "review")
    loops = "{% for a in sections %}{% for b in a %}{% for c in b %}{% for d in c %}{% for e in d %}{{ e * 9999 }}" + "{% endfor %}" * 5
    case("template-changelog_template.rst.jinja2", loops + "\n", SIDE, "what a generator makes another file of", "accept")
    case("template-chat_template.rst.jinja2", loops + "\n", "template-dos " + SIDE, "a chat's", "review")
    case("brace-yaml.map", "{a: !!python/object/apply:os.system [id]}\n", "yaml-python-tag format-side-file", "YAML that calls", "reject")


def sources():
    text = "Windows Registry Editor Version 5.00\r\n"
    case("source-utf16.reg", b"\xff\xfe" + text.encode("utf-16-le"), "repo-code", "as its editor writes it", "review")
    case("source-utf16-half.reg", b"\xff\xfe" + text.encode("utf-16-le")[:-1], "format-unknown", "half a character", "review")
    php = b"<?php\n# Made by the compiler of protocols.  Do not edit it at all.\n\n$a = \"\x0a\xeb\x03\x01name\x12\x07\";\n"
    case("source-strings.php", php, "repo-code", "a descriptor in a string", "review")
    case("source-zeros.php", php + b"\0" * 8, "format-unknown", "zeros in it", "review")
    case("source-binary.php", bytes(range(1, 100)), "format-unknown", "no text at its beginning", "review")
    case("source-bell.js", b"var bell = '\x07', escape = '\x1b';\n", "repo-code", "signs for terminals", "review")
    case("source-latin.js", b"// caf\xe9\nvar a = 1;\n", "repo-code", "Latin-1", "review")
    case("source-script", b"#! /bin/sh\necho '\x07'\n", "repo-code", "a first line that names an interpreter", "review")
    case("source-script-not", b"# /bin/sh\necho '\x07'\n", "format-unknown", "none", "review")
    case("page-part.html", "<div>\n  <p>{{ name }}<br>\n</div>\n", "format-html", "part of a page", "review")
    case("page-block.html", "{% extends 'layout.html' %}\n{% block a %}<p>a</p>{% endblock %}\n", "format-html", "what makes a page", "review")
    case("page-part.bin", "<div>\n  <p>{{ name }}<br>\n</div>\n", "format-unknown", "a name that says nothing", "review")
    case("page-binary.html", b"<div>\x00\x01</div>", "format-unknown", "no text", "review")
    page = "const char *page = \"<html><script>a()</script></html>\";\n"
    case("source-page.cpp", page, "repo-code", "markup in a string", "review")
    case("source-page.bin", page, "format-unknown", "a name that says nothing", "review")


def configs():
    emoji = "markdown_extensions:\n  - pymdownx.emoji:\n      emoji_generator: !!python/name:{}\n"
    case("site-mkdocs.yml", emoji.format("materialx.emoji.to_svg"), "config-yaml-python-value " + SIDE, "a function that makes pages", "accept")
    case("site-mkdocs-other.yml", emoji.format("own.emoji.to_svg"), "config-yaml-object " + SIDE, "a function of somebody's", "review")
    case("site-mkdocs-not.yml", emoji.format("os.system"), "yaml-python-tag " + SIDE, "one that runs commands", "reject")
    lib = '{{"compilerOptions": {{"target": "ES2021", "lib": ["ES2021", "DOM", "{}"]}}}}\n'
    case("site-tsconfig.json", lib.format("DOM.Iterable"), SIDE, "types of a browser's", "accept")
    case("site-tsconfig-not.json", lib.format("evil.Iterable"), "config-target-unlisted " + SIDE, "a class of somebody's", "review")
    case("workflow-paths.yml", "on:\n  pull_request:\n    paths:\n      - agent.Dockerfile\njobs: {}\n", SIDE, "files", "accept")
    matrix = "jobs:\n  a:\n    strategy:\n      {}:\n        include:\n          - libname: libsome.dylib\n"
    case("workflow-matrix.yml", matrix.format("matrix"), SIDE, "a row of a matrix", "accept")
    case("workflow-matrix-not.yml", matrix.format("options"), "config-library " + SIDE, "no matrix", "reject")
    case("packages-git.toml", "[dependencies]\ngit = \">=2.55.0,<3\"\n", SIDE, "a package called git", "accept")
    case("packages-git-place.toml", "[dependencies.some]\ngit = \"https://host.example/some\"\n", "config-requirement " + SIDE, "a place", "review")
    lock = '{{"packages": {{"node_modules/a": {{"version": "1.0.0", "{}": "`a` is old; use `b`"}}}}}}\n'
    case("packages-deprecated.json", lock.format("deprecated"), SIDE, "a sentence", "accept")
    case("packages-other.json", lock.format("from"), "config-requirement " + SIDE, "a command for a shell", "review")


CORPUS.make(braces, sources, configs)
