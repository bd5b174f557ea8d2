"""One side of a pairing in another implementation: libnacl, u-msgpack-python and websockets, in the environment of
Scripts/set-up (.build/saltyrtc). It shares nothing with web-peer but the protocol, and knows just enough to pair.

    otherpeer.py PORT AUTHORITY

The first line of stdin, the orders `say` and `close`, and the events are those of web-peer.
"""

import asyncio
import os
import ssl
import struct
import sys

import oldasyncio  # noqa: F401

import libnacl
import libnacl.public
import umsgpack
import websockets

TASK = "v0.relayed-data.tasks.saltyrtc.org"
SERVER, INITIATOR = 0, 1


class Link:
    """Cookies and numbers between this side and another one, whose messages `opening` opens."""

    def __init__(self, other):
        self.other, self.cookie, self.theirs = other, os.urandom(16), None
        self.sequence = int.from_bytes(os.urandom(4), "big")
        self.expected = None

    def nonce(self, own):
        # Overflow and sequence number together are 48 bits.
        nonce = self.cookie + bytes([own, self.other]) + struct.pack(">Q", self.sequence)[2:]
        self.sequence += 1
        return nonce

    def take(self, nonce):
        sequence = int.from_bytes(nonce[18:24], "big")
        if self.theirs is None:
            assert nonce[:16] != self.cookie and sequence < 1 << 32
        else:
            assert (nonce[:16], sequence) == (self.theirs, self.expected)
        self.theirs, self.expected = nonce[:16], sequence + 1


class Peer:
    def __init__(self, words, socket):
        self.words, self.socket, self.own = words, socket, 0
        self.key = libnacl.public.SecretKey(words["key"])
        self.is_initiator = "initiator" in words and not words["initiator"]
        self.links = {}
        # The permanent key of the other client, and the session keys.
        self.trusted = words.get("peer") if self.is_initiator else words["initiator"]
        self.session = libnacl.public.SecretKey()
        self.their_session = None
        self.is_paired = False

    async def send(self, link, message, key=None, token=None):
        nonce = link.nonce(self.own)
        data = umsgpack.packb(message)
        if token:
            data = libnacl.crypto_secretbox(data, nonce, token)
        elif key:
            data = libnacl.crypto_box(data, nonce, *key)
        await self.socket.send(nonce + data)

    async def greet(self):
        """The handshake with the server. Returns who is there."""
        link = self.links[SERVER] = Link(SERVER)
        message = await self.socket.recv()
        link.take(message[:24])
        hello = umsgpack.unpackb(message[24:])
        assert hello["type"] == "server-hello"
        self.server = hello["key"], self.key.sk
        if not self.is_initiator:
            await self.send(link, {"type": "client-hello", "key": self.key.pk})
        await self.send(link, {
            "type": "client-auth", "your_cookie": link.theirs, "subprotocols": ["v1.saltyrtc.org"],
            "your_key": self.words["server"]}, self.server)
        message = await self.socket.recv()
        nonce = message[:24]
        link.take(nonce)
        auth = umsgpack.unpackb(libnacl.crypto_box_open(message[24:], nonce, *self.server))
        assert auth["type"] == "server-auth" and auth["your_cookie"] == link.cookie
        signed = libnacl.crypto_box_open(auth["signed_keys"], nonce, self.words["server"], self.key.sk)
        assert signed == hello["key"] + self.key.pk
        self.own = nonce[17]
        peers = auth["responders"] if self.is_initiator else [INITIATOR] * auth["initiator_connected"]
        print("connected", self.own, peers, flush=True)
        for peer in peers:
            await self.joined(peer)

    async def joined(self, address):
        link = self.links[address] = Link(address)
        if self.is_initiator:
            return
        if "token" in self.words:
            await self.send(link, {"type": "token", "key": self.key.pk}, token=self.words["token"])
        await self.send(link, {"type": "key", "key": self.session.pk}, (self.trusted, self.key.sk))

    async def receive(self, message):
        nonce, data = message[:24], message[24:]
        link = self.links[nonce[16]]
        link.take(nonce)
        if nonce[16] == SERVER:
            told = umsgpack.unpackb(libnacl.crypto_box_open(data, nonce, *self.server))
            if told["type"] in ("new-initiator", "new-responder"):
                await self.joined(told.get("id", INITIATOR))
            return
        if self.is_initiator and self.trusted is None:
            token = umsgpack.unpackb(libnacl.crypto_secretbox_open(data, nonce, self.words["token"]))
            assert token["type"] == "token"
            self.trusted = token["key"]
        elif self.their_session is None:
            permanent = self.trusted, self.key.sk
            key = umsgpack.unpackb(libnacl.crypto_box_open(data, nonce, *permanent))
            assert key["type"] == "key"
            self.their_session = key["key"], self.session.sk
            if self.is_initiator:
                await self.send(link, {"type": "key", "key": self.session.pk}, permanent)
            else:
                await self.send(link, {"type": "auth", "your_cookie": link.theirs, "tasks": ["other", TASK],
                                       "data": {"other": {"a": 1}, TASK: None}}, self.their_session)
        else:
            await self.opened(link, umsgpack.unpackb(libnacl.crypto_box_open(data, nonce, *self.their_session)))

    async def opened(self, link, message):
        if not self.is_paired:
            assert message["type"] == "auth" and message["your_cookie"] == link.cookie
            if self.is_initiator:
                assert TASK in message["tasks"] and set(message["data"]) == set(message["tasks"])
                await self.send(link, {"type": "auth", "your_cookie": link.theirs, "task": TASK, "data": {TASK: None}},
                                self.their_session)
            else:
                assert message["task"] == TASK and list(message["data"]) == [TASK]
            self.is_paired, self.peer = True, link
            print("paired", link.other, self.trusted.hex(), TASK, flush=True)
        elif message["type"] == "data":
            print("received", message["p"], flush=True)
        else:
            assert message["type"] == "close"
            print("peer closes", message["reason"], flush=True)
            await self.socket.close(1001)

    async def obey(self, line):
        order, _, text = line.partition(" ")
        if order == "say":
            await self.send(self.peer, {"type": "data", "p": text}, self.their_session)
        elif order == "close":
            await self.send(self.peer, {"type": "close", "reason": 1001}, self.their_session)
            await self.socket.close(1001)


def words_of(line):
    words = dict(word.partition("=")[::2] for word in line.split())
    return {name: bytes.fromhex(value) for name, value in words.items()}


async def main(port, authority):
    orders = asyncio.StreamReader(limit=1 << 23)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    words = words_of((await orders.readline()).decode())
    path = words["initiator"] or libnacl.public.SecretKey(words["key"]).pk
    socket = await websockets.connect(
        f"wss://127.0.0.1:{port}/{path.hex()}", ssl=ssl.create_default_context(cafile=authority),
        subprotocols=["v1.saltyrtc.org"], max_size=1 << 22)
    peer = Peer(words, socket)
    await peer.greet()

    async def from_test():
        while line := await orders.readline():
            await peer.obey(line.decode().rstrip("\n"))
        socket.transport.abort()

    test = asyncio.ensure_future(from_test())
    try:
        async for message in socket:
            await peer.receive(message)
    except websockets.ConnectionClosed:
        pass
    print("closed", socket.close_code, flush=True)
    test.cancel()


asyncio.run(main(*sys.argv[1:]))
