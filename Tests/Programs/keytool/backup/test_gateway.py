"""The key of a Gateway ID and its API secret: in by backup import, out by backup export and id show; the command line of
threema.gateway as the judge."""

import os
import random
import subprocess

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD
from kit.runner import REPOSITORY, snapshot
from kit.sampling import TRIES_ALL

ID = "*TESTGW1"
# Keys of the SDKs' own tests, which everybody knows.
KEY = "94af3260fa2a19adc8e82e82be598be15bc6ad6f47c8ee303cb185ef860e16d2"
PUBLIC = "3851ad59c96146a05b32e41c0ccd0fd639dc8cd66bf6e1cbd3c8d67e4e8f5531"
PEER = "8318e05220acd38e97ba41a9a6318688214219916075ca060f9339a6d1f7fc29"
PEER_PUBLIC = "10ac7fd937eafb806f9a05bf9afa340a99387b0063cc9cb0d1ea5505d39cc076"
NONCE = bytes(range(24)).hex()
BOX = "c037efb329dfd7a83b3d97433fcf7cf02af3105ca7014729447cb948672edb533db28f13b99f996dd2f3c4f78aea15b7"
TEXT = f"private:{KEY}\n"
SECRET = b'api"Secret\\0123'


def gateway(*arguments, stdin=None):
    program = REPOSITORY / ".build/gateway/bin/threema-gateway"
    assert program.exists(), f"{program} is missing: Scripts/set-up test"
    done = subprocess.run([program, *map(str, arguments)], input=stdin, text=True, check=True, capture_output=True,
                          timeout=60)
    return done.stdout.strip()


@pytest.fixture
def secret(given):
    return given("gateway-secret", SECRET)


@pytest.fixture
def key(write):
    return write("bot.private", TEXT)


def test_in_and_out(keytool, key, secret, tmp_path):
    done = keytool.ok("backup", "import", key, "--id", ID, *secret)
    assert f"imported {ID}" in done.out and "API secret  stored" in done.out and "keytool id fetch '*TESTGW1'" in done.err
    assert KEY not in done.out + done.err and SECRET.decode() not in done.out + done.err
    shown = keytool.json("id", "show", ID)
    assert (shown["public_key"], shown["has_gateway_secret"]) == (PUBLIC, True)
    assert keytool.ok("id", "show", ID, "--reveal-gateway-secret").out == SECRET.decode() + "\n"
    assert keytool.json("id", "show", ID, "--reveal-gateway-secret")["gateway_secret"] == SECRET.decode()
    out = tmp_path / "out.private"
    done = keytool.ok("backup", "export", ID, "--format", "gateway", "--reveal-private-key", "-o", out)
    assert out.read_text() == TEXT and out.stat().st_mode & 0o777 == 0o600 and "anyone who has the file" in done.err
    assert gateway("derive", out) == f"public:{PUBLIC}"
    assert SECRET not in b"".join(each.read_bytes() for each in keytool.keystore.rglob("*") if each.is_file())


def test_a_restore_without_the_secret(keytool, key, secret):
    """The bot cannot send without it."""
    assert "has no API secret: keytool backup import" in keytool.ok("backup", "import", key, "--id", ID).err
    keytool.ok("id", "remove", ID, "--yes")
    assert "has no API secret" not in keytool.ok("backup", "import", key, "--id", ID, *secret).err


def test_a_key_that_others_can_read(keytool, write):
    for mode, warns in (0o600, False), (0o644, True):
        for verb in "check", "import":
            done = keytool.ok("backup", verb, write("bot.private", TEXT, mode), "--id", ID)
            assert ("bot.private can be read by others" in done.err) == warns, done.err
        keytool.ok("id", "remove", ID, "--yes")


def test_the_program_opens_messages_with_an_exported_key(keytool, write, tmp_path):
    """A box that the SDKs have sealed, and one that the program seals with the file."""
    keytool.ok("backup", "import", write("peer", f"PRIVATE: {PEER.upper()}\r\n"), "--id", "*PEERGW1")
    out = tmp_path / "out"
    keytool.ok("backup", "export", "--format", "gateway", "--reveal-private-key", "-o", out)
    assert gateway("decrypt", out, f"public:{PUBLIC}", NONCE, BOX) == "Hi!"
    nonce, box = gateway("encrypt", write("key", TEXT), f"public:{PEER_PUBLIC}", "Grüße").split()
    assert gateway("decrypt", out, f"public:{PUBLIC}", nonce, box) == "Grüße"


def test_keys_that_the_program_makes(keytool, write, tmp_path):
    for number in range(200 if TRIES_ALL else 3):
        private, public = tmp_path / f"{number}.private", tmp_path / f"{number}.public"
        gateway("generate", private, public)
        private.chmod(0o600)
        opened = keytool.json("backup", "check", private, "--id", ID)
        assert f"public:{opened['public_key']}" == public.read_text().strip()
        public.chmod(0o600)
        assert keytool.fails(65, "backup", "import", public, "--id", ID).err.startswith("keytool: error: this is a public")


@pytest.mark.parametrize("content", [
    f"\n\n  private:{KEY.upper()}  \n\n", f"Private: {KEY}", KEY, KEY + "\r\n"], ids=["blanks", "capitals", "bare", "CR LF"])
def test_other_spellings(keytool, write, content):
    assert keytool.json("backup", "import", write("key", content), "--id", ID)["public_key"] == PUBLIC
    assert keytool.json("backup", "import", "-", "--id", ID, stdin=content)["stored"] is False


@pytest.mark.parametrize("content", [
    "private:", f"private:{KEY[:-1]}", f"private:{KEY}0", f"private:{KEY[:-1]}g", f"private:  {KEY}", f"public:{PUBLIC}",
    f"private:{KEY}\nprivate:{PEER}\n", f"private:{'0' * 64}", f"\ufeff\ufeffprivate:{KEY}", "", "private:" + "0" * 5000])
def test_what_is_no_key(keytool, tmp_path, write, content):
    missing = keytool.with_keystore(tmp_path / "missing")
    refused = missing.fails(65, "backup", "import", write("key", content), "--id", ID)
    assert KEY[:16] not in refused.err and not missing.keystore.exists()


def test_options(keytool, key, write, given, backup_password, tmp_path):
    assert "--id '*ABCDEFG'" in keytool.fails(64, "backup", "import", key).err
    assert f"hint: keytool backup import {key}\n" in keytool.fails(64, "key", "import", key).err
    assert KEY not in keytool.fails(64, "backup", "import", TEXT.strip(), "--id", ID).err
    keytool.fails(64, "backup", "import", key, "--id", ID, *given("file-passphrase", b"x"))
    keytool.fails(64, "backup", "import", key, "--id", ID, "--expect-check", "3UFR-LRKN")
    keytool.fails(19, "backup", "import", key, "--id", ID, "--expect-public-key", PEER_PUBLIC)
    for secret in (b"two words", b"\xc3\xa4", b"x" * 161):
        keytool.fails(64, "backup", "import", key, "--id", ID, *given("gateway-secret", secret))
    code = write("code", oracle.seal_code(oracle.Identity("ABCD1234", bytes(range(32))), BACKUP_PASSWORD))
    for command in ("import", "check"):
        assert "is a backup code, which contains its ID" in keytool.fails(
            64, "backup", command, code, "--id", ID, *backup_password).err
    assert "begins with *" in keytool.fails(
        64, "backup", "import", code, *backup_password, *given("gateway-secret", SECRET)).err
    assert keytool.json("id", "list")["identities"] == []
    keytool.ok("backup", "import", key, "--id", ID)
    out = tmp_path / "out"
    for arguments in (["--format", "gateway", "-o", out], ["--reveal-private-key", "-o", out],
                      ["--format", "gateway", "--reveal-private-key"],
                      ["--format", "gateway", "--reveal-private-key", "-o", out, "--qr"]):
        keytool.fails(64, "backup", "export", *arguments)
    assert not out.exists()
    assert "no API secret" in keytool.fails(10, "id", "show", "--reveal-gateway-secret").err


def test_held_already(keytool, key, write, secret, given):
    keytool.ok("backup", "import", key, "--id", ID)
    # The secret comes later, and stays if none is given.
    done = keytool.json("backup", "import", key, "--id", ID, *secret)
    assert (done["stored"], done["gateway_secret_stored"]) == (False, True)
    before = snapshot(keytool.keystore)
    assert keytool.json("backup", "import", key, "--id", ID)["gateway_secret_stored"] is False
    assert keytool.json("backup", "import", key, "--id", ID, *secret)["gateway_secret_stored"] is False
    other = given("gateway-secret", b"renewed")
    assert "holds another API secret" in keytool.fails(17, "backup", "import", key, "--id", ID, *other).err
    keytool.fails(17, "backup", "import", write("peer", PEER), "--id", ID)
    assert snapshot(keytool.keystore) == before
    keytool.ok("backup", "import", key, "--id", ID, "--replace", *other)
    assert keytool.ok("id", "show", "--reveal-gateway-secret").out == "renewed\n"
    keytool.ok("backup", "import", write("peer", PEER), "--id", ID, "--replace")
    assert keytool.json("id", "show")["public_key"] == PEER_PUBLIC
    assert keytool.ok("id", "show", "--reveal-gateway-secret").out == "renewed\n"


def test_a_damaged_secret_is_written_again_by_the_same_key_only(keytool, key, write, secret):
    keytool.ok("backup", "import", key, "--id", ID, *secret)
    record = next(keytool.keystore.rglob("gatewaysecret"))
    record.write_bytes(record.read_bytes()[:-1] + bytes([record.read_bytes()[-1] ^ 1]))
    hint = keytool.fails(65, "id", "show", "--reveal-gateway-secret").err
    assert "keytool backup import KEYFILE --id" in hint and "--replace" not in hint
    keytool.fails(17, "backup", "import", write("peer", PEER), "--id", ID, *secret)
    assert keytool.json("backup", "import", key, "--id", ID, *secret)["gateway_secret_stored"] is True
    assert keytool.ok("id", "show", "--reveal-gateway-secret").out == SECRET.decode() + "\n"


def test_codes_and_archives(keytool, key, secret, given, tmp_path, backup_password):
    keytool.ok("backup", "import", key, "--id", ID, *secret)
    code = keytool.json("backup", "export", *backup_password)["code"]
    assert oracle.open_code(code, BACKUP_PASSWORD) == oracle.Identity(ID, bytes.fromhex(KEY))
    archive, passphrase = tmp_path / "keys.age", given("archive-passphrase", b"Velvet-Harbour-28")
    keytool.ok("archive", "export", "-o", archive, *passphrase)
    other = keytool.with_keystore(tmp_path / "other")
    other.ok("archive", "import", archive, *passphrase)
    assert other.ok("id", "show", "--reveal-gateway-secret").out == SECRET.decode() + "\n"
    keytool.ok("archive", "check", archive, *passphrase)
    keytool.ok("backup", "import", key, "--id", ID, "--replace", *given("gateway-secret", b"renewed"))
    assert "gatewaysecret" in keytool("archive", "check", archive, *passphrase).out + keytool(
        "archive", "check", archive, *passphrase).err


def test_a_code_and_a_secret_are_stored_together_or_not_at_all(keytool, secret, given, write, backup_password):
    code = write("code", oracle.seal_code(oracle.Identity(ID, bytes.fromhex(KEY)), BACKUP_PASSWORD))
    done = keytool.json("backup", "import", code, *backup_password, *secret, "--no-passphrase")
    assert (done["stored"], done["gateway_secret_stored"]) == (True, True)
    assert any("code_proven_at" in path.read_text() for path in keytool.keystore.rglob("state.json"))
    keytool.ok("id", "remove", ID, "--yes")
    keytool.ok("backup", "import", write("key", TEXT), "--id", ID, *secret)
    before = snapshot(keytool.keystore)
    other = given("gateway-secret", b"renewed")
    assert "nothing was changed" in keytool.fails(17, "backup", "import", code, *backup_password, *other).err
    assert snapshot(keytool.keystore) == before


def test_a_backup_without_the_secret_says_so(keytool, key, secret, backup_password, tmp_path):
    code = tmp_path / "code"
    commands = (["backup", "export", "-o", code, *backup_password], ["backup", "split", "--shares", "2/2", "--reveal-shares"],
                ["backup", "kit", "-o", tmp_path / "kit.pdf", *backup_password])
    keytool.ok("backup", "import", key, "--id", ID)
    for command in commands:
        options = ["--force"] if command[1] != "split" else []
        assert "API secret" not in keytool.ok(*command, *options).err
    keytool.ok("backup", "import", key, "--id", ID, *secret)
    for command in commands:
        options = ["--force"] if command[1] != "split" else []
        assert f"warning: the API secret of {ID} is not in the" in keytool.ok(*command, *options, "--quiet").err
    # It comes back beside the code, at once or later.
    once, later = (keytool.with_keystore(tmp_path / name) for name in ("once", "later"))
    made = once.json("backup", "import", code, *backup_password, *secret, "--no-passphrase")
    assert (made["stored"], made["gateway_secret_stored"]) == (True, True)
    later.ok("backup", "import", code, *backup_password, "--no-passphrase")
    assert "--gateway-secret-file" in later.fails(10, "id", "show", "--reveal-gateway-secret").err
    assert "API secret  stored" in later.ok("backup", "import", code, *backup_password, *secret).out
    for other in (once, later):
        assert other.ok("id", "show", "--reveal-gateway-secret").out == SECRET.decode() + "\n"


def test_typed(keytool, key, terminal):
    process = terminal("backup", "import", key, "--id", ID, "--no-passphrase", runner=keytool)
    for question in (r"API secret for \*TESTGW1 \(Enter for none\): $", r"again: $"):
        process.expect(question)
        process.send(SECRET.decode())
    assert process.finish() == 0, process.text
    assert keytool.ok("id", "show", "--reveal-gateway-secret").out == SECRET.decode() + "\n"


def test_damage(keytool, write):
    """No trap, and no piece of the key in a message."""
    draw = random.Random(39)
    for _ in range(1000 if TRIES_ALL else 60):
        changed = bytearray(TEXT.encode())
        for _ in range(draw.randrange(1, 4)):
            changed[draw.randrange(len(changed))] = draw.randrange(256)
        done = keytool("backup", "check", write("key", bytes(changed)), "--id", ID)
        assert done.code in (0, 65) and KEY[8:24] not in done.out + done.err, done


def test_the_private_key_file_of_the_android_app(keytool, write):
    for command in (("key", "import"), ("backup", "import")):
        refused = keytool.fails(65, *command, write(".crs-private_key", os.urandom(64)))
        assert "a value that the Android app has sealed with its master key" in refused.err


def test_a_master_key_is_sent_to_key_import(keytool, write):
    from kit import keyfiles
    for content in (keyfiles.wrap_v2(bytes(range(32))), keyfiles.wrap_v1(bytes(range(32)))):
        file = write("master_key.dat", content)
        assert f"hint: keytool key import {file}\n" in keytool.fails(64, "backup", "import", file).err


def test_a_path_is_read_as_it_is(keytool, write, tmp_path):
    """With --id, a pipe is a file, and what cannot be read is said."""
    reading, writing = os.pipe()
    os.write(writing, TEXT.encode())
    os.close(writing)
    try:
        done = keytool.json("backup", "import", f"/dev/fd/{reading}", "--id", ID, "--no-passphrase", pass_fds=[reading])
    finally:
        os.close(reading)
    assert done["public_key"] == PUBLIC
    for command in ("import", "check"):
        assert "no such file" in keytool.fails(66, "backup", command, tmp_path / "absent", "--id", ID).err
        keytool.fails(66, "backup", command, tmp_path, "--id", ID)
        keytool.fails(65, "backup", command, write("long", b"0" * 5_000_000), "--id", ID)
