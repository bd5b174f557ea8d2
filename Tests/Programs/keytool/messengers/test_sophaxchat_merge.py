"""sophaxchat import into an identity that is held: what the file has is added, and nothing is replaced."""

import json
import struct

import pytest

from kit import agefile, archives, sophax
from kit.runner import snapshot

SECRET, RECIPIENT = archives.SECRET, archives.RECIPIENT
DAY = 86_400_000


@pytest.fixture
def identity(write):
    return ["--identity", write("agekey", archives.IDENTITY + "\n")]


@pytest.fixture
def exported(keytool, tmp_path):
    """An identity with two signed prekeys: its name, its age file and the record of its prekeys."""
    id = keytool.json("sophaxchat", "init")["id"]
    keytool.ok("sophaxchat", "rotate-prekeys", "--force")
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "id.age", "--recipient", RECIPIENT)
    keytool.ok("sophaxchat", "split", "-m", "2", "-n", "2", "-o", tmp_path / "share")
    return id, tmp_path / "id.age", sophax.record(keytool, id, "prekeys")


@pytest.fixture
def joined(other_keytool, exported, tmp_path):
    """Another keystore with the identity from its shares, and new prekeys."""
    said = other_keytool.ok("sophaxchat", "join", tmp_path / "share.1.json", tmp_path / "share.2.json")
    assert "import the age file first" in said.err
    other_keytool.ok("sophaxchat", "refill-prekeys")
    return other_keytool


def shown(keytool):
    return keytool.json("sophaxchat", "show-prekeys")


def test_prekeys_of_the_file_are_added(keytool, joined, exported, identity):
    id, file, record = exported
    theirs, own = shown(keytool), shown(joined)
    old = sophax.prekeys(record)[0]
    made = joined.json("sophaxchat", "import", file, *identity)
    assert (made["result"], made["stored"]) == ("extended", True)
    assert (made["added_peers"], made["added_signed_prekeys"], made["added_one_time_prekeys"]) == (0, 2, 20)
    now = shown(joined)
    assert set(now["one_time_ids"]) == set(theirs["one_time_ids"]) | set(own["one_time_ids"])
    merged = sophax.prekeys(sophax.record(joined, id, "prekeys"))[0]
    # With the same keys; the current one is the one that was held, and all others are replaced.
    assert {one[0]: one[2:4] for one in old}.items() <= {one[0]: one[2:4] for one in merged}.items()
    assert merged[-1][0] == own["signed_prekeys"][0]["id"]
    assert [one[4] is None for one in merged] == [False, False, True]
    before = snapshot(joined.keystore)
    again = joined.json("sophaxchat", "import", file, *identity)
    assert (again["result"], again["added_signed_prekeys"], again["added_one_time_prekeys"]) == ("held", 0, 0)
    assert snapshot(joined.keystore) == before
    # The merged prekeys go out and come back whole.
    joined.ok("sophaxchat", "export", "-o", file.with_name("all.age"), "--recipient", RECIPIENT)
    said = keytool.ok("sophaxchat", "import", file.with_name("all.age"), *identity)
    assert "added 1 signed prekey, 20 one-time prekeys" in said.out


def test_another_key_under_a_number_changes_nothing(joined, exported, write, identity):
    id, file, record = exported
    text = agefile.open_file(file.read_bytes(), SECRET)
    joined.ok("sophaxchat", "import", file, *identity)
    before = snapshot(joined.keystore)
    (number, *_), second = sophax.prekeys(record)[0]
    for at in (sophax.SIGNED + 20, sophax.SIGNED + 52):  # the key, the last-resort key
        changed = record[:at] + bytes([record[at] ^ 1]) + record[at + 1:]
        other = text.replace(sophax.encode(record).encode(), sophax.encode(changed).encode())
        refused = joined.fails(17, "sophaxchat", "import", write("other.age", archives.seal(other)), *identity)
        assert f"signed prekey {number}" in refused.err and snapshot(joined.keystore) == before
    # A one-time prekey: the keys stand one after the other.
    number = shown(joined)["one_time_ids"]
    changed = record[:-3] + bytes([record[-3] ^ 1]) + record[-2:]
    other = text.replace(sophax.encode(record).encode(), sophax.encode(changed).encode())
    refused = joined.fails(17, "sophaxchat", "import", write("other.age", archives.seal(other)), *identity)
    assert any(f"one-time prekey {one}" in refused.err for one in number) and snapshot(joined.keystore) == before


def test_no_room_changes_nothing(joined, exported, identity):
    for _ in range(5):
        joined.ok("sophaxchat", "rotate-prekeys", "--force")
    for days in (8, 0):
        # 6, and with a regular one 7 signed prekeys; two of the file make 8 at most.
        sophax.put(joined, exported[0], "prekeys", sophax.aged(sophax.record(joined, exported[0], "prekeys"), days))
        joined.ok("sophaxchat", "rotate-prekeys")
    before = snapshot(joined.keystore)
    refused = joined.fails(17, "sophaxchat", "import", exported[1], *identity, "--json").error
    assert refused["reason"] == "prekeys_not_merged" and snapshot(joined.keystore) == before


def test_replaced_long_ago_is_not_missing(joined, exported, write, identity):
    id, file, record = exported
    text = agefile.open_file(file.read_bytes(), SECRET)
    # By both clocks of the copy.
    replaced = sophax.SIGNED + 84
    ago = struct.unpack(">q", record[replaced:replaced + 8])[0] - 15 * DAY
    old = record[:sophax.CLOCK] + struct.pack(">q", 15 * DAY) + record[sophax.CLOCK + 8:]
    old = old[:replaced] + struct.pack(">q", ago) + old[replaced + 8:]
    text = text.replace(sophax.encode(record).encode(), sophax.encode(old).encode())
    made = joined.json("sophaxchat", "import", write("old.age", archives.seal(text)), *identity)
    assert (made["added_signed_prekeys"], made["added_one_time_prekeys"]) == (1, 20)


def test_the_name_of_the_file_follows_the_shares(keytool, other_keytool, tmp_path, identity):
    """The order of the manual: join, then import the age file."""
    made = keytool.json("sophaxchat", "init", "--username", "alice")
    id = made["id"]
    keytool.ok("sophaxchat", "split", "-m", "2", "-n", "3", "-o", tmp_path / "share")
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "id.age", "--recipient", RECIPIENT)
    other_keytool.ok("sophaxchat", "join", tmp_path / "share.1.json", tmp_path / "share.3.json")
    assert other_keytool.json("sophaxchat", "show")["username"] == id[:8]
    said = other_keytool.ok("sophaxchat", "import", tmp_path / "id.age", *identity)
    assert "added the user's name, 1 signed prekey, 20 one-time prekeys" in said.out and said.err == ""
    assert other_keytool.json("sophaxchat", "show")["username"] == "alice"
    assert json.loads(other_keytool.ok("sophaxchat", "export-bundle").out)["username"] == "alice"
    again = other_keytool.json("sophaxchat", "import", tmp_path / "id.age", *identity)
    assert (again["result"], again["username"]) == ("held", "alice") and "file_username" not in again


def test_the_output_says_what_is_held(keytool, other_keytool, tmp_path, identity, write, given):
    """Another name is held, one verified peer more, and both machines' prekeys."""
    id = keytool.json("sophaxchat", "init", "--username", "alice")["id"]
    keytool.ok("sophaxchat", "split", "-m", "2", "-n", "2", "-o", tmp_path / "share")
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "id.age", "--recipient", RECIPIENT)
    keytool.ok("sophaxchat", "export", "-o", tmp_path / "id.sxid", "--sxid", *given("file-passphrase", b"a phrase of three tin roofs"))
    shares = [tmp_path / f"share.{index}.json" for index in (1, 2)]
    other_keytool.ok("sophaxchat", "join", *shares, "--username", "Ann")
    other_keytool.ok("sophaxchat", "refill-prekeys")
    keys = sophax.held(other_keytool, id)[0]
    verified = {sophax.peer_id(sophax.BOB): sophax.safety_number(sophax.BOB)}
    sophax.put(other_keytool, id, "identity", sophax.account_text(keys, "Ann", verified))
    made = other_keytool.json("sophaxchat", "import", tmp_path / "id.age", *identity)
    assert (made["username"], made["file_username"], made["verified_peers"]) == ("Ann", "alice", 1)
    assert (made["signed_prekeys"], made["one_time_prekeys"]) == (2, 40)
    said = other_keytool.ok("sophaxchat", "import", tmp_path / "id.sxid", *given("file-passphrase", b"a phrase of three tin roofs"))
    assert "user           Ann" in said.out and "2 signed, 40 one-time" in said.out
    assert "the user of the file is alice" in said.err and "Ann" in said.err
    assert other_keytool.json("sophaxchat", "show")["username"] == "Ann"


def test_a_damaged_lock_keeps_no_import_from_its_result(joined, exported, identity):
    """The lock of the PIN is not needed. What is printed about a damaged record can be typed."""
    id, file, _ = exported
    sophax.put(joined, id, "pin", bytes(131))
    made = joined.json("sophaxchat", "import", file, *identity)
    assert (made["result"], made["added_signed_prekeys"], made["one_time_prekeys"]) == ("extended", 2, 40)
    assert joined.json("sophaxchat", "import", file, *identity)["result"] == "held"
    assert f"keytool sophaxchat export {id} -o FILE writes it" in joined.fails(65, "sophaxchat", "show").err
    joined.ok("sophaxchat", "export", id, "-o", file.with_name("locked.age"), "--recipient", RECIPIENT)
    sophax.forget(joined, id, "pin")
    sophax.put(joined, id, "prekeys", bytes([2]))
    said = joined.fails(65, "sophaxchat", "show").err
    assert f"keytool sophaxchat export --without-prekeys {id} -o FILE writes it" in said
    bare = file.with_name("bare.age")
    joined.ok("sophaxchat", "export", "--without-prekeys", id, "-o", bare, "--recipient", RECIPIENT)


def test_verify_counts_prekeys_and_peers(keytool, exported, identity):
    opened = keytool.json("sophaxchat", "verify", exported[1], *identity)
    assert (opened["signed_prekeys"], opened["one_time_prekeys"], opened["verified_peers"]) == (2, 20, 0)
    said = keytool.ok("sophaxchat", "verify", exported[1], *identity).out
    assert "2 signed, 20 one-time" in said and "0 peers" in said


def test_import_of_a_share_points_to_join(keytool, exported, tmp_path):
    refused = keytool.fails(65, "sophaxchat", "import", tmp_path / "share.1.json")
    assert "sophaxchat join" in refused.err
