"""A chat server with its queues in memory, each connection on a thread."""

import socket
import struct
import threading
import time
from contextlib import suppress

from nacl.bindings import crypto_box_afternm, crypto_box_beforenm, randombytes
from nacl.exceptions import CryptoError

from protocol import (ALERT, CLEAR_COOKIE, CLIENT_ACK, CLOSE_ERROR, COOKIE_CHANGED, ECHO_REQUEST, ECHO_RESPONSE,
                      IDLE_TIMEOUT, INCOMING, INDICATOR, OUTGOING, QUEUE_COMPLETE, SERVER_ACK, Boxes, Connection,
                      KeyPair, Refused, vouch)


class Server:
    """What differs from case to case: `pieces` divides what is sent, `alert` is told after each login, `idle` is the
    time-out in seconds, `answers_echoes` and `stray_cookie` break the protocol."""

    def __init__(self, identities, *, keys=None, pieces=None, alert=None, idle=None, answers_echoes=True,
                 stray_cookie=False, short_acknowledgement=False):
        self.identities, self.keys = identities, keys or KeyPair()
        self.pieces, self.alert, self.idle = pieces, alert, idle
        self.answers_echoes, self.stray_cookie = answers_echoes, stray_cookie
        self.short_acknowledgement = short_acknowledgement
        self.lock = threading.RLock()
        self.queues = {identity: {} for identity in identities}
        self.cookies, self.changed, self.connected = {}, set(), {}
        self.refusals, self.wanted_idle, self.client_infos = [], [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[sock], daemon=True).start()

    def close(self):
        self.listener.close()
        with self.lock:
            for connection in self.connected.values():
                connection.close()

    def serve(self, sock):
        connection = Connection(sock, self.pieces)
        identity = None
        try:
            identity = self.log_in(connection)
            if self.idle:
                sock.settimeout(self.idle)
            while True:
                self.take(identity, connection, *connection.receive())
        except (EOFError, OSError):
            pass
        except (Refused, CryptoError) as error:
            self.refusals.append(str(error))
        finally:
            with self.lock:
                if self.connected.get(identity) is connection:
                    del self.connected[identity]
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()

    def log_in(self, connection):
        hello = connection.read(48)
        temporary_client, client_cookie = hello[:32], hello[32:]
        temporary, cookie = KeyPair(), randombytes(16)
        repeated = randombytes(16) if self.stray_cookie else client_cookie
        shared = crypto_box_beforenm(temporary_client, self.keys.secret)
        nonce = cookie + struct.pack("<Q", 1)
        connection.write(cookie + crypto_box_afternm(temporary.public + repeated, nonce, shared))
        boxes = connection.boxes = Boxes(
            crypto_box_beforenm(temporary_client, temporary.secret), cookie, client_cookie, 2, 1)
        data = boxes.open(connection.read(144))
        if data[8:38] != INDICATOR or data[56:80] != bytes(24) or data[112:] != bytes(16) or data[40:56] != cookie:
            raise Refused("login data")
        extensions = boxes.open(connection.read(struct.unpack("<H", data[38:40])[0]))
        identity = data[:8].decode()
        if identity not in self.identities:
            raise Refused("identity")
        public = self.identities[identity]
        proof = vouch(crypto_box_beforenm(public, self.keys.secret), crypto_box_beforenm(public, temporary.secret),
                      cookie, temporary_client)
        if proof != data[80:112]:
            raise Refused("vouch")
        with self.lock:
            self.welcome(identity, connection, self.parse(extensions))
        return identity

    @staticmethod
    def parse(data):
        found = {}
        while data:
            kind, count = struct.unpack("<BH", data[:3])
            found[kind], data = data[3:3 + count], data[3 + count:]
        return found

    def welcome(self, identity, connection, extensions):
        self.client_infos.append(extensions[0x00].decode())
        if extensions[0x02] != b"\x03":
            raise Refused("features")
        other = self.connected.get(identity)
        if other:
            # It may have ended, unnoticed by its thread.
            with suppress(OSError):
                other.send(CLOSE_ERROR, b"\x00Another connection")
            with suppress(OSError):
                other.socket.shutdown(socket.SHUT_RDWR)
        self.connected[identity] = connection
        cookie = extensions.get(0x03)
        if cookie and self.cookies.setdefault(identity, cookie) != cookie:
            self.changed.add(identity)
            self.cookies[identity] = cookie
        queue = self.queues[identity]
        told = struct.pack("<4xQI", int(time.time() * 1000), len(queue))
        connection.write(connection.boxes.seal(bytes(16) if self.short_acknowledgement else told))
        if identity in self.changed:
            connection.send(COOKIE_CHANGED)
        if self.alert:
            connection.send(ALERT, self.alert.encode())
        for payload in list(queue.values()):
            connection.send(INCOMING, payload)
        connection.send(QUEUE_COMPLETE)

    def take(self, identity, connection, kind, data):
        with self.lock:
            if kind == ECHO_REQUEST:
                if self.answers_echoes:
                    connection.send(ECHO_RESPONSE, data)
            elif kind == OUTGOING:
                self.deliver(identity, connection, data)
            elif kind == CLIENT_ACK:
                del self.queues[identity][data]
            elif kind == IDLE_TIMEOUT:
                self.wanted_idle.append(struct.unpack("<H", data)[0])
            elif kind == CLEAR_COOKIE:
                self.changed.discard(identity)
            elif kind != ECHO_RESPONSE:
                raise Refused(f"payload {kind:02x}")

    def deliver(self, identity, connection, payload):
        receiver = payload[8:16].decode()
        if payload[:8].decode() != identity:
            raise Refused("sender")
        name = payload[:8] + payload[16:24]
        self.queues[receiver][name] = payload
        if receiver in self.connected:
            with suppress(OSError):
                self.connected[receiver].send(INCOMING, payload)
        connection.send(SERVER_ACK, payload[8:24])
