"""key protect, passwd, unprotect, status: only the wrapping of the master key changes."""

import pytest

from kit import keyfiles, masterkey
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE, WRONG
from kit.runner import snapshot

SCHEMES = {
    "argon2id": {"protection": "passphrase", "scheme": "argon2id", "memory_kib": 131_072,
                 "iterations": 8, "weak": False},
    "scrypt": {"protection": "passphrase", "scheme": "scrypt", "memory_kib": 65_536, "weak": False},
}
WORDS = {"argon2id": "Argon2id, 128 MiB, 8 passes", "scrypt": "scrypt, 64 MiB"}
schemes = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.fixture
def made(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")


@pytest.fixture
def passphrase(given):
    return given("passphrase", PASSPHRASE)


@pytest.fixture
def new_passphrase(given):
    return given("new-passphrase", NEW_PASSPHRASE)


def opens_with_only(keytool, made, write, right, *wrong):
    for one in wrong:
        result = keytool.fails(12, "id", "show", "--passphrase-file", write("try", one))
        assert "damaged" in result.err, "the format cannot tell the two apart"
    keytool.fails(16, "id", "show")
    shown = keytool.json("id", "show", "--passphrase-file", write("try", right))
    assert shown["public_key"] == made["public_key"]


def is_as_documented(file, scheme):
    assert file.stat().st_mode & 0o7777 == 0o600 and file.stat().st_nlink == 1
    content = file.read_bytes()
    if scheme == "scrypt":
        assert (len(content), content[0]) == (45, 2)
        return
    memory, passes, salt = keyfiles.cost(content)
    assert (memory, passes, len(salt)) == (131_072, 8, 16)
    # Exactly the app's bytes: rebuilt from what was drawn, it is the same file.
    drawn = keyfiles.fields(keyfiles.argon(content)[6])
    key = keyfiles.unwrap(content, PASSPHRASE)
    assert keyfiles.wrap_v2(key, PASSPHRASE, salt=salt, nonce=drawn[1]) == content


@schemes
def test_protect(keytool, made, passphrase, write, scheme):
    key, before = masterkey.read(keytool), masterkey.others(keytool)
    document = keytool.json("key", "protect", "--scheme", scheme, *passphrase)
    assert document == {"schema": "keytool/1", "command": "key protect", **SCHEMES[scheme]}
    assert masterkey.read(keytool, PASSPHRASE) == key
    assert masterkey.others(keytool) == before
    is_as_documented(masterkey.file(keytool), scheme)
    opens_with_only(keytool, made, write, PASSPHRASE, WRONG)


def test_argon2id_is_what_is_taken(keytool, made, passphrase):
    assert keytool.json("key", "protect", *passphrase)["scheme"] == "argon2id"


@pytest.mark.parametrize("options", [[], ["--scheme", "scrypt"]], ids=str)
def test_passwd_refuses_the_same_one(keytool, made, passphrase, given, options):
    masterkey.rewrap(keytool)
    before = snapshot(keytool.keystore)
    same = given("new-passphrase", PASSPHRASE)
    refused = keytool.fails(64, "key", "passwd", *options, *passphrase, *same)
    assert "the new passphrase is the same as the current one" in refused.err
    assert snapshot(keytool.keystore) == before
    # Whether it is the same is said to nobody who does not know it.
    keytool.fails(12, "key", "passwd", *options, "--passphrase-file", given("backup-password", WRONG)[1], *same)


@pytest.mark.parametrize("old, scheme", [
    (keyfiles.wrap_v1, "argon2id"), (keyfiles.wrap_v1, "scrypt"), (keyfiles.wrap_v2, "scrypt")],
    ids=["v1-argon2id", "v1-scrypt", "v2-scrypt"])
def test_passwd(keytool, made, passphrase, new_passphrase, write, scheme, old):
    key = masterkey.read(keytool)
    cost = {} if old is keyfiles.wrap_v1 else keyfiles.LEAST_COST
    masterkey.file(keytool).write_bytes(old(key, PASSPHRASE, **cost))
    before = masterkey.others(keytool)
    document = keytool.json("key", "passwd", "--scheme", scheme, *passphrase, *new_passphrase)
    assert document == {"schema": "keytool/1", "command": "key passwd", **SCHEMES[scheme]}
    assert masterkey.read(keytool, NEW_PASSPHRASE) == key
    assert masterkey.others(keytool) == before
    opens_with_only(keytool, made, write, NEW_PASSPHRASE, PASSPHRASE)


def test_unprotect_in_words(keytool, made, passphrase):
    masterkey.file(keytool).write_bytes(keyfiles.wrap_v1(masterkey.read(keytool), PASSPHRASE))
    shown = keytool.ok("key", "unprotect", "--yes", *passphrase).out
    assert shown == "the keystore has no passphrase now\n"


@pytest.mark.parametrize("old", [keyfiles.wrap_v1, keyfiles.wrap_v2], ids=["from v1", "from v2"])
def test_unprotect_always_writes_the_second_layout(keytool, made, passphrase, old):
    key = masterkey.read(keytool)
    cost = {} if old is keyfiles.wrap_v1 else keyfiles.LEAST_COST
    masterkey.file(keytool).write_bytes(old(key, PASSPHRASE, **cost))
    before = masterkey.others(keytool)
    document = keytool.json("key", "unprotect", "--yes", *passphrase)
    assert document == {"schema": "keytool/1", "command": "key unprotect", "protection": "none"}
    assert masterkey.file(keytool).read_bytes() == keyfiles.wrap_v2(key)
    assert masterkey.others(keytool) == before
    assert keytool.json("id", "show")["public_key"] == made["public_key"]


def test_the_same_passphrase_again_gives_other_files(keytool, made, given):
    masterkey.rewrap(keytool)
    found = set()
    for _ in range(3):
        for old, new in ((PASSPHRASE, NEW_PASSPHRASE), (NEW_PASSPHRASE, PASSPHRASE)):
            keytool.ok("key", "passwd", "--scheme", "scrypt", *given("passphrase", old), *given("new-passphrase", new))
        found.add(masterkey.file(keytool).read_bytes()[33:41])
    assert len(found) == 3


def test_in_words(keytool, made, passphrase, new_passphrase):
    """Each says what holds now, and what older copies of the directory still open with."""
    done = keytool.ok("key", "protect", *passphrase)
    assert WORDS["argon2id"] in done.out
    assert "older copies of the directory still open without a passphrase" in done.err
    masterkey.rewrap(keytool, old=PASSPHRASE)
    done = keytool.ok("key", "passwd", "--scheme", "scrypt", *passphrase, *new_passphrase)
    assert WORDS["scrypt"] in done.out
    assert "older copies of the directory still open with the old passphrase" in done.err
    done = keytool.ok("key", "unprotect", "--yes", "--passphrase-file", new_passphrase[1])
    assert "the keystore has no passphrase now" in done.out
    assert "older copies of the directory still open only with the old passphrase" in done.err


def test_quiet(keytool, made, passphrase):
    done = keytool.ok("key", "protect", "--scheme", "scrypt", "-q", *passphrase)
    assert (done.out, done.err) == ("", "")


def test_status_needs_no_passphrase(keytool, made):
    key, where = masterkey.read(keytool), masterkey.file(keytool)
    for wrapped, expected, words in (
            (keyfiles.wrap_v2(key), {"protection": "none"}, "not protected by a passphrase"),
            (keyfiles.wrap_v1(key), {"protection": "none"}, "not protected by a passphrase"),
            (keyfiles.wrap_v1(key, PASSPHRASE), SCHEMES["scrypt"], WORDS["scrypt"]),
            (keyfiles.wrap_v2(key, PASSPHRASE), SCHEMES["argon2id"], WORDS["argon2id"])):
        where.write_bytes(wrapped)
        before = snapshot(keytool.keystore)
        document = keytool.json("key", "status")
        assert {**document, **expected} == document
        assert document["unlocked"] == (expected["protection"] == "none")
        assert document["file"] == str(where)
        assert words in keytool.ok("key", "status").out
        assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("cost, words", [
    ({"memory_kib": 8, "passes": 1}, "Argon2id, 8 KiB, 1 pass)"),
    ({"memory_kib": 131_072, "passes": 7}, "Argon2id, 128 MiB, 7 passes)")])
def test_status_and_doctor_say_that_a_cost_is_weak(keytool, made, passphrase, new_passphrase, cost, words):
    masterkey.rewrap(keytool, **cost)
    status = keytool.json("key", "status")
    assert (status["memory_kib"], status["iterations"], status["weak"]) == (*cost.values(), True)
    shown = keytool.ok("key", "status")
    assert words + ", weak" in shown.out and "key passwd" in shown.err
    found = {check["check"]: check for check in keytool.json("doctor", *passphrase)["checks"]}["protection"]
    assert found["result"] == "warning" and "weak" in found["detail"]
    keytool.ok("key", "passwd", *passphrase, *new_passphrase)
    assert keytool.json("key", "status")["weak"] is False
    found = {check["check"]: check for check in keytool.json("doctor")["checks"]}["protection"]
    assert (found["result"], "weak" in found["detail"]) == ("ok", False)
    assert "weak" not in keytool.ok("key", "status").out


# What is refused


def refused(keytool, code, *command, **options):
    before = snapshot(keytool.keystore)
    result = keytool.fails(code, "key", *command, **options)
    assert snapshot(keytool.keystore) == before
    return result


def test_what_is_protected_is_not_protected_again(keytool, made, passphrase, new_passphrase):
    masterkey.rewrap(keytool)
    assert "key passwd" in refused(keytool, 17, "protect", *passphrase).err
    refused(keytool, 12, "passwd", "--passphrase-file", new_passphrase[1], *new_passphrase)
    refused(keytool, 12, "unprotect", "--yes", "--passphrase-file", new_passphrase[1])


def test_what_is_not_protected(keytool, made, passphrase, new_passphrase):
    assert "key protect" in refused(keytool, 10, "passwd", *new_passphrase).err
    before = snapshot(keytool.keystore)
    for command in (["unprotect"], ["unprotect", "--yes"], ["unlock"]):
        assert keytool.json("key", *command)["protection"] == "none"
    assert snapshot(keytool.keystore) == before


def test_unprotect_wants_a_yes(keytool, made, passphrase):
    masterkey.rewrap(keytool)
    assert "--yes" in refused(keytool, 64, "unprotect", *passphrase).err
    refused(keytool, 64, "unprotect", "--no-input", *passphrase)


def test_where_there_is_no_keystore(keytool, passphrase, new_passphrase):
    for command in (["status"], ["protect", *passphrase], ["passwd", *passphrase, *new_passphrase],
                    ["unprotect", "--yes"], ["unlock", *passphrase], ["lock"]):
        refused(keytool, 10, *command)


@pytest.mark.parametrize("scheme", ["Argon2id", "pbkdf2", ""])
def test_other_schemes(keytool, made, passphrase, scheme):
    refused(keytool, 64, "protect", "--scheme", scheme, *passphrase)
