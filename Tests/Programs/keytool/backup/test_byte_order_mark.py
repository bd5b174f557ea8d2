"""Editors of Windows write a byte order mark in front of a text. It is left out of a text; bytes that begin as a mark
does are a key like any other."""

import pytest

from kit import archives, mainkeys, oracle, shamir, sophax
from kit.sophax import ALICE

MARK = b"\xef\xbb\xbf"
KEY = bytes(range(7, 39))
ID, GATEWAY = "ABCD1234", "*TESTGW1"
PUBLIC = oracle.Identity(ID, KEY).public_key


def marked(text):
    return MARK + (text if isinstance(text, bytes) else text.encode())


def test_shares(keytool, write):
    shares = shamir.split(KEY, 2, 3)[0]
    files = [write(f"share{number}", marked(share + "\r\n")) for number, share in enumerate(shares)]
    keytool.ok("backup", "check", "--share", files[0])
    keytool.ok("backup", "check", "--share", "-", stdin=marked(shares[1]))
    keytool.ok("backup", "join", *files[:2], "--id", ID, "--no-passphrase", "--expect-public-key", PUBLIC)
    # A share is told from a backup code in any case.
    assert "keytool backup join" in keytool.fails(64, "backup", "check", files[0]).err


def test_shares_of_sophaxchat(keytool, write):
    files = [write(f"share{index}", marked(sophax.share(ALICE, index))) for index in (1, 2)]
    assert keytool.json("sophaxchat", "join", *files, "--check")["id"] == sophax.peer_id(ALICE)


@pytest.mark.parametrize("text", [archives.IDENTITY + "\r\n", f"# of the safe\n{archives.IDENTITY}\n"],
                         ids=["key", "comment"])
def test_key_file_of_age(keytool, write, text):
    file = write("archive.age", archives.archive(*archives.threema(ID, KEY)))
    keytool.ok("archive", "list", file, "--identity", write("keys", marked(text)))


def test_key_of_a_gateway(keytool, write):
    key = write("key", marked(f"private:{KEY.hex()}\r\n"))
    for verb in ("import", "check"):
        assert "--id '*ABCDEFG'" in keytool.fails(64, "backup", verb, key).err
    assert "contains an identity, not a master key" in keytool.fails(64, "key", "import", key).err
    assert keytool.json("backup", "import", key, "--id", GATEWAY)["public_key"] == PUBLIC
    assert keytool.json("backup", "import", "-", "--id", GATEWAY, stdin=marked(KEY.hex()))["stored"] is False


def test_a_key_that_begins_as_a_mark(keytool, write):
    key = MARK + bytes(range(29))
    assert keytool.json("mainkey", "import", write("bare", key), "--check")["id"] == mainkeys.check_value(key)
