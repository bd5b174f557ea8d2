"""A profile as an app wrote it, with fields that nobody knows, and pictures."""

import base64
import io

from PIL import Image

from kit import oracle

KEY = bytes(range(32))
CONTACT_KEY = bytes([0xcc] * 32)
TEXT_OF_KEY = base64.b64encode(CONTACT_KEY).decode()

# What is in a backup of ABCD1234. `1e400`, `x` and the spelling of numbers have to survive every edit.
EXTRA = {
    "x": {"deep": [None, 1, {"é": "\u2028"}]},
    "user": {"nickname": "Anna", "links": [{"type": "mobile", "value": "41791234567", "u": 1}], "u": True},
    "contacts": [
        {"identity": "ECHOECHO", "verification": 2, "publickey": TEXT_OF_KEY, "firstname": "Echo",
         "lastname": "Echo, Inc.", "nickname": "e", "createdAt": 1700000000000, "u": [1]},
        {"identity": "SERVER01", "verification": 1, "workVerified": True, "nickname": "=1+1"},
        {"identity": "NOKEY001", "verification": 0, "hidden": True},
        {"identity": "odd", "verification": 7, "publickey": "?", "firstname": "\u001b[31mred\r\nline"},
    ],
    "groups": [
        {"id": "0100000000000000", "creator": "ECHOECHO", "groupname": "Choir", "deleted": False,
         "members": ["ABCD1234", "ECHOECHO", "SERVER01"]},
        {"id": "0200000000000000", "creator": "STRANGER", "groupname": "Lost", "deleted": False,
         "members": ["ABCD1234", "STRANGER"]},
    ],
    "distributionlists": [{"id": "0a00000000000000", "name": "All", "members": ["ECHOECHO"]}],
    "settings": {"syncContacts": False, "blockUnknown": True, "syncExcludedIDs": ["A"], "u": 1.50},
}


def document(**changes):
    """The document of a backup: `changes` are top-level members; None takes one away."""
    whole = oracle.safe_document(KEY)
    for name, value in {**EXTRA, **changes}.items():
        if value is None:
            whole.pop(name, None)
        elif name == "user":
            whole["user"] = {**whole["user"], **value}
        else:
            whole[name] = value
    return whole


def without_keys(document):
    """As it is exported."""
    user = {name: value for name, value in document["user"].items()
            if name not in ("privatekey", "temporaryDeviceGroupKeyTodoRemove")}
    return {**{name: value for name, value in document.items() if name != "keytool"}, "user": user}


def jpeg(width=400, height=300, mode="RGB", **options):
    file = io.BytesIO()
    Image.new(mode, (width, height), 128).save(file, "JPEG", **{"quality": 60, **options})
    return file.getvalue()
