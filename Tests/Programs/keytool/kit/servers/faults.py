"""What a Safe server, or whatever stands between, may do instead of its work.

Each makes something for FaultServer.fault.
"""

import time

from kit.folded import folded
from kit.servers.faultserver import abort

MEBIBYTE = 1 << 20
HTML = b"<!doctype html><title>Welcome</title><p>Log in to our network.</p>" * 3


def status(code, body=b"<p>no</p>", **headers):
    def act(call):
        call.read()
        call.answer(code, body, **headers)
    return act


def redirect(location, code=301):
    """`location` may be made from the call."""
    def act(call):
        call.read()
        place = location(call) if callable(location) else location
        call.answer(code, HTML, Location=place)
    return act


def content(change, **headers):
    """A healthy status with another body: `change` makes it from the healthy one."""
    def act(call):
        code, body = call.outcome()
        call.answer(200 if code == 404 else code, change(body), **headers)
    return act


def constant(body, **headers):
    return content(lambda _: body, **headers)


def missing(call):
    call.outcome()
    call.answer(404)


def truncated(body):
    return body[:len(body) // 2]


def swapped(body):
    """Both halves are there, in the wrong order."""
    return body[len(body) // 2:] + body[:len(body) // 2]


def promising(extra):
    """A Content-Length that is not that of the body."""
    def act(call):
        code, body = call.outcome()
        call.answer(code, body, length=len(body) + extra)
    return act


def lie(code=201):
    """Says that it stored or deleted, and did not."""
    return status(code, b"")


def half_stored(call):
    """What two of five WebDAV servers keep of a PUT that breaks off."""
    call.read(0.5)
    call.server.stored[call.request.path] = call.request.body
    call.abort()


# Connections that break off, and answers that take their time.


def reset_before(call):
    call.abort()


def reset_within(call):
    call.read(0.5)
    call.abort()


def reset_after(call):
    """Done, but nobody hears of it."""
    call.outcome()
    call.abort()


def reset_in_the_answer(call):
    _, body = call.outcome()
    call.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100) + body)
    call.abort()


def closed(call):
    call.read()
    call.is_last = True


def stall(call):
    call.read()
    call.stall()


def stall_after(call):
    call.outcome()
    call.stall()


def dripping(pause):
    """The healthy answer, a byte at a time."""
    def act(call):
        code, body = call.outcome()
        for byte in b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n" % (code, len(body)) + body:
            call.raw(bytes([byte]))
            time.sleep(pause)
    return act


def slow(seconds):
    def act(call):
        done = call.outcome()
        call.server.released.wait(seconds)
        call.answer(*done)
    return act


# Before TLS.


def reset_on_connect(server, connection):
    abort(server, connection)


def reset_in_handshake(server, connection):
    connection.recv(4096)
    abort(server, connection)


def closed_in_handshake(server, connection):
    connection.recv(4096)


def silent(server, connection):
    server.released.wait(30)


def plain_http(server, connection):
    connection.recv(4096)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


# Too much.


def endless(code=200, length=4 << 30):
    """4 GiB, for whoever goes on reading."""
    def act(call):
        call.read()
        call.is_last = True
        call.raw(b"HTTP/1.1 %d OK\r\nContent-Length: %d\r\n\r\n" % (code, length))
        piece = bytes(1 << 16)
        for _ in range(length // len(piece)):
            call.raw(piece)
    return act


def endless_chunks(call):
    call.read()
    call.is_last = True
    call.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + bytes(1 << 16) + b"\r\n"
    for _ in range(1 << 16):
        call.raw(piece)


def header_bomb(call):
    call.read()
    call.is_last = True
    call.raw(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        call.raw(b"X-%d: " % number + b"a" * 4000 + b"\r\n")


def long_header(call):
    call.read()
    call.is_last = True
    call.raw(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in range(1000):
        call.raw(b"a" * 65536)


def interim_bomb(call):
    call.read()
    call.is_last = True
    for _ in range(1_000_000):
        call.raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def gzip_bomb(length=256 * MEBIBYTE):
    member = folded(b"{", b" ", length, b"}")
    return constant(member, Content_Encoding="gzip")


def garbage(call):
    call.read()
    call.is_last = True
    call.raw(bytes(range(256)) * 4)
