"""A client of the chat server protocol."""

import socket
import struct

from nacl.bindings import crypto_box_beforenm, crypto_box_open_afternm, randombytes

from protocol import ECHO_REQUEST, INDICATOR, Boxes, Connection, KeyPair, Refused, vouch


class Client(Connection):
    """Logs in. Each keyword leaves the protocol in one place, or divides what is sent into pieces."""

    def __init__(self, port, identity, keys, server_public, *, cookie=None, device=None, pieces=None, wrong_vouch=False,
                 repeat_cookie=True, early=b""):
        super().__init__(socket.create_connection(("127.0.0.1", port), timeout=20), pieces)
        temporary, own_cookie = KeyPair(), randombytes(16)
        self.write(temporary.public + own_cookie)
        server_cookie = self.read(16)
        shared = crypto_box_beforenm(server_public, temporary.secret)
        plain = crypto_box_open_afternm(self.read(64), server_cookie + struct.pack("<Q", 1), shared)
        server_temporary = plain[:32]
        if plain[32:] != own_cookie or server_cookie == own_cookie:
            raise Refused("cookies")
        self.boxes = Boxes(crypto_box_beforenm(server_temporary, temporary.secret), own_cookie, server_cookie, 1, 2)
        extensions = self.extensions(cookie, device)
        proof = vouch(crypto_box_beforenm(server_public, keys.secret),
                      crypto_box_beforenm(server_temporary, keys.secret), server_cookie, temporary.public)
        if wrong_vouch:
            proof = bytes([proof[0] ^ 1]) + proof[1:]
        data = (identity.encode() + INDICATOR + struct.pack("<H", len(extensions) + 16)
                + (server_cookie if repeat_cookie else bytes(16)) + bytes(24) + proof + bytes(16))
        assert len(data) == 128
        login = self.boxes.seal(data) + self.boxes.seal(extensions)
        # In one piece, so that a server has both at once.
        self.write(login + (self.frame(ECHO_REQUEST, early) if early else b""))
        acknowledgement = self.boxes.open(self.read(32))
        self.milliseconds, self.queued = struct.unpack("<4xQI", acknowledgement)

    @staticmethod
    def extensions(cookie, device):
        def extension(kind, data):
            return struct.pack("<BH", kind, len(data)) + data

        return (extension(0x00, "1.0;Q;de/CH;Python".encode()) + extension(0x02, b"\x03")
                + (extension(0x01, struct.pack("<Q", device)) if device else b"")
                + (extension(0x03, cookie) if cookie else b""))
