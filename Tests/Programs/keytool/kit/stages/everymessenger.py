"""A keystore with identities of all messengers, and what a user has beside it."""

import time

import pytest

from kit import archives, masterkey, sessions, sophax, telegram, textsecure
from kit.archives import RECIPIENT
from kit.known import SAFE_PASSWORD
from kit.stages.telegramscenes import ONE

ID, OTHER = "ABCD1234", "WXYZ9876"
ALICE, BOB = sophax.peer_id(sophax.ALICE), sophax.peer_id(sophax.BOB)
MEMBER, PEER = "1" * 32, "ECHOECHO"
KEY = "4a6a1b34dcef15d43cb74de2fd36091be99fbbaf126d099d47d83d919712c72b"
TO = ("--recipient", RECIPIENT)


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
