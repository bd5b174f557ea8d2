"""id create --entropy keyboard: the typing is counted, not shown, and the terminal comes back."""

import itertools
import signal
import subprocess

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, EMPTY_KEYSTORE
from kit.runner import snapshot

KEYS = 64
COMMAND = ("id", "create", "--entropy", "keyboard", "--no-passphrase", "--id", "ABCD1234")


def asked(run):
    run.expect(r"64 keys[^\n]*: ?$")
    return run


@pytest.fixture
def typing(terminal):
    return asked(terminal(*COMMAND))


def press(run, count, key=b"Q"):
    """One at a time, each one acknowledged before the next."""
    for _ in range(count):
        run.press(key)
        run.expect(r"\.", timeout=60)


def test_echo_is_off_before_anybody_is_asked(terminal):
    """Several times, for what is done too late is often done in time."""
    for _ in range(8):
        run = asked(terminal(*COMMAND))
        assert not run.echo, "what is typed at once is shown, and lost"
        run.press(b"\x03")
        assert run.finish() == 130, run.text


def test_sixty_four_keys(typing, keytool, backup_password):
    press(typing, KEYS)
    assert typing.finish() == 0, typing.text
    assert typing.echo
    code = keytool.json("backup", "export", *backup_password)["code"]
    identity = oracle.open_code(code, BACKUP_PASSWORD)
    assert identity.public_key == keytool.json("id", "show")["public_key"]


def test_one_key_less_is_not_enough(typing, keytool):
    press(typing, KEYS - 1)
    with pytest.raises(AssertionError, match="still running"):
        typing.finish(timeout=0.3)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
    press(typing, 1)
    assert typing.finish() == 0, typing.text
    assert keytool.json("id", "show")["id"] == "ABCD1234"


def test_keys_are_not_shown(typing):
    before = len(typing.text)
    press(typing, KEYS)
    assert typing.finish() == 0, typing.text
    line = typing.text[before:].split("\n")[0]
    assert line == "." * KEYS


def test_any_key_counts(typing, keytool):
    for key in itertools.islice(itertools.cycle([b"a", b"\r", b" ", b"\x7f", b"\x15"]), KEYS):
        press(typing, 1, key)
    assert typing.finish() == 0, typing.text


def test_terminal_is_as_it_was(terminal):
    run = asked(terminal(*COMMAND))
    press(run, KEYS)
    assert run.finish() == 0, run.text
    fresh = terminal("id", "list")
    assert fresh.finish() == 0
    assert run.settings == fresh.settings


@pytest.mark.parametrize("how, code", [("key", 130), ("SIGINT", 130), ("SIGTERM", 143),
                                       ("SIGHUP", 129)])
def test_interrupted(typing, terminal, keytool, how, code):
    press(typing, 10)
    if how == "key":
        typing.press(b"\x03")
    else:
        typing.process.send_signal(getattr(signal, how))
    assert typing.finish() == code, typing.text
    assert typing.echo
    fresh = terminal("id", "list")
    fresh.finish()
    assert typing.settings == fresh.settings, "left without echo, or key by key"
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_everything_redirected(terminal, tmp_path):
    with open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
        run = asked(terminal(*COMMAND, "--json", stdin=subprocess.DEVNULL, stdout=out, stderr=err))
        press(run, KEYS)
        assert run.finish() == 0, run.text
    assert '"id":"ABCD1234"' in (tmp_path / "out").read_text()
    assert "keys" not in (tmp_path / "out").read_text()


def test_same_keys_give_another_private_key(terminal, keytool):
    shown = set()
    for id in ("ABCD1234", "ZZZZ9999"):
        run = asked(terminal("id", "create", "--entropy", "keyboard", "--no-passphrase", "--id", id))
        press(run, KEYS)
        assert run.finish() == 0, run.text
        shown.add(keytool.json("id", "show", id)["public_key"])
    assert len(shown) == 2


def test_without_a_terminal(keytool, terminal):
    keytool.fails(64, *COMMAND)
    keytool.fails(64, *COMMAND, stdin="q" * KEYS)
    run = terminal(*COMMAND, "--no-input")
    assert run.finish() == 64, run.text
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_other_sources(keytool):
    keytool.fails(64, "id", "create", "--entropy", "dice")
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
