"""Secrets from commands: what they inherit, and what is said when they fail."""

import re
import signal

import pytest

from known import CODE_PASSWORD

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
    # 3 is the folder that ls itself reads
    assert set(targets) <= {"0", "1", "2", "3"}, targets
    assert targets.get("3", "").startswith("/proc"), targets


def test_failure_is_seen_where_the_ends_of_children_are_ignored(keytool, tmp_path):
    """As some daemons start what they start."""
    keytool.ok("id", "create", "--no-passphrase")
    command = ["backup", "export", "--backup-password-command", "echo some error text; exit 3"]
    result = keytool.finish(keytool.start(
        *command, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)), command)
    assert (result.code, result.out) == (16, "")
