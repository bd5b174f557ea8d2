"""Every verb of every messenger on a keystore that cannot be written: those that only read do what they do elsewhere,
all others refuse with one sentence, and nothing changes."""

import pytest

from kit import sophax, telegram
from kit.archives import RECIPIENT
from kit.runner import snapshot
from kit.stages.everymessenger import ALICE, BOB, ID, KEY, MEMBER, OTHER, PEER, TO, files, full  # two fixtures
from kit.stages.readonly import WAYS

REFUSED = {"medium": 74, "permission": 77}


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
        ["backup", "kit", ID, *password, "-o", files["out"].with_suffix(".pdf")],
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
