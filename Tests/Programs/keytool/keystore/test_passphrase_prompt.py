"""The keystore's passphrase, typed: asked for twice when it is new, three times when it opens."""

import pytest

from kit import masterkey
from kit.known import EMPTY_KEYSTORE
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE
from kit.runner import snapshot

RIGHT, NEW = PASSPHRASE.decode(), NEW_PASSPHRASE.decode()
FIRST = r"[Kk]eystore passphrase \(Enter for none\): $"
AGAIN = r"[Kk]eystore passphrase, again: $"
WITHOUT = r"Create it without one\? \[y/N\] $"
OPENING = r"[Kk]eystore passphrase: $"
NEWER = r"[Nn]ew keystore passphrase: $"
NEWER_AGAIN = r"[Nn]ew keystore passphrase, again: $"
CREATE = ["id", "create", "--id", "ABCD1234"]
SHOW = ["id", "show", "ABCD1234"]


def answer(run, prompt, text):
    run.expect(prompt)
    assert not run.echo, "typed in the open"
    run.send(text)


@pytest.fixture
def protected(keytool):
    keytool.ok(*CREATE)
    masterkey.rewrap(keytool)
    return keytool


# A new keystore


def test_asked_twice(terminal, keytool):
    run = terminal(*CREATE)
    before = run.untouched
    answer(run, FIRST, RIGHT)
    answer(run, AGAIN, RIGHT)
    assert run.finish() == 0, run.text
    assert RIGHT not in run.text and "not protected" not in run.text
    assert run.settings == before
    assert masterkey.read(keytool, PASSPHRASE)


def test_nothing_for_none(terminal, keytool):
    run = terminal(*CREATE)
    answer(run, FIRST, "")
    run.expect(WITHOUT)
    run.send("y")
    assert run.finish() == 0, run.text
    assert "not protected by a passphrase" in run.text
    assert masterkey.read(keytool)


def test_enter_by_mistake(terminal, keytool):
    """Enter alone leaves the keys open, so it needs a yes; without one the passphrase is asked for again."""
    run = terminal(*CREATE)
    for no in ("", "n"):
        answer(run, FIRST, "")
        run.expect(WITHOUT)
        run.send(no)
    answer(run, FIRST, RIGHT)
    answer(run, AGAIN, RIGHT)
    assert run.finish() == 0, run.text
    assert masterkey.read(keytool, PASSPHRASE)


def test_no_is_not_a_wrong_passphrase(terminal, keytool):
    """After however many, a passphrase has its three attempts."""
    run = terminal(*CREATE)
    for no in ("", "n", "no", "what", ""):
        answer(run, FIRST, "")
        run.expect(WITHOUT)
        run.send(no)
    answer(run, FIRST, "short")
    answer(run, FIRST, "short")
    answer(run, FIRST, RIGHT)
    answer(run, AGAIN, RIGHT)
    assert run.finish() == 0, run.text
    assert masterkey.read(keytool, PASSPHRASE)


def test_the_end_of_input_ends_the_question_for_none(terminal, keytool):
    run = terminal(*CREATE)
    answer(run, FIRST, "")
    run.expect(WITHOUT)
    run.press(b"\x04")
    run.expect(FIRST)
    run.press(b"\x04")
    assert run.finish() == 16, run.text
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_no_passphrase_and_no_input_ask_nothing(terminal, keytool, other_keytool):
    run = terminal(*CREATE, "--no-passphrase")
    assert run.finish() == 0 and "assphrase" not in run.text, run.text
    run = terminal(*CREATE, "--no-input", runner=other_keytool)
    assert run.finish() == 0 and "not protected by a passphrase" in run.text, run.text


def test_second_identity_asks_nothing(terminal, keytool):
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    run = terminal(*CREATE)
    assert run.finish() == 0, run.text
    assert "assphrase:" not in run.text


def test_answers_that_differ(terminal, keytool):
    run = terminal(*CREATE)
    for _ in range(3):
        answer(run, FIRST, RIGHT)
        answer(run, AGAIN, RIGHT + "x")
    assert run.finish() == 64, run.text
    assert "was not repeated correctly" in run.text
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_third_pair_is_as_good_as_the_first(terminal, keytool):
    run = terminal(*CREATE)
    answer(run, FIRST, "short")
    answer(run, FIRST, RIGHT)
    answer(run, AGAIN, "")
    answer(run, FIRST, NEW)
    answer(run, AGAIN, NEW)
    assert run.finish() == 0, run.text
    assert masterkey.read(keytool, NEW_PASSPHRASE)


def test_weak_one_takes_a_second_question(terminal, keytool):
    run = terminal(*CREATE)
    answer(run, FIRST, "12345678")
    run.expect(r"Use it anyway\? \[y/N\] $")
    run.send("n")
    run.expect("the weak keystore passphrase was not used")
    answer(run, FIRST, "12345678")
    run.expect(r"\[y/N\] $")
    run.send("y")
    answer(run, AGAIN, "12345678")
    assert run.finish() == 0, run.text
    assert masterkey.read(keytool, b"12345678")


# Opening


def test_three_tries(terminal, protected):
    run = terminal(*SHOW)
    for _ in range(3):
        answer(run, OPENING, "wrong-one")
    assert run.finish() == 12, run.text
    assert run.echo


def test_third_try_is_as_good_as_the_first(terminal, protected):
    run = terminal(*SHOW)
    for text in ("wrong-one", "", RIGHT):
        answer(run, OPENING, text)
    assert run.finish() == 0, run.text
    assert "ABCD1234" in run.text and RIGHT not in run.text


def test_stdin_and_stdout_are_left_alone(terminal, protected, tmp_path):
    with open(tmp_path / "out", "wb") as out, open("/dev/null", "rb") as nothing:
        run = terminal(*SHOW, "--json", stdin=nothing, stdout=out)
        answer(run, OPENING, RIGHT)
        assert run.finish() == 0, run.text
    assert b"assphrase" not in (tmp_path / "out").read_bytes()


def test_passwd_asks_for_both(terminal, protected):
    run = terminal("key", "passwd", "--scheme", "scrypt")
    answer(run, OPENING, RIGHT)
    answer(run, NEWER, NEW)
    answer(run, NEWER_AGAIN, NEW)
    assert run.finish() == 0, run.text
    assert masterkey.read(protected, NEW_PASSPHRASE)


@pytest.mark.parametrize("reply, code", [("y", 0), ("yes", 0), ("n", 64), ("", 64), (RIGHT, 64)])
def test_unprotect_asks_for_a_yes_first(terminal, protected, reply, code):
    before = snapshot(protected.keystore)
    run = terminal("key", "unprotect")
    run.expect(r"\[y/N\] $")
    assert run.echo
    run.send(reply)
    if code == 0:
        answer(run, OPENING, RIGHT)
    assert run.finish() == code, run.text
    assert code == 0 or snapshot(protected.keystore) == before
    assert code != 0 or masterkey.read(protected)


def test_protect_takes_no_empty_one(terminal, keytool):
    keytool.ok(*CREATE)
    before = snapshot(keytool.keystore)
    run = terminal("key", "protect")
    for _ in range(3):
        answer(run, OPENING, "")
    assert run.finish() in (64, 65), run.text
    assert snapshot(keytool.keystore) == before
