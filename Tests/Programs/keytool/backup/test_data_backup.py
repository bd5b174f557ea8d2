"""backup import and check of the Android app's data backups: good files, and what an identity already has."""

import json
import random
import re

import pytest

from kit import backupdraws, oracle
from kit import databackup as d
from kit.known import CODE, EMPTY_KEYSTORE
from kit.runner import on_two_processors, snapshot

PASSWORD = "battery staple 9"
ME = oracle.Identity("ABCD1234", bytes(range(1, 33)))
CONTACT = d.Contact("ECHOECHO", bytes(range(32)), 2, "Echo", 'say "\\o/"\r\n', "é🐈", 1700000000000)
GROUP = d.Group("0123456789ABCDEF", "ECHOECHO", "Us; them", 1, 2, ("ECHOECHO", "ABCD1234"))
LIST = d.DistributionList(2**63 - 1, "All", 3, None, ("ECHOECHO",))
SMALL = d.Backup(ME, (CONTACT,), (GROUP,), (LIST,), conversations=1, media=2)


@pytest.fixture
def password(given):
    return given("backup-password", PASSWORD.encode())


@pytest.fixture
def small(write):
    return write("backup.zip", d.write(SMALL, PASSWORD))


def profile(keytool, id="ABCD1234"):
    path = keytool.home / "exported.json"
    keytool.ok("profile", "export", "-o", path, "--force", id)
    return json.loads(path.read_text())


def contents(document):
    return {name: document[name] for name in ("contacts", "groups", "distributionlists")}


def test_small_one_imports_field_for_field(keytool, small, password):
    shown = keytool.json("backup", "import", small, *password)
    assert {name: shown[name] for name in (
        "id", "public_key", "format", "format_version", "contacts", "groups", "distribution_lists", "picture",
        "skipped_rows", "skipped", "missing", "stored", "profile_stored")} == {
        "id": "ABCD1234", "public_key": ME.public_key, "format": "android_data_backup", "format_version": 27,
        "contacts": 1, "groups": 1, "distribution_lists": 1, "picture": "none", "skipped_rows": 0, "skipped": [],
        "missing": [], "stored": True, "profile_stored": True}
    assert shown["left_behind"] == {"conversations": 1, "media": 2, "media_bytes": 402, "pictures": 1, "polls": True,
                                    "reactions": True, "nonces": True, "other": 0}
    document = profile(keytool)
    assert contents(document) == d.document(SMALL)
    assert document["contacts"][0]["lastname"] == 'say "\\o/"\n'
    assert document["groups"][0]["id"] == "0123456789abcdef"
    assert document["distributionlists"][0]["id"] == "ffffffffffffff7f"
    assert document["user"] == {"links": [], "profilePicRelease": [None]}
    assert document["settings"] == {"syncContacts": False}


def test_private_key_is_the_one_in_the_file(keytool, small, password, backup_password):
    keytool.ok("backup", "import", small, *password)
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, b"battery staple 9") == ME


def test_words(keytool, small, password):
    result = keytool.ok("backup", "import", small, *password)
    assert result.out.startswith("imported ABCD1234\n")
    assert ME.public_key in re.sub(r"\s", "", result.out)
    assert "contains    1 contact, 1 group, 1 distribution list\n" in result.out
    assert "not read    1 conversation, 2 media files (402 bytes), 1 picture, polls, reactions, nonces\n" in result.out
    assert "a hundred times faster" in result.err and "has no nickname" in result.err
    again = keytool.ok("backup", "import", small, *password)
    assert again.out.startswith("already in the keystore, with the same key and profile: ABCD1234\n")
    assert "has no nickname" not in again.err


def generated(number):
    chance = random.Random(number)
    backup = backupdraws.backup(chance)
    version = chance.randrange(15, 28)
    password = chance.choice(backupdraws.PASSWORDS)
    is_old = version <= 16 and "\0" not in d.low_bytes(password).decode("latin-1")
    code = oracle.seal_code_argon2id(backup.identity, password.encode()) if number % 50 == 0 else None
    file = d.write(backup, password, version, zip_password=d.low_bytes(password) if is_old else None,
                   zip64=chance.random() < 0.2, code=code)
    return backup, version, password, file


def test_200_generated_ones_import_field_for_field(built, home, tmp_path, keytool):
    def work(place, numbers):
        place.mkdir(mode=0o700)
        runner = keytool.with_keystore(place / "keystore")
        runner.home = place
        for number in numbers:
            backup, version, password, file = generated(number)
            (place / "backup.zip").write_bytes(file)
            (place / "password").write_text(password)
            (place / "password").chmod(0o600)
            shown = runner.json("backup", "import", place / "backup.zip", "--backup-password-file", place / "password",
                                "--no-passphrase")
            assert (shown["id"], shown["public_key"], shown["skipped_rows"]) == (
                backup.identity.id, backup.identity.public_key, 0), number
            assert shown["format_version"] == version
            document = profile(runner, backup.identity.id)
            assert contents(document) == d.document(backup, version), number
            assert ("profilePic" in document["user"]) == (backup.picture is not None)
            if backup.picture:
                assert oracle.base64.b64decode(document["user"]["profilePic"]) == backup.picture

    on_two_processors(work, [tmp_path / "one", tmp_path / "two"], list(range(200)))


def test_10_000_contacts(keytool, write, password):
    backup = backupdraws.backup(random.Random(1), contacts=10_000)
    path = write("backup.zip", d.write(backup, PASSWORD))
    assert keytool.json("backup", "import", path, *password)["contacts"] == 10_000
    assert contents(profile(keytool, backup.identity.id)) == d.document(backup)


def test_check_stores_nothing(keytool, small, password):
    shown = keytool.json("backup", "check", small, *password)
    assert (shown["id"], shown["contacts"], shown["stored"], shown["held"]) == ("ABCD1234", 1, False, False)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
    keytool.ok("id", "create", "--id", "MMMM5555")
    keytool.ok("backup", "import", small, *password)
    before = snapshot(keytool.keystore)
    assert keytool.json("backup", "check", small, *password)["held"] is True
    assert snapshot(keytool.keystore) == before
    assert "a hundred times faster" in keytool.ok("backup", "check", small, *password).err


def test_it_proves_no_code(keytool, small, password):
    """Who loses the file has nothing on paper."""
    keytool.ok("backup", "import", small, *password)
    keytool.ok("backup", "check", small, *password)
    removed = keytool.ok("id", "remove", "--yes", "ABCD1234")
    assert "no backup code of ABCD1234 was ever verified here" in removed.err


def test_wrong_password_stores_nothing(keytool, small, given):
    for text in ("battery staple 8", "pässwörd €uro", "Ā-the-low-byte-is-NUL"):
        wrong = given("backup-password", text.encode())
        for verb in ("import", "check"):
            assert "wrong backup password" in keytool.fails(12, "backup", verb, small, *wrong).err
    keytool.fails(64, "backup", "import", small, *given("backup-password", b"abc"))
    keytool.fails(16, "backup", "import", small)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


@pytest.mark.parametrize("option, code", [
    (["--expect-id", "ABCD1235"], 19), (["--expect-public-key", "07" * 32], 19),
    (["--expect-check", "AAAA-AAAA"], 64)], ids=lambda v: str(v))
def test_expectations(keytool, small, password, option, code):
    for verb in ("import", "check"):
        keytool.fails(code, "backup", verb, small, *password, *option)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
    keytool.ok("backup", "import", small, *password, "--expect-id", ME.id, "--expect-public-key", ME.public_key)


def test_options_of_data_backups_do_not_fit_a_code(keytool, write, code_password):
    path = write("code", CODE)
    keytool.fails(64, "backup", "import", path, *code_password, "--replace-profile")
    keytool.fails(64, "backup", "check", path, *code_password, "--try-newer")


def test_an_empty_profile_is_filled(keytool, small, write, password):
    path = write("code", oracle.seal_code(ME, PASSWORD.encode()))
    keytool.ok("backup", "import", path, *password)
    shown = keytool.json("backup", "import", small, *password)
    assert (shown["stored"], shown["profile_stored"]) == (False, True)
    assert contents(profile(keytool)) == d.document(SMALL)
    shown = keytool.json("backup", "import", small, *password)
    assert (shown["stored"], shown["profile_stored"]) == (False, False)


def test_another_profile_is_not_replaced_by_itself(keytool, small, password):
    keytool.ok("backup", "import", small, *password)
    keytool.ok("profile", "set", "--nickname", "me")
    keytool.ok("contact", "remove", "ECHOECHO", "--yes")
    before = snapshot(keytool.keystore)
    result = keytool("backup", "import", small, *password)
    assert result.code == 17 and "--replace-profile" in result.err
    assert result.out.splitlines() == ['contact ECHOECHO (Echo say "\\o/"<U+000A>): only in the data backup', 'nickname: none in the data backup, "me" in the keystore']
    assert snapshot(keytool.keystore) == before
    result = keytool("backup", "import", small, *password, "--json")
    assert result.code == 17 and result.json["profile_stored"] is False
    assert result.json["difference"]["contacts"]["only_in_other"] == [{"id": "ECHOECHO"}]
    assert result.json["difference"]["changed"] == ["nickname"]
    shown = keytool.json("backup", "import", small, *password, "--replace-profile")
    assert (shown["stored"], shown["profile_stored"]) == (False, True)
    assert contents(profile(keytool)) == d.document(SMALL)


def test_another_key_is_replaced_only_with_consent(keytool, small, password):
    keytool.ok("id", "create", "--id", "ABCD1234")
    before = snapshot(keytool.keystore)
    assert "--replace" in keytool.fails(17, "backup", "import", small, *password).err
    keytool.fails(17, "backup", "import", small, *password, "--replace-profile")
    assert snapshot(keytool.keystore) == before
    assert keytool.json("backup", "import", small, *password, "--replace")["stored"] is True
    assert keytool.json("id", "show")["public_key"] == ME.public_key
    assert contents(profile(keytool)) == d.document(SMALL)


@pytest.mark.parametrize("picture, says", [
    (lambda: backupdraws.picture(random.Random(1), 512), "too_large"), (lambda: b"\x89PNG\r\n\x1a\n" + bytes(50), "not_jpeg"),
    (lambda: bytes(600 * 1024), "too_long"), (lambda: bytes(1024 * 1024 + 1), "too_long")],
    ids=["512 pixels", "PNG", "600 KiB", "over 1 MiB"])
def test_a_picture_that_does_not_fit_is_named(keytool, write, password, picture, says):
    path = write("backup.zip", d.write(SMALL._replace(picture=picture()), PASSWORD))
    assert "the profile picture was not imported" in keytool.ok("backup", "check", path, *password).err
    assert keytool.json("backup", "import", path, *password)["picture"] == says
    assert "profilePic" not in profile(keytool)["user"]


def test_what_an_import_brings_can_be_pushed(keytool, small, password, directory, safe_password):
    keytool.ok("backup", "import", small, *password)
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    keytool.ok("safe", "push")
    assert keytool.json("safe", "check")["contacts"] == 1
