"""textsecure init, list, show, fingerprint, prekeys, refill-prekeys, request, export, import, verify."""

import base64
import json
import re
import subprocess
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from kit import agefile, identityfiles, masterkey, textsecure
from kit.runner import snapshot
from kit.screens import pixels
from kit.textsecure import LAST_RESORT, NUMBER

SERVER = "https://textsecure.example"
PASSPHRASE = b"Marble-Compass-19"


@pytest.fixture
def made(keytool):
    """An account in the keystore. Returns its members, unsealed by Python."""
    keytool.ok("textsecure", "init", "--number", NUMBER, "--server", SERVER)
    return record(keytool)


def record(keytool, number=NUMBER):
    path = keytool.keystore / "identities/textsecure" / number[1:] / "account"
    return json.loads(identityfiles.opened(path, masterkey.read(keytool)))


def age_for(tmp_path, content, name="account.age"):
    """An age file for a recipient, and the options that open it."""
    secret = bytes(range(32))
    file_key = b"0123456789abcdef"
    stanza = agefile.x25519_stanza(file_key, agefile.public_key(X25519PrivateKey.from_private_bytes(secret)), bytes(range(32, 64)))
    (tmp_path / "key").write_text(agefile.identity_text(secret) + "\n")
    (tmp_path / name).write_bytes(agefile.seal(content, [stanza], file_key, bytes(16)))
    return [tmp_path / name, "--identity", tmp_path / "key"]


def test_init(keytool):
    done = keytool.json("textsecure", "init", "--number", NUMBER, "--server", SERVER)
    kept = record(keytool)
    assert sorted(kept) == sorted(textsecure.account())
    assert (kept["number"], kept["server"], kept["relay"]) == (NUMBER, SERVER, None)
    assert re.fullmatch("[0-9a-f]{32}", kept["password"]) and 1 <= kept["registrationId"] <= 16380
    assert len(base64.b64decode(kept["signalingKey"], validate=True)) == 52
    ids = [each["id"] for each in kept["prekeys"]]
    assert len(set(ids)) == 100 and all(1 <= each < LAST_RESORT for each in ids)
    assert kept["lastResort"]["id"] == LAST_RESORT
    keys = [kept["identity"], kept["lastResort"]["private"]] + [each["private"] for each in kept["prekeys"]]
    assert len(set(keys)) == 102
    for key in keys:
        raw = base64.b64decode(key, validate=True)
        assert raw == textsecure.clamped(raw) and len(raw) == 32
    assert (done["messenger"], done["id"], done["number"]) == ("textsecure", NUMBER[1:], NUMBER)
    assert done["fingerprint"] == textsecure.fingerprint(textsecure.identity(kept))


def test_fingerprint_and_code_for_people(keytool, terminal, tmp_path):
    for command, before in [(["init", "--number", NUMBER, "--no-passphrase"], "account"), (["fingerprint"], "fingerprint")]:
        run = terminal("textsecure", *command, columns=100, rows=60, stderr=subprocess.DEVNULL)
        assert run.finish() == 0
        drawn, public = run.text, textsecure.identity(record(keytool))
        assert textsecure.fingerprint(public) in " ".join(drawn.split())
        picture = pixels.draw(pixels.rows_of(drawn.split(before)[0]), pixels.ON_BLACK, 80)
        assert pixels.read_qr(picture, tmp_path / "code.png", is_text=False) == public


def test_init_on_a_narrow_terminal_says_how_to_see_the_code(keytool, terminal):
    process = terminal("textsecure", "init", "--number", NUMBER, "--no-passphrase", columns=24)
    assert process.finish() == 0
    assert "keytool textsecure fingerprint" in " ".join(process.text.split()) and record(keytool)["number"] == NUMBER


def test_init_never_replaces(keytool, made):
    refused = keytool.fails(17, "textsecure", "init", "--number", NUMBER)
    assert NUMBER[1:] in refused.err
    assert record(keytool) == made


@pytest.mark.parametrize("number", ["12025550123", "+", "+1202555012a", "+1234567890123456", "+0123456"])
def test_number_has_to_be_international(keytool, number):
    keytool.fails(64, "textsecure", "init", "--number", number)
    assert list(keytool.keystore.iterdir()) == []


def test_list_and_show(keytool, made):
    keytool.ok("textsecure", "init", "--number", "+4915112345678")
    listed = keytool.json("textsecure", "list")["accounts"]
    assert [each["number"] for each in listed] == [NUMBER, "+4915112345678"]
    keytool.fails(64, "textsecure", "show")
    for name in (NUMBER, NUMBER[1:]):
        one = keytool.json("textsecure", "show", name)
        assert (one["id"], one["server"], one["prekeys"]) == (NUMBER[1:], SERVER, 100)
        assert one["registration_id"] == made["registrationId"]
    secrets = [made["identity"], made["password"], made["signalingKey"]]
    printed = keytool.ok("textsecure", "show", NUMBER).out + json.dumps(one)
    assert not [secret for secret in secrets if secret[:20] in printed]
    shown = keytool.json("textsecure", "show", NUMBER, "--reveal-private-key")
    assert shown["private_key"] == made["identity"]
    keytool.fails(10, "textsecure", "show", "+999999999")


def test_all_messengers(keytool, made):
    keytool.ok("id", "create", "--id", "ABCD1234")
    assert f"textsecure/{NUMBER[1:]}" in keytool.ok("id", "list").out
    shown = keytool.json("id", "show", f"textsecure/{NUMBER[1:]}")
    assert shown["messenger"] == "textsecure" and shown["number"] == NUMBER
    assert "textsecure" in keytool.ok("key", "status").out
    keytool.ok("id", "remove", f"textsecure/{NUMBER[1:]}", "--yes")
    assert keytool.json("textsecure", "list")["accounts"] == []


def test_fingerprint(keytool, made):
    own = textsecure.identity(made)
    shown = keytool.json("textsecure", "fingerprint")
    assert shown["fingerprint"] == textsecure.fingerprint(own) and shown["public_key"] == textsecure.unpadded(own)
    peer = textsecure.account("+4915112345678")
    other = textsecure.identity(peer)
    both = textsecure.numeric_fingerprint((own, NUMBER), (other, peer["number"]))
    given = ["--peer", peer["number"], "--peer-key", textsecure.unpadded(other)]
    assert keytool.json("textsecure", "fingerprint", *given)["numeric"] == both
    lines = keytool.ok("textsecure", "fingerprint", *given).out
    assert both in re.sub(r"\s", "", lines)
    assert keytool.json("textsecure", "fingerprint", *given, "--compare", both)["equal"] is True
    wrong = both[:-1] + str((int(both[-1]) + 1) % 10)
    keytool.fails(19, "textsecure", "fingerprint", *given, "--compare", wrong)
    keytool.ok("textsecure", "fingerprint", "--compare", textsecure.fingerprint(own))
    keytool.fails(19, "textsecure", "fingerprint", "--compare", textsecure.fingerprint(other))
    keytool.fails(64, "textsecure", "fingerprint", "--compare", "12")


def test_prekeys(keytool, made):
    shown = keytool.json("textsecure", "prekeys")
    assert (shown["count"], shown["last_resort_id"], shown["next_id"]) == (100, LAST_RESORT, made["nextPrekeyId"])
    done = keytool.json("textsecure", "refill-prekeys", "--size", "105")
    assert len(done["added"]) == 5
    kept = record(keytool)
    assert len(kept["prekeys"]) == 105
    before = {each["id"]: each["private"] for each in made["prekeys"]}
    after = {each["id"]: each["private"] for each in kept["prekeys"]}
    assert keytool.json("textsecure", "refill-prekeys")["added"] == []
    keytool.fails(64, "textsecure", "refill-prekeys", "--size", "1001")
    assert before.items() <= after.items() and set(after) - set(before) == set(done["added"])
    assert {key: kept[key] for key in kept if key not in ("prekeys", "nextPrekeyId")} == \
        {key: made[key] for key in made if key not in ("prekeys", "nextPrekeyId")}


def test_request_bodies(keytool, made, tmp_path):
    """What goes to the server, written to a file for any HTTP client."""
    authorization = "Basic " + base64.b64encode(f"{NUMBER}:{made['password']}".encode()).decode()
    target = tmp_path / "keys.json"
    keytool.ok("textsecure", "request", "upload-keys", "-o", target)
    assert target.stat().st_mode & 0o777 == 0o600
    written = json.loads(target.read_bytes())
    assert (written["method"], written["url"]) == ("PUT", SERVER + "/v1/keys/")
    assert written["headers"]["Authorization"] == authorization
    identity = textsecure.unpadded(textsecure.identity(made))
    publics = {key: textsecure.unpadded(public) for key, public in textsecure.publics(made).items()}
    body = written["body"]
    assert body["lastResortKey"] == {
        "identityKey": identity, "keyId": LAST_RESORT, "publicKey": publics.pop(LAST_RESORT)}
    assert {each["keyId"]: each["publicKey"] for each in body["keys"]} == publics
    assert all(each["identityKey"] == identity for each in body["keys"])
    assert made["identity"] not in target.read_text() and made["prekeys"][0]["private"] not in target.read_text()

    piped = json.loads(keytool.ok("textsecure", "request", "request-code", "-o", "-").out)
    assert (piped["method"], piped["url"]) == ("GET", f"{SERVER}/v1/accounts/sms/code/{NUMBER}")
    assert "Authorization" not in piped["headers"] and "body" not in piped
    confirmed = json.loads(keytool.ok("textsecure", "request", "confirm-code", "--code", "123456", "-o", "-").out)
    assert confirmed["url"] == f"{SERVER}/v1/accounts/code/123456"
    assert confirmed["body"]["signalingKey"] == made["signalingKey"]
    keytool.fails(17, "textsecure", "request", "upload-keys", "-o", target)


def request(keytool, *words):
    return json.loads(keytool.ok("textsecure", "request", *words, "-o", "-").out)


def test_request_that_finds_contacts(keytool, made, write):
    numbers = ["+12025550124", "+41790000001", "+12025550124"]
    found = request(keytool, "find-contacts", "--numbers", write("numbers", "\n".join(numbers).encode()))
    assert (found["method"], found["url"]) == ("PUT", SERVER + "/v1/directory/tokens")
    assert found["body"] == {"contacts": [textsecure.token(number) for number in numbers[:2]]}
    said = keytool.ok("textsecure", "request", "find-contacts", "--numbers", write("one", numbers[0].encode()), "-o", "-")
    assert "tokens do not hide numbers" in said.err
    many = "\n".join(f"+1202{number:07}" for number in range(1001)).encode()
    refused = keytool.fails(64, "textsecure", "request", "find-contacts", "--numbers", write("many", many), "-o", "-")
    assert "hash-numbers" in refused.err
    keytool.fails(64, "textsecure", "request", "find-contacts", "-o", "-")


def test_request_that_sends_a_message(keytool, made, write):
    message = bytes(range(256))
    before = time.time()
    sent = request(keytool, "send-message", "--to", "+12025550124", "--message", write("message", message))
    assert (sent["method"], sent["url"]) == ("POST", SERVER + "/v1/messages/")
    [body] = sent["body"]["messages"]
    assert before * 1000 - 1 <= body.pop("timestamp") <= time.time() * 1000 + 1
    assert body == {"body": textsecure.unpadded(message), "destination": "+12025550124", "type": 1}
    first = request(keytool, "send-message", "--to", "+12025550124", "--message", write("message", message),
                    "--first", "--relay", "node2")
    assert (first["body"]["messages"][0]["type"], first["body"]["messages"][0]["relay"]) == (3, "node2")
    for missing in (["--to", "+12025550124"], ["--message", write("message", message)]):
        keytool.fails(64, "textsecure", "request", "send-message", *missing, "-o", "-")
    long = write("long", bytes(256 * 1024 + 1))
    keytool.fails(65, "textsecure", "request", "send-message", "--to", "+12025550124", "--message", long, "-o", "-")


def test_requests_of_a_blob_have_no_login(keytool, made):
    """A blob is on a server of its own, which must not get the password."""
    location = "https://blobs.example/a?b=c"
    up = request(keytool, "upload-blob", "--location", location)
    assert up == {"headers": {"Content-Type": "application/octet-stream"}, "method": "PUT", "url": location}
    down = request(keytool, "download-blob", "--location", location)
    assert down == {"headers": {}, "method": "GET", "url": location}
    keytool.fails(64, "textsecure", "request", "download-blob", "-o", "-")
    for wrong in ("http://blobs.example/a", "https://", "https://a b", "/v1"):
        keytool.fails(64, "textsecure", "request", "upload-blob", "--location", wrong, "-o", "-")
    keytool.fails(64, "textsecure", "request", "upload-keys", "--location", location, "-o", "-")


def test_request_of_a_blob_names_its_url(keytool, made, tmp_path):
    location = "https://blobs.example/a"
    done = keytool.json("textsecure", "request", "upload-blob", "--location", location, "-o", tmp_path / "up.json")
    assert done["url"] == location == json.loads((tmp_path / "up.json").read_bytes())["url"]


def test_request_to_a_terminal_is_refused(made, keytool, terminal):
    process = terminal("textsecure", "request", "upload-keys", "-o", "-")
    assert process.finish() == 64
    assert made["password"] not in process.text


def test_export_and_import(keytool, made, given, tmp_path):
    options = given("file-passphrase", PASSPHRASE)
    keytool.ok("textsecure", "export", "-o", tmp_path / "account.age", *options)
    plain = agefile.open_file((tmp_path / "account.age").read_bytes(), passphrase=PASSPHRASE)
    assert plain == textsecure.text(made)
    before = snapshot(keytool.keystore)
    verified = keytool.json("textsecure", "verify", tmp_path / "account.age", *options)
    assert verified["fingerprint"] == textsecure.fingerprint(textsecure.identity(made))
    assert snapshot(keytool.keystore) == before
    again = keytool.json("textsecure", "import", tmp_path / "account.age", *options)
    assert again["result"] == "held" and again["stored"] is False
    keytool.ok("id", "remove", f"textsecure/{NUMBER[1:]}", "--yes")
    keytool.ok("textsecure", "import", tmp_path / "account.age", *options)
    assert record(keytool) == made
    keytool.fails(12, "textsecure", "import", tmp_path / "account.age", *given("file-passphrase", b"wrong"))


def test_import_of_another_identity_is_refused(keytool, made, tmp_path):
    refused = keytool.fails(17, "textsecure", "import", *age_for(tmp_path, textsecure.text(textsecure.account())))
    assert textsecure.fingerprint(textsecure.identity(textsecure.account()))[:20] in refused.err
    assert record(keytool) == made


def test_import_keeps_what_is_newer(keytool, made, tmp_path):
    """An older export has prekeys that were used since, and lacks newer ones. It never replaces the record."""
    older = made | {"prekeys": made["prekeys"][:3], "nextPrekeyId": 7}
    refused = keytool.fails(17, "textsecure", "import", *age_for(tmp_path, textsecure.text(older)))
    assert "prekeys" in refused.err
    assert record(keytool) == made


@pytest.mark.parametrize("members", [
    {"version": 2}, {"messenger": "telegram"}, {"identity": "AA=="}, {"registrationId": 0}, {"signalingKey": "x"},
    {"number": "123"}, {"lastResort": None}, {"unknown": 1}, {"nextPrekeyId": -1},
    {"prekeys": [{"id": 1, "private": "AA=="}]}])
def test_wrong_members(keytool, tmp_path, members):
    text = textsecure.text(textsecure.account() | members)
    keytool.fails(65, "textsecure", "import", *age_for(tmp_path, text))
    assert list(keytool.keystore.iterdir()) == []


def test_last_resort_id_of_the_clients(keytool, tmp_path):
    old = textsecure.account(last_resort=0xFFFFFF)
    keytool.ok("textsecure", "import", *age_for(tmp_path, textsecure.text(old)))
    assert keytool.json("textsecure", "prekeys")["last_resort_id"] == 0xFFFFFF
    assert record(keytool) == old


def test_archive_carries_it(keytool, made, tmp_path, given):
    secret = bytes(range(32))
    (tmp_path / "key").write_text(agefile.identity_text(secret) + "\n")
    keytool.ok("archive", "export", "-o", tmp_path / "all.age", "--recipient",
               agefile.recipient_text(secret))
    keytool.ok("id", "remove", f"textsecure/{NUMBER[1:]}", "--yes")
    keytool.ok("archive", "import", tmp_path / "all.age", "--identity", tmp_path / "key")
    assert record(keytool) == made


@pytest.mark.parametrize("address", ["http://textsecure.example", "ftp:x", "https://", "https:///x", "https://a b",
                                     "http://localhost.example", "https://user@host", "https://host/?a"])
def test_server_gets_the_password_over_tls_only(keytool, address):
    keytool.fails(64, "textsecure", "init", "--number", NUMBER, "--server", address)
    assert list(keytool.keystore.iterdir()) == []


def test_server_on_this_machine(keytool):
    keytool.ok("textsecure", "init", "--number", NUMBER, "--server", "http://127.0.0.1:8080/")
    written = json.loads(keytool.ok("textsecure", "request", "new-attachment", "-o", "-").out)
    assert written["url"] == "http://127.0.0.1:8080/v1/attachments/"


def test_numbers_of_clients_that_numbered_further(keytool, tmp_path):
    further = textsecure.account(prekeys=(9_000_001,), last_resort=0xFFFFFF)
    keytool.ok("textsecure", "import", *age_for(tmp_path, textsecure.text(further)))
    assert keytool.json("textsecure", "prekeys")["next_id"] == 1
    keytool.ok("textsecure", "refill-prekeys", "--size", "3")
    assert [each["id"] for each in record(keytool)["prekeys"]] == [1, 2, 9_000_001]
