"""A server of objects for tests: https: and S3's GET on loopback, signatures checked; some of its objects are not as they should be."""
import hashlib
import hmac
import http.server
import os
import re
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "eu-test-1"


def certificate(folder):
    """Of "localhost", signed by itself."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", os.path.join(folder, "key"), "-out",
                    os.path.join(folder, "ca")], check=True, stderr=subprocess.DEVNULL)


def signature(method, path, headers, words):
    """Version 4 of AWS, as the server counts it anew."""
    scope = words["Credential"].split("/", 1)[1]
    signed = words["SignedHeaders"].split(";")
    path, _, query = path.partition("?")
    canonical = "\n".join([method, path, "&".join(sorted(query.split("&"))), *(f"{n}:{headers[n].strip()}" for n in signed), "", ";".join(signed),
                           headers["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        at = self.server.objects
        at.asked.append(self.path)
        if self.path.startswith("/bucket/") and not self.is_signed():
            self.say(403)
            return
        what = at.content.get(urllib.parse.unquote(self.path.partition("?")[0]))
        if what is None:
            self.say(404)
        elif callable(what):
            what(self)
        else:
            self.say(200, what)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.say(self.server.objects.take(self.headers, body))

    def is_signed(self):
        words = dict(re.findall(r"(\w+)=([^, ]+)", self.headers.get("Authorization", "")))
        date = self.headers.get("x-amz-date", "")[:8]
        if words.get("Credential") != f"{KEY}/{date}/{REGION}/s3/aws4_request" or not {"host", "x-amz-content-sha256"} <= set(
                words["SignedHeaders"].split(";")):
            return False
        return hmac.compare_digest(words["Signature"], signature("GET", self.path, self.headers, words))

    def say(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = length is not None

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


class Objects:
    """with Objects() as o: o.content["/path"] = bytes, or what answers a request; o.asked: paths in their order;
    o.take(headers, body): the status of a POST"""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="weighlock-objects-")
        certificate(self.folder.name)
        self.ca = os.path.join(self.folder.name, "ca")
        self.content, self.asked = {}, []
        self.take = lambda headers, body: 404
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.objects = self
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.ca, os.path.join(self.folder.name, "key"))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.host = f"localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def credentials(self):
        path = os.path.join(self.folder.name, "credentials")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key={SECRET}\n[other]\naws_access_key_id = x\n")
        return path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()
