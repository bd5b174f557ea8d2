"""Secrets from commands: what they inherit, how they end, and what is said when they fail."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from kit.known import CODE_PASSWORD
from kit.masterkey import PASSPHRASE
from kit.processes.faketime import FAKETIME
from kit.processes.injection import Prefixed

RIGHT = CODE_PASSWORD.decode()


@pytest.fixture
def check(code_file):
    return ["backup", "check", code_file, "--backup-password-command"]


@pytest.mark.parametrize("command, status", [
    ("printf hunter%s 2hunter2; exit 3", "3"),
    ("printf hunter%s 2hunter2; kill -TERM $$", "15|TERM|signal|143"),
    ("/nonexistent-program", "127"),
    ("true", ""),
    ("exec >&-", ""),
])
def test_command_that_fails(keytool, check, command, status):
    result = keytool.fails(16, *check, command)
    assert re.search("backup password", result.err), "the secret is named"
    assert re.search(status, result.err), "and the status"
    assert "hunter2" not in result.err
    # Many say nothing by themselves.
    assert "hint: run the command by itself on a terminal, to see what it needs\n" in result.err


def test_command_that_prints_an_empty_line(keytool, check):
    keytool.fails(65, *check, "echo")


def test_commands_speak_on_stderr(keytool, check):
    result = keytool.ok(*check, f"echo please touch the key >&2; echo {RIGHT}")
    assert "please touch the key" in result.err


def test_command_inherits_no_descriptor_of_ours(keytool, code_file, tmp_path):
    listing = tmp_path / "descriptors"
    command = f"ls -l /proc/self/fd > {listing}; echo {RIGHT}"
    keytool.ok("backup", "check", "-", "--backup-password-command", command,
               stdin=code_file.read_bytes())
    targets = dict(re.findall(r"(\d+) -> (.*)", listing.read_text()))
    # 3 is the directory that ls itself reads
    assert set(targets) <= {"0", "1", "2", "3"}, targets
    assert targets.get("3", "").startswith("/proc"), targets


def test_failure_is_seen_where_the_ends_of_children_are_ignored(keytool, tmp_path):
    """As some daemons start what they start."""
    keytool.ok("id", "create", "--no-passphrase")
    command = ["backup", "export", "--backup-password-command", "echo some error text; exit 3"]
    result = keytool.finish(keytool.start(
        *command, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)), command)
    assert (result.code, result.out) == (16, "")


# What is open in keytool is not open in the command


@pytest.mark.parametrize("form", ["option", "variable"])
def test_command_does_not_inherit_the_descriptor_of_another_secret(keytool, write, code_file, tmp_path, form):
    """Whoever started keytool opened it, so it is not close-on-exec by itself."""
    passphrase = write("passphrase", PASSPHRASE)
    keytool.ok("id", "create", "--id", "ABCD1234", "--passphrase-file", passphrase)
    descriptor, stranger = (os.open(path, os.O_RDONLY) for path in (passphrase, "/etc/hostname"))
    listing = tmp_path / "descriptors"
    given, runner = ["--passphrase-fd", descriptor], keytool
    if form == "variable":
        given, runner = [], keytool.with_environment(KEYTOOL_PASSPHRASE_FD=descriptor)
    for command in (
            ["backup", "export", *given, "--backup-password-command"],
            ["backup", "check", code_file, *given, "--backup-password-command"]):
        script = f"ls -l /proc/self/fd > {listing}; echo {RIGHT}"
        runner.ok(*command, script, pass_fds=[descriptor, stranger])
        targets = dict(re.findall(r"(\d+) -> (.*)", listing.read_text()))
        assert set(targets) <= {"0", "1", "2", "3"} and targets["3"].startswith("/proc"), targets
        os.lseek(descriptor, 0, os.SEEK_SET)
    for one in (descriptor, stranger):
        os.close(one)


def test_command_does_not_inherit_stdin_unless_it_is_a_terminal(keytool, code_file, tmp_path):
    """It may be another secret, or the data of the command."""
    seen = tmp_path / "seen"
    keytool.ok("backup", "check", "-", "--backup-password-command", f"cat > {seen}; echo {RIGHT}",
               stdin=code_file.read_bytes())
    assert seen.read_bytes() == b""


# Commands that do not end


def sped_up(keytool, factor):
    """keytool and what it starts see the time pass that much faster."""
    return Prefixed(keytool, *FAKETIME, "-f", f"+0 x{factor}")


def runs(pid):
    """Whether the process is there and not only its entry."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_gone(pids):
    deadline = time.monotonic() + 60
    while any(runs(pid) for pid in pids):
        assert time.monotonic() < deadline, f"{pids} still run"
        time.sleep(0.05)


LASTING = "sleep 10000 & echo $! >> {pids}; sleep 10000 & echo $! >> {pids}; echo $$ >> {pids}; wait"


def written(pids, count=3):
    deadline = time.monotonic() + 60
    while not pids.exists() or len(pids.read_text().split()) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return pids.read_text().split()


@pytest.mark.parametrize("script", [
    LASTING, f"echo {RIGHT}; {LASTING}", f"trap '' TERM INT HUP; {LASTING}", f"exec >&-; {LASTING}",
    f"echo {RIGHT}; {LASTING.removesuffix('; wait')}"],
    ids=["silent", "talking", "deaf", "closed", "left behind"])
def test_command_that_does_not_end(keytool, check, tmp_path, script):
    """The whole process group is killed after a minute: nobody is there to do it."""
    pids = tmp_path / "pids"
    command = [*check, script.format(pids=pids)]
    started = time.monotonic()
    result = sped_up(keytool, 40).fails(16, *command, timeout=60)
    assert time.monotonic() - started > 1, "that was no minute"
    assert "backup password" in result.err and "1 minute" in result.err, result
    is_gone(written(pids))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.parametrize("start", ["", f"echo {RIGHT}; exec >&-; "], ids=["reading", "waiting"])
def test_interrupted_with_the_whole_group(keytool, check, tmp_path, number, start):
    pids = tmp_path / "pids"
    process = keytool.start(*check, start + LASTING.format(pids=pids))
    started = written(pids)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    is_gone(started)


def test_ignored_hangup_stays_ignored(keytool, check, tmp_path):
    """As nohup has it."""
    pids = tmp_path / "pids"
    process = keytool.start(*check, f"echo $$ > {pids}; sleep 1; echo {RIGHT}",
                            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    written(pids, 1)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_more_output_than_any_secret_has(keytool, check, tmp_path):
    pids = tmp_path / "pids"
    keytool.fails(65, *check, f"echo $$ > {pids}; yes")
    is_gone(written(pids, 1))
