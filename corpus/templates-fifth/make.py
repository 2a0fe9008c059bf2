#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: what a fifth attack on the judge of templates got past it (each was rendered once,
with limits: it reached what is private, or took more than five seconds), and an honest near miss of each.  Always the same bytes;
nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import Templates  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Templates()
case, pairs = CORPUS.template, CORPUS.pairs
KEY = "{% set c = '_'*2 ~ 'class' ~ '_'*2 %}"
SLOW = "{% macro m() %}{% for i in range(300000) %}{% endfor %}{% endmacro %}"


UNSEEN = SLOW + "{% set u = '_'*2 %}{% set ns = namespace({u ~ 'html' ~ u: m}) %}{% for i in range(5000) %}"

pairs(
    ("pair-and-pair", KEY + "{% set p = {'a': c}.items()|first %}{{ ''[(p + p)[1]] }}", "introspection",
     "{% for k, v in {'a': 1}.items() %}{{ k ~ v }}{% endfor %}{% for p in tools[0].items() %}{{ p[0] + ': ' + p[1]|string }}{% endfor %}",
     "what mappings give are tuples, and a sum of tuples holds what is in both"),
    ("number-and-pair", KEY + "{% set p = {1: 2}.items()|first %}{% set q = {'a': c}.items()|first %}{{ ''[(p + q)[3]] }}", "introspection",
     "{% set n = 1 %}{% for m in messages %}{{ loop.index0 + n }}{% endfor %}", "a tuple of numbers is no number"),
    ("loop-set", KEY + "{% set loop = {'first': c} %}{{ ''[loop.first] }}", "introspection unknown-tag",
     "{% for m in messages %}{% if loop.first %}a{% endif %}{{ loop.index0 }}{% endfor %}", "a mapping that is called loop"),
    ("loop-parameter", KEY + "{% macro m(loop) %}{{ ''[loop.first] }}{% endmacro %}{{ m({'first': c}) }}", "introspection unknown-tag",
     "{% macro m(x, last) %}{{ x }}{% if not last %},{% endif %}{% endmacro %}{% for x in messages %}{{ m(x.role, loop.last) }}{% endfor %}",
     "a parameter that is called loop"),
    ("cycler-items", KEY + "{% set y = cycler(c, c) %}{{ ''[(y.items + y.items)[0]] }}", "introspection",
     "{% set y = cycler('odd', 'even') %}{{ y.next() }}{{ y.current }}", "all that a cycler was given"),
    ("pair-as-format", "{% macro m() %}{% endmacro %}{% for x in {'{a': '._environment}'}.items() %}{{ (x|string).format(**{\"a', '\": m}) }}{% endfor %}",
     "introspection", "{% for p in {'a': 'b'}.items() %}{{ p|string }}{% endfor %}", "what a pair looks like"),
    ("call-of-method", "{% set d = {} %}{% call d.update() %}__class__{% endcall %}{% set e = {'isdigit': d.values()|first} %}{{ ''[e.isdigit()] }}",
     "unprovable", "{% macro m(x) %}<{{ x }}>{{ caller() }}{% endmacro %}{% call m('a') %}text{% endcall %}", "a body that a mapping keeps"),
    ("unseen-in-list", KEY + "{% set ns = namespace(items={'a': c}.values) %}{% for x in [ns]|map('dictsort') %}{% for a in x %}{{ ''[a] }}{% endfor %}{% endfor %}",
     "introspection unprovable", "{% set ns = namespace(items=[{'b': 1}]) %}{{ ns.items|map('dictsort')|list }}", "items() of a namespace in a list"),
    ("unseen-by-stars", SLOW + "{% macro q() %}{% endmacro %}{% set ns = namespace(keys=m) %}{% for i in range(5000) %}{{ q(**ns) }}{% endfor %}",
     "unprovable", "{% macro q(a) %}{{ a }}{% endmacro %}{{ q(**{'a': 1}) }}", "keys() for a macro's arguments"),
    ("unseen-in-mapping", UNSEEN + "{% if {'a': ns}|xmlattr %}{% endif %}{% endfor %}", "unprovable",
     "{% set ns = namespace(f=1) %}{{ {'a': 1}|xmlattr }}", "__html__() of a value"),
    ("unseen-in-tuple", UNSEEN + "{% if ('%s'|e) % (ns,) %}{% endif %}{% endfor %}", "unprovable", "{{ 'x %s' % ('y',) }}", "and of what a text is filled with"),
    ("unseen-by-map", UNSEEN + "{% if [ns]|map('e')|list %}{% endif %}{% endfor %}", "unprovable", "{{ ['a']|map('e')|list }}", "and of each in a list"))
pairs(
    ("body-in-kwargs", "{% macro m() %}{% set e = {'isdigit': kwargs.values()|first} %}{{ ''[e.isdigit()] }}{% endmacro %}{% call m() %}__class__{% endcall %}",
     "unprovable", "{% macro m() %}{{ caller('user', name='x') }}{% endmacro %}{% call(role) m() %}{% for k in kwargs %}{{ k }}{% endfor %}{% endcall %}",
     "a body that a macro finds in its kwargs"),
    ("items-looked-up", KEY + "{% set y = cycler(c, c) %}{% set k = 'items' %}{{ ''[(y[k] + y[k])[0]] }}", "introspection",
     "{% set roles = {'user': 'U', 'assistant': 'A'} %}{{ roles[messages[0].role] + ': ' }}", "all that a cycler was given, by a key"),
    ("names-of-parameters", "{% macro m(_environment) %}{% endmacro %}{{ m[(m.arguments + m.arguments)[0]] }}", "introspection",
     "{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m.arguments|length }}", "a sum of the names of parameters"))
CORPUS.write(ensure_ascii=False)
