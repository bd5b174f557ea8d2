"""A TCP server on a loopback port of its own."""

import contextlib
import os
import socket
import threading

# Longer than any test waits: what ends a connection that stands still is keytool, or the next test.
PATIENCE = 90
# For what needs a port of a certain number: an address of this process alone, as others run tests at the same time.
OWN_ADDRESS = f"127.{os.getpid() >> 16 & 127 | 128}.{os.getpid() >> 8 & 255}.{os.getpid() & 255}"


def kept(port=0):
    """A socket that never listens: nobody else gets its port until it is closed. 0 stands for any free port."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", port))
    return held


class Listener:
    """Serves each connection in a thread; `port` is free when it starts, and nobody answers there after `close`."""

    def __init__(self, serve):
        """serve(connection): may raise OSError or ValueError, which ends this connection alone."""
        self.serve = serve
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # Wakes the accept; closing alone does not.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.socket = kept(self.port)

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError, ValueError), contextlib.closing(connection):
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.serve(connection)
