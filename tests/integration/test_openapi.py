"""docs/openapi.yaml against the daemon, both ways: what the document names is provoked on a running daemon and every answer
validated; what the daemon's tables know is in the document.  The schemas beside it against what they describe."""
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile

import jsonschema
import tap
import yaml
from daemon import Daemon, UnixConnection, model, options, read_reply, until

OPTIONS = options()
SOURCE = OPTIONS["source"]
DOCS = os.path.join(SOURCE, "docs")
NOBODY = 65534
SCAN = [("post", "/v1/scan"), ("put", "/v1/scan"), ("put", "/v1/scan/{name}")]
GOOD = model(64)
# What cannot be brought about from outside, and what needs root: every other status of the document is provoked.
NEVER_SEEN = {(m, p, "500") for m, p in SCAN}
BAD = b"\x80\x04cposix\nsystem\n(Vid\ntR."


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def schema(name):
    return json.loads(read(f"docs/{name}.schema.json"))


def expand(node, document):
    """The node with what its references stand for in their places."""
    if isinstance(node, list):
        return [expand(n, document) for n in node]
    if not isinstance(node, dict):
        return node
    if "$ref" not in node:
        return {k: expand(v, document) for k, v in node.items()}
    ref = node["$ref"]
    if not ref.startswith("#/"):
        found = json.loads(read(f"docs/{ref}"))
        found.pop("$id")
        return found
    found = document
    for key in ref[2:].split("/"):
        found = found[key]
    return expand(found, document)


RAW = yaml.safe_load(read("docs/openapi.yaml"))
PATHS = expand(RAW["paths"], RAW)


def operations():
    return {(m, p): o for p, item in PATHS.items() for m, o in item.items()}


# -- an answer against the document --

SEEN = set()
FRAMING = {"content-type", "content-length", "transfer-encoding", "connection"}


def check(method, path, answer):
    """Is the answer what the document says of this operation?  Returns the body's document or lines."""
    status, headers, body = answer
    headers = {k.lower(): v for k, v in headers.items()}
    responses = operations()[method, path]["responses"]
    assert str(status) in responses or "default" in responses, (method, path, status, body)
    response = responses.get(str(status)) or responses["default"]
    known = {k.lower(): v for k, v in response.get("headers", {}).items()}
    assert set(headers) - FRAMING <= set(known), (method, path, status, headers)
    for name, rule in known.items():
        assert name in headers or not rule["required"], (method, path, status, name, headers)
        if name in headers:
            jsonschema.validate(headers[name], rule["schema"])
    kind = headers["content-type"]
    assert kind in response["content"], (method, path, status, kind)
    SEEN.add((method, path, str(status) if str(status) in responses else "default"))
    SEEN.add((method, path, kind))
    return check_body(kind, body, response["content"][kind]["schema"])


def check_body(kind, body, rule):
    if kind.startswith("text/"):
        return body
    text = body if isinstance(body, (str, dict)) else body.decode()
    documents = [json.loads(line) for line in text.splitlines()] if kind == "application/x-ndjson" else \
        [text if isinstance(text, dict) else json.loads(text)]
    for document in documents:
        jsonschema.Draft202012Validator(rule).validate(document)
    return documents if kind == "application/x-ndjson" else documents[0]


def target_of(path, name="a.safetensors"):
    return path.replace("{name}", name)


def raw(d, method, target, headers="", body=b"", host="Host: x\r\n", version="HTTP/1.1"):
    """An answer to bytes that http.client would not send."""
    s = d.connect(30)
    with contextlib.suppress(BrokenPipeError):
        s.sendall(f"{method.upper()} {target} {version}\r\n{host}{headers}\r\n".encode() + body)
    try:
        return read_reply(s)
    finally:
        s.close()


# -- the document by itself --

def test_the_document_is_sound():
    assert RAW["openapi"].startswith("3.1"), RAW["openapi"]
    assert len({o["operationId"] for o in operations().values()}) == len(operations())
    for (method, path), operation in operations().items():
        assert operation["summary"] and operation["responses"], (method, path)
        in_path = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
        assert in_path == set(re.findall(r"{(\w+)}", path)), path
        for status, response in operation["responses"].items():
            assert re.fullmatch(r"[2-5]\d\d|default", status) and response["description"] and response["content"], (path, status)
            for content in response["content"].values():
                jsonschema.Draft202012Validator.check_schema(content["schema"])


def test_schemas_are_sound_and_have_names_of_their_own():
    names = ["verdict", "set", "diff", "progress", "tensor", "problem", "rules"]
    for name in names:
        jsonschema.Draft202012Validator.check_schema(schema(name))
        assert schema(name)["$id"] == f"urn:weighlock:schema:{name}:1", name
        assert f"'{name}.schema.json'" in read("docs/meson.build"), f"{name} is not installed"


def test_a_tensor_line_is_what_a_verdict_lists():
    listed, line = schema("verdict")["properties"]["tensors"]["items"], schema("tensor")
    named = listed["properties"].pop("stats")
    assert line["properties"].pop("stats")["type"] == named["type"] and named["description"] == "as in tensor.schema.json"
    assert {k: v for k, v in line.items() if k in listed} == listed


# -- the daemon's tables in the document --

def test_every_route_of_the_daemon_is_in_the_document():
    rules = re.search(r"route_rules\[\] = \{(.*?)\n\};", read("daemon/front/http/http_target.c"), re.S).group(1)
    served = set()
    for path, methods in re.findall(r'\{ "([^"]+)", HTTP_ROUTE_\w+,([^"]+),', rules):
        name = {"/v1/scan/": "{name}", "/v1/verdicts/": "{sha256}"}.get(path, "")
        assert name or not path.endswith("/"), f"what is the segment behind {path} called?"
        served |= {(m.lower(), path + name) for m in re.findall(r"HTTP_(GET|PUT|POST)", methods)}
    assert len(served) >= 9 and served == set(operations()), served ^ set(operations())


def test_every_query_key_and_header_of_the_daemon_is_in_the_document():
    code = read("daemon/front/http/http.c") + read("daemon/front/http/http_target.c")
    keys = re.search(r"query_rules\[\] = \{(.*?)\n\};", code, re.S).group(1)
    rows = re.findall(r'\{ "(\w+)", \w+, (true|false) \}', keys)
    headers = set(re.findall(r'\{ "(weighlock-[a-z-]+)", ', code))
    parameters = operations()["post", "/v1/scan"]["parameters"]
    assert rows and {k for k, _ in rows} == {p["name"] for p in parameters if p["in"] == "query"}
    assert headers == {p["name"].lower() for p in parameters if p["in"] == "header"}
    of_verdicts = {p["name"] for p in operations()["get", "/v1/verdicts/{sha256}"]["parameters"] if p["in"] == "query"}
    assert of_verdicts == {k for k, of in rows if of == "true"}
    rules = re.search(r"exception_rules\[\] = \{(.*?)\n\};", code, re.S).group(1)
    excepting = {p["name"] for p in operations()["post", "/v1/exceptions"]["parameters"]}
    assert excepting == set(re.findall(r'\{ "(\w+)", ', rules)), excepting
    text = read("docs/api.md")
    assert not [k for k, _ in rows if f"`{k}=" not in text] and not [h for h in headers if h not in text.lower()], "api.md does not name them all"


def test_every_problem_of_the_daemon_is_in_the_document():
    table = {(kind, status) for kind, status in re.findall(r'X\(\w+, "([a-z-]+)", (\d+),', read("daemon/front/http/problem.h"))}
    components = RAW["components"]["responses"]
    scan = RAW["paths"]["/v1/scan"]["post"]["responses"]
    written = {(kind, status) for status, ref in scan.items() for kind in components[ref["$ref"].split("/")[-1]].get("x-problems", [])}
    written |= {(kind, status) for name, status in (("NotFound", "404"), ("MethodNotAllowed", "405"))
                for kind in components[name]["x-problems"]}
    assert len(table) > 15 and written == table, written ^ table
    text = read("docs/api.md")
    assert not [kind for kind, _ in table if f"`{kind}`" not in text], "api.md does not name them all"


# -- the document on a running daemon --

def test_what_is_not_a_scan():
    with Daemon(OPTIONS["weighlockd"]) as d:
        for path in ("/v1/rules", "/v1/formats", "/v1/version", "/healthz", "/readyz", "/metrics"):
            check("get", path, d.get(path))
            check("get", path, raw(d, "get", path + "?x=1"))
            check("get", path, raw(d, "get", path, host=""))
            status, headers, _ = d.request("POST", path, b"")
            assert status == 405 and headers["Allow"] == "GET, HEAD", (path, status, headers)
            whole, headless = d.get(path), d.request("HEAD", path)
            assert headless[2] == b"" and headless[0] == whole[0] == 200, (path, headless)
            for name in ("Content-Type", "Content-Length"):
                assert headless[1][name] == whole[1][name] or path == "/metrics", (path, name, headless, whole)
        status, headers, body = d.request("HEAD", "/v1/verdicts/" + "0" * 64)
        assert status == 404 and body == b"" and int(headers["Content-Length"]) > 0, (status, headers, body)
        assert d.request("HEAD", "/v1/scan")[0] == 405
        # What comes next on the connection is an answer, and not the body of the last one.
        c = UnixConnection(d.socket, 60)
        for method, path in (("HEAD", "/healthz"), ("HEAD", "/v1/version"), ("GET", "/healthz")):
            c.request(method, path)
            reply = c.getresponse()
            assert reply.status == 200 and reply.read() == (b"" if method == "HEAD" else b"ok\n"), (method, path)
        c.close()
        for method in ("get", "post"):
            answer = d.request(method.upper(), "/v1/exceptions")
            assert check(method, "/v1/exceptions", answer)["status"] == 404, "they are off"
            check(method, "/v1/exceptions", raw(d, method, "/v1/exceptions", version="HTTP/1.0"))
        check("post", "/v1/exceptions", d.request("POST", "/v1/exceptions?sha256=x"))
        assert d.get("/v1/verdicts/" + "0" * 64)[0] == 404
        check("get", "/v1/verdicts/{sha256}", d.get("/v1/verdicts/" + "0" * 64))
        check("get", "/v1/verdicts/{sha256}", d.get("/v1/verdicts/xyz"))
        check("get", "/v1/verdicts/{sha256}", raw(d, "get", "/v1/verdicts/" + "0" * 64, version="HTTP/1.0"))


def test_verdicts_of_every_kind():
    with Daemon(OPTIONS["weighlockd"], config="workers: 2\n") as d:
        for method, path in SCAN:
            target = target_of(path)
            assert check(method, path, d.request(method.upper(), target, GOOD))["verdict"] in ("accept", "review")
            check(method, path, d.request(method.upper(), target, GOOD, {"Transfer-Encoding": "chunked"}))
            if "{name}" in path:
                assert check(method, path, d.request("PUT", target + "?gate=1", BAD))["verdict"] != "accept"
            else:
                listed = check(method, path, d.request(method.upper(), target + "?tensors=1&tensor_digests=1&name=a.safetensors", GOOD))
                for tensor in listed["tensors"]:
                    jsonschema.Draft202012Validator(schema("tensor")).validate(tensor)
                assert len(listed["tensors"]) == 1 and "sha256" in listed["tensors"][0]
                check(method, path, d.request(method.upper(), target + "?gate=1", BAD))
            lines = check(method, path, d.request(method.upper(), target, GOOD, {"Accept": "application/x-ndjson"}))
            assert "event" in lines[0] and "verdict" in lines[-1] and not [x for x in lines[:-1] if "event" not in x]
        mismatch = check("post", "/v1/scan", d.request("POST", "/v1/scan?sha256=" + "0" * 64, GOOD))
        assert mismatch["verdict"] == "error" and mismatch["scan"]["retry"] == "never", mismatch


def test_sets_and_descriptors():
    with Daemon(OPTIONS["weighlockd"]) as d, tempfile.TemporaryFile() as f:
        f.write(GOOD)
        f.flush()
        check("post", "/v1/scan", d.scan_fd(f.fileno()))
        check("post", "/v1/scan", d.scan_fd([], n=1))  # announced and not sent
        assert check("post", "/v1/scan", d.scan_set([f.fileno()], ["a.safetensors"]))["schema"] == "weighlock.set/1"
        lines = check("post", "/v1/scan", d.scan_set([f.fileno()] * 2, ["a.safetensors", "b.safetensors"],
                                                     headers="Accept: application/x-ndjson\r\n"))
        assert [x for x in lines if x.get("files") == 2 and "event" in x], lines
        check("post", "/v1/scan", d.scan_set([f.fileno()], ["../a"]))


def test_refusals_of_heads_and_bodies():
    config = "max_body: 100000\nhead_seconds: 1\n"
    cases = {
        "400": dict(headers="Content-Length: 1\r\nContent-Length: 1\r\n"), "411": {},
        "413": dict(headers="Content-Length: 100001\r\nExpect: 100-continue\r\n"),
        "415": dict(headers="Content-Length: 1\r\nContent-Type: multipart/form-data\r\n", body=b"x"),
        "417": dict(headers="Content-Length: 1\r\nExpect: a-miracle\r\n"), "431": dict(headers="x: y\r\n" * 40),
        "501": dict(headers="Transfer-Encoding: gzip\r\n"), "505": dict(version="HTTP/1.0"),
    }
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        for method, path in SCAN:
            for status, request in cases.items():
                answer = raw(d, method, target_of(path), **request)
                assert check(method, path, answer)["status"] == int(status) == answer[0], (status, answer)
            answer = raw(d, method, target_of(path) + "?name=" + "x" * 5000)
            assert check(method, path, answer)["status"] == 414, answer
            s = d.connect(10)
            s.sendall(f"{method.upper()} {target_of(path)} HTTP/1.1\r\nHost".encode())
            assert check(method, path, read_reply(s))["status"] == 408
            s.close()


def test_a_tenant_that_sends_too_much():
    with Daemon(OPTIONS["weighlockd"], config="bytes_per_minute_per_tenant: 1\n") as d:
        assert d.scan(GOOD)[0] == 200
        for method, path in SCAN:
            answer = d.request(method.upper(), target_of(path), GOOD)
            assert check(method, path, answer)["status"] == 429, answer


def test_no_room_for_a_body():
    with Daemon(OPTIONS["weighlockd"], config="memfd_max: 65536\nspool_bytes: 1000000\n") as d:
        for method, path in SCAN:
            answer = raw(d, method, target_of(path), headers="Content-Length: 2000000\r\nExpect: 100-continue\r\n")
            assert check(method, path, answer)["status"] == 507, answer


def hanging(d, query=""):
    s = d.connect()
    s.sendall(b"POST /v1/scan%s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nMODE:hang\n" % query.encode())
    return s


def test_a_daemon_that_is_busy_and_one_that_ends():
    config = f"workers: 1\nqueue_max: 1\nhead_seconds: 60\ndrain_seconds: 60\nworker: {OPTIONS['fake_worker']}\n"
    with Daemon(OPTIONS["weighlockd"], config=config) as d:
        held = hanging(d)
        assert until(lambda: b"scans_running 1\n" in d.get("/metrics")[2])
        for method, path in SCAN:
            assert check(method, path, d.request(method.upper(), target_of(path), GOOD))["type"].endswith(":busy")
        asked = [("get", "/readyz", "")] + [(m, p, "Content-Length: 1\r\n") for m, p in SCAN]
        begun = [d.connect() for _ in asked]
        for s, (method, path, _) in zip(begun, asked):  # idle connections it closes; of these it has half a head
            s.sendall(f"{method.upper()} {target_of(path)} HTTP/1.1\r\n".encode())
        idle = d.connect()
        assert until(lambda: b"weighlock_connections 7\n" in d.get("/metrics")[2])  # these, the held one and this
        d.process.terminate()
        assert idle.recv(1) == b"", "an idle connection outlives the end"
        for s, (method, path, rest) in zip(begun, asked):
            s.sendall(f"Host: x\r\n{rest}\r\n{'x' if rest else ''}".encode())
            answer = read_reply(s)
            got = check(method, path, answer)
            assert answer[0] == 503 and (got["type"].endswith(":shutting-down") if rest else got["draining"]), got
            s.close()
        held.close()
        idle.close()


def test_exceptions():
    with tempfile.TemporaryDirectory() as state:
        os.chmod(state, 0o777)
        me = os.getuid()
        with Daemon(OPTIONS["weighlockd"], config=f"exceptions: on\nstate_dir: {state}\n") as d:
            for method in ("get", "post"):
                assert check(method, "/v1/exceptions", d.request(method.upper(), "/v1/exceptions"))["status"] == 403
        with Daemon(OPTIONS["weighlockd"], config=f"exceptions: on\nreviewer_uids: [{me}]\nstate_dir: {state}\n") as d:
            query = "?sha256=" + "0" * 64 + "&code=weights-nan,weights-inf&reason=r&owner=o&expires=2126-12-31&tenant=t"
            assert check("post", "/v1/exceptions", d.request("POST", "/v1/exceptions" + query)) == {"seq": 0}
            assert check("post", "/v1/exceptions", d.request("POST", "/v1/exceptions?revoke=0&reason=r")) == {"seq": 1}
            assert [e["revoked"] for e in check("get", "/v1/exceptions", d.get("/v1/exceptions"))["exceptions"]] == [True]
            assert check("post", "/v1/scan", d.request("POST", "/v1/scan", GOOD))["effective"] == "accept"


def test_a_signed_verdict():
    with tempfile.TemporaryDirectory() as state:
        os.chmod(state, 0o777)
        key = os.path.join(state, "key.pem")
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, stderr=subprocess.DEVNULL)
        config = f"store: on\nstate_dir: {state}\nsigning_key: {key}\n"
        with Daemon(OPTIONS["weighlockd"], config=config) as d:
            for method, path in SCAN:
                assert check(method, path, d.request(method.upper(), target_of(path) + "?attest=1", GOOD))["signatures"]
                check(method, path, d.request(method.upper(), target_of(path) + "?attest=1&gate=1", BAD))
            sha256 = d.scan(GOOD, "?name=a.safetensors")[1]["file"]["sha256"]
            target = f"/v1/verdicts/{sha256}?name=a.safetensors&attest=1"
            assert until(lambda: d.get(target)[0] == 200), d.get(target)
            check("get", "/v1/verdicts/{sha256}", d.get(target))


def test_a_stored_verdict():
    state = tempfile.mkdtemp(prefix="weighlock-state-")
    os.chmod(state, 0o777)
    try:
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\n") as d:
            sha256 = d.scan(GOOD, "?name=a.safetensors")[1]["file"]["sha256"]
            target = f"/v1/verdicts/{sha256}?name=a.safetensors"
            assert until(lambda: d.get(target)[0] == 200), d.get(target)
            assert check("get", "/v1/verdicts/{sha256}", d.get(target))["scan"]["cached"] is True
        with Daemon(OPTIONS["weighlockd"], config=f"store: on\nstate_dir: {state}\nworker: {OPTIONS['fake_worker']}\n") as d:
            held = hanging(d, "?sha256=" + "1" * 64)
            assert until(lambda: d.get("/v1/verdicts/" + "1" * 64)[0] == 202)
            assert check("get", "/v1/verdicts/{sha256}", d.get("/v1/verdicts/" + "1" * 64)) == {"pending": True}
            held.close()
    finally:
        shutil.rmtree(state)


def test_a_peer_that_may_not_name_a_tenant():
    if os.getuid() != 0:
        NEVER_SEEN.update((m, p, "403") for m, p in SCAN)
        raise tap.Skip("needs root to become somebody else")
    code = ("import json, socket, sys\nsys.path[:0] = {!r}\nfrom daemon import read_reply\nfor m, t in json.loads(sys.argv[2]):\n"
            " s = socket.socket(socket.AF_UNIX)\n s.connect(sys.argv[1])\n s.sendall(f'{{m}} {{t}}?tenant=x HTTP/1.1\\r\\nHost: x\\r\\n"
            "Content-Length: 1\\r\\n\\r\\nx'.encode())\n print(json.dumps(read_reply(s)))\n")
    code = code.format(os.environ["PYTHONPATH"].split(":"))
    wanted = [(m.upper(), target_of(p)) for m, p in SCAN]
    with Daemon(OPTIONS["weighlockd"], "--socket-mode", "0666", "--allow-uid", str(NOBODY)) as d:
        done = subprocess.run(["/usr/bin/python3", "-c", code, d.socket, json.dumps(wanted)], stdout=subprocess.PIPE, text=True, check=True,
                              preexec_fn=lambda: (os.setgroups([]), os.setgid(NOBODY), os.setuid(NOBODY)))
    for (method, path), line in zip(SCAN, done.stdout.splitlines(), strict=True):
        assert check(method, path, json.loads(line))["status"] == 403, line


def test_the_commands_rules_are_valid_too():
    text = subprocess.run([OPTIONS["weighlock"], "rules", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout
    jsonschema.Draft202012Validator(schema("rules")).validate(json.loads(text))


def test_zz_all_of_the_document_was_seen():
    """Last: every operation, status and content type that is written was answered above."""
    written = {(m, p, s) for (m, p), o in operations().items() for s in o["responses"]}
    written |= {(m, p, kind) for (m, p), o in operations().items() for r in o["responses"].values() for kind in r["content"]}
    assert not written - SEEN - NEVER_SEEN, sorted(written - SEEN - NEVER_SEEN)


tap.main(globals())
