"""The library's client against another implementation of a chat server."""

import re
import struct
import time

import pytest

from protocol import ALERT, KeyPair, open_text, seal_text

ID, OTHER_ID = "0102030405060708", "1112131415161718"


def waiting_for(condition):
    """The server's threads work on their own time."""
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_log_in(their_server, our_client):
    server = their_server()
    client = our_client(server)
    before = int(time.time() * 1000)
    words = client.ask("connect", server.port).split()
    assert words[0] == "logged-in" and before <= int(words[1]) <= before + 60_000 and words[2] == "0"
    assert client.receive() == "queue-complete"
    assert server.client_infos == ["1;L;en/CH;"]
    # The session asks for twice the time between its echo requests.
    waiting_for(lambda: server.wanted_idle)
    assert server.wanted_idle == [120] and server.refusals == []


def test_log_in_with_an_acknowledgement_of_zeros(their_server, our_client):
    server = their_server(short_acknowledgement=True)
    assert our_client(server).ask("connect", server.port) == "logged-in 0 0"


def test_an_alternative_key(their_server, our_client):
    server = their_server()
    client = our_client(server, server_keys=[KeyPair().public, server.keys.public])
    assert client.ask("connect", server.port).startswith("logged-in ")
    assert server.refusals == []


def test_a_wrong_server_key(their_server, our_client):
    server = their_server()
    client = our_client(server, server_keys=[KeyPair().public])
    assert client.ask("connect", server.port) == "failed chat(ThreemaChat.ChatError.serverHelloNotAuthentic)"


def test_a_hello_for_another_client(their_server, our_client):
    server = their_server(stray_cookie=True)
    assert our_client(server).ask("connect", server.port) == (
        "failed chat(ThreemaChat.ChatError.clientCookieNotRepeated)")


def test_a_wrong_private_key(their_server, our_client):
    server = their_server()
    client = our_client(server, keys=KeyPair())
    assert client.ask("connect", server.port) == "failed loginRefused"
    assert server.refusals == ["vouch"]


def test_messages_both_ways(people, their_server, our_client):
    server = their_server()
    alice, bob = our_client(server), our_client(server, "00000BOB")
    for client in (alice, bob):
        client.ask("connect", server.port)
        assert client.receive() == "queue-complete"
    assert alice.ask("text", "00000BOB", people.bob.public.hex(), ID, "Grüezi Bob") == "ok"
    assert alice.receive() == f"server-ack 00000BOB {ID}"
    payload = bytes.fromhex(bob.receive().removeprefix("message "))
    assert open_text(payload, people.bob, people.alice.public) == ("Grüezi Bob", "Al")
    assert bob.ask("open", people.alice.public.hex()) == "text Grüezi Bob"
    assert list(server.queues["00000BOB"].values()) == [payload]
    assert bob.ask("ack", "000ALICE", ID) == "ok"
    waiting_for(lambda: not server.queues["00000BOB"])
    # The other way, sealed by the other implementation.
    answer = seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes.fromhex(OTHER_ID), "Hoi")
    assert bob.ask("send", answer.hex()) == "ok"
    assert bob.receive() == f"server-ack 000ALICE {OTHER_ID}"
    assert alice.receive() == f"message {answer.hex()}"
    assert alice.ask("open", people.bob.public.hex()) == "text Hoi"
    assert server.refusals == []


def test_an_old_message_without_metadata(people, their_server, our_client):
    server = their_server()
    client = our_client(server)
    payload = seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes.fromhex(ID), "old",
                        metadata=False)
    server.queues["000ALICE"][payload[:8] + payload[16:24]] = payload
    client.ask("connect", server.port)
    assert client.receive() == f"message {payload.hex()}"
    assert client.ask("open", people.bob.public.hex()) == "text old"


def test_redelivery(people, their_server, our_client):
    server = their_server()
    payloads = [seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes([n]) * 8, str(n))
                for n in range(3)]
    for payload in payloads:
        server.queues["000ALICE"][payload[:8] + payload[16:24]] = payload
    first = our_client(server)
    assert first.ask("connect", server.port).endswith(" 3")
    assert [first.receive() for _ in range(4)] == [f"message {each.hex()}" for each in payloads] + ["queue-complete"]
    first.ask("ack", "00000BOB", "01" * 8)
    waiting_for(lambda: len(server.queues["000ALICE"]) == 2)
    first.ask("close")
    assert first.ask("connect", server.port).endswith(" 2")
    assert [first.receive() for _ in range(3)] == [
        f"message {payloads[0].hex()}", f"message {payloads[2].hex()}", "queue-complete"]


def test_device_cookie(their_server, our_client):
    server = their_server()
    own, other = "aa" * 16, "bb" * 16
    for cookie, told in [(own, []), (own, []), (other, ["cookie-changed"]), (other, ["cookie-changed"])]:
        client = our_client(server, cookie=cookie)
        client.ask("connect", server.port)
        assert [client.receive() for _ in range(len(told) + 1)] == told + ["queue-complete"]
        client.ask("close")
    client = our_client(server, cookie=other)
    client.ask("connect", server.port)
    client.ask("clear-cookie")
    waiting_for(lambda: not server.changed)


def test_alert(their_server, our_client):
    server = their_server(alert="Wartung um zwölf")
    client = our_client(server)
    client.ask("connect", server.port)
    assert client.receive() == "alert Wartung um zwölf"


def test_close_error(their_server, our_client):
    server = their_server()
    first, second = our_client(server), our_client(server)
    for client in (first, second):
        client.ask("connect", server.port)
        assert client.receive() == "queue-complete"
    assert first.receive() == "close-error false Another connection"
    assert first.receive() == "failed closedByServer(mayReconnect: false)"
    assert second.ask("echo", "07") == "ok" and second.receive() == "echo 07"


def test_echo(their_server, our_client):
    server = their_server()
    client = our_client(server)
    client.ask("connect", server.port)
    assert client.receive() == "queue-complete"
    for data in ["", "00", "ff" * 8172]:
        assert client.ask("echo", data) == "ok"
        assert client.receive().strip() == f"echo {data}".strip()
    assert re.fullmatch(r"failed sending\(.*tooLong.*\)", client.ask("echo", "ff" * 8173))


@pytest.mark.parametrize("answers", [True, False])
def test_a_silent_connection(answers, their_server, our_client):
    """The client's clock is 60 times as fast: it asks after a second, and waits a sixth of one."""
    server = their_server(answers_echoes=answers, idle=2.5)
    client = our_client(server, speed=60)
    client.ask("connect", server.port)
    assert client.receive() == "queue-complete"
    assert client.receive(300) == ("nothing" if answers else "failed noEcho")


def test_idle_timeout(their_server, our_client):
    server = their_server(idle=0.5)
    client = our_client(server)
    client.ask("connect", server.port)
    assert client.receive() == "queue-complete"
    assert client.receive() == "failed stream(ByteStreams.StreamError.closed)"


@pytest.mark.parametrize("pieces", [1, 2, 7, 79, 81])
def test_divided_bytes(pieces, people, their_server, our_client):
    server = their_server(pieces=pieces)
    payload = seal_text("00000BOB", "000ALICE", people.bob, people.alice.public, bytes(8), "divided")
    server.queues["000ALICE"][payload[:8] + payload[16:24]] = payload
    client = our_client(server)
    client.ask("connect", server.port)
    assert [client.receive() for _ in range(2)] == [f"message {payload.hex()}", "queue-complete"]
    assert client.ask("open", people.bob.public.hex()) == "text divided"


def test_a_frame_that_is_divided_at_every_byte(their_server, our_client):
    server = their_server()
    client = our_client(server)
    client.ask("connect", server.port)
    assert client.receive() == "queue-complete"
    connection = server.connected["000ALICE"]
    for split in range(1, 2 + 16 + 4 + 8):
        with server.lock:
            frame = connection.frame(ALERT, b"8 bytes.")
            assert len(frame) == 2 + 16 + 4 + 8
            connection.write(frame[:split])
            # So that the client reads the first part alone.
            time.sleep(0.002)
            connection.write(frame[split:])
        assert client.receive() == "alert 8 bytes."


@pytest.mark.parametrize("change", ["flip", "repeat", "short", "long"])
def test_a_wrong_frame_ends_the_session(change, their_server, our_client):
    server = their_server()
    client = our_client(server)
    client.ask("connect", server.port)
    assert client.receive() == "queue-complete"
    frame = server.connected["000ALICE"].frame(ALERT, b"frame")
    wrong, words = {
        "flip": (frame[:-1] + bytes([frame[-1] ^ 1]), "frameNotAuthentic"),
        "repeat": (frame + frame, "frameNotAuthentic"),
        "short": (struct.pack("<H", 19), "frameTooShort(minimum: 20, actual: 19)"),
        "long": (struct.pack("<H", 8193), "frameTooLong(limit: 8192, actual: 8193)"),
    }[change]
    server.connected["000ALICE"].write(wrong)
    if change == "repeat":
        assert client.receive() == "alert frame"
    assert client.receive() == f"failed chat(ThreemaChat.ChatError.{words})"
