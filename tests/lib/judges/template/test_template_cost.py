"""What is accepted is cheap: random templates, of loops, texts that grow, filters and macros with constants of all sizes, are rendered in a
child with limits; those the checker accepts are rendered in 5 s of processor time and a GiB.

    test_template_cost.py LISTER [SEED [ROUNDS]]"""
import json
import random
import subprocess
import sys

import tap

LISTER = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 20261123
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
CHILD = """
import json, resource, signal, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
class Late(BaseException):
    pass
def late(*_):
    raise Late
signal.signal(signal.SIGPROF, late)
import jinja2
environment = jinja2.Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
messages = [{"role": "user", "content": "some words, " * 800} for _ in range(200)]
over = []
for text in json.load(sys.stdin):
    signal.setitimer(signal.ITIMER_PROF, 5)
    try:
        environment.from_string(text).render(messages=messages, tools=[{"a": {"b": ["c"]}}])
    except (MemoryError, Late):
        over.append(text)
    except Exception:
        pass
    signal.setitimer(signal.ITIMER_PROF, 0)
json.dump(over, sys.stdout)
"""
NUMBERS = ["3", "40", "700", "9000", "80000", "loop.index", "n", "ns.n", "(n * 9)", "(ns.n + n)", "(99 / 0.01)|int", "'77'|int",
           "l|length", "s|length"]
TEXTS = ["'a'", "'some words'", "s", "ns.s", "(s ~ ns.s)", "('ab' * N)", "m.content", "(T)|upper", "(T)|replace('a', T)", "(T)|tojson",
         "L|join(T)", "(T).center(N)", "(T)[:N]", "(T)|e", "(T)|wordwrap(9)", "(T)|string", "f(T, N)", "'%5d' % N", "(T)|title"]
LISTS = ["l", "ns.l", "messages", "range(N)", "[T, T]", "(L)|list", "(ns.l + [T])", "L|map('string')", "(T).split('a')", "(l * N)",
         "L|batch(9)", "L|sort", "L|unique", "(L)|reverse"]
STATEMENTS = ["{% set s = T %}", "{% set n = N %}", "{% set ns.s = T %}", "{% set ns.s = ns.s ~ T %}", "{% set ns.n = N %}",
              "{% set ns.l = ns.l + [T] %}", "{% do l.append(T) %}", "{{ T }}", "{% for i in L %}S{% endfor %}",
              "{% for m in messages %}S{% endfor %}", "{% for i in range(N) %}S{% endfor %}", "{% if T == T %}S{% endif %}",
              "{% if T in L %}S{% endif %}", "{% set s | replace('a', T) %}S{% endset %}", "{% filter indent(N) %}S{% endfilter %}"]
HEAD = ("{% set ns = namespace(s='s', n=5, l=[]) %}{% set l = ['x'] %}{% set s = 's' %}{% set n = 7 %}{% set m = messages[0] %}"
        "{% macro f(s, n) %}{{ s }}{% if n > 1 %}BODY{% endif %}{% endmacro %}")


def fill(dice, form, depth):
    parts = {"N": NUMBERS, "T": TEXTS, "L": LISTS, "S": STATEMENTS}
    made = ""
    for c in form:
        if c not in parts:
            made += c
        elif depth <= 0:
            made += parts[c][0]
        else:
            made += fill(dice, dice.choice(parts[c]), depth - 1)
    return made


def template(dice):
    body = fill(dice, "SS", 2)
    return HEAD.replace("BODY", body) + "".join(fill(dice, "S", 4) for _ in range(dice.randrange(2, 5)))


def accepted(texts):
    done = subprocess.run([LISTER], input="".join(t.encode().hex() + "\n" for t in texts), capture_output=True, text=True,
                          timeout=300, check=True)
    return [t for t, line in zip(texts, done.stdout.splitlines()) if not json.loads(line)["findings"]]


def test_what_is_accepted_is_rendered_in_time():
    try:
        import jinja2  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        print("# python3-jinja2 is not here: nothing rendered")
        return
    dice = random.Random(SEED)
    texts = [template(dice) for _ in range(ROUNDS)]
    kept = accepted(texts)
    child = subprocess.run([sys.executable, "-c", CHILD], input=json.dumps(kept), capture_output=True, text=True,
                           timeout=60 + 5 * ROUNDS, check=True)
    over = json.loads(child.stdout)
    assert not over, over[:3]
    assert ROUNDS // 10 < len(kept) < ROUNDS, len(kept)
    print(f"# {len(kept)} of {ROUNDS} accepted and rendered")


tap.main(globals())
