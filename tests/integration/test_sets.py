"""Several files in one request, and lists of tensors: what is answered, what is refused, and what it costs the front."""
import contextlib
import hashlib
import json
import os
import select
import socket
import struct
import tempfile
import threading
import time

import external
import tap
from daemon import Daemon, descendants, metric, model, options, read_reply, send_fds, until

OPTIONS = options()
SANITIZED = OPTIONS.get("sanitized") == "true"
FAKE = f"worker: {OPTIONS['fake_worker']}\nworkers: 2\n"
NDJSON = "Accept: application/x-ndjson\r\n"


def memfd(data):
    fd = os.memfd_create("test")
    os.write(fd, data)
    return fd


def mode(text):
    return memfd(f"MODE:{text}\n".encode())


def shard(tensors):
    """A safetensors file of the named tensors, four bytes each."""
    header = {name: {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i, name in enumerate(tensors)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + struct.pack("<f", 0.5) * len(tensors)


def close(fds):
    for fd in fds:
        os.close(fd)


def set_digest(files):
    """sha256sum -z -- FILES | LC_ALL=C sort -z -k2 | sha256sum"""
    lines = [hashlib.sha256(data).hexdigest().encode() + b"  " + name.encode() + b"\0" for name, data in files.items()]
    return hashlib.sha256(b"".join(sorted(lines, key=lambda line: line[66:]))).hexdigest()


def front_of(d):
    """The pid of the daemon's front: the child whose name is the daemon's."""
    for pid in descendants(d.process.pid):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            if f.read().startswith("weighlockd"):
                return pid
    raise AssertionError("no front")


def peak_kib(d):
    with open(f"/proc/{front_of(d)}/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def idle(d):
    """Nothing runs, waits or is held."""
    return all(metric(d, name) == 0 for name in
               ("scans_running", "queue_waiting", "queue_admitted", "client_descriptors", "spool_bytes"))


def sets(d, verdict):
    return metric(d, f'sets_total{{verdict="{verdict}"}}')


# -- what is answered --

def test_a_set_has_a_verdict_for_each_file_in_the_order_of_the_request_and_one_for_itself():
    files = {"b.safetensors": model(100), "a.safetensors": model(200), "sub/c.safetensors": model(300)}
    with Daemon(OPTIONS["weighlockd"]) as d:
        fds = [memfd(data) for data in files.values()]
        status, headers, answer = d.scan_set(fds, list(files), "?name=folder")
        close(fds)
        assert status == 200 and headers["weighlock-verdict"] == "accept", (status, headers)
        assert answer["schema"] == "weighlock.set/1" and answer["verdict"] == "accept" and answer["complete"], answer
        assert answer["name"] == "folder" and list(answer)[-1] == "files"
        assert [f["file"]["name"] for f in answer["files"]] == list(files)
        assert [f["file"]["sha256"] for f in answer["files"]] == [hashlib.sha256(v).hexdigest() for v in files.values()]
        assert [m["name"] for m in answer["members"]] == sorted(files)
        assert answer["sha256"] == set_digest(files), answer["sha256"]
        assert sets(d, "accept") == 1 and sets(d, "reject") == 0
        assert [line for line in d.read_log().splitlines() if "set=accept" in line and "files=3" in line], d.read_log()
        assert until(lambda: idle(d))


def test_a_stream_has_a_line_for_each_file_as_it_is_done_and_the_set_last():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "progress_seconds: 1\n") as d:
        fds = [mode("sleep"), mode("honest"), mode("honest")]
        lines = d.stream_set(fds, ["slow.bin", "one.bin", "two.bin"])
        close(fds)
        verdicts = [line["file"]["name"] for line in lines if line.get("schema") == "weighlock.verdict/1"]
        assert verdicts == ["one.bin", "two.bin", "slow.bin"], lines
        assert lines[-1]["schema"] == "weighlock.set/1" and lines[-1]["verdict"] == "accept" and "files" not in lines[-1]
        progress = [line for line in lines if line.get("event") == "progress"]
        assert progress and progress[0]["name"] == "slow.bin" and progress[0]["files"] == 3, lines


def test_a_single_file_with_a_body_is_a_set_of_one_and_without_one_is_not():
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = memfd(model(10))
        assert d.scan_set([fd], ["a.safetensors"])[2]["schema"] == "weighlock.set/1"
        assert d.scan_fd(fd, "?name=a.safetensors")[2]["schema"] == "weighlock.verdict/1"
        os.close(fd)


def test_a_gate_is_shut_by_the_worst_file():
    with Daemon(OPTIONS["weighlockd"]) as d:
        fds = [memfd(model(10)), memfd(model(10) + b"trailing")]
        names = ["a.safetensors", "b.safetensors"]
        status, headers, answer = d.scan_set(fds, names, "?gate=1")
        assert (status, headers["weighlock-verdict"], answer["verdict"]) == (422, "reject", "reject"), answer
        assert [f["verdict"] for f in answer["files"]] == ["accept", "reject"]
        assert d.scan_set(fds[:1], names[:1], "?gate=1")[0] == 200
        assert sets(d, "reject") == 1
        close(fds)


def test_1024_files_come_in_five_messages():
    n = 1024
    data = model(64)
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = memfd(data)
        for _ in range(2):  # and once more: everything was given back
            status, _, answer = d.scan_set([fd] * n, [f"shard-{i:05}.safetensors" for i in range(n)])
            assert status == 200 and answer["verdict"] == "accept" and len(answer["files"]) == n, (status, str(answer)[:500])
        os.close(fd)
        assert metric(d, 'verdicts_total{verdict="accept"}') == 2 * n + 1, "the self-scan, and each file once a set"
        assert until(lambda: idle(d))


def split_model(n, per_shard):
    """An index and its shards: name -> bytes."""
    names = [f"model-{i:05}-of-{n:05}.safetensors" for i in range(1, n + 1)]
    files = {name: shard([f"layer.{i}.{t}" for t in range(per_shard)]) for i, name in enumerate(names)}
    index = {"metadata": {"total_size": 4 * n * per_shard},
             "weight_map": {f"layer.{i}.{t}": name for i, name in enumerate(names) for t in range(per_shard)}}
    return {"model.safetensors.index.json": json.dumps(index).encode(), **files}


def test_one_wrong_shard_of_200_is_found():
    with Daemon(OPTIONS["weighlockd"]) as d:
        files = split_model(200, 5)
        fds = [memfd(data) for data in files.values()]
        status, _, answer = d.scan_set(fds, list(files))
        assert status == 200 and answer["verdict"] == "accept", (answer["findings"], answer["scan"])
        wrong = list(files)[100]
        os.close(fds[100])
        fds[100] = memfd(shard(["layer.99.0", "layer.99.1", "layer.99.2", "layer.99.3", "layer.99.elsewhere"]))
        answer = d.scan_set(fds, list(files))[2]
        close(fds)
        assert {f["verdict"] for f in answer["files"]} == {"accept"}, "each of them is sound"
        assert answer["verdict"] != "accept", answer["findings"]
        assert wrong in json.dumps(answer["findings"]), answer["findings"]


# -- weights in other files --

def weights_of(d, files, query="", headers=""):
    fds = [memfd(data) for data in files.values()]
    answer = d.scan_set(fds, list(files), query, headers)[2]
    close(fds)
    return answer


def two_tensors(data, dtype=external.FLOAT, name="model.onnx"):
    """A model and the file its weights are in, which is sent first."""
    half = len(data) // 2
    return {"model.onnx_data": data,
            name: external.model(("model.onnx_data", 0, half), ("model.onnx_data", half, half), dtype=dtype)}


def test_weights_in_another_file_are_read_once_its_model_has_said_what_they_are():
    sound = two_tensors(external.floats(1000))
    with Daemon(OPTIONS["weighlockd"]) as d:
        before = metric(d, 'verdicts_total{verdict="accept"}')
        answer = weights_of(d, sound)
        assert answer["verdict"] == "accept" and answer["complete"] and answer["findings"] == [], answer
        data, onnx = answer["files"]
        assert (data["format"], data["verdict"], data["complete"]) == ("external-weights", "accept", True), data
        assert data["weights"]["tensors"] == 2 and data["weights"]["elements"] == 1000
        assert [f["code"] for f in onnx["findings"]] == ["weights-in-set"] and onnx["verdict"] == "accept", onnx
        assert answer["sha256"] == set_digest(sound)
        assert metric(d, 'verdicts_total{verdict="accept"}') == before + 2, "each file has one verdict"
        assert len([line for line in d.read_log().splitlines() if "verdict=" in line and "size=4000 " in line]) == 1
        answer = weights_of(d, two_tensors(external.floats(999) + external.NAN))
        assert answer["verdict"] == "review" and answer["reasons"] == ["member"], answer
        row = answer["files"][0]["weights"]["nonfinite"][0]
        assert (row["tensor"], row["nan"], row["first_offset"]) == ("w1", 1, 3996), row
        assert until(lambda: idle(d)), d.get("/metrics")


def test_two_models_make_two_things_of_the_same_bytes():
    data = external.floats(9) + external.NAN
    with Daemon(OPTIONS["weighlockd"]) as d:
        assert weights_of(d, two_tensors(data, external.INT))["verdict"] == "accept", "numbers of another kind"
        answer = weights_of(d, {**two_tensors(data, external.INT), **two_tensors(data, name="z.onnx")})
        assert answer["verdict"] == "review", answer["files"]
        assert [f["code"] for f in answer["files"][0]["findings"]] == ["weights-nan"], answer["files"][0]


def test_files_that_nobody_speaks_of_are_judged_as_ever():
    with Daemon(OPTIONS["weighlockd"]) as d:
        answer = weights_of(d, {"a.bin": external.floats(8), "b.safetensors": model(10), "c.bin": external.floats(8)})
        assert [f["verdict"] for f in answer["files"]] == ["review", "accept", "review"], answer
        assert [f["code"] for f in answer["files"][0]["findings"]] == ["format-unknown"], answer
        answer = weights_of(d, {**two_tensors(external.floats(8)), "c.bin": external.floats(8)})
        assert [f["verdict"] for f in answer["files"]] == ["accept", "accept", "review"], answer
        assert until(lambda: idle(d)), d.get("/metrics")


def test_a_stream_has_one_line_for_a_file_that_was_put_off():
    with Daemon(OPTIONS["weighlockd"]) as d:
        files = two_tensors(external.floats(64))
        fds = [memfd(data) for data in files.values()]
        lines = [line for line in d.stream_set(fds, list(files), "?tensors=1") if "schema" in line]
        close(fds)
        assert [line.get("file", {}).get("name") for line in lines] == ["model.onnx", "model.onnx_data", None], lines
        assert [t["name"] for t in lines[1]["tensors"]] == ["w0", "w1"] and lines[2]["verdict"] == "accept", lines
        assert until(lambda: idle(d)), d.get("/metrics")


def test_a_worker_puts_a_file_off_once_at_most():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for what, want in (("put-off", "accept"), ("put-off-always", "error")):
            fds = [mode(what), mode("honest"), mode(what)]
            answer = d.scan_set(fds, ["a", "b", "c"])[2]
            assert [f["verdict"] for f in answer["files"]] == [want, "accept", want], (what, answer)
            assert answer["verdict"] == want, (what, answer)
            assert want == "accept" or answer["files"][0]["scan"]["error"] == "worker-protocol", answer["files"][0]
            assert d.scan_fd(fds[0])[2]["verdict"] == want, "alone nobody has asked for it"
            close(fds)
        assert until(lambda: idle(d)), d.get("/metrics")


def test_a_client_that_leaves_takes_files_that_were_put_off_with_it():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for what, running in (("put-off-hang", 2), ("put-off", 1)):
            fds = [mode(what) for _ in range(50)] + [mode("honest" if running == 2 else "hang")]
            s = d.send_set(fds, [str(i) for i in range(51)])
            assert until(lambda n=running: metric(d, "scans_running") == n and metric(d, "client_descriptors") >= 50)
            s.close()
            close(fds)
            assert until(lambda: idle(d), 5), d.get("/metrics")


# -- what is refused --

def test_bodies_that_do_not_name_the_files_are_refused_and_nothing_stays_open():
    bad = {
        b"nonsense": 400, b"[]": 400, b"{}": 400, b'{"members":["a"]}': 400, b'{"members":["a","b","c"]}': 400,
        b'{"members":["a","a"]}': 400, b'{"members":["a",""]}': 400, b'{"members":["a",1]}': 400,
        b'{"members":["a","b\\n"]}': 400, b'{"members":["a","b\\u0000"]}': 400, b'{"members":["a","\xff"]}': 400,
        b'{"members":["a","b"],"more":1}': 400, b'{"members":["x","y"],"members":["a","b"]}': 400,
        b'{"members":["a","b"]} x': 400, b'{"members":{"a":"b"}}': 400,
        json.dumps({"members": ["a", "x" * 1025]}).encode(): 400,
        json.dumps({"members": ["a", "b"]}).encode() + b" " * (64 << 10): 413,
    }
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = memfd(model(10))
        for body, want in bad.items():
            status, _, problem = d.scan_set([fd, fd], [], body=body)
            assert status == want, (body[:60], status, problem)
        names = ["a", "b"]
        assert d.scan_set([fd, fd], names, content_type="text/plain")[0] == 415
        assert d.scan_set([fd, fd], names, content_type="Application/JSON; charset=utf-8")[0] == 200
        assert d.scan_set([fd, fd], names, "?sha256=" + "0" * 64)[0] == 400
        assert d.scan_set([fd, fd], names, "?tensors=1")[0] == 400
        assert d.scan_set([fd, fd], names, "?tensor_digests=1", NDJSON)[0] == 400
        assert d.scan_fd([fd, fd])[0] == 400, "no names"
        longest = json.dumps({"members": ["a", "x" * 1024]}).encode()
        assert d.scan_set([fd, fd], [], body=longest + b" " * ((64 << 10) - len(longest)))[0] == 200
        os.close(fd)
        assert until(lambda: idle(d)), d.get("/metrics")


def test_a_descriptor_nobody_could_read_refuses_the_set_by_its_number():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.NamedTemporaryFile() as f:
        good, bad = memfd(model(10)), os.open(f.name, os.O_PATH)
        status, _, problem = d.scan_set([good, good, bad], ["a", "b", "c"])
        assert status == 400 and "descriptor 3 of 3" in problem["detail"], problem
        close([good, bad])
        assert until(lambda: idle(d))


def test_what_is_no_regular_file_is_an_error_among_the_others():
    with Daemon(OPTIONS["weighlockd"], config="max_body: 100000\n") as d:
        fds = [memfd(model(10)), os.open("/tmp", os.O_RDONLY), memfd(model(200000)), memfd(model(20))]
        status, _, answer = d.scan_set(fds, ["a.safetensors", "folder", "large", "b.safetensors"])
        close(fds)
        assert status == 200 and answer["verdict"] == "error" and not answer["complete"], answer
        assert [f["verdict"] for f in answer["files"]] == ["accept", "error", "error", "accept"]
        assert [f["scan"].get("error") for f in answer["files"]] == [None, "input-unreadable", "limit-size", None]
        assert answer["sha256"] is None


def test_a_set_is_refused_when_the_queue_is_full_before_its_names_are_read():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "queue_max: 1\n") as d:
        held = d.send_set([mode("hang")], ["a"])
        assert until(lambda: metric(d, "scans_running") == 1)
        fd = mode("honest")
        status, _, problem = d.scan_set([fd, fd], ["a", "b"])
        assert status == 503 and problem["retry"] == "later", problem
        held.close()
        assert until(lambda: d.scan_set([fd, fd], ["a", "b"])[0] == 200)
        os.close(fd)


# -- what goes wrong on the way --

def test_a_file_whose_worker_dies_makes_the_set_an_error_and_can_be_sent_again():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for what, cause in (("crash-after", "worker-crashed"), ("seccomp", "worker-killed-seccomp"),
                            ("garbage", "worker-protocol"), ("unasked-row", "none")):
            fds = [mode("honest"), mode(what), mode("honest")]
            _, _, answer = d.scan_set(fds, ["a", "b", "c"])
            verdicts = [f["verdict"] for f in answer["files"]]
            if cause == "none":  # a set asks for rows
                assert verdicts == ["accept"] * 3 and answer["verdict"] == "accept", answer
            else:
                assert verdicts == ["accept", "error", "accept"], answer
                assert answer["verdict"] == "error" and answer["files"][1]["scan"]["error"] == cause, answer
            close(fds)
        fd = mode("unasked-row")
        assert d.scan_fd(fd)[2]["scan"]["error"] == "worker-protocol", "nobody asked for rows"
        os.close(fd)
        fd = mode("honest")
        assert d.scan_fd(fd, "?name=b")[2]["verdict"] == "accept", "alone"
        os.close(fd)


def test_a_limit_of_file_sizes_is_not_one_of_sets():
    data = model(10)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(f"version: 1\nname: small\nbase: default\nlimits:\n  file-size: {len(data)}\n")
        f.flush()
        os.chmod(f.name, 0o644)
        with Daemon(OPTIONS["weighlockd"], config=f"policies:\n  small: {f.name}\n") as d:
            fds = [memfd(data) for _ in range(50)]
            answer = d.scan_set(fds, [f"{i}.safetensors" for i in range(50)], "?policy=small")[2]
            assert answer["verdict"] == "accept", answer["scan"]
            close(fds)


def test_answers_on_one_connection_follow_each_other():
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = memfd(shard(["a", "b"]))
        body = b'{"members":["a.safetensors","b.safetensors"]}'
        heads = (b"POST /v1/scan?tensors=1 HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=1\r\n\r\n",
                 b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=2\r\nContent-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n" % len(body) + body,
                 b"POST /v1/scan?tensors=1 HTTP/1.1\r\nHost: x\r\nWeighlock-Source: fd; n=2\r\nContent-Type: application/json\r\n"
                 b"Accept: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        s = d.connect()
        for _ in range(3):
            for i, head in enumerate(heads):
                send_fds(s, [head], [fd] * (2 if i else 1))
                status, _, text = read_reply(s)
                assert status == 200 and json.loads(text.splitlines()[-1])["verdict"] == "accept", (i, status, text)
        s.close()
        os.close(fd)


def test_a_worker_that_dies_of_the_set_makes_it_an_error_though_all_files_are_accepted():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        fd = mode("honest")
        for what, cause in (("crash-after", "worker-crashed"), ("garbage", "worker-protocol"), ("half", "worker-protocol"),
                            ("nothing", "worker-protocol"), ("wrong-size", "worker-protocol")):
            answer = d.scan_set([fd, fd], ["a", f"SET:{what}!"])[2]
            assert [f["verdict"] for f in answer["files"]] == ["accept"] * 2, answer
            assert answer["verdict"] == "error" and not answer["complete"], answer
            assert answer["scan"]["error"] == cause, (what, answer["scan"])
        assert d.scan_set([fd, fd], ["a", "SET:honest!"])[2]["verdict"] == "accept"
        os.close(fd)


def test_a_client_that_leaves_takes_everything_with_it():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for what in ("hang", "sleep"):
            for headers in ("", NDJSON):
                fds = [mode(what) for _ in range(100)]
                s = d.send_set(fds, [str(i) for i in range(100)], headers=headers)
                assert until(lambda: metric(d, "scans_running") == 2)
                s.close()
                close(fds)
                assert until(lambda: idle(d)), d.get("/metrics")
        s = d.send_set([mode("honest")], ["SET:hang!"])  # while the set is judged
        assert until(lambda: metric(d, 'verdicts_total{verdict="accept"}') >= 2 and metric(d, "scans_running") == 1)
        s.close()
        assert until(lambda: idle(d))
        assert "set=" not in d.read_log()


def test_a_set_goes_on_without_its_client_where_that_was_asked_for():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        for headers in ("", NDJSON):
            fds = [mode("sleep")] + [mode("honest")] * 20
            s = d.send_set(fds, [str(i) for i in range(21)], "?on_close=finish", headers)
            assert until(lambda: metric(d, "scans_running") > 0)
            s.close()
        assert until(lambda: sets(d, "accept") == 2 and idle(d)), d.read_log()


def test_sigterm_waits_for_a_set_in_flight():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        fds = [mode("sleep"), mode("honest"), mode("honest")]
        result = []
        t = threading.Thread(target=lambda: result.append(d.scan_set(fds, ["a", "b", "c"])))
        t.start()
        assert until(lambda: metric(d, "scans_running") > 0)
        assert d.stop() == 0
        t.join()
        assert result[0][0] == 200 and result[0][2]["verdict"] == "accept", result
        close(fds)


# -- sharing --

def test_sets_go_on_in_the_smallest_queue_and_do_not_lock_each_other():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "queue_max: 3\nqueue_max_per_tenant: 3\n") as d:
        fd = mode("honest")
        answers = []

        def ask():
            status, _, answer = d.scan_set([fd] * 30, [str(i) for i in range(30)])
            answers.append((status, status == 200 and answer["verdict"]))

        for n in (1, 3):  # three: every place is a set's
            answers.clear()
            threads = [threading.Thread(target=ask) for _ in range(n)]
            for t in threads:
                t.start()
            for t in threads:
                t.join(60)
            assert len(answers) == n and all(a in ((200, "accept"), (503, False)) for a in answers), answers
            assert (200, "accept") in answers
        os.close(fd)
        assert until(lambda: idle(d))


def test_nobody_takes_the_place_of_a_set_that_is_under_way():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "queue_max: 1\n") as d:
        fd = mode("honest")
        over = threading.Event()

        def push():
            while not over.is_set():
                d.scan(b"MODE:honest\n")

        crowd = [threading.Thread(target=push) for _ in range(4)]
        for t in crowd:
            t.start()
        try:
            for _ in range(2):
                while (answer := d.scan_set([fd] * 200, [str(i) for i in range(200)]))[0] == 503:
                    pass
                assert answer[2]["verdict"] == "accept", [f["scan"] for f in answer[2]["files"] if f["verdict"] == "error"]
        finally:
            over.set()
            for t in crowd:
                t.join()
        os.close(fd)
        assert until(lambda: idle(d))


def test_a_large_set_does_not_keep_another_tenant_waiting():
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        fds = [mode("sleep") for _ in range(40)]  # twenty seconds
        s = d.send_set(fds, [str(i) for i in range(40)], "?tenant=crowd")
        assert until(lambda: metric(d, "scans_running") == 2)
        assert d.scan(b"MODE:honest\n", "?tenant=single")[1]["verdict"] == "accept"
        assert not select.select([s], [], [], 0)[0], "the set was served first"
        s.close()
        close(fds)


# -- lists of tensors --

def tensors_of(text):
    verdict = json.loads(text)
    assert list(verdict)[-2:] == ["tensors_listed", "tensors"], list(verdict)
    return verdict["tensors_listed"], verdict["tensors"]


def test_a_verdict_lists_its_tensors_where_that_is_asked_for():
    data = shard(["a", "b\n\u00e4"])
    end = len(data)
    digest = hashlib.sha256(struct.pack("<f", 0.5)).hexdigest()
    stats = {"elements": 1, "min": 0.5, "max": 0.5, "mean": 0.5, "zero_share": 0}
    want = [{"name": "a", "dtype": "F32", "shape": [1], "offsets": [end - 8, end - 4], "stats": stats},
            {"name": "b\\x0A\u00e4", "dtype": "F32", "shape": [1], "offsets": [end - 4, end], "stats": stats}]
    with Daemon(OPTIONS["weighlockd"]) as d:
        fd = memfd(data)
        status, headers, text = d.scan_fd(fd, "?name=a.safetensors&tensors=1")
        assert status == 200 and headers["transfer-encoding"] == "chunked" and headers["weighlock-verdict"], headers
        assert tensors_of(text) == (True, want), text
        digests = [{**t, "sha256": digest} for t in want]
        assert tensors_of(d.scan_fd(fd, "?tensors=1&tensor_digests=1")[2]) == (True, digests)
        os.close(fd)
        _, _, text = d.request("POST", "/v1/scan?tensors=1", data)
        assert tensors_of(text) == (True, want)
        _, _, text = d.request("POST", "/v1/scan?tensors=1", data, {"Accept": "application/x-ndjson"})
        assert tensors_of(text.decode().splitlines()[-1]) == (True, want)
        assert "tensors" not in d.scan(data)[1]
        listed, tensors = tensors_of(d.request("POST", "/v1/scan?tensors=1", data[:-5])[2])
        assert not listed, "of a file that ends early"
        assert until(lambda: idle(d))


def test_an_upload_that_is_scanned_while_it_arrives_lists_the_same():
    data = model(64 << 20)
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 1048576\nworkers: 2\n") as d:
        s = d.connect()
        s.sendall(b"POST /v1/scan?tensors=1&name=m.safetensors HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(data))
        s.sendall(data[:len(data) // 2])
        assert until(lambda: metric(d, "early_scans_total") == 1)
        s.sendall(data[len(data) // 2:])
        listed, tensors = tensors_of(read_reply(s)[2])
        s.close()
        assert listed and [t["name"] for t in tensors] == ["w"], tensors
        assert metric(d, "early_scans_withdrawn_total") == 0


def test_files_of_a_set_list_their_tensors_in_a_stream():
    files = {f"{i}.safetensors": shard([f"t{i}", f"u{i}"]) for i in range(5)}
    with Daemon(OPTIONS["weighlockd"]) as d:
        fds = [memfd(data) for data in files.values()]
        lines = d.stream_set(fds, list(files), "?tensors=1&tensor_digests=1")
        close(fds)
        verdicts = {line["file"]["name"]: line for line in lines if line.get("schema") == "weighlock.verdict/1"}
        assert sorted(verdicts) == sorted(files)
        for i, name in enumerate(files):
            assert [t["name"] for t in verdicts[name]["tensors"]] == [f"t{i}", f"u{i}"], verdicts[name]
            assert all(len(t["sha256"]) == 64 for t in verdicts[name]["tensors"])
        assert lines[-1]["schema"] == "weighlock.set/1" and "tensors" not in lines[-1]
        assert until(lambda: idle(d))


def read_slowly(s, pause=0.0):
    """The body of a chunked reply, hashed and measured instead of kept: (bytes, how often '"name":' is in it, its end)."""
    f = s.makefile("rb")
    while f.readline() != b"\r\n":
        pass
    total, names, tail = 0, 0, b""
    while n := int(f.readline(), 16):
        chunk = f.read(n)
        f.readline()
        window = tail[-6:] + chunk
        names += window.count(b'"name":')
        total += n
        tail = (tail + chunk)[-200:]
        time.sleep(pause)
    return total, names, tail


def test_a_million_tensors_are_listed_in_bounded_memory():
    n = 1000000 if not SANITIZED else 50000
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        d.scan(b"MODE:honest\n")
        before = peak_kib(d)
        s = d.connect()
        fd = mode(f"rows:{n}")
        send_fds(s, [b"POST /v1/scan?tensors=1&tensor_digests=1 HTTP/1.1\r\nHost: x\r\n"
                            b"Weighlock-Source: fd; n=1\r\nContent-Length: 0\r\n\r\n"], [fd])
        total, names, tail = read_slowly(s)
        s.close()
        os.close(fd)
        assert names == n + 2 and tail.endswith(b"]}\n") and total > 100 * n, (total, names, tail)  # file, policy
        grown = peak_kib(d) - before
        assert SANITIZED or grown < 4 << 10, f"{grown} KiB"
        assert until(lambda: idle(d))


def test_two_hundred_files_of_five_thousand_tensors_take_bounded_memory():
    n, each = (200, 5000) if not SANITIZED else (20, 500)
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        d.scan(b"MODE:honest\n")
        before = peak_kib(d)
        fd = mode(f"rows:{each}")
        lines = d.stream_set([fd] * n, [f"{i}" for i in range(n)])
        assert lines[-1]["verdict"] == "accept" and len(lines[-1]["members"]) == n
        status, _, answer = d.scan_set([fd] * n, [f"{i}" for i in range(n)])
        assert status == 200 and answer["verdict"] == "accept" and len(answer["files"]) == n
        grown = peak_kib(d) - before
        assert SANITIZED or grown < 8 << 10, f"{grown} KiB"
        os.close(fd)
        assert until(lambda: idle(d))


def test_a_slow_reader_holds_up_its_own_set_and_nobody_else():
    n, each = 20, 20000
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        d.scan(b"MODE:honest\n")
        before = peak_kib(d)
        fd = mode(f"rows:{each}")
        s = d.send_set([fd] * n, [f"{i}" for i in range(n)], "?tensors=1", NDJSON)
        time.sleep(2)
        done = metric(d, 'verdicts_total{verdict="accept"}')
        assert done < n, "it should have waited for its reader"
        assert d.scan(b"MODE:honest\n")[1]["verdict"] == "accept"
        total, _, tail = read_slowly(s, 0.001)
        s.close()
        os.close(fd)
        assert total > n * each * 60 and b'"verdict":"accept"' in tail, (total, tail)
        grown = peak_kib(d) - before
        assert SANITIZED or grown < 8 << 10, f"{grown} KiB"


def test_a_reader_that_never_reads_loses_its_place():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "reply_seconds: 1\nprogress_seconds: 1\n") as d:
        fd = mode("rows:20000")
        held = [d.send_set([fd] * 20, [f"{i}" for i in range(20)], "?tensors=1", NDJSON) for _ in range(3)]
        assert until(lambda: metric(d, "spool_bytes") > 0)
        assert until(lambda: idle(d)), d.get("/metrics")
        for s in held:
            s.close()
        os.close(fd)


def test_lists_have_the_memory_of_small_bodies_and_no_more():
    with Daemon(OPTIONS["weighlockd"], config=FAKE + "memfd_max: 65536\nmemfd_bytes: 4194304\n") as d:  # 2 MiB a user
        fd = mode("rows:5000")
        assert tensors_of(d.scan_fd(fd, "?tensors=1")[2])[0]
        # one that would never fit
        large = mode("rows:100000")
        verdict = json.loads(d.scan_fd(large, "?tensors=1")[2])
        assert (verdict["verdict"], verdict["scan"]["error"]) == ("error", "limit-output"), verdict
        status, _, answer = d.scan_set([large], ["a"])
        assert status == 200 and answer["verdict"] == "error", answer
        assert answer["files"][0]["scan"]["error"] == "limit-output", answer
        # many that do not fit together: those that find no room are errors that say "later"
        status, _, answer = d.scan_set([fd] * 40, [f"{i}" for i in range(40)])
        errors = [f for f in answer["files"] if f["verdict"] == "error"]
        assert status == 200 and answer["verdict"] == "error" and errors, (status, answer["verdict"])
        assert all(f["scan"]["retry"] == "later" for f in errors), errors[0]
        close([fd, large])
        assert until(lambda: idle(d)), d.get("/metrics")


def test_verdicts_that_are_too_long_together_are_for_a_stream():
    n = 80  # of almost 1 MiB each
    with Daemon(OPTIONS["weighlockd"], config=FAKE) as d:
        fd = mode("long")
        d.scan(b"MODE:honest\n")
        before = peak_kib(d)
        status, _, problem = d.scan_set([fd] * n, [f"{i}" for i in range(n)])
        assert status == 413 and problem["type"].endswith(":answer-too-large") and "ndjson" in problem["detail"], str(problem)[:500]
        s = d.send_set([fd] * n, [f"{i}" for i in range(n)], "", NDJSON)
        total, _, tail = read_slowly(s)
        s.close()
        assert total > n * (900 << 10) and tail.endswith(b"}\n"), (total, tail)
        os.close(fd)
        assert SANITIZED or peak_kib(d) - before < 64 << 10
        assert until(lambda: idle(d))


def test_a_set_keeps_its_place_whatever_becomes_of_its_files():
    """A queue of two: a scan that hangs, and a set.  While there is a set nobody else comes in."""
    n = 400
    config = f"worker: {OPTIONS['fake_worker']}\nworkers: 2\nqueue_max: 2\nqueue_max_per_tenant: 2\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d, open("/dev/null", "rb") as null:
        hang = d.connect()
        hang.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nMODE:hang\n")
        assert until(lambda: metric(d, "scans_running") == 1)
        fds = [mode("sleep"), *[os.dup(null.fileno()) for _ in range(n)], mode("honest")]
        s = d.send_set(fds, ["first", *[f"null{i}" for i in range(n)], "last"])
        assert until(lambda: metric(d, "scans_running") == 2)
        answers, over = [], threading.Event()
        threads = [threading.Thread(target=knock, args=(d, answers, over)) for _ in range(3)]
        for t in threads:
            t.start()
        status, _, reply = read_reply(s)
        over.set()
        for t in threads:
            t.join()
        close(fds)
        hang.close()
    assert status == 200, (status, reply)
    verdicts = [f["verdict"] for f in json.loads(reply)["files"]]
    assert (verdicts[0], set(verdicts[1:-1]), verdicts[-1]) == ("accept", {"error"}, "accept"), (verdicts[0], verdicts[-1])
    assert answers and set(answers) == {503}, set(answers)


def knock(d, answers, over):
    """Statuses of requests while it is not over.  One that comes in and stays has no status."""
    while not over.is_set():
        with d.connect(0.2) as c:
            c.sendall(b"POST /v1/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nMODE:hang\n")
            try:
                status = read_reply(c)[0]
            except TimeoutError:
                status = "in"
        if not over.is_set():
            answers.append(status)


tap.main(globals(), at_once=3)
