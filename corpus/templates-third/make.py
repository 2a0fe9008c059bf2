#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: what a third attack on the judge of templates got past it (each was rendered once,
with limits: it reached what is private, or took more than five seconds or a GiB), and an honest near miss of each.  Always the same
bytes; nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import Templates  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Templates()
case, pairs = CORPUS.template, CORPUS.pairs
CLASS = "{% set x = ('_'*2) ~ 'class' ~ ('_'*2) %}"
COPY = CLASS + "{% set c = {}.copy() %}{% do c.update({'k': x}) %}"
OUT = "cycler[('_'*2)~'init'~('_'*2)]"


pairs(
    ("tuple-test", CLASS + "{% if 1, x is not string %}{{ ''[x] }}{% endif %}", "introspection",
     "{% set x = messages[0].content %}{% if true and x is not string %}{{ x[0]['text'] }}{% endif %}",
     "a tuple is true whatever is in it: no test in it says anything"),
    ("dict-of-filled", COPY + "{{ ''[dict(c)['k']] }}", "introspection",
     "{% set c = {}.copy() %}{% do c.update({'k': 'role'}) %}{{ messages[0][dict(c)['k']] }}",
     "a copy of a mapping holds what was put into that before"),
    ("dict-of-an-item", COPY + "{{ ''[dict([c][0])['k']] }}", "introspection",
     "{% set c = {'k': 'role'} %}{{ messages[0][dict([c][0])['k']] }}", "the same, out of a list"),
    ("update-with-filled", COPY + "{% set d = {} %}{% do d.update(c) %}{{ ''[d['k']] }}", "dos introspection unprovable",
     "{% set d = {} %}{% do d.update({'k': 'role'}) %}{{ messages[0][d['k']] }}", "the same, by a method"),
    ("starred-filled", CLASS + "{% macro m(k) %}{{ ''[k] }}{% endmacro %}{% set c = [] %}{% do c.append(x) %}{{ m(*c) }}",
     "introspection",
     "{% macro m(k) %}{{ messages[0][k] }}{% endmacro %}{% set c = [] %}{% do c.append('role') %}{{ m(*c) }}",
     "arguments that come out of a list"),
    ("list-as-text", "{% set f = '{0.' ~ ('_'*2) ~ 'class' ~ ('_'*2) ~ '}' %}{{ ([f]|string).format(5) }}", "introspection",
     "{{ ['{0}', 'a']|string }}{{ '{0}'.format(5) }}", "what a list looks like holds what is in it: a format"),
    ("list-as-format", "{{ (['{0', '.gi_frame}']|string).format(**{\"0', '\": messages|map('string')}) }}", "introspection",
     "{{ ['role', 'content']|string|length }}", "its items together are one, too"),
    ("sort-by-two", "{{ messages|sort(attribute='role,_secret') }}", "introspection",
     "{{ messages|sort(attribute='role,content') }}", "sort() takes several names, with commas"),
    ("format-of-made", "{{ ('%s'|replace('s', '1999999999d') % 5)|length }}", "dos",
     "{{ '%s: %d' % ('a', 5) }}", "a format that was made of a literal is not that literal"),
    ("format-width-field", "{{ '{:{}}'.format(1, '1999999999')|length }}", "dos",
     "{{ '{:>8}'.format(1) }}{{ '{\"a\": {\"b\": 1}}' }}", "a field in a field is its width"),
    ("format-width-digits", "{{ '{:1\u0669\u0669\u0669\u0669\u0669\u0669\u0669\u0669\u0669}'.format(1)|length }}", "dos",
     "{{ '{}\u0669'.format(1) }}", "Python takes the digits of other scripts as a width"),
    ("round-down", "{{ 5|round(-100000000) }}", "dos", "{{ (messages|length / 3)|round(2) }}", "powers of ten are computed"),
    ("replace-by-keyword", "{% set x = 'a'*4000 %}{{ x|replace(new='" + "b" * 4000 + "', old='a')|length }}", "dos",
     "{% set x = 'a'*40 %}{{ x|replace(new='b', old='a') }}", "arguments by name stand in any order"),
    ("list-in-a-text", "{% set ns = namespace(x='\\\\') %}{% for i in range(29) %}{% set ns.x = [ns.x]|string %}{% endfor %}"
     "{{ ns.x|length }}", "dos", "{% set ns = namespace(x='') %}{% for i in range(3) %}{% set ns.x = [i]|string %}{% endfor %}",
     "quotes and backslashes double each time"),
    ("find-from-behind", "{% set a = 'a' * 3000000 %}{{ a.rfind('ab' ~ 'a'*1500000) }}", "dos",
     "{{ messages[0].content.rfind('</think>') }}", "from behind, CPython searches anew for each letter"),
    ("strip-letters", "{% set a = 'a' * 2000000 %}{{ a.strip('b'*2000000 ~ 'a')|length }}", "dos",
     "{{ messages[0].content.strip(' \\n') }}", "each letter is looked for among the others"),
    ("digits-divided", "{% set n = ('9'*4300)|int %}{% set m = ('7'*2000)|int %}{% for i in range(900000) %}"
     "{% if n % m %}{% endif %}{% endfor %}", "dos",
     "{% for i in range(1000) %}{% if i % 2 %}{% endif %}{% endfor %}", "a number of thousands of digits"),
    ("digits-written", "{% set a = 0x" + "f" * 5000 + " %}{% for i in messages %}{% if a % 7 %}{% endif %}{% endfor %}", "dos",
     "{% set a = 0xffffffff %}{{ a % 7 }}", "the same, written down"),
    ("constants", "{% macro m() %}" + "{% set x = 'a'*8000000 %}" * 100 + "{% endmacro %}", "dos",
     "{% macro m() %}" + "{% set x = '='*80 %}" * 100 + "{% endmacro %}", "Jinja writes constants into the program it compiles"),
    ("filters-in-a-row", "{% set x = '' %}{% for i in range(900000) %}{% if x" + "|title" * 80 + " %}{% endif %}{% endfor %}",
     "dos", "{{ messages[0].content|trim|lower|title }}", "an empty text is work, too"),
    ("maps-in-a-row", "{% if range(400000)" + "|map('string')" * 40 + "|list %}{% endif %}", "dos",
     "{{ messages|map(attribute='role')|map('upper')|join }}", "each item is a call"),
    ("append-to-selected", "{% set l = ['a'] %}{% for x in l|select %}{% do l.append('a') %}{% endfor %}", "dos",
     "{% set l = [] %}{% for m in messages|selectattr('content') %}{% do l.append(m.role) %}{% endfor %}",
     "select() asks for an item when it is asked for one: the loop never ends"),
    ("blocks-in-a-loop", "{% for i in range(1000000) %}" + "{% set x %}{% endset %}" * 50 + "{% endfor %}", "dos",
     "{% for m in messages %}" + "{% set x %}{{ m.role }}{% endset %}" * 50 + "{% endfor %}", "an empty block is work, too"))

case("generator", "{% include " + OUT + "['popen']('x').read() ignore missing %}", "load",
     "what is looked up for a tag that loads is code of its own: such a file is judged as a chat's")
case("generator-near", "{% include 'parts/' ~ name ~ '.j2' ignore missing %}{% include ['a.j2', 'b.j2'] %}",
     why="near miss: names and texts alone")
case("generator-tag.S", "{% autoescape " + OUT + " %}{% endautoescape %}", "unknown-tag", "the same, in a tag that is not known", ".j2")
case("generator-tag-near.S", "{% autoescape true %}{{ reg(1) }}{% endautoescape %}", why="near miss: a word", ending=".j2")
CORPUS.write(ensure_ascii=False)
