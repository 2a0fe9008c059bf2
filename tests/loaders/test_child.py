"""The harness of this folder keeps what it promises: limits hold, a canary is seen, nothing is reached, all ends."""
import os
import pickle
import signal

import child
import tap

MIB = child.MIB


def small(**more):
    return child.Limits(**{"memory_bytes": 256 * MIB, "cpu_s": 2, "written_bytes": MIB, "wall_s": 20, **more})


def once(case, loader=child.DEBIAN, data=b"", setup="", **options):
    child.need(loader)
    return child.run(loader, case, data=data, setup=setup, **{"limits": small(), **options})


def test_a_snippet_gives_its_value():
    result = once("value = len(data)", data=b"abc")
    assert result.loaded and result.value == 3 and not result.canary and not result.events, result


def test_a_function_is_a_snippet_too():
    def load(data):
        return list(data)
    assert once(load, data=b"\x01\x02").value == [1, 2]


def test_an_exception_is_an_answer():
    result = once("1 / 0")
    assert result.status == 0 and not result.loaded and result.error.startswith("ZeroDivisionError"), result


def test_a_canary_is_seen():
    assert once("open('canary', 'w')").canary
    assert once("import os; os.system('touch canary')").canary


def test_a_canary_of_a_pickle_is_seen_and_the_next_case_has_none():
    class Evil:
        def __reduce__(self):
            return os.system, ("touch canary",)
    with child.Server(child.DEBIAN, "import pickle", "pickle.loads(data)", small()) as server:
        assert server.run(pickle.dumps(Evil())).canary
        assert not server.run(pickle.dumps([1])).canary


def test_a_memory_bomb_ends():
    result = once("x = bytearray(1 << 30)")
    assert result.error.startswith("MemoryError") and result.peak_bytes < 256 * MIB, result
    result = once("x = []\nwhile True: x.append(bytes(1 << 20))")
    assert not result.loaded and result.peak_bytes < 512 * MIB, result


def test_an_endless_loop_ends():
    result = once("while True: pass")
    assert result.signal in (signal.SIGXCPU, signal.SIGKILL) and not result.loaded, result


def test_who_sleeps_is_killed():
    result = once("import time; time.sleep(600)", limits=small(wall_s=1))
    assert result.timed_out and result.signal == signal.SIGKILL, result


def test_a_large_file_cannot_be_written():
    result = once("f = open('x', 'wb')\nfor i in range(64): f.write(bytes(1 << 20)); f.flush()")
    assert result.error.startswith("OSError") or result.signal == signal.SIGXFSZ, result


def test_nothing_a_case_started_outlives_it():
    if not child.jail():
        raise tap.Skip("no namespaces here: only limits hold")
    starts = b"value = os.fork()\nif value == 0:\n os.setsid()\n os.closerange(0, 9)\n time.sleep(600)"
    with child.Server(child.DEBIAN, "import os, time", "exec(data)", small()) as server:
        started = server.run(starts)
        assert started.value > 1, started
        assert server.run(f"os.kill({started.value}, 0)".encode()).error.startswith("ProcessLookupError")


def test_a_fork_bomb_ends():
    if not child.jail():
        raise tap.Skip("no namespaces here: only limits hold")
    bomb = "import os\nfor i in range(6): os.fork()\nimport time; time.sleep(600)"
    result = once(bomb, limits=small(wall_s=1))
    assert result.timed_out, result


def test_the_network_is_not_there():
    if not child.jail():
        raise tap.Skip("no namespaces here: the network is not cut off")
    result = once("import socket\nvalue = [n for _, n in socket.if_nameindex()]\n"
                  "socket.create_connection(('127.0.0.1', 9), 1)")
    assert result.value is None or result.value == ["lo"], result
    assert result.error.startswith("OSError") and "unreachable" in result.error, result


def test_environment_and_descriptors_are_empty():
    os.environ["SECRET_OF_THE_TEST"] = "x"
    with open(__file__, "rb") as f:
        os.set_inheritable(f.fileno(), True)
        result = once("import os\nvalue = [sorted(os.environ), len(os.listdir('/proc/self/fd'))]")
    assert "SECRET_OF_THE_TEST" not in result.value[0] and len(result.value[0]) <= 6, result
    assert result.value[1] <= 5, result                      # 0, 1, 2, the answer and the listing's own


def test_output_is_bounded_and_heard():
    result = once("import sys\nprint('x' * 1000000)\nsys.stderr.write('last words')", limits=small(written_bytes=4 * MIB))
    assert len(result.out) == child.OUTPUT_MAX and result.err.endswith(b"last words"), (len(result.out), result.err)


def test_a_case_that_ends_its_process_is_heard_of():
    assert once("import os; os._exit(3)").status == 3
    assert once("import os; os.kill(os.getpid(), 11)").signal == signal.SIGSEGV


def test_audit_events_are_recorded():
    result = once("import os; os.system('touch canary')", setup="import os", watch=child.Watch())
    assert result.canary and ["os.system", "touch canary"] in result.events, result
    assert not once("value = 1", watch=child.Watch()).events


def test_a_stopped_event_does_nothing():
    result = once("import os; os.system('touch canary')", setup="import os", watch=child.Watch(stop=True))
    assert result.status == child.STOPPED and not result.canary and result.events[0][0] == "os.system", result


def test_an_import_is_recorded_once_and_an_allowed_one_not():
    watch = child.Watch()
    assert once("import colorsys", watch=watch).events == [["import", "colorsys"]]
    assert once("import colorsys", watch=child.Watch(allow={"import": ["colorsys"]})).events == []


def test_a_file_outside_is_recorded_and_the_own_not():
    result = once("open('/etc/hostname').close()", watch=child.Watch())
    assert result.events == [["open", "/etc/hostname"]], result
    with child.Server(child.DEBIAN, "", "open(path).close()", small(), child.Watch()) as server:
        assert not server.run(path=__file__).events


def test_the_server_survives_what_cases_do():
    with child.Server(child.DEBIAN, "import os", "exec(data)", small(wall_s=2)) as server:
        for snippet in (b"os.abort()", b"os.kill(os.getppid(), 15)", b"bytearray(1 << 40)", b"os.close(3)",
                        b"raise SystemExit"):
            server.run(snippet)
        assert server.run(b"value = 1").loaded


def test_one_of_many_is_found():
    cases = [b"value = 1"] * 20
    with child.Server(child.DEBIAN, "import os", "exec(data)", small(), child.Watch(allow={"exec": ["<string>"]})) as server:
        assert server.run_many(cases) == [None] * 20
        assert server.run_many([b"1 / 0"] * 3) == [None] * 3
        for bad in (b"os.system('touch canary')", b"os._exit(0)", b"os.abort()", b"x = bytes(1 << 30)",
                    b"x = b'x' * (200 << 20)"):
            results = server.run_many(cases + [bad], suspicious_bytes=100 * MIB)
            assert all(r is not None for r in results) and results[0].value == 1, bad


if __name__ == "__main__":
    tap.main(globals())
