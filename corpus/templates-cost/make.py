#!/usr/bin/python3
"""make.py [FOLDER]: writes files/ and cases.jsonl: chat templates that cost what no honest one does, most of them (they were rendered
once, with limits) more than five seconds or a GiB, and honest ones that come near.  Always the same bytes; nothing here is rendered.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "support"))
from corpus_cases import Cases  # noqa: E402 pylint: disable=wrong-import-position

SIDE = "format-side-file"


class Templates(Cases):
    """What is not accepted is held."""
    def verdict_of(self, codes):
        return "accept" if set(codes) == {SIDE} else "review"


CORPUS = Templates()

# name, template, why
COSTLY = [
    ("lstrip-loop", "{% set t='  '*1000000 %}{% for i in range(3000) %}{% if t.lstrip() %}{% endif %}{% endfor %}",
     "dos", "text methods go over their text"),
    ("count-sub", "{% set t='ab'*2000000 %}{% for i in range(2000) %}{% set n = t.count('ba') %}{% endfor %}",
     "dos", "as do searches"),
    ("macro-fields", "{% set ns=namespace(s='x') %}{% macro m() %}{% set ns.s = ns.s ~ ('y'*2000) %}{% endmacro %}{% for i in range(1000) %}{% for j in range(1000) %}{{ m() }}{% endfor %}{% endfor %}{{ ns.s|length }}",
     "dos", "a field grows with each call of a macro in loops"),
    ("caller-loop", "{% macro m() %}{% for i in range(3000) %}{{ caller() }}{% endfor %}{% endmacro %}{% call m() %}{% for i in range(3000) %}{% if i == 1 %}{% endif %}{% endfor %}{% endcall %}",
     "dos", "the body of a call block is read as often as its caller says"),
    ("dict-update", "{% set d={} %}{% for i in range(1000000) %}{% do d.update({i ~ 'x'*500: 'y'*1000}) %}{% endfor %}",
     "dos", "a mapping grows with each turn"),
    ("list-plus", "{% set ns=namespace(l=[]) %}{% for i in range(60000) %}{% set ns.l = ns.l + [i] %}{% endfor %}",
     "dos", "lists are copied to be added to"),
    ("join-long", "{{ range(200000)|join('-'*9000)|length }}",
     "dos", "a separator for each item"),
    ("ljust", "{{ ('a'.ljust(900000000))|length }}",
     "dos", "a width"),
    ("center", "{{ ('a'|center(900000000))|length }}",
     "dos", "a width"),
    ("indent", "{{ ('a\\n'*100000)|indent(50000)|length }}",
     "dos", "a width for each line"),
    ("replace-empty", "{{ ('a'*40000).replace('', 'b'*40000)|length }}",
     "dos", "between all letters"),
    ("float-int", "{% for i in range(('1e9')|float|int) %}{% endfor %}",
     "dos", "a number in an exponent"),
    ("div-small", "{% set k = 3 / 0.000000003 %}{% for i in range(k|int) %}{% endfor %}",
     "dos", "division by a fraction"),
    ("floordiv", "{% for i in range((9 // 0.00000001)|int) %}{% endfor %}",
     "dos", "division by a fraction"),
    ("loop-len", "{% for i in range(2000) %}{% for j in range(loop.length * loop.revindex) %}{% endfor %}{% endfor %}",
     "dos", "the fields of loop"),
    ("groupby", "{% for i in range(60) %}{% set g = range(200000)|groupby('x')|list %}{% endfor %}",
     "dos", "groups are sorted"),
    ("tojson", "{% set l = range(300000)|list %}{% for i in range(60) %}{% set s = l|tojson %}{% endfor %}",
     "dos", "a filter goes over its list"),
    ("string", "{% set l = range(900000)|list %}{% for i in range(60) %}{% set s = l|string|length %}{% endfor %}",
     "dos", "what a list looks like"),
    ("compare-lists", "{% set l = range(900000)|list %}{% set k = range(900000)|list %}{% for i in range(900) %}{% if l == k %}{% endif %}{% endfor %}",
     "dos", "lists are compared"),
    ("test-in", "{% set l = range(100000)|list %}{% for i in range(100000) %}{% if -1 is in(l) %}{% endif %}{% endfor %}",
     "dos", "a test looks through a list"),
    ("select-in", "{% set l = range(60000)|list %}{{ l|reject('in', l)|list|length }}",
     "dos", "a filter looks through a list for each item"),
    ("bignum-sum", "{% set ns=namespace(n=7) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}",
     "dos", "a number that is squared"),
    ("product-keys", "{% set ns=namespace(n=1) %}{% for i in range(1000000) %}{% set ns.n = ns.n * 1000000007 %}{% endfor %}",
     "dos", "a number that gets longer"),
    ("urlize", "{{ ('http://a.b/(' * 60000)|urlize|length }}",
     "dos", "a regular expression"),
    ("recursion-counter", "{% macro f(n) %}{% if n > 0 %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(40) }}",
     "dos", "a macro calls itself twice, for as long as a number says"),
    ("recursion-list", "{% macro f(l) %}{% if l %}{{ f(l[1:]) }}{{ f(l[1:]) }}{% endif %}{% endmacro %}{{ f([1]*40) }}",
     "dos", "the same, for as long as there are items"),
    ("batch-descent", "{% macro f(x, n) %}{% if n > 0 %}{{ f(x|batch(1)|first, n-1) }}{{ f(x|batch(1)|first, n-1) }}{% endif %}{% endmacro %}{{ f([1], 40) }}",
     "dos", "batches of one are no parts"),
    ("get-default", "{% macro f(x, n) %}{% if n > 0 %}{{ f(x.get('a', {}), n-1) }}{{ f(x.get('a', {}), n-1) }}{% endif %}{% endmacro %}{{ f({}, 40) }}",
     "dos", "{} goes on for ever"),
    ("mapping-parts", "{% macro f(x, n) %}{% if n > 0 %}{{ f({'a': x.a}, n-1) }}{{ f({'a': x.a}, n-1) }}{% endif %}{% endmacro %}{{ f({'a': 1}, 40) }}",
     "dos", "a mapping made of parts is no part"),
    ("dict-of-dict", "{% macro f(x) %}{% if x is mapping %}{% for k in [1,2] %}{{ f(x.a) }}{% endfor %}{% endif %}{% endmacro %}{{ f(" + "{'a': " * 50 + "1" + "}" * 50 + ") }}",
     "dos", "a part is gone down into twice at each level"),
    ("call-block", "{% macro m(k) %}{% if k > 0 %}{% call m(k-1) %}{{ caller() }}{{ caller() }}{% endcall %}{% else %}{{ caller() }}{{ caller() }}{% endif %}{% endmacro %}{% call m(40) %}x{% endcall %}",
     "dos unprovable", "callers call callers"),
    ("set-filter", "{% set x='aa' %}" + "{% set x | indent(80, true) | replace(' ', '    ') %}{{x}}{{x}}\n{{x}}{% endset %}" * 12 + "{{ x|length }}",
     "dos", "the filters of a set block"),
    ("filter-nest", "{% filter replace('b', 'bb' * 900) %}{% filter replace('b', 'bb' * 900) %}{% filter replace('b','bb'*900) %}b{% endfilter %}{% endfilter %}{% endfilter %}",
     "dos", "the filters of blocks in each other"),
    ("xmlattr", "{{ {'a': '\"'*9000000}|xmlattr|forceescape|forceescape|forceescape|length }}",
     "dos", "escapes of escapes"),
    ("assigned-name", "{% if false %}{% set messages = [] %}{% endif %}{% for a in messages %}{% for b in messages %}{% for c in messages %}{% for d in messages %}{% if a == d %}{% endif %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}",
     "dos", "messages are messages where they are not set"),
    ("four-messages", "{% for a in messages %}{% for b in messages %}{% for c in messages %}{% for d in messages %}x{% endfor %}{% endfor %}{% endfor %}{% endfor %}",
     "dos", "all messages for all messages, twice"),
    ("letters", "{% for m in messages %}{% for c in m.content %}{% for i in range(1000) %}{% endfor %}{% endfor %}{% endfor %}",
     "dos", "for each letter"),
    ("content-times", "{% for m in messages %}{% set x = m.content * 10000 %}{{ x|length }}{% set y = x ~ x %}{{ y|length }}{% endfor %}",
     "dos", "each content ten thousand times"),
    ("split-join", "{% set ns=namespace(s='a,b') %}{% for i in range(40) %}{% set ns.s = ns.s.split(',')|join(',,') ~ ',' ~ ns.s %}{% endfor %}",
     "dos", "pieces put together with more between"),
    ("swap-grow", "{% set ns=namespace(a='xy', b='z') %}{% for i in range(60) %}{% set c = ns.a %}{% set ns.a = ns.a ~ ns.b %}{% set ns.b = c %}{% endfor %}{{ ns.a|length }}",
     "dos", "two texts that grow by each other"),
    ("append-self", "{% set l=[1] %}{% for i in range(40) %}{% do l.extend(l) %}{% endfor %}",
     "dos", "a list that gets itself"),
    ("list-in-list", "{% set ns=namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|string|length }}",
     "dos", "lists in lists"),
    ("insert", "{% set l=[] %}{% for i in range(1000) %}{% for j in range(600) %}{% do l.insert(0, i) %}{% endfor %}{% endfor %}",
     "dos", "a list that is filled in two loops"),
    ("pop", "{% set l = range(800000)|list %}{% for i in range(700000) %}{% set x = l.pop(0) %}{% endfor %}",
     "dos", "what is taken from the front"),
    ("percent-many", "{{ ('%9000d' '%9000d' '%9000d' * 1) % (1,1,1) }}{% for i in range(30000) %}{% set z = '%9999d%9999d%9999d%9999d%9999d%9999d%9999d%9999d' % (1,1,1,1,1,1,1,1) %}{% endfor %}",
     "dos", "widths together"),
    ("wordcount", "{% set t = 'a b '*3000000 %}{% for i in range(10) %}{% set n = t|wordcount %}{% endfor %}",
     "dos", "words are counted by a regular expression"),
    ("truncate", "{% set t = 'a b '*3000000 %}{% for i in range(900) %}{% set n = t|truncate(11999990) %}{% endfor %}",
     "dos", "a text is copied often"),
    ("cycler", "{% set c = cycler('a'*8000000, 'b'*8000000) %}{% for i in range(200) %}{{ c.next() }}{% endfor %}",
     "dos", "a cycler writes long texts"),
    ("joiner", "{% set j = joiner('a'*8000000) %}{% for i in range(200) %}{{ j() }}{% endfor %}",
     "dos", "a joiner writes long texts"),
    ("sum-texts", "{% set n = (range(1500)|map('string')|map('center', 2000)|map('list')|sum(start=[]))|length %}{% for i in range(9) %}{% set n = (range(1500)|map('string')|map('center', 2000)|map('list')|sum(start=[]))|length %}{% endfor %}",
     "dos", "lists are added up by copying"),
    ("macro-param-grow", "{% macro f(s, n) %}{% if n > 0 %}{{ f(s ~ ('x'*900000), n-1) }}{{ s }}{% endif %}{% endmacro %}{{ f('', 90) }}",
     "dos", "a parameter grows with each level"),
    ("slice-step", "{% set t = range(900000)|list %}{% for i in range(900) %}{% if t[::-1] %}{% endif %}{% endfor %}",
     "dos", "slices are copies"),
    ("tuple-lits", "{% set a=('x'*4000000) %}{% set l=[a~'1',a~'2',a~'3',a~'4',a~'5',a~'6',a~'7',a~'8',a~'9'] %}{% set k=l|map('upper')|list+l|map('string')|map('replace','x','yy')|list %}{% set z=l|map('replace','x','zzzzzz')|list %}{% set w=l|map('replace','x','é😀')|list %}{{ (z+w+k)|length }}",
     "dos", "many long texts together"),
    ("compile", "{{a}}" * 12000,
     "dos", "very many expressions, of which each is compiled"),
    ("division", "{% for i in range((100/0.0000001)|int) %}{% endfor %}",
     "dos", "a number grows"),
    ("int-base", "{% for i in range('zzzzz'|int(0,36)) %}{% endfor %}",
     "dos", "digits to another base"),
    ("map-default", "{{ ([nope]*3000)|map('default', 'a'*500000)|join|length }}",
     "dos", "an argument for each item"),
    ("pprint", "{{ (range(1000000)|list)|pprint|length }}",
     "dos", "five microseconds for each"),
    ("striptags", "{{ ('<!--'*500000)|striptags|length }}",
     "dos", "an end is looked for from each beginning"),
    ("rotated", "{% set ns = namespace(a='aaaa', b='aaaa', c='aaaa', d='aaaa', e='aaaa') %}{% for i in range(400) %}{% set ns.a = ns.b %}{% set ns.b = ns.c %}{% set ns.c = ns.d %}{% set ns.d = ns.e %}{% set ns.e = ns.a ~ ns.a %}{% endfor %}",
     "dos", "a text that doubles every five turns"),
    ("shared", "{% set a0 = [1] %}{% set b0 = [1] %}" + "".join(f"{{% set a{i} = [a{i - 1}, a{i - 1}] %}}{{% set b{i} = [b{i - 1}, b{i - 1}] %}}"
     for i in range(1, 25)) + "{% if a24 == b24 %}{% endif %}",
     "dos", "what is in it twice is compared twice"),
    ("many-lists", "".join(f"{{% set a{i} = range(1000000)|list %}}" for i in range(40)),
     "dos", "many lists together"),
    ("written", "{% set t = 'a'*8000000 %}{% for i in range(200) %}{{ t }}{% endfor %}",
     "dos", "much is written"),
]

# name, template
NEAR = [
    ("methods", "{% for m in messages %}{{ m.content.strip() }}{{ m.content.count('x') }}{{ m.role|upper|trim }}{% endfor %}"),
    ("fields", "{% set ns = namespace(s='', n=0, l=[]) %}{% macro add(m) %}{% set ns.s = ns.s ~ m.content ~ 'a separator' %}{% endmacro %}{% for m in messages %}{{ add(m) }}{% set ns.n = ns.n + 1 %}{% set ns.l = ns.l + [m.role] %}{% endfor %}{{ ns.s }}{{ ns.l|join(', ') }}"),
    ("caller", "{% macro turn(role) %}<|{{ role }}|>{{ caller() }}{% endmacro %}{% for m in messages %}{% call turn(m.role) %}{{ m.content }}{% endcall %}{% endfor %}"),
    ("widths", "{{ 'a'.ljust(20) }}{{ 'b'|center(30) }}{{ messages[0].content|indent(4) }}{{ '%5d%5d' % (1, 2) }}{{ '%*d' % (8, 1) }}{{ 'a-b'.replace('', ' ') }}"),
    ("numbers", "{% for i in range((messages|length / 2)|int) %}{{ i // 2 }}{% endfor %}{% for i in range('12'|int) %}{{ loop.index * loop.length }}{% endfor %}{% for i in range(100 // 3) %}x{% endfor %}"),
    ("loop-fields", "{% for m in messages %}{% for i in range(loop.index) %}{% endfor %}{% if loop.revindex <= 2 %}{{ m.content }}{% endif %}{% endfor %}"),
    ("filters", "{% for t in tools|groupby('type') %}{{ t.list|tojson }}{% endfor %}{{ messages|map(attribute='content')|map('trim')|select('string')|join('\\n')|wordcount }}{{ tools|string|length }}{{ messages[0].content|title }}{{ messages[0].content|striptags|wordwrap(80) }}"),
    ("lists", "{% set roles = ['user', 'assistant'] %}{% for m in messages %}{% if m.role in roles and m.role is in(roles) and roles == ['user', 'assistant'] %}{{ m.content[1:] }}{% endif %}{% endfor %}{{ messages|selectattr('role', 'in', roles)|list|length }}"),
    ("products", "{% set n = 3 %}{% set n = n * n * n %}{{ 'ab' * n }}{{ [0] * n }}{{ n * 1000000 }}"),
    ("recursion", "{% macro schema(x) %}{% if x is mapping %}{% for k, v in x.items() %}{{ k }}{{ schema(v) }}{% endfor %}{% for t in x.type %}{{ schema({'type': t}) }}{% endfor %}{{ schema(x.get('items', {})) if x.get('items') else '' }}{% endif %}{% endmacro %}{% for t in tools %}{{ schema(t.function.parameters) }}{% endfor %}{{ schema({'a': 1}) }}"),
    ("block-filters", "{% set x | trim | replace('a', 'bb') %}{% for m in messages %}{{ m.content }}{% endfor %}{% endset %}{{ x }}{% filter upper %}{% filter replace('b', 'ccc') %}{{ x }}{% endfilter %}{% endfilter %}{{ {'a': x}|xmlattr }}"),
    ("messages", "{% if not messages %}{% set messages = [] %}{% endif %}{% for a in messages %}{% for b in messages %}{% if a.id == b.reply_to %}{{ b.content }}{% endif %}{% endfor %}{% endfor %}"),
    ("letters", "{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}{% for i in range(8) %}{{ m.role }}{% endfor %}{{ m.content * 3 }}{% endfor %}"),
    ("pieces", "{% set ns = namespace(last='', before='') %}{% for m in messages %}{% set ns.before = ns.last %}{% set ns.last = m.content.split('</think>')[-1].split('<answer>')[0] %}{{ ns.before ~ ns.last }}{% endfor %}"),
    ("filled", "{% set l = [] %}{% set d = {} %}{% for m in messages %}{% do l.append(m) %}{% do d.update({m.role: m.content}) %}{% endfor %}{% set first = l.pop(0) %}{{ l|length }}{{ d|tojson }}"),
    ("writers", "{% set c = cycler('odd', 'even') %}{% set j = joiner(', ') %}{% for m in messages %}{{ j() }}{{ c.next() }}{% endfor %}{{ [[1], [2]]|sum(start=[])|length }}"),
]


def costly():
    for name, text, codes, why in COSTLY:
        whole = [] if name == "compile" else [SIDE]  # which is not read to its end
        CORPUS.case(f"{name}.jinja", text, " ".join(whole + ["template-" + c for c in codes.split()]), why)


def near():
    for name, text in NEAR:
        CORPUS.case(f"near-{name}.jinja", text, SIDE, "as published templates do it")


CORPUS.make(costly, near)
