"""The Safe document: what is kept word for word from pull to push, and what is refused."""

import base64
import gzip
import json
import zlib

import pytest

from kit import oracle
from kit.known import EMPTY_KEYSTORE, SAFE_PASSWORD
from kit.runner import snapshot
from kit.vectorfiles import read_vectors

KEY = bytes(range(32))
KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
PRIVATE = base64.b64encode(KEY).decode()
MINIMAL = oracle.safe_document(KEY)


@pytest.fixture
def directory(directory):
    return directory.prepare()


@pytest.fixture
def pull(keytool, directory, safe_password):
    """pull(blob) -> the finished run of a pull on an empty keystore"""

    def pull(blob, expect=0):
        directory.put(KEYS, blob)
        command = ["safe", "pull", "--id", "ABCD1234", "--server", directory.url, *safe_password]
        if expect == 0:
            return keytool.json(*command)
        result = keytool.fails(expect, *command)
        assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
        return result

    return pull


def spelled(text):
    """JSON with each number as ("number", its spelling), so that 1, 1.0 and 1e0 differ."""
    return json.loads(text, parse_int=lambda n: ("number", n), parse_float=lambda n: ("number", n))


RICH = """
{"info":{"version":1,"device":"6.4.2A/de_CH","build":1e2},
 "user":{"privatekey":"%s","nickname":"a\\/b \\u00e4\\ud83d\\ude00 \\"q\\" \\\\ \\n",
         "future":{"deep":[[[{}]],null,true,false,""]},"links":[]},
 "contacts":[{"identity":"ECHOECHO","verification":2,"createdAt":12345678901234567890,
              "publickey":"4dQ0eZm9Wzv1jhg3Q0c8UqGDX8fZyVb1r0u0l2t2oW8=","lastUpdate":null,
              "unknown":[1.0,1e2,1E+2,-0,-0.0,0.1,1e400,123456789012345678901234567890.5]},
             {"identity":"*SUPPORT","verification":1,"hidden":true,"private":"false"}],
 "groups":[{"id":"0100000000000000","creator":"ECHOECHO","members":[],"deleted":false,"x":0}],
 "distributionlists":[{"name":"all","members":[],"createdAt":1.0}],
 "settings":{"syncContacts":false,"syncExcludedIDs":["NONONONO"],"newSwitch":true},
 "topLevel":{"later":[1]},"zeta":18446744073709552000}
""" % PRIVATE


def test_unknown_fields_and_number_spellings_survive(keytool, directory, pull):
    pull(oracle.seal_safe(RICH, KEYS))
    assert keytool.json("safe", "push", "--force")["result"] == "uploaded"
    written = spelled(oracle.open_safe_text(directory.backup(KEYS).read_bytes(), KEYS))
    expected = spelled(RICH)
    assert written.pop("keytool")["generation"][0] == "number"
    # a writer names itself here; everything else is as it came
    written["info"].pop("device", None)
    expected["info"].pop("device")
    assert written == expected


def test_second_round_trip_changes_nothing_but_the_generation(keytool, directory, pull):
    pull(oracle.seal_safe(RICH, KEYS))
    texts = []
    for _ in range(2):
        keytool.ok("safe", "push", "--force")
        texts.append(oracle.open_safe_text(directory.backup(KEYS).read_bytes(), KEYS))
        keytool.ok("safe", "pull")
    first, second = ({**json.loads(text), "keytool": None} for text in texts)
    assert list(first) == list(second) and first == second


def test_contents_are_counted(pull):
    done = pull(oracle.seal_safe(RICH, KEYS))
    assert (done["contacts"], done["groups"], done["distribution_lists"]) == (2, 1, 1)


@pytest.mark.parametrize("level", range(10))
def test_every_deflate_level_is_read(pull, level):
    assert pull(oracle.seal_safe(MINIMAL, KEYS, level=level))["stored"] is True


def test_more_than_one_stored_block(keytool, directory, pull):
    picture = "A" * 70_000
    document = oracle.safe_document(KEY)
    document["user"]["profilePic"] = picture
    pull(oracle.seal_safe(document, KEYS))
    keytool.ok("safe", "push", "--force")
    written = oracle.open_safe(directory.backup(KEYS).read_bytes(), KEYS)
    assert written["user"]["profilePic"] == picture


def test_many_contacts(keytool, directory, pull):
    contacts = [{"identity": f"{n:08d}", "verification": n % 3} for n in range(5000)]
    assert pull(oracle.seal_safe({**MINIMAL, "contacts": contacts}, KEYS))["contacts"] == 5000
    keytool.ok("safe", "push", "--force")
    assert oracle.open_safe(directory.backup(KEYS).read_bytes(), KEYS)["contacts"] == contacts


@pytest.mark.parametrize("vector", read_vectors("safe_encrypt"), ids=lambda v: v["id"])
def test_documents_of_the_vectors(pull, vector):
    done = pull(oracle.seal_safe(bytes.fromhex(vector["json_utf8_hex"]), KEYS))
    assert done["public_key"] == oracle.Identity("ABCD1234", b"\xcc" * 32).public_key


@pytest.mark.parametrize("version, code", [(0, 0), (1, 0), (2, 65), (99, 65), ("1", 65), (1.5, 65)])
def test_version_rule(pull, version, code):
    pull(oracle.seal_safe({**MINIMAL, "info": {"version": version}}, KEYS), expect=code)


def without(name):
    return {key: value for key, value in MINIMAL.items() if key != name}


def with_key(value):
    return {**MINIMAL, "user": {"privatekey": value}}


MALFORMED = {
    "empty": "",
    "blank": "  ",
    "not JSON": "hello",
    "null": "null",
    "a list": "[]",
    "cut off": json.dumps(MINIMAL)[:-1],
    "text after": json.dumps(MINIMAL) + "x",
    "a key twice": json.dumps(MINIMAL)[:-1] + ',"settings":{}}',
    "the private key twice": json.dumps(MINIMAL).replace(
        '"user": {', '"user": {"privatekey": "%s", ' % base64.b64encode(bytes(32)).decode()),
    "no info": without("info"),
    "no version": {**MINIMAL, "info": {}},
    "no user": without("user"),
    "user is a list": {**MINIMAL, "user": []},
    "no private key": {**MINIMAL, "user": {}},
    "private key too short": with_key(base64.b64encode(bytes(31)).decode()),
    "private key too long": with_key(base64.b64encode(bytes(33)).decode()),
    "private key no base64": with_key("*" * 44),
    "private key null": with_key(None),
    "private key a number": with_key(7),
    "contacts no list": {**MINIMAL, "contacts": {}},
    "depth": '{"a":' * 100_000,
    "depth of lists": json.dumps(MINIMAL)[:-1] + ',"x":' + "[" * 50_000 + "]" * 50_000 + "}",
    "comma at the end": json.dumps(MINIMAL)[:-1] + ",}",
    "leading zero": json.dumps({**MINIMAL, "x": 17}).replace("17", "017"),
    "raw control character": json.dumps({**MINIMAL, "x": "tab"}).replace("tab", "\t"),
    "invalid UTF-8": json.dumps({**MINIMAL, "x": "latin"}).encode().replace(b"latin", b"\xe9"),
    "byte order mark": b"\xef\xbb\xbf" + json.dumps(MINIMAL).encode(),
    "single quotes": json.dumps(MINIMAL).replace('"', "'"),
    "NaN": json.dumps({**MINIMAL, "x": float("nan")}),
}


@pytest.mark.parametrize("document", MALFORMED.values(), ids=MALFORMED)
def test_malformed_documents(pull, document):
    pull(oracle.seal_safe(document, KEYS), expect=65)


TEXT = json.dumps(MINIMAL).encode()
GZIP = gzip.compress(TEXT, 0, mtime=0)
NO_GZIP = {
    "plain JSON": TEXT,
    "zlib": zlib.compress(TEXT),
    "raw deflate": GZIP[10:-8],
    "nothing": b"",
    "cut off": GZIP[:-1],
    "without trailer": GZIP[:-8],
    "wrong checksum": GZIP[:-8] + bytes(4) + GZIP[-4:],
    "wrong length": GZIP[:-4] + bytes(4),
    "bytes after": GZIP + b"x",
}


@pytest.mark.parametrize("plain", NO_GZIP.values(), ids=NO_GZIP)
def test_authentic_but_no_gzip(pull, plain):
    pull(oracle.seal_box(plain, KEYS), expect=65)


@pytest.mark.parametrize("mebibytes", [9, 300])
def test_inflating_without_end(pull, mebibytes):
    """A few kilobytes that unfold into more than 8 MiB."""
    squeezer = zlib.compressobj(9, wbits=31)
    parts = [squeezer.compress(TEXT[:-1] + b',"x":"')]
    parts += [squeezer.compress(b"a" * (1 << 20)) for _ in range(mebibytes)]
    parts += [squeezer.compress(b'"}'), squeezer.flush()]
    pull(oracle.seal_box(b"".join(parts), KEYS), expect=14)


def test_backup_over_four_mebibytes(pull):
    pull(bytes((4 << 20) + 1), expect=(14, 65))
