"""Our metrics and alert rules beside promtool, Prometheus' own checker."""
import os
import re
import subprocess
import tempfile

import tap
from daemon import Daemon
from foreign import OPTIONS, WEIGHLOCKD, need, run

RULES = os.path.join(OPTIONS["source"], "recipes", "prometheus-alerts.yml")
RULES_TESTS = [os.path.join(OPTIONS["source"], "tests", "integrations", name)
               for name in ("prometheus-alerts.yml", "prometheus-alerts-week.yml")]
RUNBOOK = os.path.join(OPTIONS["source"], "docs", "runbook.md")
STATE = "store: on\naudit: on\nstate_dir: {}\n"


def check(text):
    """What promtool has to say; empty when all is well."""
    done = subprocess.run([need("promtool"), "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60)
    assert (done.returncode == 0) == (not done.stdout), done
    return done.stdout.decode()


def metrics_of(d):
    return d.get("/metrics")[2]


def test_the_metrics_are_as_prometheus_wants_them():
    with Daemon(WEIGHLOCKD) as d:
        assert check(metrics_of(d)) == ""
        d.scan(b"no model", "?name=a.gguf")
        assert check(metrics_of(d)) == ""


def test_those_of_a_daemon_that_keeps_reports_too():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with Daemon(WEIGHLOCKD, config=STATE.format(folder)) as d:
            text = metrics_of(d)
            assert b"weighlock_keeper_up" in text and check(text) == ""


def test_promtool_would_tell():
    with Daemon(WEIGHLOCKD) as d:
        text = metrics_of(d)
    assert check(re.sub(rb"# HELP weighlock_slots .*\n", b"", text))
    assert check(text.replace(b"weighlock_requests_total", b"weighlock_requests"))


def test_the_alert_rules_are_sound():
    done = run(need("promtool"), "check", "rules", RULES)
    assert done.returncode == 0, done


def test_the_alerts_fire_when_they_should():
    done = run(need("promtool"), "test", "rules", *RULES_TESTS)
    assert done.returncode == 0, done.stdout.decode()


def test_every_alert_is_tested_and_asks_for_metrics_that_exist():
    with open(RULES, encoding="utf-8") as f:
        rules = f.read()
    tests = ""
    for path in RULES_TESTS:
        with open(path, encoding="utf-8") as f:
            tests += f.read()
    names = set(re.findall(r"alert: (\w+)", rules))
    assert len(names) > 10 and names == set(re.findall(r"alertname: (\w+)", tests))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with Daemon(WEIGHLOCKD, config=STATE.format(folder)) as d:
            there = set(re.findall(r"^(weighlock_\w+)", metrics_of(d).decode(), re.M))
    expressions = re.sub(r"^\s*(summary|description|runbook):.*$|#.*$", "", rules, flags=re.M)
    asked = set(re.findall(r"\bweighlock_\w+", expressions))
    assert asked and asked <= there, asked - there


def test_every_alert_leads_to_a_heading_of_the_runbook():
    with open(RULES, encoding="utf-8") as f:
        anchors = re.findall(r'runbook: "docs/runbook.md#([a-z0-9-]+)"', f.read())
    with open(RUNBOOK, encoding="utf-8") as f:
        headings = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", f.read(), re.M)}
    assert anchors and set(anchors) <= headings, set(anchors) - headings


tap.main(globals())
