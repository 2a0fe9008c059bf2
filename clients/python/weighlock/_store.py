"""The folder where accepted files are kept, and the list that says which of them need not be hashed again.

    sha256/ab/cdef…/NAME          a file that was accepted under this name
    sets/ab/cdef…/FOLDER/…        the files of a set, under its digest
    known/…                       the list: an entry a file
    staging/…                     what is not judged yet; each is locked by its maker, and removed when that is gone

The folder is the caller's, and nobody else can write in it or exchange it.  A file appears in it by one link(2), a set by one
rename(2), and only after `accept`: whatever ends in between leaves nothing there, or all of it.  Everything here blocks.
"""
from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import stat
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._errors import NotJudged, UnsafeFolder
from ._files import OPEN_FILE, Path, Row, copy, digest_of, entries, reopened, row_of
from ._judges import Held

try:
    import fcntl
except ImportError:  # as in _files.py
    pass

CLOCK_REALTIME_COARSE = 5  # <linux/time.h>: what times of files are taken from
OLD_NS = 2_000_000_000  # what was changed longer ago than this shows it when it is changed again
KEPT_MODE = 0o400
STAGED = "file"
TRIES = 5


def boot_id() -> str:
    """After a crash, files can hold other bytes than were written; then all are hashed again."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        return f.read().strip()


def is_old(row: Row) -> bool:
    return time.time_ns() - max(row[3], row[4]) > OLD_NS


def after_tick(row: Row) -> None:
    """Once the kernel's clock has moved on, a later write has another time."""
    for _ in range(50):
        if time.clock_gettime_ns(CLOCK_REALTIME_COARSE) > max(row[3], row[4]):
            return
        time.sleep(0.001)


def link_fd(fd: int, path: str) -> None:
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:  # only with a folder's descriptor does os.link() follow the link in /proc, by linkat(2)
        os.link(f"/proc/self/fd/{fd}", os.path.basename(path), dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def digest_of_set(digests: Dict[str, str]) -> str:
    """As docs/set.schema.json has it."""
    names = sorted(digests, key=os.fsencode)
    return hashlib.sha256(b"".join(digests[name].encode() + b"  " + os.fsencode(name) + b"\0" for name in names)).hexdigest()


def default_folder() -> str:
    home = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(home if os.path.isabs(home) else os.path.join(os.path.expanduser("~"), ".cache"), "weighlock")


def others_may_write(st: os.stat_result) -> bool:
    """Also where the group is this user's own: who else has it as the primary one, no list of its members says."""
    return bool(st.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def make_folders(path: str) -> None:
    """As os.makedirs(), but that nobody else may write in any of them, whatever the umask is."""
    if not os.path.isdir(path):
        make_folders(os.path.dirname(path))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass


def make_folder(path: str) -> str:
    """The folder, made where it is missing, once nobody else can write in it or put another one in its place."""
    made = os.path.abspath(path)
    make_folders(os.path.dirname(made))
    try:
        os.mkdir(made, 0o700)
    except FileExistsError:
        pass
    st = os.lstat(made)
    if not stat.S_ISDIR(st.st_mode) or st.st_uid != os.geteuid() or others_may_write(st):
        raise UnsafeFolder(f"{made} must be a folder, and no link, of this user, in which nobody else can write (chmod 700)")
    real = os.path.realpath(made)
    at = os.path.dirname(real)
    while True:
        st = os.stat(at)
        if st.st_uid not in (0, os.geteuid()) or others_may_write(st) and not st.st_mode & stat.S_ISVTX:
            raise UnsafeFolder(f"{at}, around {made}, can be changed by others: name another folder (into=, XDG_CACHE_HOME), or chmod go-w")
        if at == os.path.dirname(at):
            return real
        at = os.path.dirname(at)


@dataclass
class Kept:
    """What was accepted, where it lies, and what its files were like when that was made sure."""

    path: str  # of the file, or of the folder of a set
    sha256: str
    documents: List[Any]  # the verdict; of a set those of its files behind it
    digests: Dict[str, str]  # of files, by their names below the path; of a file alone by ""
    rows: Dict[str, Row] = field(default_factory=dict)

    def where(self, name: str) -> str:
        return os.path.join(self.path, name) if name else self.path

    def unchanged(self) -> bool:
        """As far as the kernel's records tell.  Exactly these files, and no other."""
        try:
            if "" not in self.digests and names_below(self.path) != set(self.digests):
                return False
            return all(row_of(os.lstat(self.where(name))) == self.rows.get(name) for name in self.digests)
        except OSError:
            return False

    def whole(self) -> bool:
        """The same by reading it all.  Fills .rows."""
        try:
            if "" not in self.digests and names_below(self.path) != set(self.digests):
                return False
            for name, digest in self.digests.items():
                fd = os.open(self.where(name), OPEN_FILE | os.O_NOFOLLOW)
                try:
                    before = row_of(os.fstat(fd))
                    if not stat.S_ISREG(os.fstat(fd).st_mode) or digest_of(fd) != digest or row_of(os.fstat(fd)) != before:
                        return False
                    self.rows[name] = before
                finally:
                    os.close(fd)
        except OSError:
            return False
        return True


def names_below(folder: str) -> "set[str]":
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return {name for name, _, _, _ in entries(fd, "", 0, lambda name: True)}
    finally:
        os.close(fd)


class Staging:
    """A folder of its maker alone, held by a lock."""

    def __init__(self, parent: str) -> None:
        for _ in range(TRIES):
            self.path = os.path.join(parent, secrets.token_hex(8))
            os.mkdir(self.path, 0o700)
            try:
                self.fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                fcntl.flock(self.fd, fcntl.LOCK_EX)
            except FileNotFoundError:
                continue  # swept before it was locked
            if os.fstat(self.fd).st_nlink:
                return
            os.close(self.fd)
        raise OSError(errno.EBUSY, "cannot make a folder", parent)

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.fd)


def sweep(parent: str) -> None:
    """Remove what nobody holds any more: its maker has died."""
    for entry in os.listdir(parent):
        path = os.path.join(parent, entry)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(fd)


@dataclass
class Staged:
    """Copies that nobody has seen yet, read-only."""

    held: List[Held]
    folder: Optional[Staging]
    sources: List[Optional[Row]]  # what was copied, where that did not change meanwhile
    rows: List[Row]  # the copies, as they were when they were filled

    def unname(self) -> None:
        """The name in staging goes once there is a better one, for that changes the ctime."""
        if self.folder is not None:
            os.unlink(os.path.join(self.folder.path, STAGED))

    def close(self) -> None:
        for held in self.held:
            os.close(held.fd)
        if self.folder is not None:
            self.folder.close()


class Store:
    def __init__(self, folder: Optional[Path]) -> None:
        self.path = make_folder(os.fspath(folder) if folder is not None else default_folder())
        for name in ("sha256", "sets", "known", "staging"):
            os.makedirs(self._in(name), mode=0o700, exist_ok=True)
            st = os.lstat(self._in(name))
            if not stat.S_ISDIR(st.st_mode) or st.st_uid != os.geteuid() or others_may_write(st):
                raise UnsafeFolder(f"{self._in(name)} must be a folder of this user, in which nobody else can write (chmod 700)")

    def _in(self, *names: str) -> str:
        return os.path.join(self.path, *names)

    def _home(self, kind: str, sha256: str, name: str) -> str:
        return self._in(kind, sha256[:2], sha256[2:], name)

    # ---- the list ----

    def _entry(self, *key: Any) -> str:
        return self._in("known", hashlib.sha256(json.dumps(key).encode()).hexdigest())

    def _note(self, value: Any, *key: Any) -> None:
        entry = self._entry(*key)
        with open(f"{entry}.{secrets.token_hex(8)}", "x", encoding="utf-8") as f:
            json.dump(value, f)
        os.replace(f.name, entry)

    def _noted(self, *key: Any) -> Optional[Dict[str, Any]]:
        try:
            with open(self._entry(*key), encoding="utf-8") as f:
                value = json.load(f)
            return value if isinstance(value, dict) else None
        except (OSError, ValueError):
            return None

    def _forget(self, *key: Any) -> None:
        try:
            os.unlink(self._entry(*key))
        except FileNotFoundError:
            pass

    def note_sources(self, sources: Sequence[Optional[Row]], names: Sequence[str], who: Any, kept: Kept) -> None:
        """These files hold what is kept, as long as they are as they were when they were copied."""
        if all(row is not None and is_old(row) for row in sources):
            self._note({"sha256": kept.sha256}, "source", sources, names, os.path.basename(kept.path), who)

    def note(self, kind: str, kept: Kept, who: Any) -> None:
        """Rows that are too young to show a change are left out: then all is hashed again."""
        old = all(is_old(row) for row in kept.rows.values())
        self._note({"boot": boot_id(), "rows": kept.rows if old else {}, "digests": kept.digests, "documents": kept.documents},
                   kind, kept.sha256, os.path.basename(kept.path), who)

    def known(self, kind: str, sources: Sequence[Row], names: Sequence[str], name: str, who: Any) -> Optional[Kept]:
        """What was accepted before, by this judge and under this name, and is there as it was."""
        source = self._noted("source", sources, names, name, who)
        return self.known_digest(kind, str(source.get("sha256")), name, who) if source else None

    def known_digest(self, kind: str, sha256: str, name: str, who: Any) -> Optional[Kept]:
        noted = self._noted(kind, sha256, name, who)
        if noted is None:
            return None
        try:
            kept = Kept(self._home(kind, sha256, name), sha256, noted["documents"], noted["digests"], noted["rows"])
        except KeyError:
            return None
        if noted.get("boot") == boot_id() and kept.unchanged():
            return kept
        kept.rows = {}
        if kept.whole():
            self.note(kind, kept, who)
            return kept
        self._forget(kind, sha256, name, who)
        return None

    # ---- copies ----

    def stage(self, source: int, name: str) -> Staged:
        """A copy without a name, or where the file system has none such, with one in staging."""
        folder, path = None, self._in("staging")
        sweep(path)
        try:
            fd = os.open(path, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as e:
            if e.errno not in (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL):
                raise
            folder = Staging(path)
            fd = os.open(os.path.join(folder.path, STAGED), os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            row = self._filled(source, fd)
            return Staged([Held(name, reopened(fd))], folder, [row], [row_of(os.fstat(fd))])
        except BaseException:
            if folder is not None:
                folder.close()
            raise
        finally:
            os.close(fd)

    def stage_set(self, files: Sequence[Tuple[str, int]], name: str) -> Staged:
        sweep(self._in("staging"))
        staged = Staged([], Staging(self._in("staging")), [], [])
        assert staged.folder is not None
        try:
            os.mkdir(os.path.join(staged.folder.path, name), 0o700)
            for file, source in files:
                path = os.path.join(staged.folder.path, name, file)
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
                try:
                    staged.sources.append(self._filled(source, fd))
                    staged.held.append(Held(file, reopened(fd)))
                    staged.rows.append(row_of(os.fstat(fd)))
                finally:
                    os.close(fd)
        except BaseException:
            staged.close()
            raise
        return staged

    @staticmethod
    def _filled(source: int, fd: int) -> Optional[Row]:
        before = row_of(os.fstat(source))
        copy(source, fd)
        os.fchmod(fd, KEPT_MODE)
        return before if row_of(os.fstat(source)) == before else None

    # ---- after accept ----

    def keep(self, staged: Staged, sha256: str, document: Any, who: Any) -> Kept:
        """Link the copy under its digest.  Where another one is already, it is that one, if it is whole."""
        held = staged.held[0]
        kept = Kept(self._home("sha256", sha256, held.name), sha256, [document], {"": sha256})
        os.makedirs(os.path.dirname(kept.path), mode=0o700, exist_ok=True)
        after_tick(staged.rows[0])

        def link() -> bool:
            link_fd(held.fd, kept.path)
            staged.unname()
            kept.rows = {"": row_of(os.fstat(held.fd))}
            return kept.rows[""][:4] == staged.rows[0][:4]  # nobody wrote since it was filled; a link changes the ctime

        return self._put("sha256", kept, who, link)

    def keep_set(self, staged: Staged, digests: Dict[str, str], name: str, documents: List[Any], who: Any) -> Kept:
        sha256 = digest_of_set(digests)
        kept = Kept(self._home("sets", sha256, name), sha256, documents, digests)
        os.makedirs(os.path.dirname(kept.path), mode=0o700, exist_ok=True)
        assert staged.folder is not None
        own = os.path.join(staged.folder.path, name)

        def rename() -> bool:
            kept.rows = {held.name: row for held, row in zip(staged.held, staged.rows)}
            os.rename(own, kept.path)
            return all(row_of(os.fstat(held.fd)) == row for held, row in zip(staged.held, staged.rows))

        return self._put("sets", kept, who, rename)

    def _put(self, kind: str, kept: Kept, who: Any, place: Any) -> Kept:
        for _ in range(TRIES):
            try:
                good = place()
            except OSError as e:
                if e.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
                    raise
                good = kept.whole()
            if good and kept.unchanged():
                self.note(kind, kept, who)
                return kept
            self._remove(kept.path)
        raise NotJudged(f"{kept.path} does not stay as it was put there", 1.0)

    def _remove(self, path: str) -> None:
        """Out of the way at once, also where it is a folder."""
        gone = Staging(self._in("staging"))
        try:
            os.rename(path, os.path.join(gone.path, "gone"))
        except FileNotFoundError:
            pass
        finally:
            gone.close()


