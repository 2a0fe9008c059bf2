"""What is accepted is harmless: random templates that carry names through everything Jinja has (macros and callers under other
names, arguments without names, namespaces, cyclers, groups, methods as values) are rendered without a sandbox; those the
checker accepts look nothing up by a private name, and are rendered in time.

    test_template_accept.py LISTER [SEED [ROUNDS]]"""
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
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20261122
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 300
PIECES = ["'_'", "'_x'", "'__cl'", "'x'", "'gi_'", "'frame'", "'a'", "'get'", "'join'", "'append'"]
NAMES = ["a", "b", "c", "k", "f", "l", "dd", "ns.k", "ns.f", "ns.get", "varargs[0]", "kwargs", "caller", "m", "q", "joiner",
         "dict", "j.sep", "cy.items", "cy.current", "loop.previtem", "g.grouper", "m.name", "m.arguments", "dict.fromkeys",
         "l.append", "dd.update", "''.join", "s.format"]
FORMS = """(X ~ Y);(X + Y);[X, Y]|join;[X, Y];{'k': X};(X)[0];(X)|first;(X)|last;(X)|list;(X)|string;(X)|lower;f(X);m(X);q(X);
ns.f(X);ns.get(X);dd.get(X, Y);varargs[0](X);caller(X);dict(k=X);dict([(X, Y)]);cycler(X).next();joiner(X);namespace(k=X);(X).k;
(X)['k'];[X]|map('default', Y)|first;(X) or (Y);(X if a else Y);[X]|groupby(0);[ns]|map(attribute='k')|list;(X)|default(Y);
[X]|map(attribute='k', default=Y)|first;(X).split('x');(X)|replace('x', Y);'%s' % X;(X)[1:];dd.setdefault(X, Y);
dict.fromkeys([X]);l.append(X);dd.update({X: Y});(X).join([Y, X]);[X]|batch(2, Y)|first|last;(X)|d(Y);strftime_now(X);(X, Y)[1];
'_' 'x';(X).pop();[X]|sum(start=Y);(X)|e;(X)|reverse|list;'{}{}'.format(X, Y)""".replace("\n", "").split(";")
STATEMENTS = """{% set V = X %};{% set V = X %};{% set V = X %};{% set ns.k = X %};{% set ns.f = X %};{% set ns.get = X %};
{% do l.append(X) %};{% do dd.update({'k': X}) %};{% for V in X %}S{% endfor %};{% call(V) m(X) %}S{% endcall %};
{% for V in [X] recursive %}S{{ loop([Y]) if loop.depth < 2 }}{% endfor %};{% set V %}{{ X }}{% endset %};
{% with V=X %}S{% endwith %};{% if X %}S{% endif %};{% for g in [X]|groupby(0) %}{% set ns.k=g.grouper %}{% endfor %}""".replace(
    "\n", "").split(";")
SINKS = ["{{ t[X] }}", "{{ t[N] }}", "{% for z in N %}{{ t[z] }}{% endfor %}", "{% for z in X %}{{ t[z] }}{% endfor %}"]
HEAD = ("{% set ns=namespace(k='k') %}{% set l=['x'] %}{% set dd={'k':'y'} %}{% set s='{}' %}{% set j=joiner('x') %}"
        "{% set cy=cycler('x') %}")


class Maker:
    def __init__(self, dice):
        self.dice = dice

    def fill(self, form, depth):
        """The capitals of a form are what it is made of."""
        parts = {"X": lambda: self.value(depth), "Y": lambda: self.value(depth), "N": lambda: self.dice.choice(NAMES),
                 "V": lambda: self.dice.choice("abckf"), "S": lambda: self.fill(self.dice.choice(SINKS + ["{{ X }}"]), 1)}
        return "".join(parts[c]() if c in parts else c for c in form)

    def value(self, depth):
        if depth <= 0 or self.dice.random() < 0.15:
            return self.dice.choice(self.dice.choice([PIECES, NAMES]))
        return self.fill(self.dice.choice(FORMS), depth - 1)

    def template(self):
        bodies = SINKS + ["{{ X }}", "{{ t[k] }}", "{{ caller(k) }}", "{{ t[varargs[0]] }}", "{{ varargs[0](k) }}",
                          "{% for z in kwargs %}{{ t[z] }}{% endfor %}", "{{ caller() }}"]
        macros = (f"{{% macro m(k) %}}{self.fill(self.dice.choice(bodies), 1)}{{% endmacro %}}"
                  f"{{% macro q(k=1) %}}{self.fill(self.dice.choice(bodies), 1)}{{% endmacro %}}")
        statements = [self.fill(self.dice.choice(STATEMENTS), 2) for _ in range(self.dice.randrange(1, 4))]
        return HEAD + macros + "".join(statements) + self.fill(self.dice.choice(SINKS), 1)


def is_private(name):
    return isinstance(name, str) and ((name.startswith("_") and len(name) > 1) or name in ("gi_frame", "mro"))


def reached(text, content):
    """Private names that something was looked up by."""
    names = []

    class Recorder(jinja2.Environment):
        def getitem(self, obj, argument):
            names.extend([str(argument)] if is_private(argument) else [])
            return super().getitem(obj, argument)

        def getattr(self, obj, attribute):
            names.extend([attribute] if is_private(attribute) else [])
            return super().getattr(obj, attribute)

    try:
        environment = Recorder(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
        environment.from_string(text).render(messages=[{"role": "user", "content": content}], t={"k": 1},
                                             strftime_now=lambda form: form)
    except Exception:  # anything a random template can do wrong
        pass
    return names


def accepted(texts):
    done = subprocess.run([LISTER], input="".join(t.encode().hex() + "\n" for t in texts), capture_output=True, text=True,
                          timeout=300, check=True)
    return [not json.loads(line)["findings"] for line in done.stdout.splitlines()]


def test_what_is_accepted_reaches_nothing_private():
    if jinja2 is None:
        print("# python3-jinja2 is not here: nothing rendered")
        return
    maker = Maker(random.Random(SEED))
    texts = [maker.template() for _ in range(ROUNDS)]
    verdicts = accepted(texts)
    missed = [t for t, ok in zip(texts, verdicts) if ok and (reached(t, "hi") or reached(t, [{"type": "text", "text": "x"}]))]
    reaching = sum(1 for t, ok in zip(texts, verdicts) if not ok and reached(t, "hi"))
    assert not missed, missed[:3]
    assert sum(verdicts) > ROUNDS // 20 and reaching > ROUNDS // 100, (sum(verdicts), reaching)
    print(f"# {sum(verdicts)} of {ROUNDS} accepted; {reaching} of the others reach something private")


tap.main(globals())
