"""A proxy on a loopback port that leads every tunnel to one server, whatever host is asked for."""

import contextlib
import socket
import threading

from kit.servers.listener import Listener


class ConnectProxy:
    def __init__(self, port):
        self.port, self.hosts = port, []
        self.listener = Listener(self._serve)
        self.url = f"http://127.0.0.1:{self.listener.port}"

    def close(self):
        self.listener.close()

    def _serve(self, client):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        self.hosts.append(head.split()[1].decode())
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            back = threading.Thread(target=_copy, args=(server, client), daemon=True)
            back.start()
            _copy(client, server)
            back.join()


def _copy(source, target):
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
