"""Another implementation of a client against the library's chat server."""

import socket
import struct
import time

import pytest

from nacl.exceptions import CryptoError

from protocol import (ALERT, CLEAR_COOKIE, CLIENT_ACK, CLOSE_ERROR, COOKIE_CHANGED, ECHO_REQUEST, ECHO_RESPONSE,
                      IDLE_TIMEOUT, INCOMING, OUTGOING, QUEUE_COMPLETE, SERVER_ACK, KeyPair, open_text, seal_text)

ALICE, BOB = b"000ALICE", b"00000BOB"
UNBLOCK = 0x03


def sealed(people, number, flags=0x01, text="Hoi"):
    return seal_text("000ALICE", "00000BOB", people.alice, people.bob.public, bytes([number]) * 8, text, flags)


def ends(client):
    """Whether the server has closed the connection."""
    try:
        client.read(1)
    except EOFError:
        return True
    return False


@pytest.fixture
def quiet(their_client):
    """A client that has got everything that a client without messages gets."""
    def connect(server, *arguments, **settings):
        client = their_client(server, *arguments, **settings)
        assert client.receive() == (QUEUE_COMPLETE, b"")
        return client
    return connect


def test_log_in(our_server, quiet):
    client = quiet(our_server())
    # The server's clock begins with its start.
    assert 1_700_000_000_000 <= client.milliseconds < 1_700_000_060_000
    assert client.queued == 0


@pytest.mark.parametrize("fault", [{"wrong_vouch": True}, {"repeat_cookie": False}, {"keys": KeyPair()}])
def test_a_wrong_login(fault, our_server, their_client):
    with pytest.raises(EOFError):
        their_client(our_server(), **fault)


def test_an_unknown_identity(people, our_server, their_client):
    with pytest.raises(EOFError):
        their_client(our_server(), "NOBODY00", keys=people.alice)


def test_a_server_with_another_key(our_server, their_client):
    with pytest.raises(CryptoError):
        their_client(our_server(), public=KeyPair().public)


def test_messages_both_ways(people, our_server, quiet):
    server = our_server()
    alice, bob = quiet(server), quiet(server, "00000BOB")
    payload = sealed(people, 1, text="Grüezi")
    alice.send(OUTGOING, payload)
    assert alice.receive() == (SERVER_ACK, BOB + bytes([1]) * 8)
    assert bob.receive() == (INCOMING, payload)
    assert open_text(payload, people.bob, people.alice.public) == ("Grüezi", "Py")
    bob.send(CLIENT_ACK, ALICE + bytes([1]) * 8)
    answer = seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes(8), "Hoi")
    bob.send(OUTGOING, answer)
    assert bob.receive() == (SERVER_ACK, ALICE + bytes(8))
    assert alice.receive() == (INCOMING, answer)


def test_redelivery(people, our_server, their_client, quiet):
    server = our_server()
    alice = quiet(server)
    payloads = [sealed(people, number) for number in range(3)]
    for number, payload in enumerate(payloads):
        alice.send(OUTGOING, payload)
        assert alice.receive() == (SERVER_ACK, BOB + bytes([number]) * 8)
    bob = their_client(server, "00000BOB")
    assert bob.queued == 3
    assert [bob.receive() for _ in range(4)] == [(INCOMING, each) for each in payloads] + [(QUEUE_COMPLETE, b"")]
    bob.send(CLIENT_ACK, ALICE + bytes([1]) * 8)
    # The answer says that the acknowledgement has arrived.
    bob.send(ECHO_REQUEST, b"?")
    assert bob.receive() == (ECHO_RESPONSE, b"?")
    bob.close()
    again = their_client(server, "00000BOB")
    assert again.queued == 2
    assert [again.receive() for _ in range(3)] == [
        (INCOMING, payloads[0]), (INCOMING, payloads[2]), (QUEUE_COMPLETE, b"")]


@pytest.mark.parametrize("flags, told, kept", [(0x02, True, False), (0x04, False, True), (0x06, False, False),
                                               (0x20, True, True)])
def test_flags(flags, told, kept, people, our_server, their_client, quiet):
    server = our_server()
    alice = quiet(server)
    alice.send(OUTGOING, sealed(people, 1, flags))
    alice.send(ECHO_REQUEST, b"?")
    # The answer to an echo request may overtake acknowledgements.
    answers = {alice.receive() for _ in range(1 + told)}
    assert answers == {(SERVER_ACK, BOB + bytes([1]) * 8), (ECHO_RESPONSE, b"?")} - (
        set() if told else {(SERVER_ACK, BOB + bytes([1]) * 8)})
    bob = their_client(server, "00000BOB")
    assert bob.queued == kept
    kinds = [bob.receive()[0] for _ in range(1 + kept)]
    assert kinds == [INCOMING] * kept + [QUEUE_COMPLETE]


def test_device_cookie(our_server, their_client):
    server = our_server()
    own, other = b"\xaa" * 16, b"\xbb" * 16
    for cookie, told in [(own, []), (own, []), (other, [COOKIE_CHANGED]), (other, [COOKIE_CHANGED])]:
        client = their_client(server, cookie=cookie)
        assert [client.receive()[0] for _ in range(len(told) + 1)] == told + [QUEUE_COMPLETE]
    client.send(CLEAR_COOKIE)
    client.send(ECHO_REQUEST, b"?")
    assert client.receive() == (ECHO_RESPONSE, b"?")
    assert their_client(server, cookie=other).receive()[0] == QUEUE_COMPLETE


def test_one_of_several_devices(people, our_server, their_client, quiet):
    server = our_server()
    alice = quiet(server)
    alice.send(OUTGOING, sealed(people, 1))
    assert alice.receive()[0] == SERVER_ACK
    bob = their_client(server, "00000BOB", device=5)
    bob.send(ECHO_REQUEST, b"?")
    assert bob.receive() == (ECHO_RESPONSE, b"?")
    bob.send(UNBLOCK)
    assert [bob.receive()[0] for _ in range(2)] == [INCOMING, QUEUE_COMPLETE]


def test_alert(our_server, their_client):
    assert their_client(our_server(alert="Wartung um zwölf")).receive() == (ALERT, "Wartung um zwölf".encode())


def test_close_error(our_server, quiet):
    server = our_server()
    first, second = quiet(server), quiet(server)
    kind, data = first.receive()
    assert kind == CLOSE_ERROR and data[0] == 0 and data[1:].decode()
    assert ends(first)
    second.send(ECHO_REQUEST, b"\x07")
    assert second.receive() == (ECHO_RESPONSE, b"\x07")


def test_echo_with_the_login(our_server, their_client):
    client = their_client(our_server(), early=b"early")
    assert {client.receive() for _ in range(2)} == {(ECHO_RESPONSE, b"early"), (QUEUE_COMPLETE, b"")}


@pytest.mark.parametrize("count", [0, 1, 8172])
def test_echo(count, our_server, quiet):
    client = quiet(our_server())
    client.send(ECHO_REQUEST, b"e" * count)
    assert client.receive() == (ECHO_RESPONSE, b"e" * count)


def test_idle_timeout(our_server, quiet):
    client = quiet(our_server(idle=400))
    for _ in range(4):
        time.sleep(0.2)
        client.send(ECHO_REQUEST, b"")
        assert client.receive()[0] == ECHO_RESPONSE
    start = time.monotonic()
    assert ends(client)
    assert time.monotonic() - start > 0.2


def test_a_client_may_ask_for_a_longer_idle_timeout(our_server, quiet):
    client = quiet(our_server(idle=400))
    client.send(IDLE_TIMEOUT, struct.pack("<H", 30))
    time.sleep(0.8)
    client.send(ECHO_REQUEST, b"")
    assert client.receive()[0] == ECHO_RESPONSE


def test_a_client_that_does_not_log_in(our_server, their_client):
    server = our_server(login=300)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as sock:
        assert sock.recv(1) == b""


@pytest.mark.parametrize("change", ["flip", "repeat", "short", "long", "sender"])
def test_a_wrong_frame_ends_the_connection(change, people, our_server, quiet):
    client = quiet(our_server())
    frame = client.frame(ECHO_REQUEST, b"frame")
    if change == "flip":
        frame = frame[:-1] + bytes([frame[-1] ^ 1])
    elif change == "repeat":
        frame += frame
    elif change == "short":
        frame = struct.pack("<H", 19) + bytes(19)
    elif change == "long":
        frame = struct.pack("<H", 8193)
    else:
        payload = seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes(8), "forged")
        frame = client.frame(OUTGOING, payload)
    client.write(frame)
    if change == "repeat":
        assert client.receive() == (ECHO_RESPONSE, b"frame")
    assert ends(client)


@pytest.mark.parametrize("pieces", [1, 2, 7, 47, 49])
def test_divided_bytes(pieces, people, our_server, quiet):
    server = our_server()
    alice, bob = quiet(server, pieces=pieces), quiet(server, "00000BOB")
    payload = sealed(people, 1, text="divided")
    alice.send(OUTGOING, payload)
    assert alice.receive() == (SERVER_ACK, BOB + bytes([1]) * 8)
    assert bob.receive() == (INCOMING, payload)


def test_a_frame_that_is_divided_at_every_byte(people, our_server, quiet):
    client = quiet(our_server())
    for split in range(1, 2 + 16 + 4 + 8):
        frame = client.frame(ECHO_REQUEST, b"8 bytes.")
        assert len(frame) == 2 + 16 + 4 + 8
        client.write(frame[:split])
        # So that the server reads the first part alone.
        time.sleep(0.002)
        client.write(frame[split:])
        assert client.receive() == (ECHO_RESPONSE, b"8 bytes.")
