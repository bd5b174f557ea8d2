"""Requests as bytes: mutated ones, and a strict reader that says which of them may be obeyed."""

import re
from typing import NamedTuple

from server import MAX_BYTES

TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
# More blanks than one change no boundary (RFC 9112, 3).
REQUEST_LINE = re.compile(rb"(?:\r?\n)*(GET|HEAD|PUT|DELETE) +(?:[Hh][Tt][Tt][Pp][Ss]?://[^/?#\s]+)?(/[!-~]*) +HTTP/1\.([01])\r\n")
FIELD = re.compile(rb"(" + TOKEN + rb"):[ \t]*((?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?)[ \t]*\r\n")
CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})(;[\t -~\x80-\xff]*)?\r\n")
BACKUP = re.compile(rb"/backups/([0-9a-f]{64})")


class Request(NamedTuple):
    method: str
    target: bytes
    body: bytes

    @property
    def id(self):
        match = BACKUP.fullmatch(self.target)
        return match and match[1].decode()

    @property
    def may_succeed(self):
        """By method, target and length alone."""
        if self.target in (b"/config", b"/health"):
            return self.method in ("GET", "HEAD")
        return self.id is not None and (self.method != "PUT" or 0 < len(self.body) <= MAX_BYTES)


def whole_requests(raw):
    """Reads by the letter of RFC 9112 and stops at the first deviation. Gives the whole requests before it,
    and one whose head alone is whole, if that is enough for an answer."""
    found, place = [], 0
    while request := REQUEST_LINE.match(raw, place):
        fields, place = [], request.end()
        while field := FIELD.match(raw, place):
            fields.append((field[1].lower(), field[2]))
            place = field.end()
        if raw[place : place + 2] != b"\r\n":
            return found
        body, place = read_body(raw, place + 2, fields)
        hosts = [value for name, value in fields if name == b"host"]
        if len(hosts) > 1 or request[3] == b"1" and not hosts:
            return found
        if body is None:
            # All but an upload may be answered before the body has come, and whatever it is.
            is_certain = request[1] != b"PUT" and has_certain_length(fields)
            return found + [Request(request[1].decode(), request[2], b"")] if is_certain else found
        found.append(Request(request[1].decode(), request[2], body))
    return found


def read_body(raw, place, fields):
    """The body, and the place behind it; None if the body is not whole or its length not certain."""
    lengths = [value for name, value in fields if name == b"content-length"]
    codings = [value for name, value in fields if name == b"transfer-encoding"]
    if not lengths and not codings:
        return b"", place
    if len(lengths) + len(codings) > 1:
        return None, place
    if codings:
        return read_chunks(raw, place) if codings[0].lower() == b"chunked" else (None, place)
    if not re.fullmatch(rb"[0-9]{1,18}", lengths[0]) or len(raw) < place + int(lengths[0]):
        return None, place
    end = place + int(lengths[0])
    return raw[place:end], end


def has_certain_length(fields):
    framing = [(name, value.lower()) for name, value in fields if name in (b"content-length", b"transfer-encoding")]
    return len(framing) == 1 and (framing[0] == (b"transfer-encoding", b"chunked")
                                  or framing[0][0] == b"content-length" and framing[0][1].isdigit())


def read_chunks(raw, place):
    body = b""
    while size := CHUNK.match(raw, place):
        count, place = int(size[1], 16), size.end()
        if count == 0:
            while field := FIELD.match(raw, place):
                place = field.end()
            return (body, place + 2) if raw[place : place + 2] == b"\r\n" else (None, place)
        if len(raw) < place + count + 2 or raw[place + count : place + count + 2] != b"\r\n":
            return None, place
        body += raw[place : place + count]
        place += count + 2
    return None, place


PIECES = [
    b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b"\x0b", b":", b";", b",", b"\r\n ", b"\r\n\r\n", b"0\r\n\r\n", b"\xff",
    b"Content-Length: 0\r\n", b"Content-Length: 5\r\n", b"Content-Length: 3\r\n", b"Content-Length: -1\r\n",
    b"Content-Length: 18446744073709551621\r\n", b"Content-Length: 0x5\r\n", b"Content-Length : 5\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding:\tchunked\r\n",
    b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding: chunked, identity\r\n",
    b"Transfer-Encoding:\r\n chunked\r\n", b"Host: y\r\n", b"Connection: close\r\n", b"Connection: keep-alive, TE\r\n",
    b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\n", b"Content-Range: bytes 0-4/9\r\n", b"If-Match: *\r\n", b"If-None-Match: *\r\n",
    b"Range: bytes=0-1\r\n", b"../", b"/..", b"//", b"%2e%2e%2f", b"%00", b"?", b"#", b"http://x", b"*",
    b"/config", b"/backups/", b"/server.lock", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"5;a=b\r\nhello\r\n",
    b"5;" + b"a" * 3000 + b"\r\n", b"fffffffffffffffff\r\n", b"8000000000000000\r\n", b"00000000000000000000005\r\n",
    b"X: " + b"y" * 20_000 + b"\r\n", b"A: b\r\n" * 70]


def seed(random, ids):
    """A whole request, or two on one connection."""
    one = random.choice([get, put, put_in_chunks, delete])(random, ids)
    return one + random.choice([get, put, delete])(random, ids) if random.random() < 0.3 else one


def get(random, ids):
    target = random.choice(["/config", "/health", "/backups/" + random.choice(ids)])
    return f"{random.choice(['GET', 'GET', 'HEAD'])} {target} HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n".encode()


def delete(random, ids):
    return f"DELETE /backups/{random.choice(ids)} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


def put(random, ids):
    body = random.randbytes(random.choice([1, 5, 300]))
    return head_of_put(random, ids) + b"Content-Length: %d\r\n\r\n" % len(body) + body


def put_in_chunks(random, ids):
    chunks = (random.randbytes(random.choice([1, 5, 40])) for _ in range(random.randrange(1, 4)))
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head_of_put(random, ids) + b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"


def head_of_put(random, ids):
    return f"PUT /backups/{random.choice(ids)} HTTP/1.1\r\nHost: x\r\n".encode()


def mutated(random, ids):
    """Requests about these ids with one to three changes; one in twenty has none."""
    raw = seed(random, ids)
    for _ in range(random.choice([1, 1, 2, 3]) if random.random() < 0.95 else 0):
        raw = random.choice([flip, insert, remove, repeat, cut, swap_lines])(raw, random)
    return raw


def flip(raw, random):
    place = random.randrange(len(raw)) if raw else 0
    return raw[:place] + bytes([random.randrange(256)]) + raw[place + 1 :]


def insert(raw, random):
    # Half of them where a line begins: most of the others would be in a body.
    lines = [match.end() for match in re.finditer(rb"\r\n", raw)]
    place = random.choice(lines) if lines and random.random() < 0.5 else random.randrange(len(raw) + 1)
    return raw[:place] + random.choice(PIECES) + raw[place:]


def remove(raw, random):
    place = random.randrange(len(raw) + 1)
    return raw[:place] + raw[place + random.choice([1, 1, 2, 5, 30]) :]


def repeat(raw, random):
    place, count = random.randrange(len(raw) + 1), random.choice([1, 2, 10, 40])
    return raw[: place + count] + raw[place:]


def cut(raw, random):
    return raw[: random.randrange(len(raw) + 1)]


def swap_lines(raw, random):
    lines = raw.split(b"\r\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\r\n".join(lines)
