"""profile show, set, export, import, diff: an edit of one field keeps everything else."""

import base64
import json
import random
import re
import stat

import pytest
from PIL import Image

from kit import oracle, profiles
from kit.known import SAFE_PASSWORD
from kit.runner import snapshot
from kit.servers.phone import Phone

ID = "ABCD1234"


@pytest.fixture
def machine(pulled):
    """Holds ABCD1234 with the profile of an app, its Safe set up."""
    return pulled("profile", oracle.seal_safe(profiles.document(), oracle.safe_keys(SAFE_PASSWORD, ID)))


def exported(keytool, tmp_path, name="exported.json"):
    keytool.ok("profile", "export", "-o", tmp_path / name)
    return json.loads((tmp_path / name).read_bytes())


# Show


def test_show(machine):
    shown = machine.keytool.ok("profile", "show").out
    for line in ("nickname    Anna", "picture     none", "shown to    nobody", "phone       41791234567",
                 "            block unknown on", "contacts    4, 1 of them verified",
                 "            Choir: created by ECHOECHO, 3 members", "            All: 1 member"):
        assert line + "\n" in shown
    assert "android" not in shown
    verbose = machine.keytool.ok("profile", "show", "-v").out
    for line in ("skips 1 contact without a valid ID", "lowers 1 contact to level 1",
                 "skips 1 group of a creator who is not a contact"):
        assert f"android     {line}\n" in verbose


def test_show_json(machine):
    shown = machine.keytool.json("profile", "show")
    assert shown["nickname"] == "Anna" and shown["picture_for"] == "nobody" and "picture" not in shown
    assert shown["links"] == [{"type": "mobile", "value": "41791234567"}]
    assert shown["settings"]["block_unknown"] is True and shown["settings"]["read_receipts"] is True
    assert (shown["contacts"], shown["verified_contacts"]) == (4, 1)
    assert [group["name"] for group in shown["groups"]] == ["Choir", "Lost"]
    assert shown["distribution_lists"] == [
        {"id": "0a00000000000000", "name": "All", "members": ["ECHOECHO"]}]
    assert shown["on_android"]["lowered_contacts"] == ["SERVER01"]
    assert shown["on_android"]["skipped_contacts"] == ["odd"]
    assert shown["on_android"]["renumbered_distribution_lists"] == shown["on_android"]["dropped_picture_viewers"] == []
    assert [group["name"] for group in shown["on_android"]["skipped_groups"]] == ["Lost"]


# Set

# Options, and the place in the document that changes, with its value.
EDITS = {
    "nickname": (["--nickname", "Bea é"], ["user", "nickname"], "Bea é"),
    "no nickname": (["--nickname", ""], ["user", "nickname"], None),
    "everyone": (["--picture-for", "everyone"], ["user", "profilePicRelease"], ["*"]),
    "nobody": (["--picture-for", "nobody"], ["user", "profilePicRelease"], [None]),
    "some": (["--picture-for", "echoecho,SERVER01"], ["user", "profilePicRelease"], ["ECHOECHO", "SERVER01"]),
    "phone": (["--phone", "+49301234567"], ["user", "links", 0, "value"], "49301234567"),
    "blocked": (["--blocked", "NOKEY001"], ["settings", "blockedContacts"], ["NOKEY001"]),
    "read receipts": (["--read-receipts", "off"], ["settings", "readReceipts"], False),
    "unknown": (["--block-unknown", "off"], ["settings", "blockUnknown"], False),
}


def changed(document, path, value):
    """The document with another value there; None takes it away."""
    copy = json.loads(json.dumps(document))
    place = copy
    for step in path[:-1]:
        place = place[step]
    if value is None:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value
    return copy


@pytest.mark.parametrize("options, path, value", EDITS.values(), ids=EDITS)
def test_an_edit_keeps_everything_else(machine, tmp_path, options, path, value):
    # Nobody sees the picture unless a document says so.
    machine.keytool.ok("profile", "set", "--picture-for", "everyone")
    before = exported(machine.keytool, tmp_path, "before.json")
    machine.keytool.ok("profile", "set", *options)
    assert exported(machine.keytool, tmp_path) == changed(before, path, value)
    # The next push uploads it, with the keys.
    assert machine.keytool.json("safe", "push", "--force")["result"] == "uploaded"
    uploaded = machine.document
    assert profiles.without_keys(uploaded) == changed(before, path, value)
    assert uploaded["user"]["privatekey"] == profiles.document()["user"]["privatekey"]


def test_all_settings_have_an_option(machine):
    names = machine.keytool.json("profile", "show")["settings"]
    assert len(names) == 8
    for name, value in names.items():
        option = "--" + name.replace("_", "-")
        assert machine.keytool.json("profile", "set", option, "off" if value else "on")["changed"] == [name]
        assert machine.keytool.json("profile", "show")["settings"][name] is not value


@pytest.mark.parametrize("number", ["+49 30 1234-567", "0049 (0)30 1234567", "+49301234567"])
def test_spellings_of_a_phone_number(machine, number):
    machine.keytool.ok("profile", "set", "--phone", number)
    assert machine.keytool.json("profile", "show")["links"][0]["value"] == "49301234567"


def test_wrong_addresses_say_why(owner):
    assert "lacks its country" in owner.fails(64, "profile", "set", "--phone", "079 123 45 67").err
    assert "ASCII" in owner.fails(64, "profile", "set", "--email", "ä@example.org").err
    owner.ok("profile", "set", "--email", "Anna@Example.ORG")
    assert owner.json("profile", "show")["links"] == [{"type": "email", "value": "anna@example.org"}]


def test_email_and_its_removal(machine):
    keytool = machine.keytool
    keytool.ok("profile", "set", "--email", "anna@example.org", "--phone", "none")
    assert keytool.json("profile", "show")["links"] == [{"type": "email", "value": "anna@example.org"}]
    keytool.ok("profile", "set", "--email", "none")
    assert keytool.json("profile", "show")["links"] == []


def test_setting_what_is_there_writes_nothing(machine):
    before = snapshot(machine.keytool.keystore)
    # Read receipts are on by default, so there is nothing to upload either.
    result = machine.keytool.ok("profile", "set", "--nickname", "Anna", "--block-unknown", "on", "--read-receipts", "on")
    assert result.out == "nothing changed\n"
    assert snapshot(machine.keytool.keystore) == before


WRONG = [
    [], ["--nickname", "a\nb"], ["--nickname", "ä" * 17], ["--picture-for", "everybody"],
    ["--picture-for", "ECHOECHO,"], ["--phone", "0791234567"], ["--phone", "123"], ["--phone", "1234567890123456"], ["--email", "anna"], ["--email", "a b@c"], ["--blocked", "x"],
    ["--blocked", "ECHOECHO,ECHOECHO"], ["--calls", "maybe"],
]


@pytest.mark.parametrize("options", WRONG, ids=" ".join)
def test_wrong_values(machine, options):
    before = snapshot(machine.keytool.keystore)
    machine.keytool.fails(64, "profile", "set", *options)
    assert snapshot(machine.keytool.keystore) == before


# Pictures


def test_picture(machine, write):
    picture = profiles.jpeg()
    machine.keytool.ok("profile", "set", "--picture", write("p.jpg", picture))
    shown = machine.keytool.json("profile", "show")["picture"]
    assert shown == {"bytes": len(picture), "width": 400, "height": 300}
    assert "picture     400 x 300 pixels, " in machine.keytool.ok("profile", "show").out
    machine.keytool.ok("safe", "push", "--force")
    assert base64.b64decode(machine.document["user"]["profilePic"]) == picture
    machine.keytool.ok("profile", "set", "--picture", "none")
    assert "picture" not in machine.keytool.json("profile", "show")


def exif():
    data = Image.Exif()
    data[0x0112] = 6  # to be turned
    return data.tobytes()


PICTURES = {
    "grey": (profiles.jpeg(mode="L"), None), "best quality": (profiles.jpeg(quality=95), None),
    "401 wide": (profiles.jpeg(401, 1), "401 x 1 pixels"), "401 high": (profiles.jpeg(1, 401), "1 x 401"),
    "progressive": (profiles.jpeg(progressive=True), "not baseline"), "for print": (profiles.jpeg(mode="CMYK"), "not baseline"),
    "EXIF": (profiles.jpeg(exif=exif()), "metadata"), "comment": (profiles.jpeg(comment=b"Anna"), "metadata"),
    "colour profile": (profiles.jpeg(icc_profile=b"x" * 200), "metadata"),
    "truncated": (profiles.jpeg()[:-2], "truncated"), "followed": (profiles.jpeg() + b"PK", "truncated or followed"),
    "PNG": (b"\x89PNG\r\n\x1a\n", "not a JPEG"), "empty": (b"", "not a JPEG"),
    "600 KiB": (profiles.jpeg() + bytes(600 << 10), "longer than 512 KiB"),
}


@pytest.mark.parametrize("picture, words", PICTURES.values(), ids=PICTURES)
def test_pictures(machine, write, picture, words):
    path = write("p.jpg", picture)
    if words is None:
        machine.keytool.ok("profile", "set", "--picture", path)
        return
    before = snapshot(machine.keytool.keystore)
    failed = machine.keytool.fails(65, "profile", "set", "--picture", path)
    assert words in failed.err and "hint: convert " in failed.err
    assert snapshot(machine.keytool.keystore) == before


def test_picture_that_is_not_there(machine, tmp_path):
    machine.keytool.fails(66, "profile", "set", "--picture", tmp_path / "missing.jpg")
    machine.keytool.fails(66, "profile", "set", "--picture", tmp_path)


# Export and import


def test_export_has_no_keys(machine, tmp_path):
    assert exported(machine.keytool, tmp_path) == profiles.without_keys(machine.document)
    path = tmp_path / "exported.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    machine.keytool.fails(17, "profile", "export", "-o", path)
    machine.keytool.ok("profile", "export", "--force", "-o", path)
    out = machine.keytool.ok("profile", "export", "-o", "-").out_bytes
    assert out == path.read_bytes()


def test_export_and_import_change_nothing(machine, tmp_path):
    exported(machine.keytool, tmp_path)
    before = snapshot(machine.keytool.keystore)
    result = machine.keytool.json("profile", "import", tmp_path / "exported.json")
    assert result["stored"] is False and result["contacts"] == 4
    assert snapshot(machine.keytool.keystore) == before


def test_an_export_that_escapes_would_make_too_long(owner, write, tmp_path):
    """Each of these characters has 3 bytes, and 6 if it is escaped."""
    user = {"nickname": "Ann", "x": "\u200d" * 2_000_000}
    document = {"info": {"version": 1}, "contacts": [], "user": user}
    owner.ok("profile", "import", write("long.json", json.dumps(document, ensure_ascii=False)))
    assert exported(owner, tmp_path) == document
    assert owner.json("profile", "import", tmp_path / "exported.json")["stored"] is False


def test_import_of_a_profile_that_has_the_identity_as_a_contact(owner, write):
    document = {"info": {"version": 1}, "contacts": [{"identity": "ABCD1234"}], "user": {}}
    told = owner.ok("profile", "import", write("other.json", json.dumps(document)))
    assert "warning: the profile has ABCD1234 as a contact" in told.err


def test_import_over_what_is_uploaded_needs_no_consent(machine, write, tmp_path):
    other = profiles.without_keys(profiles.document(groups=[]))
    result = machine.keytool.json("profile", "import", write("p.json", json.dumps(other)))
    assert result["stored"] is True and result["groups"] == 0
    assert exported(machine.keytool, tmp_path) == other


def test_import_over_changes(machine, write, tmp_path):
    machine.keytool.ok("profile", "set", "--nickname", "Bea")
    other = write("p.json", json.dumps(profiles.document()))
    before = snapshot(machine.keytool.keystore)
    failed = machine.keytool.fails(17, "profile", "import", other, "--json").error
    assert failed["reason"] == "unpushed_changes" and "--replace" in failed["hint"]
    assert snapshot(machine.keytool.keystore) == before
    machine.keytool.ok("profile", "import", "--replace", other)
    assert machine.keytool.json("profile", "show")["nickname"] == "Anna"


def test_import_over_a_profile_without_a_safe(owner, write):
    first = write("1.json", json.dumps(profiles.without_keys(profiles.document())))
    second = write("2.json", json.dumps(profiles.without_keys(profiles.document(groups=[]))))
    owner.ok("profile", "import", first)  # nothing was there
    assert "no Safe backup of it" in owner.fails(17, "profile", "import", second).err
    owner.ok("profile", "import", first)  # the same


def test_import_of_another_key(machine, write):
    other = profiles.document()
    other["user"]["privatekey"] = base64.b64encode(bytes(32)).decode()
    before = snapshot(machine.keytool.keystore)
    failed = machine.keytool.fails(17, "profile", "import", "--replace", write("p.json", json.dumps(other)), "--json")
    assert failed.error["reason"] == "other_key"
    assert snapshot(machine.keytool.keystore) == before


def test_import_with_the_own_key(machine, write):
    """As `safe pull --reveal-private-key` writes it."""
    document = profiles.document(groups=[])
    document["keytool"] = {"generation": 7}
    machine.keytool.ok("profile", "import", write("p.json", json.dumps(document)))
    machine.keytool.ok("safe", "push", "--force")
    assert machine.document["user"]["privatekey"] == document["user"]["privatekey"]
    assert machine.document["keytool"]["generation"] != 7


def test_device_group_key(machine, write, tmp_path):
    """It is taken from a file, goes into the backup, and stays if a file has none; no export has it."""
    document = profiles.document(groups=[])
    key = document["user"]["temporaryDeviceGroupKeyTodoRemove"] = base64.b64encode(bytes([7] * 32)).decode()
    machine.keytool.ok("profile", "import", write("p.json", json.dumps(document)))
    assert exported(machine.keytool, tmp_path) == profiles.without_keys(document)
    machine.keytool.ok("profile", "set", "--nickname", "Bea")
    machine.keytool.ok("profile", "import", "--replace", tmp_path / "exported.json")
    machine.keytool.ok("safe", "push", "--force")
    assert machine.document["user"]["temporaryDeviceGroupKeyTodoRemove"] == key


def test_only_the_device_group_key_is_new(machine, write, tmp_path):
    file = tmp_path / "exported.json"
    document = exported(machine.keytool, tmp_path)
    assert machine.keytool.json("profile", "import", file)["stored"] is False
    for byte in (7, 8):
        document["user"]["temporaryDeviceGroupKeyTodoRemove"] = base64.b64encode(bytes([byte] * 32)).decode()
        file.write_text(json.dumps(document))
        before = snapshot(machine.keytool.keystore)
        result = machine.keytool.ok("profile", "import", "--replace", file)
        assert result.out.startswith(f"imported the profile of {ID}: 4 contacts")
        assert snapshot(machine.keytool.keystore) != before
        assert machine.keytool.ok("profile", "import", file).out == f"the profile of {ID} is the same already\n"
    document["user"]["temporaryDeviceGroupKeyTodoRemove"] = base64.b64encode(bytes([9] * 32)).decode()
    file.write_text(json.dumps(document))
    assert machine.keytool.json("profile", "import", "--replace", file)["stored"] is True


@pytest.mark.parametrize("value", ["AAAA", 5, None, {}, ["x"]], ids=str)
def test_import_of_a_key_that_is_none(machine, write, value):
    document = profiles.document()
    document["user"]["privatekey"] = value
    machine.keytool.fails(65, "profile", "import", "--replace", write("p.json", json.dumps(document)))


def test_import_from_standard_input(machine):
    text = json.dumps(profiles.without_keys(profiles.document(groups=[])))
    machine.keytool.ok("profile", "import", "-", stdin=text)
    assert machine.keytool.json("profile", "show")["groups"] == []


# Diff


def test_equal_to_the_server(machine):
    result = machine.keytool.ok("profile", "diff")
    assert result.out == f"the profile of {ID} equals the backup\n"
    assert machine.keytool.ok("profile", "diff", "-q").out == ""
    machine.keytool.ok("profile", "set", "--nickname", "Bea")
    machine.keytool.ok("safe", "push", "--force")
    assert machine.keytool.json("profile", "diff")["same"] is True


def test_different_from_the_server(machine):
    machine.keytool.ok("profile", "set", "--nickname", "Bea", "--read-receipts", "off")
    result = machine.keytool("profile", "diff")
    assert result.code == 19 and result.out == (
        'nickname: "Anna" in the backup, "Bea" in the keystore\nread receipts: different\n')
    assert "keytool: error: the profile of ABCD1234 differs from the backup\n" in result.err
    result = machine.keytool("profile", "diff", "--json")
    assert result.code == 19 and result.error["reason"] == "different"
    assert result.json["changed"] == ["nickname", "read_receipts"] and result.json["same"] is False
    assert result.json["nickname"] == {"before": "Anna", "after": "Bea"}
    machine.keytool.ok("profile", "set", "--nickname", "")
    assert 'nickname: "Anna" in the backup, none in the keystore\n' in machine.keytool("profile", "diff").out


def test_difference_in_contacts_and_groups(machine, write):
    contacts = profiles.EXTRA["contacts"]
    other = profiles.without_keys(profiles.document(
        contacts=[{**contacts[0], "verification": 0}, contacts[2], {"identity": "NEWONE01"}, contacts[3]],
        groups=[{**profiles.EXTRA["groups"][0], "groupname": "Band"}], distributionlists=None))
    result = machine.keytool("profile", "diff", write("p.json", json.dumps(other)))
    assert result.code == 19
    assert result.out.splitlines() == [
        "contact SERVER01 (=1+1): only in the keystore", "contact NEWONE01: only in the file",
        "contact ECHOECHO (Echo Echo, Inc.): level 1 in the file, 3 in the keystore",
        "group Lost of STRANGER: only in the keystore", "group Choir of ECHOECHO: other name",
        "list All: only in the keystore"]
    found = machine.keytool("profile", "diff", write("p.json", json.dumps(other)), "--json").json
    assert found["contacts"] == {
        "only_in_keystore": [{"id": "SERVER01"}], "only_in_other": [{"id": "NEWONE01"}],
        "changed": [{"id": "ECHOECHO", "fields": ["level"]}]}


def test_the_private_key_is_compared(machine, write):
    other = profiles.document()
    other["user"]["privatekey"] = base64.b64encode(bytes(32)).decode()
    result = machine.keytool("profile", "diff", write("p.json", json.dumps(other)))
    assert result.code == 19 and result.out == "private key: another one in the file\n"


def test_a_backup_of_another_device_stays_foreign(machine):
    machine.directory.put(machine.keys, oracle.seal_safe(profiles.document(groups=[]), machine.keys))
    result = machine.keytool("profile", "diff")
    assert result.code == 19 and "group Choir of ECHOECHO: only in the keystore\n" in result.out
    machine.keytool.fails(20, "safe", "push", "--force")


def test_nothing_to_compare_with(machine, owner):
    assert owner.fails(10, "profile", "diff", "--json").error["reason"] == "no_setup"
    machine.directory.backup(machine.keys).unlink()
    assert machine.keytool.fails(10, "profile", "diff", "--json").error["reason"] == "no_backup"
    machine.directory.put(machine.keys, b"x" * 100)
    machine.keytool.fails(65, "profile", "diff")


def test_a_place_for_reading_only(keytool, directory, safe_password):
    """What the phone's backup lacks is told as by safe check: no push can upload it."""
    phone = Phone(keytool, directory)
    phone.writes("first")
    phone.guarded_by(*safe_password)
    assert keytool.json("profile", "diff")["same"] is True
    present = phone.directory.backup(phone.keys)
    for content, code, reason in ((b"x" * 5_000_000, 14, "too_long"), (None, 10, "no_backup")):
        present.unlink() if content is None else present.write_bytes(content)
        for command in (["profile", "diff"], ["safe", "check"], ["safe", "pull"]):
            error = keytool.fails(code, *command, "--json").error
            assert error["reason"] == reason and "safe push" not in error.get("hint", "")


# From the server and back

SPELLINGS = ["0", "-0", "1.0", "1.70e12", "1E+308", "18446744073709552000", "1e-400", "123456789012345678901234567890"]


class Number(str):
    """A number as it is spelled."""


def read(text):
    return json.loads(text, parse_float=Number, parse_int=Number)


def generated(seed, contacts, groups):
    """A document as text, numbers in odd spellings, fields missing and unknown."""
    draw = random.Random(seed)
    ids = [f"C{n:07}" for n in range(contacts)]

    def some(**members):
        kept = [(name, value) for name, value in members.items() if draw.random() < 0.7]
        draw.shuffle(kept)
        return dict(kept)

    def number():
        return f"<{draw.choice(SPELLINGS)}>"

    def text():
        return draw.choice(["", "é", "e\u0301", "=1+1", "\\\"\n", "🔑", "\u2028", "n"])

    def unknown():
        return {"a": [None, number(), {"é": text()}], "b": True}

    def contact(id):
        return {"identity": id, **some(
            verification=draw.randrange(3), publickey=profiles.TEXT_OF_KEY, createdAt=number(), lastUpdate=number(),
            firstname=text(), lastname=None, nickname=text(), hidden=False, private="false", u=unknown())}

    def group(n):
        return some(id=f"{n:016x}", creator=draw.choice(ids), groupname=text(), members=draw.sample(ids, 5),
                    deleted=False, createdAt=number(), u=unknown())

    document = profiles.document(contacts=[contact(id) for id in ids], groups=[group(n) for n in range(groups)], x=unknown())
    return re.sub('"<([^>"]*)>"', r"\1", json.dumps(document))


@pytest.mark.parametrize("seed, contacts, groups", [(1, 5, 0), (2, 40, 10), (3, 5000, 500)])
def test_pull_edit_and_push_keep_every_other_field(pulled, seed, contacts, groups):
    """Compared as another parser reads it, with the spelling of each number; members in any order."""
    machine = pulled("generated", oracle.seal_safe(generated(seed, contacts, groups), oracle.safe_keys(SAFE_PASSWORD, ID)))
    machine.directory.prepare(max_backup_bytes=8 << 20)
    before = read(oracle.open_safe_text(machine.blob, machine.keys))
    machine.keytool.ok("profile", "set", "--nickname", "Bea", "--calls", "off")
    machine.keytool.ok("contact", "add", "FRIEND01", profiles.CONTACT_KEY.hex())
    machine.keytool.ok("contact", "remove", "C0000000", "--yes")
    machine.keytool.ok("safe", "push", "--force")
    after = read(oracle.open_safe_text(machine.blob, machine.keys))
    before["user"]["nickname"] = "Bea"
    before["settings"]["threemaCalls"] = False
    before["contacts"] = [*before["contacts"][1:], after["contacts"][-1]]
    assert after.pop("keytool") and after["contacts"][-1]["identity"] == "FRIEND01"
    assert after == before


def count(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + sum(map(count, children))


def test_no_edit_makes_it_unreadable(keytool, tmp_path, directory, safe_password):
    """A document has at most 200,000 values, of which a backup needs some for itself."""
    keytool.ok("id", "create", "--id", ID)
    document = exported(keytool, tmp_path)
    file = tmp_path / "many.json"

    def import_of(values):
        full = {**document, "pad": []}
        full["pad"] = [0] * (values - count(full))
        file.write_text(json.dumps(full))
        return ["profile", "import", file, "--replace"]

    assert "larger than a backup can be" in keytool.fails(14, *import_of(199_985)).err
    keytool.ok(*import_of(199_984))
    before = snapshot(keytool.keystore)
    for command in (["contact", "add", "ECHOECHO", "22" * 32], ["profile", "set", "--blocked", "ECHOECHO,SERVER01,FRIEND01"]):
        assert "larger than a backup can be" in keytool.fails(14, *command).err
        assert snapshot(keytool.keystore) == before
    keytool.ok("profile", "show")
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    keytool.ok("safe", "push")
    keytool.ok("safe", "pull", "--show")
