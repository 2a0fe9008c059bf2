"""What the build promises: arrows between the folders, a library that neither prints nor calls the kernel, hardened
programs, manuals that fit the programs, and packages that suffice."""
import glob
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile

import tap
from daemon import options

OPTIONS = options()
SOURCE = OPTIONS["source"]
BUILD = OPTIONS["build"]
SANITIZED = OPTIONS.get("sanitized") == "true"
PROGRAMS = ["cli/weighlock", "daemon/weighlockd", "worker/weighlock-worker"]


def inside(folder):
    return sorted(os.path.relpath(p, SOURCE).rstrip("/") for p in glob.glob(os.path.join(SOURCE, folder, "*/")) if glob.glob(p + "*.h"))


FOLDERS = ["lib", "lib/core", "lib/layout", "lib/engine", "lib/polyglots", "lib/text", *inside("lib/grammars"), *inside("lib/judges"),
           "lib/formats", *inside("lib/formats"), "lib/sets", "sandbox", "worker", "manifest", "policy", "store", "evidence", "daemon", *inside("daemon"), *inside("daemon/front"), "client", "cli", *inside("cli")]

# Made by the build.
GENERATED = {"build_id.h": "sandbox", "codes_table.h": "lib/core", "findings_table.h": "lib/core", "formats_table.h": "lib/core", "facts_versions.h": "store", "names_table.h": "lib/judges/pickle", "states_table.h": "lib/judges/pickle", "packs_table.h": "policy", "calls_table.h": "lib/judges/pickle", "html_page.h": "cli/outputs", "script_names_table.h": "lib/formats/pytorch"}

# Headers of libraries; what is in none of these is libc's or the kernel's.
LIBRARIES = {"openssl/": "libcrypto", "seccomp.h": "libseccomp", "jansson.h": "jansson", "yaml.h": "libyaml",
             "magic.h": "libmagic", "sqlite3.h": "libsqlite3", "event2/": "libevent", "event.h": "libevent", "systemd/": "libsystemd",
             "curl/": "libcurl", "zlib.h": "zlib", "bzlib.h": "libbz2", "lzma.h": "liblzma", "lz4frame.h": "liblz4",
             "zstd.h": "libzstd", "zstd_errors.h": "libzstd",
             "libdeflate.h": "libdeflate"}

# Where a program or library that we use comes from.
PACKAGES_OF_PROGRAMS = {
    "meson": "meson", "ninja": "ninja-build", "gcc": "gcc", "clang": "clang", "scdoc": "scdoc", "mandoc": "mandoc",
    "curl": "curl", "node": "nodejs", "chromium": "chromium", "python3": "python3", "readelf": "binutils", "nm": "binutils",
    "systemd-analyze": "systemd", "systemd-socket-activate": "systemd", "afl-fuzz": "afl++", "afl-clang-fast": "afl++",
    "openssl": "openssl", "clang-format-14": "clang-format-14"}
PACKAGES_OF_LIBRARIES = {
    "libcrypto": "libssl-dev", "libseccomp": "libseccomp-dev", "libevent_core": "libevent-dev",
    "jansson": "libjansson-dev", "libmagic": "libmagic-dev", "sqlite3": "libsqlite3-dev", "yaml-0.1": "libyaml-dev",
    "libsystemd": "libsystemd-dev", "zlib": "zlib1g-dev", "bzip2": "libbz2-dev", "bz2": "libbz2-dev",
    "liblzma": "liblzma-dev", "liblz4": "liblz4-dev", "libzstd": "libzstd-dev", "libdeflate": "libdeflate-dev", "check": "check", "threads": "libc6-dev"}


def need(program):
    path = shutil.which(program)
    if path is None:
        raise tap.Skip(f"{program} is not here")
    return path


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, (command, done.stderr[-500:])
    return done.stdout


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as f:
        return f.read()


def sources(folder):
    """Of one folder; those of lib do not count its subfolders."""
    return [os.path.relpath(p, SOURCE) for p in glob.glob(os.path.join(SOURCE, folder, "*.[ch]"))]


# ---- arrows ----

def rows():
    """folder -> names of folders and libraries, out of the table in docs/architecture.md"""
    table = {}
    for line in read("docs/architecture.md").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"`[a-z0-9/*]+/`", cells[0]):
            table[cells[0].strip("`").rstrip("/")] = set(re.findall(r"`([a-z0-9/*]+)`|\b(?!libc\b)(lib[a-z0-9]+|jansson|zlib)\b", cells[2]))
    return {k: {a or b for a, b in v} for k, v in table.items()}


def test_the_architecture_page_is_short_and_its_walks_name_what_there_is():
    page = read("docs/architecture.md")
    assert page.count("\n") <= 200, page.count("\n")
    walks = re.findall(r"^## The walk of [^\n]*\n(.*?)(?=^## )", page, re.MULTILINE | re.DOTALL)
    named = [set(re.findall(r"`(\w+)\(\)`", walk)) for walk in walks]
    assert len(named) == 2 and all(0 < len(names) <= 25 for names in named), [len(n) for n in named]
    sources = "\n".join(read(path) for folder in FOLDERS for path in glob.glob(os.path.join(SOURCE, folder, "*.c")))
    missing = [name for names in named for name in names if not re.search(rf"^[a-z].*[ *]{name}\(", sources, re.MULTILINE)]
    assert not missing, missing


def owner_of(header, folder):
    """The folder's own comes first, as for the compiler, and then those of its program."""
    if os.path.exists(os.path.join(SOURCE, folder, header)):
        return folder
    owners = [f for f in FOLDERS if os.path.exists(os.path.join(SOURCE, f, header))]
    owners = [f for f in owners if f.split("/")[0] == folder.split("/")[0]] or owners
    assert len(owners) <= 1, f"{header} is in {owners}: which one is included is chance"
    return owners[0] if owners else GENERATED.get(header)


def includes(path):
    return re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', read(path), re.MULTILINE)


def row_of(folder, table):
    """A folder's own row, or that of all in the folder above it: `lib/judges/*/`."""
    return folder if folder in table else os.path.dirname(folder) + "/*"


def uses_of(folder):
    """What the build lets a folder of the engine include, or None: `uses` of its meson.build."""
    path = os.path.join(SOURCE, folder, "meson.build")
    found = re.search(r"^uses = \[(.*?)\]", read(path), re.MULTILINE | re.DOTALL) if os.path.exists(path) else None
    return None if found is None else {"lib/" + name for name in re.findall(r"'([^']+)'", found[1])}


def test_every_folder_of_sources_has_a_row():
    table = rows()
    missing = {f for f in FOLDERS if row_of(f, table) not in table}
    assert not missing, missing


def test_the_engines_folders_use_what_their_build_files_say():
    """The compiler refuses what a folder does not use; here: what it says it uses it includes."""
    wrong, seen = [], 0
    for folder in FOLDERS:
        uses = uses_of(folder)
        if uses is None:
            continue
        seen += 1
        found = {owner_of(name, folder) for p in sources(folder) for mark, name in includes(p) if mark == '"'}
        found -= {folder, "lib/core"}
        if found != uses:
            wrong.append(f"{folder}: includes {sorted(found - uses)}, does not include {sorted(uses - found)}")
    assert not wrong and seen > 30, (seen, "\n".join(wrong))


def test_every_folder_of_sources_counts_for_the_build_and_the_formatter():
    tops = {f.split("/")[0] for f in FOLDERS}
    hashed = set(re.findall(r'"(\w+)"', re.search(r"^FOLDERS = (.*)$", read("sandbox/build_id.py"), re.MULTILINE)[1]))
    formatted = set(re.search(r"files=\$\(find ([a-z ]+) -name", read("dev"))[1].split())
    assert tops == hashed and tops <= formatted, (tops ^ hashed, tops - formatted)


def test_no_include_leaves_its_folder_by_path():
    found = [(p, name) for f in FOLDERS for p in sources(f) for _, name in includes(p) if ".." in name]
    assert not found, found


def compile_commands():
    """source -> words"""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
        return {os.path.relpath(os.path.join(c["directory"], c["file"]), SOURCE): shlex.split(c["command"]) for c in json.load(f)}


def test_an_arrow_that_no_row_names_does_not_compile():
    commands = compile_commands()
    for source, own, others in (("lib/engine/stream.c", "stream.h", ("config_names.h",)),
                                ("lib/judges/pickle/judge.c", "judge.h", ("numpy_descr.h",)),
                                ("lib/formats/numpy/npy.c", "zip_layout.h", ("pickle_file.h",)),
                                ("lib/formats/json/json_file.c", "json_file.h", ("tokenizer_json.h",)),
                                ("cli/outputs/github.c", "print.h", ("window.h", "commands.h")),
                                ("daemon/front/base/pool.c", "pool.h", ("jobs.h", "conn.h", "front.h")),
                                ("daemon/keeper/keeper.c", "control.h", ("child.h", "front.h", "keeper_link.h")),
                                ("daemon/monitor/crews.c", "role.h", ("keeper.h", "front.h")),
                                ("daemon/wire/log.c", "settings.h", ("keeper.h", "monitor.h", "front.h")),
                                ("daemon/config/config.c", "policy.h", ("log.h", "control.h"))):
        command = commands[source]
        command = [*command[:command.index("-MD")], "-fsyntax-only", "-x", "c", "-"]
        for header in (own, *others):
            done = subprocess.run(command, input=f'#include "{header}"\n', cwd=BUILD, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
            assert (done.returncode == 0) == (header == own), (source, header, done.stderr)
            assert header == own or header in done.stderr, (source, header, done.stderr)


def test_includes_follow_the_arrows_of_the_architecture():
    table, wrong = rows(), []
    for folder in FOLDERS:
        allowed = table[row_of(folder, table)] | {folder} | (uses_of(folder) or set()) | {"lib/core"}
        parent = os.path.dirname(folder)
        while parent in ("daemon", "daemon/front"):  # the row names what it has beside those above it
            allowed |= table[parent] | {parent}
            parent = os.path.dirname(parent)
        if folder in ("lib/formats", "daemon", "daemon/front"):
            allowed |= {f for f in FOLDERS if f.startswith("lib") or f.startswith(folder)}
        if "lib" in allowed:
            allowed |= {f for f in FOLDERS if f.startswith("lib")}
        for path in sources(folder):
            for mark, name in includes(path):
                if mark == '"':
                    target = owner_of(name, folder)
                else:
                    target = next((lib for prefix, lib in LIBRARIES.items() if name.startswith(prefix)), folder)
                if target not in allowed:
                    wrong.append(f"{path} includes {name} of {target}")
    assert not wrong, "\n".join(wrong)


def seen_from(folder, table):
    """Folders whose headers a library that uses these may see: its row, and what those use."""
    seen, ahead = set(), {folder}
    while ahead:
        seen |= ahead
        ahead = set().union(*(table.get(f, set()) for f in ahead)) - seen
    return seen


def test_the_build_shows_the_command_no_folder_beside_its_rows():
    table, commands = rows(), compile_commands()
    for folder in inside("cli"):
        source = sorted(p for p in commands if os.path.dirname(p) == folder)[0]
        flags = [x for x in commands[source] if x.startswith("-I")]
        places = [os.path.normpath(os.path.join(BUILD, x[2:])) for x in flags]
        seen = {os.path.relpath(p, SOURCE) for p in places if not p.startswith(BUILD)}
        assert seen <= seen_from(folder, table), (folder, seen - seen_from(folder, table))
        assert folder in seen and not seen & {"cli", "cli/convert", "cli/diff", "daemon", "worker"} - {folder}, (folder, seen)


def seen_by(folder, among):
    """Folders that its sources are compiled with."""
    command = compile_commands()[next(s for s in sources(folder) if s.endswith(".c"))]
    paths = [os.path.normpath(os.path.join(BUILD, a[2:])) for a in command if a.startswith("-I")]
    return {os.path.relpath(p, SOURCE) for p in paths} & among


def test_a_folder_of_the_daemon_is_compiled_with_what_its_row_names():
    table = rows()
    for among in (set(inside("daemon/front")), set(inside("daemon")) - {"daemon/front"}):
        for folder in among:
            named, seen = (table[folder] & among) | {folder}, seen_by(folder, among)
            assert seen == named, (folder, seen ^ named)


# ---- the library ----

def archives(pattern="**/libwlk_*.a"):
    found = glob.glob(os.path.join(BUILD, pattern), recursive=True)
    assert found, f"no archive {pattern} in {BUILD}"
    return found


def symbols(archive, *kind):
    return set(line.split()[-1] for line in output(need("nm"), *kind, archive).splitlines()
               if line and not line.endswith(":"))


def test_the_library_calls_neither_kernel_nor_printf():
    if SANITIZED:
        raise tap.Skip("a sanitizer adds calls of its own")
    # Memory, strings, libcrypto's digests, codecs that are pushed (none of them reads or writes a file; their memory
    # comes from the arena), libyaml's parser of a text at hand, strtod for the text of a float, and what compilers put in.  An assertion that fails writes and aborts: a
    # bug of ours, and under the filter a death.
    allowed = re.compile(r"mem(cpy|move|set|cmp|r?chr|mem)|str(len|cmp|ncmp|chr|rchr|spn|cspn)|strn?casecmp|(m|c|re)alloc"
                         r"|strnlen|strtod|inflate(Init2_|End)?|libdeflate_(crc32|adler32)|BZ2_bzDecompress(Init|End)?"
                         r"|yaml_parser_(initialize|delete|set_input_string|set_encoding|parse)|yaml_event_delete"
                         r"|lzma_(code|end|alone_decoder|stream_decoder)"
                         r"|LZ4F_(createDecompressionContext_advanced|decompress|freeDecompressionContext|isError|getErrorName)"
                         r"|ZSTD_(createDCtx_advanced|DCtx_setParameter|decompressStream|freeDCtx|getErrorCode|getFrameHeader|isError)"
                         r"|free|EVP_\w+|SHA256_(Init|Update|Final)|__assert_fail|__stack_chk_fail|__(mem|str)\w+_chk"
                         r"|_GLOBAL_OFFSET_TABLE_|__cpu_model|__cpu_indicator_init|_DYNAMIC|_Unwind_Resume"
                         r"|__gcc_personality_v0|__popcountdi2|__u?(mod|div)ti3")
    lib = archives("lib/**/libwlk_*.a")
    own = set().union(*(symbols(a, "-g", "--defined-only") for a in lib))
    stray = {s for a in lib for s in symbols(a, "-u") if s not in own and not allowed.fullmatch(s)}
    assert not stray, sorted(stray)


def test_no_name_is_defined_in_two_archives():
    seen, twice = {}, []
    for archive in archives():
        for name in symbols(archive, "-g", "--defined-only"):
            if name in seen and "san" not in name and not name.startswith("DW.ref."):  # the compiler's own
                twice.append((name, seen[name], archive))
            seen[name] = archive
    assert not twice, twice


def exported(library):
    """What a shared library offers to others, without versions."""
    lines = output(need("nm"), "-D", "--defined-only", "-P", library).splitlines()
    return {line.split()[0].partition("@")[0] for line in lines if line.split()[1] in "TWiBDRVu"}


def libraries_of(program):
    """And the loader, which ldd names without an arrow."""
    return re.findall(r"(?:=> |^\t)(/\S+)", output(need("ldd"), os.path.join(BUILD, program)), re.MULTILINE)


def test_no_name_of_ours_takes_the_place_of_a_librarys():
    """A program's own function is called instead of libc's of the same name, by every library in the process."""
    if SANITIZED:
        raise tap.Skip("a sanitizer takes the place of many on purpose")
    shared = sorted(p for p in glob.glob(os.path.join(BUILD, "client", "*.so.*")) if not p.endswith(".p") and os.path.isfile(p))
    ours = {a: symbols(a, "-g", "--defined-only") for a in [*archives(), *shared]}
    for program in PROGRAMS:  # what a program takes over from a library as data has the library's version behind it; _ is the compiler's
        names = output(need("nm"), "-g", "--defined-only", "-P", os.path.join(BUILD, program)).split("\n")
        ours[program] = {n.split()[0] for n in names if n and "@" not in n.split()[0] and not n.startswith("_")}
    theirs = {lib: exported(lib) for program in PROGRAMS for lib in libraries_of(program)}
    assert len(theirs) > 8 and all(any(name in names for names in theirs.values()) for name in ("send", "__tls_get_addr")), sorted(theirs)
    both = [(a, lib, sorted(own & names)) for a, own in ours.items() for lib, names in theirs.items() if own & names]
    assert not both, both


# ---- hardening ----

def elf(program, *what):
    if SANITIZED:
        raise tap.Skip("a sanitizer build is not for use")
    return output(need("readelf"), "-W", *what, os.path.join(BUILD, program))


def test_programs_are_position_independent():
    for p in PROGRAMS:
        assert "Position-Independent Executable" in elf(p, "-h"), p
        assert "TEXTREL" not in elf(p, "-d"), p


def test_programs_are_bound_at_start_and_then_read_only():
    for p in PROGRAMS:
        assert "BIND_NOW" in elf(p, "-d") and "GNU_RELRO" in elf(p, "-l"), p


def test_no_memory_of_a_program_is_writable_and_executable():
    for p in PROGRAMS:
        segments = re.findall(r"^\s+(LOAD|GNU_STACK)\s.*0x\S+\s+0x\S+\s+([RWE ]{3})\s+0x", elf(p, "-l"), re.MULTILINE)
        assert len(segments) >= 3 and any(kind == "GNU_STACK" for kind, _ in segments), (p, segments)
        assert not any("W" in flags and "E" in flags for _, flags in segments), (p, segments)


def test_programs_look_for_libraries_nowhere_else():
    for p in PROGRAMS:
        assert not re.search(r"R(UN)?PATH", elf(p, "-d")), p


def test_programs_have_canaries_and_checked_calls():
    for p in PROGRAMS:
        imported = elf(p, "--dyn-syms")
        assert "__stack_chk_fail" in imported, p
        assert re.search(r"__\w+_chk@", imported.replace("__stack_chk_fail", "")), p


def test_every_object_can_be_entered_at_marked_places_only():
    """IBT and SHSTK.  Of the objects: Debian's C runtime is without, so a linker drops the mark of whole programs."""
    if SANITIZED or platform.machine() != "x86_64":
        raise tap.Skip("for hardened builds on x86-64")
    objects = [o for f in FOLDERS for o in glob.glob(os.path.join(BUILD, f, "*.p", "*.o"))]
    assert len(objects) > 40, objects
    notes = output(need("readelf"), "-nW", *objects).split("File: ")[1:]
    without = [n.splitlines()[0] for n in notes if "IBT" not in n or "SHSTK" not in n]
    assert len(notes) == len(objects) and not without, without


# ---- manuals ----

def help_of(program):
    if program == "weighlockd":
        return output(OPTIONS["weighlockd"], "--help")
    commands = re.findall(r"^  weighlock (\w[\w-]*)", output(OPTIONS["weighlock"], "--help"), re.MULTILINE)
    assert {"scan", "rules", "policy", "doctor"} <= set(commands), commands
    return output(OPTIONS["weighlock"], "--help") + "".join(output(OPTIONS["weighlock"], "help", c) for c in sorted(set(commands)))


def long_options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


def test_manuals_and_help_name_the_same_options():
    for program, page in (("weighlock", "weighlock.1"), ("weighlockd", "weighlockd.8")):
        told, written = long_options(help_of(program)), long_options(read(f"docs/man/{page}.scd"))
        # Every command has --help.  The monitor's words to the front it starts are nobody's business.
        assert told - written - {"--help"} == set(), (page, "does not name", told - written)
        # A manual may name a shell's options in an example, on a line that begins with $.
        prose = "\n".join(line for line in read(f"docs/man/{page}.scd").splitlines() if not line.strip().startswith("$"))
        assert long_options(prose) - told == set(), (page, "names what is none", long_options(prose) - told)


def test_manuals_have_no_fault():
    mandoc = need("mandoc")
    pages = glob.glob(os.path.join(BUILD, "docs", "weighlock*.[158]"))
    if not pages:
        raise tap.Skip("built without manuals")
    assert len(pages) == 3, pages
    for page in pages:
        done = subprocess.run([mandoc, "-Tlint", "-Wwarning", page], stdout=subprocess.PIPE, text=True)
        # scdoc writes a paragraph macro around every heading and list; it has no effect.
        faults = [line for line in done.stdout.splitlines() if "skipping paragraph macro: PP" not in line]
        assert not faults, "\n".join(faults)


# ---- installing ----

def test_a_build_installs_itself_unless_it_is_sanitized():
    meson = need("meson")
    with tempfile.TemporaryDirectory() as root:
        done = subprocess.run([meson, "install", "-C", BUILD, "--no-rebuild", "--destdir", root],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        there = {f for _, _, files in os.walk(root) for f in files}
    programs = {os.path.basename(p) for p in PROGRAMS}
    if SANITIZED:
        assert done.returncode != 0 and "not for installing" in done.stdout, done.stdout[-500:]
        assert not programs & there, programs & there
    else:
        assert done.returncode == 0, done.stdout[-1000:]
        wanted = programs | {"verdict.schema.json", "openapi.yaml", "problem.schema.json", "weighlock-client.h",
                             "weighlock-client.pc", "libweighlock-client.so.0", "weighlockd.service", "weighlockd.socket"}
        assert wanted <= there, wanted - there


def installed():
    """A folder with everything a sound build installs."""
    if SANITIZED:
        raise tap.Skip("a sanitizer build does not install")
    root = tempfile.mkdtemp(prefix="weighlock-install-")
    output(need("meson"), "install", "-C", BUILD, "--no-rebuild", "--destdir", root)
    return root


def test_the_installed_unit_starts_what_was_installed():
    root = installed()
    try:
        unit = glob.glob(f"{root}/**/weighlockd.service", recursive=True)
        assert len(unit) == 1, unit
        with open(unit[0], encoding="utf-8") as f:
            words = re.search(r"^ExecStart=(.*)$", f.read(), re.MULTILINE).group(1).split()
        paths = [w for w in words if w.startswith("/")]
        assert paths and all(os.path.isfile(root + p) for p in paths), ("not installed", [p for p in paths if not os.path.isfile(root + p)])
    finally:
        shutil.rmtree(root)


def test_the_installed_command_finds_its_worker():
    root = installed()
    try:
        command = glob.glob(f"{root}/**/bin/weighlock", recursive=True)
        assert "model files cannot be judged here" not in output(command[0], "doctor")
    finally:
        shutil.rmtree(root)


def test_the_socket_has_one_name_in_units_defaults_and_manuals():
    names = {}
    for pattern in ("README.md", "systemd/*", "docs/*.yaml", "docs/man/*.scd", "daemon/*.c"):
        for path in glob.glob(os.path.join(SOURCE, pattern)):
            for name in re.findall(r"/run/weighlock/[a-z]+\.sock", read(os.path.relpath(path, SOURCE))):
                names.setdefault(name, set()).add(os.path.relpath(path, SOURCE))
    assert len(names) == 1, names


# ---- packages ----

def listed_packages():
    return {word for line in read("packages.debian").splitlines() if re.match(r"[a-z]+:", line)
            for word in line.partition(":")[2].partition("#")[0].split()}


def scripts():
    wanted = ["dev", ".ci/run"]
    for folder in ("tests", "fuzz", "bench"):
        for pattern in ("**/*.py", "**/*.sh"):
            wanted += [os.path.relpath(p, SOURCE) for p in glob.glob(os.path.join(SOURCE, folder, pattern), recursive=True)]
    texts = {p: read(p) for p in wanted}
    texts["tests/integration/test_build.py"] = "\n".join(  # which names them all in a table
        line for line in texts["tests/integration/test_build.py"].splitlines() if "need(" in line)
    return texts


def test_every_program_a_script_runs_has_its_package():
    listed, missing = listed_packages(), []
    for path, text in scripts().items():
        code = "\n".join(line.partition("#")[0] for line in text.splitlines())
        for program, package in PACKAGES_OF_PROGRAMS.items():
            if package not in listed and re.search(rf"(?<![\w/.-]){re.escape(program)}(?![\w.-])", code):
                missing.append((path, program, package))
    assert not missing, missing


def test_every_library_of_the_build_has_its_package():
    libraries = re.findall(r"dependency\('([^']+)'", read("meson.build"))
    assert len(libraries) >= 8, libraries
    missing = [name for name in libraries if PACKAGES_OF_LIBRARIES[name] not in listed_packages()]
    assert not missing, missing


def test_programs_are_built_without_tests():
    if not shutil.which("ninja"):
        raise tap.Skip("ninja is not here")
    inputs = output("ninja", "-C", BUILD, "-t", "inputs", "programs").splitlines()
    assert {os.path.relpath(os.path.join(SOURCE, p), BUILD) for p in ("cli/main.c", "daemon/main.c", "worker/main.c")} <= set(inputs), inputs[:5]
    assert not [i for i in inputs if re.match(r"(\.\./)*(tests|fuzz|bench|examples)/", i)]


def test_a_library_is_installed_where_pkg_config_looks():
    """Also where dpkg-dev is not here, without which Meson takes a Debian for a machine with lib64."""
    need("meson")
    path = output(need("pkg-config"), "--variable", "pc_path", "pkg-config").strip().split(":")
    with tempfile.TemporaryDirectory() as scratch:
        with open(scratch + "/dpkg-architecture", "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexit 1\n")
        os.chmod(scratch + "/dpkg-architecture", 0o755)
        done = subprocess.run(["meson", "setup", scratch + "/build", SOURCE, "-Dtests=false", "-Ddocs=false"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env={**os.environ, "PATH": scratch + ":" + os.environ["PATH"]})
        assert done.returncode == 0, done.stdout[-2000:]
        plan = json.loads(output("meson", "introspect", scratch + "/build", "--installed"))
    places = [os.path.dirname(to) for to in plan.values() if to.endswith("weighlock-client.pc")]
    assert len(places) == 1 and places[0] in path, (places, path)


tap.main(globals())
