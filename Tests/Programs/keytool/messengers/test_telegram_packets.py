"""telegram open-packet and seal-packet, against telethon's version 1."""

import struct

import pytest

from kit import telegram
from kit.damage import flipped
from kit.telegram import KEYS, key_id
from kit.telethonpeer import carry_out

SALT, SESSION = bytes(range(8)), bytes(range(10, 18))
TIME = 1_700_000_000


@pytest.fixture
def holder(keytool, tmp_path):
    """Its keystore has one account with two keys."""
    keytool.ok("telegram", "import", telegram.tdata(tmp_path / "tdata", [telegram.Account({2: KEYS[0], 4: KEYS[1]})]))
    return keytool


def made(key=KEYS[0], client=True, id=TIME << 32, sequence=3, data=b"\1\2\3\4"):
    return bytes.fromhex(carry_out("seal", key=key, client=client, salt=SALT, session=SESSION, id=id,
                                   sequence=sequence, data=data)["packet"])


@pytest.mark.parametrize("direction", ["client", "server"])
@pytest.mark.parametrize("dc, data", [(2, b""), (4, b"\1\2\3\4"), (2, bytes(range(100)))], ids=["0", "4", "100"])
def test_open(holder, write, direction, dc, data):
    key, id = KEYS[{2: 0, 4: 1}[dc]], (TIME << 32) + (direction == "server")
    packet = made(key, direction == "client", id, 3, data)
    opened = holder.json("telegram", "open-packet", write("packet", packet), "-o", holder.home / "data")
    assert (opened["direction"], opened["key_id"], opened["dc"]) == (direction, key_id(key), dc)
    assert (opened["session"], opened["salt"]) == (SESSION.hex(), SALT.hex())
    assert (opened["message_id"], opened["message_time"]) == (str(id), "2023-11-14T22:13:20Z")
    assert (opened["sequence"], opened["acknowledged"], opened["message_key"]) == (3, True, True)
    assert bytes.fromhex(opened["data"]) == data == (holder.home / "data").read_bytes()
    assert holder.ok("telegram", "open-packet", "-", "-o", "-", stdin=packet).out_bytes == data
    shown = holder.ok("telegram", "open-packet", "-", stdin=packet).out
    assert f"from the {direction}" in shown and "message key  fits" in shown and SESSION.hex() in shown


def test_wrong_packets(holder, write):
    packet = made()
    for damaged in (packet[:-16], flipped(packet, 240), flipped(packet)):
        refused = holder.fails(65, "telegram", "open-packet", write("packet", damaged), "--json").error
        assert refused["reason"] == "message_key"
    for malformed in (b"", packet[:55], packet + b"x"):
        holder.fails(65, "telegram", "open-packet", write("packet", malformed))
    assert key_id(KEYS[5]) in holder.fails(10, "telegram", "open-packet", write("packet", made(KEYS[5]))).err
    holder.fails(66, "telegram", "open-packet", holder.home / "absent")


def test_container_and_service_messages(holder, write):
    acknowledged = struct.pack("<IIIQ", 0x62D6B459, 0x1CB5C415, 1, 4)
    parts = [(TIME << 32) + 4 * number for number in range(2)]
    bodies = [b"\5" * 8, acknowledged]
    data = struct.pack("<II", 0x73F1F8DC, 2) + b"".join(
        struct.pack("<QII", id, number, len(body)) + body for number, (id, body) in enumerate(zip(parts, bodies)))
    opened = holder.json("telegram", "open-packet", write("packet", made(id=(TIME << 32) + 8, data=data)))
    assert opened["service"] == "container"
    assert [part["message_id"] for part in opened["parts"]] == [str(id) for id in parts]
    assert [part.get("service") for part in opened["parts"]] == [None, "acknowledgement"]
    assert "part\n" in holder.ok("telegram", "open-packet", write("packet", made(id=(TIME << 32) + 8, data=data))).out


def test_packet_without_encryption(keytool, write):
    packet = bytes(8) + struct.pack("<QI", TIME << 32, 4) + b"abcd"
    opened = keytool.json("telegram", "open-packet", write("packet", packet))
    assert (opened["encrypted"], opened["data"]) == (False, b"abcd".hex())
    keytool.fails(65, "telegram", "open-packet", write("packet", packet + b"x"))


@pytest.mark.parametrize("direction", ["client", "server"])
def test_seal(holder, write, direction):
    body = write("body", b"\1\2\3\4\5")
    given = ["--session", SESSION.hex(), "--salt", SALT.hex(), "--message-id", str(77), "--sequence", "8"]
    done = holder.json("telegram", "seal-packet", body, "-o", holder.home / "packet", "--direction", direction,
                       "--key", key_id(KEYS[1]), *given)
    packet = (holder.home / "packet").read_bytes()
    opened = carry_out("open", key=KEYS[1], client=direction == "client", packet=packet)
    assert opened == {"salt": SALT.hex(), "session": SESSION.hex(), "id": 77, "sequence": 8, "data": "0102030405"}
    assert (done["bytes"], done["direction"], done["message_id"]) == (len(packet), direction, "77")


def test_seal_with_nothing_given(holder, write):
    packets = [holder.ok("telegram", "seal-packet", write("body", b"abcd"), "-o", "-").out_bytes for _ in range(2)]
    opened = [carry_out("open", key=KEYS[0], client=True, packet=packet) for packet in packets]
    assert opened[0]["session"] != opened[1]["session"] and opened[0]["salt"] != opened[1]["salt"]
    assert opened[0]["id"] % 4 == 0 and opened[0]["id"] < opened[1]["id"] and opened[0]["sequence"] == 1
    for wrong in (["--session", "12"], ["--key", "x"], ["--direction", "both"], ["--sequence", "-1"]):
        holder.fails(64, "telegram", "seal-packet", keytool_body(holder), "-o", "-", *wrong)
    holder.fails(10, "telegram", "seal-packet", keytool_body(holder), "-o", "-", "--key", key_id(KEYS[5]))


def keytool_body(holder):
    path = holder.home / "body"
    path.write_bytes(b"abcd")
    return path


def test_a_lost_key_warns(holder, write):
    holder.ok("telegram", "mark-lost", key_id(KEYS[0]))
    opened = holder.ok("telegram", "open-packet", write("packet", made()))
    sealed = holder.ok("telegram", "seal-packet", write("body", b"abcd"), "-o", holder.home / "packet")
    assert "marked as lost" in opened.err and "marked as lost" in sealed.err
