"""backup export, import and check on good codes, and the refusals that need no damage."""

import re
import unicodedata

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE, CODE_IDENTITY, EMPTY_KEYSTORE, GROUPED
from kit.runner import snapshot
from kit.vectorfiles import read_codes


def test_published_code_imports(keytool, code_file, code_password):
    shown = keytool.json("backup", "import", code_file, *code_password)
    assert shown["command"] == "backup import"
    assert shown["id"] == "0ZAHXXHB"
    assert shown["public_key"] == CODE_IDENTITY.public_key
    assert shown["scheme"] == "pbkdf2"
    assert shown["check"] == oracle.check_word(CODE)
    assert shown["check_bits"] == 16
    assert shown["stored"] is True
    assert keytool.json("id", "show")["public_key"] == CODE_IDENTITY.public_key


def test_import_in_words(keytool, code_file, code_password):
    result = keytool.ok("backup", "import", code_file, *code_password)
    assert "0ZAHXXHB" in result.out
    assert oracle.check_word(CODE) in result.out + result.err
    letters = re.sub(r"\s", "", result.out + result.err)
    assert CODE_IDENTITY.public_key in letters


def test_import_from_stdin(keytool, code_password):
    assert keytool.json("backup", "import", "-", *code_password, stdin=CODE)["stored"] is True


OPENING = [v for v in read_codes(argon2id=False) if "error" not in v]


@pytest.mark.parametrize("vector", OPENING, ids=lambda v: v["id"])
def test_every_vector_imports_with_its_exact_key(keytool, given, backup_password, vector):
    password = given("backup-password", bytes.fromhex(vector["password_utf8_hex"]))
    shown = keytool.json("backup", "import", "-", *password, stdin=vector["backup"])
    assert shown["id"] == vector["identity"]
    code = keytool.json("backup", "export", *backup_password)["code"]
    # bit for bit as it came: the client key is not clamped on its way through the keystore
    assert oracle.open_code(code, BACKUP_PASSWORD).client_key.hex() == vector["client_key"]


REFUSED = [v for v in read_codes(argon2id=False) if "error" in v]
LAYERS = {"decryption": 12, "decoding": 65, "unknown_version": 65}


@pytest.mark.parametrize("vector", REFUSED, ids=lambda v: v["id"])
def test_every_negative_vector_is_refused_by_its_layer(keytool, write, given, vector):
    password = given("backup-password", bytes.fromhex(vector["password_utf8_hex"]))
    keytool.fails(LAYERS[vector["error"]], "backup", "import", write("code", vector["backup"]),
                  *password)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_absent_file(keytool, code_password, tmp_path):
    keytool.fails(66, "backup", "import", tmp_path / "absent", *code_password)


def test_code_is_never_an_argument(keytool, code_password):
    keytool.fails((64, 66), "backup", "import", CODE, *code_password)


# Passwords


def test_wrong_password(keytool, code_file, given):
    wrong = given("backup-password", b"nopedinope")
    result = keytool.fails(12, "backup", "import", code_file, *wrong)
    assert "damaged" in result.err, "the format cannot tell the two apart"
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_password_is_neither_trimmed_nor_normalised(keytool, write, given):
    nfc = unicodedata.normalize("NFC", "Grüezi wohl!").encode()
    nfd = unicodedata.normalize("NFD", "Grüezi wohl!").encode()
    code = write("code", oracle.seal_code(CODE_IDENTITY, nfc, salt=bytes(8)))
    keytool.ok("backup", "check", code, *given("backup-password", nfc))
    keytool.fails(12, "backup", "check", code, *given("backup-password", nfd))
    keytool.fails(12, "backup", "check", code, *given("backup-password", nfc + b" "))
    keytool.fails(12, "backup", "check", code, *given("backup-password", b" " + nfc))


def test_shortest_password_of_old_exports(keytool, write, given):
    code = write("code", oracle.seal_code(CODE_IDENTITY, b"abc"))
    keytool.fails(64, "backup", "import", code, *given("backup-password", b"abc"))
    code = write("code", oracle.seal_code(CODE_IDENTITY, "äöüé".encode()))
    keytool.ok("backup", "import", code, *given("backup-password", "äöüé".encode()))


# Expectations


EXPECTED = {
    "--expect-id": ("0ZAHXXHB", "ABCD1234"),
    "--expect-public-key": (CODE_IDENTITY.public_key, "ab" * 32),
    "--expect-check": (oracle.check_word(CODE), "AAAA-AAAA"),
}


@pytest.mark.parametrize("option", EXPECTED)
def test_expectations(keytool, code_file, code_password, option):
    right, wrong = EXPECTED[option]
    for verb in ("import", "check"):
        keytool.fails(19, "backup", verb, code_file, *code_password, option, wrong)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
    keytool.ok("backup", "import", code_file, *code_password, option, right)


@pytest.mark.parametrize("word", ["NBFY", "3UFR-LRK", "3UFR-LRKN-A", "-"])
def test_a_check_word_has_eight_characters(keytool, code_file, code_password, word):
    """Less is not another code's word, but a word that was not read to its end."""
    for verb in ("import", "check"):
        refused = keytool.fails(64, "backup", verb, code_file, *code_password, f"--expect-check={word}")
        assert "a check word has 8 characters" in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


# What is already in the keystore


def test_held_with_the_same_key(keytool, code_file, code_password):
    keytool.ok("backup", "import", code_file, *code_password)
    before = snapshot(keytool.keystore)
    result = keytool.ok("backup", "import", code_file, *code_password)
    assert re.search("already|same key|unchanged", result.out + result.err), result
    assert keytool.json("backup", "import", code_file, *code_password)["id"] == "0ZAHXXHB"
    key = "identities/threema/0ZAHXXHB/identity"
    assert snapshot(keytool.keystore)[key] == before[key]


def test_held_with_another_key(keytool, code_file, code_password):
    made = keytool.json("id", "create", "--id", "0ZAHXXHB")
    before = snapshot(keytool.keystore)
    refused = keytool.fails(17, "backup", "import", code_file, *code_password)
    assert "hint: only if it is the wrong one: --replace overwrites it" in refused.err
    assert snapshot(keytool.keystore) == before
    assert keytool.json("id", "show")["public_key"] == made["public_key"]
    replaced = keytool.json("backup", "import", code_file, *code_password, "--replace")
    assert replaced["stored"] is True
    assert keytool.json("id", "show")["public_key"] == CODE_IDENTITY.public_key


def test_check_stores_nothing(keytool, code_file, code_password):
    checked = keytool.json("backup", "check", code_file, *code_password)
    assert checked["command"] == "backup check"
    assert checked["id"] == "0ZAHXXHB"
    assert checked["public_key"] == CODE_IDENTITY.public_key
    assert checked["check"] == oracle.check_word(CODE)
    assert checked.get("stored", False) is False
    assert snapshot(keytool.keystore, without=()) == EMPTY_KEYSTORE


def test_check_on_an_absent_keystore_does_not_make_one(keytool, tmp_path, code_file, code_password):
    keytool.with_keystore(tmp_path / "absent").ok("backup", "check", code_file, *code_password)
    assert not (tmp_path / "absent").exists()


def test_round_trip_to_an_empty_machine(keytool, other_keytool, backup_password):
    made = keytool.json("id", "create")
    code = keytool.ok("backup", "export", *backup_password).out
    assert GROUPED.fullmatch(code.strip("\n"))
    there = other_keytool.json("backup", "import", "-", *backup_password, stdin=code)
    assert (there["id"], there["public_key"]) == (made["id"], made["public_key"])


def test_a_code_from_an_editor_that_writes_a_byte_order_mark(keytool, write, code_password):
    keytool.ok("backup", "check", write("code", b"\xef\xbb\xbf" + CODE.encode() + b"\r\n"), *code_password)


def test_a_public_key_as_it_is_printed(keytool, write, code_password):
    key = CODE_IDENTITY.public_key
    groups = " ".join(key[start:start + 8] for start in range(0, len(key), 8))
    check = ["backup", "check", write("code", CODE), *code_password, "--expect-public-key"]
    keytool.ok(*check, groups)
    keytool.fails(19, *check, groups.replace(groups[0], "0" if groups[0] != "0" else "1"))
