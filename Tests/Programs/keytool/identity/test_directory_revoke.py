"""revoke set, revoke check, id revoke: by the private key, and by the revocation password alone."""

import base64
import hashlib

import pytest

from kit.damage import flip
from kit.runner import snapshot
from kit.servers.directoryrequests import ACTIVE, INVALID

PASSWORD = b"a word that only I can give back"
HASH = base64.b64encode(hashlib.sha256(PASSWORD).digest()[:4]).decode()


@pytest.fixture
def registered(keytool, at):
    """An ID that the directory knows, in the keystore, which remembers the directory."""
    return keytool.json("id", "create", *at)["id"]


@pytest.fixture
def password(given):
    return given("revocation-password", PASSWORD)


def test_set_and_check(keytool, id_directory, registered, password):
    assert keytool.json("revoke", "check") == {
        "schema": "keytool/1", "command": "revoke check", "id": registered, "set": False}
    result = keytool.ok("revoke", "check")
    assert result.out == f"no revocation password of {registered} is set\n" and "revoke set" in result.err
    result = keytool.ok("revoke", "set", *password)
    assert result.out == f"the revocation password of {registered} is set\n" and not result.err
    assert id_directory.identities[registered].revocation_key == HASH
    shown = keytool.json("revoke", "check", registered)
    assert shown["set"] is True and shown["last_changed"] == "2014-10-29T12:32:54Z"
    assert "since 2014-10-29T12:32:54Z" in keytool.ok("revoke", "check").out


def test_password_is_asked_for_twice(terminal, id_directory, registered):
    run = terminal("revoke", "set")
    run.expect(f"[Rr]evocation password for {registered}: $")
    assert not run.echo
    run.send(PASSWORD.decode())
    run.expect("again: $")
    run.send(PASSWORD.decode())
    assert run.finish() == 0, run.text
    assert id_directory.identities[registered].revocation_key == HASH


def test_bad_passwords_are_not_sent(keytool, id_directory, registered, given):
    id_directory.asked.clear()
    keytool.fails(64, "revoke", "set", *given("revocation-password", b"1234567"))
    keytool.fails(16, "revoke", "set", "--no-input")
    assert not id_directory.asked


def test_weak_passwords(keytool, id_directory, registered, given, terminal):
    id_directory.asked.clear()
    weak = given("revocation-password", b"123456789")
    for more in ([], ["--no-input"]):
        error = keytool.fails(64, "revoke", "set", *weak, *more).err
        assert "only digits" in error and "--weak-ok" in error and not id_directory.asked
    run = terminal("revoke", "set")
    for question, answer in (("word for .*: $", "123456789"), ("Use it anyway", "y"), ("again: $", "123456789")):
        run.expect(question)
        assert not id_directory.asked
        run.send(answer)
    assert run.finish() == 0 and id_directory.asked, run.text
    assert "only digits" in keytool.ok("revoke", "set", *weak, "--weak-ok").err


def test_the_password_is_never_said(keytool, id_directory, registered, password):
    for command in (["revoke", "set"], ["id", "revoke", registered, "--yes"]):
        for loud in (["-v"], ["--json"]):
            result = keytool(*command, *password, *loud)
            assert PASSWORD.decode() not in result.out + result.err and HASH not in result.out + result.err
    assert all(PASSWORD not in request.body for request in id_directory.requests)


def test_an_offline_identity_has_no_directory(keytool, at, password):
    id = keytool.json("id", "create")["id"]
    for command in (["revoke", "check"], ["revoke", "set", *password], ["id", "revoke", "--yes"]):
        assert "--directory" in keytool.fails(64, *command).err
    # The directory does not know it either, and is not remembered then.
    error = keytool.fails(10, "revoke", "check", *at, "--json").error
    assert error["reason"] == "unknown_identity" and "the directory said: Identity not found" in error["hint"]
    keytool.fails(64, "revoke", "check", id)


def test_another_directory_is_remembered_once_it_has_answered(keytool, id_directory, at, registered, certificates):
    alias = id_directory.url.replace("localhost", "127.0.0.1")
    keytool.fails(21, "revoke", "check", "--directory", alias)
    keytool.ok("revoke", "check")
    keytool.ok("revoke", "check", "--directory", alias, *at[2:])
    assert f"POST {alias}identity/check_revocation_key 200" in keytool.ok("revoke", "check", "-v").err
    # Pins alone are added to what is remembered.
    keytool.ok("revoke", "check", "--directory-pin", id_directory.pin)
    id_directory.asked.clear()
    wrong = "sha256//" + base64.b64encode(bytes(32)).decode()
    keytool.fails(22, "revoke", "check", "--directory-pin", wrong)
    assert not id_directory.asked
    keytool.ok("revoke", "check")


def test_environment_is_ignored_once_a_directory_is_remembered(keytool, registered):
    keytool.with_environment(KEYTOOL_DIRECTORY="https://127.0.0.1:1/").ok("revoke", "check")


def test_damaged_record_of_the_directory(keytool, at, registered):
    path = keytool.keystore / "identities" / "threema" / registered / "directory"
    flip(path)
    assert "--directory" in keytool.fails(65, "revoke", "check").err
    assert "directory" in keytool("doctor").out
    keytool.ok("revoke", "check", *at)
    keytool.ok("revoke", "check")


# Revoking


def test_by_the_key(keytool, id_directory, registered):
    result = keytool.ok("id", "revoke", "--yes")
    assert result.out == f"revoked {registered}\n" and f"keytool id remove {registered}" in result.err
    assert id_directory.identities[registered].state == INVALID
    assert ("identity/revoke", 2) in id_directory.asked
    assert keytool.json("id", "list")["identities"][0]["id"] == registered
    keytool.fails(10, "id", "fetch", registered)


def test_by_the_password_in_another_keystore(keytool, other_keytool, id_directory, at, registered, password):
    keytool.ok("revoke", "set", *password)
    before = snapshot(other_keytool.keystore)
    revoked = other_keytool.json("id", "revoke", registered, "--yes", *at, *password)
    assert revoked == {"schema": "keytool/1", "command": "id revoke", "id": registered, "revoked": True,
                       "by": "password"}
    assert id_directory.identities[registered].state == INVALID and id_directory.asked[-1] == ("identity/ws/revoke", 1)
    assert snapshot(other_keytool.keystore) == before


def test_by_the_password_though_the_key_is_here(keytool, id_directory, registered, password):
    keytool.ok("revoke", "set", *password)
    assert keytool.json("id", "revoke", "--yes", *password)["by"] == "password"
    assert id_directory.identities[registered].state == INVALID


def test_the_password_goes_to_the_remembered_directory(keytool, id_directory, registered, password):
    keytool.ok("revoke", "set", *password)
    elsewhere = keytool.with_environment(KEYTOOL_DIRECTORY="https://127.0.0.1:1/")
    assert elsewhere.json("id", "revoke", registered, "--yes", *password)["by"] == "password"
    assert id_directory.identities[registered].state == INVALID


def test_the_password_with_remembered_trust(keytool, id_directory, registered, password):
    keytool.ok("revoke", "set", *password)
    keytool.ok("id", "revoke", registered, "--yes", "--directory", id_directory.url, *password)
    assert id_directory.identities[registered].state == INVALID


def test_the_password_without_the_lost_passphrase(keytool, id_directory, at, given, password):
    passphrase = given("passphrase", b"correct-horse-7")
    id = keytool.json("id", "create", *at, *passphrase)["id"]
    keytool.ok("revoke", "set", *password, *passphrase)
    command = ["id", "revoke", id, "--yes", "--directory", id_directory.url, *password]
    # What is remembered of the directory is sealed.
    keytool.fails(21, *command)
    keytool.fails(16, "id", "revoke", id, "--yes", *password)
    keytool.ok(*command, *at[2:])
    assert id_directory.identities[id].state == INVALID


def test_the_password_with_a_passphrase_that_does_not_fit(keytool, id_directory, at, given, write, password):
    passphrase = given("passphrase", b"correct-horse-7")
    id = keytool.json("id", "create", *at, *passphrase)["id"]
    keytool.ok("revoke", "set", *password, *passphrase)
    for path in (keytool.home / "vanished", write("wrong", b"wrong-horse-7")):
        id_directory.identities[id].state = ACTIVE
        other = keytool.with_environment(KEYTOOL_PASSPHRASE_FILE=path)
        result = other.ok("id", "revoke", id, "--yes", *at, *password)
        assert "what the keystore remembers of the directory does not count: " in result.err
        assert id_directory.identities[id].state == INVALID


def test_a_usage_error_revokes_nothing(keytool, id_directory, at, given, password):
    passphrase = given("passphrase", b"correct-horse-7")
    id = keytool.json("id", "create", *at, *passphrase)["id"]
    keytool.ok("revoke", "set", *password, *passphrase)
    command = ["id", "revoke", id, "--yes", *at, *password]
    keytool.fails(64, *command, *passphrase, "--passphrase-fd", "3")
    keytool.with_environment(KEYTOOL_PASSPHRASE_FD="abc").fails(64, *command)
    assert id_directory.identities[id].state == ACTIVE


def test_the_password_with_the_passphrase(keytool, id_directory, at, given, password):
    passphrase = given("passphrase", b"correct-horse-7")
    id = keytool.json("id", "create", *at, *passphrase)["id"]
    keytool.ok("revoke", "set", *password, *passphrase)
    keytool.ok("id", "revoke", id, "--yes", "--directory", id_directory.url, *password, *passphrase)
    assert id_directory.identities[id].state == INVALID


def test_a_wrong_password_revokes_nothing(keytool, id_directory, registered, password, given):
    keytool.ok("revoke", "set", *password)
    result = keytool.fails(1, "id", "revoke", "--yes", *given("revocation-password", b"another word"))
    assert "Invalid revocation key" in result.err and id_directory.identities[registered].state == ACTIVE


def test_without_the_key_the_password_is_needed(other_keytool, terminal, id_directory, at, registered, keytool, password):
    keytool.ok("revoke", "set", *password)
    other_keytool.fails(16, "id", "revoke", registered, "--yes", *at)
    run = terminal("id", "revoke", registered, *at, runner=other_keytool)
    run.expect(f"To revoke {registered} for ever, type {registered}: ")
    run.send(registered.lower())
    run.expect(f"[Rr]evocation password for {registered}: $")
    run.send(PASSWORD.decode())
    assert run.finish() == 0, run.text
    assert id_directory.identities[registered].state == INVALID


def test_confirmation(keytool, terminal, id_directory, registered):
    id_directory.asked.clear()
    assert "--yes" in keytool.fails(64, "id", "revoke").err
    run = terminal("id", "revoke")
    run.expect(f"type {registered}: ")
    run.send("yes")
    assert run.finish() == 64, run.text
    assert not id_directory.asked and id_directory.identities[registered].state == ACTIVE


def test_an_answer_that_is_lost(keytool, id_directory, registered):
    id_directory.script("identity/revoke", id_directory.lose, phase=2)
    result = keytool.fails(75, "id", "revoke", "--yes")
    assert f"keytool id fetch {registered}" in result.err
    assert id_directory.identities[registered].state == INVALID


def test_an_answer_that_is_lost_after_the_password_was_set(keytool, id_directory, registered, password):
    id_directory.script("identity/set_revocation_key", id_directory.lose, phase=2)
    result = keytool.fails(75, "revoke", "set", *password)
    assert f"it may be set already: keytool revoke check {registered}" in result.err
    assert "is set" in keytool.ok("revoke", "check").out


@pytest.mark.parametrize("phase", [1, 2])
def test_failures(keytool, id_directory, registered, password, phase):
    for path, command in (("set_revocation_key", ["revoke", "set", *password]),
                          ("check_revocation_key", ["revoke", "check"]), ("revoke", ["id", "revoke", "--yes"])):
        for act, code in ((id_directory.status(401), 13), (id_directory.status(429, Retry_After=42), 75),
                          (id_directory.refuse("Not today"), 1)):
            id_directory.script("identity/" + path, act, phase=phase)
            result = keytool.fails(code, *command)
            assert "Not today" in result.err or code != 1
    assert id_directory.identities[registered].state == ACTIVE


def test_another_key_proves_nothing(keytool, other_keytool, id_directory, at, registered):
    """The directory has another key for an ID that a keystore has drawn by chance."""
    other_keytool.ok("id", "create", "--id", registered)
    result = other_keytool.fails(13, "id", "revoke", "--yes", *at)
    assert "another public key" in result.err and id_directory.identities[registered].state == ACTIVE


# An ID that the directory does not know


@pytest.fixture
def stranger(keytool, registered, id_directory):
    """The directory has lost the identity."""
    del id_directory.identities[registered]
    return registered


@pytest.mark.parametrize("command", [
    ["id", "link"], ["id", "link", "email", "ann@example.org"], ["id", "link", "mobile", "+41 79 123 45 67"],
    ["id", "link", "email", "--remove"], ["id", "link", "mobile", "--remove"], ["contact", "match", "LIST"],
    ["revoke", "check"], ["revoke", "set", "PASSWORD"], ["id", "revoke", "--yes"], ["id", "revoke", "--yes", "PASSWORD"]],
    ids=" ".join)
def test_an_unknown_identity(keytool, stranger, password, write, command):
    places = {"LIST": [write("list", "ann@example.org\n")], "PASSWORD": password}
    error = keytool.fails(10, *(word for one in command for word in places.get(one, [one])), "--json").error
    assert error["reason"] == "unknown_identity" and stranger in error["message"]


def test_by_the_password_of_an_unknown_identity(other_keytool, at, password):
    other_keytool.fails(10, "id", "revoke", "ZZZZZZZZ", "--yes", *at, *password)


def test_a_directory_that_signals_it_by_404(keytool, id_directory, registered):
    id_directory.script("identity/check_revocation_key", id_directory.status(404))
    # It knows the identity: the address is wrong then.
    assert keytool.fails(1, "revoke", "check", "--json").error["reason"] == "not_a_directory"
    del id_directory.identities[registered]
    id_directory.script("identity/check_revocation_key", id_directory.status(404))
    keytool.fails(10, "revoke", "check")


def test_a_revoked_identity_is_unknown(keytool, id_directory, registered):
    keytool.ok("id", "revoke", "--yes")
    assert keytool.fails(10, "revoke", "check", "--json").error["reason"] == "unknown_identity"


def test_a_refusal_stays_one_if_the_directory_cannot_be_asked(keytool, id_directory, stranger):
    id_directory.script("identity/" + stranger, id_directory.lose, times=20)
    assert "Identity not found" in keytool.fails(1, "revoke", "check", "--retry-max-time", "3s").err
