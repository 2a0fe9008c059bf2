"""What every Python test program shares: functions named test_* become TAP lines, so `meson test` counts each.

    import tap

    def test_full_daemon_answers_503(): ...

    tap.main(globals())

A test fails by raising; raise tap.Skip("why") where the surroundings cannot do it.
"""
import sys
import traceback


class Skip(Exception):
    pass


def main(names, only=None):
    tests = [(n, f) for n, f in names.items() if n.startswith("test_") and callable(f)]
    if only:
        tests = [(n, f) for n, f in tests if only in n]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for i, (name, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {i} - {name}", flush=True)
        except Skip as why:
            print(f"ok {i} - {name} # SKIP {why}", flush=True)
        except BaseException as e:  # noqa: BLE001 - one test's end is not the program's
            if isinstance(e, KeyboardInterrupt):
                raise
            failed += 1
            print(f"not ok {i} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}", flush=True)
    sys.exit(1 if failed else 0)
