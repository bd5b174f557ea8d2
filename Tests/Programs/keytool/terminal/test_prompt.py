"""Questions on /dev/tty: whoever has redirected stdin and stdout is still asked, unechoed."""

import os
import re
import signal
import subprocess
import time

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE, CODE_PASSWORD, EMPTY_KEYSTORE, SAFE_PASSWORD
from kit.runner import snapshot
from kit.screens.terminal import PATIENCE

RIGHT = CODE_PASSWORD.decode()
BACKUP, SAFE = BACKUP_PASSWORD.decode(), SAFE_PASSWORD.decode()
PROMPT = r"[Bb]ackup password[^\n]*: ?$"


@pytest.fixture
def checking(terminal, code_file):
    return terminal("backup", "check", code_file)


@pytest.fixture
def identity(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")


def answer(run, prompt, *lines):
    for line in lines:
        run.expect(prompt)
        assert not run.echo, "typed in the open"
        run.send(line)


def test_right_password(checking):
    before = checking.untouched
    answer(checking, PROMPT, RIGHT)
    assert checking.finish() == 0, checking.text
    assert "0ZAHXXHB" in checking.text
    assert RIGHT not in checking.text
    assert checking.settings == before


def test_asks_on_the_terminal_when_everything_is_redirected(terminal, code_file, tmp_path):
    with open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
        run = terminal("backup", "check", "-", stdin=open(code_file), stdout=out, stderr=err)
        answer(run, PROMPT, RIGHT)
        assert run.finish() == 0, run.text
    assert "0ZAHXXHB" in (tmp_path / "out").read_text()
    assert "0ZAHXXHB" not in run.text
    assert "assword" not in (tmp_path / "out").read_text()


def test_three_tries(checking):
    answer(checking, PROMPT, "wrong-1", "wrong-2", "wrong-3")
    assert checking.finish() == 12, checking.text
    assert checking.echo


def test_third_try_is_as_good_as_the_first(checking):
    answer(checking, PROMPT, "wrong-1", "wrong-2", RIGHT)
    assert checking.finish() == 0, checking.text


def test_password_that_is_too_short_is_asked_again(checking):
    """No backup has such a password: it is not tried, and what was typed before stays."""
    answer(checking, PROMPT, "abc")
    checking.expect("error: a backup password has at least 4 characters; try again")
    answer(checking, PROMPT, "wrong-1", RIGHT)
    assert checking.finish() == 0, checking.text


def test_password_that_is_too_short_three_times(checking):
    answer(checking, PROMPT, "a", "ab", "abc")
    assert checking.finish() == 64 and checking.text.count("has at least 4 characters") == 3, checking.text


def test_empty_answer_is_asked_again(checking):
    answer(checking, PROMPT, "", RIGHT)
    assert checking.finish() == 0, checking.text


def test_one_try_where_nobody_typed(terminal, code_file, given):
    run = terminal("backup", "check", code_file, *given("backup-password", b"nopedinope"))
    assert run.finish() == 12
    assert not re.search(PROMPT, run.text, re.M)


def test_end_of_input_is_no_answer(checking):
    checking.expect(PROMPT)
    checking.press(b"\x04")
    assert checking.finish() in (16, 130), checking.text
    assert checking.echo


@pytest.mark.parametrize("how, code", [("key", 130), ("SIGINT", 130), ("SIGTERM", 143)])
def test_interrupted_while_asking(checking, keytool, how, code):
    before = checking.untouched
    checking.expect(PROMPT)
    assert not checking.echo
    if how == "key":
        checking.press(b"\x03")
    else:
        checking.process.send_signal(getattr(signal, how))
    assert checking.finish() == code, checking.text
    assert checking.process.returncode == 128 - code, "a shell goes on with a script unless a signal ended it"
    assert checking.settings == before, "the terminal is left without echo"
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_stopped_and_continued_by_another(checking):
    """A shell that brings it to the front again has turned the echo on."""
    checking.expect(PROMPT)
    checking.process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, checking.process.pid, os.WSTOPPED | os.WNOWAIT)
    checking.show_what_is_typed()
    assert checking.echo
    checking.process.send_signal(signal.SIGCONT)
    deadline = time.monotonic() + PATIENCE
    while checking.echo:
        assert time.monotonic() < deadline, "the secret would be seen"
        time.sleep(0.01)


def test_no_input_does_not_ask(terminal, code_file):
    run = terminal("backup", "check", code_file, "--no-input")
    assert run.finish() == 16, run.text
    assert not re.search(PROMPT, run.text, re.M)


def test_typed_bytes_are_taken_as_they_are(terminal, write):
    identity = oracle.Identity("ZZZZ9999", bytes(32))
    code = write("code", oracle.seal_code(identity, " spaß €\t ".encode()))
    run = terminal("backup", "check", code)
    answer(run, PROMPT, " spaß €\t ")
    assert run.finish() == 0, run.text


# Creating: asked twice


def test_export_asks_twice(identity, terminal, tmp_path):
    with open(tmp_path / "out", "wb") as out:
        run = terminal("backup", "export", stdout=out)
        answer(run, r"password[^\n]*: ?$", BACKUP, BACKUP)
        assert run.finish() == 0, run.text
    code = (tmp_path / "out").read_text().strip()
    assert oracle.open_code(code, BACKUP_PASSWORD).public_key == identity["public_key"]


def decline_upload(run):
    run.expect(r"Upload the first backup now\? \[y/N\] $")
    run.send("")
    run.expect(r"Recovery card to print [^\n]*: $")
    run.send("")


def test_prompt_names_the_secret_and_whose(identity, terminal, directory):
    run = terminal("safe", "setup", "--create", "--server", directory.url)
    run.expect("Safe password for ABCD1234")
    run.expect(": ?$")
    run.send(SAFE)
    answer(run, r"password[^\n]*: ?$", SAFE)
    decline_upload(run)
    assert run.finish() == 0, run.text
    keys = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
    assert keys.backup_id not in run.text
    assert SAFE not in run.text


def test_two_answers_that_differ(identity, terminal, directory, keytool):
    before = snapshot(keytool.keystore)
    run = terminal("safe", "setup", "--create", "--server", directory.url)
    answer(run, r"password[^\n]*: ?$", SAFE, "something else")
    # asked from the beginning
    answer(run, r"password[^\n]*: ?$", SAFE)
    assert snapshot(keytool.keystore) == before
    answer(run, r"password[^\n]*: ?$", SAFE)
    decline_upload(run)
    assert run.finish() == 0, run.text


def test_never_the_same_twice(identity, terminal, keytool, directory):
    before = snapshot(keytool.keystore)
    run = terminal("safe", "setup", "--create", "--server", directory.url)
    answer(run, r"password[^\n]*: ?$", SAFE, "something else")
    run.expect(r"password[^\n]*: ?$")
    run.press(b"\x03")
    assert run.finish() == 130, run.text
    assert snapshot(keytool.keystore) == before
    # The server is prepared and tested first; nothing is on it yet.
    assert list(directory.backups.iterdir()) == []


def test_weak_password_takes_a_second_question(identity, terminal):
    for reply in ("y", "n", ""):
        run = terminal("backup", "export", stdout=subprocess.DEVNULL)
        answer(run, r"password[^\n]*: ?$", "12345678")
        run.expect(r"\?[^\n]*$")
        assert run.echo, "a question is answered in the open"
        run.send(reply)
        if reply == "y":
            answer(run, r"password[^\n]*, again: ?$", "12345678")
        else:
            # No is no: another password is asked for.
            answer(run, r"password[^\n]*: ?$", BACKUP, BACKUP)
        assert run.finish() == 0, run.text


def test_pull_asks_once(terminal, directory, keytool):
    keys = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
    directory.prepare().put(keys, oracle.seal_safe(oracle.safe_document(bytes(range(32))), keys))
    run = terminal("safe", "pull", "--no-passphrase", "--id", "ABCD1234", "--server", directory.url)
    run.expect("Safe password for ABCD1234")
    answer(run, ": ?$", SAFE)
    assert run.finish() == 0, run.text
    assert keytool.json("id", "show")["id"] == "ABCD1234"


def test_code_is_typed_group_by_group(terminal, keytool, code_password):
    run = terminal("backup", "import", "--no-passphrase", *code_password)
    for group in CODE.split("-"):
        run.expect(r"[^\n]: ?$|> ?$")
        run.send(group)
    run.expect(r"Check word[^\n]*: $")
    run.send("")
    assert run.finish() == 0, run.text
    assert keytool.json("id", "show")["id"] == "0ZAHXXHB"
