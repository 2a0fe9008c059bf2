"""What templates really reach: thousands made of everything that builds texts are rendered by Jinja, with a recorder where
it looks things up.  Whichever looked something up by a name that nobody wrote down must have been found; the checker itself
renders nothing.

    test_template_reach.py LISTER"""
import json
import random
import subprocess
import sys

import tap

try:
    import jinja2
except ImportError:
    jinja2 = None

LISTER = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20240521
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 1500
FOUND = {"template-dunder", "template-introspection"}
PIECES = ["_", "__", "__cl", "ss__", "__x", "x__", "x", "cla", "XX", "_-_", "{}{}", "%s%s", "a"]
NAMES = ["a", "b", "c", "k"]


class Maker:
    def __init__(self, dice):
        self.dice = dice

    def piece(self):
        return repr(self.dice.choice(PIECES))

    def name(self):
        return self.dice.choice(NAMES)

    def value(self, depth):
        """An expression that is a text, most of the time."""
        if depth == 0 or self.dice.random() < 0.2:
            return self.dice.choice([self.piece, self.name, self.name, lambda: "ns.k", lambda: "d.k"])()
        e, f, g = (lambda: self.value(depth - 1),) * 3
        forms = [
            lambda: f"({e()} ~ {f()})", lambda: f"({e()} ~ {f()} ~ {g()})", lambda: f"({e()} + {f()})",
            lambda: f"({e()} + {f()} + {g()})", lambda: f"({e()} * 2)", lambda: f"[{e()}, {f()}]|join",
            lambda: f"({e()}, {f()})|join('_')", lambda: f"({e()})|lower", lambda: f"({e()})|replace('x', '_')",
            lambda: f"({e()})|replace({f()}, '_')", lambda: f"'%s%s'|format({e()}, {f()})",
            lambda: f"('%s%s' % ({e()}, {f()}))", lambda: f"'{{}}{{}}'.format({e()}, {f()})",
            lambda: f"({e()})[::-1]", lambda: f"({e()})[1:]", lambda: f"({e()})[0]", lambda: f"({e()}, {f()})[1]",
            lambda: f"{{'k': {e()}}}.k", lambda: f"{{'k': {e()}}}['k']", lambda: f"({e()} if true else {f()})",
            lambda: f"({e()} or {f()})", lambda: f"[{e()}]|first", lambda: f"({e()})|string", lambda: f"({e()})|trim",
            lambda: f"dict(k={e()}).k", lambda: f"dict({self.name()}={e()}).values()|first", lambda: f"m({e()})",
            lambda: f"n({e()})", lambda: f"o(k={e()})", lambda: f"z|default({e()})", lambda: f"''.join([{e()}, {f()}])",
            lambda: f"[{e()}, {f()}]|sum(start='')", lambda: f"({e()}).replace('x', '_')", lambda: f"({e()}).lower()",
            lambda: f"({e()})|list|join", lambda: f"[{e()}, {f()}]|map('lower')|join", lambda: f"({e()}).strip('x')",
            lambda: f"({e()}).split('-')|join", lambda: f"({e()}).split('-')[0]", lambda: f"[{e()}][0]",
            lambda: f"({e()})|reverse", lambda: f"'{{0}}{{0}}x{{0}}{{0}}'.format({e()})", lambda: f"('_' ~ {e()})[0:3]",
            lambda: f"namespace(k={e()}).k", lambda: f"({e()})|upper|lower", lambda: f"caller_({e()})",
            lambda: f"[[{e()}]]|map('join')|first", lambda: f"({e()} ~ 1|string)[:-1]", lambda: f"[{e()}]|random",
            lambda: f"({e()})|e", lambda: f"({e()})|safe", lambda: f"[{e()}]|max", lambda: f"('x'|center(3))|replace(' ', {e()})",
            lambda: f"({e()})|indent", lambda: f"[{e()}]|batch(1)|first|first", lambda: f"({{'a': {e()}}}|dictsort)[0][1]",
            lambda: f"dict({self.name()}x=1)|first", lambda: f"{{{e()}: 1}}|first", lambda: f"({e()})|truncate(99)",
        ]
        return self.dice.choice(forms)()

    def statement(self):
        e, v = self.value(2), self.name()
        return self.dice.choice([
            f"{{% set {v} = {e} %}}", f"{{% set {v} = {e} %}}", f"{{% set {v} = {v} + {e} %}}",
            f"{{% set {v} %}}{{{{ {e} }}}}{{% endset %}}", f"{{% set {v} %}}__cl{{% endset %}}",
            f"{{% set ns.k = {e} %}}", f"{{% set ns.k = ns.k ~ {e} %}}", f"{{% do l.append({e}) %}}{{% set {v} = l[-1] %}}",
            f"{{% do d.update({{'k': {e}}}) %}}", f"{{% set {v}, {self.name()} = {e}, {self.value(1)} %}}",
            f"{{% for {v} in [{e}] %}}{{% set ns.k = {v} %}}{{% endfor %}}",
            f"{{% for {v} in {e} %}}{{% set ns.k = ns.k + {v} %}}{{% endfor %}}",
            f"{{% with {v} = {e} %}}{{% set ns.k = {v} %}}{{% endwith %}}",
            f"{{% call({v}) p({e}) %}}{{{{ sink[{v}] }}}}{{% endcall %}}",
            f"{{% if true %}}{{% set {v} = {e} %}}{{% endif %}}",
        ])

    def sink(self):
        e = self.value(2)
        return self.dice.choice([f"{{{{ sink[{e}] }}}}", f"{{{{ sink[{e}] }}}}", f"{{{{ sink[{self.name()}] }}}}",
                                 f"{{% for {self.name()} in [{e}] if sink[{self.name()}] %}}{{% endfor %}}",
                                 f"{{{{ q({e}) }}}}", f"{{{{ [sink]|map(attribute={e})|list }}}}",
                                 f"{{% for k in [{e}, 'x'] %}}{{{{ sink[k] }}}}{{% endfor %}}",
                                 "{{ sink[ns.k] }}", "{{ sink[d.k] }}", "{{ sink[d['k']] }}", "{{ sink[l|last] }}"])

    def template(self):
        head = ("{% set ns = namespace(k='') %}{% set l = ['x'] %}{% set d = {'k': 'y'} %}"
                "{% set a = 'a' %}{% set b = 'b' %}{% set c = 'c' %}{% set k = 'k' %}"
                "{% macro m(v) %}{{ v }}{% endmacro %}{% macro n(v) %}_{{ v }}_{% endmacro %}{% macro o(k='') %}{{ k }}"
                "{% endmacro %}{% macro p(v) %}{{ caller(v) }}{% endmacro %}{% macro q(v) %}{{ sink[v] }}{% endmacro %}"
                "{% macro caller_(v) %}{% call p(v) %}{{ v }}{% endcall %}{% endmacro %}")
        return head + "".join(self.statement() for _ in range(self.dice.randrange(4))) + self.sink()


def is_put_together(name):
    """Underscores in a row, as special attributes have them, and not within one text of the template: forms of those that
    are whole (capitals, a part, backwards) lead nowhere that the text itself would not."""
    return "__" in name and not any(name.lower() in whole for p in PIECES for whole in (p.lower(), p.lower()[::-1]))


class Sink(dict):
    def __missing__(self, key):
        raise KeyError(key)


def reached(text):
    """Names put together that something was looked up by when rendered, as far as that got."""
    names = []

    class Recorder(jinja2.Environment):
        def getitem(self, obj, argument):
            if isinstance(argument, str) and isinstance(obj, Sink):
                names.append(str(argument))
                return "seen"
            return super().getitem(obj, argument)

        def getattr(self, obj, attribute):
            if isinstance(obj, Sink):
                names.append(attribute)
            return super().getattr(obj, attribute)

    environment = Recorder(extensions=["jinja2.ext.do"])
    try:
        environment.from_string(text).render(sink=Sink())
    except Exception:  # anything a random template can do wrong
        pass
    return [n for n in names if is_put_together(n)]


def listed(texts):
    done = subprocess.run([LISTER], input="".join(t.encode().hex() + "\n" for t in texts), capture_output=True, text=True,
                          timeout=600, check=True)
    return [{code for code, _ in json.loads(line)["findings"]} for line in done.stdout.splitlines()]


def test_lookups_by_names_put_together_are_found():
    if jinja2 is None:
        print("# python3-jinja2 is not here: nothing rendered")
        return
    maker = Maker(random.Random(SEED))
    texts = [maker.template() for _ in range(ROUNDS)]
    missed, reaching = [], 0
    for text, codes in zip(texts, listed(texts)):
        names = reached(text)
        if not names:
            continue
        reaching += 1
        if not codes & FOUND:
            missed.append((text[text.rindex("caller_(v)"):], names))
    assert not missed, (len(missed), reaching, missed[:5])
    assert reaching > ROUNDS // 50, reaching
    print(f"# {reaching} of {ROUNDS} look something up")


tap.main(globals())
