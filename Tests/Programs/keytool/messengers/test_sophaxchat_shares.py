"""sophaxchat split and join, with shares that Python joins and makes."""

import itertools
import json
import signal

import pytest

from kit import sophax
from kit.runner import snapshot
from kit.screens import pictures
from kit.sophax import ALICE, BOB

ID, BOB_ID = sophax.peer_id(ALICE), sophax.peer_id(BOB)


@pytest.fixture
def app_shares(write):
    """Three shares of the app, which do not name their identity."""
    return [write(f"app.{index}.json", sophax.share(ALICE, index)) for index in (1, 2, 3)]


@pytest.mark.parametrize("threshold, total", [(2, 2), (2, 3), (3, 5), (5, 5)])
def test_split(keytool, tmp_path, threshold, total, other_keytool):
    id = keytool.json("sophaxchat", "init")["id"]
    keys, _ = sophax.held(keytool, id)
    made = keytool.json("sophaxchat", "split", "-m", threshold, "-n", total, "-o", tmp_path / "share")
    files = [tmp_path / f"share.{index}.json" for index in range(1, total + 1)]
    assert made["files"] == [str(file) for file in files] and made["id"] == id
    shares = [json.loads(file.read_bytes()) for file in files]
    assert {(share["threshold"], share["total"], share["peerID"], share["id"]) for share in shares} \
        == {(threshold, total, id, made["split"])}
    assert [share["index"] for share in shares] == list(range(1, total + 1))
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    for some in itertools.combinations(shares, threshold):
        assert sophax.join(some) == keys
    assert sophax.join(shares[:threshold - 1]) != keys
    joined = other_keytool.json("sophaxchat", "join", *reversed(files[-threshold:]), "--username", "Ann")
    assert (joined["id"], joined["stored"]) == (id, True)
    assert sophax.held(other_keytool, id)[0] == keys


def test_split_leaves_nothing_or_all(keytool, tmp_path):
    keytool.ok("sophaxchat", "init")
    (tmp_path / "share.3.json").write_bytes(b"mine")
    refused = keytool.fails(17, "sophaxchat", "split", "-m", "2", "-n", "3", "-o", tmp_path / "share")
    assert "--force" not in refused.err
    keytool.fails(64, "sophaxchat", "split", "-m", "2", "-n", "3", "-o", "-")
    assert [path.name for path in tmp_path.glob("share*")] == ["share.3.json"]
    for numbers in (("1", "3"), ("4", "3"), ("2", "256"), ("0", "0")):
        keytool.fails(64, "sophaxchat", "split", "-m", numbers[0], "-n", numbers[1], "-o", tmp_path / "other")
    keytool.fails(73, "sophaxchat", "split", "-m", "2", "-n", "2", "-o", tmp_path / "absent/share")
    assert not list(tmp_path.glob("other*"))


@pytest.mark.parametrize("format", ["png", "svg"])
def test_split_with_codes(keytool, tmp_path, format, other_keytool):
    """What a reader of QR codes finds is the text of the share, and join reads it."""
    id = keytool.json("sophaxchat", "init")["id"]
    made = keytool.json("sophaxchat", "split", "-m", "2", "-n", "3", "-o", tmp_path / "share", "--qr", format)
    codes = [tmp_path / f"share.{index}.{format}" for index in (1, 2, 3)]
    assert made["qr_files"] == [str(code) for code in codes]
    assert all(code.stat().st_mode & 0o777 == 0o600 for code in codes)
    read = []
    for index, code in enumerate(codes, 1):
        text = pictures.read(code)
        assert text == (tmp_path / f"share.{index}.json").read_text().rstrip()
        read.append(tmp_path / f"read.{index}")
        read[-1].write_text(text)
    assert other_keytool.json("sophaxchat", "join", *read[1:], "--check")["id"] == id


def test_split_that_is_interrupted_leaves_nothing_or_all(keytool, tmp_path):
    """Some of the shares together would be the private keys."""
    keytool.ok("sophaxchat", "init")
    process = keytool.start("sophaxchat", "split", "-m", "2", "-n", "255", "-o", tmp_path / "share")
    while process.poll() is None and not list(tmp_path.glob("share.*")):
        pass
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert len(list(tmp_path.glob("share.*"))) in (0, 255)


def test_split_with_codes_leaves_nothing_or_all(keytool, tmp_path):
    keytool.ok("sophaxchat", "init")
    (tmp_path / "share.3.png").write_bytes(b"mine")
    keytool.fails(17, "sophaxchat", "split", "-m", "2", "-n", "3", "-o", tmp_path / "share", "--qr", "png")
    assert [path.name for path in tmp_path.glob("share*")] == ["share.3.png"]
    keytool.fails(64, "sophaxchat", "split", "-m", "2", "-n", "3", "-o", tmp_path / "share", "--qr", "gif")


def test_shares_of_the_app_have_to_be_named(keytool, app_shares):
    refused = keytool.fails(64, "sophaxchat", "join", *app_shares[:2])
    assert ID in refused.err and not any(keytool.keystore.iterdir())
    checked = keytool.json("sophaxchat", "join", *app_shares[1:], "--check")
    assert (checked["id"], checked["stored"]) == (ID, False) and not any(keytool.keystore.iterdir())
    keytool.fails(19, "sophaxchat", "join", *app_shares, "--expect-id", BOB_ID)
    assert not any(keytool.keystore.iterdir())
    joined = keytool.json("sophaxchat", "join", *app_shares[::2], "--expect-id", ID)
    assert joined["stored"] and sophax.held(keytool, ID)[0] == ALICE
    assert not keytool.json("sophaxchat", "join", *app_shares, "--expect-id", ID)["stored"]


def test_wrong_shares(keytool, app_shares, write):
    keytool.fails(64, "sophaxchat", "join", app_shares[0])
    keytool.fails(64, "sophaxchat", "join", app_shares[0], app_shares[0], "--expect-id", ID)
    other_split = write("other", sophax.share(ALICE, 2).replace(b"1111", b"2222"))
    keytool.fails(65, "sophaxchat", "join", app_shares[0], other_split, "--expect-id", ID)
    # A share with the name of its identity, and one byte changed.
    changed = json.loads(sophax.share(ALICE, 2, peerID=ID))
    changed["data"] = sophax.encode(bytes(64))
    wrong = keytool.fails(19, "sophaxchat", "join", app_shares[0], write("changed", json.dumps(changed)))
    assert "nothing was stored" in wrong.err
    for content in (b"", b"{}", b"x", sophax.share(ALICE, 4), sophax.share(ALICE, 1, threshold=1), bytes(5000)):
        keytool.fails(65, "sophaxchat", "join", app_shares[0], write("damaged", content))
    assert not any(keytool.keystore.iterdir())


def test_join_beside_another_identity(keytool, app_shares):
    keytool.ok("sophaxchat", "init")
    before = snapshot(keytool.keystore)
    keytool.fails(17, "sophaxchat", "join", *app_shares, "--expect-id", ID)
    assert snapshot(keytool.keystore) == before
    keytool.ok("sophaxchat", "join", *app_shares, "--expect-id", ID, "--another")
    assert sophax.held(keytool, ID)[0] == ALICE


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
@pytest.mark.parametrize("damage", ["data", "peerID", "text", "split"])
def test_one_bad_share_among_three(keytool, write, order, damage):
    """The other two restore the identity in any order, and the bad one is named."""
    shares = [json.loads(sophax.share(ALICE, index, peerID=ID)) for index in (1, 2, 3)]
    shares[1].update({"data": {"data": sophax.encode(bytes(64))}, "peerID": {"peerID": BOB_ID}, "text": {"total": "3"},
                      "split": {"id": "22222222-2222-4333-8444-555555555555"}}[damage])
    files = [write(f"{index}.json", json.dumps(share)) for index, share in enumerate(shares, 1)]
    said = keytool.ok("sophaxchat", "join", *[files[at] for at in order])
    assert str(files[1]) in said.err and str(files[0]) not in said.err and sophax.held(keytool, ID)[0] == ALICE


def test_shares_of_the_app_that_do_not_agree(keytool, app_shares, write):
    bad = json.loads(sophax.share(ALICE, 2))
    bad["data"] = sophax.encode(bytes(64))
    files = [app_shares[0], write("bad", json.dumps(bad)), app_shares[2]]
    # Two of them join to the right keys, and nothing says which.
    for more in ((), ("--check",)):
        assert "--expect-id" in keytool.fails(65, "sophaxchat", "join", *files, *more).err
    keytool.fails(19, "sophaxchat", "join", *files, "--expect-id", BOB_ID)
    joined = keytool.json("sophaxchat", "join", *files, "--expect-id", ID)
    assert joined["stored"] and joined["bad_files"] == [str(files[1])] and sophax.held(keytool, ID)[0] == ALICE


def test_too_many_combinations(keytool, write):
    """16 shares, 8 of which restore the keys: 12870 combinations."""
    files = [write(f"{index}", sophax.share(ALICE, index, threshold=8, total=16)) for index in range(1, 17)]
    assert "8" in keytool.fails(64, "sophaxchat", "join", *files, "--expect-id", ID).err


def test_a_name_that_is_not_used(keytool, app_shares):
    keytool.ok("sophaxchat", "join", *app_shares, "--expect-id", ID, "--username", "Ann")
    said = keytool.ok("sophaxchat", "join", *app_shares, "--expect-id", ID, "--username", "Eve")
    assert "--username Eve was ignored" in said.err and sophax.held(keytool, ID)[1]["username"] == "Ann"


def test_a_name_that_is_added(keytool, app_shares):
    """The identity was restored without one."""
    verb = ["sophaxchat", "join", *app_shares, "--expect-id", ID]
    keytool.ok(*verb)
    said = keytool.ok(*verb, "--username", "Ann")
    assert "added the user's name" in said.out and "ignored" not in said.err, said
    assert sophax.held(keytool, ID)[1]["username"] == "Ann"
    again = keytool.ok(*verb, "--username", "Ann")
    assert "with the same keys" in again.out and "ignored" not in again.err, again
    sophax.put(keytool, ID, "identity", sophax.account_text(ALICE, ID[:8]))
    assert [keytool.json(*verb, "--username", "Bea")["stored"] for _ in range(2)] == [True, False]
