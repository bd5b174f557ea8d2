"""telegram import of the directory that version 7.3 of Telegram Desktop writes: by opentele2, and by the kit what that
does not write, which opentele2 then has to open, too."""

import os

import pytest

from kit import opentele, telegram
from kit.runner import snapshot
from kit.telegram import KEYS, Account, Wrap, key_id

ONE = Account({2: KEYS[0]}, user=777000111222333)
TWO = Account({1: KEYS[2]}, user=5, main=1)
PASSCODE = "Saffron-Ladder-93"
LOCAL = bytes(range(256))


def ids(keytool):
    return [each["id"] for each in keytool.json("telegram", "list")["accounts"]]


def written(tmp_path, wraps=(), committed=0, passcode=b"", **form):
    return telegram.tdata(tmp_path / "tdata", [ONE], passcode, LOCAL,
                          newer=telegram.trailer(wraps, committed, LOCAL, **form))


def test_without_a_passcode(keytool, tmp_path):
    source = opentele.save(tmp_path / "tdata", [ONE, TWO])
    before = snapshot(source)
    done = keytool.ok("telegram", "import", source)
    assert "imported account 1" in done.out and "imported account 2" in done.out
    assert sorted(ids(keytool)) == sorted([key_id(KEYS[0]), key_id(KEYS[2])])
    assert snapshot(source) == before


def test_with_a_passcode(keytool, tmp_path, given):
    source = opentele.save(tmp_path / "tdata", [ONE], PASSCODE)
    keytool.fails(16, "telegram", "import", source)
    wrong = keytool.fails(12, "telegram", "import", source, *given("telegram-passcode", b"wrong"))
    assert "wrong Telegram passcode" in wrong.err
    keytool.ok("telegram", "import", source, *given("telegram-passcode", PASSCODE.encode()))
    assert ids(keytool) == [key_id(KEYS[0])]


def test_many_directories(keytool, tmp_path):
    """Each has random bytes in all places."""
    for number in range(10):
        account = Account({4: os.urandom(256), 2: os.urandom(256)}, user=1 + number)
        source = opentele.save(tmp_path / str(number), [account])
        keytool.ok("telegram", "import", source)
        assert key_id(account.keys[2]) in ids(keytool)


@pytest.mark.parametrize("wraps, committed", [
    ([Wrap(PASSCODE.encode(), family=2, memory=1024, time=8)], 1), ([Wrap(PASSCODE.encode(), lanes=4)], 1),
    ([Wrap(PASSCODE.encode(), 7), Wrap(b"next", 8)], 7), ([Wrap(b"before", 7), Wrap(PASSCODE.encode(), 8)], 8),
])
def test_keys_of_passcodes(keytool, tmp_path, given, wraps, committed):
    source = written(tmp_path, wraps, committed, PASSCODE.encode())
    assert opentele.load(source, PASSCODE) == LOCAL
    for other in {each.passcode for each in wraps} - {PASSCODE.encode()}:
        assert opentele.load(source, other.decode()) != LOCAL
        keytool.fails(12, "telegram", "import", source, *given("telegram-passcode", other))
    keytool.ok("telegram", "import", source, *given("telegram-passcode", PASSCODE.encode()))
    assert ids(keytool) == [key_id(KEYS[0])]


def test_a_passcode_that_guards_something_else(keytool, tmp_path):
    source = written(tmp_path, [Wrap(PASSCODE.encode())], 1)
    assert opentele.load(source) == LOCAL
    keytool.ok("telegram", "import", source)


@pytest.mark.parametrize("form", [{"version": 3}, {"magic": b"KD3\0"}])
def test_what_is_newer_is_not_called_damaged(keytool, tmp_path, form):
    source = written(tmp_path, **form)
    refused = keytool("telegram", "import", source, "--json")
    assert refused.code == 65 and refused.error["reason"] == "newer_version", refused
    assert "key_datas has a form that keytool does not know" in refused.err
    assert "not damaged" in refused.err and ("version 3" in refused.err) == ("version" in form), refused
    assert list(keytool.keystore.iterdir()) == []


def test_no_passcode_opens_it(keytool, tmp_path):
    source = written(tmp_path, [Wrap(PASSCODE.encode(), 2)], 1, PASSCODE.encode())
    assert "a change of the passcode was interrupted" in keytool.fails(65, "telegram", "import", source).err


def test_a_cost_that_the_app_does_not_use(keytool, tmp_path):
    """No passcode is asked for."""
    costly = Wrap(PASSCODE.encode(), time=65)
    source = written(tmp_path, [costly], 1, PASSCODE.encode())
    assert "asks for more memory or time" in keytool.fails(65, "telegram", "import", source).err


def test_what_is_not_read_is_named(keytool, tmp_path):
    source = written(tmp_path)
    assert keytool.ok("telegram", "import", "--check", source).err == ""
    file = source / "key_datas"
    file.write_bytes(telegram.shell(file.read_bytes()[8:-16] + telegram.array(b"of a fork")))
    (source / "wallet_keyring_datas").write_bytes(b"")
    done = keytool.ok("telegram", "import", source)
    assert "keys of a wallet" in done.err and "more than Telegram Desktop writes" in done.err, done
    assert ids(keytool) == [key_id(KEYS[0])]
