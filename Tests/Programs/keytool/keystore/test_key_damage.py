"""master.key that is no key file of a known kind, or is damaged, or is no file of ours: refused,
and nothing is sealed."""

import os

import pytest

from kit import keyfiles, masterkey, oracle
from kit.damage import flipped
from kit.masterkey import PASSPHRASE, Replaced
from kit.runner import Keytool, on_two_processors
from test_keyfiles import vectors


@pytest.fixture
def replaced(keytool, given):
    return Replaced(keytool, given("passphrase", PASSPHRASE))


@vectors("masterkey_v2", "mk-v2-remote-secret-structure")
def test_remote_secret(replaced, vector):
    file = bytes.fromhex(vector["inputs"]["file_hex"])
    replaced.by(file).is_refused(65, "remote secret")
    # Below a passphrase it is seen only after that is opened.
    secret_key = keyfiles.argon2id(PASSPHRASE, bytes(16), 8, 1)
    encrypted = keyfiles.encrypt(keyfiles.fields(file[2:])[1], secret_key)
    replaced.by(keyfiles.outer(bytes(16), 8, 1, encrypted)).is_refused(65, "remote secret")


@pytest.mark.parametrize("version", [1, 2, 256, 65535])
def test_unknown_versions(replaced, version):
    words, number = f"version {version}, which is not supported", version.to_bytes(2, "little")
    inner = keyfiles.message((1, replaced.key))
    middle = keyfiles.message((1, b"\0\0" + inner))
    replaced.by(number + replaced.good[2:]).is_refused(65, words)
    replaced.by(keyfiles.versioned((1, number + middle))).is_refused(65, words)
    replaced.by(keyfiles.versioned((1, b"\0\0" + keyfiles.message((1, number + inner))))
                ).is_refused(65, words)


@pytest.mark.parametrize("version", [1, 77])
def test_unknown_versions_of_the_derivation(replaced, version):
    argon = keyfiles.argon(keyfiles.wrap_v2(replaced.key, PASSPHRASE, 8, 1))
    replaced.by(keyfiles.versioned((2, keyfiles.message((1, version), *argon.items())))
                ).is_refused(65, f"version {version}, which is not supported")


def test_unknown_protection(replaced):
    content = keyfiles.wrap_v1(replaced.key)
    replaced.by(b"\1" + content[1:]).is_refused(65, "protection type 1")
    replaced.by(b"\3" + content[1:]).is_refused(65)


def test_other_files(replaced):
    identity = oracle.Identity("ABCD1234", bytes(32))
    for content in (b"", b"\0", b"\0\0", bytes(45), bytes(44), bytes(32), b"\n" * 45,
                    keyfiles.seal_desktop(identity, PASSPHRASE), b"\0" + os.urandom(43) + b"\xff",
                    bytes(16 * 1024 + 1), keyfiles.wrap_v2(b"short"),
                    keyfiles.wrap_v2(bytes(33)), keyfiles.wrap_v2(bytes(33), PASSPHRASE, 8, 1)):
        replaced.by(content).is_refused(65)


def test_key_of_another_keystore(replaced):
    """A sound file, a right passphrase, and yet not the key of these records."""
    replaced.by(keyfiles.wrap_v2(os.urandom(32), PASSPHRASE, 8, 1)).is_refused(65)
    replaced.by(keyfiles.wrap_v1(os.urandom(32))).is_refused(65)


# Damage, bit by bit


@pytest.fixture
def pair(built, tmp_path, given):
    keystores = [tmp_path / "one", tmp_path / "two"]
    for keystore in keystores:
        keystore.mkdir(mode=0o700)
    passphrase = given("passphrase", PASSPHRASE)
    return [Replaced(Keytool(tmp_path, keystore), passphrase) for keystore in keystores]


def refused_all(pair, wrap, codes, changes):
    """Both to be read and to be sealed with; it was the damage, and only the damage."""

    def work(replaced, share):
        good = wrap(replaced.key)
        for change in share:
            replaced.by(change(good)).is_refused(codes)
        replaced.by(good)
        replaced.keytool.ok("id", "show", *replaced.fitting)

    on_two_processors(work, pair, changes)


def damage(size, step=1):
    flips = [lambda good, n=n: flipped(good, n) for n in range(0, 8 * size, step)]
    return flips + [lambda good, n=n: good[:n] for n in range(0, size, step)]


def test_damaged_first_layout(pair):
    """Every other bit; the second layout has a test of its own, where keystores are damaged.

    One bit says that there is a passphrase; then it is a wrong one.
    """
    refused_all(pair, keyfiles.wrap_v1, (65, 12), [*damage(45, 2), lambda good: flipped(good, 1)])


def test_damaged_under_a_passphrase(pair):
    """Every seventh bit; the format cannot tell damage from a wrong passphrase."""
    size = len(keyfiles.wrap_v2(bytes(32), PASSPHRASE, 8, 1))
    refused_all(pair, lambda key: keyfiles.wrap_v2(key, PASSPHRASE, 8, 1), (65, 12),
                damage(size, 7))


def test_damaged_under_scrypt(pair):
    refused_all(pair, lambda key: keyfiles.wrap_v1(key, PASSPHRASE, bytes(8)), (65, 12),
                damage(45, 61))


# Not a file of ours


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_file_of_somebody_else(replaced):
    os.chown(masterkey.file(replaced.keytool), 65534, 65534)
    replaced.is_refused(77, "nobody")


@pytest.mark.parametrize("command", [
    ["key", "status"], ["key", "protect"], ["key", "unprotect", "--yes"]])
def test_links_and_fifos(replaced, tmp_path, command):
    """The commands that only look at that file, or replace it, are as strict."""
    where, elsewhere = masterkey.file(replaced.keytool), tmp_path / "elsewhere"
    if command[-1] == "protect":
        command = [*command, *replaced.passphrase]
    os.link(where, elsewhere)
    replaced.keytool.fails(77, *command)
    where.unlink()
    where.symlink_to(elsewhere)
    replaced.keytool.fails(77, *command)
    where.unlink()
    os.mkfifo(where, 0o600)
    replaced.keytool.fails(77, *command, timeout=60)
    assert elsewhere.read_bytes() == replaced.good


@pytest.mark.parametrize("plant", ["symlink", "hard link", "fifo", "file"])
def test_what_stands_at_the_temporary_name(replaced, tmp_path, plant):
    """Never written through: the new file is another one."""
    planted, outside = replaced.keytool.keystore / ".master.key.new", tmp_path / "outside"
    outside.write_bytes(b"untouched")
    if plant == "symlink":
        planted.symlink_to(outside)
    elif plant == "hard link":
        os.link(outside, planted)
    elif plant == "fifo":
        os.mkfifo(planted)
    else:
        planted.write_bytes(b"left")
    replaced.keytool.ok("key", "protect", "--scheme", "scrypt", *replaced.passphrase, timeout=60)
    assert outside.read_bytes() == b"untouched" and outside.stat().st_nlink == 1
    assert not os.path.lexists(planted)
    assert masterkey.read(replaced.keytool, PASSPHRASE) == replaced.key
