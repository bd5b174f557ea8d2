"""contact add and verify beside a directory: a scanned key that it contradicts, or does not know, is not stored."""

import json

import pytest

from kit import identityfiles, masterkey
from kit.runner import snapshot
from kit.servers.directoryrequests import INVALID, b64
from kit.servers.directoryserver import DirectoryServer

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
FRIEND = "FRIEND01"
CODE = f"3mid:{FRIEND},{KEY.hex()}"
ASKED = [("identity/" + FRIEND, 1)]


@pytest.fixture
def owner(keytool, id_directory, at):
    """The directory knows the identity, and the identity remembers the directory."""
    keytool.ok("id", "create", *at)
    id_directory.add(FRIEND, KEY)
    id_directory.asked.clear()
    return keytool


@pytest.fixture
def picture(owner, tmp_path):
    path = tmp_path / "code.png"
    owner.ok("qr", "show", "--qr-file", path, stdin=CODE)
    return path


def level(keytool):
    return next((contact["level"] for contact in keytool.json("contact", "list")["contacts"]), None)


def record(keytool):
    path = identityfiles.path(keytool.keystore, keytool.json("id", "show")["id"], "directory")
    return json.loads(identityfiles.opened(path, masterkey.read(keytool)))


def refused(keytool, code, *command):
    before = snapshot(keytool.keystore)
    result = keytool.fails(code, *command)
    assert snapshot(keytool.keystore) == before
    return result


@pytest.fixture(params=["add", "verify"])
def scan(request, owner, picture):
    """The command that takes a scanned code; a contact to verify is there, at level 1."""
    if request.param == "add":
        return "contact", "add", "--qr-image", picture
    owner.ok("contact", "add", CODE)
    return "contact", "verify", CODE


def test_the_same_key(owner, id_directory, scan):
    result = owner.json(*scan)
    assert (result["level"], result["compared"], result["directory"]) == (3, True, id_directory.url)
    assert level(owner) == 3 and id_directory.asked == ASKED
    assert f"{id_directory.url} has the same key\n" in owner.ok(*scan).out


def test_another_key(owner, id_directory, scan):
    id_directory.add(FRIEND, OTHER_KEY)
    err = refused(owner, 19, *scan).err
    assert "WRONG KEY" in err and KEY.hex() in err and OTHER_KEY.hex() in err and "nothing was stored" in err
    assert refused(owner, 19, *scan, "--json").error["reason"] == "other_key"
    id_directory.add(FRIEND, bytes(32))
    assert "no usable public key" in refused(owner, 19, *scan).err


def test_unknown(owner, id_directory, scan):
    del id_directory.identities[FRIEND]
    assert refused(owner, 10, *scan, "--json").error["reason"] == "unknown_identity"
    id_directory.add(FRIEND, KEY, state=INVALID)
    refused(owner, 10, *scan)
    entry = {"identity": FRIEND, "publicKey": b64(KEY), "featureMask": 0, "state": INVALID, "type": 0}
    id_directory.script("identity/" + FRIEND, id_directory.status(200, json.dumps(entry).encode()))
    assert refused(owner, 10, *scan, "--json").error["reason"] == "revoked"


def test_away(owner, id_directory, scan):
    id_directory.close()
    assert "--offline" in refused(owner, 75, *scan, "--retry-max-time", "1s").err
    assert owner.json(*scan, "--offline")["compared"] is False
    assert level(owner) == 3
    assert "was not compared with a directory (--offline)" in owner.ok(*scan, "--offline").err


@pytest.mark.parametrize("code, act", [(13, "401"), (75, "429"), (1, "302")])
def test_other_answers(owner, id_directory, scan, code, act):
    id_directory.script("identity/" + FRIEND, id_directory.status(int(act)), times=9)
    refused(owner, code, *scan, "--retry-max-time", "1s")


def test_text_and_typed_keys_are_compared_only_if_a_directory_is_named(owner, id_directory, at):
    id_directory.add(FRIEND, OTHER_KEY)
    for card in ([CODE], [FRIEND, KEY.hex()]):
        refused(owner, 19, "contact", "add", *card, *at)
        id_directory.asked.clear()
        assert "compared" not in owner.json("contact", "add", *card)
        assert not id_directory.asked


def test_what_the_profile_refuses_is_not_asked(owner, id_directory, picture):
    refused(owner, 10, "contact", "verify", CODE)
    refused(owner, 65, "contact", "verify", CODE + ",1600000000")
    owner.ok("contact", "add", FRIEND, OTHER_KEY.hex())
    refused(owner, 17, "contact", "add", "--qr-image", picture)
    refused(owner, 19, "contact", "verify", CODE)
    assert not id_directory.asked


def test_without_a_directory(keytool, id_directory, at, tmp_path):
    """A word says that nothing was compared. A named directory is remembered if it knows the identity."""
    id_directory.add(FRIEND, KEY)
    id = keytool.json("id", "create", "--id", "ABCD1234")["id"]
    keytool.ok("qr", "show", "--qr-file", tmp_path / "code.png", stdin=CODE)
    added = keytool.ok("contact", "add", "--qr-image", tmp_path / "code.png")
    assert "was added at level 3" in added.out and "ABCD1234 has none" in added.err and "--directory" in added.err
    assert keytool.json("contact", "verify", CODE)["compared"] is False
    assert not id_directory.asked and not identityfiles.path(keytool.keystore, id, "directory").exists()
    assert keytool.json("contact", "verify", CODE, *at)["compared"] is True
    assert keytool.json("contact", "verify", CODE)["compared"] is False
    id_directory.add(id, bytes.fromhex(keytool.json("id", "show")["public_key"]))
    assert keytool.json("contact", "verify", CODE, *at)["compared"] is True
    id_directory.asked.clear()
    assert keytool.json("contact", "verify", CODE)["compared"] is True and id_directory.asked == ASKED


def test_another_directory_is_not_remembered(owner, id_directory, certificates, at):
    """It may not even know the identity, and the present one would lose its authorities."""
    other = DirectoryServer(certificates.good)
    other.add(FRIEND, KEY)
    elsewhere = ["--directory", other.url, "--directory-ca-file", certificates.authority.path]
    before = record(owner)
    for command in (["contact", "add", CODE], ["contact", "verify", CODE]):
        assert owner.json(*command, *elsewhere)["directory"] == other.url
    assert owner("contact", "check", *elsewhere).code == 19
    # Nor if it knows it: nothing was proved.
    other.add(owner.json("id", "show")["id"], bytes.fromhex(owner.json("id", "show")["public_key"]))
    owner.ok("contact", "check", *elsewhere)
    assert record(owner) == before
    owner.ok("contact", "check")
    # Another pin of the same directory is the user's wish.
    owner.ok("contact", "check", "--directory-pin", id_directory.pin)
    assert record(owner)["pins"] == [id_directory.pin]
    # The identity has proved itself.
    owner.ok("revoke", "check", *elsewhere)
    assert record(owner)["url"] == other.url
    other.close()


def test_environment(keytool, id_directory, certificates):
    id_directory.add(FRIEND, OTHER_KEY)
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("contact", "add", CODE)
    runner = keytool.with_environment(
        KEYTOOL_DIRECTORY=id_directory.url, KEYTOOL_DIRECTORY_CA_FILE=certificates.authority.path)
    refused(runner, 19, "contact", "verify", CODE)


def test_offline_and_a_directory_exclude_each_other(owner, id_directory, at):
    for options in (at, at[2:]):
        refused(owner, 64, "contact", "verify", CODE, "--offline", *options)
    assert not id_directory.asked
