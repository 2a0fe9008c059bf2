"""The page of --format html, without a browser: its structure, its policy, and that what comes from files is text.  A browser
looks at it in tests/integrations/test_html.py."""
import base64
import hashlib
import html.parser
import json
import os
import re
import struct
import subprocess
import zipfile

import tap
from fixtures import BAD, GOOD, NAN, WEIGHLOCK, environment, tree, write
from models import safetensors_of, sharded, weights

ROOT = tree()
SOURCE = os.path.join(os.path.dirname(__file__), "..", "..", "cli", "outputs", "html")
VOID = {"meta", "br", "wbr"}

# What would end a text node, an attribute, a script; what hides or reorders; what is no text at all.
HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "\"'`=<img src=x onerror=alert(1)>", "]]>&lt;&#60;",
           "\u2028\u2029\u202e\u2066\ufeff\u200b", "\x00\x01\x1b[31m\x7f", "\U000e0041\ufffe", "${alert(1)}{{7*7}}", "\\u003c/script\\u003e"]
NAMES = [h.replace("/", "\u2215").replace("\x00", "").encode() for h in HOSTILE] + [b"</script>"[:1] + b"\xff\xfe\xc0\xaf<script>"]


class Page(html.parser.HTMLParser):
    """Elements in order, texts, scripts; tags that do not nest are refused."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.stack, self.tags, self.attributes, self.texts, self.scripts, self.styles = [], [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.stack == [], self.stack

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, k, v) for k, v in attrs]
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack and self.stack.pop() == tag, tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "script":
            self.scripts[-1][1] += data
        elif self.stack and self.stack[-1] == "style":
            self.styles.append(data)
        else:
            self.texts.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)

    def entries(self):
        return [json.loads(text) for attrs, text in self.scripts if attrs.get("type") == "application/json" and "id" not in attrs]


def page_of(*arguments, statuses=(0, 1, 2), **more):
    path = os.path.join(ROOT, "page.html")
    done = subprocess.run([WEIGHLOCK, "scan", "--no-progress", "--format", "html=" + path, *arguments], cwd=ROOT, timeout=240,
                          env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode in statuses, done
    with open(path, "rb") as f:
        return f.read()


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def hostile_tree():
    folder = os.path.join(ROOT, "hostile")
    os.makedirs(folder, exist_ok=True)
    for i, name in enumerate(NAMES):
        write(os.path.join(folder.encode(), name + b".safetensors"), (NAN, BAD)[i % 2])
    nan = b"\0\0\xc0\x7f"
    for i, h in enumerate(HOSTILE):
        write(os.path.join(folder, f"tensor{i}.safetensors"), safetensors_of({h: ("F32", [1], nan)}, {h: h}))
        command = b"c" + b"os\nsystem\n(V" + h.encode("raw-unicode-escape").replace(b"\n", b"") + b"\ntR."
        write(os.path.join(folder, f"call{i}.pkl"), command)
        name = h.encode().replace(b"\n", b"").replace(b"\0", b"")
        write(os.path.join(folder, f"global{i}.pkl"), b"c" + name + b"\n" + name + b"\n.")
        with zipfile.ZipFile(os.path.join(folder, f"members{i}.zip"), "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr(h.replace("\x00", ""), command)
    write(os.path.join(folder, "bytes.pkl"), b"c\xff\xfe<script>\n\xff\n.")
    return folder


def test_one_page_whose_policy_allows_its_own_script_and_style_and_nothing_else():
    write(os.path.join(ROOT, "one.safetensors"), GOOD)
    text = page_of("one.safetensors", statuses=(0,)).decode("ascii")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>\n") and page.tags[:3] == ["html", "head", "meta"], text[:200]
    policy, = (v for t, k, v in page.attributes if k == "content" and "default-src" in v)
    rules = dict(r.strip().split(" ", 1) for r in policy.split(";"))
    own, = (t for a, t in page.scripts if a == {})
    style, = page.styles
    assert rules == {"default-src": "'none'", "script-src": hash_of(own), "style-src": hash_of(style), "base-uri": "'none'",
                     "form-action": "'none'"}, rules
    assert text.index("Content-Security-Policy") < text.index("<style"), "a policy counts from where it stands"
    allowed = {"html", "head", "meta", "title", "style", "body", "header", "main", "h1", "ul", "li", "p", "b", "bdi", "span", "div",
               "details", "summary", "script", "wbr", "br"}
    assert set(page.tags) <= allowed, set(page.tags) - allowed
    names = {k for _, k, _ in page.attributes}
    assert names <= {"lang", "charset", "http-equiv", "content", "name", "class", "id", "type", "data-verdict", "data-size", "role"}, names


def test_the_script_and_style_are_those_of_the_source():
    page = Page(page_of("one.safetensors").decode())
    for name, text in (("page.js", page.scripts[-1][1]), ("page.css", page.styles[0])):
        with open(os.path.join(SOURCE, name), encoding="ascii") as f:
            assert f.read() == text, name


def test_the_script_makes_no_markup_of_texts():
    with open(os.path.join(SOURCE, "page.js"), encoding="ascii") as f:
        script = f.read()
    for word in (r"inner\s*HTML", "outerHTML", "insertAdjacent", r"document\.write", "DOMParser", "createContextualFragment", "srcdoc",
                 r"\beval\b", r"new Function", r"\bimport\b", "fetch", "XMLHttpRequest", "WebSocket", "href", "location", "setHTML"):
        assert not re.search(word, script), word
    # Attributes: only constants of the script, and numbers and classes of drawings.
    assert len(re.findall(r"setAttribute", script)) == len(re.findall(
        r'setAttribute\((?:key, String\(numbers\[key\]\)|"[a-zA-Z-]+", ?)', script)), "an attribute by another name"


def test_what_comes_from_files_is_text_wherever_it_stands():
    folder = hostile_tree()
    raw = page_of("--calls", "--tensors", folder)
    text = raw.decode("ascii")
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f-\xff]", raw)
    page = Page(text)
    entries = page.entries()
    assert len(entries) == len(os.listdir(folder)) + sum("members" in e["verdict"] for e in entries), len(entries)
    assert set(page.tags) & {"img", "svg", "a", "iframe"} == set()
    for tag, key, value in page.attributes:
        assert not re.search("alert|onerror|7\\*7", value or "") and not key.startswith("on"), (tag, key, value)
    assert page.scripts[-1][0] == {} and sum(a == {} for a, _ in page.scripts) == 1
    for attrs, data in page.scripts[:-1]:
        assert attrs["type"] == "application/json" and "<" not in data and ">" not in data and "&" not in data
    # And it is all there: nobody took anything away to be safe.
    everything = json.dumps(entries, ensure_ascii=False)
    for part in ("</script><script>alert(1)</script>", "<!--<script>", "<img src=x onerror=alert(1)>", "${alert(1)}{{7*7}}"):
        assert everything.count(part) >= 3, part
    shown = "".join(page.texts)
    assert "<img src=x onerror=alert(1)>" in shown and "\\xE2\\x80\\xAE" in shown, shown[:2000]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029\u200b\ufeff\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)


def test_a_line_says_the_verdict_and_why_without_a_script():
    os.makedirs(os.path.join(ROOT, "three"))
    write(os.path.join(ROOT, "three", "a.safetensors"), GOOD)
    write(os.path.join(ROOT, "three", "b.safetensors"), NAN)
    write(os.path.join(ROOT, "three", "c.pkl"), b"cos\nsystem\n(Vid\ntR.")
    page = Page(page_of("three", statuses=(1,)).decode())
    shown = re.sub(r"\s+", " ", "".join(page.texts))
    assert re.search(r"1 rejected 0 not judged 1 to review 1 accepted 3 files, .* Policy default", shown), shown
    assert re.search(r'reject three/c\.pkl pickle 19 bytes os\.system\("id"\) would run when this file is loaded', shown), shown
    assert "review three/b.safetensors safetensors" in shown and "accept three/a.safetensors safetensors" in shown, shown
    assert "Do not load this file" in shown and re.search(r"SHA-256 [0-9a-f]{64}", shown), shown


def test_behind_a_line_stands_what_is_known_of_the_file():
    sharded(os.path.join(ROOT, "set"), weights(4), 2)
    write(os.path.join(ROOT, "set", "nan.safetensors"), NAN)
    entries = Page(page_of("set").decode()).entries()
    by_name = {(e["verdict"].get("file") or e["verdict"])["name"]: e for e in entries}
    nan = by_name["set/nan.safetensors"]
    assert nan["says"] == ['"w" holds NaN, which is not a number, in 1 element'], nan["says"]
    assert [t["name"] for t in nan["tensors"]] == ["w"] and nan["rows"] == 1 and nan["listed"], nan
    assert [m["kind"] for m in nan["views"]["map"]] == ["header", "tensor"] and nan["views"]["bytes"][0]["hex"], nan["views"]
    assert any("members" in e["verdict"] for e in entries), "the set"
    index = next(e for n, e in by_name.items() if n.endswith("index.json"))
    assert {t["file"] for t in index["tensors"]} and all("name" in t for t in index["tensors"]), index


def test_calls_are_told_only_when_they_are_asked_for():
    write(os.path.join(ROOT, "call.pkl"), b"cos\nsystem\n(Vcanary-word\ntR.")
    without, = Page(page_of("call.pkl").decode()).entries()
    asked, = Page(page_of("--calls", "call.pkl").decode()).entries()
    assert "calls" not in without["verdict"] and "opcodes" not in without["views"], without
    assert asked["verdict"]["calls"][0]["text"] == 'os.system("canary-word")' and asked["views"]["opcodes"], asked
    done = subprocess.run([WEIGHLOCK, "scan", "--format", "html=x.html", "--format", "json", "call.pkl"], cwd=ROOT, env=environment(),
                          stdout=subprocess.PIPE, timeout=60)
    assert "calls" not in json.loads(done.stdout) and "tensors" not in json.loads(done.stdout), done.stdout


def test_what_a_page_leaves_out_is_said():
    tensors = {f"t{i:05}": ("U8", [1], b"\0") for i in range(2500)}
    write(os.path.join(ROOT, "many.safetensors"), safetensors_of(tensors))
    entry, = Page(page_of("many.safetensors").decode()).entries()
    assert len(entry["tensors"]) == 2000 and entry["rows"] == 2500, (len(entry["tensors"]), entry["rows"])


def test_what_is_remembered_is_a_page_too():
    write(os.path.join(ROOT, "three", "<b>.safetensors"), NAN)
    for arguments in (["scan", "--db", "three.db", "three"], ["report", "--format", "html", "three.db"]):
        done = subprocess.run([WEIGHLOCK, *arguments], cwd=ROOT, env=environment(), stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, done
    page = Page(done.stdout.decode("ascii"))
    shown = re.sub(r"\s+", " ", "".join(page.texts))
    assert "1 rejected 0 not judged 2 to review 1 accepted 4 files, " in shown and "three/<b>.safetensors" in shown, shown
    entries = page.entries()
    assert {f["code"] for e in entries for f in e["verdict"]["findings"]} >= {"weights-nan", "pickle-call-dangerous"}, entries
    assert all(re.fullmatch("[0-9a-f]{64}", e["verdict"]["file"]["sha256"]) for e in entries)


def test_a_page_appears_whole_or_not_at_all_and_ends_early_loudly():
    write(os.path.join(ROOT, "kept.html"), b"old")
    done = subprocess.run([WEIGHLOCK, "scan", "--format", "html=nowhere/x.html", "one.safetensors"], cwd=ROOT, env=environment(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 4 and b"cannot write nowhere/x.html" in done.stderr, done
    page = Page(page_of("nowhere.bin", "one.safetensors").decode())
    assert "not judged" in "".join(page.texts) and len(page.entries()) == 2


tap.main(globals())
