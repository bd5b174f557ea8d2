"""backup import of the Desktop app's key storage: its identity comes into the keystore."""

import pytest

from kit import keyfiles, masterkey, oracle
from kit.damage import flipped
from kit.known import BACKUP_PASSWORD
from kit.masterkey import PASSPHRASE, WRONG
from kit.processes.measured import Measured
from kit.runner import snapshot

PASSWORD = b"supersafe"
IDENTITY = oracle.Identity("ABCD1234", bytes(range(32)))
OTHER_KEY = oracle.Identity("ABCD1234", bytes(range(1, 33)))


@pytest.fixture
def stored(write):
    """stored(identity, ...): a file like the app's."""
    return lambda identity=IDENTITY, password=PASSWORD, **more: write(
        "keystorage.pb3", keyfiles.seal_desktop(identity, password, **more))


@pytest.fixture
def password(given):
    return given("file-passphrase", PASSWORD)


@pytest.mark.parametrize("outer_schema", [0, 1])
@pytest.mark.parametrize("schema", [0, 1, 2])
def test_identity_comes_with_its_exact_key(keytool, stored, password, backup_password,
                                           schema, outer_schema):
    """Older schemas have the server group as a number."""
    done = keytool.json("backup", "import", stored(schema=schema, outer_schema=outer_schema, group=9),
                        *password)
    assert (done["command"], done["format"], done["stored"]) == ("backup import", "desktop", True)
    assert (done["id"], done["public_key"]) == (IDENTITY.id, IDENTITY.public_key)
    assert done["server_group"] == "09"
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, BACKUP_PASSWORD) == IDENTITY


@pytest.mark.parametrize("cost", [
    {"memory_kib": 131_072, "passes": 3}, {"memory_kib": 8, "passes": 64},
    {"memory_kib": 100, "passes": 3, "salt": bytes(32)}], ids=str)
def test_costs_that_the_app_writes(keytool, stored, password, cost):
    assert keytool.json("backup", "import", stored(**cost), *password)["id"] == IDENTITY.id


def test_members_that_are_not_known(keytool, stored, password):
    more = [(6, b"work"), (7, b"on-premises"), (8, bytes(16)), (99, 1)]
    assert keytool.json("backup", "import", stored(more=more), *password)["stored"]


def test_check_stores_nothing(keytool, tmp_path, stored, password):
    missing = keytool.with_keystore(tmp_path / "missing")
    done = missing.json("backup", "check", stored(), *password)
    assert (done["id"], done["stored"]) == (IDENTITY.id, False)
    assert not missing.keystore.exists()
    assert IDENTITY.client_key.hex() not in missing.ok(
        "backup", "check", stored(), *password).out


@pytest.mark.parametrize("verb", ["import", "check"])
def test_a_source_that_is_read_once_is_not_two_things(keytool, stored, given, verb):
    """The keystore would be opened by what is left of it."""
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    masterkey.rewrap(keytool)
    before = snapshot(keytool.keystore)
    for source in ("-file", "-"), ("-fd", "0"):
        failed = keytool.fails(64, "backup", verb, stored(password=PASSPHRASE), f"--passphrase{source[0]}", source[1], stdin=PASSPHRASE)
        assert "--file-passphrase-file" in failed.err
        keytool.ok("backup", verb, stored(password=PASSPHRASE), f"--passphrase{source[0]}", source[1],
                   *given("file-passphrase", PASSPHRASE), stdin=PASSPHRASE)
        keytool("id", "remove", IDENTITY.id, "--yes", *given("passphrase", PASSPHRASE))


def test_held_already(keytool, stored, password):
    keytool.ok("backup", "import", stored(), *password)
    before = snapshot(keytool.keystore, without=("lock", "state.json"))
    again = keytool.ok("backup", "import", stored(), *password)
    assert "already in the keystore" in again.out
    assert keytool.json("backup", "import", stored(), *password)["stored"] is False
    assert snapshot(keytool.keystore, without=("lock", "state.json")) == before


def test_no_backup_code_was_proven_by_it(keytool, stored, password):
    """Who removes the identity now has to be warned: there is no code of it."""
    keytool.ok("backup", "import", stored(), *password)
    removed = keytool.ok("id", "remove", IDENTITY.id, "--yes")
    assert "no backup code" in removed.err


def test_held_with_another_key(keytool, stored, password):
    keytool.ok("backup", "import", stored(OTHER_KEY), *password)
    before = snapshot(keytool.keystore)
    assert "--replace overwrites it" in keytool.fails(17, "backup", "import", stored(), *password).err
    assert snapshot(keytool.keystore) == before
    assert keytool("backup", "check", stored(), *password).code == 19
    assert keytool.json("backup", "import", "--replace", stored(), *password)["stored"] is True
    assert keytool.json("id", "show")["public_key"] == IDENTITY.public_key


# Passwords: the file's, and the keystore's


def refused(keytool, code, *command):
    before = snapshot(keytool.keystore)
    result = keytool.fails(code, "backup", "import", *command)
    assert snapshot(keytool.keystore) == before
    return result


def test_passwords(keytool, stored, password, given):
    refused(keytool, 16, stored())
    refused(keytool, 12, stored(), *given("file-passphrase", WRONG))
    refused(keytool, 12, stored(), *given("passphrase", WRONG))
    # Whatever its length: the app chose it.
    keytool.ok("backup", "import", stored(password=b"a"), *given("file-passphrase", b"a"))


@pytest.mark.parametrize("verb", ["import", "check"])
def test_a_file_that_is_not_there_is_not_damaged(keytool, given, tmp_path, verb):
    passphrase = given("file-passphrase", PASSWORD)
    assert "no such file" in keytool.fails(66, "backup", verb, tmp_path / "keystorage.pb3", *passphrase).err
    assert "is not a regular file" in keytool.fails(66, "backup", verb, tmp_path, *passphrase).err
    assert "has to be named" in keytool.fails(64, "backup", verb, "-", *passphrase, stdin=b"").err


def test_each_its_own_passphrase(keytool, stored, given):
    """The keystore is under one, the file under another."""
    keytool.ok("id", "create", "--id", "ZZZZ9999")
    masterkey.rewrap(keytool)
    ours, theirs = given("passphrase", PASSPHRASE), given("file-passphrase", PASSWORD)
    refused(keytool, 12, stored(), *ours)  # for want of another it is tried on the file, too
    refused(keytool, 16, stored(), *theirs)
    keytool.ok("backup", "import", stored(), *ours, *theirs)
    shown = keytool.json("id", "show", IDENTITY.id, *ours)
    assert shown["public_key"] == IDENTITY.public_key


def test_one_passphrase_for_both(keytool, stored, given):
    ours = given("passphrase", PASSPHRASE)
    done = keytool.ok("backup", "import", stored(password=PASSPHRASE), *ours)
    assert "not protected" not in done.err
    assert masterkey.read(keytool, PASSPHRASE), "the new keystore is under it"


# What is refused


@pytest.mark.parametrize("more, words", [
    ({"schema": 3}, "version 3"), ({"outer_schema": 2}, "version 2")], ids=str)
def test_later_schemas(keytool, stored, password, more, words):
    assert words in refused(keytool, 65, stored(**more), *password).err


@pytest.mark.parametrize("id", ["", "ABCD123", "abcd1234", "ABCD12345", "../../AA", "ÄBCDEFG"])
def test_ids_that_are_none(keytool, stored, password, id):
    refused(keytool, 65, stored(oracle.Identity(id, bytes(32))), *password)


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33)], ids=len)
def test_keys_that_are_none(keytool, stored, password, key):
    refused(keytool, 65, stored(oracle.Identity("ABCD1234", key)), *password)


@pytest.mark.parametrize("memory, passes, lanes, words", [
    (8191, 1, 1, "7 KiB"), ((1 << 30) + 1024, 1, 1, "1048577 KiB"), (1 << 63, 1, 1, "KiB"),
    (8192, 0, 1, "0 passes"), (8192, 65, 1, "65 passes"), (8192, 1, 2, "2 parallel"),
    (1 << 30, 64, 1, "67108864 KiB of memory times passes")])
def test_costs_out_of_bounds(keytool, write, password, tmp_path, memory, passes, lanes, words):
    derivation = keyfiles.message((2, bytes(16)), (3, memory), (4, passes), (5, lanes))
    file = write("keystorage.pb3", keyfiles.message((1, bytes(100)), (2, derivation), (3, 1)))
    measured = Measured(keytool, tmp_path / "report")
    assert words in refused(measured, 65, file, *password).err
    refused(measured, 65, file)  # before anybody is asked
    assert measured.mebibytes < 32


def test_damage(keytool, write, password):
    """Every 13th bit, and every fifth length."""
    good = keyfiles.seal_desktop(IDENTITY, PASSWORD, passes=1)
    for bit in range(0, 8 * len(good), 13):
        result = keytool("backup", "check", write("file", flipped(good, bit)), *password)
        if result.code == 0:
            # Harmless: a schema version that is read alike, or bytes of memory below a KiB.
            shown = result.out.replace("\n            ", "")
            assert IDENTITY.public_key in shown, f"{bit}: {result}"
        else:
            assert result.code in (12, 65), f"{bit}: {result}"
    for length in range(0, len(good) - 2, 5):
        refused(keytool, (12, 65), write("file", good[:length]), *password)


def test_key_import_names_the_command(keytool, stored, password):
    file = stored()
    assert f"hint: keytool backup import {file}\n" in keytool.fails(64, "key", "import", file, *password).err
