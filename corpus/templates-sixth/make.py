#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: templates whose cost is that of one long message, list or mapping to a power, or of what
loops over it do again and again (rendered with messages of 60,000 letters, with limits: more than five seconds or a GiB), and an honest
near miss of each.  Always the same bytes; nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import Templates  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Templates()
N = "{% set n = messages[0].content|length %}"

CORPUS.pairs(
    ("length-to-a-power", N + "{% for i in range(n*n*n*n) %}{% endfor %}", "dos", N + "{% for i in range(n) %}{% endfor %}",
     "the length of one message, to a power"),
    ("length-as-factor", N + "{% set t = 'a' * (n*n*n) %}{{ t|length }}", "dos", N + "{% if n > 3 %}{{ ' ' * (20 - n) }}{% endif %}", "as a factor"),
    ("place-as-width", "{% set n = messages[0].content.rfind('a') %}{{ ('a'.center(n*n*n))|length }}", "dos",
     "{% set n = messages[0].content.rfind('</think>') %}{{ messages[0].content[:n] }}", "what rfind() gives, as a width"),
    ("items-of-a-length", N + "{% set x = [1] * (n*n*n) %}{{ x|length }}", "dos", N + "{% set x = [1] * 3 %}{{ x|length + n }}", "as many items"),
    ("ranges-of-a-length", "{% for m in messages %}" + "{% for a in range(m.content|length) %}" * 3 + "{% endfor %}" * 4, "dos",
     "{% for m in messages %}{% for a in range(m.content|length) %}{% endfor %}{% endfor %}", "ranges of it, in each other"),
    ("letters-in-a-list", "{% set l = messages[0].content|list %}" + "{% for a in l %}" * 2 + "{% endfor %}" * 2, "dos",
     "{% for m in messages %}{% for w in m.content.split() %}{{ w }}{% endfor %}{% endfor %}", "its letters as a list, in each other"),
    ("sum-of-lengths",
     "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + m.content|length %}{% endfor %}{% for i in range(ns.n * ns.n) %}{% endfor %}",
     "dos", "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + m.content|length %}{% endfor %}{{ ns.n }}", "the sum of lengths, squared"),
    ("letters-in-letters", "{% for m in messages %}{% for a in m.content %}{% for b in m.content %}{% if a == b %}{% endif %}{% endfor %}{% endfor %}{% endfor %}",
     "dos", "{% for m in messages %}{% for part in m.content %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endfor %}",
     "each letter with each"),
    ("deep-letters", "{% for p in messages[0].content %}{% for a in p.text %}{% for b in p.text %}{% endfor %}{% endfor %}{% endfor %}", "dos",
     "{% for p in messages[0].content %}{% for a in p.text %}{{ a|upper }}{% endfor %}{% endfor %}", "of a part of a message"),
    ("letters-through-a-macro",
     "{% macro m(x) %}{% for a in x %}{% for b in x %}{% endfor %}{% endfor %}{% endmacro %}{% for c in messages %}{{ m(c.content) }}{% endfor %}",
     "dos", "{% macro m(x) %}{% for a in x %}{{ a }}{% endfor %}{% endmacro %}{% for c in messages %}{{ m(c.content) }}{% endfor %}", "in a macro"),
    ("message-for-each-letter", "{% for a in messages[0].content %}{% if messages[0].content|tojson == a %}{% endif %}{% endfor %}", "dos",
     "{% for a in messages[0].tool_calls %}{% if messages[0].content|trim == a %}{% endif %}{% endfor %}", "a message as often as it has letters"),
    ("macro-for-each-letter",
     "{% macro m(a) %}{% if messages[0].content|tojson == a %}{% endif %}{% endmacro %}{% for a in messages[0].content %}{{ m(a) }}{% endfor %}", "dos",
     "{% macro m(a) %}{{ a|tojson }}{% endmacro %}{{ m(messages[0].content) }}{% for a in messages[0].content %}{{ m(a) }}{% endfor %}",
     "by a macro that is given a letter alone"),
    ("members-in-members",
     "{% for t in tools %}" + "{% for k, v in t.function.parameters.properties.items() %}" * 3 + "{{ v }}" + "{% endfor %}" * 4, "dos",
     "{% for t in tools %}{% for k, v in t.function.parameters.properties.items() %}{{ k }}{% for e in v.enum %}{{ e }}{% endfor %}{% endfor %}{% endfor %}",
     "all members of a schema with all and all"),
    ("calls-to-a-power", "{% set n = messages[0].tool_calls|length %}{% for i in range(n*n*n) %}{% endfor %}", "dos",
     "{% set n = messages[0].tool_calls|length %}{% for i in range(n) %}{{ messages[0].tool_calls[i].id }}{% endfor %}", "the number of calls, to a power"),
    ("tags-of-letters", "{{ messages[0].content|replace('a', '<')|striptags }}", "dos", "{{ messages[0].content|trim|striptags|wordwrap(60) }}",
     "letters that striptags begins to look for an end from, each"),
    ("copies-of-a-list", "{% set l = messages[0].content|list %}{% for a in l %}" + "{{ (l + [1])|length }}" * 2 + "{% endfor %}", "dos",
     "{% set l = messages[0].content.split() %}{% for a in l %}{{ a }}{% endfor %}{{ (l + [1])|length }}", "its letters as a list, copied for each"))
CORPUS.write(ensure_ascii=False)
