"""backup check: its result for code and password comes first, whatever the keystore holds."""

import pytest

from kit.damage import flip
from kit import masterkey, oracle
from kit.known import CODE_PASSWORD
from kit.masterkey import PASSPHRASE
from kit.runner import snapshot

OPENS = "the code opens: 0ZAHXXHB"
NOT_COMPARED = "the key was not compared with the keystore, and the date was not stored"
NEEDS_PASSPHRASE = "the keystore needs its passphrase; the key was not compared, and the date was not stored"
HELD = "the keystore holds this key; the date of this check was stored"
PASSWORD = r"Backup password of this code: $"
PASSPHRASE_ASKED = r"Keystore passphrase: $"


@pytest.fixture
def protected(keytool, code_file, code_password):
    keytool.ok("backup", "import", code_file, *code_password)
    masterkey.rewrap(keytool)
    return keytool


@pytest.fixture
def check(code_file, code_password):
    return ["backup", "check", code_file, *code_password]


def test_held(protected, check, given):
    right = given("passphrase", PASSPHRASE)
    lines = protected.ok(*check, *right).out.splitlines()
    assert (lines[0], lines[-1]) == (OPENS, HELD)
    assert protected.json(*check, *right)["held"] is True


def test_not_held(keytool, check):
    keytool.ok("id", "create", "--id", "ABCD1234")
    result = keytool.ok(*check)
    assert OPENS in result.out and "the keystore" not in result.out
    assert keytool.json(*check)["held"] is False


def test_another_key_is_held(keytool, check, code_file, write, given, tmp_path):
    """A mistyped code can open, and an old one does: neither restores what the keystore holds."""
    other = oracle.Identity("0ZAHXXHB", bytes(range(32)))
    keytool.ok("backup", "import", write("other", oracle.seal_code(other, CODE_PASSWORD)),
               *given("backup-password", CODE_PASSWORD))
    before = snapshot(keytool.keystore)
    result = keytool(*check)
    assert result.code == 19 and OPENS in result.out and "holds 0ZAHXXHB with another private key" in result.err
    assert other.public_key in result.err
    assert keytool.fails(19, *check, "--json").error["reason"] == "other_key"
    assert "another private key" in keytool.fails(19, *check, "--quiet").err
    # The advice is to compare and to keep the key first.
    refused = keytool.fails(17, "backup", "import", code_file, *given("backup-password", CODE_PASSWORD), "--json").error
    places = [refused["hint"].index(words) for words in ("id show 0ZAHXXHB", "backup export 0ZAHXXHB -o", "--replace")]
    assert places == sorted(places)
    assert snapshot(keytool.keystore) == before
    replaced = keytool.ok("backup", "import", code_file, *given("backup-password", CODE_PASSWORD), "--replace")
    assert f"replaced: the one of the public key {other.public_key}" in replaced.err
    keytool.ok(*check)
    # A damaged key is no other one.
    record = next(keytool.keystore.rglob("identity"))
    flip(record)
    assert keytool.json(*check)["held"] is False


def test_absent_keystore_holds_nothing(keytool, check, tmp_path):
    assert keytool.with_keystore(tmp_path / "absent").json(*check)["held"] is False


def test_unknown_without_passphrase(protected, check):
    before = snapshot(protected.keystore)
    for options in [], ["--no-input"]:
        shown = protected.json(*check, *options)
        assert "held" not in shown and shown["id"] == "0ZAHXXHB"
        result = protected.ok(*check, *options)
        assert OPENS in result.out and NEEDS_PASSPHRASE in result.err
        assert f"warning: {NEEDS_PASSPHRASE}" in protected.ok(*check, *options, "--quiet").err
    assert snapshot(protected.keystore) == before


def test_wrong_passphrase(protected, check, given):
    before = snapshot(protected.keystore)
    wrong = given("passphrase", b"nopedinope")
    result = protected.ok(*check, *wrong)
    assert result.out.startswith(OPENS)
    assert f"warning: {NOT_COMPARED}: " in result.err
    assert "held" not in protected.json(*check, *wrong)
    # A script that wanted the date stored hears of it, too.
    assert "warning" in protected.ok(*check, *wrong, "--quiet").err
    assert snapshot(protected.keystore) == before


def test_result_comes_before_three_wrong_passphrases(protected, terminal, code_file):
    run = terminal("backup", "check", code_file)
    run.expect(PASSWORD)
    run.send(CODE_PASSWORD.decode())
    run.expect(OPENS)
    for _ in range(3):
        run.expect(PASSPHRASE_ASKED)
        run.send("nopedinope")
    assert run.finish() == 0, run.text
    assert NOT_COMPARED in run.words


def test_end_of_input_at_the_passphrase(protected, terminal, check):
    run = terminal(*check)
    run.expect(OPENS)
    run.expect(PASSPHRASE_ASKED)
    run.press(b"\x04")
    assert run.finish() == 0, run.text
    assert "the key was not compared" in run.words


def test_unusable_keystore(keytool, check):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.keystore.chmod(0o755)
    assert NOT_COMPARED in keytool.ok(*check).err
    keytool.keystore.chmod(0o700)
    (keytool.keystore / "master.key").write_bytes(b"damaged")
    assert OPENS in keytool.ok(*check).out


def test_wrong_options_are_told_before_the_code_is_read(keytool, code_file, code_password, given):
    passphrase = given("passphrase", b"nopedinope")
    keytool.fails(64, "backup", "check", "absent", *passphrase, "--passphrase-fd", "0")
    keytool.fails(64, "backup", "check", "-", *code_password, "--passphrase-file", "-", stdin="x")
    keytool.fails(64, "backup", "check", code_file, "--backup-password-file", "-", "--passphrase-file", "-", stdin="x")


def test_a_wrong_code_proves_nothing(protected, code_file, given):
    protected.fails(12, "backup", "check", code_file, *given("backup-password", b"nopedinope"),
                    *given("passphrase", PASSPHRASE))
