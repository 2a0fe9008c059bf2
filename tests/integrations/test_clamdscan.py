"""The clients that people have for clamd, on our socket: clamdscan, pyClamd, and c-icap with its antivirus module."""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import tap
from daemon import Daemon, model
from foreign import CORPUS, OPTIONS, WEIGHLOCKD, missing, need, run

GOOD = os.path.join(CORPUS, "safetensors", "files", "off-one-tensor.safetensors")
REVIEW = os.path.join(CORPUS, "safetensors", "files", "weights-tail-f32-n9.safetensors")
EXPLOIT = b"\x80\x04cposix\nsystem\n\x8c\x02id\x85R."
SIGNATURE = "Weighlock.Malicious.PickleGlobalDangerous"


@contextlib.contextmanager
def daemon(*more):
    """A daemon, and a folder with its socket clamd.sock, clamdscan's configuration, and files."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        with open(os.path.join(folder, "clamd.conf"), "w", encoding="utf-8") as f:
            f.write(f"LocalSocket {folder}/clamd.sock\n")
        for name, content in (("bad.pkl", EXPLOIT), ("long.safetensors", model(1000))):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)
        with Daemon(WEIGHLOCKD, "--clamd-socket", os.path.join(folder, "clamd.sock"), *more) as d:
            yield d, folder


def clamdscan(folder, *arguments):
    done = run(need("clamdscan"), "--config-file", os.path.join(folder, "clamd.conf"), *arguments)
    return done.returncode, (done.stdout + done.stderr).decode()


# -- clamdscan --

def test_clamdscan_knows_it_for_a_clamd():
    with daemon() as (_, folder):
        assert clamdscan(folder, "--ping", "1") == (0, "PONG\n")
        status, text = clamdscan(folder, "--version")
        assert status == 0 and re.match(r"ClamAV [\d.]+/\d+/\w{3} \w{3} [ \d]\d ", text), text


def check_one_by_one(*options):
    with daemon() as (_, folder):
        status, text = clamdscan(folder, *options, GOOD)
        assert status == 0 and f"{GOOD}: OK" in text and "Infected files: 0" in text, text
        bad = os.path.join(folder, "bad.pkl")
        status, text = clamdscan(folder, *options, bad)
        assert status == 1 and f"{bad}: {SIGNATURE} FOUND" in text, text
        status, text = clamdscan(folder, *options, REVIEW)
        assert status == 1 and f"{REVIEW}: Weighlock.Quality.WeightsNan FOUND" in text, text


def test_clamdscan_fdpass():
    check_one_by_one("--fdpass")


def test_clamdscan_stream():
    check_one_by_one("--stream")


def test_clamdscan_multiscan_of_a_folder():
    with daemon() as (d, folder):
        models = os.path.join(folder, "models")
        os.mkdir(models)
        names = {}
        for i in range(60):
            name = os.path.join(models, f"{i}.bin")
            names[name] = ("OK", GOOD, os.path.join(folder, "bad.pkl"))[i % 3]
            shutil.copy(GOOD if i % 3 < 2 else os.path.join(folder, "bad.pkl"), name)
            names[name] = "OK" if i % 3 < 2 else f"{SIGNATURE} FOUND"
        status, text = clamdscan(folder, "--multiscan", "--fdpass", *names)
        assert status == 1 and "Infected files: 20" in text, text
        for name, wanted in names.items():
            assert wanted == "OK" or f"{name}: {wanted}" in text, (name, text)
        status, text = clamdscan(folder, "--multiscan", "--fdpass", models)
        assert status == 1 and "Infected files: 20" in text and "ERROR" not in text, text
        assert d.read_log().count("verdict=accept") == 2 * 40 + 1, "and the built-in sample"


def test_what_could_not_be_judged_is_an_error_to_clamdscan():
    with daemon("--max-body", "1000") as (_, folder):
        for option in ("--fdpass", "--stream"):
            assert clamdscan(folder, option, GOOD)[0] == 0
            status, text = clamdscan(folder, option, os.path.join(folder, "long.safetensors"))
            assert status == 2 and "OK" not in text and "ERROR" in text, (option, status, text)


def test_a_path_is_an_error_that_names_the_way_out():
    with daemon() as (_, folder):
        for options in ((), ("--multiscan",), ("--allmatch",)):
            status, text = clamdscan(folder, *options, GOOD)
            assert status == 2 and "--fdpass or --stream ERROR" in text and "OK" not in text, text


def test_no_daemon_is_an_error_to_clamdscan():
    with daemon() as (d, folder):
        d.stop()
        assert clamdscan(folder, "--fdpass", GOOD)[0] == 2


# -- pyClamd --

def pyclamd(folder):
    try:
        import pyclamd as module
    except ImportError:
        missing("python3-pyclamd")
    return module.ClamdUnixSocket(os.path.join(folder, "clamd.sock"), timeout=30)


def test_pyclamd():
    with daemon() as (_, folder):
        client = pyclamd(folder)
        assert client.ping() is True
        assert client.version().startswith("ClamAV "), client.version()
        assert "THREADS: live 0" in client.stats()
        assert client.reload() == "RELOADING"
        with open(GOOD, "rb") as f:
            assert client.scan_stream(f.read()) is None
        assert client.scan_stream(EXPLOIT) == {"stream": ("FOUND", SIGNATURE)}
        result = client.scan_file(GOOD)
        assert result and result[GOOD][0] == "ERROR", result


# -- c-icap --

def wait_for(path, process, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, "c-icap has ended"
        try:
            with socket.create_connection(path, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("c-icap does not listen")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def c_icap(folder):
    """c-icap with the recipe, but for the paths."""
    port = free_port()
    with open(os.path.join(OPTIONS["source"], "recipes", "c-icap.conf"), encoding="utf-8") as f:
        recipe = f.read().replace("/run/weighlock/clamd.sock", os.path.join(folder, "clamd.sock"))
    with open(os.path.join(folder, "weighlock.conf"), "w", encoding="utf-8") as f:
        f.write(recipe)
    modules = re.search(r"^ModulesDir (.*)$", read("/etc/c-icap/c-icap.conf"), re.M).group(1)
    with open(os.path.join(folder, "c-icap.conf"), "w", encoding="utf-8") as f:
        f.write(f"PidFile {folder}/pid\nCommandsSocket {folder}/ctl\nPort 127.0.0.1:{port}\nStartServers 1\nMaxServers 1\n"
                f"ModulesDir {modules}\nServicesDir {modules}\nTemplateDir /usr/share/c_icap/templates/\n"
                f"LoadMagicFile /etc/c-icap/c-icap.magic\nTmpDir {folder}\nServerLog {folder}/server.log\n"
                f"AccessLog {folder}/access.log\nInclude {folder}/weighlock.conf\n")
    process = subprocess.Popen([need("c-icap"), "-N", "-f", os.path.join(folder, "c-icap.conf")], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    try:
        wait_for(("127.0.0.1", port), process)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def icap(port, path):
    done = run(need("c-icap-client"), "-i", "127.0.0.1", "-p", str(port), "-s", "weighlock", "-f", path, "-v", "-nopreview",
               timeout=60)
    return (done.stdout + done.stderr).decode(errors="replace")


def test_c_icap_with_the_recipe():
    need("c-icap-client")
    with daemon() as (d, folder), c_icap(folder) as port:
        good = icap(port, GOOD)
        assert "204" in good, good
        bad = icap(port, os.path.join(folder, "bad.pkl"))
        assert SIGNATURE in bad and "X-Infection-Found" in bad, bad
        review = icap(port, REVIEW)
        assert "X-Infection-Found" in review and "WeightsNan" in review, review
        assert d.read_log().count("source=fd") == 3, d.read_log()


def test_c_icap_lets_nothing_pass_without_a_verdict():
    need("c-icap-client")
    with daemon("--max-body", "1000") as (_, folder), c_icap(folder) as port:
        assert "204" in icap(port, GOOD)
        text = icap(port, os.path.join(folder, "long.safetensors"))
        assert "204" not in text and ("500" in text or "403" in text), text


tap.main(globals())
