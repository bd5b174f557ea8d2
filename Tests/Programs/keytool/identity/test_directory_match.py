"""contact match: addresses are looked for by their hashes, with a token that is remembered."""

import base64
import hmac
import json

import pytest

from kit import identityfiles, masterkey
from kit.damage import flip
from kit.runner import snapshot
from kit.servers.directoryrequests import EMAIL_KEY, PHONE_KEY, hashed

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
LIST = "# friends\n\nAnn@GMAIL.com\r\n+41 79 123 45 67\nnobody@example.org\n  0041 (0)79-000.00/00  \n"
MATCH, TOKEN = "identity/match", "identity/match_token"


@pytest.fixture
def registered(keytool, id_directory, at):
    id = keytool.json("id", "create", *at)["id"]
    id_directory.add("ANNANNAN", KEY, email="ann@googlemail.com")
    id_directory.add("BOBBOBBO", OTHER_KEY, mobile="41791234567")
    id_directory.asked.clear()
    return id


@pytest.fixture
def addresses(write):
    return write("addresses", LIST)


def record(keytool, id):
    return identityfiles.opened(
        identityfiles.path(keytool.keystore, id, "matchtoken"), masterkey.read(keytool))


def token(keytool, id):
    content = record(keytool, id)
    return content[11 + int.from_bytes(content[9:11], "big"):].decode()


def test_found(keytool, id_directory, registered, addresses):
    result = keytool.ok("contact", "match", addresses)
    assert result.out == f"ann@gmail.com  ANNANNAN  {KEY.hex()}\n+41791234567  BOBBOBBO  {OTHER_KEY.hex()}\n"
    assert id_directory.asked == [(TOKEN, 1), (TOKEN, 2), (MATCH, 1)]
    found = keytool.json("contact", "match", addresses)
    assert found == {
        "schema": "keytool/1", "command": "contact match", "id": registered, "addresses": 4, "check_interval": 86400,
        "matches": [
            {"line": 3, "address": "ann@gmail.com", "id": "ANNANNAN", "public_key": KEY.hex()},
            {"line": 4, "address": "+41791234567", "id": "BOBBOBBO", "public_key": OTHER_KEY.hex()}]}


def test_only_hashes_are_sent(keytool, id_directory, registered, addresses):
    keytool.ok("contact", "match", addresses)
    for request in id_directory.requests:
        for secret in (b"ann@", b"gmail", b"791234567", b"nobody"):
            assert secret not in request.body.lower(), request.body


def test_token_is_remembered_and_refreshed_once(keytool, id_directory, registered, addresses):
    result = keytool.ok("contact", "match", addresses)
    assert "not to search again" not in result.err
    first = token(keytool, registered)
    assert id_directory.match_tokens == {first}
    content = record(keytool, registered)
    assert content[0] == 1 and content[11:11 + len(id_directory.url)] == id_directory.url.encode()
    id_directory.asked.clear()
    result = keytool.ok("contact", "match", addresses)
    assert "asked not to search again before" in result.err
    assert id_directory.asked == [(MATCH, 1)] and token(keytool, registered) == first
    # The directory no longer knows it.
    id_directory.match_tokens = set()
    id_directory.asked.clear()
    keytool.ok("contact", "match", addresses)
    assert id_directory.asked == [(MATCH, 1), (TOKEN, 1), (TOKEN, 2), (MATCH, 1)]
    assert token(keytool, registered) != first
    # A second failure is one.
    id_directory.script(MATCH, id_directory.refuse("No more"), times=2)
    assert "No more" in keytool.fails(1, "contact", "match", addresses).err


def test_token_is_sent_to_its_own_directory_only(keytool, id_directory, registered, addresses, at):
    keytool.ok("contact", "match", addresses)
    id_directory.asked.clear()
    alias = id_directory.url.replace("localhost", "127.0.0.1")
    keytool.ok("contact", "match", addresses, "--directory", alias, *at[2:])
    assert id_directory.asked == [(TOKEN, 1), (TOKEN, 2), (MATCH, 1)]


def test_a_directory_that_asks_to_wait_gets_no_second_request(keytool, id_directory, registered, addresses):
    keytool.ok("contact", "match", addresses)
    id_directory.asked.clear()
    id_directory.script(MATCH, id_directory.status(429, Retry_After=42))
    keytool.fails(75, "contact", "match", addresses)
    assert id_directory.asked == [(MATCH, 1)]


def test_damaged_token(keytool, id_directory, registered, addresses):
    keytool.ok("contact", "match", addresses)
    path = identityfiles.path(keytool.keystore, registered, "matchtoken")
    flip(path)
    assert "matchtoken" in keytool("doctor").out
    keytool.ok("contact", "match", addresses)
    assert token(keytool, registered) in id_directory.match_tokens


def test_nobody_is_found(keytool, registered):
    result = keytool.ok("contact", "match", "-", stdin="nobody@example.org\n")
    assert result.out == "" and "knows none of the 1 addresses" in result.err


def test_token_is_never_said(keytool, id_directory, registered, addresses):
    for loud in (["-v"], ["--json"], ["-v", "--json"]):
        result = keytool.ok("contact", "match", addresses, *loud)
        assert token(keytool, registered) not in result.out + result.err


def test_all_identities_with_an_address(keytool, id_directory, registered):
    """A directory may link an address to several; each is shown, and once if it has both names of a mailbox."""
    id_directory.add("CARLCARL", OTHER_KEY, email="ann@gmail.com")
    found = keytool.json("contact", "match", "-", stdin="ann@gmail.com\n")["matches"]
    assert sorted(match["id"] for match in found) == ["ANNANNAN", "CARLCARL"]
    hashes = [hashed(EMAIL_KEY, "ann@gmail.com"), hashed(EMAIL_KEY, "ann@googlemail.com")]
    key = base64.b64encode(KEY).decode()
    identities = [{"identity": name, "publicKey": key, "emailHash": hash}
                  for name in ("ANNANNAN", "DORADORA") for hash in hashes]
    reply = json.dumps({"checkInterval": 86400, "identities": identities}).encode()
    id_directory.script(MATCH, id_directory.status(200, reply))
    assert keytool.ok("contact", "match", "-", stdin="Ann@gmail.com\n").out.splitlines() == [
        f"ann@gmail.com  ANNANNAN  {KEY.hex()}", f"ann@gmail.com  DORADORA  {KEY.hex()}"]


def test_keys_are_compared_with_the_keystore(keytool, id_directory, registered, addresses):
    keytool.ok("contact", "add", "ANNANNAN", KEY.hex())
    keytool.ok("contact", "add", "BOBBOBBO", "ab" * 32)
    result = keytool.ok("contact", "match", addresses)
    assert "another key for BOBBOBBO" in result.err and "ANNANNAN" not in result.err
    found = keytool.json("contact", "match", addresses)["matches"]
    assert [match["matches"] for match in found] == [True, False]
    id_directory.add(registered, KEY, email="nobody@example.org")
    result = keytool("contact", "match", addresses)
    assert result.code == 19 and registered in result.out and "WRONG KEY" in result.err, result


def test_a_key_that_nobody_can_have(keytool, id_directory, registered):
    """It does not hide the others."""
    id_directory.add("LOWORDER", bytes(32), mobile="41791111111")
    addresses = "+41791111111\nann@gmail.com\n"
    result = keytool.ok("contact", "match", "-", stdin=addresses)
    assert result.out == f"+41791111111  LOWORDER  no usable public key\nann@gmail.com  ANNANNAN  {KEY.hex()}\n"
    assert "no usable public key for LOWORDER" in result.err and "for ANNANNAN" not in result.err
    found = keytool.json("contact", "match", "-", stdin=addresses)["matches"]
    assert found[0] == {"line": 1, "address": "+41791111111", "id": "LOWORDER"} and found[1]["public_key"] == KEY.hex()
    # An identity of the keystore has a key, which this one is not.
    id_directory.add(registered, bytes(32), email="nobody@example.org")
    result = keytool("contact", "match", "-", stdin="nobody@example.org\n")
    assert result.code == 19 and f"{registered}  no usable public key" in result.out, result


# Added


def levels(keytool, *id):
    return {contact["id"]: contact["level"] for contact in keytool.json("contact", "list", *id)["contacts"]}


def test_add(keytool, id_directory, registered, addresses):
    result = keytool.ok("contact", "match", addresses, "--add")
    assert result.out.splitlines()[2:] == [
        "ANNANNAN was added at level 2, verified by the server", "BOBBOBBO was added at level 2, verified by the server"]
    assert levels(keytool) == {"ANNANNAN": 2, "BOBBOBBO": 2}
    added = keytool.json("contact", "match", addresses, "--add")["added"]
    assert added == [{"id": id, "result": "unchanged", "level": 2} for id in ("ANNANNAN", "BOBBOBBO")]
    assert "added" not in keytool.json("contact", "match", addresses)


def test_add_raises_level_1_and_never_lowers(keytool, registered, addresses, at):
    keytool.ok("contact", "add", "ANNANNAN", KEY.hex())
    keytool.ok("contact", "add", "BOBBOBBO", OTHER_KEY.hex())
    keytool.ok("contact", "verify", f"3mid:BOBBOBBO,{OTHER_KEY.hex()}", "--offline")
    added = keytool.json("contact", "match", addresses, "--add")["added"]
    assert [each["result"] for each in added] == ["raised", "unchanged"]
    assert levels(keytool) == {"ANNANNAN": 2, "BOBBOBBO": 3}


def test_add_leaves_out_what_it_cannot_add(keytool, id_directory, registered, addresses):
    """One with another key (17), one without a usable key, and the identity itself; the others are added."""
    keytool.ok("contact", "add", "ANNANNAN", OTHER_KEY.hex())
    id_directory.add("LOWORDER", bytes(32), mobile="41790000000")
    result = keytool("contact", "match", addresses, "--add", "--json")
    assert result.code == 17, result
    assert [each.get("result") for each in result.json["added"]] == [None, "added"]
    assert result.json["added"][0]["error"]["reason"] == "other_key"
    assert levels(keytool) == {"ANNANNAN": 1, "BOBBOBBO": 2}
    own = bytes.fromhex(keytool.json("id", "show")["public_key"])
    id_directory.add(registered, own, email="nobody@example.org")
    keytool.ok("contact", "match", "-", "--add", stdin="nobody@example.org\n")
    assert registered not in levels(keytool)


def test_add_stores_no_key_that_the_keystore_contradicts(keytool, id_directory, registered, addresses):
    """Another one of a contact that another identity has (17), or of an identity in the keystore (19)."""
    keytool.ok("id", "create", "--id", "OTHERME1")
    keytool.ok("contact", "add", "BOBBOBBO", KEY.hex(), "--identity", "OTHERME1")
    match = ["contact", "match", addresses, "--add", "--identity", registered, "--json"]
    result = keytool(*match)
    assert result.code == 17, result
    first, second = result.json["added"]
    assert first["result"] == "added" and second["error"]["reason"] == "other_key"
    assert KEY.hex() in second["error"]["hint"] and OTHER_KEY.hex() in second["error"]["hint"]
    id_directory.add("OTHERME1", OTHER_KEY, email="nobody@example.org")
    result = keytool(*match)
    assert result.code == 19, result
    assert {each["id"]: each["error"]["code"] for each in result.json["added"] if "error" in each} == {
        "BOBBOBBO": 17, "OTHERME1": 19}
    assert levels(keytool, registered) == {"ANNANNAN": 2}


def test_add_stores_all_at_once(keytool, id_directory, registered, write):
    for number in range(200):
        id_directory.add(f"A{number:07}", KEY, email=f"a{number}@example.org")
    keytool.ok("contact", "match", "-", "--add", stdin="".join(f"a{n}@example.org\n" for n in range(200)))
    assert len(levels(keytool)) == 200


def test_add_needs_the_network(keytool, registered, addresses):
    keytool.fails(64, "contact", "match", addresses, "--add", "--dry-run")


# Without the network


def test_dry_run(keytool, id_directory, addresses, at):
    before = snapshot(keytool.keystore)
    result = keytool.ok("contact", "match", addresses, "--dry-run", *at)
    assert result.out.splitlines() == [
        f"email  {hashed(EMAIL_KEY, 'ann@gmail.com')}  ann@gmail.com",
        f"email  {hashed(EMAIL_KEY, 'ann@googlemail.com')}  ann@gmail.com",
        f"mobile  {hashed(PHONE_KEY, '41791234567')}  +41791234567",
        f"email  {hashed(EMAIL_KEY, 'nobody@example.org')}  nobody@example.org",
        f"mobile  {hashed(PHONE_KEY, '41790000000')}  +41790000000"]
    shown = keytool.json("contact", "match", addresses, "--dry-run")
    assert shown["sent"] is False and len(shown["hashes"]) == 5
    assert shown["hashes"][2] == {"line": 4, "kind": "mobile", "hash": hashed(PHONE_KEY, "41791234567"),
                                  "address": "+41791234567"}
    assert snapshot(keytool.keystore) == before and not id_directory.asked


def test_hashes_are_those_of_the_facts():
    assert hashed(PHONE_KEY, "41791234567") == base64.b64encode(
        hmac.new(PHONE_KEY, b"41791234567", "sha256").digest()).decode()


@pytest.mark.parametrize("text, words", [
    ("ann@example.org\n079 123 45 67\n", "line 2 lacks its country"),
    ("\n\nnobody\n", "line 3 is not"),
    ("ä@example.org\n", "line 1 is not"),
    ("a@b@c\n", "line 1 is not"),
    ("+41 79 123 45 67, ann@example.org\n", "line 1 is not"),
    ("", "empty"),
    ("# nothing\n\n", "empty"),
    ("".join(f"a{n}@example.org\n" for n in range(5001)), "more than 5000 addresses"),
    ("#" + "x" * 1024 * 1024, "longer than 1048576 bytes"),
    ("a\0@example.org\n", "line 1 is not"),
    (b"\xff\xfe\n", "not UTF-8"),
], ids=lambda value: str(value)[:20])
def test_lists_that_are_refused(keytool, id_directory, registered, write, text, words):
    result = keytool.fails(65, "contact", "match", write("list", text))
    assert words in result.err and not id_directory.asked, result


def test_longest_list(keytool, id_directory, registered, write):
    text = "".join(f"a{n}@gmail.com\n" for n in range(4999)) + "ann@gmail.com\n"
    found = keytool.json("contact", "match", write("list", text))
    assert found["addresses"] == 5000 and [match["line"] for match in found["matches"]] == [5000]


def test_missing_file(keytool, registered):
    keytool.fails(66, "contact", "match", keytool.home / "missing")


@pytest.mark.parametrize("path, phases", [(MATCH, [1]), (TOKEN, [1, 2])])
def test_failures(keytool, id_directory, registered, addresses, path, phases):
    for act, code in ((id_directory.status(401), 13), (id_directory.status(429), 75),
                      (id_directory.refuse("Too many"), 1), (id_directory.lose, 75)):
        for phase in phases:
            id_directory.script(path, act, phase=phase, times=9)
            keytool.fails(code, "contact", "match", addresses, "--retry-max-time", "3s")
            id_directory.scripts.clear()


def test_a_directory_that_names_others_is_not_believed(keytool, id_directory, registered, addresses):
    other = hashed(EMAIL_KEY, "other@example.org")
    reply = ('{"identities":[{"identity":"ANNANNAN","publicKey":"%s","emailHash":"%s"}]}'
             % (base64.b64encode(KEY).decode(), other)).encode()
    id_directory.script(MATCH, id_directory.status(200, reply))
    assert '"emailHash"' in keytool.fails(65, "contact", "match", addresses).err


@pytest.mark.parametrize("other", [OTHER_KEY, bytes(32)], ids=["other", "unusable"])
def test_an_id_with_two_keys_is_not_believed(keytool, id_directory, registered, other):
    """Which of them is compared would depend on their order."""
    keytool.ok("contact", "add", "ANNANNAN", KEY.hex())
    identities = [{"identity": "ANNANNAN", "publicKey": base64.b64encode(key).decode(),
                   "emailHash": hashed(EMAIL_KEY, name)}
                  for key, name in ((KEY, "ann@gmail.com"), (other, "ann@googlemail.com"))]
    for options in ([], ["--add"]):
        id_directory.script(MATCH, id_directory.status(200, json.dumps({"identities": identities}).encode()))
        result = keytool.fails(65, "contact", "match", "-", *options, stdin="ann@gmail.com\n")
        assert '"publicKey"' in result.err
    assert levels(keytool) == {"ANNANNAN": 1}
