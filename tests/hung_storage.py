"""A file system that answers or does not, as a test wishes, or each reader what it wishes: the FUSE protocol spoken by hand
(linux/fuse.h), with one file in it.  Start no process while a descriptor is open: the child would close its copy, and hang.  Needs root
and /dev/fuse; without them the test is skipped."""
import ctypes
import os
import stat
import struct
import tempfile
import threading

import tap

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, INTERRUPT = 1, 2, 3, 14, 15, 18, 25, 26, 36
IN_HEADER = struct.Struct("<IIQQIIIHH")
OUT_HEADER = struct.Struct("<IiQ")
ENOENT, ENOSYS = 2, 38
MNT_FORCE, MNT_DETACH = 1, 2
WATCHDOG_S = 240  # what waits for this storage cannot be killed
libc = ctypes.CDLL(None, use_errno=True)


class HungStorage:
    """with HungStorage(b"bytes of the file") as storage: os.open(storage.path, ...); storage.hang(FLUSH)"""

    def __init__(self, content):
        self.content = content
        self.hanging = set()
        self.fds = []
        self.seen = []  # opcodes that were left without an answer
        self.read = None  # (pid of who reads, offset, size) to bytes, where these are not simply the content

    def __enter__(self):
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR)
        except OSError as e:
            raise tap.Skip(f"/dev/fuse: {e.strerror}") from None
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        options = f"fd={self.device},rootmode=40755,user_id=0,group_id=0,allow_other".encode()
        if libc.mount(b"hung", self.folder.encode(), b"fuse", 0, options) != 0:
            os.close(self.device)
            os.rmdir(self.folder)
            raise tap.Skip("cannot mount a FUSE file system here")
        self.path = os.path.join(self.folder, "file")
        self.server = threading.Thread(target=self.serve, daemon=True)
        self.server.start()
        self.watchdog = threading.Timer(WATCHDOG_S, self.abort)
        self.watchdog.daemon = True
        self.watchdog.start()
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.abort()
        for fd in self.fds:
            try:
                os.close(fd)
            except OSError:
                pass  # ENOTCONN: closed all the same
        libc.umount2(self.folder.encode(), MNT_DETACH)
        self.server.join(5)
        os.close(self.device)
        os.rmdir(self.folder)

    def abort(self):
        """Whatever hangs is let go, with an error."""
        libc.umount2(self.folder.encode(), MNT_FORCE)

    def open(self):
        """A descriptor of the file, which is the storage's to close: only when it is gone is that sure to end."""
        self.fds.append(os.open(self.path, os.O_RDONLY))
        return self.fds[-1]

    def hang(self, *opcodes):
        self.hanging |= set(opcodes)

    def attributes(self, node):
        mode = stat.S_IFDIR | 0o755 if node == 1 else stat.S_IFREG | 0o644
        return struct.pack("<6Q10I", node, len(self.content), 1, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, opcode, node, pid, body):
        """Bytes, or an errno."""
        if opcode == INIT:
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 64, 48, 131072, 1, 0, 0, 0)
        if opcode == LOOKUP:
            return struct.pack("<QQQQII", 2, 0, 0, 0, 0, 0) + self.attributes(2) if body == b"file\0" else ENOENT
        if opcode == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(node)
        if opcode == OPEN:
            return struct.pack("<QII", 1, 1, 0)  # FOPEN_DIRECT_IO
        if opcode == READ:
            offset, size = struct.unpack_from("<8xQI", body)
            return self.read(pid, offset, size) if self.read else self.content[offset:offset + size]
        return b"" if opcode in (FLUSH, RELEASE) else ENOSYS

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 20)
            except OSError:  # ENODEV: unmounted or aborted
                return
            _, opcode, unique, node, _, _, pid = IN_HEADER.unpack_from(request)[:7]
            if opcode in (FORGET, INTERRUPT):
                continue
            if opcode in self.hanging:
                self.seen.append(opcode)
                continue
            result = self.answer(opcode, node, pid, request[IN_HEADER.size:])
            error, data = (-result, b"") if isinstance(result, int) else (0, result)
            try:
                os.write(self.device, OUT_HEADER.pack(OUT_HEADER.size + len(data), error, unique) + data)
            except OSError:
                pass  # it was interrupted meanwhile
