"""The build backend (PEP 517): standard library only, no network, and the same bytes from the same sources.

A wheel holds the package; with programs it judges by itself, and is of one machine. They are taken from the folder that
WEIGHLOCK_PROGRAMS names, or the build's config setting `programs`: what `./dev dist` puts together (`bin/weighlock`,
`libexec/weighlock/weighlock-worker`, static, so that they need no library whatever the distribution), with the licences of
what is linked in below `share/doc/weighlock/licenses`. Times of files are SOURCE_DATE_EPOCH.
"""
import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "weighlock"
PROGRAMS = ("bin/weighlock", "libexec/weighlock/weighlock-worker")
LICENSES = "share/doc/weighlock/licenses"
# Linked statically, they run beside any C library; of the kernel they need what docs/install.md says.
LINUX_TAG = "py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64"
PURE_TAG = "py3-none-any"
EPOCH_MIN = 315532800  # 1980: where the times of ZIP begin


def read(*names):
    with open(os.path.join(HERE, *names), "rb") as f:
        return f.read()


def version():
    return re.search(r'^__version__ = "([^"]+)"$', read(NAME, "__init__.py").decode(), re.M).group(1)


def epoch():
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH_MIN)), EPOCH_MIN)


def metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: Judge machine-learning model files before they are loaded\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nClassifier: Typing :: Typed\nClassifier: Operating System :: POSIX :: Linux\n"
            "Description-Content-Type: text/markdown\n\n").encode() + read("README.md")


def sources():
    """(path, bytes) of the package."""
    return [(f"{NAME}/{name}", read(NAME, name)) for name in sorted(os.listdir(os.path.join(HERE, NAME)))
            if name.endswith(".py") or name == "py.typed"]


def programs(folder):
    """(path, bytes) of what judges, and of the licences in it."""
    def of(name):
        with open(os.path.join(folder, name), "rb") as f:
            return f.read()

    licenses = os.path.join(folder, LICENSES)
    found = [(f"{NAME}/_programs/{name}", of(name)) for name in PROGRAMS]
    if os.path.isdir(licenses):
        found += [(f"{dist_info()}/licenses/{name}", of(f"{LICENSES}/{name}")) for name in sorted(os.listdir(licenses))]
    return found


def dist_info():
    return f"{NAME}-{version()}.dist-info"


def metadata_files(tag, with_programs):
    files = [(f"{dist_info()}/METADATA", metadata())]
    pure = "false" if with_programs else "true"
    tags = [f"py3-none-{platform}" for platform in tag.split("-")[2].split(".")]
    files.append((f"{dist_info()}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: weighlock\nRoot-Is-Purelib: {pure}\n" +
                                           "".join(f"Tag: {t}\n" for t in tags)).encode()))
    if with_programs:
        files.append((f"{dist_info()}/entry_points.txt", b"[console_scripts]\nweighlock = weighlock.__main__:main\n"))
    license_ = os.path.join(HERE, "..", "..", "LICENSE")
    if os.path.exists(license_):
        files.append((f"{dist_info()}/licenses/LICENSE", read("..", "..", "LICENSE")))
    return files


def put(archive, path, data):
    info = zipfile.ZipInfo(path, time.gmtime(epoch())[:6])
    info.external_attr = (0o100755 if "/_programs/" in path else 0o100644) << 16
    info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
    archive.writestr(info, data, compresslevel=9)


def write_wheel(folder, tag, files):
    record = ""
    for path, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    record += f"{dist_info()}/RECORD,,\n"
    name = f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, data in [*files, (f"{dist_info()}/RECORD", record.encode())]:
            put(archive, path, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = (config_settings or {}).get("programs") or os.environ.get("WEIGHLOCK_PROGRAMS")
    tag = LINUX_TAG if folder else PURE_TAG
    files = sources() + (programs(folder) if folder else []) + metadata_files(tag, bool(folder))
    return write_wheel(wheel_directory, tag, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The folder itself, on the path; it judges with a daemon or an installed command."""
    return write_wheel(wheel_directory, PURE_TAG, [(f"_{NAME}.pth", HERE.encode() + b"\n"), *metadata_files(PURE_TAG, False)])


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{version()}"
    files = [*sources(), *[(name, read(name)) for name in ("pyproject.toml", "backend.py", "README.md")], ("PKG-INFO", metadata())]
    with open(os.path.join(sdist_directory, base + ".tar.gz"), "wb") as out, gzip.GzipFile("", "wb", 9, out, epoch()) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files:
            info = tarfile.TarInfo(f"{base}/{path}")
            info.size, info.mtime, info.mode = len(data), epoch(), 0o644
            archive.addfile(info, io.BytesIO(data))
    return base + ".tar.gz"
