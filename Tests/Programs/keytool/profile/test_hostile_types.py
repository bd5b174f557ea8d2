"""Known members of a Safe document with values of every type: those that no app writes are refused
and store nothing, the others are kept as they were spelled.

The types are those of the schema https://safe.threema.ch/schema/1.json, as far as apps agree.
"""

import json

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import BUT_THE_FINDING, snapshot

KEY = bytes(range(32))
KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")

TEXTS = "contacts.identity groups.id groups.creator distributionlists.id info.device".split()
TEXTS_OR_NULL = ("user.nickname user.profilePic contacts.publickey contacts.firstname "
                 "contacts.lastname contacts.nickname groups.groupname "
                 "distributionlists.name").split()
FLAGS = ("settings.syncContacts settings.blockUnknown settings.readReceipts settings.sendTyping "
         "contacts.workVerified contacts.hidden groups.deleted").split()
COUNTS = ["contacts.verification", "contacts.readReceipts", "contacts.typingIndicators"]
TIMES = ("contacts.createdAt contacts.lastUpdate groups.createdAt groups.lastUpdate "
         "distributionlists.createdAt").split()
LISTS = ("contacts groups distributionlists groups.members distributionlists.members "
         "settings.blockedContacts settings.recentEmojis").split()
NONE_OF_THESE = ["info", "user", "info.version", "user.privatekey"]
VALUES = ["null", "true", "7", "1.5", "1e400", '"text"', "[]", "[7]", "[[]]", '{"a":7}']
FINE = {**dict.fromkeys(TEXTS, ['"text"']), **dict.fromkeys(TEXTS_OR_NULL, ['"text"', "null"]),
        **dict.fromkeys(FLAGS, ["true"]), **dict.fromkeys(COUNTS, ["7"]),
        **dict.fromkeys(TIMES, ["7", "1.5", "1e400", "null"]), **dict.fromkeys(LISTS, ["[]"]),
        **dict.fromkeys(NONE_OF_THESE, []), "settings": ['{"a":7}']}


def document_with(path, value):
    """The text of a document with this value, spelled so, in this place."""
    document = {**oracle.safe_document(KEY),
                "contacts": [{"identity": "ECHOECHO", "verification": 1}],
                "groups": [{"id": "00", "creator": "ECHOECHO", "members": []}],
                "distributionlists": [{"id": "00", "name": "all", "members": []}]}
    *parents, name = path.split(".")
    place = document[parents[0]] if parents else document
    (place[0] if isinstance(place, list) else place)[name] = "HERE"
    return json.dumps(document).replace('"HERE"', value)


@pytest.fixture
def machine(pulled):
    """Holds the identity and its Safe."""
    return pulled("hostile", oracle.seal_safe(oracle.safe_document(KEY), KEYS))


def give(machine, path, value):
    print(path, value)
    machine.directory.put(KEYS, oracle.seal_safe(document_with(path, value), KEYS))


def test_values_that_are_refused(machine):
    before = snapshot(machine.keytool.keystore, BUT_THE_FINDING)
    for path, fine in FINE.items():
        for value in VALUES:
            if value not in fine:
                give(machine, path, value)
                machine.keytool.fails(65, "safe", "pull")
        machine.keytool.fails(65, "safe", "check")
        assert snapshot(machine.keytool.keystore, BUT_THE_FINDING) == before


def test_values_that_are_kept(machine):
    for path, fine in FINE.items():
        for value in fine:
            give(machine, path, value)
            machine.keytool.ok("safe", "pull")
            assert machine.push("--force")["result"] == "uploaded"
            name = path.rpartition(".")[2]
            assert f'"{name}":{value}' in oracle.open_safe_text(machine.blob, KEYS)
