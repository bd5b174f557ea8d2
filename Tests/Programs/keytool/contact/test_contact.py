"""contact list, add, verify, remove: a key is never replaced, and a level rises only by a scanned code."""

import base64
import csv
import io
import json
import re

import pytest

from kit import oracle, profiles
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot

ID, FRIEND = "ABCD1234", "FRIEND01"
HEX = profiles.CONTACT_KEY.hex()
OTHER_HEX = "ab" * 32
CODE = f"3mid:ECHOECHO,{HEX}"


@pytest.fixture
def machine(pulled):
    """Holds ABCD1234 with the profile of an app, its Safe set up."""
    return pulled("contact", oracle.seal_safe(profiles.document(), oracle.safe_keys(SAFE_PASSWORD, ID)))


@pytest.fixture
def qr(keytool, tmp_path):
    """qr(text) -> a picture of its QR code"""

    def qr(text):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.png"
        keytool.ok("qr", "show", "--qr-file", path, stdin=text)
        return path

    return qr


def contacts(keytool):
    return {contact["id"]: contact for contact in keytool.json("contact", "list")["contacts"]}


def document(machine, tmp_path):
    path = tmp_path / "document.json"
    machine.keytool.ok("profile", "export", "--force", "-o", path)
    return json.loads(path.read_bytes())


def unchanged(keytool, code, *command, **options):
    before = snapshot(keytool.keystore)
    result = keytool.fails(code, *command, **options)
    assert snapshot(keytool.keystore) == before
    return result


# List


def test_list(machine):
    assert machine.keytool.ok("contact", "list").out_bytes.decode().rstrip("\n").split("\n") == [
        "ECHOECHO  3 verified by QR code     Echo Echo, Inc. ~e",
        "SERVER01  2 verified by the server  =1+1 (work)",
        "NOKEY001  1 not verified            (hidden)",
        "odd       1 not verified            \x1b[31mred\r<U+000A>line",
    ]


def test_list_in_colours(machine, terminal):
    run = terminal("contact", "list", runner=machine.keytool)
    assert run.finish() == 0
    assert "\x1b[32m●●●\x1b[0m" in run.text and "\x1b[34m●●\x1b[0m○" in run.text and "\x1b[31m●\x1b[0m○○" in run.text
    assert "verified by" not in run.text and "\x1b[31mred" not in run.text
    run = terminal("contact", "list", "--color", "never", runner=machine.keytool)
    assert run.finish() == 0 and "\x1b" not in run.text and "verified by QR code" in run.text
    assert "●●●" in machine.keytool.ok("contact", "list", "--color", "always").out


def test_list_json(machine):
    found = contacts(machine.keytool)
    assert found["ECHOECHO"] == {
        "id": "ECHOECHO", "level": 3, "public_key": HEX, "first_name": "Echo", "last_name": "Echo, Inc.",
        "nickname": "e", "work": False, "hidden": False, "private": False, "blocked": False,
        "created_at": "2023-11-14T22:13:20Z"}
    assert found["SERVER01"]["level"] == 2 and "public_key" not in found["SERVER01"]
    assert found["odd"]["level"] == 1 and found["odd"]["first_name"] == "\x1b[31mred\r\nline"
    machine.keytool.ok("profile", "set", "--blocked", "SERVER01")
    assert contacts(machine.keytool)["SERVER01"]["blocked"] is True


# Names that mean something to a reader of CSV or vCard.
HOSTILE = ["=1+1", "+49", "-1", "@SUM(A1)", "\t=1", "a,b", 'a"b', "a\r\nBEGIN:VCARD", "a;b\\c", "é" * 100, "a\nb", "", " x ",
           "\x7f\u0085x", "a\u2028b", 'a"\u0301,b"\u0301']


@pytest.fixture
def hostile(pulled):
    entries = [{"identity": f"HOSTIL{n:02}", "verification": 0, "firstname": name, "nickname": name}
               for n, name in enumerate(HOSTILE)]
    return pulled("hostile", oracle.seal_safe(
        profiles.document(contacts=entries), oracle.safe_keys(SAFE_PASSWORD, ID))).keytool


def test_csv(hostile):
    out = hostile.ok("contact", "list", "--format", "csv").out_bytes.decode()
    rows = list(csv.DictReader(io.StringIO(out, newline=""), strict=True))
    assert len(rows) == len(HOSTILE)
    for row, name in zip(rows, HOSTILE):
        assert row["first_name"] == ("'" + name if name[:1] in tuple("=+-@\t") else name)
        assert row["level"] == "1" and row["public_key"] == ""
    assert not re.search(r'(^|,)"?[=+@\t-]', out.replace("\r\n", ","))
    assert len(re.findall("\r\n", out)) == len(HOSTILE) + 1 + sum(name.count("\r\n") * 2 for name in HOSTILE)


def unescape(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], text)


def test_vcard(hostile):
    out = hostile.ok("contact", "list", "--format", "vcard").out_bytes
    assert all(len(line) <= 75 for line in out.split(b"\r\n")) and b"\n" not in out.replace(b"\r\n", b"")
    lines = out.decode().replace("\r\n ", "").split("\r\n")
    assert lines.count("BEGIN:VCARD") == lines.count("END:VCARD") == lines.count("VERSION:4.0") == len(HOSTILE)
    names = [unescape(line.removeprefix("FN:")) for line in lines if line.startswith("FN:")]
    for n, (found, name) in enumerate(zip(names, HOSTILE, strict=True)):
        expected = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", name.replace("\r\n", "\n"))
        assert found == (expected or f"HOSTIL{n:02}")


def test_format_and_json(machine):
    machine.keytool.fails(64, "contact", "list", "--format", "csv", "--json")


def test_pull_shows_the_contacts(machine):
    shown = machine.keytool.ok("safe", "pull", "--show", "-v").out
    assert "ECHOECHO  3 verified by QR code     Echo Echo, Inc. ~e\n" in shown
    assert "ECHOECHO" not in machine.keytool.ok("safe", "pull", "--show").out
    listed = machine.keytool.json("safe", "pull", "--show", "-v")["contact_list"]
    assert [contact["level"] for contact in listed] == [3, 2, 1, 1]
    assert "contact_list" not in machine.keytool.json("safe", "pull", "--show")


# Add


def test_typed_key_gives_level_1(machine, tmp_path):
    before = document(machine, tmp_path)
    added = machine.keytool.json("contact", "add", FRIEND.lower(), HEX.upper(), "--first-name", "Fred")
    assert (added["contact"], added["public_key"], added["level"], added["result"]) == (FRIEND, HEX, 1, "added")
    after = document(machine, tmp_path)
    new = after["contacts"].pop()
    assert after == before
    assert new.pop("createdAt") > 1.7e12
    assert new == {"identity": FRIEND, "verification": 0, "publickey": profiles.TEXT_OF_KEY, "firstname": "Fred",
                   "lastname": "", "nickname": "", "hidden": False, "private": False, "workVerified": False,
                   "readReceipts": 0, "typingIndicators": 0}
    machine.keytool.ok("safe", "push", "--force")
    assert machine.document["contacts"][-1]["identity"] == FRIEND


def test_code_as_text_gives_level_1(owner):
    assert owner.json("contact", "add", CODE)["level"] == 1
    assert owner.json("contact", "add", "-", stdin=f"  3mid:{FRIEND},{HEX}\r\n")["level"] == 1
    assert owner.json("contact", "add", stdin=f"3mid:FRIEND02,{HEX.upper()},9999999999\n")["level"] == 1
    assert set(contacts(owner)) == {"ECHOECHO", FRIEND, "FRIEND02"}


def test_picture_gives_level_3(owner, qr):
    assert owner.json("contact", "add", "--qr-image", qr(CODE))["level"] == 3
    assert contacts(owner)["ECHOECHO"]["public_key"] == HEX


def test_the_same_key_again(machine, qr):
    result = unchanged_ok(machine.keytool, "contact", "add", "ECHOECHO", HEX)
    assert result["result"] == "unchanged" and result["level"] == 3
    machine.keytool.ok("contact", "add", FRIEND, HEX)
    assert machine.keytool.json("contact", "add", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"))["result"] == "raised"
    assert contacts(machine.keytool)[FRIEND]["level"] == 3
    assert "is already a contact with this key" in machine.keytool.ok("contact", "add", FRIEND, HEX).out


def unchanged_ok(keytool, *command):
    before = snapshot(keytool.keystore)
    result = keytool.json(*command)
    assert snapshot(keytool.keystore) == before
    return result


def test_another_key(machine):
    error = unchanged(machine.keytool, 17, "contact", "add", "ECHOECHO", OTHER_HEX, "--json").error
    assert error["reason"] == "other_key" and HEX in error["hint"] and OTHER_HEX in error["hint"]


def twice(pulled, *entries):
    """A machine whose document holds FRIEND several times: (key, verification) each."""
    held = [{"identity": FRIEND, "verification": level}
            | ({"publickey": base64.b64encode(bytes.fromhex(key)).decode()} if key else {}) for key, level in entries]
    return pulled("twice", oracle.seal_safe(profiles.document(contacts=held), oracle.safe_keys(SAFE_PASSWORD, ID)))


@pytest.mark.parametrize("given", [HEX, OTHER_HEX], ids=["first", "second"])
@pytest.mark.parametrize("entries", [[(HEX, 0), (OTHER_HEX, 2)], [(None, 0), (HEX, 0), (OTHER_HEX, 0)]], ids=len)
def test_a_contact_with_two_keys(pulled, qr, given, entries):
    """Each of them is another key than that of an entry, so none is replaced or raised."""
    keytool = twice(pulled, *entries).keytool
    card = f"3mid:{FRIEND},{given}"
    assert unchanged(keytool, 17, "contact", "add", "--qr-image", qr(card), "--json").error["reason"] == "other_key"
    unchanged(keytool, 17, "contact", "add", FRIEND, given)
    assert unchanged(keytool, 19, "contact", "verify", "--qr-image", qr(card), "--json").error["reason"] == "other_key"


@pytest.mark.parametrize("levels", [(0, 1), (1, 0)], ids=str)
def test_a_contact_twice_with_one_key(pulled, qr, tmp_path, levels):
    machine = twice(pulled, *((HEX, level) for level in levels))
    unchanged_ok(machine.keytool, "contact", "add", FRIEND, HEX)
    assert machine.keytool.json("contact", "verify", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"))["result"] == "raised"
    assert [entry["verification"] for entry in document(machine, tmp_path)["contacts"]] == [2, 2]


@pytest.mark.parametrize("id, level", [("SERVER01", 2), ("NOKEY001", 1)])
def test_contact_without_a_key_gets_one(machine, id, level):
    """Its level does not fall."""
    added = machine.keytool.json("contact", "add", id, HEX)
    assert (added["result"], added["level"], added["renamed"]) == ("key_stored", level, False)
    assert contacts(machine.keytool)[id]["public_key"] == HEX and contacts(machine.keytool)[id]["level"] == level


def test_a_typed_key_does_not_replace_a_verified_one_that_is_lost(pulled, qr):
    keytool = twice(pulled, (None, 2), (None, 0)).keytool
    error = unchanged(keytool, 17, "contact", "add", FRIEND, HEX, "--json").error
    assert error["reason"] == "unproven_key" and "--qr-image" in error["hint"]
    assert keytool.json("contact", "add", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"))["level"] == 3


def test_hints_name_the_identity_if_there_are_others(keytool):
    keytool.ok("id", "create", "--id", ID)
    keytool.ok("contact", "add", FRIEND, HEX)
    add = ["contact", "add", FRIEND, OTHER_HEX, "--identity", ID]
    assert f"keytool contact remove {FRIEND} " in keytool.fails(17, *add).err
    keytool.ok("id", "create", "--id", "WXYZ9876")
    failed = keytool.fails(17, *add)
    (advised,) = re.findall(r"keytool (contact remove .*) removes", failed.err)
    keytool.ok(*advised.split(), "--yes")
    keytool.ok(*add)


def test_names_of_a_contact_that_is_there(machine, qr):
    keytool = machine.keytool
    assert "; its name is now Echo New\n" in keytool.ok("contact", "add", "ECHOECHO", HEX, "--last-name", "New").out
    found = contacts(keytool)["ECHOECHO"]
    assert (found["first_name"], found["last_name"], found["level"]) == ("Echo", "New", 3)
    again = unchanged_ok(keytool, "contact", "add", "ECHOECHO", HEX, "--last-name", "New")
    assert again["result"] == "unchanged" and again["renamed"] is False
    keytool.ok("contact", "add", FRIEND, HEX)
    raised = keytool.json("contact", "add", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"), "--first-name", "Fred")
    assert (raised["result"], raised["level"], raised["renamed"]) == ("raised", 3, True)
    assert keytool.json("contact", "add", "NOKEY001", HEX, "--first-name", "Nora")["renamed"] is True
    assert contacts(keytool)["NOKEY001"]["first_name"] == "Nora" and contacts(keytool)[FRIEND]["first_name"] == "Fred"
    out = keytool.ok("contact", "add", FRIEND, HEX, "--first-name", "").out
    assert "it has no name now" in out and contacts(keytool)[FRIEND]["first_name"] == ""


@pytest.mark.parametrize("key", ["00" * 32, "01" + "00" * 31, "EC" + "ff" * 31, "00" * 31 + "80"], ids=lambda key: key[:2] + key[-2:])
def test_a_key_that_nobody_can_have(owner, qr, key):
    assert "low order" in unchanged(owner, 65, "contact", "add", FRIEND, key).err
    unchanged(owner, 65, "contact", "add", f"3mid:{FRIEND},{key}")
    unchanged(owner, 65, "contact", "add", "--qr-image", qr(f"3mid:{FRIEND},{key}"))
    owner.ok("contact", "add", FRIEND, HEX)
    unchanged(owner, 65, "contact", "verify", f"3mid:{FRIEND},{key}")


def test_a_document_with_a_key_that_nobody_can_have(pulled, qr):
    keytool = twice(pulled, ("00" * 32, 2)).keytool
    assert "public_key" not in contacts(keytool)[FRIEND]
    assert keytool.json("contact", "add", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"))["result"] == "key_stored"
    assert contacts(keytool)[FRIEND]["public_key"] == HEX


def test_expired_code(owner, qr):
    expired = f"{CODE},1600000000"
    assert unchanged(owner, 65, "contact", "add", expired, "--json").error["reason"] == "expired_code"
    unchanged(owner, 65, "contact", "add", "--qr-image", qr(expired))


def test_own_id(owner):
    assert "cannot be its own contact" in unchanged(owner, 64, "contact", "add", ID, HEX).err
    unchanged(owner, 64, "contact", "add", f"3mid:{ID},{HEX}")


@pytest.mark.parametrize("command, code", [
    (["ECHOECHO"], 64), (["ECHOECHO", HEX[1:]], 64), (["ECHO", HEX], 64), ([CODE, HEX], 64), (["3mid:x"], 65),
    (["3mid:ECHOECHO"], 65), ([f"3MID:ECHOECHO,{HEX}"], 65), ([f"3mid:ECHOECHO,{HEX}0"], 65), (["--qr-image", "x", CODE], 64),
    (["--qr-image", "x", "ECHOECHO", HEX], 64), (["-"], 65)], ids=str)
def test_wrong_cards(owner, command, code):
    unchanged(owner, code, "contact", "add", *command)


def test_pictures_of_other_things(owner, qr, tmp_path, write):
    assert "is not a contact's code" in unchanged(owner, 65, "contact", "add", "--qr-image", qr("hello")).err
    unchanged(owner, 66, "contact", "add", "--qr-image", tmp_path / "missing.png")
    unchanged(owner, 65, "contact", "add", "--qr-image", write("x.png", b"not a picture"))


def test_qr_contact_of_another_keystore(owner, other_keytool, tmp_path):
    contact = other_keytool.json("id", "create", "--id", FRIEND)
    other_keytool.ok("qr", "contact", "--qr-file", tmp_path / "friend.png")
    added = owner.json("contact", "add", "--qr-image", tmp_path / "friend.png")
    assert (added["contact"], added["public_key"]) == (FRIEND, contact["public_key"])


def test_edits_at_the_same_time_are_all_made(owner):
    ids = [f"FRIEND{n:02}" for n in range(10)]
    running = [owner.start("contact", "add", id, HEX) for id in ids]
    for process in running:
        assert owner.finish(process).code == 0
    assert set(contacts(owner)) == set(ids)


# Verify


def test_verify_raises_to_level_3(machine, qr, tmp_path):
    machine.keytool.ok("contact", "add", FRIEND, HEX)
    before = document(machine, tmp_path)
    verified = machine.keytool.json("contact", "verify", "--qr-image", qr(f"3mid:{FRIEND},{HEX}"))
    assert (verified["result"], verified["level"]) == ("raised", 3)
    after = document(machine, tmp_path)
    assert after["contacts"][-1].pop("verification") == 2 and before["contacts"][-1].pop("verification") == 0
    assert after == before
    assert unchanged_ok(machine.keytool, "contact", "verify", f"3mid:{FRIEND},{HEX}")["result"] == "unchanged"


def test_verify_by_a_scanner(machine):
    machine.keytool.ok("contact", "add", FRIEND, HEX)
    assert machine.keytool.json("contact", "verify", stdin=f"3mid:{FRIEND},{HEX}\n")["level"] == 3


def test_mismatch_is_loud(machine, qr):
    failed = unchanged(machine.keytool, 19, "contact", "verify", "-q", "--qr-image", qr(f"3mid:ECHOECHO,{OTHER_HEX}"))
    assert "WRONG KEY: the public key of ECHOECHO is not the one in the profile" in failed.err
    assert f"stored   {HEX}" in failed.err and f"scanned  {OTHER_HEX}" in failed.err
    error = machine.keytool.fails(19, "contact", "verify", f"3mid:ECHOECHO,{OTHER_HEX}", "--json").error
    assert error["reason"] == "other_key"


def test_nothing_to_verify(machine):
    keytool = machine.keytool
    assert unchanged(keytool, 10, "contact", "verify", f"3mid:{FRIEND},{HEX}", "--json").error["reason"] == "no_contact"
    error = unchanged(keytool, 10, "contact", "verify", f"3mid:SERVER01,{HEX}", "--json").error
    assert error["reason"] == "no_contact_key"
    unchanged(keytool, 65, "contact", "verify", f"{CODE},1600000000")
    unchanged(keytool, 65, "contact", "verify", "-", stdin="")


# Remove


def test_remove(machine, tmp_path):
    before = document(machine, tmp_path)
    unchanged(machine.keytool, 64, "contact", "remove", "ECHOECHO", "--no-input")
    removed = machine.keytool("contact", "remove", "echoecho", "--yes")
    assert removed.code == 0 and removed.out == "removed the contact ECHOECHO\n"
    assert 'warning: ECHOECHO remains in the group "Choir"' in removed.err
    assert 'warning: ECHOECHO remains in the list "All"' in removed.err
    lost = 'an Android phone will not restore the group "Choir" without ECHOECHO, who created it'
    assert f"warning: {lost}\n" in removed.err
    after = document(machine, tmp_path)
    assert after == {**before, "contacts": before["contacts"][1:]}
    assert unchanged(machine.keytool, 10, "contact", "remove", "ECHOECHO", "--yes", "--json").error["reason"] == "no_contact"


def test_remove_an_odd_id(machine):
    assert machine.keytool.json("contact", "remove", "odd", "--yes")["contact"] == "odd"
    assert "odd" not in contacts(machine.keytool)


def test_remove_asks(machine, terminal):
    run = terminal("contact", "remove", "ECHOECHO", runner=machine.keytool)
    run.expect("Remove the contact ECHOECHO .Echo Echo, Inc..")
    run.send("y")
    assert run.finish() == 0
    assert "ECHOECHO" not in contacts(machine.keytool)


def test_the_loss_of_many_is_seen_by_the_next_push(machine):
    machine.keytool.ok("safe", "push", "--force")
    for id in ("ECHOECHO", "SERVER01", "NOKEY001"):
        machine.keytool.ok("contact", "remove", id, "--yes")
    assert machine.keytool.fails(17, "safe", "push", "--force", "--json").error["reason"] == "loses_contacts"
    machine.keytool.ok("safe", "push", "--force", "--accept-loss")
    assert [contact["identity"] for contact in machine.document["contacts"]] == ["odd"]
