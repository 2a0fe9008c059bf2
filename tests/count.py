#!/usr/bin/python3
"""count.py JUNIT.xml...: the last line of ./dev test, from what meson recorded.

A test program that printed no single result (crashed, timed out) counts as one failure; no test at all is a
failure too, so that an empty suite is never green.
"""
import sys
import xml.etree.ElementTree as ET


def count(path):
    passed = failed = skipped = 0
    for suite in ET.parse(path).getroot().iter("testsuite"):
        cases = list(suite.iter("testcase"))
        for case in cases:
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                print(f"FAILED {suite.get('name')}: {case.get('name')}")
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
        broken = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        if broken and not any(c.find("failure") is not None or c.find("error") is not None for c in cases):
            failed += 1
            print(f"FAILED {suite.get('name')}: the program itself")
    return passed, failed, skipped


def main():
    totals = [sum(column) for column in zip(*(count(path) for path in sys.argv[1:]))]
    passed, failed, skipped = totals
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed or not passed else 0)


main()
