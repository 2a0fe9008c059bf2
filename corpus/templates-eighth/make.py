#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: templates that take more than five seconds to compile or to render (seen so, with limits), by
what nobody had counted: tests that ask each letter, numbers to another base, what is deep, names that each branch keeps apart; an honest
near miss of each.  Always the same bytes; nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import Templates  # noqa: E402 pylint: disable=wrong-import-position

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
    ("deep-shown", deep(300, "[0] * 10000", "{{ X|pprint|length }}" * 6), "dos", deep(30, "[0] * 100", "{{ X|pprint|length }}") + "{{ messages|pprint }}",
     "each level is written anew"),
    ("names-in-branches", "{% if x %}" + names(3900) + "{% endif %}" + branches(450) * 12, "dos", "{% if x %}" + names(300) + "{% endif %}" + branches(200) * 2,
     "names that are kept apart for each branch, when it is compiled"),
    ("quotes-that-nothing-closes", "{{ '" + "\\'" * 60000 + " }}", "dos unknown-tag", "{{ '" + "\\'" * 60000 + "' }}", "each quote looks for its other one to the end"))
CORPUS.write(ensure_ascii=False)
