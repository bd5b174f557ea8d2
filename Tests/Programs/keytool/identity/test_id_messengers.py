"""The noun id, doctor and completions, on identities of several messengers."""

import os

import pytest

from kit.damage import flip
from kit.runner import snapshot


@pytest.fixture
def made(keytool, tmp_path):
    """ABCD1234 and a Telegram account. Returns the account's ID."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    key = tmp_path / "key"
    key.write_bytes(os.urandom(256))
    return keytool.json("telegram", "import", str(key), "--dc", "2")["id"]


def test_list_shows_all_of_them(made, keytool):
    lines = keytool.ok("id", "list").out.splitlines()
    assert lines[0].startswith("ABCD1234  ")
    assert lines[1:] == [f"telegram/{made}  user unknown, data centre 2, 1 key"]
    first, second = keytool.json("id", "list")["identities"]
    assert (first["messenger"], first["id"], len(first["public_key"])) == ("threema", "ABCD1234", 64)
    assert (second["messenger"], second["id"]) == ("telegram", made) and "public_key" not in second


def test_show_by_name(made, keytool):
    assert "contact" in keytool.ok("id", "show", "ABCD1234").out
    assert keytool.json("id", "show", "threema/abcd1234")["id"] == "ABCD1234"
    assert keytool.ok("id", "show", f"telegram/{made}").out == keytool.ok("telegram", "show").out
    shown = keytool.json("id", "show", f"telegram/{made}")
    assert (shown["command"], shown["messenger"], shown["id"]) == ("id show", "telegram", made)
    assert "private" not in str(shown)


def test_one_of_them_has_to_be_named(made, keytool):
    for verb in (("id", "show"), ("id", "remove", "--yes")):
        refused = keytool.fails(64, *verb)
        assert f"ABCD1234 telegram/{made}" in refused.err
    # A verb of one messenger counts its own identities only.
    assert keytool.fails(10, "safe", "status", "--json").error["reason"] == "no_setup"


@pytest.mark.parametrize("name", ["telegram/0123456789abcdef", "threema/ZZZZ9999", "mainkey/0123456789abcdef",
                                  "other/AB"])
def test_absent(made, keytool, name):
    before = snapshot(keytool.keystore)
    for verb in (("id", "show"), ("id", "remove", "--yes")):
        assert name.split("/")[1] in keytool.fails(10, *verb, name).err
    assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("name", ["telegram/", "/ABCD1234", "Telegram/AB", "telegram/../threema", "a/b/c", "threema/x"])
def test_malformed(made, keytool, name):
    keytool.fails(64, "id", "show", name)


def test_remove(made, keytool, terminal):
    keytool.fails(64, "id", "remove", f"telegram/{made}")
    refused = terminal("id", "remove", f"telegram/{made}")
    refused.expect(f"type {made}")
    refused.send("ABCD1234")
    assert refused.finish() == 64
    confirmed = terminal("id", "remove", f"telegram/{made}")
    confirmed.expect(f"type {made}")
    confirmed.send(made)
    assert confirmed.finish() == 0
    assert [one["id"] for one in keytool.json("id", "list")["identities"]] == ["ABCD1234"]
    assert not list(keytool.keystore.rglob(f"*{made}*"))
    keytool.fails(10, "id", "remove", f"telegram/{made}", "--yes")


def test_a_damaged_record_does_not_hide_the_others(made, keytool):
    record = keytool.keystore / f"identities/telegram/{made}/account"
    flip(record)
    listed = keytool("id", "list")
    assert listed.code == 65 and listed.out.startswith("ABCD1234  ")
    assert f"telegram/{made} is damaged" in listed.err and "backup code" not in listed.err
    assert "keytool id remove telegram/" in listed.err
    checks = {one["check"]: one for one in keytool("doctor", "--json").json["checks"]}
    assert checks["telegram"]["result"] == "problem" and made not in str(checks)
    assert checks["identities"]["result"] == "ok"
    keytool.ok("id", "remove", f"telegram/{made}", "--yes")
    keytool.ok("id", "list")


def test_a_messenger_of_a_later_version(made, keytool):
    place = keytool.keystore / "identities/later/AB-1"
    place.mkdir(mode=0o700, parents=True)
    place.parent.chmod(0o700)
    assert "later/AB-1  of a messenger that this keytool does not support" in keytool.ok("id", "list").out
    assert keytool.json("id", "show", "later/AB-1")["supported"] is False
    keytool.ok("id", "remove", "later/AB-1", "--yes")
    assert not place.exists()


def test_key_status_counts_them_without_a_passphrase(made, keytool):
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    assert "identities  threema 2, telegram 1\n" in keytool.ok("key", "status").out
    assert keytool.json("key", "status")["identities"] == {"threema": 2, "telegram": 1}
    keytool.ok("id", "remove", f"telegram/{made}", "--yes")
    assert "identities  threema 2\n" in keytool.ok("key", "status").out


def test_doctor_counts_them(made, keytool):
    assert "telegram      1, all of them open" in keytool("doctor").out


def test_mainkeys(keytool):
    id = keytool.json("mainkey", "init", "--no-passphrase")["id"]
    assert f"mainkey/{id}  protection none" in keytool.ok("id", "list").out
    assert keytool.ok("id", "show").out == keytool.ok("mainkey", "status").out
    assert keytool.json("id", "show", f"mainkey/{id}")["protections"] == ["none"]
    record = keytool.keystore / f"identities/mainkey/{id}/protections"
    flip(record)
    assert f"mainkey/{id} is damaged" in keytool.fails(65, "id", "show").err
    assert "PROBLEM  mainkey       1 of 1 with damaged records" in keytool("doctor").out
    keytool.ok("id", "remove", f"mainkey/{id}", "--yes")
    assert keytool.ok("id", "list").out == ""
