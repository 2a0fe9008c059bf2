"""hostile.py NAME SOCKET CLAMD FILE: behave badly until standard input ends, then print how often.  The first line is "ready".

Each is a user who may call, by what this one may do; fairness.py starts it as another user than the honest one, under SCHED_IDLE,
so that what is measured is what the daemon does for it, and not the processor that it takes itself."""
import os
import select
import socket
import sys

MIB = 1 << 20
HEAD = b"POST /v1/scan?name=a.safetensors HTTP/1.1\r\nHost: x\r\n"
HELD = 240  # connections, of the 256 that a user may have


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    s.connect(path)
    return s


def nothing(_path, _clamd, _file):
    """But to be there."""


def flood(path, _clamd, _file):
    """As many connections as there can be, none of which says anything."""
    connect(path).close()


held = []


def idle(path, _clamd, _file):
    """All the connections a user may have, which asked for something once; those that are closed come again."""
    for s in select.select(held, [], [], 0.01 if len(held) >= HELD else 0)[0]:
        held.remove(s)
        s.close()
    if len(held) < HELD:
        held.append(connect(path))
        held[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        held[-1].recv(4096)


def drip(path, _clamd, _file):
    """Heads and bodies, a byte at a time."""
    if len(held) < HELD:
        held.append(connect(path))
        held[-1].sendall(HEAD + b"Content-Length: 100000\r\n\r\n" if len(held) % 2 else b"GET /healthz HT")
    for s in list(held):
        try:
            s.send(b"x")
        except OSError:
            held.remove(s)
            s.close()


BODY = b"x" * 100000


def disconnect(path, _clamd, _file):
    """Half a body, or all of it and no patience for the answer."""
    s = connect(path)
    s.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (2 * len(BODY) if disconnect.n % 2 else len(BODY)) + BODY)
    s.close()
    disconnect.n += 1


disconnect.n = 0


def huge_heads(path, _clamd, _file):
    """As long as a head may be, and longer; of fields that all have to be looked at."""
    fields = b"".join(b"X-%d: %s\r\n" % (i, b"y" * 100) for i in range(60))
    with connect(path) as s:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + fields * (1 + huge_heads.n % 3) + b"\r\n")
        s.recv(4096)
    huge_heads.n += 1


huge_heads.n = 0


def pass_descriptors(path, fds, announced=None, wait=True):
    s = connect(path)
    n = len(fds) if announced is None else announced
    socket.send_fds(s, [HEAD + b"Weighlock-Source: fd; n=%d\r\nContent-Length: 0\r\n\r\n" % n], fds)
    if wait:
        s.recv(4096)
        s.close()
    else:
        held.append(s)


def fuse(path, _clamd, file):
    """Files whose storage never answers."""
    if not fuse.fds:
        fuse.fds.append(os.open(file, os.O_RDONLY))
    if len(held) < 32:
        pass_descriptors(path, fuse.fds, wait=False)
    else:
        for s in [s for s in held if select.select([s], [], [], 0.01)[0]]:
            held.remove(s)
            s.close()


fuse.fds = []


def bad_descriptors(path, _clamd, _file):
    """Of no file, of one that can be written to, more than were announced, and very many."""
    if not bad_descriptors.fds:
        bad_descriptors.fds = [os.open("/dev/null", os.O_RDONLY), os.pipe()[0], os.open("/", os.O_RDONLY | os.O_DIRECTORY),
                               os.open("/", os.O_PATH), connect(path).detach(), os.memfd_create("x")]
    for fd in bad_descriptors.fds:
        pass_descriptors(path, [fd])
    pass_descriptors(path, bad_descriptors.fds[:1] * 200, announced=1)


bad_descriptors.fds = []
KILLER = b"MODE:early-crash\n".ljust(20 * MIB, b"x")


def early_deaths(path, _clamd, _file):
    """Bodies that kill the worker which follows them; the front's is the fake one."""
    with connect(path) as s:
        s.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(KILLER) + KILLER[:18 * MIB])


def store_questions(path, _clamd, _file):
    """About digests that nobody has, without waiting for the answer."""
    s = connect(path)
    s.sendall(b"".join(b"GET /v1/verdicts/%s HTTP/1.1\r\nHost: x\r\n\r\n" % os.urandom(32).hex().encode() for _ in range(20)))
    s.close()


def clamd_backlog(_path, clamd, _file):
    """A session of very many commands whose answers nobody reads."""
    if len(held) < 16:
        held.append(connect(clamd))
        held[-1].sendall(b"zIDSESSION\0")
        held[-1].setblocking(False)
    for s in list(held):
        try:
            s.send((b"zINSTREAM\0\0\0\0\4xxxx\0\0\0\0" + b"zVERSION\0" * 10) * 50)
        except BlockingIOError:
            pass
        except OSError:
            held.remove(s)
            s.close()


def main():
    act, args = globals()[sys.argv[1]], sys.argv[2:5]
    n = failed = 0
    ready = False
    while not select.select([sys.stdin], [], [], 0)[0]:
        try:
            act(*args)
            n += 1
        except OSError:  # refused: that is an answer
            failed += 1
        if not ready and n + failed >= 8:
            ready = True
            print("ready", flush=True)
    print(n, failed, flush=True)
    os._exit(0)  # what it holds is closed by the kernel


if __name__ == "__main__":
    main()
