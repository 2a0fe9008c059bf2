#!/usr/bin/python3
"""rules.py [WEIGHLOCK]: docs/rules.md from the table of findings, on standard output.

    docs/rules.py build/cli/weighlock > docs/rules.md
"""
import json
import subprocess
import sys

HEAD = """# What can be found

Written by `docs/rules.py` from `weighlock rules --format json`; change a folder's `findings.txt`
(`lib/core/tables.py`) instead.
Codes are permanent. Policy `default` rejects critical and high, asks for review at medium, and accepts low and info;
other policies and your own rules may decide otherwise: weighlock.policy(5).
"""
FAMILIES = (("safetensors-", "safetensors"), ("pickle-", "Pickle"), ("torch-", "PyTorch"), ("npy-", "NumPy"), ("npz-", "NumPy"),
            ("zip-", "ZIP"), ("tar-", "tar"), ("wrapper-", "Compressed files"), ("gz-", "Compressed files"),
            ("archive-", "Archives that are only named"), ("weights-", "Weights"), ("polyglot-", "Polyglots"),
            ("limit-", "Limits"), ("", "Formats"))


def family(code):
    return next(title for prefix, title in FAMILIES if code.startswith(prefix))


def cell(text):
    return text.replace("|", "\\|").replace("__", "\\_\\_")


def table(rules):
    yield "| code | severity | class | what is wrong |"
    yield "|---|---|---|---|"
    for r in rules:
        yield f"| [{r['code']}](#{r['code']}) | {r['severity']} | {r['class']} | {cell(r['title'])} |"


def references(rule):
    """The lists of advisories give each number a page."""
    links = {"CVE": "https://nvd.nist.gov/vuln/detail/", "GHSA": "https://github.com/advisories/"}
    numbers = ", ".join(f"[{n}]({links[n.split('-')[0]]}{n})" for n in rule["references"])
    return f" *Answers:* {numbers}." if numbers else ""


def details(rules):
    for r in rules:
        yield f"#### {r['code']}"
        yield ""
        yield f"{cell(r['why'])} **Fix:** {cell(r['fix'])} *Rule:* {cell(r['clause'])}.{references(r)}"
        yield ""


def page(rules):
    yield HEAD
    for title in dict.fromkeys(title for _, title in FAMILIES):
        some = [r for r in rules if family(r["code"]) == title]
        yield f"## {title}"
        yield ""
        yield from table(some)
        yield ""
        yield from details(some)


def main():
    weighlock = sys.argv[1] if len(sys.argv) > 1 else "weighlock"
    rules = json.loads(subprocess.check_output([weighlock, "rules", "--format", "json"]))["rules"]
    print("\n".join(page(rules)).rstrip())


main()
