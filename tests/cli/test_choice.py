"""What of a folder is looked at: --ignore-file against Git's own reading of its patterns, --base in repositories whose
configuration wants to run something, .git; and that the totals tell what was left out by what."""
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile

import tap
from fixtures import BAD, GOOD, WEIGHLOCK, environment, write

SCRATCH = tempfile.mkdtemp(prefix="weighlock-choice-")
GIT = {"HOME": SCRATCH, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
       "GIT_COMMITTER_EMAIL": "a@b"}


def git(where, *arguments, **more):
    done = subprocess.run(["git", *arguments], cwd=where, env={**environment(), **GIT}, timeout=120, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **more)
    assert done.returncode in (0, 1), done
    return done.stdout


def scan(*arguments, cwd, **more):
    return subprocess.run([WEIGHLOCK, "scan", "--no-progress", *arguments], cwd=cwd, env=environment(**{**GIT, **more}),
                          timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def names_of(*arguments, cwd, **more):
    done = scan("--format", "json", *arguments, cwd=cwd, **more)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    return [v["file"]["name"] for v in verdicts if "file" in v], done


def folder(name, *files, data=GOOD):
    top = os.path.join(SCRATCH, name)
    for file in files:
        path = os.path.join(top, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
    return top


def repository(name, *files):
    top = folder(name, *files)
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "base", "--allow-empty")
    git(top, "checkout", "-q", "-b", "branch")
    return top


# ---- --ignore-file ----

NAMES = ["a", "b", "ab", "a b", "b.c", "A", "a]", "#a", "!b", "a\\", "5"]


def git_looks_at(top, text):
    """Files that Git does not ignore, where this is its only file of patterns."""
    write(os.path.join(top, ".git", "info", "exclude"), text)
    return set(git(top, "ls-files", "-z", "--others", "--exclude-from=.git/info/exclude").decode().split("\0")) - {""}


def test_patterns_are_read_as_git_reads_them():
    names = [f"{x}/{y}" for x, y in itertools.product(NAMES[:6], NAMES)] + [f"{x}/d/{x}/{y}" for x in "ab" for y in NAMES[:5]]
    top = folder("patterns", *[f"t/{n}" for n in names], *["u/v/w/x", "top"], data=b"x\n")
    git(top, "init", "-q")
    seeds = ["a", "/a", "a/", "t/a", "t/**/b", "**/b", "t/**", "t/a/**", "**", "*", "t/*/b", "a\\ ", "b.c  ", "a ", "\\#a", "#a",
             "\\!b", "*\n!t", "t/*\n!t/a", "*\n!*/\n!b.c", "[ab]", "[!a]", "[^a]", "[a-b]b", "[]a]", "a]", "[[:digit:]]", "[a",
             "a**b", "t/a**", "?", "a?b", "**/", "/**/b", "t/**/d/**/b", "u/v", "v/", "w/x", "/w", "a\\\\", "a\\", "\xef\xbb\xbf a",
             "b\r", "t//a", "/", "!", "*.c", "*.[ch]", "[b-][.]c", "[\\]a]*", "**/d/**", "t/[!b]/b", "[[:nope:]]5"]
    pick = random.Random(22)
    alphabet = ["a", "b", "*", "**", "/", "?", "[ab]", "[!a]", "t", "d", ".c", "\\", " ", "!", "\n", "**/", "/**"]
    texts = seeds + ["".join(pick.choices(alphabet, k=pick.randint(1, 7))) for _ in range(60)]
    rules, n = os.path.join(SCRATCH, "rules"), 0
    for text in texts:
        data = text.encode("utf-8") if "\xef" not in text else text.encode("latin-1")
        expected = git_looks_at(top, data)
        write(rules, data)
        got, done = names_of("--ignore-file", rules, "--policy", "ci", top, cwd=SCRATCH)
        got = {os.path.relpath(name.replace("\\\\", "\\"), top) for name in got}
        assert got == expected, (text, sorted(got ^ expected), done.stderr)
        n += len(expected) < len(names)
    assert n > 40, n


def test_the_totals_say_which_pattern_left_out_how_many():
    top = folder("totals", "a.bin", "b.bin", "old/c.safetensors", "old/d.safetensors", "keep.bin", "e.safetensors")
    rules = os.path.join(SCRATCH, "totals.ignore")
    write(rules, b"# ours\n*.bin\n\nold/\n!keep.bin\nnothing\n")
    done = scan("--ignore-file", rules, top, cwd=SCRATCH)
    assert b"2 left out by " + rules.encode() + b":2: *.bin\n" in done.stdout, done
    assert b"1 left out by " + rules.encode() + b":4: old/\n" in done.stdout and done.stdout.count(b"left out") == 2, done


def test_nothing_inside_the_tree_exempts_anything():
    top = repository("inside", "a.safetensors")
    write(os.path.join(top, ".gitignore"), b"*.safetensors\n.weighlockignore\n")
    write(os.path.join(top, ".weighlockignore"), b"*\n")
    write(os.path.join(top, "fetched.safetensors"), BAD)
    names, done = names_of("--policy", "ci", ".", cwd=top)
    assert {"./a.safetensors", "./fetched.safetensors"} <= set(names) and done.returncode == 1, done


def test_what_is_named_is_judged_and_a_file_of_patterns_must_be_there():
    top = folder("named", "a.safetensors")
    rules = os.path.join(SCRATCH, "all.ignore")
    write(rules, b"*\n")
    assert names_of("--ignore-file", rules, "a.safetensors", cwd=top)[0] == ["a.safetensors"]
    done = scan("--ignore-file", rules, ".", cwd=top)
    assert done.returncode == 3, done  # nothing was judged, which is not green
    done = scan("--ignore-file", "nowhere", ".", cwd=top)
    assert done.returncode == 4 and b"nowhere" in done.stderr, done
    write(rules, b"a\n\0")
    assert scan("--ignore-file", rules, ".", cwd=top).returncode == 4


# ---- .git ----

def test_a_repository_s_own_folder_is_left_out_and_one_that_only_has_its_name_is_not():
    top = repository("own", "a.safetensors")
    names, done = names_of(".", cwd=top)
    assert names == ["./a.safetensors"] and done.returncode == 0, done
    assert b"1 left out: .git\n" in scan(".", cwd=top).stdout
    write(os.path.join(top, ".git", "x.safetensors"), GOOD)
    assert "./x.safetensors" in names_of(".", cwd=os.path.join(top, ".git"))[0]
    other = folder("other", ".git/x.safetensors", ".git/HEAD", ".git/refs/x")
    assert "./.git/x.safetensors" in names_of(".", cwd=other)[0]


# ---- --base ----

def test_only_what_the_branch_changed_is_judged():
    top = repository("branch", "old.safetensors", "gone.safetensors", "sub/old.safetensors", "sub/moved.safetensors", "f.safetensors")
    os.unlink(os.path.join(top, "gone.safetensors"))
    os.rename(os.path.join(top, "sub/moved.safetensors"), os.path.join(top, "sub/here.safetensors"))
    write(os.path.join(top, "f.safetensors"), BAD)
    git(top, "add", "-A")
    git(top, "commit", "-qm", "change")
    git(top, "checkout", "-q", "main")
    write(os.path.join(top, "main.safetensors"), BAD)  # what others did meanwhile is not the branch's
    git(top, "add", "-A")
    git(top, "commit", "-qm", "meanwhile")
    git(top, "checkout", "-q", "branch")
    names, done = names_of("--base", "main", ".", cwd=top)
    assert names == ["./f.safetensors", "./sub/here.safetensors"] and done.returncode == 1, done
    assert names_of("--base", "main", "sub", cwd=top)[0] == ["sub/here.safetensors"]
    assert names_of("--base", "main", top, cwd="/")[0] == [top + "/f.safetensors", top + "/sub/here.safetensors"]
    assert names_of("--base", "main", "old.safetensors", cwd=top)[0] == ["old.safetensors"]
    assert b"left out: not changed since main" in scan("--base", "main", ".", cwd=top).stdout
    done = scan("--base", "branch", ".", cwd=top)
    assert done.returncode == 3, done


def test_who_ignores_the_end_of_children_is_told_what_git_says():
    top = repository("sigchld", "a.safetensors")

    def ignoring(base):
        return subprocess.run([WEIGHLOCK, "scan", "--base", base, "."], cwd=top, env=environment(), timeout=120, capture_output=True,
                              check=False, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert ignoring("main").returncode == 3, ignoring("main")
    done = ignoring("nowhere")
    assert done.returncode == 4 and b"there is no commit nowhere" in done.stderr, done


def test_a_base_that_is_none_is_told():
    top = repository("nobase", "a.safetensors")
    for ref in ("nowhere", "--output=x", "-h", "HEAD:a.safetensors"):
        done = scan("--base", ref, ".", cwd=top)
        assert done.returncode == 4 and b"there is no commit" in done.stderr, done
    assert not os.path.exists(os.path.join(top, "x"))
    git(top, "checkout", "-q", "--orphan", "lonely")
    git(top, "commit", "-qm", "x")
    assert b"no commit in common" in scan("--base", "main", ".", cwd=top).stderr
    plain = folder("plain", "a.safetensors")
    done = scan("--base", "main", ".", cwd=plain)
    assert done.returncode == 4 and b"no Git repository" in done.stderr, done


def hostile(top, canary):
    """Everything that a repository's configuration can have Git run or be led astray by."""
    program = os.path.join(top, ".git", "evil")
    write(program, b"#!/bin/sh\ntouch " + canary.encode() + b"\nexit 0\n")
    os.chmod(program, 0o755)
    for key, value in (("core.fsmonitor", program), ("core.hooksPath", os.path.dirname(program)), ("diff.external", program),
                       ("diff.evil.textconv", program), ("diff.evil.command", program), ("filter.evil.clean", program),
                       ("filter.evil.process", program), ("core.pager", program), ("pager.diff-tree", program),
                       ("core.sshCommand", program), ("core.editor", program), ("gpg.program", program),
                       ("core.askPass", program), ("credential.helper", "!" + program), ("alias.diff-tree", "!" + program),
                       ("alias.merge-base", "!" + program), ("remote.origin.url", "ext::" + program), ("protocol.ext.allow", "always"),
                       ("remote.origin.uploadpack", program), ("remote.origin.promisor", "true"),
                       ("extensions.partialClone", "origin"), ("core.repositoryFormatVersion", "1"),
                       ("log.showSignature", "true"), ("diff.relative", "true"), ("diff.ignoreSubmodules", "all"),
                       ("diff.orderFile", program)):
        git(top, "config", key, value)
    write(os.path.join(top, ".git", "info", "attributes"), b"* diff=evil filter=evil\n")
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        shutil.copy(program, os.path.join(top, ".git", "hooks", hook))


def changed_repository(name):
    top = repository(name, "a.safetensors", "b.safetensors")
    write(os.path.join(top, "b.safetensors"), BAD)
    git(top, "commit", "-qam", "change")
    return top


def test_nothing_that_a_repository_configures_runs():
    top, canary = changed_repository("hostile"), os.path.join(SCRATCH, "canary")
    hostile(top, canary)
    names, done = names_of("--base", "main", ".", cwd=top)
    assert names == ["./b.safetensors"], done
    # An object that is not here is not fetched by what the repository says.
    tree = git(top, "rev-parse", "HEAD^{tree}").decode().strip()
    os.unlink(os.path.join(top, ".git", "objects", tree[:2], tree[2:]))
    if os.path.exists(canary):
        os.unlink(canary)
    done = scan("--base", "main", ".", cwd=top)
    assert done.returncode == 4 and not os.path.exists(canary), done


def test_a_repository_cannot_say_that_a_change_is_none():
    top = changed_repository("lying")
    new, old = git(top, "rev-parse", "HEAD").decode().strip(), git(top, "rev-parse", "main").decode().strip()
    git(top, "replace", new, old)
    assert names_of("--base", "main", ".", cwd=top)[0] == ["./b.safetensors"]
    git(top, "replace", "-d", new)
    write(os.path.join(top, ".git", "info", "grafts"), f"{old} {new}\n".encode())
    assert names_of("--base", "main", ".", cwd=top)[0] == ["./b.safetensors"]
    os.unlink(os.path.join(top, ".git", "info", "grafts"))
    git(top, "config", "core.worktree", SCRATCH)
    assert names_of("--base", "main", ".", cwd=top)[0] == ["./b.safetensors"]
    git(top, "config", "--unset", "core.worktree")
    # What the environment says of another repository is not for this one.
    assert names_of("--base", "main", top, cwd="/", GIT_DIR=os.path.join(SCRATCH, "elsewhere"))[0] == [top + "/b.safetensors"]


def test_a_submodule_that_moved_is_judged_as_a_whole():
    top = repository("super", "a.safetensors")
    commit = git(top, "rev-parse", "HEAD").decode().strip()
    folder("super", "module/x.safetensors", "module/deep/y.safetensors")
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    git(top, "commit", "-qm", "module")
    assert names_of("--base", "main", ".", cwd=top)[0] == ["./module/deep/y.safetensors", "./module/x.safetensors"]


try:
    tap.main(globals())
finally:
    shutil.rmtree(SCRATCH)
