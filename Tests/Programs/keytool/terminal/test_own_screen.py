"""A password that was chosen at random is shown where nothing stays: on the terminal's second
screen, wiped by Enter and by whatever ends the program."""

import re
import signal

import pytest

from kit import oracle
from kit.runner import snapshot
from kit.screens.ownscreen import ENTER, LEAVE, screens
from kit.screens.setupdialog import decline_card
from kit.screens.terminal import Terminal

CHOSEN = re.compile(r"(?:[a-z]{5}-){4}[a-z]{5}")
OFFER = r"password[^\n]* \(Enter for a random one\): $"
SHOWN = r"press Enter[^\n]*$"
TYPE = r"Now type it: $"
UPLOAD = r"Upload the first backup now\? \[y/N\] $"


@pytest.fixture
def setup(keytool, terminal, directory):
    """setup(**environment): safe setup at the moment the password is shown."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    directory.prepare()

    def setup(shown=SHOWN, **environment):
        run = terminal("safe", "setup", "--server", directory.url,
                       runner=keytool.with_environment(**environment))
        run.expect(OFFER)
        run.send("")
        run.expect(shown)
        return run
    return setup


@pytest.fixture
def unchanged(keytool, directory, setup):
    """Nothing half made here and on the server, whatever happens in the test."""
    before = snapshot(keytool.keystore)
    yield
    assert snapshot(keytool.keystore) == before and list(directory.backups.iterdir()) == []


def chosen(run):
    return CHOSEN.search(run.text, run.text.rfind("chosen at random"))[0]


def test_shown_wiped_and_typed(setup, directory, keytool):
    run = setup()
    password = chosen(run)
    assert not run.echo
    run.send("nobody sees this")
    run.expect(TYPE)
    assert not run.echo
    run.send(password)
    run.expect(UPLOAD)
    run.send("")
    decline_card(run)
    assert run.finish() == 0, run.text
    first, second = screens(run.text)
    assert len(second) == 1 and password in second[0]
    assert password not in first and "nobody" not in run.text
    assert run.settings == run.untouched
    keytool.ok("safe", "push")
    assert (directory.backups / oracle.safe_keys(password.encode(), "ABCD1234").backup_id).exists()


def test_password_that_is_shown_is_the_one_in_use(keytool, terminal):
    keytool.ok("id", "create", "--id", "ABCD1234")
    run = terminal("backup", "export")
    run.expect(OFFER)
    run.send("")
    run.expect(SHOWN)
    password = chosen(run)
    run.send("")
    run.expect(TYPE)
    run.send(password)
    assert run.finish() == 0, run.text
    code = "".join(re.findall(r"^(?:[A-Z2-7]{4}-?){5}$", run.text, re.M))
    assert oracle.open_code(code, password.encode()).id == "ABCD1234"


def test_shown_again_until_it_is_typed(setup):
    run = setup()
    password = chosen(run)
    for typed in ("wrong", ""):
        run.send("")
        run.expect(TYPE)
        run.send(typed)
        run.expect("that is not the [a-z A-Z]+ that was shown; try again")
        run.expect(SHOWN)
        assert chosen(run) == password
    run.send("")
    run.expect(TYPE)
    run.send(password)
    run.expect(UPLOAD)
    run.send("")
    decline_card(run)
    assert run.finish() == 0, run.text
    assert len(screens(run.text)[1]) == 3


def test_three_tries(setup, unchanged):
    run = setup()
    password = chosen(run)
    for _ in range(2):
        run.send("")
        run.expect(TYPE)
        run.send("wrong")
        run.expect(SHOWN)
    run.send("")
    run.expect(TYPE)
    run.send("wrong")
    run.expect("was not repeated correctly")
    run.expect(OFFER)
    run.send("")
    run.expect(SHOWN)
    assert chosen(run) != password
    run.press(b"\x03")
    assert run.finish() == 130, run.text
    assert password not in screens(run.text)[0]


SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGUSR1"]


@pytest.mark.parametrize("name", SIGNALS)
def test_ended_while_it_is_shown(setup, unchanged, name):
    run = setup()
    password, number = chosen(run), getattr(signal, name)
    run.process.send_signal(number)
    assert run.finish() == 128 + number, run.text
    assert run.text.endswith(LEAVE) and password not in screens(run.text)[0]
    assert run.settings == run.untouched


def test_ctrl_c(setup, unchanged):
    run = setup()
    run.press(b"\x03")
    assert run.finish() == 130 and run.text.endswith(LEAVE)
    assert run.settings == run.untouched


def test_ctrl_d(setup, unchanged):
    run = setup()
    run.press(b"\x04")
    assert run.finish() == 16, run.text
    assert len(screens(run.text)[1]) == 1 and run.settings == run.untouched


def test_ctrl_z_does_not_stop_it(setup, unchanged):
    run = setup()
    run.press(b"\x1a")
    run.press(b"\x03")
    assert run.finish() == 130


def test_hang_up(setup, unchanged):
    run = setup()
    run.hang_up()
    assert run.process.wait(60) in (129, -signal.SIGHUP)


def test_signal_behind_it_finds_the_first_screen(setup, unchanged):
    """Left once and no more: to leave again would wipe what is there."""
    run = setup()
    run.send("")
    run.expect(TYPE)
    run.process.send_signal(signal.SIGTERM)
    assert run.finish() == 143
    assert run.text.count(LEAVE) == 1 and run.settings == run.untouched


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_terminal_that_cannot_be_wiped(setup, directory, kind):
    run = setup(r"Write it down, then type it: $", TERM=kind)
    password = chosen(run)
    run.send("wrong")
    run.expect(r"Write it down, then type it: $")
    run.send(password)
    run.expect(UPLOAD)
    run.send("")
    decline_card(run)
    assert run.finish() == 0, run.text
    assert "\x1b[?" not in run.text and run.settings == run.untouched


def test_ignored_signal_stays_ignored(setup, keytool, directory):
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh",
               *keytool.command_line("safe", "setup", "--create", "--server", directory.url)]
    run = Terminal(command, keytool.environment)
    try:
        run.expect(OFFER)
        run.process.send_signal(signal.SIGHUP)
        run.send("")
        run.expect(SHOWN)
        run.process.send_signal(signal.SIGHUP)
        run.send("")
        run.expect(TYPE)
        run.send(chosen(run))
        run.expect(UPLOAD)
        run.send("")
        decline_card(run)
        assert run.finish() == 0, run.text
    finally:
        run.close()
    assert run.text.count(ENTER) == run.text.count(LEAVE) == 1
