#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: what a fourth attack on the judge of templates got past it (each was rendered once,
with limits: it reached what is private, called what nobody saw, changed the messages, or took more than five seconds or a GiB), and
an honest near miss of each; and what was held of honest templates, each beside the attack that is one step away.  Always the same
bytes; nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from template_cases import Templates  # noqa: E402 pylint: disable=wrong-import-position

CORPUS = Templates()
case, pairs = CORPUS.template, CORPUS.pairs
KEY = "{% set c = '_'*2 ~ 'class' ~ '_'*2 %}"
SLOW = "{% macro m() %}{% for i in range(300000) %}{% endfor %}{% endmacro %}"


# What looks something up by a private name.
pairs(
    ("truncate", KEY + "{{ ''[([c]|truncate)[0]] }}", "introspection",
     "{{ messages[0].content|truncate(20) }}{{ messages[0].content|truncate(3)|first }}",
     "truncate gives back what is short enough: a list with all that is in it"),
    ("dictsort-of-namespace", KEY + "{% set ns = namespace(items={'a': c}.values) %}{{ ''[(ns|dictsort)[0]] }}",
     "introspection unprovable",
     "{% set ns = namespace(items=[], keys='x') %}{% for k, v in {'a': 1}|dictsort %}{{ k }}{% endfor %}{{ ns.items|length }}",
     "a filter calls items() of what it is given: of a namespace, a field"),
    ("caller-by-stars", KEY + "{% macro m() %}{{ ''[(caller()|list)[0]] }}{% endmacro %}{{ m(**{'caller': {'a': c}.values}) }}",
     "introspection unprovable",
     "{% macro m(role) %}<{{ role }}>{{ caller() }}{% endmacro %}{% set kw = {'role': 'user'} %}{% call m(**kw) %}x{% endcall %}",
     "an argument `caller` is what caller() calls, by two stars as well"),
    ("filter-block-arguments", "{% set x = 1 %}{% if x is not string %}{% filter default(''[x]) %}{% set x = '_'*2 ~ 'class' ~ '_'*2 %}"
     "{% endfilter %}{% endif %}", "introspection",
     "{% set x = 1 %}{% if x is not string %}{% filter default(messages[0]['role']) %}{% set x = 'a' %}{{ x }}{% endfilter %}"
     "{% endif %}", "the arguments of a block's filters are asked for behind the block, with the names it set"),
    ("set-block-arguments", "{% set x = 1 %}{% if x is not string %}{% set y | default(''[x], true) %}"
     "{% set x = '_'*2 ~ 'class' ~ '_'*2 %}{% endset %}{{ y }}{% endif %}", "introspection",
     "{% set x = 1 %}{% if x is not string %}{% set y | default('a', true) | trim %}{% set x = 'b' %}{{ x }}{% endset %}{{ y }}"
     "{% endif %}", "the same, of a block that is set"),
    ("test-calls-if", KEY + "{% set l = [] %}{% set if = l.append %}{{ 1 is eq if(c) }}{{ ''[l[0]] }}", "introspection unknown-tag",
     "{{ 'a' if messages[0].content is string else 'b' }}{% if messages[0].role is defined and 'x' in messages[0].content %}"
     "{% endif %}", "behind a test, `if` is its argument: a name as any, which may be a variable"),
    ("test-looks-up-in", KEY + "{% set in = '' %}{{ 1 is eq in[c] }}", "introspection unknown-tag",
     "{% set inn = {'a': 1} %}{{ 1 is eq inn['a'] }}", "the same, of `in`"),
    ("parameter-if", "{% macro m(if) %}{{ 1 is eq if('_'*2 ~ 'class' ~ '_'*2) }}{% endmacro %}{{ m(messages.append) }}",
     "introspection unknown-tag", "{% macro m(iff) %}{{ 1 is eq iff }}{% endmacro %}{{ m(1) }}", "the same, of a parameter"),
    ("joiner-under-a-method", KEY + "{% set d = {'isdigit': joiner(c)} %}{{ d.isdigit() }}{{ ''[d.isdigit()] }}",
     "introspection unprovable",
     "{% set j = joiner(', ') %}{% set ns = namespace(j=joiner('-')) %}{% for m in messages %}{{ j() }}{{ m.role }}{% endfor %}",
     "a joiner is called under the name of a method that gives a number"),
    ("ligature", KEY + "{% set d = {'isdigit': c['\ufb06rip'|upper|lower]} %}{{ ''[d.isdigit()] }}", "introspection unprovable",
     "{{ 'Stra\u00dfe'|upper|lower }}{{ messages[0]['role'|lower] }}",
     "the capitals of one letter are several: a method's name comes out"),
    ("key-is-an-expression", KEY + "{% set d = {'ISDIGIT'|lower: c.strip} %}{{ ''[d.isdigit()] }}", "introspection unprovable",
     "{% set d = {'a': messages[0].role.upper, 'b'|upper: 1} %}{{ d.B }}", "what stands first in a key is not the key"),
    ("key-is-the-last", KEY + "{% set d = {'x' and 'isdigit': c.strip} %}{{ ''[d.isdigit()] }}", "introspection unprovable",
     "{% set d = {'x' ~ 'y': 1} %}{{ d.xy }}", "the same"),
    ("key-goes-on", KEY + "{% set d = {'isdigit': c['str\\\nip']} %}{{ ''[d.isdigit()] }}", "introspection unprovable",
     "{{ messages[0]['role'] }}{{ 'a \\\nb' }}", "a backslash takes the end of its line away"))
# What calls, or changes, what nobody sees.
pairs(
    ("hidden-keys", SLOW + "{% set ns = namespace(keys=m) %}{% for i in range(5000) %}{% set z = dict(ns) %}{% endfor %}",
     "unprovable", "{% macro m() %}x{% endmacro %}{% set ns = namespace(keys=['a']) %}{{ dict(a=1)|tojson }}{{ m() }}",
     "dict() calls keys() of what it is given"),
    ("hidden-splitlines", SLOW + "{% set ns = namespace(splitlines=m) %}{% for i in range(5000) %}{% if ns|wordwrap %}{% endif %}"
     "{% endfor %}", "unprovable", "{{ messages[0].content|wordwrap(60) }}", "wordwrap calls splitlines()"),
    ("hidden-html", SLOW + "{% set u = '_'*2 %}{% set ns = namespace({u ~ 'html' ~ u: m}) %}{% for i in range(5000) %}"
     "{% if ns|e %}{% endif %}{% endfor %}", "unprovable", "{% set ns = namespace({'html': 1}) %}{{ ns.html|e }}",
     "an escape asks for __html__(), which is a field under a name that was put together"),
    ("hidden-html-by-joining", SLOW + "{% set u = '_'*2 %}{% set ns = namespace({u ~ 'html' ~ u: m}) %}{% for i in range(5000) %}"
     "{% if ('a'|safe) ~ ns %}{% endif %}{% endfor %}", "unprovable", "{% set ns = namespace(a=1) %}{{ ('a'|safe) ~ ns.a }}",
     "the same, by an operator"),
    ("hidden-caller", SLOW + "{% macro q() %}{{ caller() }}{% endmacro %}{% for i in range(5000) %}{{ q(**{'caller': m}) }}{% endfor %}",
     "unprovable", "{% macro q() %}{{ caller() }}{% endmacro %}{% for i in range(50) %}{% call q() %}x{% endcall %}{% endfor %}",
     "a macro is called as caller()"),
    ("hidden-recursion", "{% set n = namespace(x=none) %}{% macro m() %}{% set a = dict(n.x) %}{% set b = dict(n.x) %}{% endmacro %}"
     "{% set n.x = namespace(keys=m) %}{{ m() }}", "unprovable", "{% macro m(x) %}{{ x.a }}{% endmacro %}{{ m({'a': 1}) }}",
     "so a macro calls itself"),
    ("empties-messages", "{% do messages.clear() %}", "unprovable",
     "{% set l = [] %}{% for m in messages %}{% do l.append(m.role) %}{% endfor %}{% set d = {} %}{% do d.update({'a': 1}) %}"
     "{{ l.pop() }}", "the renderer's own list is changed; a sandbox refuses it"),
    ("changes-a-message", "{% do messages[0].update({'content': 'other'}) %}", "unprovable",
     "{% set d = dict(messages[0]) %}{% do d.update({'content': 'x'}) %}{{ d.content }}", "the same, deeper"))
# What takes too much.
pairs(
    ("star-width", "{% set f = '%*d' %}{{ (f % (1999999999, 1))|length }}", "dos",
     "{% set f = '%5d: %s' %}{{ f % (1, 'a') }}{{ '%d%% *' % 5 }}", "a width that a format takes from what it formats"),
    ("counts-to-a-power", "{% set n = messages|length %}{% for i in range(n*n*n) %}{% for j in range(n*n*n) %}{% endfor %}{% endfor %}",
     "dos", "{% set n = messages|length %}{% for i in range(n * 2) %}{{ i }}{% endfor %}",
     "a hundred messages to the sixth power"),
    ("counts-as-a-factor", "{% set n = messages|length %}{{ ('x' * (n*n*n*n*n))|length }}", "dos",
     "{% set n = messages|length %}{{ '-' * n }}{{ 'x'.ljust(n * 2) }}", "the same, of a text"),
    ("copies-of-all", "{% set x = messages ~ '' %}{{ (x * 30000)|length }}", "dos",
     "{% set x = messages[0].content ~ '\\n' %}{{ x ~ x }}{{ '=' * 40 }}", "what the renderer gives is larger than it is counted"),
    ("doubles-of-all", "{% set x = messages|string %}" + "{% set x = x ~ x %}" * 14 + "{{ x|length }}", "dos",
     "{% set x = messages[0].content %}{% set x = x ~ x %}{{ x }}", "the same, doubled"),
    ("four-loops-over-a-copy", "{% set l = messages|list %}{% for a in l %}{% for b in l %}{% for c in l %}{% for d in l %}"
     "{% if a == b %}{% endif %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}", "dos",
     "{% set l = messages|list %}{% for a in l %}{% for b in l %}{% if a.id == b.reply %}{{ a.content }}{% endif %}{% endfor %}"
     "{% endfor %}", "a hundred messages to the fourth power"),
    ("loops-through-a-macro", "{% macro f() %}{% for a in messages %}{% for b in messages %}{% if a == b %}{% endif %}{% endfor %}"
     "{% endfor %}{% endmacro %}{% for c in messages %}{% for d in messages %}{{ f() }}{% endfor %}{% endfor %}", "dos",
     "{% macro f(m) %}{% for b in messages %}{% if m.id == b.reply %}{{ b.content }}{% endif %}{% endfor %}{% endmacro %}"
     "{% for m in messages %}{{ f(m) }}{% endfor %}", "the same, two loops in a macro"),
    ("written-in-a-range", "{% for i in range(100000) %}{{ messages }}{% endfor %}", "dos",
     "{% for i in range(3) %}{{ messages[i].content }}{% endfor %}", "all messages are written, and again"),
    ("needle", "{% set t = 'a'*6000000 %}{% set k = 'a'*49 ~ 'b' ~ 'a'*49 %}{% for i in range(70) %}{% if k in t %}{% endif %}"
     "{% endfor %}", "dos", "{% if '</think>' in messages[0].content %}{{ messages[0].content.split('</think>')[-1] }}{% endif %}",
     "a word that nearly is there everywhere is compared at each letter"),
    ("join-by-all", "{% set c = messages|string %}{{ c|list|join(c)|length }}", "dos",
     "{{ messages|map(attribute='content')|join('\\n') }}", "as many letters as there are, between each of them"),
    ("descent-in-a-range", "{% macro f(x) %}{% if x is mapping %}{% for i in range(20) %}{% for k, v in x.items() %}{{ f(v) }}"
     "{% endfor %}{% endfor %}{% endif %}{% endmacro %}{% for t in tools %}{{ f(t) }}{% endfor %}", "dos",
     "{% macro f(x) %}{% if x is mapping %}{% for k, v in x.items() %}{{ k }}{{ f(v) }}{% endfor %}{% endif %}{% endmacro %}"
     "{% for t in tools %}{{ f(t) }}{% endfor %}", "twenty times into each part is twenty to the power of how deep they are"),
    ("descent-into-constants", "{% macro m(s) %}{% for i in [1, 2] %}{{ m({'a': 'b'}) }}{% endfor %}{% endmacro %}{{ m(messages[0]) }}",
     "dos", "{% macro m(s) %}{% for k in s %}{{ m(s[k]) if s is mapping }}{% endfor %}{% endmacro %}{{ m({'a': {'b': 'c'}}) }}",
     "a mapping of constants is no part of anything: it is given on for ever"),
    ("arguments-of-functions", "{% set d = range(100000)|map('string')|map('center',2)|list %}{% for i in range(700000) %}"
     "{% set z = cycler(*d) %}{% endfor %}", "dos",
     "{% for m in messages %}{% set d = dict(m) %}{% set c = cycler(*['odd', 'even']) %}{{ c.next() }}{% endfor %}",
     "they are copied"),
    ("dates", "{% for i in range(2000) %}{{ strftime_now('" + "%c" * 3000 + "') }}{% endfor %}", "dos",
     "{{ strftime_now('%d %b %Y') }}{% for m in messages %}{{ strftime_now('%Y-%m-%d') }}{% endfor %}",
     "each directive of a date is work"),
    ("compiled", "".join("{% macro m" + str(i) + "() %}{{ ('<!--'*" + str(7000 + i) + ")|striptags }}{% endmacro %}" for i in range(60)),
     "dos", "{% macro a() %}{{ ('<b>'*7)|striptags }}{% endmacro %}{% macro b() %}{{ ('<b>'*7)|striptags }}{% endmacro %}",
     "what is made of literals is made when the template is compiled, in macros that nobody calls"),
    ("numbers-as-keys", "{% set d = {" + ",".join(f"{i * ((1 << 61) - 1)}:1" for i in range(1, 1900)) + "} %}{% for i in range(9000) %}"
     "{% if d[0] %}{% endif %}{% endfor %}", "dos", "{% set d = {1: 'a', 2: 'b', 4294967296: 'c'} %}{{ d[1] }}",
     "numbers that have one hash are compared with each other"),
    ("dotted-attribute", "{% set d = [[],[]] %}{% for i in range(120000) %}{% set z = d|map(attribute='a.b.c.d.e.f.g.h.i.j.k.l.m.n.o"
     ".p.q.r.s.t.u.v.w.x.y.z', default=1)|list %}{% endfor %}", "dos",
     "{{ messages|map(attribute='tool_calls.0.function.name', default='')|join }}", "each dot is a lookup"),
    ("replaced-by-itself", "{% set c = messages[0].content %}{% set x = c|replace(' ', c)|replace(' ', c)|replace(' ', c) %}"
     "{% set y = x ~ x ~ x %}{{ y|length }}", "dos", "{{ messages[0].content|replace('<name>', messages[1].role) }}",
     "what the renderer gives, between what it gives, three times over"))
# What honest templates do, and what is one step from it.
pairs(
    ("added-to-another", "{% set ns = namespace(a='aa', b='') %}{% for m in messages %}{% for i in range(9) %}{% set ns.b = ns.a %}"
     "{% set ns.a = ns.a ~ ns.b %}{% endfor %}{% endfor %}", "dos",
     "{% set ns = namespace(out='') %}{% set pad = '.' * 20000 %}{% for m in messages %}{% set ns.out = ns.out ~ pad %}"
     "{% for t in m.tool_calls %}{% set ns.out = ns.out ~ t.name %}{% endfor %}{% endfor %}{{ ns.out }}",
     "what is added to a field is counted as often as it is added, and each by itself"),
    ("added-by-a-macro", "{% set ns = namespace(out='') %}{% macro f() %}{% set ns.out = ns.out ~ ns.out ~ 'a' %}{% endmacro %}"
     "{% for i in range(60) %}{{ f() }}{% endfor %}{{ ns.out|length }}", "dos",
     "{% set ns = namespace(out='') %}{% macro f(x) %}{% set ns.out = ns.out ~ x %}{% endmacro %}{% for m in messages %}{{ f('ab') }}"
     "{% endfor %}{{ ns.out }}", "the same, where what is added is itself"),
    ("shared", "{% set ns = namespace(x='aa') %}{% set l = [ns] %}{% for i in range(40) %}{% set t = l[0].x %}{% set n2 = l[0] %}"
     "{% set n2.x = t ~ ns.x %}{% endfor %}{{ ns.x|length }}", "dos",
     "{% macro f(state) %}{% set state.i = state.i + 1 %}{{ state.i }}{% endmacro %}{% set s = namespace(i=0) %}{% for m in messages %}"
     "{% set run = namespace(l=[]) %}{% for t in m.tool_calls %}{% set run.l = run.l + [t] %}{% endfor %}{{ f(s) }}{% endfor %}",
     "a namespace that is given on has other names; another has not"),
    ("leaf", "{% macro ts(s) %}{% if s.more %}{% set t = {'more': 'x'} %}{{ ts(t) }}{{ ts(t) }}{% endif %}{% for k, v in s.items() %}"
     "{{ ts(v) }}{% endfor %}{% endmacro %}{{ ts(tools[0]) }}", "dos",
     "{% macro ts(s) %}{% set t = none %}{% if s.more == true %}{% set t = {'type': 'any'} %}{% elif s.more is mapping %}"
     "{% set t = s.more %}{% endif %}{% if s.get('type') == 'object' %}{% for k, v in s.get('props', {}).items() %}{{ k ~ ts(v) }}"
     "{% endfor %}{% if t is not none %}{{ ts(t) }}{% endif %}{% endif %}{% endmacro %}{{ ts(tools[0]) }}",
     "a mapping of constants that has not what its macro asked for does not come back"),
    ("leaf-of-two", "{% macro ts(s) %}{% if s.a %}{% set t = {'b': 'x'} %}{{ ts(t) }}{% endif %}{% if s.b %}{% set u = {'a': 'x'} %}"
     "{{ ts(u) }}{{ ts(u) }}{% endif %}{% endmacro %}{{ ts(tools[0]) }}", "dos",
     "{% macro ts(s) %}{% if s.a %}{% set t = {'b': 'x'} %}{{ ts(t) }}{% endif %}{% endmacro %}{{ ts(tools[0]) }}",
     "two of them come back by each other"),
    ("pieces", "{% set t = 'ab' * 20000 %}{% for p in t.split('b') %}{{ t }}{% endfor %}", "dos",
     "{% set t = 'ab' * 400 %}{% for p in t.split('<image_placeholder>') %}{{ t }}{% endfor %}",
     "a text has no more pieces than what is between them has room"),
    ("branches", "{% for m in messages %}{% for i in range(4000) %}" + "{% set x = 'ab' * 20000 %}" * 4 + "{% endfor %}{% endfor %}",
     "dos", "{% for m in messages %}{% if m.role == 'a' %}{{ 'x' * 1500000 }}{% elif m.role == 'b' %}{{ 'y' * 1500000 }}"
     "{% elif m.role == 'c' %}{{ 'z' * 1500000 }}{% else %}{{ 'w' * 1500000 }}{% endif %}{% endfor %}",
     "only one branch is taken"))
# Under a name that is no generator's, what no renderer of chats gives is a chat's all the same.
case("qwen.chat", "{% for i in range(99999999999) %}{% endfor %}{{ lipsum(99999) }}Hello", "dos ladder unprovable",
     "an ending that anybody's template may have")
case("kernel.py", "{% for i in range(4) %}x = {{ reg(i) }}\n{% endfor %}", why="near miss: a generator's")
CORPUS.write(ensure_ascii=False)
