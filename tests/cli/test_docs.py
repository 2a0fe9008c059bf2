"""The pages against the program: links lead somewhere, options and codes exist, every rule has its page, and what a manual says a
policy holds is what the policy holds.  rules.md and formats.md are made from the program, and left to the test that makes them."""
import functools
import glob
import json
import os
import re
import subprocess

import tap
import yaml
from fixtures import OPTIONS, WEIGHLOCK, environment

SOURCE = os.path.dirname(os.path.dirname(OPTIONS["schema"]))
PAGES = sorted(os.path.relpath(p, SOURCE) for p in glob.glob(SOURCE + "/*.md") + glob.glob(SOURCE + "/docs/*.md") +
               glob.glob(SOURCE + "/docs/formats/*.md") + glob.glob(SOURCE + "/clients/python/*.md"))
MANUALS = sorted(os.path.relpath(p, SOURCE) for p in glob.glob(SOURCE + "/docs/man/*.scd"))
MADE = ("docs/rules.md", "docs/formats.md", "docs/attacks.md")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


@functools.cache
def weighlock(*arguments):
    done = subprocess.run([WEIGHLOCK, *arguments], env=environment(), timeout=60, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode == 0, arguments
    return done.stdout.decode()


@functools.cache
def rules():
    return {r["code"]: r for r in json.loads(weighlock("rules", "--format", "json"))["rules"]}


@functools.cache
def anchors(path):
    """As GitHub makes them of headings."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", read(path), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in heads}


# ---- links ----

def test_every_link_leads_to_a_page_and_a_heading():
    lost = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", read(page), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(SOURCE, path)) or (anchor and anchor not in anchors(path)):
                lost.append((page, target))
    assert not lost, lost


def test_every_rule_has_its_page():
    """What a rule gives as its clause in our own sheets, and the heading where it names one."""
    lost = []
    for code, rule in rules().items():
        for name, heading in re.findall(r"formats/([a-z0-9-]+)(?:, ([A-Z][\w ]+?|section \d+)(?=[,;.)]|$))?", rule["clause"]):
            page = f"docs/formats/{name}.md"
            if not os.path.exists(os.path.join(SOURCE, page)):
                lost.append((code, rule["clause"]))
            elif heading.startswith("section ") and not re.search(rf"^#+ {heading[8:]}\b", read(page), re.M):
                lost.append((code, rule["clause"]))
        assert f"\n#### {code}\n" in read("docs/rules.md") or rule["since"] >= max(r["since"] for r in rules().values()), code
    assert not lost, (len(lost), lost[:20])


# ---- commands ----

def commands(text):
    """`weighlock ...` in code blocks and manuals' examples: (subcommand, its options)."""
    for line in re.findall(r"(?:^|[|&;(] ?|\$ |\()weighlock ([a-z-]+(?: [^|&;#\n]*)?)", re.sub(r"\\\n\s*", " ", text), re.M):
        words = line.split()
        yield words[0], [w.split("=")[0].rstrip(".,:;)\"'`*") for w in words[1:words.index("--") if "--" in words else None]
                         if re.match(r"--[a-z]", w)]


def code_of(page):
    """What stands in a page as something to type."""
    text = read(page)
    if page.endswith(".scd"):
        return "\n".join(re.findall(r"^\t(\$ .*)$", text, re.M) + re.findall(r"\*(weighlock [^*]*)\*", text))
    return "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S) + re.findall(r"^    (.*)$", text, re.M) + re.findall(r"`([^`\n]+)`", text))


def test_every_command_and_option_that_a_page_has_people_type_exists():
    names = {m for m in re.findall(r"^  weighlock ([a-z-]+)", weighlock("--help"), re.M)}
    wrong, n = [], 0
    for page in PAGES + MANUALS + ["recipes/gitlab.yml", "recipes/github-scan"]:
        text = code_of(page) if page.endswith((".md", ".scd")) else re.sub(r"\\\n\s*", " ", re.sub(r"\n      --", " --", read(page)))
        for name, options in commands(text):
            if name not in names:
                wrong.append((page, name))
                continue
            known = set(re.findall(r"--[a-z][a-z-]*", weighlock(name, "--help"))) | {"--help", "--version"}
            wrong += [(page, name, o) for o in options if o not in known]
            n += len(options)
    assert not wrong and n > 40, (wrong, n)


def test_the_command_and_the_daemon_call_the_same_thing_the_same():
    """An option of either means the same in the other; where the daemon has another word, the command takes both."""
    manual = read("docs/man/weighlockd.8.scd")
    daemon = set(re.findall(r"^\*--([a-z-]+)\*", manual, re.M))
    help_text = weighlock("scan", "--help")
    assert {"socket", "policy", "workers"} <= daemon
    for option in ("socket", "policy", "workers"):
        assert "--" + option in help_text, option


# ---- codes, formats, policies ----

def test_every_code_that_a_page_names_exists():
    families = {code.split("-")[0] for code in rules()}
    formats = {f["format"] for f in json.loads(weighlock("formats", "--format", "json"))["formats"]}
    names = {os.path.basename(p).split(".")[0] for p in glob.glob(SOURCE + "/policy/packs/*")} | set(yaml.safe_load(read("action.yml"))["inputs"])
    formats |= {re.sub(r"\W.*", "", f) for f in formats}
    wrong = []
    for page in MANUALS:
        for word in re.findall(r"_((?:[a-z0-9]+)(?:-[a-z0-9]+)+)(?:\\\*)?_", read(page).replace("\\_", "-")):
            if word.split("-")[0] in families and word not in rules() and word not in formats and word not in names:
                wrong.append((page, word))
    for page in PAGES:
        for word in re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", read(page)) if page not in MADE else ():
            if word.split("-")[0] in families and word not in rules() and word not in formats and word not in names:
                wrong.append((page, word))
    assert not wrong, (len(wrong), wrong[:60])


def test_the_manual_lists_what_policy_ci_accepts_besides():
    accepted = set(re.findall(r'^#    code: "(.*)"$', weighlock("policy", "show", "ci"), re.M))
    section = re.search(r"^\*ci\*\n(.*?)^\*reference\*", read("docs/man/weighlock.policy.5.scd"), re.M | re.S)[1]
    assert accepted and set(re.findall(r"\(_([a-z-]+)_\)", section)) == accepted, accepted


def test_the_manual_lists_every_pack():
    section = re.search(r"^\*packs:\*.*?^\*allow:\*", read("docs/man/weighlock.policy.5.scd"), re.M | re.S)[0].replace("\\_", "_")
    named = set(re.findall(r"_([a-z0-9]+(?:-[a-z0-9]+)*)_", section))
    done = subprocess.run([WEIGHLOCK, "scan", "--pack", "no such pack", "."], env=environment(), stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 4
    packs = {os.path.basename(p).split(".")[0] for p in glob.glob(SOURCE + "/policy/packs/*")}
    assert packs and packs <= named, packs - named


def test_placeholders_are_on_the_publisher_s_page():
    page = read("docs/publishing.md")
    rows = re.findall(r"^\| `([^`]+)` \| (.*?) \| ", page, re.M)
    assert len(rows) >= 5
    tracked = [p for p in ("README.md", "action.yml", "debian/control", "debian/changelog", "meson_options.txt", "docs/sbom.py",
                           *glob.glob("recipes/*", root_dir=SOURCE), *glob.glob("docs/*.md", root_dir=SOURCE)) if p != "docs/publishing.md"]
    for path in tracked:
        for found in re.findall(r"OWNER/[\w@]*|[\w@:/.-]*weighlock\.example[\w/.-]*|https://example\.org/weighlock[\w/]*", read(path)):
            found = found.rstrip(".")
            places = [where for what, where in rows if what.startswith(found) or found == what]
            assert any(os.path.basename(path) in where for where in places), (path, found)
    for what, where in rows:
        for path in re.findall(r"`([\w./-]+)`|\]\(([\w./-]+)\)", where):
            path = os.path.normpath(os.path.join("docs", path[1])) if path[1] else path[0]
            if os.path.exists(os.path.join(SOURCE, path)):
                assert what in read(path), (what, path)


def test_documents_and_recipes_parse():
    for path in ("recipes/gitlab.yml", "action.yml", "docs/openapi.yaml", "docs/weighlockd.yaml"):
        yaml.safe_load(read(path))


tap.main(globals())
