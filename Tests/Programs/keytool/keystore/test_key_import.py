"""key import: an Android key file becomes the master key of an empty keystore."""

import os

import pytest

from kit import keyfiles, masterkey, identityfiles
from kit.known import CODE
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE, WRONG
from kit.processes.injection import Prefixed
from kit.processes.measured import Measured
from kit.runner import snapshot
from test_keyfiles import passphrase as published_passphrase
from test_keyfiles import vectors

ALL = {
    "v1": lambda key: keyfiles.wrap_v1(key),
    "v1-scrypt": lambda key: keyfiles.wrap_v1(key, PASSPHRASE),
    "v2": lambda key: keyfiles.wrap_v2(key),
    "v2-argon2id": lambda key: keyfiles.wrap_v2(key, PASSPHRASE, 8, 1),
}
PROTECTED = ["v1-scrypt", "v2-argon2id"]
KEY = bytes(range(100, 132))
layouts = pytest.mark.parametrize("layout", ALL)


@pytest.fixture(params=["missing", "empty", "made and emptied"])
def empty(request, keytool, tmp_path):
    """A keystore without identities."""
    if request.param == "missing":
        return keytool.with_keystore(tmp_path / "missing")
    if request.param == "made and emptied":
        keytool.ok("id", "create", "--id", "ABCD1234")
        keytool.ok("id", "remove", "ABCD1234", "--yes")
    return keytool


@pytest.fixture
def key_file(write):
    return lambda layout: write("key.dat", ALL[layout](KEY))


@pytest.fixture
def passphrase(given):
    return given("passphrase", PASSPHRASE)


@pytest.mark.parametrize("content, is_code", [
    (CODE.encode(), True), (CODE.lower().replace("-", " ").encode() + b"\n", True), (CODE[:-1].encode(), False),
    (b"<?xml version='1.0'?><svg></svg>", False), (b"\x99\x88" * 100, False)],
    ids=["code", "code in another form", "part of a code", "drawing", "chance"])
def test_file_that_is_no_key_file(keytool, write, content, is_code):
    """Its first letters are not shown as a version."""
    file = write("file", content)
    refused = keytool.fails(64 if is_code else 65, "key", "import", file)
    words = "contains an identity, not a master key" if is_code else "is not a master key of the Android app"
    assert f"error: {file} {words}\n" in refused.err
    assert (f"hint: keytool backup import {file}\n" in refused.err) == is_code


ELSEWHERE = "hint: on that phone, make an ID backup, a data backup or a Safe: keytool backup import, keytool safe pull\n"


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


@pytest.mark.parametrize("content, is_sealed", [
    (field(1, b"ms-master-key-a") + field(2, bytes(12)) + field(3, bytes(60)), True),
    (field(2, bytes(12)) + field(1, b"ms-master-key-b") + field(3, bytes(60)), True),
    (field(1, b"ms-master-key-a") + field(2, bytes(16)) + field(3, bytes(60)), False),
    (field(1, b"ms-master-key-a") + field(2, bytes(12)) + field(3, bytes(16)), False),
    (field(1, b"ms-master-key-a") + field(2, bytes(12)) + b"\x18\x01", False)],
    ids=["sealed", "another order", "another nonce", "nothing sealed", "of the Desktop app"])
def test_a_key_file_that_opens_on_its_phone_only(empty, write, content, is_sealed):
    """The Android app's since 6.4."""
    refused = empty.fails(65, "key", "import", write("enc_master_key_v2.dat", content))
    words = "error: the key file is sealed with a key of the phone, which never leaves it\n"
    assert ((words in refused.err), (ELSEWHERE in refused.err)) == (is_sealed, is_sealed)


def test_a_value_of_the_android_app(empty, write, key_file):
    """Encrypted with the master key, without a structure of its own: its name says what it is."""
    for content in bytes(64), b"\x0a" + bytes(63), os.urandom(64):
        file = write(".crs-private_key", content)
        refused = empty.fails(65, "key", "import", file)
        assert f"error: {file} seems to be a value that the Android app has sealed with its master key; keytool does " \
            "not read it\n" in refused.err
        assert ELSEWHERE.replace("that", "the") in refused.err


@layouts
def test_into_a_keystore_without_identities(empty, key_file, passphrase, layout):
    file = key_file(layout)
    if layout not in PROTECTED:
        before = snapshot(empty.keystore, without=()) if empty.keystore.exists() else None
        empty.fails(12, "key", "import", file, *passphrase)
        assert (snapshot(empty.keystore, without=()) if empty.keystore.exists() else None) == before
        passphrase = []
    done = empty.json("key", "import", file, *passphrase)
    assert (done["command"], done["format"], done["stored"]) == ("key import", "android", True)
    stored = masterkey.file(empty)
    if layout in PROTECTED:
        assert (done["protection"], done["weak"]) == ("passphrase", False)
        assert (stored.read_bytes() == file.read_bytes()) == (layout == "v1-scrypt"), "a weak cost is not kept"
        assert masterkey.read(empty, PASSPHRASE) == KEY
    else:
        assert done["protection"] == "none"
        assert stored.read_bytes() == keyfiles.wrap_v2(KEY), "in the present layout"
    assert stored.stat().st_mode & 0o7777 == 0o600
    assert empty.keystore.stat().st_mode & 0o7777 == 0o700
    made = empty.json("id", "create", "--id", "ZZZZ9999", *passphrase)
    assert made["protection"] == done["protection"]
    # What is sealed from now on is sealed with that key, and not by chance with another.
    assert identityfiles.opened(identityfiles.path(empty.keystore, "ZZZZ9999", "identity"), KEY)
    assert empty.json("id", "show", *passphrase)["public_key"] == made["public_key"]
    assert not [path for path in empty.keystore.rglob(".*")]


MIB = 1024


@pytest.mark.parametrize("memory_kib, passes, is_kept", [
    (8, 1, False), (127 * MIB, 9, False), (128 * MIB, 7, False), (64 * MIB, 64, False), (512 * MIB, 1, False),
    (128 * MIB, 8, True), (256 * MIB, 4, True), (128 * MIB, 9, True)])
def test_a_weak_cost_is_raised_to_ours(keytool, write, passphrase, memory_kib, passes, is_kept):
    """A foreign file would otherwise decide what a guess at the keystore's passphrase costs."""
    content = keyfiles.wrap_v2(KEY, PASSPHRASE, memory_kib, passes)
    file = write("key.dat", content)
    checked = keytool.json("key", "import", "--check", file, *passphrase)
    assert checked["weak"] == (not is_kept)
    done = keytool.ok("key", "import", file, *passphrase)
    stored = masterkey.file(keytool).read_bytes()
    assert (stored == content) == is_kept
    assert ("weak" in done.err) == (not is_kept), done
    if not is_kept:
        assert "128 MiB, 8 passes" in done.out
        memory, cost, salt = keyfiles.cost(stored)
        assert (memory, cost, len(salt)) == (131_072, 8, 16)
    assert masterkey.read(keytool, PASSPHRASE) == KEY


def test_a_weak_cost_and_no_memory_for_ours(keytool, write, passphrase):
    """Nothing is stored then: not the weak file either."""
    file = write("key.dat", keyfiles.wrap_v2(KEY, PASSPHRASE, **keyfiles.LEAST_COST))
    limited = Prefixed(keytool, "prlimit", f"--as={120 << 20}")
    limited.fails(71, "key", "import", file, *passphrase)
    assert list(keytool.keystore.iterdir()) == []


@vectors("masterkey_v1", "mk-v1-unprotected", "mk-v1-passphrase", "mk-v1-gen-zero")
def test_published_v1(keytool, given, write, vector):
    takes_published(keytool, given, write, vector)


@vectors("masterkey_v2", "mk-v2-unprotected", "mk-v2-gen-test", "mk-v2-gen-zero")
def test_published_v2(keytool, given, write, vector):
    takes_published(keytool, given, write, vector)


def takes_published(keytool, given, write, vector):
    file = write("key.dat", bytes.fromhex(vector["inputs"]["file_hex"]))
    passphrase = published_passphrase(vector)
    keytool.ok("key", "import", file, *(given("passphrase", passphrase) if passphrase else []))
    assert masterkey.read(keytool, passphrase).hex() == vector["expected"]["master_key"]


@layouts
def test_check_stores_nothing(keytool, tmp_path, key_file, passphrase, layout):
    missing = keytool.with_keystore(tmp_path / "missing")
    done = missing.json("key", "import", "--check", key_file(layout), *passphrase)
    assert done["stored"] is False
    assert not missing.keystore.exists()
    keytool.ok("id", "create", "--id", "ABCD1234")
    before = snapshot(keytool.keystore, without=())
    assert "opens" in keytool.ok("key", "import", "--check", key_file(layout), *passphrase).out
    assert snapshot(keytool.keystore, without=()) == before


@layouts
def test_elsewhere(keytool, key_file, passphrase, layout):
    """A keystore with identities keeps the key that opens them."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    before = snapshot(keytool.keystore)
    passphrase = passphrase if layout in PROTECTED else []
    result = keytool.fails(17, "key", "import", key_file(layout), *passphrase)
    assert str(keytool.keystore) in result.err
    assert snapshot(keytool.keystore) == before


def refused(keytool, code, *command):
    before = snapshot(keytool.keystore)
    result = keytool.fails(code, "key", "import", *command)
    assert snapshot(keytool.keystore) == before
    return result


@pytest.mark.parametrize("layout", PROTECTED)
def test_passphrases(keytool, key_file, given, layout):
    """The file's own option, else the keystore's: the file keeps its passphrase."""
    file = key_file(layout)
    wrong, right = given("passphrase", WRONG), given("file-passphrase", PASSPHRASE)
    assert "--file-passphrase-file" in refused(keytool, 16, file).err
    for options in (wrong, ["--check", *wrong]):
        assert "damaged" in refused(keytool, 12, file, *options).err
    keytool.ok("key", "import", file, *right, *wrong)
    assert masterkey.read(keytool, PASSPHRASE) == KEY


def test_the_option_serves_where_credentials_are_for_others(keytool, key_file, tmp_path, given):
    """Under systemd there always is a directory of credentials: an empty one is no source."""
    service = keytool.with_environment(CREDENTIALS_DIRECTORY=tmp_path)
    file = key_file("v2-argon2id")
    service.ok("key", "import", "--check", file, *given("passphrase", PASSPHRASE))
    (tmp_path / "keytool.file-passphrase").write_bytes(PASSPHRASE)
    service.ok("key", "import", "--check", file, *given("passphrase", NEW_PASSPHRASE))
    (tmp_path / "keytool.file-passphrase").write_bytes(WRONG)
    service.fails(12, "key", "import", "--check", file)


@vectors("masterkey_v1", "mk-v1-neg-type1", "mk-v1-neg-short", "mk-v1-neg-unprot-corrupt")
def test_refused_v1(keytool, write, passphrase, vector):
    refused(keytool, 65, write("key.dat", bytes.fromhex(vector["inputs"]["file_hex"])), *passphrase)


@vectors("masterkey_v2", "mk-v2-remote-secret-structure", "mk-v2-gen-neg-version")
def test_refused_v2(keytool, write, passphrase, vector):
    refused(keytool, 65, write("key.dat", bytes.fromhex(vector["inputs"]["file_hex"])), *passphrase)


@pytest.mark.parametrize("content", [
    b"", b"\0", b"\n", b"hello", bytes(44), bytes(45), b"\x0a", b"\x0a\xff\xff\xff\xff\x0f",
    b"\x12\0\x0a\0", b"\xff" * 200, b"\x0a" * 5000, os.urandom(300)], ids=lambda c: str(len(c)))
def test_garbage(keytool, write, passphrase, content, tmp_path):
    measured = Measured(keytool, tmp_path / "report")
    for options in ([], ["--check"]):
        refused(measured, 65, write("garbage", content), *passphrase, *options)
    assert measured.mebibytes < 32


def test_files_that_cannot_be_read(keytool, write, passphrase, tmp_path):
    refused(keytool, 66, tmp_path / "absent", *passphrase)
    refused(keytool, (66, 74), tmp_path, *passphrase)
    refused(keytool, 65, "/dev/zero", *passphrase)
    refused(keytool, 65, write("long", keyfiles.wrap_v2(KEY) + bytes(16 * 1024)), *passphrase)
    refused(keytool, 64)


@pytest.mark.parametrize("options", [[], ["--check"]], ids=["import", "check"])
def test_a_passphrase_for_a_file_without_one(keytool, write, given, options):
    """Somebody may have put another file in its place."""
    file = write("plain", keyfiles.wrap_v2(KEY))
    for kind in ("file-passphrase",) if options else ("passphrase", "file-passphrase"):
        refused(keytool, 12, file, *options, *given(kind, PASSPHRASE))


def test_somebody_elses_file_named_keystore(keytool, key_file):
    """A Java keystore, say."""
    (keytool.keystore / "keystore").write_bytes(b"\xfe\xed\xfe\xed")
    (keytool.keystore / "keystore").chmod(0o600)
    refused(keytool, 17, key_file("v2"))
