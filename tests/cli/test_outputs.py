"""What verdicts are written as: SARIF, JUnit, GitHub's commands.  Each is read back with a reader that is not ours, names
and members are hostile, and no document is ever half there."""
import json
import os
import re
import signal
import subprocess
import urllib.parse
import xml.etree.ElementTree as ET

import tap
from fixtures import BAD, GOOD, NAN, ODD_NAME, OPTIONS, WEIGHLOCK, awaits_input, environment, remove, tree, write
from models import safetensors_of

ROOT = tree()

# Each ends something, starts something or fools somebody in one of the formats.
HOSTILE = [b"a]]>&lt;<b>\"'.safetensors", b"::error file=x::y.safetensors", b"##[error]z.safetensors",
           b"100%25 %0A::warning::.safetensors", b"| a | b |.safetensors", b"[x](http:e) {0} {{1}}.safetensors",
           b"tab\tnl\ncr\r.safetensors", b"bell\x07 esc\x1b[31m.safetensors", b"\xff\xfe.safetensors",
           "\ufffe\uffff\u202e.safetensors".encode(), "umlaut \u00fc \U0001f600.safetensors".encode(),
           b"-rf.safetensors", b"con:1,2.safetensors"]


def scan(*arguments, cwd=ROOT, **more):
    return subprocess.run([WEIGHLOCK, "scan", *arguments], cwd=cwd, env=environment(**more), timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def hostile_tree():
    folder = os.path.join(ROOT, "hostile")
    os.makedirs(folder, exist_ok=True)
    for i, name in enumerate(HOSTILE):
        write(os.path.join(folder.encode(), name), (NAN, BAD)[i % 2])
    tensor = "]]>\n::error::\x1b[2J|`<script>{0}\u2028"
    write(os.path.join(folder, "tensor.safetensors"),
          safetensors_of({tensor: ("F32", [1], b"\0\0\xc0\x7f")}))
    return folder


def sarif_of(*arguments, **more):
    path = os.path.join(ROOT, "out.sarif")
    done = scan("--format", "sarif=" + path, *arguments, **more)
    with open(path, encoding="ascii") as f:
        return json.load(f)["runs"][0], done


def test_a_scan_writes_several_reports_at_once_and_shows_the_text():
    done = scan("--format", "json=o.json", "--format", "sarif=o.sarif", "--format", "junit=o.xml", "good.safetensors")
    assert done.returncode == 0 and done.stdout.startswith(b"ACCEPT  good.safetensors"), done
    with open(os.path.join(ROOT, "o.json"), encoding="utf-8") as f:
        assert [json.loads(line)["verdict"] for line in f] == ["accept"]
    with open(os.path.join(ROOT, "o.sarif"), encoding="utf-8") as f:
        assert json.load(f)["version"] == "2.1.0"
    assert ET.parse(os.path.join(ROOT, "o.xml")).getroot().get("tests") == "1"


def test_one_output_at_most_goes_to_standard_output():
    done = scan("--format", "json", "--format", "sarif", "good.safetensors")
    assert done.returncode == 4 and b"only one can go to standard output" in done.stderr, done
    done = scan("--format", "json", "--format", "sarif=-", "good.safetensors")
    assert done.returncode == 4, done


def test_sarif_lists_what_is_not_accepted_by_byte_and_by_a_name_that_leads_there():
    folder = hostile_tree()
    write(os.path.join(folder, "fine.safetensors"), GOOD)
    run, done = sarif_of(folder)
    assert done.returncode == 1
    names = {urllib.parse.unquote_to_bytes(a["location"]["uri"]) for a in run["artifacts"]}
    assert names == {b"hostile/" + n for n in HOSTILE + [b"tensor.safetensors"]}, names
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        artifact = run["artifacts"][place["artifactLocation"]["index"]]
        assert artifact["location"]["uri"] == place["artifactLocation"]["uri"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] and place["region"]["startLine"] == 1
        assert result["level"] in ("error", "warning") and artifact["hashes"]["sha-256"]
    nan = [r for r in run["results"] if r["ruleId"] == "weights-nan"]
    assert nan and all("byteOffset" in r["locations"][0]["physicalLocation"]["region"] for r in nan), nan
    assert run["invocations"][0]["exitCode"] == 1 and run["invocations"][0]["executionSuccessful"]


def test_sarif_escapes_what_its_messages_would_act_on():
    folder = hostile_tree()
    run, _ = sarif_of(os.path.join(folder, "tensor.safetensors"))
    text = run["results"][0]["message"]["text"]
    assert "\\]\\]>" in text and "{{0}}" in text and "\n" not in text and "\x1b" not in text, text


def test_sarif_rules_name_the_advisories_they_answer():
    write(os.path.join(ROOT, "config.json"), b'{"_attn_implementation": "a/b", "trust_remote_code": true}')
    run, _ = sarif_of("config.json")
    rules = {r["id"]: r for r in run["tool"]["driver"]["rules"]}
    many, one = rules["config-remote-code"], rules["config-trust-flag"]
    assert many["properties"]["references"] == ["CVE-2026-4372", "CVE-2026-5241"] and many["helpUri"].endswith("#config-remote-code"), many
    assert "CVE-2026-4372" in many["help"]["text"], many
    assert one["helpUri"] == "https://nvd.nist.gov/vuln/detail/CVE-2026-5241", one
    write(os.path.join(ROOT, "nan-alone.safetensors"), NAN)
    run, _ = sarif_of("nan-alone.safetensors")
    none, = run["tool"]["driver"]["rules"]
    assert "references" not in none["properties"], none
    page, anchor = none["helpUri"].removeprefix(run["tool"]["driver"]["informationUri"] + "/").split("#")
    with open(os.path.join(os.path.dirname(os.path.dirname(OPTIONS["schema"])), page), encoding="utf-8") as f:
        assert anchor == "weights-nan" and "\n#### weights-nan\n" in f.read(), none


def test_a_fingerprint_stays_when_the_file_changes_and_differs_when_the_finding_does():
    path = os.path.join(ROOT, "fp.safetensors")
    prints = []
    for data in (safetensors_of({"a": ("F32", [1], b"\0\0\xc0\x7f")}),
                 safetensors_of({"_": ("F32", [1], b"\0\0\x80\x3f"), "a": ("F32", [1], b"\0\0\xc0\x7f")}),
                 safetensors_of({"b": ("F32", [1], b"\0\0\xc0\x7f")})):
        write(path, data)
        run, _ = sarif_of(path)
        prints.append(run["results"][0]["partialFingerprints"])
    assert prints[0] == prints[1] != prints[2], prints


def test_findings_alike_have_fingerprints_of_their_own():
    write(os.path.join(ROOT, "twins.zip"), b"")
    import zipfile
    with zipfile.ZipFile(os.path.join(ROOT, "twins.zip"), "w") as z:
        for name in ("../a", "../b"):
            z.writestr(name, b"x")
    run, _ = sarif_of("twins.zip")
    hashes = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
    assert len(hashes) > 1 and len(set(hashes)) == len(hashes), hashes


def test_what_could_not_be_examined_makes_an_execution_unsuccessful():
    run, done = sarif_of("nowhere")
    invocation = run["invocations"][0]
    assert done.returncode == 2 and not invocation["executionSuccessful"] and invocation["exitCode"] == 2
    note = invocation["toolExecutionNotifications"][0]
    assert "input-unreadable" in note["message"]["text"] and note["level"] == "error"


def test_junit_is_xml_with_a_case_for_each_file_whatever_its_name():
    folder = hostile_tree()
    write(os.path.join(folder, "fine.safetensors"), GOOD)
    done = scan("--format", "junit", folder, "nowhere")
    suite = ET.fromstring(done.stdout).find("testsuite")
    cases = suite.findall("testcase")
    assert len(cases) == len(HOSTILE) + 3 == int(suite.get("tests")), suite.attrib
    failed = [c for c in cases if c.find("failure") is not None]
    assert len(failed) == len(HOSTILE) + 1 == int(suite.get("failures"))
    assert [c.get("name") for c in cases if c.find("error") is not None] == ["nowhere"]
    assert not [c for c in cases if c.find("failure") is not None and not c.find("failure").text.strip()]


def test_junit_fails_what_fail_on_says():
    write(os.path.join(ROOT, "nan.safetensors"), NAN)
    for fail_on, n in (("review", "1"), ("reject", "0"), ("never", "0")):
        done = scan("--format", "junit", "--fail-on", fail_on, "nan.safetensors")
        assert ET.fromstring(done.stdout).find("testsuite").get("failures") == n, (fail_on, done)
        assert done.returncode == int(n)


def commands_in(text):
    """What GitHub's runner would act on: a command at the start of a line, outside of what is stopped; and the old
    spelling anywhere."""
    token, found = None, []
    for line in text.split("\n"):
        stripped = line.lstrip()
        if token is not None:
            token = None if stripped.startswith(f"::{token}::") else token
            continue
        stop = re.match(r"::stop-commands::(\w+)$", stripped)
        if stop:
            token = stop.group(1)
        elif stripped.startswith("::") or "##[" in line:
            found.append(stripped)
    assert token is None, "commands were stopped and never resumed"
    return found


def test_github_gets_an_annotation_for_each_file_and_no_other_command():
    folder = hostile_tree()
    write(os.path.join(folder, "fine.safetensors"), GOOD)
    text = scan("--format", "github", "--verbose", folder).stdout.decode()
    found = commands_in(text)
    assert len(found) == len(HOSTILE) + 1, found
    for line in found:
        head, _, message = line[2:].partition("::")
        assert re.fullmatch(r"(error|warning) file=[^,:\n\r]*,title=weighlock%3A (reject|review)", head), line
        assert "\r" not in message and message, line
    token = re.findall(r"::stop-commands::(\w+)", text)
    again = re.findall(r"::stop-commands::(\w+)", scan("--format", "github", folder).stdout.decode())
    assert len(token) == len(again) == 1 and token != again and len(token[0]) >= 32


def test_github_adds_a_table_to_the_job_s_summary():
    folder = hostile_tree()
    summary = os.path.join(ROOT, "summary.md")
    write(summary, b"before\n")
    scan("--format", "github", folder, GITHUB_STEP_SUMMARY=summary)
    with open(summary, encoding="utf-8") as f:
        text = f.read()
    rows = [line for line in text.splitlines() if line.startswith("| re")]
    assert text.startswith("before\n### weighlock\n") and len(rows) == len(HOSTILE) + 1, text
    for row in rows:
        assert row.count("|") == 5 and not re.search(r"[<>`\[\]\\*_]", row), row


def test_a_document_appears_whole_or_not_at_all():
    path = os.path.join(ROOT, "whole.sarif")
    write(path, b"as it was")
    big = os.path.join(ROOT, "big")
    os.makedirs(big, exist_ok=True)
    for i in range(400):
        write(f"{big}/{i}.safetensors", NAN)
    p = subprocess.Popen([WEIGHLOCK, "scan", "--format", "sarif=" + path, "-j", "1", big, "-"], env=environment(),
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert awaits_input(p)
    p.send_signal(signal.SIGTERM)
    assert p.wait(60) == 143
    with open(path, "rb") as f:
        assert f.read() == b"as it was"
    assert not [n for n in os.listdir(ROOT) if n.startswith("whole.sarif.")]


def test_a_document_keeps_the_mode_and_the_link_of_the_file_it_replaces():
    path, link = os.path.join(ROOT, "mode.sarif"), os.path.join(ROOT, "link.sarif")
    write(path, b"")
    os.chmod(path, 0o640)
    os.symlink("mode.sarif", link)
    scan("--format", "sarif=" + link, "good.safetensors")
    assert os.path.islink(link) and os.stat(path).st_mode & 0o777 == 0o640 and os.path.getsize(path) > 0


def test_a_report_that_cannot_be_written_is_told_before_and_after_the_scan():
    done = scan("--format", "sarif=nowhere/o.sarif", "good.safetensors")
    assert done.returncode == 4 and b"cannot write nowhere/o.sarif" in done.stderr and done.stdout == b"", done
    done = scan("--format", "sarif=/dev/full", "good.safetensors")
    assert done.returncode == 2 and b"cannot write /dev/full" in done.stderr, done


def test_reports_being_written_into_the_scanned_folder_are_not_scanned():
    folder = os.path.join(ROOT, "own")
    os.makedirs(folder)
    write(os.path.join(folder, "good.safetensors"), GOOD)
    done = scan("--format", "json=own/o.json", "--format", "sarif=own/o.sarif", "own")
    assert done.returncode == 0, done
    with open(os.path.join(folder, "o.json"), encoding="utf-8") as f:
        assert [json.loads(line)["file"]["name"] for line in f] == ["own/good.safetensors"]


def test_quiet_keeps_accepted_files_from_people_and_not_from_reports():
    done = scan("-q", "--format", "text", "--format", "junit=q.xml", "good.safetensors")
    assert done.stdout.startswith(b"1 file: 1 accepted,"), done.stdout  # the totals alone
    assert ET.parse(os.path.join(ROOT, "q.xml")).getroot().get("tests") == "1"


def names_of(*arguments):
    done = scan("--format", "json", *arguments)
    return [json.loads(line)["file"]["name"] for line in done.stdout.splitlines()], done


def test_include_and_exclude_choose_below_folders_and_not_what_is_named():
    folder = os.path.join(ROOT, "chosen")
    for name in ("a.safetensors", "b.md", "sub/c.safetensors", "sub/deep/d.md", ".git/e.safetensors"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), GOOD)
    for arguments, expected in (
            (["--include", "*.safetensors"], [".git/e.safetensors", "a.safetensors", "sub/c.safetensors"]),
            (["--exclude", ".git"], ["a.safetensors", "b.md", "sub/c.safetensors", "sub/deep/d.md"]),
            (["--exclude", "sub/*", "--exclude", ".git"], ["a.safetensors", "b.md"]),
            (["--include", "*.md", "--exclude", "deep"], ["b.md"]),
            (["--include", "sub/*"], ["sub/c.safetensors", "sub/deep/d.md"])):
        got, _ = names_of(*arguments, "chosen")
        assert got == ["chosen/" + n for n in expected], (arguments, got)
    got, _ = names_of("--exclude", "*", "chosen/b.md")
    assert got == ["chosen/b.md"]
    assert b"1 left out by --include or --exclude" in scan("--exclude", ".git", "chosen").stdout
    assert scan("--exclude", "*", "chosen").returncode == 3


try:
    tap.main(globals())
finally:
    remove(ROOT)
