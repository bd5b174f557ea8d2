"""Key files once more, on other people's primitives: hashlib, argon2-cffi, PyNaCl.

Nothing here is shared with the program: what it wraps is unwrapped here and the other way round.

Android, first layout, 45 bytes:

    offset  length  meaning
    0       1       protection: 0 none, 2 scrypt
    1       32      constant XOR master key [XOR scrypt(passphrase, salt, N 65536, r 8, p 1)]
    33      8       salt, zero without protection
    41      4       SHA-1 prefix of the master key

Android, second layout, three Protocol Buffers messages in each other, each behind 2 zero bytes:

    outer         1: intermediate, or 2: {2: salt, 3: KiB, 4: passes, 5: lanes, 6: encrypted}
    encrypted     1: nonce (24), 2: XChaCha20-Poly1305 of the intermediate under Argon2id's key
    intermediate  1: inner, or 2: under a remote secret
    inner         1: master key

Desktop, a Protocol Buffers message:

    1: nonce (24) and secretbox of the content under Argon2id's key
    2: {1: version, 2: salt, 3: bytes of memory, 4: passes, 5: lanes}, 3: schema version
    content       1: {1: ID, 2: client key, 3: group as a number (schema < 2), 4: group in hex},
                  2: device group key, 3: database key, 5: schema version
"""

import functools
import hashlib
import os

import nacl.bindings
import nacl.exceptions
from argon2.low_level import Type, hash_secret_raw

CONSTANT = bytes.fromhex("950d267a88ea77109c50e73f47e06972dac4397c99ea7e67affddd32da35f70c")
LEAST_COST = {"memory_kib": 8, "passes": 1}  # within bounds, and derived in no time
NONCE = 24


# The first layout.


def wrap_v1(key, passphrase=None, salt=None):
    salt = bytes(8) if passphrase is None else salt or os.urandom(8)
    mask = bytes(32) if passphrase is None else _scrypt(passphrase, salt)
    kind = b"\0" if passphrase is None else b"\2"
    return kind + _xor(_xor(key, mask), CONSTANT) + salt + hashlib.sha1(key).digest()[:4]


def unwrap_v1(file, passphrase=None):
    if len(file) != 45 or file[0] not in (0, 2):
        raise ValueError("malformed")
    if (file[0] == 0) != (passphrase is None):
        raise ValueError("protection")
    mask = bytes(32) if passphrase is None else _scrypt(passphrase, file[33:41])
    key = _xor(_xor(file[1:33], CONSTANT), mask)
    if hashlib.sha1(key).digest()[:4] != file[41:]:
        raise ValueError("wrong passphrase or damaged")
    return key


# The second layout.


def wrap_v2(key, passphrase=None, memory_kib=131_072, passes=8, salt=None, nonce=None):
    intermediate = versioned((1, versioned((1, key))))
    if passphrase is None:
        return versioned((1, intermediate))
    salt = salt or os.urandom(16)
    encrypted = encrypt(intermediate, argon2id(passphrase, salt, memory_kib, passes), nonce)
    return outer(salt, memory_kib, passes, encrypted)


def encrypt(intermediate, secret_key, nonce=None):
    nonce = nonce or os.urandom(NONCE)
    return message((1, nonce), (2, nacl.bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        intermediate, b"", nonce, secret_key)))


def outer(salt, memory_kib, passes, encrypted, lanes=1):
    """Any cost can be written: nothing is derived."""
    return versioned((2, message(
        (2, salt), (3, memory_kib), (4, passes), (5, lanes), (6, encrypted))))


def unwrap_v2(file, passphrase=None):
    found = _unversioned(file)
    if (1 in found) != (passphrase is None):
        raise ValueError("protection")
    intermediate = found[1] if passphrase is None else _opened(fields(found[2]), passphrase)
    return _unversioned(_unversioned(intermediate)[1])[1]


def _opened(found, passphrase):
    encrypted = fields(found[6])
    try:
        return nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            encrypted[2], b"", encrypted[1], argon2id(passphrase, found[2], found[3], found[4]))
    except nacl.exceptions.CryptoError:
        raise ValueError("wrong passphrase or damaged") from None


def unwrap(file, passphrase=None):
    """The master key of a file in either layout. Raises ValueError."""
    return (unwrap_v1 if len(file) == 45 else unwrap_v2)(file, passphrase)


def is_bare(file):
    """Whether its first bytes say that there is no passphrase; the rest may be damaged."""
    return file[:1] == b"\0" if len(file) == 45 else file[:3] == b"\0\0\x0a"


def argon(file):
    """The fields by which a protected file of the second layout says how it is opened."""
    return fields(_unversioned(file)[2])


def cost(file):
    """KiB, passes, salt."""
    found = argon(file)
    return found[3], found[4], found[2]


# The Desktop app's.


def seal_desktop(identity, password, group=0x0F, schema=2, outer_schema=1, memory_kib=8, passes=3,
                 salt=None, more=()):
    """`identity`: with `id` and `client_key`; `more`: fields besides."""
    server = (4, f"{group:02x}".encode()) if schema == 2 else (3, group)
    content = message((1, message((1, identity.id.encode()), (2, identity.client_key), server)),
                      (2, b"g" * 32), (3, b"d" * 32), (4, message((1, 1), (2, 2))), (5, schema),
                      *more)
    salt, nonce = salt or os.urandom(16), os.urandom(NONCE)
    box = nacl.bindings.crypto_secretbox(
        content, nonce, argon2id(password, salt, memory_kib, passes))
    derivation = message((2, salt), (3, memory_kib * 1024), (4, passes), (5, 1))
    return message((1, nonce + box), (2, derivation), (3, outer_schema))


def open_desktop(file, password):
    """The fields of its content."""
    found = fields(file)
    derivation = fields(found[2])
    key = argon2id(password, derivation[2], derivation[3] // 1024, derivation[4])
    return fields(nacl.bindings.crypto_secretbox_open(
        found[1][NONCE:], found[1][:NONCE], key))


# Derivations. Passphrases are bytes.


@functools.lru_cache(maxsize=None)  # up to 128 MiB and half a second each
def argon2id(passphrase, salt, memory_kib, passes):
    return hash_secret_raw(passphrase, salt, passes, memory_kib, 1, 32, Type.ID, version=0x13)


@functools.lru_cache(maxsize=None)
def _scrypt(passphrase, salt):
    return hashlib.scrypt(passphrase, salt=salt, n=65536, r=8, p=1, dklen=32, maxmem=128 << 20)


def _xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


# Protocol Buffers: numbers become varints, bytes are written with their length.


def message(*numbered):
    written = b""
    for number, value in numbered:
        if isinstance(value, int):
            written += varint(number << 3) + varint(value)
        else:
            written += varint(number << 3 | 2) + varint(len(value)) + value
    return written


def versioned(*numbered, version=0):
    return version.to_bytes(2, "little") + message(*numbered)


def varint(value):
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(written) + bytes([value])


def fields(content):
    """By number, the last one of each."""
    found, position = {}, 0

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = content[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(content):
        key = number()
        value = number()
        if key & 7 == 2:
            value, position = content[position : position + value], position + value
        found[key >> 3] = value
    return found


def _unversioned(content):
    if content[:2] != b"\0\0":
        raise ValueError("version")
    return fields(content[2:])
