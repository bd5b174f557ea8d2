"""Nobody reads the result any more, as in `keytool … | head -1`: the command ends as other programs do."""

import os
import signal
import subprocess

import pytest

from kit import archives


def unread(keytool, *command):
    """Runs a command whose stdout is a pipe that nobody reads."""
    theirs, ours = os.pipe()
    os.close(theirs)
    try:
        return subprocess.run(
            keytool.command_line(*command), env=keytool.environment, stdin=subprocess.DEVNULL, stdout=ours,
            stderr=subprocess.PIPE, timeout=60)
    finally:
        os.close(ours)


@pytest.mark.parametrize("command", [["id", "list"], ["id", "list", "--json"], ["id", "show"], ["--help"], ["--version"],
                                     ["profile", "export", "-o", "-"], ["contact", "list", "--format", "csv"],
                                     ["--generate-completion-script", "bash"], ["archive", "export", "-o", "-"]], ids=" ".join)
def test_ends_without_a_word(keytool, command):
    keytool.ok("id", "create", "--id", "ABCD1234")
    if command[0] == "archive":
        command = command + ["--recipient", archives.RECIPIENT]
    run = unread(keytool, *command)
    assert (run.returncode, run.stderr) == (-signal.SIGPIPE, b"")


def test_a_full_disk_is_still_an_error(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    with open("/dev/full", "wb") as full:
        run = subprocess.run(keytool.command_line("id", "list"), env=keytool.environment, stdout=full,
                             stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 74 and b"cannot write the result" in run.stderr


def test_every_place_is_pushed(keytool, directory, tmp_path, safe_password):
    """What was to be done is done, whoever reads of it."""
    for id in ("ABCD1234", "WXYZ9876"):
        keytool.ok("id", "create", "--id", id)
        keytool.ok("safe", "setup", id, "--create", "--server", directory.url, *safe_password)
    run = unread(keytool, "safe", "push", "--all")
    assert (run.returncode, run.stderr) == (-signal.SIGPIPE, b"")
    assert all(place["result"] == "unchanged" for place in keytool.json("safe", "push", "--all")["results"])


def test_head(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    command = " ".join(f"'{word}'" for word in keytool.command_line("help", "safe", "setup"))
    run = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], env=keytool.environment,
                         capture_output=True, timeout=60)
    assert run.returncode in (0, 141) and run.stderr == b""
