"""sophaxchat init, import, export, list, show and verify: what they leave is opened here without the program."""

import json
import re

import pytest

from kit import agefile, archives, sophax
from kit.damage import flip
from kit.masterkey import PASSPHRASE
from kit.runner import snapshot
from kit.sophax import ALICE, BOB

SECRET, RECIPIENT = archives.SECRET, archives.RECIPIENT
PHRASE = b"a long passphrase, sixteen+"
ID, BOB_ID = sophax.peer_id(ALICE), sophax.peer_id(BOB)


@pytest.fixture
def identity(write):
    return ["--identity", write("agekey", archives.IDENTITY + "\n")]


@pytest.fixture
def age_file(write):
    """Writes a text into an age file for SECRET."""
    return lambda text, name="identity.age": write(name, archives.seal(text))


@pytest.fixture
def alice(keytool, age_file, identity):
    """The keystore with the identity of the vectors, without prekeys."""
    keytool.ok("sophaxchat", "import", age_file(sophax.account_text(ALICE)), *identity, "--no-passphrase")
    return keytool


# init


def test_init(keytool):
    made = keytool.json("sophaxchat", "init", "--username", "Ann")
    keys, value = sophax.held(keytool, made["id"])
    assert (made["command"], made["messenger"], made["username"]) == ("sophaxchat init", "sophaxchat", "Ann")
    assert made["id"] == sophax.peer_id(keys) and made["safety_number"] == sophax.safety_number(keys)
    assert (made["signing_key"], made["dh_key"]) == tuple(key.hex() for key in sophax.public(keys))
    assert (value["username"], value["verified"], value["version"]) == ("Ann", {}, 1) and "prekeys" not in value
    signed, _ = sophax.prekeys(sophax.record(keytool, made["id"], "prekeys"))
    assert len(signed) == 1 and signed[0][0] and signed[0][4] is None
    assert not any(key.hex() in str(made) for key in keys)


def test_init_makes_one_only(keytool):
    first = keytool.json("sophaxchat", "init")
    assert first["username"] == first["id"][:8]
    before = snapshot(keytool.keystore)
    refused = keytool.fails(17, "sophaxchat", "init", "--json").error
    assert refused["reason"] == "other_identity" and first["id"] in refused["message"]
    # The one that was made is lost, and is not named.
    assert not re.search("stores [0-9a-f]{32}", str(refused))
    assert snapshot(keytool.keystore) == before
    second = keytool.json("sophaxchat", "init", "--another")
    assert sophax.ids(keytool.keystore) == sorted([first["id"], second["id"]])
    assert first["id"] in keytool.fails(64, "sophaxchat", "show").err
    # By 16 digits, too, and as `id list` writes it.
    for name in (first["id"], first["id"][:16], f"sophaxchat/{first['id']}"):
        assert keytool.json("sophaxchat", "show", name)["id"] == first["id"]


@pytest.mark.parametrize("name", ["", " x", "x ", "x" * 65, "a\x1b[2Jb", "a\nb", "a\u202eb", "a\x7fb"])
def test_user_names(keytool, name):
    keytool.fails(64, "sophaxchat", "init", "--username", name)
    assert not any(keytool.keystore.iterdir())


def test_nothing_is_there(keytool):
    assert keytool.ok("sophaxchat", "list").out == ""
    assert keytool.json("sophaxchat", "list")["identities"] == []
    for verb in ("show", "show-prekeys", "refill-prekeys", "export-bundle", "check-pin"):
        assert keytool.fails(10, "sophaxchat", verb, "--json").error["reason"] == "no_identity"
    keytool.ok("id", "create", "--id", "ABCD1234")
    assert keytool.fails(10, "sophaxchat", "show", ID, "--json").error["reason"] == "no_identity"


# import


def test_import_of_an_app_backup(keytool, write, given):
    file = write("alice.sxid", sophax.sxid(ALICE, PHRASE))
    made = keytool.json("sophaxchat", "import", file, *given("file-passphrase", PHRASE))
    assert (made["id"], made["form"], made["stored"], made["prekeys"]) == (ID, "sxid", True, False)
    keys, value = sophax.held(keytool, ID)
    assert keys == ALICE and value["username"] == "alice"
    again = keytool.ok("sophaxchat", "import", file, *given("file-passphrase", PHRASE))
    assert "already in the keystore" in again.out and "refill-prekeys" in again.err


@pytest.mark.parametrize("name", ["", "x" * 200, " "])
def test_a_strange_name_does_not_lose_the_keys(keytool, write, given, name):
    file = write("alice.sxid", sophax.sxid(ALICE, PHRASE, name))
    made = keytool.json("sophaxchat", "import", file, *given("file-passphrase", PHRASE))
    assert (made["id"], made["username"]) == (ID, ID[:8]) and sophax.held(keytool, ID)[0] == ALICE


def test_wrong_and_damaged_files(keytool, write, given):
    good = sophax.sxid(ALICE, PHRASE)
    wrong = keytool.fails(12, "sophaxchat", "import", write("good", good), *given("file-passphrase", b"x" * 16))
    assert "or it is damaged" in wrong.err
    cases = {"cut": good[:60], "version": good[:4] + b"\3" + good[5:], "cheap": sophax.sxid(ALICE, PHRASE, "a", 599_999),
             "dear": good[:5] + b"\xff" * 4 + good[9:], "other": b"SXBK" + good[4:], "empty": b"", "text": b"{}",
             "long": good + bytes(1 << 17), "magic": b"SXID"}
    for name, content in cases.items():
        # Refused before a passphrase is asked for.
        keytool.fails(65, "sophaxchat", "import", write(name, content))
    assert not any(keytool.keystore.iterdir())


def test_import_of_an_age_file(keytool, age_file, identity):
    verified = {BOB_ID: sophax.safety_number(BOB)}
    file = age_file(sophax.account_text(ALICE, "al\"ice", verified))
    made = keytool.json("sophaxchat", "import", file, *identity)
    assert (made["id"], made["form"], made["verified_peers"]) == (ID, "age", 1)
    keys, value = sophax.held(keytool, ID)
    assert keys == ALICE and (value["username"], value["verified"]) == ("al\"ice", verified)
    assert sophax.record(keytool, ID, "identity") == sophax.account_text(ALICE, "al\"ice", verified)


def test_an_identity_that_is_held_learns_what_it_has_not(alice, age_file, identity, other_keytool):
    made = other_keytool.json("sophaxchat", "init")
    prekeys = sophax.record(other_keytool, made["id"], "prekeys")
    number = {BOB_ID: sophax.safety_number(BOB)}
    file = age_file(sophax.account_text(ALICE, "another name", number, prekeys), "more.age")
    assert alice.json("sophaxchat", "import", file, *identity)["result"] == "extended"
    assert sophax.record(alice, ID, "prekeys") == prekeys
    value = sophax.held(alice, ID)[1]
    assert (value["username"], value["verified"]) == ("alice", number)
    before = snapshot(alice.keystore)
    assert alice.json("sophaxchat", "import", file, *identity)["result"] == "held"
    assert snapshot(alice.keystore) == before


def test_another_identity_is_refused(alice, age_file, identity):
    other = age_file(sophax.account_text(BOB, "bob"), "bob.age")
    before = snapshot(alice.keystore)
    refused = alice.fails(17, "sophaxchat", "import", other, *identity)
    assert ID in refused.err and BOB_ID in refused.err
    unexpected = alice.fails(19, "sophaxchat", "import", other, *identity, "--another", "--expect-id", ID, "--json")
    assert BOB_ID in unexpected.error["message"]
    assert snapshot(alice.keystore) == before
    alice.ok("sophaxchat", "import", other, *identity, "--another", "--expect-id", BOB_ID[:16])
    assert sophax.held(alice, BOB_ID)[0] == BOB


@pytest.mark.parametrize("old, new", [
    (b'"version":1', b'"version":2'), (b'"sophaxchat"', b'"telegram"'), (b'"version":1', b'"sessions":{},"version":1'),
    (b'"dh":"H', b'"dh":"*'), (b'"verified":{}', b'"verified":[]'), (b'"username":"alice"', b'"username":""'),
    (b'"username":"alice",', b""), (b'"version":1', b'"prekeys":"AQ==","version":1')])
def test_texts_of_other_forms(keytool, age_file, identity, old, new):
    text = sophax.account_text(ALICE)
    assert old in text
    keytool.fails(65, "sophaxchat", "import", age_file(text.replace(old, new)), *identity)
    assert not any(keytool.keystore.iterdir())


# export


def test_export_for_a_recipient(keytool, tmp_path, age_file, identity, other_keytool):
    id = keytool.json("sophaxchat", "init", "--username", "Ann")["id"]
    keys, value = sophax.held(keytool, id)
    path = tmp_path / "ann.age"
    made = keytool.json("sophaxchat", "export", "-o", path, "--recipient", RECIPIENT)
    assert (made["id"], made["form"], made["bytes"]) == (id, "age", path.stat().st_size)
    assert path.stat().st_mode & 0o777 == 0o600
    text = agefile.open_file(path.read_bytes(), SECRET)
    prekeys = sophax.record(keytool, id, "prekeys")
    assert text == sophax.account_text(keys, "Ann", {}, prekeys)
    keytool.fails(17, "sophaxchat", "export", "-o", path, "--recipient", RECIPIENT)
    other_keytool.ok("sophaxchat", "import", path, *identity)
    assert sophax.held(other_keytool, id) == (keys, value)
    assert sophax.record(other_keytool, id, "prekeys") == prekeys
    keytool.ok("sophaxchat", "export", "-o", path, "--force", "--without-prekeys", "--recipient", RECIPIENT)
    text = agefile.open_file(path.read_bytes(), SECRET)
    assert text == sophax.account_text(keys, "Ann")


def test_export_under_a_passphrase(alice, tmp_path, given):
    path = tmp_path / "alice.age"
    alice.ok("sophaxchat", "export", "-o", path, *given("file-passphrase", PHRASE))
    assert agefile.open_file(path.read_bytes(), None, PHRASE) == sophax.account_text(ALICE)
    checked = alice.json("sophaxchat", "verify", path, *given("file-passphrase", PHRASE))
    assert (checked["id"], checked["form"]) == (ID, "age")


def test_export_for_the_app(alice, tmp_path, given):
    path = tmp_path / "alice.sxid"
    alice.fails(64, "sophaxchat", "export", "--sxid", "-o", path, *given("file-passphrase", b"fifteen letters"))
    alice.fails(64, "sophaxchat", "export", "--sxid", "-o", path, "--recipient", RECIPIENT)
    assert not path.exists()
    made = alice.json("sophaxchat", "export", "--sxid", "-o", path, *given("file-passphrase", PHRASE))
    assert (made["form"], path.stat().st_mode & 0o777) == ("sxid", 0o600)
    file = path.read_bytes()
    assert int.from_bytes(file[5:9], "big") == 720_000
    value = sophax.open_sxid(file, PHRASE)
    assert value.pop("exportedAt") > 0
    assert value == {"signingKeyPrivate": sophax.encode(ALICE[0]), "dhKeyPrivate": sophax.encode(ALICE[1]),
                     "username": "alice"}
    checked = alice.json("sophaxchat", "verify", path, *given("file-passphrase", PHRASE))
    assert (checked["id"], checked["form"]) == (ID, "sxid")


def test_damaged_prekeys_do_not_lose_the_keys(keytool, tmp_path):
    id = keytool.json("sophaxchat", "init")["id"]
    path = sophax.directory(keytool, id) / "prekeys"
    flip(path)
    refused = keytool.fails(65, "sophaxchat", "export", "-o", tmp_path / "a", "--recipient", RECIPIENT)
    assert "--without-prekeys" in refused.err and not (tmp_path / "a").exists()
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "a", "--recipient", RECIPIENT, "--without-prekeys")
    text = agefile.open_file((tmp_path / "a").read_bytes(), SECRET)
    assert sophax.peer_id(tuple(sophax.base64.b64decode(json.loads(text)[name]) for name in ("signing", "dh"))) == id
    keytool.ok("sophaxchat", "split", "-m", "2", "-n", "2", "-o", tmp_path / "share")


def test_under_a_keystore_passphrase(keytool, given):
    made = keytool.json("sophaxchat", "init", *given("passphrase", PASSPHRASE))
    assert sophax.peer_id(sophax.held(keytool, made["id"], PASSPHRASE)[0]) == made["id"]
    assert keytool.json("sophaxchat", "show", *given("passphrase", PASSPHRASE))["id"] == made["id"]
    keytool.fails(16, "sophaxchat", "show")


# verify


def test_verify_stores_nothing(keytool, age_file, identity, write):
    opened = keytool.json("sophaxchat", "verify", age_file(sophax.account_text(ALICE)), *identity)
    assert (opened["id"], opened["safety_number"]) == (ID, sophax.safety_number(ALICE))
    share = keytool.json("sophaxchat", "verify", write("share", sophax.share(ALICE, 2)))
    assert (share["form"], share["index"], share["threshold"], "id" in share) == ("share", 2, 2, False)
    bundle = keytool.json("sophaxchat", "verify", write("bundle", sophax.bundle(BOB, 788_918_400.25)))
    assert (bundle["form"], bundle["id"], bundle["signed"]) == ("bundle", BOB_ID, "identity_key_time")
    assert bundle["made"] == "2026-01-01T00:00:00Z"
    wrong = sophax.bundle(BOB, 788_918_400.25).replace(b"788918400.25", b"788918400.5")
    assert "signature" in keytool.fails(65, "sophaxchat", "verify", write("wrong", wrong)).err
    keytool.fails(65, "sophaxchat", "verify", write("other", b'{"a":1}'))
    keytool.fails(66, "sophaxchat", "verify", write("other", b"{}").with_name("absent"))
    assert not any(keytool.keystore.iterdir())


# Among the identities of all messengers


def test_id_verbs_and_doctor(alice):
    assert f"sophaxchat/{ID}  alice, no prekeys" in alice.ok("id", "list").out
    assert alice.ok("id", "show").out == alice.ok("sophaxchat", "show").out
    shown = alice.json("id", "show", f"sophaxchat/{ID}")
    assert (shown["id"], shown["safety_number"]) == (ID, sophax.safety_number(ALICE))
    assert not any(key.hex() in str(shown) or sophax.encode(key) in str(shown) for key in ALICE)
    assert re.search(r"sophaxchat +1, all of them open", alice("doctor").out)
    record = sophax.directory(alice, ID) / "identity"
    flip(record)
    assert f"sophaxchat/{ID} is damaged" in alice.fails(65, "sophaxchat", "list").err
    assert re.search(r"PROBLEM +sophaxchat +1 of 1 with damaged records", alice("doctor").out)
    alice.ok("id", "remove", f"sophaxchat/{ID}", "--yes")
    assert alice.ok("sophaxchat", "list").out == "" and not list(alice.keystore.rglob(f"*{ID}*"))


@pytest.mark.parametrize("name", ["attempts", "changes", "clearings"])
def test_doctor_finds_damaged_counts(alice, given, name):
    """The identity is shown, and no PIN is checked."""
    alice.ok("sophaxchat", "set-pin", *given("new-pin", b"271828"))
    alice.fails(12, "sophaxchat", "check-pin", *given("pin", b"wrong"))
    alice.ok("sophaxchat", "set-pin", *given("pin", b"271828"), *given("new-pin", b"314159"))
    record = sophax.directory(alice, ID) / name
    assert re.search(r"sophaxchat +1, all of them open", alice("doctor").out)
    sealed = record.read_bytes()
    sophax.put(alice, ID, name, bytes(7))  # sealed here, and of no form
    assert re.search(r"PROBLEM +sophaxchat +1 of 1 with damaged records", alice("doctor").out)
    record.write_bytes(sealed)
    flip(record)
    assert re.search(r"PROBLEM +sophaxchat +1 of 1 with damaged records", alice("doctor").out)
    alice.ok("sophaxchat", "show")
    assert name in alice.fails(65, "sophaxchat", "check-pin", *given("pin", b"314159")).err


def test_a_record_of_another_identity_is_damage(alice):
    sophax.put(alice, ID, "identity", sophax.account_text(BOB))
    alice.fails(65, "sophaxchat", "show")


def test_archive(keytool, other_keytool, tmp_path, identity, given):
    id = keytool.json("sophaxchat", "init")["id"]
    keytool.ok("sophaxchat", "set-pin", *given("new-pin", b"271828"))
    keytool.ok("sophaxchat", "set-duress-pin", *given("duress-pin", b"161803"), *given("pin", b"271828"))
    keytool.fails(12, "sophaxchat", "check-pin", *given("pin", b"wrong"))
    keytool.ok("sophaxchat", "check-pin", *given("pin", b"271828"))
    assert all(sophax.record(keytool, id, name) for name in ("attempts", "changes", "clearings"))
    path = tmp_path / "all.age"
    keytool.ok("archive", "export", "-o", path, "--recipient", RECIPIENT)
    other_keytool.ok("archive", "import", path, *identity)
    for name in ("identity", "prekeys", "pin"):
        assert sophax.record(other_keytool, id, name) == sophax.record(keytool, id, name)
    # What was counted stays where it was counted.
    assert {path.name for path in sophax.directory(other_keytool, id).iterdir()} - {"lock"} == {
        "identity", "prekeys", "pin"}
    other_keytool.ok("archive", "check", path, *identity)
    other_keytool.ok("sophaxchat", "check-pin", *given("pin", b"271828"))
