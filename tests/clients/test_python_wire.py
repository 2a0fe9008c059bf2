"""The protocol without I/O: an answer is one only if it is whole, and says one thing."""
import json
import os

import tap
from python_support import GOOD
from server import PROGRESS, busy, plain, stream, verdict
from weighlock import _wire

WHOLE = stream(PROGRESS, verdict(GOOD))


def fed(answer, step=65536, line_max=1 << 20):
    """An Answer that got all of it and the end of the connection; Broken where it is none."""
    a = _wire.Answer(line_max)
    for at in range(0, len(answer), step):
        a.feed(answer[at:at + step])
        if a.done:
            return a
    a.feed(b"")
    return a


def is_broken(answer):
    try:
        a = fed(answer)
        return a.problem() is not None
    except _wire.Broken:
        return True


def test_an_answer_is_the_same_however_it_comes():
    for step in (1, 2, 7, len(WHOLE)):
        a = fed(WHOLE, step)
        assert a.problem() is None and a.documents == [json.loads(verdict(GOOD))], step


def test_an_answer_that_is_cut_anywhere_is_none():
    for n in range(len(WHOLE)):
        assert is_broken(WHOLE[:n]), n
    body = plain(verdict(GOOD))
    for n in range(len(body)):
        assert is_broken(body[:n]), n


def test_what_is_no_answer():
    twice = verdict(GOOD).replace('"verdict": "accept"', '"verdict": "reject", "verdict": "accept"')
    for name, answer in {
            "not JSON": stream("accept"), "a list": stream("[1]"), "nothing": stream(), "progress only": stream(PROGRESS),
            "a name twice": stream(twice), "garbage": b"\x00\xff" * 5000, "an endless head": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 50000,
            "many headers": b"HTTP/1.1 200 OK\r\n" + b"".join(b"x%d: %s\r\n" % (i, b"y" * 99) for i in range(5000)),
            "an endless line": stream("x" * (3 << 20)), "no length": b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n",
            "two lengths": plain(verdict(GOOD)).replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n"),
            "length and coding": WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n").replace(b"chunked", b"gzip"),
            "a wrong chunk": WHOLE.replace(b"0\r\n\r\n", b"zz\r\n\r\n"), "a longer chunk": WHOLE.replace(b"}\n\r\n", b"}\nx\r\n"),
            "a trailer": WHOLE.replace(b"0\r\n\r\n", b"0\r\na: b\r\n\r\n"), "HTTP/1.0": WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0"),
            "another status": WHOLE.replace(b"200 OK", b"201 OK"), "a refusal with a verdict": plain(verdict(GOOD), "accept", "500 Oops"),
            "header and body": plain(verdict(GOOD, "reject"), "accept"), "no last line end": stream(PROGRESS)[:-5] + b"2\r\n{}\r\n0\r\n\r\n",
            "progress with a verdict": stream('{"event":"x","verdict":"accept"}', verdict(GOOD)),
            "progress behind it": stream(verdict(GOOD), PROGRESS), "deep": stream("[" * 100000)}.items():
        assert is_broken(answer), name


def test_problems_say_whether_to_ask_again():
    problem = fed(busy(7)).problem()
    assert (problem.status, problem.type, problem.later, problem.after) == (503, "busy", True, 7.0), problem
    late = fed(stream(PROGRESS, busy().split(b"\r\n\r\n")[1].decode())).problem()
    assert late.status == 503 and late.later, late


def test_a_list_of_a_hundred_mebibytes_takes_time_in_proportion():
    """Copying what was held with each piece that comes would take hours."""
    line = json.dumps({"verdict": "accept", "tensors": ["x" * 1000] * 100000})
    assert len(fed(stream(line), line_max=1 << 30).documents[0]["tensors"]) == 100000


def test_descriptors_are_spread_over_messages_with_a_byte_each():
    for n in (1, 2, 253, 254, 506, 507, 1024):
        messages = _wire.scan(list(range(n)), [f"f{i}" for i in range(n)], policy="ci")
        assert [fd for _, fds in messages for fd in fds] == list(range(n)) and all(data and len(fds) <= 253 for data, fds in messages)
        head, body = b"".join(data for data, _ in messages).split(b"\r\n\r\n")
        assert f"n={n}\r\n".encode() in head + b"\r\n" and len(json.loads(body)["members"]) == n, n


def test_names_go_out_as_the_interface_takes_them():
    assert _wire.shown("a" * 2000) == "a" * 1024 and _wire.shown("ä" * 1024) == "ä" * 512
    assert _wire.shown(os.fsdecode(b"a\xffb")) == "a\\udcffb" and _wire.shown("") == "-"
    head = _wire.scan([0], None, name="ä &=\r\n?#%/", policy=None)[0][0].split(b"\r\n")[0]
    assert head == b"POST /v1/scan?name=%C3%A4%20%26%3D%0D%0A%3F%23%25%2F HTTP/1.1", head


tap.main(globals())
