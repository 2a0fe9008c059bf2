#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: templates that do to fifty messages of 60,000 letters what one of them bears (rendered so, with
limits: more than five seconds or a GiB), an honest near miss of each; and what a test says of a member, for as long as it is that
member.  Always the same bytes; nothing here is rendered.
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


UPPER = "{% if m.content|upper == 'x' %}y{% endif %}"
LETTERS = "{% for a in m.content %}{% for b in m.content %}{% if a == b %}{% endif %}{% endfor %}{% endfor %}"

def of_schemas(body, each="{{ f(v) }}"):
    return ("{% macro f(s) %}" + body + "{% for k, v in s.properties.items() %}" + each + "{% endfor %}{% endmacro %}"
            "{% for t in tools %}{{ f(t.function.parameters) }}{% endfor %}")


CORPUS.pairs(
    ("loop-in-a-schema", of_schemas(times(100000, "")), "dos", of_schemas(times(10, "")), "a long loop for each part of a deep schema"),
    ("calls-in-a-schema", of_schemas("", "{{ f(v) }}" * 4), "dos", of_schemas("{% if s.items %}{{ f(s.items) }}{% endif %}"),
     "each part gone into four times, at each level"),
    ("filters-of-all", times(8000, of_each(UPPER)), "dos", times(8, of_each(UPPER)), "each message as often as the template says"),
    ("search-in-all", times(8000, of_each("{% if 'abcdefghijaaaaaaaaa' in m['content'] %}y{% endif %}")), "dos",
     of_each("{% if '</think>' in m['content'] %}{{ m['content'].split('</think>')[-1] }}{% endif %}"), "a word looked for in each, as often"),
    ("values-of-all", times(8000, of_each("{% for k, v in m.items() %}{% if v|upper == 'x' %}{% endif %}{% endfor %}")), "dos",
     of_each("{% for k, v in m.items() %}{{ k }}: {{ v|upper }}{% endfor %}"), "whatever the member is called"),
    ("parts-of-all", times(8000, of_each("{% for p in m.content %}{% if p.text|upper == 'x' %}{% endif %}{% endfor %}")), "dos",
     of_each("{% for p in m.content %}{{ p.text|upper }}{% endfor %}"), "parts of messages"),
    ("macro-of-all", "{% macro f(m) %}" + UPPER + "{% endmacro %}" + times(8000, of_each("{{ f(m) }}")), "dos",
     "{% macro f(m) %}" + UPPER + "{% endmacro %}" + of_each("{{ f(m) }}"), "in a macro"),
    ("letters-into-a-list", "{% set ns = namespace(l=[]) %}" + of_each("{% for c in m.content %}{% set ns.l = ns.l + [c] %}{% endfor %}"), "dos",
     "{% set ns = namespace(l=[]) %}" + of_each("{% set ns.l = ns.l + [m.content] %}"), "a list copied for each letter of all"),
    ("letters-into-a-text", "{% set ns = namespace(t='') %}" + of_each("{% for c in m.content %}{% set ns.t = ns.t ~ c %}{% endfor %}"), "dos",
     "{% set ns = namespace(t='') %}" + of_each("{% for p in m.parts %}{% set ns.t = ns.t ~ p.text %}{% endfor %}"), "a text copied for each letter of all"),
    ("words-in-all", of_each("{% for w in m.content.split(' ') %}{% for n in messages %}{% if w in n.content %}x{% endif %}{% endfor %}{% endfor %}"), "dos",
     of_each("{% for w in m.content.split(' ') %}{% if w in 'stop' %}x{% endif %}{% endfor %}"), "each word looked for in each message"),
    ("titles-of-all-and-all", of_each("{% for n in messages %}{{ n.content|title|length }}{% endfor %}"), "dos", of_each("{{ m.content|title|length }}"),
     "a slow filter of each message for each"),
    ("map-of-letters", of_each("{{ m.content" + "|map('upper')|map('lower')" * 3 + "|join|length }}"), "dos", of_each("{{ m.content|map('upper')|join|length }}"),
     "a filter called for each letter, several times"),
    ("sorted-letters", of_each("{{ (m.content|sort|join)|list|sort|length }}{{ m.content|sort|first }}"), "dos", "{{ messages|sort(attribute='role')|length }}",
     "letters sorted, several times"),
    ("lists-of-letters", "{% set l = [] %}" + of_each("{% for c in m.content %}{% do l.append({'a': {'b': c}, 'c': [1]}) %}{% endfor %}"), "dos",
     "{% set l = [] %}" + of_each("{% do l.append(m.content) %}"), "mappings kept, one for each letter"),
    ("copies-of-all", "{% set ns = namespace(l=[]) %}" + times(400, "{% set ns.l = ns.l + [messages|tojson] %}") + "{{ ns.l|length }}", "dos",
     "{% set ns = namespace(l=[]) %}" + times(4, "{% set ns.l = ns.l + [messages|tojson] %}") + "{{ ns.l|length }}", "copies of the conversation, kept"),
    ("written-again", times(400, of_each("{{ m.content ~ i }}")), "dos", times(4, of_each("{{ m.content ~ i }}")), "the conversation, written again and again"),
    ("tested-and-set", of_each("{% if m.content is not string %}{% set m = messages[0] %}" + LETTERS + "{% endif %}"), "dos",
     of_each("{% if m.content is not string %}" + LETTERS + "{% endif %}"), "a test, and then another message under that name"),
    ("tested-by-key", "{% set k = 'role' %}" + of_each("{% if m[k] is not string %}{% set k = 'content' %}" + LETTERS.replace(".content", "[k]") + "{% endif %}"),
     "dos", of_each("{% if m['content'] is not string %}" + LETTERS.replace(".content", ".get('content')") + "{% endif %}"), "a test, and then another key"),
    ("tested-by-number", of_each("{% if m.content['0'] is not string %}" + LETTERS.replace(".content", ".content[0]") + "{% endif %}"), "dos",
     of_each("{% if m.content[0] is not string %}" + LETTERS.replace(".content", ".content[0]") + "{% endif %}"), "a key is not a number"),
    ("tested-elsewhere", of_each("{% if m.content is not string %}{% macro f(m) %}" + LETTERS + "{% endmacro %}{{ f(messages[0]) }}{% endif %}"), "dos",
     of_each("{% if m.content is not string %}{% for a in m.content %}{{ a.text }}{% endfor %}{% else %}{{ m.content }}{% endif %}"), "a macro knows of no test"),
    ("tested-field", "{% set ns = namespace() %}" + of_each("{% set ns.x = m.role %}{% if ns.x is not string %}{% set ns.x = m.content %}"
                                                           + LETTERS.replace("m.content", "ns.x") + "{% endif %}"), "dos",
     "{% set ns = namespace() %}" + of_each("{% set ns.x = m.content %}{% if ns.x is not string %}{% for p in ns.x %}{{ p.text }}{% endfor %}{% endif %}"),
     "a field is set after the test"))
CORPUS.write(ensure_ascii=False)
