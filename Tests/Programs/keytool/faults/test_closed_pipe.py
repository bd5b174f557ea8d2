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


def test_what_nobody_reads_is_no_failure(keytool, directory, tmp_path, safe_password):
    """An alarm would say that the backup failed."""
    metrics = tmp_path / "metrics"
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    for command in (["push"], ["push", "--all"], ["push", "--all", "--json"]):
        metrics.unlink(missing_ok=True)
        assert unread(keytool, "safe", *command, "--metrics-file", metrics).returncode == -signal.SIGPIPE
        assert "keytool_safe_last_exit_code 0\n" in metrics.read_text()


@pytest.mark.parametrize("options", [["--all"], ["--all", "--json"], []], ids=" ".join)
@pytest.mark.parametrize("command, code, id", [
    (["push", "--force"], 20, "ABCD1234"), (["check"], 20, "ABCD1234"), (["status", "--remote"], 20, "ABCD1234"),
    (["status", "--max-age", "1d"], 18, "ZZZZ9999")], ids=str)
def test_what_went_wrong_decides_though_stdout_is_full(
        safe, other_keytool, safe_password, tmp_path, command, code, id, options):
    """Of the Safes one is that of another device meanwhile."""
    safe.push()
    other_keytool.ok("safe", "pull", "--id", safe.id, "--server", safe.directory.url, *safe_password)
    other_keytool.ok("safe", "push", "--force")
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    (tmp_path / "second").mkdir()
    safe.keytool.ok("safe", "setup", "ZZZZ9999", "--create", "--server", f"file://{tmp_path / 'second'}", *safe_password)
    with open("/dev/full", "wb") as full:
        run = safe.keytool("safe", *command, *options or [id], stdout=full)
    assert run.code == code and (id in run.err or code == 18), run


CHANGES = {
    "create": ["id", "create", "--id", "WXYZ9876"], "profile": ["profile", "set", "ABCD1234", "--nickname", "Zoë"],
    "contact": ["contact", "add", "ECHOECHO", "4a6a1b34dcef15d43cb74de2fd36091be99fbbaf126d099d47d83d919712c72b"],
    "import": ["archive", "import"], "remove": ["id", "remove", "ABCD1234", "--yes"],
}


@pytest.mark.parametrize("verb", CHANGES)
def test_what_was_to_be_changed_is_changed(keytool, write, verb):
    """The work comes before its result: the same command again finds it done, and nothing false was said before."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    command = CHANGES[verb]
    if verb == "import":
        path = write("a.age", archives.archive(*archives.threema("WXYZ9876", bytes(range(1, 33)))))
        command = command + [path, "--identity", write("agekey", archives.IDENTITY)]
    run = unread(keytool, *command)
    assert run.returncode == -signal.SIGPIPE and b"error" not in run.stderr, run.stderr
    now = keytool.json("id", "list")["identities"]
    assert {one["id"] for one in now} == {
        "create": {"ABCD1234", "WXYZ9876"}, "import": {"ABCD1234", "WXYZ9876"}, "remove": set()}.get(verb, {"ABCD1234"})
    if verb == "profile":
        assert keytool.json("profile", "show")["nickname"] == "Zoë"
    if verb == "contact":
        assert [one["id"] for one in keytool.json("contact", "list")["contacts"]] == ["ECHOECHO"]


def test_head(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    command = " ".join(f"'{word}'" for word in keytool.command_line("help", "safe", "setup"))
    run = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], env=keytool.environment,
                         capture_output=True, timeout=60)
    assert run.returncode in (0, 141) and run.stderr == b""
