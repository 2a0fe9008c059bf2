"""Completions: bash is asked for real; what it offers is what the help tells."""
import os
import re
import subprocess

import tap
from fixtures import WEIGHLOCK, environment

FOLDER = os.path.join(os.path.dirname(WEIGHLOCK), "completions")


def need(name):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        raise tap.Skip("this build has no completions")
    return path


def completed(*words):
    """What bash offers for the last of these words."""
    script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _weighlock; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["/bin/bash", "-c", script, need("weighlock"), "weighlock", *words], cwd=FOLDER,
                          env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done
    return [w for w in done.stdout.split("\n") if w]


def help_of(*arguments):
    return subprocess.run([WEIGHLOCK, *arguments], env=environment(), stdout=subprocess.PIPE, text=True, timeout=60).stdout


def commands():
    return sorted(set(re.findall(r"^  weighlock (\w[\w-]*)", help_of("--help"), re.MULTILINE)))


def test_commands_are_completed():
    assert sorted(w for w in completed("") if not w.startswith("-")) == commands()
    assert completed("verd") == ["verdict-diff"]


def test_options_of_every_command_are_those_of_its_help():
    for command in commands():
        told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", help_of("help", command))) | {"--help"}
        offered = set(completed(command, "--"))
        # A help text may speak of another command's option, or of weighlock's own.
        assert offered <= told, (command, offered - told)
        listed = re.findall(r"^  (?:-\w, )?(--[a-z][a-z-]*)", help_of("help", command), re.MULTILINE)
        assert set(listed) <= offered, (command, set(listed) - offered)


def test_values_that_are_a_list_are_completed():
    assert completed("scan", "--fail-on", "re") == ["review", "reject"]
    assert completed("scan", "--format", "s") == ["sarif"]
    assert "strict" in completed("scan", "--policy", "s")
    assert completed("policy", "") == ["check", "show", "try"]


def test_files_are_completed():
    assert "_weighlock" in completed("scan", "_")


def test_every_option_is_in_the_files_for_other_shells():
    for name, mark in (("_weighlock", "--{}["), ("weighlock.fish", "-l {} ")):
        with open(need(name), encoding="utf-8") as f:
            text = f.read()
        for command in commands():
            for option in completed(command, "--"):
                assert mark.format(option[2:]) in text + " ", (name, command, option)


tap.main(globals())
