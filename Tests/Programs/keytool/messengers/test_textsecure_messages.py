"""textsecure open-push and seal-push, against payloads that Python has sealed."""

import base64
import hmac
import json

import pytest

from kit import archives, textsecure
from kit.textsecure import NUMBER, field, signal

ACCOUNT = textsecure.account()
KEY = base64.b64decode(ACCOUNT["signalingKey"])
ATTACHMENT_KEY = bytes(range(100, 164))
CONTENT = field(1, "Meet at noon\nby the\x1b[2J gate") + field(
    2, b"\x09" + (2**63 + 5).to_bytes(8, "little") + field(2, "image/jpeg") + field(3, ATTACHMENT_KEY))


@pytest.fixture
def holder(keytool, write):
    """Its keystore has one account."""
    keytool.ok("textsecure", "import", write("account.age", archives.seal(textsecure.text(ACCOUNT))),
               "--identity", write("agekey", archives.IDENTITY))
    return keytool


def sealed(content):
    return textsecure.seal_push(KEY, content)


@pytest.mark.parametrize("form", ["raw", "unpadded", "padded", "wrapped", "apn", "apn with aps"])
def test_open_push(holder, write, form):
    payload = sealed(signal(b"cipher text", kind=1))
    content = {"raw": payload, "unpadded": textsecure.unpadded(payload).encode(),
               "padded": base64.b64encode(payload) + b"\n", "wrapped": base64.encodebytes(payload),
               "apn": json.dumps({"alert": "New message", "m": textsecure.unpadded(payload)}).encode(),
               "apn with aps": json.dumps({"aps": {"alert": {"loc-key": "NEW", "loc-args": [1, None]}},
                                           "m": base64.b64encode(payload).decode()}, indent=1).encode()}[form]
    opened = holder.json("textsecure", "open-push", write("payload", content), "-o", holder.home / "message")
    assert (opened["type"], opened["type_name"], opened["encrypted"]) == (1, "whisper", True)
    assert (opened["source"], opened["timestamp"]) == (NUMBER, "2014-02-21T16:26:40Z")
    assert opened["bytes"] == 11 and "content" not in opened and "relay" not in opened
    assert (holder.home / "message").read_bytes() == b"cipher text"
    assert (holder.home / "message").stat().st_mode & 0o777 == 0o600
    people = holder.ok("textsecure", "open-push", "-", NUMBER, stdin=content)
    assert NUMBER in people.out and "encrypted" in people.out and "not encrypted" not in people.out
    assert people.err == ""


@pytest.mark.parametrize("text", [
    '{"alert": "New"}', '{"m": 1}', '{"m": "?"}', '{"m": "AAAA"', '[{"m": "AAAA"}]', '{"m": {"m": "AAAA"}}'])
def test_apn_without_a_payload(holder, write, text):
    refused = holder.fails(65, "textsecure", "open-push", write("payload", text.encode()))
    assert "neither Base64, nor JSON" in refused.err


def test_open_push_writes_only_the_message_to_stdout(holder, write):
    opened = holder.ok("textsecure", "open-push", write("payload", sealed(signal(b"\1\2\3", kind=3))), "-o", "-")
    assert opened.out == "\1\2\3"


@pytest.mark.parametrize("kind", [0, 4])
def test_plain_text_is_called_so(holder, write, kind):
    path = write("payload", sealed(signal(CONTENT, kind=kind)))
    opened = holder.json("textsecure", "open-push", path)
    assert (opened["type_name"], opened["encrypted"]) == ("plain_text", False)
    assert opened["content"] == {"body": "Meet at noon\nby the\x1b[2J gate", "attachments": [
        {"id": str(2**63 + 5), "content_type": "image/jpeg", "key": True}]}
    people = holder.ok("textsecure", "open-push", path)
    assert "not encrypted" in people.out and "by the\x1b[2J gate" in people.out and str(2**63 + 5) in people.out
    for form in (ATTACHMENT_KEY.hex(), base64.b64encode(ATTACHMENT_KEY).decode()):
        assert form[:16] not in people.out + people.err + str(opened)


def test_envelope(holder, write):
    content = field(1, 3) + field(2, NUMBER) + field(3, "relay\x07.example") + field(4, "+4915112345678") + field(
        4, "+33612345678") + field(5, 1393000000) + field(6, b"") + field(7, 2)
    path = write("payload", sealed(content))
    opened = holder.json("textsecure", "open-push", path)
    assert (opened["relay"], opened["destinations"]) == ("relay\x07.example", ["+4915112345678", "+33612345678"])
    assert (opened["timestamp"], opened["timestamp_in_seconds"]) == ("2014-02-21T16:26:40Z", True)
    assert (opened["type_name"], opened["source_device"], opened["bytes"]) == ("prekey_whisper", 2, 0)
    people = holder.ok("textsecure", "open-push", path)
    assert "seconds" in people.err and "relay\x07.example" in people.out


@pytest.mark.parametrize("kind, name", [(2, "key_exchange"), (77, "unknown")])
def test_other_types_are_not_called_encrypted(holder, write, kind, name):
    path = write("payload", sealed(signal(CONTENT, kind=kind)))
    opened = holder.json("textsecure", "open-push", path)
    assert (opened["type"], opened["type_name"], opened["encrypted"]) == (kind, name, False)
    assert "content" not in opened
    assert "not encrypted" in holder.ok("textsecure", "open-push", path).out


def test_plain_text_that_is_no_content(holder, write):
    shown = holder.ok("textsecure", "open-push", write("payload", sealed(signal(b"\xff\xff", kind=0))))
    assert "not encrypted" in shown.out and "content" in shown.err
    piped = holder.ok("textsecure", "open-push", holder.home.parent / "payload", "-o", "-")
    assert piped.out_bytes == b"\xff\xff" and piped.err == shown.err


def test_payload_without_a_message(holder, write):
    path = write("payload", sealed(field(2, NUMBER)))
    assert "bytes" not in holder.json("textsecure", "open-push", path)
    holder.fails(65, "textsecure", "open-push", path, "-o", holder.home / "message")
    assert not (holder.home / "message").exists()


def wrong_payloads():
    payload = sealed(signal(b"cipher text", kind=1))
    for name, at in (("iv", 1), ("body", 20), ("mac", -1)):
        changed = bytearray(payload)
        changed[at] ^= 1
        yield name, bytes(changed)
    body = b"\1" + bytes(range(16)) + bytes(16)
    yield "padding", body + hmac.digest(KEY[32:], body, "sha256")[:10]
    yield "other key", textsecure.seal_push(KEY[::-1], b"\x08\1")


@pytest.mark.parametrize("name, payload", wrong_payloads(), ids=lambda each: each if isinstance(each, str) else "")
def test_wrong_mac_and_wrong_padding_are_one_error(holder, write, name, payload):
    refused = holder.fails(65, "textsecure", "open-push", write("payload", payload), "-o", holder.home / "m", "--json")
    assert refused.error["reason"] == "not_authentic"
    assert not (holder.home / "m").exists()


@pytest.mark.parametrize("content", [
    b"", b"\1" * 42, b"\2" + sealed(b"")[1:], sealed(b"") + b"x", b"no, Base64!", b"AAAA" * 20, sealed(b"\xff")],
    ids=["empty", "short", "version", "length", "text", "base64", "signal"])
def test_malformed_payloads(holder, write, content):
    refused = holder.fails(65, "textsecure", "open-push", write("payload", content), "--json")
    assert refused.error.get("reason") != "not_authentic"


def test_open_push_without_the_account(keytool, holder, write):
    path = write("payload", sealed(signal(b"x", kind=1)))
    holder.fails(10, "textsecure", "open-push", path, "+4915112345678")
    holder.fails(66, "textsecure", "open-push", holder.home / "absent")


@pytest.mark.parametrize("content", [b"", signal(CONTENT), signal(bytes(1000), kind=1)], ids=["empty", "plain", "long"])
def test_seal_push(holder, write, content):
    path, target = write("signal", content), holder.home / "payload"
    done = holder.json("textsecure", "seal-push", path, "-o", target)
    assert done["payload_bytes"] == target.stat().st_size and target.stat().st_mode & 0o777 == 0o600
    assert textsecure.open_push(KEY, target.read_bytes()) == content
    holder.fails(17, "textsecure", "seal-push", path, "-o", target)
    text = holder.ok("textsecure", "seal-push", "-", NUMBER, "-o", "-", "--base64", stdin=content).out
    assert "=" not in text and text.endswith("\n")
    assert textsecure.open_push(KEY, base64.b64decode(text.strip() + "=" * (-len(text.strip()) % 4))) == content
    assert target.read_bytes()[1:17] != base64.b64decode(text[:24])[1:17]


def test_seal_push_refuses_what_is_no_signal(holder, write):
    holder.fails(65, "textsecure", "seal-push", write("signal", b"\xff\xff"), "-o", holder.home / "payload")
    holder.fails(65, "textsecure", "seal-push", write("long", bytes(2 << 20)), "-o", holder.home / "payload")
    assert not (holder.home / "payload").exists()
