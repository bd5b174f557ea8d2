"""Threema's chat server protocol and the boxes of its messages, on PyNaCl: another implementation than the library's.

Lengths, in bytes: client-hello 48, server-hello 80, login 144 and the extensions, acknowledgement of the login 32.
After them, both sides send frames: a length of two bytes and a box. Numbers are little-endian.
"""

import hashlib
import socket
import struct

from nacl.bindings import (crypto_box_afternm, crypto_box_beforenm, crypto_box_open_afternm, crypto_scalarmult_base,
                           randombytes)

INDICATOR = b"threema-clever-extension-field"

ECHO_REQUEST, ECHO_RESPONSE = 0x00, 0x80
OUTGOING, INCOMING = 0x01, 0x02
SERVER_ACK, CLIENT_ACK = 0x81, 0x82
IDLE_TIMEOUT, QUEUE_COMPLETE = 0x30, 0xd0
COOKIE_CHANGED, CLEAR_COOKIE = 0xd2, 0xd3
CLOSE_ERROR, ALERT = 0xe0, 0xe1


class Refused(Exception):
    """The other side breaks the protocol."""


class KeyPair:
    def __init__(self, secret=None):
        self.secret = secret or randombytes(32)
        self.public = crypto_scalarmult_base(self.secret)


class Boxes:
    """The boxes of a connection: each side's nonces are its cookie and a number, from 1."""

    def __init__(self, key, own, other, own_number, other_number):
        self.key, self.own, self.other = key, own, other
        self.own_number, self.other_number = own_number, other_number

    def seal(self, plain):
        box = crypto_box_afternm(plain, self.own + struct.pack("<Q", self.own_number), self.key)
        self.own_number += 1
        return box

    def open(self, box):
        plain = crypto_box_open_afternm(box, self.other + struct.pack("<Q", self.other_number), self.key)
        self.other_number += 1
        return plain


def derive(key, salt=b"", data=b""):
    return hashlib.blake2b(data, key=key, digest_size=32, salt=salt, person=b"3ma-csp" if salt else b"").digest()


def vouch(with_permanent, with_temporary, server_cookie, temporary_client_key):
    return derive(derive(with_permanent + with_temporary, b"v2"), data=server_cookie + temporary_client_key)


class Connection:
    """Bytes over TCP, and frames once `boxes` is there."""

    def __init__(self, sock, pieces=None):
        self.socket, self.boxes, self.pieces = sock, None, pieces
        # An error of the protocol is shown by the test, not by a test that hangs.
        sock.settimeout(20)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def write(self, data):
        """In pieces of `pieces` bytes if there is such a number."""
        step = self.pieces or max(len(data), 1)
        for start in range(0, len(data), step):
            self.socket.sendall(data[start:start + step])

    def frame(self, kind, data=b""):
        box = self.boxes.seal(bytes([kind, 0, 0, 0]) + data)
        return struct.pack("<H", len(box)) + box

    def send(self, kind, data=b""):
        self.write(self.frame(kind, data))

    def receive(self):
        """Returns type and data of the next payload."""
        count, = struct.unpack("<H", self.read(2))
        if not 20 <= count <= 8192:
            raise Refused(f"frame of {count} bytes")
        plain = self.boxes.open(self.read(count))
        if plain[1:4] != bytes(3):
            raise Refused("reserved bytes")
        return plain[0], plain[4:]

    def close(self):
        self.socket.close()


# End-to-end messages.

def seal_text(sender, receiver, keys, public_key, message_id, text, flags=0x01, metadata=True):
    """The payload of a text message: the header, then the boxes of metadata and message, with one nonce."""
    nonce, shared = randombytes(24), crypto_box_beforenm(public_key, keys.secret)
    padding = 40
    box = crypto_box_afternm(b"\x01" + text.encode() + bytes([padding]) * padding, nonce, shared)
    metadata_box = b""
    if metadata:
        # Field 1: padding, field 2: nickname, field 3: message ID (fixed64), field 4: milliseconds.
        plain = (b"\x0a\x10" + bytes(16) + b"\x12\x02Py" + b"\x19" + message_id
                 + b"\x20" + varint(1_700_000_000_000))
        metadata_box = crypto_box_afternm(plain, nonce, derive(shared, b"mm"))
    header = (sender.encode() + receiver.encode() + message_id + struct.pack("<IBBH", 1_700_000_000, flags, 0,
                                                                            len(metadata_box)))
    return header + bytes(32) + metadata_box + nonce + box


def open_text(payload, keys, public_key):
    """Returns the text, and the nickname of the metadata; raises unless all is as it should be."""
    shared = crypto_box_beforenm(public_key, keys.secret)
    count, = struct.unpack("<H", payload[30:32])
    metadata_box, nonce, box = payload[64:64 + count], payload[64 + count:88 + count], payload[88 + count:]
    container = crypto_box_open_afternm(box, nonce, shared)
    padding = container[-1]
    if container[0] != 0x01 or container[-padding:] != bytes([padding]) * padding or len(container) - 1 < 32:
        raise Refused("container")
    fields = protobuf(crypto_box_open_afternm(metadata_box, nonce, derive(shared, b"mm")))
    if fields[3] != payload[16:24] or fields[4] // 1000 != struct.unpack("<I", payload[24:28])[0]:
        raise Refused("metadata")
    return container[1:-padding].decode(), fields[2].decode()


def varint(number):
    data = bytearray()
    while number > 0x7f:
        data.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(data) + bytes([number])


def protobuf(data):
    fields, at = {}, 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            value |= (data[at] & 0x7f) << shift
            at += 1
            if data[at - 1] < 0x80:
                return value
            shift += 7

    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            fields[tag >> 3] = number()
        else:
            count = 8 if tag & 7 == 1 else number()
            fields[tag >> 3] = data[at:at + count]
            at += count
    return fields
