"""Data backups that are damaged, forged or something else: a clear end each, nothing stored, little work."""

import random
import struct

import pytest

from kit import backupdraws, oracle
from kit import databackup as d
from kit.damage import flipped
from kit.known import EMPTY_KEYSTORE
from kit.processes.measured import Measured
from kit.runner import on_two_processors, snapshot

PASSWORD = "battery staple 9"
KEY = PASSWORD.encode()
ME = oracle.Identity("ABCD1234", bytes(range(1, 33)))
SMALL = backupdraws.backup(random.Random(7))._replace(identity=ME)
CODE = oracle.seal_code(ME, KEY)
MAX_SECONDS, MAX_MEBIBYTES = 5, 64
DAMAGED = {0, 12, 14, 65}


@pytest.fixture
def password(given):
    return given("backup-password", KEY)


@pytest.fixture
def measured(keytool, tmp_path):
    return Measured(keytool, tmp_path / "report")


def files(**changed):
    """The entries of a small backup, some with another content; None takes one away."""
    names = {name.replace("_csv", ".csv"): content for name, content in changed.items()}
    found = [(name, names.get(name, content), level) for name, content, level in d.files(SMALL, KEY, code=CODE)]
    return [one for one in found if one[1] is not None]


def whole(entries=None, **more):
    return d.archive(d.entries(files(), KEY) if entries is None else entries, **more)


def with_entry(name, change):
    return whole([change(each) if each.name == name.encode() else each for each in d.entries(files(), KEY)])


def plain(name, content):
    return d.Entry(name.encode(), content, len(content), flags=0x0808, method=0, aes=b"")


def settings(text):
    return whole(d.entries(files(settings=text.encode()), KEY))


def bomb(name):
    """1 GiB of zeros in 1 MiB, which says so."""
    return whole([each._replace(count=1 << 30) if each.name == name.encode() else each for each in d.entries(files(), KEY)])


def lying(name, plus):
    return with_entry(name, lambda each: each._replace(count=each.count + plus))


REFUSED = {
    "cut in the middle": (lambda: whole()[:2000], 65, "cut off"),
    "one byte missing": (lambda: whole()[:-1], 65, "cut off"),
    "one byte more": (lambda: whole() + b"\0", 65, "cut off"),
    "only the first four bytes": (lambda: b"PK\3\4", 65, "cut off"),
    "an empty ZIP file": (lambda: whole([]), 65, "not an Android data backup"),
    "an exported chat": (lambda: whole(d.entries([("messages.txt", b"hi", 0)], KEY)), 65, "exported chat"),
    "another ZIP file": (lambda: whole([plain("photo.jpg", b"\xff\xd8")]), 65, "not an Android data backup"),
    "without encryption": (lambda: whole([plain(name, content) for name, content, _ in files()]), 65, "not encrypted"),
    "ZipCrypto": (lambda: with_entry("identity", lambda e: e._replace(method=8, aes=b"")), 65, "as the app does it"),
    "AES-128": (lambda: with_entry("identity", lambda e: e._replace(aes=b"\2\0AE\1\x08\0")), 65, "as the app does it"),
    "without settings": (lambda: whole(d.entries(files(settings=None), KEY)), 65, "has no settings"),
    "without identity": (lambda: whole(d.entries(files(identity=None), KEY)), 65, "has no identity"),
    "identity twice": (lambda: whole(d.entries(files() + files()[1:2], KEY)), 65, "identity twice"),
    "contacts twice": (lambda: whole(d.entries(files() + [("contacts.csv", b"x", 0)], KEY)), 65, "contacts.csv twice"),
    "a newer version": (lambda: settings('"version","28"\n'), 65, "--try-newer"),
    "a version that is no number": (lambda: settings('"version","x"\n'), 65, "version is not a number"),
    "two entries in one place": (lambda: with_entry("contacts.csv", lambda e: e._replace(
        local_name=b"settings", offset=0)), 65, "contradicts"),
    "an entry behind the directory": (lambda: with_entry("identity", lambda e: e._replace(offset=1 << 30)), 65, "contradicts"),
    "another name in the local header": (lambda: with_entry("identity", lambda e: e._replace(
        local_name=b"Identity")), 65, "contradicts"),
    "other flags in the local header": (lambda: with_entry("identity", lambda e: e._replace(local_flags=1)), 65, "contradicts"),
    "fewer entries than the directory has": (lambda: whole(entry_count=3), 65, "contradicts itself"),
    "more entries than the directory has": (lambda: whole(entry_count=300), 65, "contradicts itself"),
    "a changed tag": (lambda: with_entry("contacts.csv", lambda e: e._replace(
        data=flipped(e.data))), 65, "contacts.csv is not authentic"),
    "a changed ciphertext": (lambda: with_entry("identity", lambda e: e._replace(
        data=e.data[:30] + bytes([e.data[30] ^ 1]) + e.data[31:])), 65, "identity is not authentic"),
    "changed settings": (lambda: with_entry("settings", lambda e: e._replace(
        data=bytes([e.data[0] ^ 1]) + e.data[1:])), 65, "settings is not authentic"),
    "an entry under another password": (lambda: with_entry("groups.csv", lambda e: d.entry(
        "groups.csv", b'"id","creator","members"\n', b"another password")), 65, "groups.csv is not authentic"),
    "no deflate stream": (lambda: with_entry("groups.csv", lambda e: e._replace(
        data=d.encrypted(b"\xff" * 50, KEY))), 65, "groups.csv is not authentic"),
    "bytes behind the deflate stream": (lambda: with_entry("groups.csv", lambda e: e._replace(
        data=d.encrypted(d.deflated(b"a" * e.count, 5) + b"x", KEY))), 65, "groups.csv is not authentic"),
    "longer than it says": (lambda: lying("groups.csv", -1), 65, "groups.csv is not authentic"),
    "shorter than it says": (lambda: lying("groups.csv", 1), 65, "groups.csv is not authentic"),
    "a bomb that says so": (lambda: bomb("contacts.csv"), 14, "contacts.csv in the ZIP file is longer than 16 MiB"),
    "a bomb that does not": (lambda: with_entry("contacts.csv", lambda e: e._replace(
        data=d.encrypted(d.deflated(bytes(1 << 27), 9), KEY))), 65, "contacts.csv is not authentic"),
    "16 MiB of one row": (lambda: whole(d.entries(files(contacts_csv=b"a" * (16 << 20)), KEY)), 65, "no column identity"),
    "a long settings": (lambda: settings('"version","27"\n' * 100), 14, "settings in the ZIP file is longer"),
    "a code that does not open": (lambda: whole(d.entries(files(identity=oracle.seal_code(ME, b"other").encode()), KEY)),
                                  65, "the backup code in it"),
    "text instead of a code": (lambda: whole(d.entries(files(identity=b"hello"), KEY)), 65, "the backup code in it"),
    "contacts without keys": (lambda: whole(d.entries(files(contacts_csv=b'"identity"\n"ECHOECHO"\n'), KEY)),
                              65, "no column publickey"),
    "empty contacts": (lambda: whole(d.entries(files(contacts_csv=b""), KEY)), 65, "no column identity"),
    "100,001 contacts": (lambda: whole(d.entries(files(
        contacts_csv=b'"identity","publickey","verification"\n' + b"x,y,z\n" * 100_001), KEY)), 14, "more than 100000 rows"),
    "20,000 contacts": (lambda: whole(d.entries(files(contacts_csv=many(20_000)), KEY)), 14, "values"),
    "60,000 contacts": (lambda: whole(d.entries(files(contacts_csv=many(60_000)), KEY)), 14, "bytes"),
}


def many(count):
    rows = (b'"%08d","%s","UNVERIFIED"\n' % (n, b"ab" * 32) for n in range(count))
    return b'"identity","publickey","verification"\n' + b"".join(rows)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(measured, write, password, name):
    make, code, said = REFUSED[name]
    path = write("backup.zip", make())
    refused = measured.fails(code, "backup", "import", path, *password)
    assert said in refused.err, refused
    assert snapshot(measured.keystore) == EMPTY_KEYSTORE
    assert measured.seconds < MAX_SECONDS and measured.mebibytes < MAX_MEBIBYTES, (measured.seconds, measured.mebibytes)


def test_from_stdin_it_needs_a_name(keytool, password):
    refused = keytool.fails(65, "backup", "import", "-", *password, stdin=whole())
    assert "stdin is a ZIP file" in refused.err and "name the file" in refused.err


def test_a_newer_version_can_be_tried(keytool, write, password):
    path = write("backup.zip", settings('"version","99"\n'))
    assert keytool.json("backup", "import", path, *password, "--try-newer")["format_version"] == 99


def test_a_missing_table_is_said(keytool, write, password):
    path = write("backup.zip", whole(d.entries(files(groups_csv=None), KEY)))
    result = keytool.ok("backup", "check", path, *password)
    assert "the file has no groups.csv" in result.err
    assert keytool.json("backup", "import", path, *password)["missing"] == ["groups.csv"]


def test_a_damaged_picture_does_not_keep_the_rest(keytool, write, password):
    found = [d.entry(name, content, KEY) for name, content, _ in
             d.files(SMALL._replace(picture=backupdraws.picture(random.Random(1))), KEY, code=CODE)]
    found = [each._replace(data=flipped(each.data)) if each.name == b"contact_avatar_me" else each for each in found]
    assert keytool.json("backup", "import", write("backup.zip", d.archive(found)), *password)["picture"] == "damaged"


GOOD_KEY = "ab" * 32
ROWS = [
    (f"ECHOECHO,{GOOD_KEY},FULLY_VERIFIED", None), (f"ECHOECHO,{GOOD_KEY},UNVERIFIED", "an earlier row has the same ID"),
    (f"echoecho,{GOOD_KEY},x", "the ID is malformed"), ("AAAABBBB,abcd,x", "the public key is malformed"),
    (f"AAAABBBB,{'00' * 32},x", "the public key is malformed"), (f"AAAABBBB,01{'00' * 31},x", "the public key is malformed"), ("AAAABBBB", "cells are missing"),
    (f"AAAACCCC,{GOOD_KEY},x,tomorrow", "last_update is not a time"), (f"AAAACCCC,{GOOD_KEY},x,-1", "last_update is not a time"),
    (f"ABCD1234,{GOOD_KEY},x", None), (f"AAAADDDD,{GOOD_KEY},x,5,more", None), ('"AAAAEEEE', "a quote is not closed")]


def test_wrong_rows_are_named_and_left_out(keytool, write, password):
    table = "identity,publickey,verification,last_update\n" + "\n".join(row for row, _ in ROWS)
    path = write("backup.zip", whole(d.entries(files(contacts_csv=table.encode()), KEY)))
    shown = keytool.json("backup", "check", path, *password)
    assert shown["contacts"] == 2
    expected = [(number, said) for number, (_, said) in enumerate(ROWS, 2) if said]
    assert shown["skipped_rows"] == len(expected)
    for found, (row, said) in zip(shown["skipped"], expected, strict=True):
        assert found["file"] == "contacts.csv" and found["row"] == row and said in found["problem"]
    warned = keytool.ok("backup", "check", path, *password).err
    assert warned.count("contacts.csv, row ") == len(expected)


def test_wrong_members_are_left_out(keytool, write, password):
    table = '"id","creator","members"\n"0123456789abcdef","ECHOECHO","ECHOECHO;;nobody;ECHOECHO"\n"12","ECHOECHO",""\n'
    path = write("backup.zip", whole(d.entries(files(groups_csv=table.encode()), KEY)))
    shown = keytool.json("backup", "import", path, *password)
    assert [one["problem"] for one in shown["skipped"]] == [
        "1 member left out: not a Threema ID", "not read: the group ID is malformed"]


def mutated(chance, entries):
    """A file with one to three changes: of bytes, entries, headers, tables."""
    made = list(entries)
    for _ in range(chance.randint(1, 3)):
        at, way = chance.randrange(len(made)), chance.randrange(7)
        each = made[at]
        if way == 0:
            made.insert(chance.randrange(len(made) + 1), each)
        elif way == 1 and len(made) > 1:
            del made[at]
        elif way == 2:
            made[at] = each._replace(count=chance.choice([0, 1, each.count + 1, 2**31, 2**32 - 1]))
        elif way == 3:
            made[at] = each._replace(offset=chance.randrange(1 << chance.randrange(1, 32)))
        elif way == 4:
            made[at] = each._replace(flags=chance.randrange(1 << 16), method=chance.choice([0, 8, 99, 98]))
        elif way == 5 and each.data:
            place = chance.randrange(len(each.data))
            made[at] = each._replace(data=each.data[:place] + chance.randbytes(3) + each.data[place + 1:])
        else:
            made[at] = d.entry(each.name.decode(), mangled(chance), KEY, large=chance.random() < 0.5)
    file = bytearray(d.archive(made, zip64=chance.random() < 0.3))
    for _ in range(chance.choice([0, 0, 1, 4])):
        file[chance.randrange(4, len(file))] = chance.randrange(256)
    tail = len(file) - chance.randrange(1, 300)
    if chance.random() < 0.3:
        file[max(4, tail)] ^= 1 << chance.randrange(8)
    return bytes(file[: chance.randrange(4, len(file))] if chance.random() < 0.1 else file)


def mangled(chance):
    """A table or other content that no app writes."""
    cells = ["identity", "publickey", "verification", "id", "creator", "members", "version", "ECHOECHO", GOOD_KEY, '"', "\\",
             "\0", "é", "\n", ",", ";", "27", "-1", "9" * 30, "\r\n", "distribution_list_name", "distribution_members"]
    return "".join(chance.choice(cells) + chance.choice([",", "\n", ""]) for _ in range(chance.randrange(60))).encode()


def test_500_mutated_ones_end_cleanly(keytool, tmp_path, password):
    entries = d.entries(files(), KEY)
    codes = set()

    def work(place, numbers):
        place.mkdir()
        measured = Measured(keytool, place / "report")
        for number in numbers:
            path = place / "backup.zip"
            path.write_bytes(mutated(random.Random(number), entries))
            result = measured("backup", "check", path, *password)
            assert result.code in DAMAGED, (number, result)
            codes.add(result.code)
        assert measured.seconds < MAX_SECONDS and measured.mebibytes < MAX_MEBIBYTES

    on_two_processors(work, [tmp_path / "one", tmp_path / "two"], list(range(500)))
    assert codes >= {0, 65}
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_a_directory_of_70_000_entries(measured, write, password):
    empty = struct.pack("<4sHHHHIIIIHHHHHII", b"PK\1\2", 51, 51, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0)
    file = bytearray(d.archive(d.entries(files(), KEY)))
    end = file.rindex(b"PK\5\6")
    number, length, start = struct.unpack_from("<HII", file, end + 10)
    more = b"".join(empty + b"%08d" % n for n in range(70_000))
    directory = bytes(file[start:end]) + more
    place = start + len(directory)
    file = bytes(file[:start]) + directory + struct.pack(
        "<4sQHHIIQQQQ", b"PK\6\6", 44, 51, 51, 0, 0, number + 70_000, number + 70_000, len(directory), start)
    file += struct.pack("<4sIQI", b"PK\6\7", 0, place, 1)
    file += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), start, 0)
    shown = measured.json("backup", "check", write("backup.zip", file), *password)
    assert shown["left_behind"]["other"] == 70_000 and length < len(directory)
    assert measured.seconds < MAX_SECONDS and measured.mebibytes < MAX_MEBIBYTES, (measured.seconds, measured.mebibytes)
