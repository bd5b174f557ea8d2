"""The 104-character backup code: both ways against the oracle, and what damage ends in."""

import base64
import itertools
import os
import re

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, EMPTY_KEYSTORE
from kit.runner import on_two_processors, snapshot
from kit.sampling import often
from kit.vectorfiles import read_codes

GROUPED = re.compile(r"(?:[A-Z2-7]{4}-){25}[A-Z2-7]{4}")
SUBSTITUTIONS = often(24, 3)  # spread over the code: each costs half a second and 128 MiB
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

OPENING = [v for v in read_codes(argon2id=True) if "error" not in v]
REFUSED = [v for v in read_codes(argon2id=True) if "error" in v]
LAYERS = {"decryption": 12, "decoding": 65}
PUBLISHED = next(v for v in OPENING if v["id"] == "idb-kt-v2")
LONG_CODE = PUBLISHED["backup"]


def vectors(wanted):
    return pytest.mark.parametrize("vector", wanted, ids=lambda v: v["id"])


def password_of(vector):
    return bytes.fromhex(vector["password_utf8_hex"])


@pytest.fixture
def code_password(given):
    """The password of the published code, by option."""
    return given("backup-password", password_of(PUBLISHED))


# The judge


@vectors(OPENING)
def test_oracle_opens_and_seals_the_published_text(vector):
    identity = oracle.open_code(vector["backup"], password_of(vector))
    assert identity.id == vector["identity"]
    assert identity.client_key.hex() == vector["client_key"]
    salt = bytes.fromhex(vector["salt"])
    assert oracle.seal_code_argon2id(identity, password_of(vector), salt) == vector["backup"]


def test_oracle_refuses_damage_and_other_passwords():
    damaged = LONG_CODE[:-1] + ("A" if LONG_CODE[-1] != "A" else "B")
    for code, password in ((damaged, password_of(PUBLISHED)), (LONG_CODE, b"nopedinope")):
        with pytest.raises(ValueError, match="decryption"):
            oracle.open_code(code, password)


# Reading


@vectors(OPENING)
def test_every_vector_imports_with_its_exact_key(keytool, given, backup_password, vector):
    shown = keytool.json("backup", "import", "-", *given("backup-password", password_of(vector)),
                         stdin=vector["backup"])
    assert (shown["id"], shown["public_key"]) == (vector["identity"], vector["public_key"])
    assert (shown["scheme"], shown["check_bits"], shown["stored"]) == ("argon2id", 128, True)
    assert shown["check"] == oracle.check_word(vector["backup"])
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, BACKUP_PASSWORD).client_key.hex() == vector["client_key"]


@vectors(REFUSED)
def test_every_negative_vector_is_refused_by_its_layer(keytool, given, vector):
    keytool.fails(LAYERS[vector["error"]], "backup", "import", "-",
                  *given("backup-password", password_of(vector)), stdin=vector["backup"])
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_code_that_the_oracle_made(keytool, backup_password):
    made = oracle.Identity("*YZ98765", os.urandom(32))
    code = oracle.seal_code_argon2id(made, BACKUP_PASSWORD)
    shown = keytool.json("backup", "check", "-", *backup_password, stdin=code)
    assert (shown["id"], shown["public_key"]) == (made.id, made.public_key)
    assert (shown["scheme"], shown["check_bits"], shown["stored"]) == ("argon2id", 128, False)


def test_spelling_is_as_free_as_with_the_shorter_code(keytool, code_password):
    groups = LONG_CODE.lower().split("-")
    text = "\n".join(" ".join(groups[row:row + 5]) for row in range(0, 26, 5)) + "\n"
    assert keytool.json("backup", "check", "-", *code_password, stdin=text)["id"] == "ABCD1234"


def test_wrong_password(keytool, given):
    result = keytool.fails(12, "backup", "check", "-", *given("backup-password", b"nopedinope"),
                           stdin=LONG_CODE)
    assert "damaged" in result.err, "the format cannot tell the two apart"


# Writing


def test_oracle_opens_what_is_exported(keytool, backup_password):
    made = keytool.json("id", "create", "--id", "ABCD1234")
    shown = keytool.json("backup", "export", "--scheme", "argon2id", *backup_password)
    assert (shown["command"], shown["id"]) == ("backup export", "ABCD1234")
    assert (shown["scheme"], shown["check_bits"]) == ("argon2id", 128)
    assert GROUPED.fullmatch(shown["code"]) and len(shown["code"].replace("-", "")) == 104
    assert shown["check"] == oracle.check_word(shown["code"])
    identity = oracle.open_code(shown["code"], BACKUP_PASSWORD)
    assert (identity.id, identity.public_key) == ("ABCD1234", made["public_key"])


def test_in_words_and_on_a_terminal(terminal, keytool, backup_password, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    export = ["backup", "export", "--scheme", "argon2id", *backup_password]
    piped = keytool.ok(*export)
    assert GROUPED.fullmatch(piped.out.rstrip("\n")) and piped.out.count("\n") == 1
    assert "iOS" in piped.err
    assert "65,535" not in piped.err, "that is the shorter code's check"
    with open(tmp_path / "err", "wb") as err:
        run = terminal(*export, stderr=err)
        assert run.finish() == 0, run.text
    lines = [line.strip() for line in run.text.splitlines() if line.strip()]
    assert [len(line.strip("-").split("-")) for line in lines] == [5, 5, 5, 5, 5, 1]
    shown = "-".join(line.strip("-") for line in lines)
    for code, words in ((piped.out.strip(), piped.err), (shown, (tmp_path / "err").read_text())):
        assert f"check word {oracle.check_word(code)}" in words
    assert oracle.code_bytes(piped.out.strip())[1:9] != oracle.code_bytes(shown)[1:9], "salts"


def test_scheme_is_one_of_two(keytool, backup_password):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.fails(64, "backup", "export", "--scheme", "scrypt", *backup_password)
    code = keytool.ok("backup", "export", "--scheme", "pbkdf2", *backup_password).out.strip()
    assert len(code.replace("-", "")) == 80


# Damage: 128 bits of tag let nothing through


def check_all(keytool, code_password, expected):
    """expected: pairs of a text and the exit code it must end in."""
    def work(keytool, share):
        for text, code in share:
            keytool.fails(code, "backup", "check", "-", *code_password, stdin=text)

    on_two_processors(work, [keytool, keytool], expected)
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_truncations(keytool, code_password):
    """Cut down to 80 characters it has the shorter code's form, so the check is what refuses it."""
    cut = [LONG_CODE[:length] for length in range(len(LONG_CODE))]
    check_all(keytool, code_password,
              [(text, 12 if len(text.replace("-", "")) == 80 else 65) for text in cut])


def test_substitutions(keytool, code_password):
    letters = LONG_CODE.replace("-", "")
    damaged = []
    for number in range(SUBSTITUTIONS):
        place = number * len(letters) // SUBSTITUTIONS
        other = ALPHABET[(ALPHABET.index(letters[place]) + 1 + number % 31) % 32]
        text = letters[:place] + other + letters[place + 1:]
        # Without version 1 it is no code at all; with it, the tag refuses it.
        damaged.append((text, 12 if base64.b32decode(text)[0] == 1 else 65))
    assert len(set(damaged)) == SUBSTITUTIONS and {12, 65} == {code for _, code in damaged}
    check_all(keytool, code_password, damaged)


# Typing it in


NEXT_GROUP = r"Group (\d+)([^:\n]*): $"


def finish(run):
    """Leaves the check word out."""
    run.expect(r"Check word[^\n]*: $")
    run.send("")
    return run.finish()


def test_typed_group_by_group(terminal, keytool, code_password):
    run = terminal("backup", "import", "--no-passphrase", *code_password)
    run.expect("Backup code: $")
    for number, group in enumerate(LONG_CODE.split("-"), 1):
        run.send(group)
        if number == 26:
            break
        asked = run.expect(NEXT_GROUP)
        assert int(asked[1]) == number + 1
        # 20 groups could be all of it; no other number could.
        assert bool(asked[2]) == (number == 20), run.text
    assert finish(run) == 0, run.text
    assert keytool.json("id", "show")["id"] == "ABCD1234"


def test_pasted_whole(terminal, code_password):
    run = terminal("backup", "check", *code_password)
    run.expect("Backup code: $")
    run.send(LONG_CODE)
    assert finish(run) == 0, run.text
    assert not re.search(NEXT_GROUP, run.text)


def shorter_code(beginning):
    """An 80-character code of a known identity whose salt begins like a 104-character code."""
    salt = base64.b32decode(beginning + "AAAAAAAAAAA" + "===")[:8]
    code = oracle.seal_code(oracle.Identity("ZZZZ9999", bytes(range(32))), BACKUP_PASSWORD, salt)
    assert code.startswith(beginning) and len(code) == 99
    return code


@pytest.mark.parametrize("beginning", ["AE", "AF", "AG", "AH"])
def test_shorter_code_that_begins_like_a_longer_one(terminal, keytool, backup_password, beginning):
    run = terminal("backup", "import", "--no-passphrase", *backup_password)
    run.expect("Backup code: $")
    run.send(shorter_code(beginning))
    asked = run.expect(NEXT_GROUP)
    assert (asked[1], bool(asked[2])) == ("21", True), run.text
    run.send("")
    assert finish(run) == 0, run.text
    assert keytool.json("id", "show")["id"] == "ZZZZ9999"


@pytest.mark.parametrize("beginning", ["AD", "AI", "BE"])
def test_shorter_code_is_complete_with_its_last_group(terminal, backup_password, beginning):
    run = terminal("backup", "check", *backup_password)
    run.expect("Backup code: $")
    run.send(shorter_code(beginning))
    assert finish(run) == 0, run.text
    assert not re.search(NEXT_GROUP, run.text)


def test_longer_code_that_is_ended_too_early(terminal, keytool, code_password):
    groups = LONG_CODE.split("-")
    for count, key, code in ((19, b"\x04", 65), (20, b"\r", 12), (25, b"\x04", 65)):
        run = terminal("backup", "import", "--no-passphrase", *code_password)
        run.expect("Backup code: $")
        run.send("-".join(itertools.islice(groups, count)))
        run.expect(NEXT_GROUP)
        run.press(key)
        assert (finish(run) if count == 20 else run.finish()) == code, run.text
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_mistyped_group_is_asked_for_again(terminal, code_password):
    groups = LONG_CODE.split("-")
    run = terminal("backup", "check", *code_password)
    run.expect("Backup code: $")
    run.send("-".join(groups[:25]))
    assert run.expect(NEXT_GROUP)[1] == "26"
    run.send("T2Z1")  # no code has a 1
    assert run.expect(NEXT_GROUP)[1] == "26"
    run.send(groups[25])
    assert finish(run) == 0, run.text
