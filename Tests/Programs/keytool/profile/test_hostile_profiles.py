"""Documents in files that somebody wrote who means harm.

`profile import` and `profile diff` end in 65 or 14, or in 0 or 19 where nothing is wrong but the size: within 2 s of
processor time and 256 MiB, and what is refused stores nothing. What was imported is then shown, listed, edited and
compared within the same limits.
"""

import gzip
import json

import pytest

from kit import oracle, profiles
from kit.processes.measured import Measured
from kit.runner import BUT_THE_FINDING, snapshot
from test_hostile_documents import GRAMMAR, KEYS, LARGE, MEBIBYTES, MINIMAL, OPEN, SECONDS, TEXT, contacts

# Longer than any document; the file has no blocks on the disk.
SPARSE = 1 << 30


@pytest.fixture
def place(pulled):
    """Holds the identity whose private key is in the documents, and its Safe."""
    return pulled("hostile", oracle.seal_safe(MINIMAL, KEYS))


@pytest.fixture
def machine(place, tmp_path):
    return Measured(place.keytool, tmp_path / "usage")


@pytest.fixture
def document(tmp_path):
    """document(text) -> the path of a file with it"""

    def document(text):
        path = tmp_path / "document.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return document


def within_limits(machine):
    print(f"{machine.seconds:.2f} s, {machine.mebibytes:.0f} MiB")
    assert machine.seconds <= SECONDS and machine.mebibytes <= MEBIBYTES


def refused(machine, code, path):
    before = snapshot(machine.keystore)
    machine.fails(code, "profile", "import", "--replace", path)
    machine.fails(code, "profile", "diff", path)
    assert snapshot(machine.keystore) == before
    within_limits(machine)


def accepted(machine, path):
    machine.ok("profile", "import", "--replace", path)
    assert "equals the file" in machine.ok("profile", "diff", path).out
    machine.ok("profile", "show", "-v")
    machine.ok("contact", "list")
    for format in ("csv", "vcard"):
        machine.ok("contact", "list", "--format", format)
    assert machine("profile", "set", "--nickname", "other").code == 0
    result = machine("profile", "diff", path)
    assert result.code == 19 and '"other" in the keystore\n' in result.out
    within_limits(machine)


# Without the bombs, which are about compression.
SIZES = {name: plain for name, (plain, _) in LARGE.items() if "GiB" not in name and "promises" not in name}
FITTING = {"95,000 contacts", "190,000 names", "4 MiB of nickname", "8 MiB of escapes", "8 MiB of digits",
           "8 MiB of blanks"}
MALFORMED = {"8 MiB of an open string", "8 MiB of brackets"}


@pytest.mark.parametrize("name", SIZES)
def test_large(machine, document, name):
    path = document(gzip.decompress(SIZES[name]()))
    if name in FITTING:
        accepted(machine, path)
    else:
        refused(machine, 65 if name in MALFORMED else 14, path)


@pytest.mark.parametrize("plain, code", LARGE.values(), ids=LARGE)
def test_large_on_the_server(place, machine, plain, code):
    """A comparison makes nothing known."""
    place.directory.put(place.keys, oracle.seal_box(plain(), KEYS))
    before = snapshot(machine.keystore, BUT_THE_FINDING)
    if code == 0:
        assert machine("profile", "diff").code == 19
    else:
        machine.fails(code, "profile", "diff")
    assert snapshot(machine.keystore, BUT_THE_FINDING) == before
    within_limits(machine)


def test_a_file_longer_than_any_document(machine, tmp_path):
    path = tmp_path / "document.json"
    with path.open("wb") as file:
        file.truncate(SPARSE)
    refused(machine, 14, path)


def test_grammar(machine, document):
    for name, text in GRAMMAR.items():
        print(name)
        refused(machine, 65, document(text))


TYPES = {
    "not an object": "[]", "nothing": "", "blanks": " \n", "null": "null", "no info": '{"user":{}}', "no user": '{"info":{"version":1}}',
    "version 2": '{"info":{"version":2},"user":{}}', "version 1e0": '{"info":{"version":1e0},"user":{}}',
    "a list of contacts that is none": TEXT[:-1] + ',"contacts":{}}', "a contact that is none": TEXT[:-1] + ',"contacts":[1]}',
    "a contact without ID": TEXT[:-1] + ',"contacts":[{}]}', "an ID that is a number": TEXT[:-1] + ',"contacts":[{"identity":1}]}',
    "a group that is none": TEXT[:-1] + ',"groups":[[]]}', "a member that is none": TEXT[:-1] + ',"groups":[{"members":[1]}]}',
    "settings that are none": TEXT[:-1] + ',"settings":null}', "a ZIP file": b"PK\x03\x04" + bytes(100),
}


@pytest.mark.parametrize("text", TYPES.values(), ids=TYPES)
def test_types(machine, document, text):
    refused(machine, 65, document(text))


@pytest.mark.parametrize("number", ["1e308", "1e400", "-1e308", "9" * 400, "18446744073709552000"])
def test_numbers(machine, document, number):
    """Times may be any number; they survive, and are shown as unknown."""
    accepted(machine, document(contacts_with(f'"createdAt":{number},"lastUpdate":{number},"verification":0')))
    assert "created_at" not in machine.json("contact", "list")["contacts"][0]
    machine.ok("profile", "export", "--force", "-o", machine.home / "exported.json")
    assert f'"createdAt":{number}' in (machine.home / "exported.json").read_text()


def contacts_with(members):
    return OPEN + b'"contacts":[{"identity":"ECHOECHO",' + members.encode() + b"}]}"


def test_many_groups_with_many_members(machine, document):
    """150,000 IDs that are members, and one that is the creator of all groups."""
    members = [f"M{n:07}" for n in range(300)]
    groups = [{"id": f"{n:016x}", "creator": "ECHOECHO", "groupname": "x" * 20, "members": members} for n in range(500)]
    accepted(machine, document(json.dumps({**profiles.document(x=None), "groups": groups})))


def test_one_id_many_times(machine, document):
    """Pairing entries of one name takes no more time than entries of many."""
    path = document(gzip.decompress(contacts(b'{"identity":"ECHOECHO"}', 60_000)))
    accepted(machine, path)
    machine.ok("contact", "remove", "--yes", "ECHOECHO")
    assert machine.json("profile", "show")["contacts"] == 0
    within_limits(machine)


def test_a_pipe_that_never_ends(machine):
    """It is read up to the limit."""
    machine.fails(14, "profile", "import", "/dev/zero")
    within_limits(machine)
