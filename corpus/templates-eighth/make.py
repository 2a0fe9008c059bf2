#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: templates that take more than five seconds to compile or to render (seen so, with limits), by
what nobody had counted: tests that ask each letter, numbers to another base, what is deep, names that each branch keeps apart, two texts
of 60,000 letters at different places of a conversation, or one that is deep in it; and templates that may be read as something else.
An honest near miss of each.  Always the same bytes; nothing here is rendered.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import SIDE, Templates  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Templates()


def of_each(body, before=""):
    return before + "{% for m in messages %}" + body + "{% endfor %}"


def times(n, body):
    return f"{{% for i in range({n}) %}}" + body + "{% endfor %}"


def names(n):
    return "".join("{% set " + ", ".join(f"a{k}" for k in range(first, first + 30)) + " = x %}" for first in range(0, n, 30))


def branches(n):
    return "{% if x %}" + "{% elif y %}" * n + "{% endif %}"


def deep(n, inside, then):
    """@inside in @n lists, which are in each other; then X is that."""
    levels = "".join(f"{{% set x{k + 1} = " + "[" * 30 + f"x{k}" + "]" * 30 + " %}" for k in range(n // 30))
    return "{% set x0 = " + inside + " %}" + levels + then.replace("X", f"x{n // 30}")


HEX = "{% set b = '1f' %}{% set n = (b * 8000)|int(0, 16) %}{% set m = (b * 4000)|int(base=16) %}"
LONG = "{% set q = '\"' %}{% set s = q * 300000 %}"

CORPUS.pairs(
    ("letters-asked", LONG + times(300000, "{% if s is lower %}{% endif %}"), "dos",
     of_each("{% if m.content is upper %}LOUD{% elif m.content is lower %}quiet{% endif %}"), "a test that asks each letter, again and again"),
    ("letters-of-all-asked", times(8000, of_each("{% if m.content is upper %}{% endif %}")), "dos",
     times(8, of_each("{% if m.content is upper %}{% endif %}")), "the same, of each message"),
    ("hex-divided", HEX + times(3000, "{% if n % m == n // m %}a{% endif %}"), "dos",
     "{% set b = '1f' %}{% set n = (b * 8)|int(0, 16) %}" + times(3000, "{% if n % 7 == n // 9 %}a{% endif %}") + "{{ messages[0].id|int(0, 16) % 7 }}",
     "numbers of more digits than Python takes in tens"),
    ("deep-shown", deep(300, "[0] * 10000", "{{ X|pprint|length }}" * 5), "dos", deep(30, "[0] * 100", "{{ X|pprint|length }}") + "{{ messages|pprint }}",
     "each level is written anew"),
    ("names-in-branches", "{% if x %}" + names(3900) + "{% endif %}" + branches(450) * 12, "dos", "{% if x %}" + names(300) + "{% endif %}" + branches(200) * 2,
     "names that are kept apart for each branch, when it is compiled"))

QUOTES = "{{ '" + "\\'" * 60000
CORPUS.case("quotes-that-nothing-closes.jinja", QUOTES + " }}", "template-dos template-unknown-tag", "each quote looks for its other one to the end")
CORPUS.template("quotes-that-nothing-closes-near", QUOTES + "' }}", why="near miss: a string that is closed")

CONTENT, PART = "messages[0].content", "messages[2].content[0].text"
FILE = "messages[1].tool_calls[0].function.arguments.files[0].parts[0].text"


def loops(a, b, body=""):
    return f"{{% for a in {a} %}}{{% for b in {b} %}}{body}{{% endfor %}}{{% endfor %}}"


def macro(body, params="x"):
    return f"{{% macro m({params}) %}}{body}{{% endmacro %}}"


def each(of, body):
    return f"{{% for a in {of} %}}{body}{{% endfor %}}"


SCHEMAS = ("{% for t in tools %}{% for k, v in t.function.parameters.properties.items() %}{% for k2, v2 in v.properties.items() %}"
           "{% for k3, v3 in v2.properties.items() %}{{ m(v3.properties.p.description) }}{% endfor %}{% endfor %}{% endfor %}{% endfor %}")

CORPUS.pairs(
    ("two-places", loops(CONTENT, PART), "dos", each(CONTENT, "{{ a }}") + each(PART, "{{ a }}"), "letters of one text for each of another, which is deeper"),
    ("two-places-and-parts", each("messages[2].content", loops("a.text", CONTENT)), "dos", each("messages[2].content", each("a.text", "{{ a }}")),
     "parts of parts are as many as there are; with another text, they multiply"),
    ("two-places-in-a-macro", macro(each("x", "")) + each(CONTENT, "{{ m(" + PART + ") }}"), "dos", macro(each("x", "")) + each("messages[2].content", "{{ m(a.text) }}"),
     "the inner loop is in a macro"),
    ("two-places-behind-a-default", macro(each("x", ""), "x=" + PART) + each(CONTENT, "{{ m() }}"), "dos", macro(each("x", ""), "x=" + PART) + "{{ m() }}",
     "a macro is long with what nobody gave it"),
    ("two-places-in-a-star", macro(each("x", "")) + each(CONTENT, "{{ m(*[" + PART + "]) }}"), "dos", macro(each("x", "")) + "{{ m(*[" + PART + "]) }}",
     "given in a list"),
    ("two-places-in-a-call", macro("{{ caller() }}", "") + each(CONTENT, "{% call m() %}" + each(PART, "") + "{% endcall %}"), "dos",
     macro("{{ caller() }}", "") + each("messages", "{% call m() %}" + each("a.content", "") + "{% endcall %}"), "the inner loop is a call block's"),
    ("two-places-by-number", each(f"range({CONTENT}|length)", "{% set k = a // 60000 %}" + each("messages[k].content", "")), "dos",
     each("range(messages[2].content|length)", "{% set k = a - 1 %}" + each("messages[2].content[k].text", "")), "numbers that come again, and others that do not"),
    ("two-places-and-a-filter", each(CONTENT, "{% if " + PART + "|title %}{% endif %}"), "dos", each("messages[2].content", "{% if a.text|title %}{% endif %}"),
     "each letter of a text, for each of another"),
    ("two-places-and-a-filter-in-a-macro", macro("{% if x|title %}{% endif %}") + each(CONTENT, "{{ m(" + PART + ") }}"), "dos",
     macro("{% if x|title %}{% endif %}") + each("messages[2].content", "{{ m(a.text) }}"), "the same, in a macro"),
    ("two-places-written", each(CONTENT, "{{ " + PART + " }}"), "dos", each("messages[2].content", "{{ a.text }}"), "a text, written for each letter of another"),
    ("two-places-joined", "{{ " + CONTENT + "|join(" + PART + ")|length }}", "dos", "{{ " + CONTENT + "|join(' ')|length }}", "a text between the letters of another"),
    ("two-places-kept", "{% set l = [] %}" + each(CONTENT, "{% do l.append(" + PART + "|upper) %}"), "dos",
     "{% set l = [] %}" + each("messages[2].content", "{% do l.append(a.text|upper) %}"), "a text, kept for each letter of another"),
    ("deep-in-arguments", loops(FILE, FILE), "dos", each(FILE, "{{ a }}"), "letters of a text that is five steps deep"),
    ("deep-in-a-schema", macro(loops("x", "x")) + SCHEMAS, "dos", macro(each("x", "{{ a }}")) + SCHEMAS, "a description in a schema in a schema"),
    ("letters-sorted", "{% set q = '<' %}{% set s = q * 300000 %}" + times(40, "{{ (s|sort)|length }}"), "dos",
     "{{ ('<' * 3000)|sort|length }}{{ " + CONTENT + "|sort|length }}", "filters that ask something of each item ask it of letters"))
# Who renders it finds it by its name.
OUT, ROLE = "{{ messages.__class__ }}", "{{ messages[0].role }}"
CORPUS.case("also.jinja", json.dumps({"chat_template": "x", "more": OUT}), SIDE + " template-dunder", "JSON with a template in it is a template as well")
CORPUS.case("also-near.jinja", json.dumps({"chat_template": "x", "more": ROLE}), SIDE, "near miss: with a block that does no harm")
for ending, text in (("yaml", "chat_template: jinja\nchat_template_jinja: \"{}\"\n"), ("json", "{{\"chat_template_jinja\": \"{}\"}}")):
    CORPUS.case("jinja-member." + ending, text.format(OUT), SIDE + " template-dunder", "settings of axolotl")
    CORPUS.case("jinja-member-near." + ending, text.format(ROLE), SIDE, "near miss: settings of axolotl")
CORPUS.write(ensure_ascii=False)
