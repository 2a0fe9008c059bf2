"""What is accepted is harmless: templates that carry names through everything Jinja has (macros and callers under other names,
arguments without names, namespaces, cyclers, groups, methods as values) are rendered without a sandbox; those the checker
accepts look nothing up by a private name, and are rendered in time.  Half of them are random, half are honest ones of the
corpus into which a few dangerous pieces were put.

How much would be seen is tested as well: for each private name, and for each rule, there are templates that only this name or
this rule keeps from being accepted, so a checker that forgot it would be found.

    test_template_accept.py LISTER CORPUS [SEED [ROUNDS]]"""
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys

import tap

try:
    import jinja2
except ImportError:
    jinja2 = None

LISTER, CORPUS = sys.argv[1:3]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20261122
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 600
BATCH = 500
RENDER_S = 5
MEMORY = 1 << 30
HONEST_MAX = 6000  # longer ones say nothing else and take their time
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


# One of these is what a template wants: attributes of everything, of generators, of classes, and of nothing.
PRIVATE = ["__class__", "__init__", "__globals__", "__subclasses__", "_x", "_load", "__canary__", "gi_frame", "f_globals", "mro"]
INSIDERS = {"gi_frame", "f_globals", "mro"}
# What is put in the place of something honest: P is a private name, A and B are its halves, N a name of the template.
KEYS = ["'P'", "'A' ~ 'B'", "'A' + 'B'", "('A', 'B')|join", "'%s%s' % ('A', 'B')", "'XP'[1:]", "'P-'.split('-')[0]", "'P'|trim",
        "['P']|first", "{'k': 'A' ~ 'B'}.k", "'{}{}'.format('A', 'B')", "dict(P=1)|first", "namespace(k='A' ~ 'B').k",
        "'PX'|replace('X', '')", "'XP'.split('X')[1]", "'XP'.lstrip('X')", "N", "N ~ 'B'", "N[0:3]", "N|first", "N.split('x')[0]"]
SINKS_OF = ["{{ t.P }}", "{{ t['P'] }}", "{{ t[K] }}", "{{ N[K] }}", "{{ N.P }}", "{{ N['P'] }}", "{{ t|attr('P') }}",
            "{{ [t]|map(attribute='P')|list }}", "{{ [t]|map(attribute=K)|list }}", "{{ [t]|map('attr', K)|list }}",
            "{{ [t]|selectattr('P')|list }}", "{{ [t]|sort(attribute='P') }}", "{{ [t]|groupby('k.P') }}", "{{ '{0.P}'.format(t) }}",
            "{% set f = '{0.P}'.format %}{{ f(t) }}", "{% for k in [K] %}{{ t[k] }}{% endfor %}", "{{ t.k if t[K] }}",
            "{% macro g(k) %}{{ t[k] }}{% endmacro %}{{ g(K) }}", "{% macro g() %}{{ t[varargs[0]] }}{% endmacro %}{{ g(K) }}",
            "{% macro g() %}{{ caller(K) }}{% endmacro %}{% call(k) g() %}{{ t[k] }}{% endcall %}",
            "{% set k %}{{ K }}{% endset %}{{ t[k] }}", "{% with k = K %}{{ t[k] }}{% endwith %}", "{{ (t, 1)[0].P }}",
            "{% set q = namespace(f=dict) %}{{ t[(q.f)(P=1)|first] }}", "{{ t.get('k').P }}", "{% for k in t if k[K] %}{% endfor %}"]


class Mutator:
    """Puts a few of them into an honest template."""
    def __init__(self, dice, honest):
        self.dice, self.honest = dice, honest

    def filled(self, form, private, names):
        at = self.dice.randrange(1, len(private))
        while "K" in form:
            form = form.replace("K", self.dice.choice(KEYS), 1)
        parts = {"P": private, "A": private[:at], "B": private[at:], "N": self.dice.choice(names)}
        return re.sub(r"\b[PABN]\b|(?<=X)P|P(?=[X-])", lambda m: parts[m.group()], form)

    def mutate(self, text, private):
        names = re.findall(r"\bset (\w+)|\bfor (\w+)|\b(ns\.\w+)", text)
        names = [n for found in names for n in found if n] or ["messages"]
        kind = self.dice.randrange(5)
        if kind == 0:    # a lookup in the place of another
            spots = [m for m in re.finditer(r"\['[a-z_]+'\]|(?<=[a-z])\.(role|content|name|function|type)\b", text)]
            new = lambda: self.dice.choice(["[" + self.filled("K", private, names) + "]", "." + private, f"['{private}']"])
        elif kind == 1:  # a text in the place of another
            spots = [m for m in re.finditer(r"'[a-z_]+'", text)]
            new = lambda: self.filled(f"({self.dice.choice(KEYS)})", private, names)
        elif kind == 2:  # a filter
            spots = [m for m in re.finditer(r"\|\s*(trim|tojson|length|upper|lower)\b(?!\()", text)]
            new = lambda: self.dice.choice([f"|attr('{private}')", f"|map(attribute='{private}')|list", "|first", "|list|join",
                                            f"|default('{private}')", f"|replace('x', '{private}')"])
        else:            # one more thing, somewhere
            spots = [m for m in re.finditer(r"(?=\{[{%])", text)] + [re.search(r"\Z", text)]
            new = lambda: self.filled(self.dice.choice(SINKS_OF), private, names)
        if not spots:
            return text
        at = self.dice.choice(spots)
        return text[:at.start()] + new() + text[at.end():]

    def template(self):
        text, private = self.dice.choice(self.honest), self.dice.choice(PRIVATE)
        for _ in range(self.dice.choice([1, 1, 1, 2, 3])):
            text = self.mutate(text, private)
        return text


def honest_ones():
    found = []
    for name in ("templates", "templates-quiet", "templates-third", "templates-fourth", "templates-fifth", "templates-sixth",
                 "templates-seventh", "templates-eighth"):
        with open(os.path.join(CORPUS, name, "cases.jsonl"), encoding="utf-8") as f:
            rows = [json.loads(line) for line in f]
        for row in rows:
            if row["expect"] == ["accept"] and row["file"].endswith(".jinja"):
                with open(os.path.join(CORPUS, name, "files", row["file"]), encoding="utf-8") as f:
                    found.append(f.read())
    return [text for text in found if len(text) <= HONEST_MAX]


def is_private(name):
    return isinstance(name, str) and ((name.startswith("_") and len(name) > 1) or name in INSIDERS)


class Probe(dict):
    """What formats reach without asking Jinja."""
    names = []

    def __getattr__(self, name):
        if name in ("_x", "_load", "__canary__"):
            Probe.names.append(name)
        raise AttributeError(name)


def alarm(*_):
    raise TimeoutError


FUNCTION = {"name": "f", "description": "d", "arguments": {"k": "v"}, "parameters": {"type": "object", "properties": {
    "p": {"type": "string", "description": "x"}}}}
CONTEXTS = [{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"},
                          {"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "function": FUNCTION}]},
                          {"role": "tool", "content": "y", "tool_call_id": "1"}],
             "tools": [{"type": "function", "function": FUNCTION}], "add_generation_prompt": True, "bos_token": "<s>",
             "eos_token": "</s>"},
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}]


def fails(message):
    raise RuntimeError(message)


def reached(text):
    """Private names that something was looked up by; whether it was rendered in time."""
    names = Probe.names = []

    class Recorder(jinja2.Environment):
        def getitem(self, obj, argument):
            names.extend([str(argument)] if is_private(argument) else [])
            return super().getitem(obj, argument)

        def getattr(self, obj, attribute):
            names.extend([attribute] if is_private(attribute) else [])
            return super().getattr(obj, attribute)

    environment = Recorder(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    plain = environment.filters["attr"]

    @jinja2.pass_environment
    def attr(environment, obj, name):
        names.extend([name] if is_private(name) else [])
        return plain(environment, obj, name)

    environment.filters["attr"] = attr
    try:
        template = environment.from_string(text)
    except Exception:  # no template
        return names, True
    for context in CONTEXTS:
        signal.setitimer(signal.ITIMER_REAL, RENDER_S)
        try:
            template.render(t=Probe(k=1), strftime_now=lambda form: form, raise_exception=fails, **context)
        except (TimeoutError, MemoryError):
            return names, False
        except Exception:  # anything a random template can do wrong
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return names, True


def unlimited():
    """What is limited is the rendering; a sanitizer takes terabytes of addresses."""
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def codes_of(texts):
    done = subprocess.run([LISTER], input="".join(t.encode().hex() + "\n" for t in texts), capture_output=True, text=True,
                          timeout=600, check=True, preexec_fn=unlimited)
    return [{code for code, _ in json.loads(line)["findings"]} for line in done.stdout.splitlines()]


def limit():
    with open("/proc/self/statm", encoding="ascii") as f:
        size = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, alarm)


def rounds(maker, n):
    """(text, codes, names reached, whether in time) of n templates."""
    while n > 0:
        texts = [maker.template() for _ in range(min(n, BATCH))]
        n -= len(texts)
        for text, codes in zip(texts, codes_of(texts)):
            names, in_time = reached(text)
            yield text, codes, names, in_time


def test_what_is_accepted_reaches_nothing_private():
    if jinja2 is None:
        print("# python3-jinja2 is not here: nothing rendered")
        return
    limit()
    dice = random.Random(SEED)
    for maker, least in ((Maker(dice), 20), (Mutator(dice, honest_ones()), 100)):
        accepted, only, alone, missed = 0, {}, {}, []
        for text, codes, names, in_time in rounds(maker, ROUNDS // 2):
            accepted += not codes
            if not codes and (names or not in_time):
                missed.append((names, in_time, text))
            if codes and names:
                only[" ".join(sorted(codes))] = only.get(" ".join(sorted(codes)), 0) + 1
                if len(set(names)) == 1:
                    alone[names[0]] = alone.get(names[0], 0) + 1
        print(f"# {type(maker).__name__}: {accepted} of {ROUNDS // 2} accepted; by codes {only}; by name {alone}")
        assert not missed, (len(missed), missed[:3])
        assert accepted > ROUNDS // 2 // least, accepted
        if isinstance(maker, Mutator):   # what a checker without this name, or this rule, would have accepted
            assert all(alone.get(name, 0) > 0 for name in PRIVATE), alone
            assert all(only.get(rule, 0) > 0 for rule in ("template-dunder", "template-introspection")), only


tap.main(globals())
