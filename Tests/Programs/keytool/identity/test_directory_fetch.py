"""id fetch: what a directory says of identities, and every way in which asking it fails."""

import pytest

from kit.runner import snapshot
from kit.servers.directoryserver import DirectoryServer

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
PIN = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="


@pytest.fixture
def known(id_directory):
    id_directory.add("ECHOECHO", KEY, mask=0x43)
    id_directory.add("*GATEWAY", OTHER_KEY, kind=1, state=1)
    return id_directory


def test_one(keytool, known, at):
    assert keytool.ok("id", "fetch", "echoecho", *at).out == f"ECHOECHO  {KEY.hex()}  active  regular\n"
    assert known.asked == [("identity/ECHOECHO", 1)]
    assert keytool.json("id", "fetch", "ECHOECHO", *at) == {
        "schema": "keytool/1", "command": "id fetch", "identities": [
            {"id": "ECHOECHO", "public_key": KEY.hex(), "state": "active", "type": "regular", "feature_mask": 0x43}]}


def test_several_in_the_order_of_the_command_line(keytool, known, at):
    lines = keytool.ok("id", "fetch", "ECHOECHO", "*GATEWAY", "ECHOECHO", *at).out.splitlines()
    assert lines == [f"ECHOECHO  {KEY.hex()}  active  regular", f"*GATEWAY  {OTHER_KEY.hex()}  inactive  work"]
    assert known.asked == [("identity/fetch_bulk", 1)]


def test_unknown_ones_do_not_hide_the_others(keytool, known, at):
    keytool.fails(10, "id", "fetch", "ZZZZZZZZ", *at)
    result = keytool("id", "fetch", "ZZZZZZZZ", "ECHOECHO", *at)
    assert result.code == 10 and result.out.startswith("ECHOECHO  ") and "does not know ZZZZZZZZ" in result.err, result
    result = keytool("id", "fetch", "ZZZZZZZZ", "ECHOECHO", "--json", *at)
    first, second = result.json["identities"]
    assert first["error"]["reason"] == "unknown_identity" and second["id"] == "ECHOECHO", result
    assert keytool.fails(10, "id", "fetch", "ZZZZZZZZ", "--json", *at).error["reason"] == "unknown_identity"


def test_no_keystore_is_made(keytool, known, at):
    before = snapshot(keytool.keystore)
    keytool.ok("id", "fetch", "ECHOECHO", *at)
    assert snapshot(keytool.keystore) == before


def test_a_directory_has_to_be_named(keytool, known, at):
    for options in ([], at[2:], ["--directory-pin", PIN]):
        assert "--directory" in keytool.fails(64, "id", "fetch", "ECHOECHO", *options).err
    assert not known.asked


def test_environment(keytool, known, certificates):
    runner = keytool.with_environment(
        KEYTOOL_DIRECTORY=known.url, KEYTOOL_DIRECTORY_CA_FILE=certificates.authority.path,
        KEYTOOL_DIRECTORY_PIN=f"{PIN} {known.pin}")
    assert runner.ok("id", "fetch", "ECHOECHO").out.startswith("ECHOECHO")
    assert "KEYTOOL_DIRECTORY_PIN" in runner.with_environment(KEYTOOL_DIRECTORY_PIN="x").fails(
        64, "id", "fetch", "ECHOECHO").err


@pytest.mark.parametrize("url", [
    "http://localhost/", "https://", "https://user:hunter2@localhost/", "https://localhost/?q", "https://localhost/#f",
    "file:///tmp", "localhost"])
def test_addresses_that_are_none(keytool, url):
    result = keytool.fails(64, "id", "fetch", "ECHOECHO", "--directory", url)
    assert "hunter2" not in result.err


def test_a_key_that_nobody_can_have(keytool, known, at):
    known.add("LOWORDER", bytes(32))
    assert keytool.ok("id", "fetch", "LOWORDER", *at).out == "LOWORDER  no usable public key  active  regular\n"
    assert "public_key" not in keytool.json("id", "fetch", "LOWORDER", *at)["identities"][0]


# Compared with the keystore


def test_another_key_for_an_identity_of_the_keystore(keytool, known, at):
    held = keytool.json("id", "create", "--id", "ABCD1234")["public_key"]
    known.add("ABCD1234", KEY)
    result = keytool("id", "fetch", "ECHOECHO", "ZZZZZZZZ", "ABCD1234", *at)
    assert result.code == 19 and f"ABCD1234  {KEY.hex()}" in result.out, result
    assert "WRONG KEY" in result.err and held in result.err and KEY.hex() in result.err
    result = keytool("id", "fetch", "ABCD1234", *at, "--json")
    assert result.code == 19, result
    [entry] = result.json["identities"]
    assert entry["matches"] is False and entry["error"]["reason"] == "other_key"
    known.add("ABCD1234", bytes.fromhex(held))
    assert keytool.json("id", "fetch", "ABCD1234", *at)["identities"][0]["matches"] is True


def test_another_key_for_a_contact(keytool, known, at):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("contact", "add", "ECHOECHO", OTHER_KEY.hex())
    result = keytool.ok("id", "fetch", "ECHOECHO", *at)
    assert f"another key for ECHOECHO than the contacts: {OTHER_KEY.hex()} is stored" in result.err
    assert keytool.json("id", "fetch", "ECHOECHO", *at)["identities"][0]["matches"] is False
    assert "matches" not in keytool.json("id", "fetch", "*GATEWAY", *at)["identities"][0]


def test_a_protected_keystore_is_compared_only_without_a_question(keytool, known, at, given):
    passphrase = given("passphrase", b"correct-horse-7")
    keytool.ok("id", "create", "--id", "ABCD1234", *passphrase)
    known.add("ABCD1234", KEY)
    assert "matches" not in keytool.json("id", "fetch", "ABCD1234", *at)["identities"][0]
    assert keytool("id", "fetch", "ABCD1234", *at, *passphrase).code == 19
    wrong = given("passphrase", b"wrong-horse-7")
    assert "not compared with the keystore" in keytool.ok("id", "fetch", "ABCD1234", *at, *wrong).err


# What directories answer


@pytest.mark.parametrize("act, code, words", [
    (DirectoryServer.status(401), 13, "401"),
    (DirectoryServer.status(403), 13, "403"),
    (DirectoryServer.status(429, Retry_After=42), 75, "wait 42 seconds"),
    (DirectoryServer.status(503), 75, "503"),
    (DirectoryServer.status(302, Location="https://elsewhere.example/"), 1, "302"),
    (DirectoryServer.refuse("Not on Sundays"), 1, "refused: Not on Sundays"),
    (DirectoryServer.refuse("\x1b[31mred"), 1, "refused: \ufffd[31mred"),
    (DirectoryServer.refuse(), 1, "without giving a reason"),
    (DirectoryServer.status(200, b"<html>"), 65, "cannot be used"),
    (DirectoryServer.status(200, b"{}"), 65, '"identity"'),
    (DirectoryServer.status(200, b" " * 300_000), 14, "more than 65536 bytes"),
    (DirectoryServer.lose, 75, "closed the connection"),
], ids=lambda value: None if callable(value) else str(value))
def test_failures(keytool, known, at, act, code, words):
    known.script("identity/ECHOECHO", act, times=9)
    result = keytool.fails(code, "id", "fetch", "ECHOECHO", *at, "--retry-max-time", "3s")
    assert words in result.err and known.url.rstrip("/") in result.err, result


def test_reasons_of_failures(keytool, known, at):
    for act, reason in ((known.refuse("No"), "refused"), (known.status(418), "not_a_directory")):
        known.script("identity/ECHOECHO", act)
        assert keytool.fails(1, "id", "fetch", "ECHOECHO", "--json", *at).error["reason"] == reason


# The way there


def test_nobody_answers(keytool, known, at):
    known.close()
    keytool.fails(75, "id", "fetch", "ECHOECHO", *at)


def test_unknown_authority(keytool, known, certificates):
    err = keytool.fails(21, "id", "fetch", "ECHOECHO", "--directory", known.url).err
    assert "--directory-ca-file" in err and "nothing was sent" in err
    keytool.fails(21, "id", "fetch", "ECHOECHO", "--directory", known.url,
                  "--directory-ca-file", certificates.stranger.path)
    assert not known.asked


def test_pins(keytool, known, at):
    keytool.ok("id", "fetch", "ECHOECHO", *at, "--directory-pin", PIN, "--directory-pin", known.pin)
    known.asked.clear()
    err = keytool.fails(22, "id", "fetch", "ECHOECHO", *at, "--directory-pin", PIN).err
    assert f"--directory-pin {known.pin}" in err and "safe" not in err
    assert not known.asked


def test_authority_files_that_are_none(keytool, write, known):
    way = ["--directory", known.url, "--directory-ca-file"]
    keytool.fails(65, "id", "fetch", "ECHOECHO", *way, write("none", "nothing"))
    keytool.fails(66, "id", "fetch", "ECHOECHO", *way, keytool.home / "missing")
    broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    keytool.fails(65, "id", "fetch", "ECHOECHO", *way, write("broken", broken))


def test_verbose_names_the_requests(keytool, known, at):
    err = keytool.ok("id", "fetch", "ECHOECHO", "-v", *at).err
    assert f"GET {known.url}identity/ECHOECHO 200, " in err



def test_user_agent(keytool, known, at):
    seen = []
    known.script("identity/ECHOECHO", lambda call, outcome: (
        seen.extend(call.request.header("user-agent")), call.answer(*outcome())))
    keytool.ok("id", "fetch", "ECHOECHO", *at)
    assert seen == ["keytool/0.1.0"]
