"""What every Python test program shares: functions named test_* become TAP lines, so `meson test` counts each.

    import tap

    def test_full_daemon_answers_503(): ...

    tap.main(globals())

A test fails by raising; raise tap.Skip("why") where the surroundings cannot do it.  Behind each line stands what it
took, for whoever looks for the seconds of a run: those that passed, and those that a processor was busy.

Tests that mostly wait need not wait for each other: main(globals(), at_once=4) runs each in a process of its own, so
many at a time, and prints them as they end.  What a test leaves in the program's variables is lost then.
"""
import json
import os
import select
import sys
import time
import traceback


class Skip(Exception):
    pass


def clocks():
    """Seconds that passed, and seconds of CPU of this process and of what it waited for."""
    return time.monotonic(), sum(os.times()[:4])


def outcome(function):
    """[passed?, what stands behind the test's name, lines below it]"""
    begin = clocks()
    passed, behind, lines = True, "", []
    try:
        function()
    except Skip as why:
        behind = f" # SKIP {why}"
    except BaseException as e:  # noqa: BLE001 - one test's end is not the program's
        if isinstance(e, KeyboardInterrupt):
            raise
        passed, lines = False, traceback.format_exc().splitlines()
    seconds, busy = (now - then for now, then in zip(clocks(), begin))
    return [passed, behind, lines + [f"{seconds:.1f} s, {busy:.1f} s of CPU"]]


def in_a_child(function):
    """Begin it: the process, and the pipe on which it will say how it went."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(w, "w", encoding="utf-8") as pipe:
            json.dump(outcome(function), pipe)
        sys.stdout.flush()
        os._exit(0)
    os.close(w)
    return pid, os.fdopen(r, encoding="utf-8")


def of_child(pid, pipe):
    """What it said, or that it ended before it could."""
    with pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return json.loads(said) if said and status == 0 else [False, "", [f"its process ended: {status}"]]


def outcomes(tests, at_once):
    """(name, outcome) of each, in the order in which they end."""
    if at_once == 1:
        yield from ((name, outcome(function)) for name, function in tests)
        return
    tests, running = list(tests), {}
    while tests or running:
        while tests and len(running) < at_once:
            name, function = tests.pop(0)
            pid, pipe = in_a_child(function)
            running[pipe] = name, pid
        for pipe in select.select(list(running), [], [])[0]:
            name, pid = running.pop(pipe)
            yield name, of_child(pid, pipe)


def main(names, only=None, at_once=1):
    tests = [(n, f) for n, f in names.items() if n.startswith("test_") and callable(f)]
    if only:
        tests = [(n, f) for n, f in tests if only in n]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for i, (name, (passed, behind, lines)) in enumerate(outcomes(tests, at_once), 1):
        failed += not passed
        print(f"{'ok' if passed else 'not ok'} {i} - {name}{behind}", flush=True)
        for line in lines:
            print(f"# {line}", flush=True)
    sys.exit(1 if failed else 0)
