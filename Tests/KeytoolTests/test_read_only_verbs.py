"""Every verb of every messenger on a keystore that cannot be written: those that only read do what they do elsewhere,
all others refuse with one sentence, and nothing changes."""

import time

import pytest

from kit import archives, masterkey, sessions, sophax, telegram, textsecure
from kit.archives import RECIPIENT
from kit.known import SAFE_PASSWORD
from kit.readonly import WAYS
from kit.runner import snapshot
from kit.telegramscenes import ONE

ID, OTHER = "ABCD1234", "WXYZ9876"
ALICE, BOB = sophax.peer_id(sophax.ALICE), sophax.peer_id(sophax.BOB)
MEMBER, PEER = "1" * 32, "ECHOECHO"
KEY = "4a6a1b34dcef15d43cb74de2fd36091be99fbbaf126d099d47d83d919712c72b"
TO = ("--recipient", RECIPIENT)
REFUSED = {"medium": 74, "permission": 77}


@pytest.fixture
def files(write, tmp_path):
    """Paths by name; `out` is where results go."""
    contents = {
        "agekey": archives.IDENTITY + "\n", "safe-password": SAFE_PASSWORD + b"\n", "pin": b"271828\n",
        "new-pin": b"314159\n", "password": b"Walnut-Ferry-4471\n", "value": b"secret",
        "account": archives.seal(sophax.account_text(sophax.ALICE)),
        "bundle": sophax.bundle(sophax.BOB, time.time() - sophax.EPOCH)}
    paths = {name: write(name, content) for name, content in contents.items()}
    telegram.tdata(tmp_path / "tdata", [ONE])
    return {**paths, "tdata": tmp_path / "tdata", "out": tmp_path / "out", "archive": tmp_path / "all.age"}


@pytest.fixture
def full(keytool, directory, files):
    """A keystore with identities of all messengers."""
    pin, safe_password = ("--pin-file", files["pin"]), ("--safe-password-file", files["safe-password"])
    for command in (
            ["id", "create", "--id", ID], ["id", "create", "--id", OTHER],
            ["safe", "setup", ID, "--create", "--server", directory.url, *safe_password],
            ["profile", "set", ID, "--nickname", "first"], ["safe", "push", ID],
            ["contact", "add", f"3mid:{PEER},{KEY}", "--identity", ID], ["safe", "push", "--force", ID],
            ["telegram", "import", files["tdata"]], ["mainkey", "init", *pin],
            ["textsecure", "init", "--number", textsecure.NUMBER],
            ["sophaxchat", "import", files["account"], "--identity", files["agekey"]],
            ["sophaxchat", "refill-prekeys"], ["sophaxchat", "set-pin", "--new-pin-file", files["pin"]]):
        keytool.ok(*command)
    group = sophax.group_record(members=[MEMBER])
    session = sophax.peer_record(sophax.BOB, [(1_767_225_600_000, 0, 1, sophax.ratchet(1, 0, 0))])
    sophax.put_group(keytool, group, **{BOB: session})
    sessions.create(keytool.keystore, masterkey.read(keytool), "threema", ID, {("session", b"ECHOECHO"): b"a chain"})
    keytool.ok("archive", "export", "-o", files["archive"], *TO)
    return keytool


def reading(files, code, directory):
    out, pin = ("-o", files["out"], "--force"), ("--pin-file", files["pin"])
    password = ("--backup-password-file", files["password"])
    key = ("--identity", files["agekey"])
    return [
        ["id", "list"], ["id", "show", ID], ["id", "show", f"sophaxchat/{ALICE}"], ["key", "status"], ["doctor"],
        ["backup", "export", ID, *password], ["backup", "check", code, *password],
        ["contact", "list", ID], ["profile", "show", ID], ["profile", "export", ID, *out],
        ["profile", "diff", "--identity", ID], ["qr", "contact", ID],
        ["safe", "status", "--all"], ["safe", "status", ID, "--remote"], ["safe", "check", ID], ["safe", "history", ID],
        ["safe", "check", ID, "--with-password", "--safe-password-file", files["safe-password"]],
        ["safe", "schedule", ID], ["safe", "server", ID], ["safe", "card", ID, files["out"].with_suffix(".svg"), "--force"],
        ["safe", "pull", ID, "--show"], ["safe", "pull", ID, *out], ["safe", "push", ID, "--dry-run"],
        ["telegram", "list"], ["telegram", "show"], ["telegram", "export", *out, *TO],
        ["textsecure", "list"], ["textsecure", "show"], ["textsecure", "fingerprint"], ["textsecure", "prekeys"],
        ["textsecure", "export", *out, *TO],
        ["textsecure", "request", "request-code", "--server", "https://textsecure.example", *out],
        ["sophaxchat", "list"], ["sophaxchat", "show"], ["sophaxchat", "show-prekeys"],
        ["sophaxchat", "safety", files["bundle"]], ["sophaxchat", "export", *out, *TO],
        ["sophaxchat", "export-bundle", *out], ["sophaxchat", "list-sessions"], ["sophaxchat", "show-session", BOB],
        ["sophaxchat", "show-group", "G"],
        ["mainkey", "status"], ["mainkey", "export", *out, *pin, *TO],
        ["mainkey", "seal-value", files["value"], "--name", "n", *out, *pin],
        ["archive", "export", *out, *TO, "--with-sessions"], ["archive", "check", files["archive"], *key],
        ["archive", "list", files["archive"], *key], ["archive", "import", files["archive"], *key],
    ]


def writing(files, code, directory, number):
    out, pin = ("-o", files["out"], "--force"), ("--pin-file", files["pin"])
    password = ("--backup-password-file", files["password"])
    key = ("--identity", files["agekey"])
    other = f"file://{directory.path}-2"
    return [
        ["id", "create", "--id", "NEWNEW12"], ["id", "remove", OTHER, "--yes"],
        ["backup", "import", code, "--replace", *password],
        ["contact", "add", PEER, KEY, "--first-name", "Other", "--identity", ID],
        ["contact", "remove", PEER, "--identity", ID, "--yes"], ["profile", "set", ID, "--nickname", "second"],
        ["key", "protect", "--passphrase-file", files["password"]],
        ["safe", "setup", OTHER, "--create", "--server", other, "--safe-password-file", files["safe-password"]],
        ["safe", "push", ID, "--force"], ["safe", "pull", ID, "--replace"], ["safe", "mirror", ID],
        ["safe", "passwd", ID, "--new-safe-password-file", files["password"]],
        ["safe", "move", ID, "--create", "--server", other], ["safe", "delete", ID, "--yes"],
        ["telegram", "mark-lost", telegram.key_id(telegram.KEYS[0])],
        ["textsecure", "init", "--number", "+4915112345678"], ["textsecure", "refill-prekeys", "--size", "200"],
        ["sophaxchat", "refill-prekeys"], ["sophaxchat", "rotate-prekeys"],
        ["sophaxchat", "verify-peer", files["bundle"], "--number", number],
        ["sophaxchat", "rekey-group", "G", "--members", MEMBER, *out],
        ["sophaxchat", "set-pin", *pin, "--new-pin-file", files["new-pin"]],
        ["sophaxchat", "set-duress-pin", *pin, "--duress-pin-file", files["new-pin"]],
        # A try that cannot be counted is no try.
        ["sophaxchat", "check-pin", *pin], ["sophaxchat", "check-pin", "--pin-file", files["new-pin"]],
        ["mainkey", "init", "--another", *pin], ["mainkey", "protect", "none", "--yes", *pin],
        ["mainkey", "protect", "key", RECIPIENT, *pin], ["mainkey", "timeout", "5"], ["mainkey", "wipe", "--yes"],
        ["mainkey", "passwd", *pin, "--new-pin-file", files["new-pin"]],
        ["archive", "import", files["archive"], *key, "--replace", f"threema/{ID}", "-q"],
    ]


@pytest.mark.parametrize("way", WAYS)
def test_every_verb(full, files, directory, write, way):
    code = write("code", full.ok("backup", "export", ID, "--backup-password-file", files["password"]).out)
    number = full.json("sophaxchat", "safety", files["bundle"])["safety_number"]
    # So that the archive differs from what is held.
    full.ok("profile", "set", ID, "--nickname", "changed")
    full.ok("safe", "push", ID, "--force")
    there = WAYS[way](full)
    before = [snapshot(path, without=()) for path in (full.keystore, directory.path)]
    for verb in reading(files, code, directory):
        result = there(*verb)
        is_different = verb[:2] in (["archive", "check"], ["archive", "import"])
        assert result.code == ({"check": 19, "import": 17}[verb[1]] if is_different else 0), result
        assert "PROBLEM" not in result.out, result
        assert [snapshot(path, without=()) for path in (full.keystore, directory.path)] == before, verb
    files["out"].unlink()
    for verb in writing(files, code, directory, number):
        failed = there.fails(REFUSED[way], *verb)
        assert "read-only file system" in failed.err or "permission denied" in failed.err, failed
        assert str(full.keystore) in failed.err, failed
        assert [snapshot(path, without=()) for path in (full.keystore, directory.path)] == before, verb
        assert not files["out"].exists() and not directory.path.with_name(directory.path.name + "-2").exists(), verb
