"""From what the caller names to open descriptors, and copies of them.  Everything here blocks."""
from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import tempfile
from dataclasses import dataclass
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

from ._judges import Held

try:
    import fcntl
    OPEN_FILE = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
except (ImportError, AttributeError):  # elsewhere the package can be imported, and says that nobody judges there
    OPEN_FILE = os.O_RDONLY

FICLONE = 0x40049409
F_ADD_SEALS, SEALS = 1033, 0x1 | 0x2 | 0x4 | 0x8  # <linux/fcntl.h>: seal, shrink, grow, write
BLOCK = 1 << 20
DEPTH_MAX = 128

Path = Union[str, "os.PathLike[str]"]
Input = Union[Path, bytes, bytearray, memoryview, IO[bytes]]
Row = List[int]


def row_of(st: os.stat_result) -> Row:
    """What does not stay as it was when a file is written to, or is another one."""
    return [st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns]


def regular(fd: int, name: str) -> int:
    """The descriptor, if it is of a regular file; else it is closed."""
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "a folder: scan_set() and admit_folder() take those", name)
    raise OSError(errno.EINVAL, "not a regular file", name)


def open_path(path: Path) -> int:
    return regular(os.open(path, OPEN_FILE), os.fspath(path))


def reopened(fd: int) -> int:
    """The same file, by a descriptor that cannot write and stands at the beginning."""
    return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)


def memory_file(name: str) -> int:
    return os.memfd_create(name.encode("utf-8", "replace")[:200].decode("utf-8", "ignore"), os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def sealed(fd: int) -> int:
    """Nobody can change it any more, by whatever descriptor.  Takes `fd`."""
    try:
        fcntl.fcntl(fd, F_ADD_SEALS, SEALS)
        return reopened(fd)
    finally:
        os.close(fd)


def write_all(fd: int, data: Any) -> None:
    left = memoryview(data).cast("B")
    while left:
        left = left[os.write(fd, left):]


def digest_of(fd: int, stop: Callable[[], bool] = lambda: False) -> str:
    digest, block, at = hashlib.sha256(), bytearray(BLOCK), 0
    view = memoryview(block)
    while not stop() and (n := os.preadv(fd, [block], at)) > 0:
        digest.update(view[:n])
        at += n
    return digest.hexdigest()


def copy(source: int, to: int, whole: bool = True) -> None:
    """What `source` holds, as many bytes as it has now: one that grows meanwhile does not fill the disk.  A shared extent
    where the file system has such, else by the kernel, else by hand.  What comes out is judged, whatever happens meanwhile."""
    size, done = os.fstat(source).st_size, 0
    try:
        fcntl.ioctl(to, FICLONE, source)
        return
    except OSError:
        pass
    try:
        while done < size and (n := os.copy_file_range(source, to, min(size - done, 1 << 30), done, done)) > 0:
            done += n
    except OSError as e:
        if e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
    os.lseek(to, done, os.SEEK_SET)
    while done < size and (block := os.pread(source, min(size - done, BLOCK), done)):
        write_all(to, block)
        done += len(block)


def spooled(file: IO[bytes]) -> int:
    """What a stream holds, in a file without a name."""
    with tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(file, spool, BLOCK)
        spool.flush()
        return reopened(spool.fileno())


def of_file(file: IO[bytes]) -> int:
    try:
        fd = file.fileno()
    except (AttributeError, OSError, ValueError):
        return spooled(file)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        return spooled(file)
    if hasattr(file, "flush"):
        file.flush()
    return reopened(fd)


def hold(what: Input, name: Optional[str], sha256: Optional[str] = None) -> Held:
    """Open; the caller closes .fd."""
    if isinstance(what, (bytes, bytearray, memoryview)):
        fd = memory_file(name or "bytes")
        write_all(fd, what)
        return Held(name or "bytes", sealed(fd), sha256 or hashlib.sha256(what).hexdigest())
    if hasattr(what, "read"):
        given = getattr(what, "name", None)
        return Held(name or (os.path.basename(given) if isinstance(given, str) else "file"), of_file(what), sha256)  # type: ignore[arg-type]
    path = os.fspath(what)
    return Held(name or os.path.basename(path), open_path(path), sha256)


# ---- folders ----

@dataclass(frozen=True)
class Found:
    name: str  # below the folder, with /
    fd: int


def by_walk(name: str) -> Tuple[bytes, ...]:
    """Sorts names as the command walks: each folder in the byte order of its names."""
    return tuple(os.fsencode(part) for part in name.split("/"))


def blobs_of(folder: str) -> Optional[str]:
    """The folder blobs of the Hub cache around a real path (models--ORG--NAME/{blobs,snapshots,refs})."""
    at = folder
    while at != os.path.dirname(at):
        if re.match("(models|datasets|spaces)--", os.path.basename(at)) and os.path.isdir(os.path.join(at, "snapshots")):
            blobs = os.path.join(at, "blobs")
            return blobs if os.path.isdir(blobs) and not os.path.islink(blobs) else None
        at = os.path.dirname(at)
    return None


def open_link(parent: int, entry: str, name: str, roots: Iterable[str]) -> int:
    """A link counts where it leads to a regular file inside the folder, or in the blobs of the Hub cache around it.  It is
    followed once; the kernel is asked where that is; and that very file is opened."""
    at = os.open(entry, os.O_PATH | os.O_CLOEXEC, dir_fd=parent)
    try:
        target = os.readlink(f"/proc/self/fd/{at}")
        if not any(target.startswith(root.rstrip("/") + "/") for root in roots):
            raise OSError(errno.ELOOP, "the link leads out of the folder", name)
        return regular(os.open(f"/proc/self/fd/{at}", OPEN_FILE), name)
    finally:
        os.close(at)


def walk(folder: Path, wanted: Callable[[str], bool] = lambda name: True) -> List[Found]:
    """Every file below a folder, open.  What is neither a file, a folder nor such a link is an error, unless it is not wanted:
    nothing is passed over in silence."""
    found: List[Found] = []
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        real = os.readlink(f"/proc/self/fd/{top}")
        blobs = blobs_of(real)
        for name, parent, entry, mode in entries(top, "", 0, wanted):
            if stat.S_ISLNK(mode):
                found.append(Found(name, open_link(parent, entry, name, [real] + ([blobs] if blobs else []))))
            else:
                found.append(Found(name, regular(os.open(entry, OPEN_FILE | os.O_NOFOLLOW, dir_fd=parent), name)))
    except BaseException:
        close_all(found)
        raise
    finally:
        os.close(top)
    return found


def entries(parent: int, prefix: str, depth: int, wanted: Callable[[str], bool]) -> Iterator[Tuple[str, int, str, int]]:
    if depth > DEPTH_MAX:
        raise OSError(errno.ELOOP, "folders are nested too deep", prefix)
    for entry in sorted(os.listdir(parent), key=os.fsencode):
        name = prefix + entry
        mode = os.stat(entry, dir_fd=parent, follow_symlinks=False).st_mode
        if not wanted(name):
            continue
        if not stat.S_ISDIR(mode):
            yield name, parent, entry, mode
            continue
        fd = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
        try:
            yield from entries(fd, name + "/", depth + 1, wanted)
        finally:
            os.close(fd)


def close_all(files: Iterable[Union[Found, Held]]) -> None:
    for file in files:
        os.close(file.fd)


def is_inside(name: str) -> bool:
    """A name that stays below the folder it is put in."""
    return bool(name) and "\0" not in name and all(part not in ("", ".", "..") for part in name.split("/"))


def hold_set(what: Union[Path, Mapping[str, Path], Iterable[Path]], wanted: Callable[[str], bool]) -> Tuple[List[Held], Optional[str], str]:
    """The files of a set, where they all lie if that is a folder with nothing else in it, and what to call it."""
    if isinstance(what, (str, os.PathLike)):
        left_out = set()

        def is_wanted(name: str) -> bool:
            if not wanted(name):
                left_out.add(name)
            return name not in left_out

        found, folder = walk(what, is_wanted), os.fspath(what)
        return [Held(f.name, f.fd) for f in found], None if left_out else folder, os.path.basename(os.path.abspath(folder))
    paths: Dict[str, Path] = {}
    for name, path in what.items() if isinstance(what, Mapping) else [(os.path.basename(os.fspath(p)), p) for p in what]:
        if name in paths or not is_inside(name):
            raise ValueError(f"{name!r}: a name that comes twice, or does not stay in a folder")
        paths[name] = path
    held: List[Held] = []
    try:
        for name in sorted(paths, key=by_walk):
            held.append(Held(name, open_path(paths[name])))
    except BaseException:
        close_all(held)
        raise
    return held, None, "set"


def pattern_filter(exclude: Iterable[str]) -> Callable[[str], bool]:
    """Not what matches one of the patterns, by its path or its last name."""
    from fnmatch import fnmatchcase

    patterns = [exclude] if isinstance(exclude, str) else list(exclude)
    return lambda name: not any(fnmatchcase(name, p) or fnmatchcase(name.rpartition("/")[2], p) for p in patterns)
