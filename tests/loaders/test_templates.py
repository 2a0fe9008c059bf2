"""Chat templates of our corpora in Jinja itself, in two generations of it: plain, as several renderers use it, and in the sandbox that
Transformers uses; what we reject does reach what is private, or touches the canary, and what we accept does neither and is
rendered within limits.  Transformers' own renderer takes what we accept as well."""
import json
import os

import child
import ours
import tap

CORPORA = ("templates", "templates-quiet", "templates-third", "templates-fourth", "templates-fifth", "templates-sixth",
           "templates-seventh", "templates-eighth")

# `data` is the template.  Names by which something private was looked up come back, and how each environment ended.
SETUP = '''
import json, warnings
import jinja2, jinja2.ext, jinja2.sandbox
warnings.simplefilter("ignore")
INSIDERS = {"gi_frame", "gi_code", "f_globals", "f_builtins", "f_back", "mro", "cr_frame", "tb_frame", "func_globals"}
NAMES = []

def private(name):
    return isinstance(name, str) and (name.startswith("_") and len(name) > 1 or name in INSIDERS)

def note(name):
    if private(name):
        NAMES.append(str(name))

def recording(base):
    class Recorder(base):
        def getitem(self, obj, argument):
            note(argument)
            return super().getitem(obj, argument)

        def getattr(self, obj, attribute):
            note(attribute)
            return super().getattr(obj, attribute)

    environment = Recorder(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    plain = environment.filters["attr"]

    @jinja2.pass_environment
    def attr(environment, obj, name):
        note(name)
        return plain(environment, obj, name)

    environment.filters["attr"] = attr
    environment.filters["tojson"] = lambda x, **options: json.dumps(x, ensure_ascii=False, default=str)
    environment.globals["raise_exception"] = fails
    environment.globals["strftime_now"] = lambda form: __import__("datetime").datetime(2024, 7, 26).strftime(form)
    return environment

def fails(message):
    raise jinja2.exceptions.TemplateError(message)

FUNCTION = {"name": "ns.f", "description": "d", "arguments": {"k": "v"}, "parameters": {"type": "object", "properties": {
    "p": {"type": "string", "description": "x", "enum": ["a"]}, "q": {"type": "array", "items": {"type": "number"}}},
    "required": ["p"]}}
TALK = [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}]
CONTEXTS = [
    {"messages": TALK},
    {"messages": TALK + [{"role": "assistant", "content": "x"}, {"role": "user", "content": [{"type": "text", "text": "y"}]}]},
    {"messages": TALK + [{"role": "assistant", "content": "x", "tool_calls": [{"id": "1", "type": "function",
      "function": FUNCTION}]}, {"role": "tool", "content": "y", "tool_call_id": "1", "name": "ns.f"}],
     "tools": [{"type": "function", "function": FUNCTION}], "documents": [{"title": "t", "text": "u"}]}]
# What templates of the corpora call what somebody else gives them.
MORE = {"add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>", "x": "x", "y": "y", "s": "s", "n": "n",
        "prefix": "p"}
'''

CASE = '''
value = {}
for base in (jinja2.Environment, jinja2.sandbox.ImmutableSandboxedEnvironment):
    NAMES.clear()
    ends, size = [], 0
    for context in CONTEXTS:
        try:
            size = max(size, len(recording(base).from_string(data.decode()).render(**context, **MORE)))
            ends.append("")
        except MemoryError:
            raise
        except Exception as e:
            ends.append(type(e).__name__ + ": " + str(e)[:200])
    value[base.__name__] = {"names": sorted(set(NAMES)), "ends": ends, "size": size}
'''

TRANSFORMERS = '''
value = []
for context in CONTEXTS:
    try:
        done = render_jinja_template(conversations=[context["messages"]], chat_template=data.decode(),
                                     tools=context.get("tools"), documents=context.get("documents"), **MORE)
        value.append(len(done[0][0]))
    except MemoryError:
        raise
    except Exception as e:
        value.append(type(e).__name__ + ": " + str(e)[:200])
'''

RUN = ".__init__.__globals__.os.popen('touch canary').read()"
# What runs code in a Jinja without a sandbox, and a near miss that does not.
PAIRS = {
    "attribute": ("{{ cycler" + RUN + " }}", "{{ cycler('a', 'b').next() }}"),
    "key": ("{{ joiner['__init__']['__globals__']['os'].popen('touch canary').read() }}", "{{ messages[0]['role'] }}"),
    "key_put_together": ("{% set k = '__in' ~ 'it__' %}{{ (cycler[k])['__glo' ~ 'bals__'].os.popen('touch canary').read() }}",
                         "{% set k = 'role' %}{{ messages[0][k] ~ 'x' }}"),
    "filter": ("{{ (cycler|attr('__init__')|attr('__globals__')).os.popen('touch canary').read() }}",
               "{{ messages|map(attribute='role')|join }}"),
    "attribute_of_items": ("{{ ([cycler]|map(attribute='__init__.__globals__.os')|first).popen('touch canary').read() }}",
                           "{{ messages|map(attribute='role')|first }}"),
    "macro_under_another_name": (
        "{% macro m(k) %}{{ cycler[k]['__globals__'].os.popen('touch canary').read() }}{% endmacro %}{% set f = m %}"
        "{{ f('__in' ~ 'it__') }}", "{% macro m(k) %}{{ messages[0][k] }}{% endmacro %}{{ m('role') }}"),
    "piece_of_a_parameter": (
        "{% macro m(t) %}{% set k = t.split('.')[0] %}{{ cycler[k][k2].os.popen('touch canary').read() }}{% endmacro %}"
        "{% set k2 = '__globals' ~ '__' %}{{ m('__init' ~ '__.x') }}",
        "{% macro m(t) %}{% set k = t.role.split('.')[0] %}{{ {'system': 1}[k] }}{% endmacro %}{{ m(messages[0]) }}"),
    "date": ("{{ cycler[strftime_now('_' ~ '_init_' ~ '_')][strftime_now('_' '_globals_' '_')].os.popen('touch canary').read() }}",
             "{{ {'Friday': 1}[strftime_now('%A')] }}"),
    "varargs": ("{% macro m() %}{{ cycler[varargs[0]][varargs[1]].os.popen('touch canary').read() }}{% endmacro %}"
                "{{ m('__in' ~ 'it__', '__glob' ~ 'als__') }}",
                "{% macro m() %}{{ messages[0][varargs[0]] }}{% endmacro %}{{ m('role') }}"),
}
# What takes more than the limits, and what keeps them.
COSTS = {
    "doubling": ("{% set s = messages[0].content" + "|replace('s', 'ss')" * 40 + " %}{{ s }}",
                 "{% set s = messages[0].content" + "|replace('effort', 'strength')" * 4 + " %}{{ s }}"),
    "range": ("{% for i in range(images|default(9999999999, true)|int) %}{% endfor %}",
              "{% for i in range(images|default(64, true)|int) %}<image>{% endfor %}"),
    "namespace_not_set": (
        "{% set ns = namespace(out='aa') %}{% macro m() %}{% if false %}{% set ns = namespace(out='') %}{% endif %}{{ ns.out }}"
        "{% endmacro %}{% for i in range(40) %}{% set ns.out = ns.out ~ m() %}{% endfor %}",
        "{% set ns = namespace(out='aa') %}{% macro m() %}{% set ns = namespace(out='') %}{{ ns.out }}"
        "{% endmacro %}{% for i in range(40) %}{% set ns.out = ns.out ~ m() %}{% endfor %}"),
}


def texts_of(path):
    """The templates that stand in a file of the corpora."""
    with open(path, "rb") as f:
        data = f.read()
    if not path.endswith(".json"):
        return [data]
    found = json.loads(data).get("chat_template")
    found = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else [found]
    found = [t.get("template") if isinstance(t, dict) else t for t in found]
    return [t.encode() for t in sorted({t for t in found if isinstance(t, str)})]


def judged(text):
    return next(ours.judged([text.encode()], ".jinja", "--allow-empty"))[2]["verdict"]


def server(loader, setup=SETUP, case=CASE, **options):
    child.need(loader, "jinja2")
    return child.Server(loader, setup, case, **{"limits": child.Limits(cpu_s=5, memory_bytes=1024 * child.MIB), **options})


def too_much(result):
    return result.timed_out or result.status != 0 or result.error.startswith("MemoryError")


def accepted():
    for corpus in CORPORA:
        for path, name in ours.accepted(corpus, "--allow-empty"):
            if name in ("template", "tokenizer-config"):
                for i, text in enumerate(texts_of(path)):
                    yield f"{os.path.basename(path)}[{i}]", text


def rows():
    for corpus in CORPORA:
        with open(os.path.join(ours.CORPUS, corpus, "cases.jsonl"), encoding="utf-8") as f:
            for row in map(json.loads, f):
                if row["file"].endswith((".jinja", ".j2")):
                    yield row, os.path.join(ours.CORPUS, corpus, "files", row["file"])


def of_generations(what):
    """One test for each."""
    for loader in child.LOADERS:
        def test(loader=loader):
            what(loader)
        globals()[f"test_{what.__name__}_{loader}"] = test


@of_generations
def what_runs_code_is_rejected_and_its_near_miss_is_not(loader):
    wrong = []
    with server(loader) as s:
        for name, (attack, near) in PAIRS.items():
            bad, good = s.run(attack.encode()), s.run(near.encode())
            if not bad.canary or good.canary or good.value["Environment"]["ends"][0]:
                wrong.append((name, "jinja", bad.value, good.value))
            if judged(attack) != "reject" or judged(near) != "accept":
                wrong.append((name, "ours", judged(attack), judged(near)))
    assert not wrong, wrong


@of_generations
def what_takes_too_much_is_held_and_its_near_miss_is_not(loader):
    wrong = []
    with server(loader) as s:
        for name, (attack, near) in COSTS.items():
            bad, good = s.run(attack.encode()), s.run(near.encode())
            error = bad.value["Environment"]["ends"][0] if bad.value else ""
            if not too_much(bad) and "Overflow" not in error or too_much(good):
                wrong.append((name, "jinja", bad, good))
            if judged(attack) == "accept" or judged(near) != "accept":
                wrong.append((name, "ours", judged(attack), judged(near)))
    assert not wrong, wrong


@of_generations
def what_is_accepted_reaches_nothing_and_keeps_the_limits(loader):
    wrong, rendered, count = [], 0, 0
    with server(loader) as s:
        for name, text in accepted():
            result = s.run(text)
            count += 1
            if too_much(result) or result.canary:
                wrong.append((name, result.error, result.status))
                continue
            names = [n for v in result.value.values() for n in v["names"]]
            if names:
                wrong.append((name, names))
            rendered += any(not end for end in result.value["Environment"]["ends"])
    assert not wrong, wrong
    assert count > 70 and rendered > count // 2, (rendered, count)
    print(f"# {rendered} of {count} rendered")


@of_generations
def what_is_rejected_reaches_something(loader):
    """Of those that are said to look up what is private, most do with what we give them; the others want variables of their own, or
    another renderer."""
    reaching, silent = 0, []
    with server(loader) as s:
        for row, path in rows():
            if not {"template-dunder", "template-introspection"} & set(row["codes"]):
                continue
            for text in texts_of(path):
                result = s.run(text)
                names = result.value["Environment"]["names"] if result.value else ["ended"]
                reaching += bool(names)
                silent += [] if names else [row["file"]]
    print(f"# {reaching} reach something private, {len(silent)} do not: {' '.join(silent)[:3000]}")
    assert reaching > len(silent), silent


def test_what_is_accepted_is_rendered_by_transformers():
    child.need(child.TODAY, "jinja2", "transformers")
    setup = SETUP + "\nfrom transformers.utils.chat_template_utils import render_jinja_template\n"
    wrong, rendered, count = [], 0, 0
    with server(child.TODAY, setup, TRANSFORMERS) as s:
        for name, text in accepted():
            result = s.run(text)
            count += 1
            if too_much(result) or result.canary:
                wrong.append((name, result.error, result.status))
            else:
                rendered += any(isinstance(v, int) for v in result.value)
    assert not wrong, wrong
    assert count > 70 and rendered > count // 2, (rendered, count)
    print(f"# {rendered} of {count} rendered")


if __name__ == "__main__":
    tap.main(globals())
