"""A passphrase is given, but the keystore is not protected: somebody may have replaced it."""

import pytest

from kit import keyfiles, masterkey, oracle
from kit.masterkey import PASSPHRASE
from kit.runner import snapshot
from kit.stages.opening import COMMANDS, filled, place, ready, sources  # fixtures
from kit.stages.place import ID, OTHER_ID

# It takes the passphrase off.
EXEMPT = {"key unprotect"}
REFUSED = {**{name: None for name in COMMANDS if name not in EXEMPT}, "key unlock": None}


def command(place, name):
    return filled(place, name) if name in COMMANDS else name.split()


@pytest.mark.parametrize("name", REFUSED)
def test_is_an_error_in_every_command(place, name):
    before = snapshot(place.path)
    for more in ([], ["-q"]):
        result = place.keytool.fails(
            12, *command(place, name), "--passphrase-file", place.home / "right", *more)
        assert "not protected by a passphrase" in result.err
        assert "somebody may have replaced" in result.err, result
        assert "keytool key protect" in result.err
    assert snapshot(place.path) == before


def test_from_every_source(place):
    for options, environment in sources(place):
        options = [str(one).format(fd=0) for one in options]
        environment = {key: str(value).format(fd=0) for key, value in environment.items()}
        runner = place.keytool.with_environment(**environment)
        runner.fails(12, "safe", "push", ID, *options, stdin=PASSPHRASE)


def test_json_has_the_code(place):
    result = place.keytool.fails(12, "id", "list", "--passphrase-file", place.home / "right", "--json")
    assert result.error["name"] == "wrong_password"


def test_no_source_is_no_error(place):
    """An empty variable and a directory of credentials for others give nothing."""
    (place.home / "credentials/keytool.passphrase").unlink()
    empty = {f"KEYTOOL_PASSPHRASE_{kind}": "" for kind in ("FILE", "COMMAND", "FD")}
    place.keytool.with_environment(**empty, CREDENTIALS_DIRECTORY=place.home / "credentials").ok(
        "safe", "push", ID)


def test_a_replaced_keystore_gets_nothing_of_ours(keytool, other_keytool, given):
    """What an attacker who can write the directory would do: put his own keys there."""
    right = given("passphrase", PASSPHRASE)
    keytool.ok("id", "create", "--id", ID, *right)
    other_keytool.ok("id", "create", "--id", OTHER_ID)
    for name in ("master.key", "keystore"):
        (keytool.keystore / name).write_bytes((other_keytool.keystore / name).read_bytes())
    before = snapshot(keytool.keystore)
    keytool.fails(12, "id", "create", "--id", OTHER_ID, *right)
    assert snapshot(keytool.keystore) == before


def test_a_replaced_keystore_gets_no_imported_key(keytool, other_keytool, given, write):
    """The file has a passphrase of its own: the other one can only be the keystore's."""
    ours, theirs = given("passphrase", PASSPHRASE), given("file-passphrase", b"of the file")
    file = write("keystorage.pb3", keyfiles.seal_desktop(oracle.Identity("DESKTOP1", bytes(32)), b"of the file"))
    keytool.ok("backup", "import", file, *theirs, *ours)
    other_keytool.ok("id", "create", "--id", OTHER_ID)
    for name in ("master.key", "keystore"):
        (keytool.keystore / name).write_bytes((other_keytool.keystore / name).read_bytes())
    before = snapshot(keytool.keystore)
    for options, environment in ((ours, {}), ([], {"KEYTOOL_PASSPHRASE_FILE": str(ours[1])})):
        for source, variables in ((theirs, {}), ([], {"KEYTOOL_FILE_PASSPHRASE_FILE": str(theirs[1])})):
            runner = keytool.with_environment(**environment, **variables)
            assert "somebody may have replaced" in runner.fails(12, "-q", "backup", "import", file, *source, *options).err
    assert snapshot(keytool.keystore) == before


def test_doctor_reports_it(place):
    result = place.keytool("doctor", "--passphrase-file", place.home / "right")
    assert "PROBLEM  identities" in result.out and "not protected" in result.out, result


# What the passphrase is for


def test_protect_puts_it_on(place):
    place.keytool.ok("key", "protect", "--scheme", "scrypt", "--passphrase-file", place.home / "right")
    assert masterkey.read(place.keytool, PASSPHRASE)


def test_unprotect_has_nothing_to_do(place):
    place.keytool.ok("key", "unprotect", "--yes", "--passphrase-file", place.home / "right")


def test_import_may_use_it_for_the_file(place):
    place.keytool.ok("backup", "import", place.home / "keystorage.pb3",
                     "--passphrase-file", place.home / "code-password")


@pytest.mark.parametrize("stem", ["passphrase", "file-passphrase"])
def test_import_of_a_key_file_without_protection(keytool, tmp_path, given, write, stem):
    """It would make a keystore without protection for somebody who has given a passphrase."""
    file, new = write("key.dat", keyfiles.wrap_v2(bytes(range(32)))), keytool.with_keystore(tmp_path / "new")
    option = given(stem, PASSPHRASE)
    variable = f"KEYTOOL_{stem.upper().replace('-', '_')}_FILE"
    for runner, options in ((new, option), (new.with_environment(**{variable: str(option[1])}), [])):
        result = runner.fails(12, "-q", "key", "import", file, *options)
        assert f"{file} is not protected by a passphrase" in result.err and "keytool key protect" in result.err
        assert not new.keystore.exists()
    # What the hint says.
    new.ok("key", "import", file)
    new.ok("key", "protect", "--scheme", "scrypt", *given("passphrase", PASSPHRASE))
    assert masterkey.read(new, PASSPHRASE) == bytes(range(32))


def test_a_new_keystore_takes_it(keytool, given):
    right = given("passphrase", PASSPHRASE)
    keytool.ok("id", "create", "--id", ID, *right)
    assert masterkey.read(keytool, PASSPHRASE)
    keytool.ok("id", "create", "--id", OTHER_ID, *right)


def test_unprotect_says_what_will_fail(place):
    """Jobs that go on giving the passphrase are refused from then on."""
    masterkey.rewrap(place.keytool)
    right = ["--passphrase-file", place.home / "right"]
    done = place.keytool.ok("key", "unprotect", "--yes", *right)
    for source in ("--passphrase-", "KEYTOOL_PASSPHRASE_", "keytool.passphrase"):
        assert source in done.err, done
    assert "will fail" in done.err
    place.keytool.fails(12, "safe", "push", ID, *right)
