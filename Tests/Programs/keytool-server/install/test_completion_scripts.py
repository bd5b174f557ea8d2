"""The completion scripts of keytool-server: those that the binary generates, and what the shells offer by them."""

import shutil
import subprocess

import pytest

from kit.screens.terminal import Terminal
from page import command_help
from server import BINARY, REPOSITORY, environment

COMPLETIONS = REPOSITORY / "completions"
FILES = {"bash": "keytool-server.bash", "zsh": "_keytool-server", "fish": "keytool-server.fish"}
VERBS = {"serve", "account", "sweep", "versions", "restore"}


@pytest.mark.parametrize("shell", FILES)
def test_scripts_are_those_that_the_binary_generates(shell):
    generated = subprocess.run([BINARY, "--generate-completion-script", shell], capture_output=True, check=True)
    assert (COMPLETIONS / FILES[shell]).read_bytes() == generated.stdout, \
        f"keytool-server --generate-completion-script {shell} >completions/{FILES[shell]} writes it anew"


def bash(home, line):
    words = line.split(" ")
    script = """
        . "$0"
        function=$(complete -p keytool-server | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        $function keytool-server "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}" """
    shown = subprocess.run(
        ["bash", "--norc", "-c", script, COMPLETIONS / FILES["bash"], *words], capture_output=True, text=True, cwd=home,
        env=environment())
    return {word.strip() for word in shown.stdout.splitlines()}


def fish(home, line):
    program = home / "bin"
    program.mkdir(exist_ok=True)
    (program / "keytool-server").unlink(missing_ok=True)
    (program / "keytool-server").symlink_to(BINARY)
    (home / ".local/share/fish/generated_completions").mkdir(parents=True, exist_ok=True)
    script = f"set -p PATH {program}; source {COMPLETIONS / FILES['fish']}; complete -C '{line}'"
    shown = subprocess.run(
        ["fish", "--no-config", "-c", script], capture_output=True, text=True, cwd=home,
        env=environment(HOME=str(home)))
    return {word.split("\t")[0] for word in shown.stdout.splitlines()}


def zsh(home, line):
    """On a terminal, because only there zsh completes. One key inserts all that it offers."""
    functions = home / "functions"
    functions.mkdir(exist_ok=True)
    shutil.copy(COMPLETIONS / FILES["zsh"], functions)
    terminal = Terminal(["zsh", "-f", "-i"], environment(HOME=str(home), PS1="ready> ", TERM="dumb"), columns=4000,
                        cwd=home)
    try:
        for command in (f"fpath=({functions} $fpath); bindkey -e; unsetopt prompt_sp",
                        "autoload -Uz compinit; compinit -u -D",
                        "zstyle ':completion:*' completer _all_matches _complete", "zstyle ':completion:*' insert true"):
            terminal.expect("ready> ")
            terminal.send(command)
        terminal.expect("ready> ")
        terminal.press(line.encode() + b"\t\x01printf '<%s>\\n' \r")
        shown = terminal.expect(r"(?s)\n<keytool-server>\r*\n(.*?)ready> ")[1]
        return {word.strip("<>\r") for word in shown.splitlines()} - {""}
    finally:
        terminal.close()


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


@pytest.fixture(params=SHELLS)
def offers(request, tmp_path):
    assert shutil.which(request.param), f"{request.param} is missing: package {request.param}"
    return lambda line: SHELLS[request.param](tmp_path, line)


def test_verbs(offers):
    assert VERBS <= offers("keytool-server ")
    assert {"add", "remove", "list", "passwd"} <= offers("keytool-server account ")


def test_options(offers):
    for path, command in command_help().commands.items():
        if path == ("help",):
            continue
        missing = {name for name in command.options if name[:2] == "--"} - offers(
            f"keytool-server {' '.join(path)} --")
        assert not missing, (path, missing)


def test_files(offers, tmp_path):
    (tmp_path / "password.txt").touch()
    assert "password.txt" in offers("keytool-server account add --account-password-file pass")
    assert "password.txt" in offers("keytool-server serve --tls-key pass")
