"""A secret's command on a terminal: it has the terminal while it runs, and keytool has it again afterwards."""

import shlex
import signal

import pytest

from kit.known import CODE_PASSWORD
from kit.masterkey import PASSPHRASE
from kit.pages.shells import READY
from kit.processes.faketime import FAKETIME
from kit.screens.terminal import Terminal
from test_secret_commands import LASTING, is_gone, written

# As pinentry does: it asks on the terminal itself. In the background it would be stopped.
ASKS = "stty -echo < /dev/tty; printf 'PIN: ' > /dev/tty; read pin < /dev/tty; stty echo < /dev/tty; echo $pin"
# The question, and not the command line that bash shows up to there.
PIN = "(?<!')PIN: $"
RIGHT = CODE_PASSWORD.decode()


@pytest.fixture
def protected(keytool, write):
    keytool.ok("id", "create", "--id", "ABCD1234", "--passphrase-file", write("p", PASSPHRASE))
    return keytool


def test_command_can_ask_on_the_terminal(terminal, protected):
    run = terminal("id", "show", "--passphrase-command", ASKS)
    run.expect(PIN)
    run.send(PASSPHRASE.decode())
    assert run.finish() == 0, run.text
    assert PASSPHRASE.decode() not in run.text


def test_keytool_has_the_terminal_again(terminal, protected):
    """It changes the terminal's settings to ask, which the kernel allows in the foreground only."""
    run = terminal("backup", "export", "--passphrase-command", ASKS, "--weak-ok")
    run.expect(PIN)
    run.send(PASSPHRASE.decode())
    for prompt in ("Backup password[^\n]*: $", "again: $"):
        run.expect(prompt)
        run.send("battery staple 9")
    assert run.finish() == 0, run.text


@pytest.mark.parametrize("key, code", [(b"\x03", 130), (b"\x1c", 131)], ids=["Ctrl-C", "Ctrl-backslash"])
def test_interrupted_from_the_keyboard(terminal, protected, tmp_path, key, code):
    """The keys reach the command alone, so its end has to be keytool's."""
    pids = tmp_path / "pids"
    run = terminal("id", "show", "--passphrase-command", LASTING.format(pids=pids))
    started = written(pids)
    run.press(key)
    assert run.finish() == code, run.text
    is_gone(started)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_killed_while_the_command_hides_the_echo(terminal, protected, number):
    run = terminal("id", "show", "--passphrase-command", ASKS)
    run.expect(PIN)
    run.process.send_signal(number)
    assert run.finish() == 128 + number
    assert run.settings == run.untouched


def test_five_minutes_on_a_terminal(protected, tmp_path):
    pids = tmp_path / "pids"
    command = [*FAKETIME, "-f", "+0 x100", *protected.command_line(
        "id", "show", "--passphrase-command", LASTING.format(pids=pids))]
    run = Terminal(command, protected.environment)
    try:
        assert run.finish(timeout=60) == 16, run.text
        assert "keystore passphrase" in run.text and "5 minutes" in run.text
        is_gone(written(pids))
    finally:
        run.close()


def test_no_input_is_no_terminal(protected, tmp_path):
    """The command is not given the terminal, and has a minute."""
    pids = tmp_path / "pids"
    command = [*FAKETIME, "-f", "+0 x40", *protected.command_line(
        "id", "show", "--no-input", "--passphrase-command", f"{ASKS}; {LASTING.format(pids=pids)}")]
    run = Terminal(command, protected.environment)
    try:
        assert run.finish(timeout=60) == 16, run.text
        assert "1 minute" in run.text
    finally:
        run.close()


# A shell with job control


@pytest.fixture
def shell(protected):
    environment = protected.with_environment(PS1=READY, TERM="dumb").environment
    run = Terminal(["bash", "--norc", "--noprofile", "-i"], environment, columns=4000)
    run.expect(READY)
    yield run
    run.close()


def show(protected):
    return shlex.join(protected.command_line("id", "show", "--passphrase-command", ASKS))


def test_stopped_and_continued(shell, protected):
    """Ctrl-Z stops keytool with the command: else the shell would wait for a stopped one."""
    shell.send(show(protected))
    shell.expect(PIN)
    shell.press(b"\x1a")
    shell.expect(r"Stopped[^\n]*\n")
    shell.expect(READY)
    shell.send("echo still $((20 + 3))")
    shell.expect("still 23")
    shell.send("fg")
    shell.expect("--passphrase-command")
    shell.send(PASSPHRASE.decode())
    shell.expect("3mid:ABCD1234")
    shell.expect(READY)


def test_started_in_the_background(shell, protected):
    """It waits until it is brought to the front, as any job that reads from the terminal."""
    shell.send(show(protected) + " &")
    shell.expect(r"\[1\] \d+")
    shell.send("until jobs | grep Stopped; do sleep 0.1; done")
    shell.expect(r"Stopped[^\n]*\n")
    shell.expect(READY)
    shell.send("fg")
    shell.expect(PIN)
    shell.send(PASSPHRASE.decode())
    shell.expect("3mid:ABCD1234")


def test_question_of_a_job_that_was_in_the_background(shell, protected):
    """The settings that it changes are the terminal's, not those of the shell's line editor: Enter ends the answer."""
    shell.send(shlex.join(protected.command_line("id", "show")) + " &")
    shell.expect(r"\[1\] \d+")
    shell.send("until jobs | grep Stopped; do sleep 0.1; done")
    shell.expect(r"Stopped[^\n]*\n")
    shell.expect(READY)
    shell.send("fg")
    shell.expect("Keystore passphrase: $")
    shell.send(PASSPHRASE.decode())
    shell.expect("3mid:ABCD1234")


def test_interrupted_question_ends_the_script(shell, protected):
    show = shlex.join(protected.command_line("id", "show"))
    shell.send(f"for one in 1 2; do {show}; done; echo over $((1 + 1))")
    shell.expect("Keystore passphrase: $")
    shell.press(b"\x03")
    shell.expect(READY)
    assert "over 2" not in shell.text and shell.text.count("Keystore passphrase: ") == 1


def test_interrupted_below_a_shell(shell, protected, tmp_path):
    pids = tmp_path / "pids"
    shell.send(shlex.join(protected.command_line(
        "id", "show", "--passphrase-command", LASTING.format(pids=pids))))
    started = written(pids)
    shell.press(b"\x03")
    shell.expect(READY)
    shell.send("echo code $?")
    shell.expect("code 130")
    is_gone(started)
