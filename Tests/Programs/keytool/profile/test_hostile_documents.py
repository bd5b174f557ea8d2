"""Documents that somebody wrote who has the Safe key, and who means harm.

`safe check`, `safe pull` by key and `safe pull` by password end in 65 or 14, or in 0 where nothing
is wrong but the size: within 256 MiB and 10 s of processor time, and what is refused stores nothing. The release takes
less than 2 s; what only grows too fast takes minutes.
"""

import functools
import gzip
import json

import pytest

from kit import oracle
from kit.folded import folded, promising
from kit.known import EMPTY_KEYSTORE, SAFE_PASSWORD
from kit.processes.measured import Measured
from kit.runner import BUT_THE_FINDING, snapshot

SECONDS, MEBIBYTES = 10, 256
MAX_DOCUMENT = 8 << 20
KEY = bytes(range(32))
KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
MINIMAL = oracle.safe_document(KEY)
TEXT = json.dumps(MINIMAL, separators=(",", ":"))
OPEN = TEXT[:-1].encode() + b","  # to be followed by another member and }


@pytest.fixture
def machine(pulled):
    """Holds the identity and its Safe."""
    return pulled("hostile", oracle.seal_safe(MINIMAL, KEYS))


@pytest.fixture
def try_all(machine, keytool, tmp_path, safe_password):
    """try_all(blob, code): each way to read this backup ends in `code`, quickly and small."""
    by_key, empty = (Measured(runner, tmp_path / "usage") for runner in (machine.keytool, keytool))
    by_password = ["safe", "pull", "--id", "ABCD1234", "--server", machine.directory.url,
                   *safe_password]

    def refused(runner, code, *command):
        before = snapshot(runner.keystore, BUT_THE_FINDING)
        runner.fails(code, *command)
        assert snapshot(runner.keystore, BUT_THE_FINDING) == before

    def try_all(blob, code, is_with_password=True):
        machine.directory.put(KEYS, blob)
        if code == 0:
            by_key.fails(20, "safe", "check")  # in order, but another device's
            empty.ok(*by_password)
            by_key.ok("safe", "pull")
            by_key.ok("safe", "check")
        else:
            refused(by_key, code, "safe", "check")
            refused(by_key, code, "safe", "pull")
            if is_with_password:
                refused(empty, code, *by_password)
                assert snapshot(empty.keystore) == EMPTY_KEYSTORE
        assert machine.blob == blob
        for runner in (by_key, empty):
            print(f"{runner.seconds:.2f} s, {runner.mebibytes:.0f} MiB")
            assert runner.seconds <= SECONDS and runner.mebibytes <= MEBIBYTES

    return try_all


# Size


def fill(head, unit, tail):
    """As many units as a document may hold."""
    return head, unit, (MAX_DOCUMENT - len(head) - len(tail)) // len(unit), tail


@functools.cache
def bomb():
    return folded(OPEN + b'"x":"', b"a", 1 << 30, b'"}')


def contacts(contact, number):
    return folded(OPEN + b'"contacts":[', contact + b",", number, contact + b"]}")


def nickname(length):
    before, after = TEXT.replace('"user":{', '"user":{"nickname":"HERE",').encode().split(b"HERE")
    return folded(before, b"a", length, after)


def names(number):
    return gzip.compress(OPEN + b'"x":{' + b",".join(b'"%d":0' % n for n in range(number)) + b"}}")


LARGE = {
    "10 million contacts": (lambda: contacts(b"{}", 10_000_000), 14),
    "2.7 million contacts": (lambda: contacts(b"{}", 2_700_000), 14),
    "300,000 empty contacts": (lambda: contacts(b"{}", 300_000), 14),
    "95,000 contacts": (lambda: contacts(b'{"identity":"ECHOECHO"}', 95_000), 0),
    "190,000 names": (lambda: names(190_000), 0),
    "4 million numbers": (lambda: folded(*fill(OPEN + b'"x":[', b"1,", b"1]}")), 14),
    "4 MiB of nickname": (lambda: nickname(4 << 20), 0),
    "8 MiB of nickname": (lambda: nickname(8 << 20), 14),
    "8 MiB of escapes": (lambda: folded(*fill(OPEN + b'"x":"', b"\\u00e9", b'"}')), 0),
    "8 MiB of digits": (lambda: folded(*fill(OPEN + b'"x":', b"9", b"}")), 0),
    "8 MiB of blanks": (lambda: folded(*fill(OPEN + b'"x":', b" ", b"0}")), 0),
    "8 MiB of an open string": (lambda: folded(*fill(OPEN + b'"x":"', b"\\\\", b"")), 65),
    "8 MiB of brackets": (lambda: folded(*fill(OPEN + b'"x":', b"[", b"")), 65),
    "1 GiB": (bomb, 14),
    "1 GiB that promises 100 bytes": (lambda: promising(bomb(), 100), 65),
    "1 GiB that promises 8 MiB": (lambda: promising(bomb(), MAX_DOCUMENT), 65),
    "1 GiB that promises 4 GiB": (lambda: promising(bomb(), 0xffffffff), 65),
    "little that promises 8 MiB": (lambda: promising(gzip.compress(OPEN), MAX_DOCUMENT), 65),
}


@pytest.mark.parametrize("plain, code", LARGE.values(), ids=LARGE)
def test_large(try_all, plain, code):
    try_all(oracle.seal_box(plain(), KEYS), code)


def test_four_mebibytes_of_nickname_as_apps_write_them(try_all):
    """Not compressed it is more than is ever downloaded."""
    document = {**MINIMAL, "user": {**MINIMAL["user"], "nickname": "a" * (4 << 20)}}
    try_all(oracle.seal_safe(document, KEYS, level=0), {14, 65})


# Grammar


def with_x(text):
    return OPEN + b'"x":' + (text if isinstance(text, bytes) else text.encode()) + b"}"


def nested(opening, closing, depth=100_000):
    return opening * depth + "0" + closing * depth


GRAMMAR = {
    "depth of objects": with_x(nested('{"a":', "}")),
    "depth of arrays": with_x(nested("[", "]")),
    "depth of both": with_x(nested('[{"a":', "}]")),
    "depth in contacts": OPEN + b'"contacts":' + nested("[", "]").encode() + b"}",
    "depth in the stamp": OPEN + b'"keytool":' + nested('{"generation":', "}").encode() + b"}",
    "a name twice": with_x('{"a":1,"a":1}'),
    "a name twice, once escaped": with_x(r'{"a":1,"\u0061":1}'),
    "a name twice, far apart": with_x(
        "{" + ",".join(f'"{n}":0' for n in range(100_000)) + ',"0":0}'),
    "the contacts twice": OPEN + b'"contacts":[],"contacts":[]}',
    "the stamp twice": OPEN + b'"keytool":{},"keytool":{}}',
    "high surrogate": with_x(r'"\ud800"'),
    "low surrogate": with_x(r'"\udc00"'),
    "surrogates the wrong way round": with_x(r'"\udc00\ud800"'),
    "high surrogate twice": with_x(r'"\ud83d\ud83d\ude00"'),
    "high surrogate and a letter": with_x(r'"\ud83d\u0041"'),
    "surrogate in a name": with_x(r'{"\udfff":0}'),
    "surrogate in UTF-8": with_x(b'"\xed\xa0\x80"'),
    "overlong UTF-8": with_x(b'"\xc0\x80"'),
    "beyond Unicode": with_x(b'"\xf4\x90\x80\x80"'),
    "half a character": with_x(b'"\xc3"'),
    "UTF-16": TEXT.encode("utf-16-le"),
    "NUL, escaped": with_x(r'"\u0000"'),
    "NUL in a name": with_x(r'{"\u0000":0}'),
    "NUL, raw": with_x(b'"\0"'),
    "NUL instead of a blank": with_x(b"\0" b"0"),
    "NUL at the end": TEXT.encode() + b"\0",
    "escape of nothing": with_x(r'"\x41"'),
    "half an escape": with_x(r'"\u12"'),
    "+1": with_x("+1"), ".5": with_x(".5"), "1.": with_x("1."), "1e": with_x("1e"),
    "--1": with_x("--1"), "0x10": with_x("0x10"), "Infinity": with_x("-Infinity"),
    "a comment": with_x("/**/0"), "a word": with_x("True"),
}


def test_grammar(try_all):
    for name, document in GRAMMAR.items():
        print(name)
        try_all(oracle.seal_safe(document, KEYS), 65, is_with_password=False)
