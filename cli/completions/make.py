#!/usr/bin/python3
"""make.py SHELL WEIGHLOCK: what completes the command line of weighlock in bash, zsh or fish, on standard output.

Made from the help texts, so that an option is completed as soon as it is told of, and never longer.
"""
import os
import re
import subprocess
import sys

PACKS = sorted(os.path.splitext(name)[0] for name in os.listdir(os.path.join(os.path.dirname(__file__), "../../policy/packs")))
HEAD = "Made by cli/completions/make.py from `weighlock help`."


class Option:
    def __init__(self, name, letter=None, value=None, text=""):
        self.name, self.letter, self.value, self.text = name, letter, value, text

    def words(self):
        """What a value may be, where that is a closed list: a|b|c, with [=FILE] behind it or not."""
        bare = re.sub(r"\[=FILE\]$", "", self.value or "")
        words = bare.split("|")
        if self.name == "policy":
            return ["default", "ci", "reference", "strict"]
        if self.name == "pack":
            return PACKS
        return words if len(words) > 1 and all(re.fullmatch(r"[a-z]+", w) for w in words) else []

    def takes_file(self):
        return self.value is not None and self.name != "pack" and (not self.words() or self.name == "policy")


def run(program, *arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def options_of(text):
    """Lists of options, then what only the usage lines name."""
    found = {}
    for letter, name, value, rest in re.findall(
            r"^  (?:-(\w), )?--([a-z][a-z-]*)(?:\[=(?=[A-Z]+\])| )?(\S+)?(?:[ ]{2,}(.*))?$", text, re.MULTILINE):
        value = value.removesuffix("]") if value.isupper() else value
        found[name] = Option(name, letter or None, value or None, rest)
    for name, value in re.findall(r"--([a-z][a-z-]*)(?:\[=[A-Z]+\])?(?: ([A-Z][A-Z|]*|[a-z]+(?:\|[a-z]+)+))?[\] \n]", usage_of(text)):
        found.setdefault(name, Option(name, None, value or None))
    found.setdefault("help", Option("help", "h"))
    return list(found.values())


def usage_of(text):
    return text.split("\n\n")[0] + "\n"


def actions_of(command, text):
    """`policy check`, `store stats` ...: words that stand where others have an option or an operand."""
    return re.findall(rf"weighlock {command} ([a-z]+)\b(?!\|)", usage_of(text))


def commands(program):
    main = run(program, "--help")
    told = re.findall(r"^  weighlock (\w[\w-]*).*?(?:\s{2,}(.*))?$", main, re.MULTILINE)
    texts = {}
    for name, text in told:
        texts.setdefault(name, text)
    return [(name, text, run(program, "help", name) if name != "help" else "") for name, text in texts.items()]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ----

def bash(all_commands):
    names = " ".join(name for name, _, _ in all_commands)
    yield f"# {HEAD}"
    yield "_weighlock() {"
    yield '\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}'
    yield "\tCOMPREPLY=()"
    yield f'\tif [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "{names} --help --version" -- "$cur")); return; fi'
    yield '\tcase "$command $prev" in'
    for name, _, text in all_commands:
        for option in options_of(text):
            if option.words():
                more = ' $(compgen -f -- "$cur")' if option.takes_file() else ""
                yield (f'\t"{name} --{option.name}") COMPREPLY=($(compgen -W "{" ".join(option.words())}" -- "$cur"){more});'
                       " return ;;")
    yield f'\t"help help") COMPREPLY=($(compgen -W "{names}" -- "$cur")); return ;;'
    yield "\tesac"
    yield '\tcase "$command" in'
    for name, _, text in all_commands:
        options = " ".join("--" + o.name for o in options_of(text))
        yield f'\t{name}) case "$cur" in -*) COMPREPLY=($(compgen -W "{options}" -- "$cur")); return ;; esac'
        actions = " ".join(actions_of(name, text))
        if actions:
            yield f'\t\tif [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "{actions}" -- "$cur")); return; fi'
        yield "\t\t;;"
    yield "\tesac"
    yield "\tlocal IFS=$'\\n'"  # a name may have spaces
    yield '\tcompopt -o filenames 2>/dev/null'
    yield '\tCOMPREPLY=($(compgen -f -- "$cur"))'
    yield "}"
    yield "complete -F _weighlock weighlock"


# ---- zsh ----

def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_value(option):
    words = " ".join(option.words())
    if option.value is None:
        return ""
    if words and option.takes_file():
        return f":value:{{compadd -- {words}; _files}}"
    return f":value:({words})" if words else f":{option.value}:_files"


def zsh_option(option):
    return quoted(f"*--{option.name}[{zsh_text(option.text)}]{zsh_value(option)}")


def zsh(all_commands):
    yield "#compdef weighlock"
    yield f"# {HEAD}"
    yield "local -a commands"
    yield "commands=("
    for name, text, _ in all_commands:
        yield "\t" + quoted(name + ":" + zsh_text(text))
    yield ")"
    yield "if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield "case $words[2] in"
    for name, _, text in all_commands:
        actions = actions_of(name, text)
        yield f"{name})"
        if actions:
            yield f"\tif (( CURRENT == 3 )); then compadd -- {' '.join(actions)}; return; fi"
        yield "\tshift words; (( CURRENT-- ))"
        yield "\t_arguments " + " ".join(zsh_option(o) for o in options_of(text)) + " '*:file:_files' ;;"
    yield "esac"


# ---- fish ----

def fish(all_commands):
    yield f"# {HEAD}"
    yield "complete -c weighlock -n __fish_use_subcommand -l help -d 'the help text'"
    yield "complete -c weighlock -n __fish_use_subcommand -l version -d 'the version'"
    for name, text, body in all_commands:
        yield f"complete -c weighlock -n __fish_use_subcommand -f -a {name} -d {quoted(text)}"
        inside = quoted(f"__fish_seen_subcommand_from {name}")
        for option in options_of(body):
            letter = f" -s {option.letter}" if option.letter else ""
            value = f" -x -a {quoted(' '.join(option.words()))}" if option.words() else " -r" if option.value else ""
            if option.name == "policy":
                value = value.replace(" -x", " -r")
            yield f"complete -c weighlock -n {inside} -l {option.name}{letter}{value} -d {quoted(option.text)}"
        for action in actions_of(name, body):
            yield f"complete -c weighlock -n {inside} -a {action}"


def main():
    shell, program = sys.argv[1:]
    print("\n".join({"bash": bash, "zsh": zsh, "fish": fish}[shell](commands(program))))


main()
