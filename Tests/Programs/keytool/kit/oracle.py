"""The formats once more, on other people's primitives: hashlib, PyNaCl, libargon2, gzip, json.

Nothing here is shared with the program. What it seals is opened here and the other way
round, so that a mistake made in one place cannot hide behind the same mistake in the other.

80-character backup code, 50 bytes before base32:

    offset  length  meaning
    0       8       salt
    8       8       ID                  the 42 bytes from here on are
    16      32      client key          XOR XSalsa20(key, 24 zero bytes)
    48      2       SHA-256 prefix of ID and client key
    key = PBKDF2-HMAC-SHA256(password, salt, 100 000 iterations, 32 bytes)

104-character backup code, 65 bytes before base32:

    offset  length  meaning
    0       1       version, 1
    1       8       salt
    9       40      ID and client key   ChaCha20-Poly1305 (IETF), a nonce of 12 zero bytes,
    49      16      tag                 the first 9 bytes as additional data
    key = Argon2id 1.3(password, salt, 128 MiB, 8 passes, 1 lane, 32 bytes)

Safe backup, a secretbox over a gzip container over JSON:

    offset  length  meaning
    0       24      nonce
    24      16      tag
    40      rest    ciphertext
    backup id (32), encryption key (32) = scrypt(password, ID, N 65536, r 8, p 1, 64 bytes)
"""

import base64
import ctypes
import functools
import gzip
import hashlib
import json
import os
from typing import NamedTuple

import nacl.bindings
import nacl.exceptions

from kit import xsalsa20

ITERATIONS = 100_000
ARGON2ID_MEMORY_KIB = 128 * 1024
ARGON2ID_PASSES = 8
ARGON2ID_BYTES = 1 + 8 + 40 + 16
NONCE = 24
TAG = 16


class Identity(NamedTuple):
    id: str
    client_key: bytes

    @property
    def public_key(self):
        """64 hexadecimal digits."""
        return nacl.bindings.crypto_scalarmult_base(self.client_key).hex()

    @property
    def contact_text(self):
        return f"3mid:{self.id},{self.public_key}"


class SafeKeys(NamedTuple):
    backup_id: str
    encryption_key: bytes


def is_valid_id(text):
    rest = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return len(text) == 8 and text[0] in rest + "*" and all(c in rest for c in text[1:])


# Backup codes. Passwords are bytes everywhere.


def seal_code(identity, password, salt=None):
    """The grouped code of 80 characters, 99 with its dashes."""
    salt = os.urandom(8) if salt is None else salt
    body = _body(identity)
    plain = body + hashlib.sha256(body).digest()[:2]
    return _grouped(salt + _xor_stream(password, salt, plain))


def seal_code_argon2id(identity, password, salt=None):
    """The grouped code of 104 characters, 129 with its dashes."""
    header = b"\1" + (os.urandom(8) if salt is None else salt)
    return _grouped(header + nacl.bindings.crypto_aead_chacha20poly1305_ietf_encrypt(
        _body(identity), header, bytes(12), _argon2id(password, header[1:])))


def open_code(code, password):
    """Raises ValueError where the code is malformed or the password does not open it."""
    raw = code_bytes(code)
    if len(raw) == ARGON2ID_BYTES and raw[0] == 1:
        return _open_argon2id(raw, password)
    if len(raw) != 50:
        raise ValueError(f"decoding: {len(raw)} bytes, expected 50")
    plain = _xor_stream(password, raw[:8], raw[8:])
    if hashlib.sha256(plain[:40]).digest()[:2] != plain[40:]:
        raise ValueError("decryption: wrong password or damaged")
    return _identity(plain[:40])


def code_bytes(code):
    return base64.b32decode(code.replace("-", ""))


def check_word(code):
    """`XXXX-XXXX`, from the first 40 bits of SHA-256 over the decoded bytes."""
    word = base64.b32encode(hashlib.sha256(code_bytes(code)).digest()[:5]).decode()
    return word[:4] + "-" + word[4:]


def row_check(row, number):
    """Two characters: the number of a row and its characters, as one number in base 32, modulo 1021."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    value = number * 32 ** len(row.replace("-", ""))
    for place, character in enumerate(reversed(row.replace("-", ""))):
        value += alphabet.index(character) * 32 ** place
    return alphabet[value % 1021 // 32] + alphabet[value % 1021 % 32]


def _open_argon2id(raw, password):
    header, sealed = raw[:9], raw[9:]
    try:
        return _identity(nacl.bindings.crypto_aead_chacha20poly1305_ietf_decrypt(
            sealed, header, bytes(12), _argon2id(password, header[1:])))
    except nacl.exceptions.CryptoError:
        raise ValueError("decryption: wrong password or damaged") from None


def _body(identity):
    return identity.id.encode("ascii") + identity.client_key


def _identity(body):
    if not is_valid_id(body[:8].decode("latin-1")):
        raise ValueError("decoding: illegal ID")
    return Identity(body[:8].decode("ascii"), body[8:])


def _grouped(raw):
    text = base64.b32encode(raw).decode()
    return "-".join(text[i : i + 4] for i in range(0, len(text), 4))


@functools.lru_cache(maxsize=None)  # 128 MiB and a second each
def _argon2id(password, salt):
    """libargon2 itself: PyNaCl takes salts of 16 bytes only."""
    key = ctypes.create_string_buffer(32)
    number, count, text = ctypes.c_uint32, ctypes.c_size_t, ctypes.c_char_p
    status = ctypes.CDLL("libargon2.so.1").argon2id_hash_raw(
        number(ARGON2ID_PASSES), number(ARGON2ID_MEMORY_KIB), number(1),
        text(password), count(len(password)), text(salt), count(len(salt)), key, count(32))
    assert status == 0, f"argon2id_hash_raw: {status}"
    return key.raw


def _xor_stream(password, salt, data):
    key = hashlib.pbkdf2_hmac("sha256", password, salt, ITERATIONS, 32)
    return xsalsa20.xor(data, bytes(NONCE), key)


# The Safe backup.


@functools.lru_cache(maxsize=None)  # 64 MiB and 0.3 s each; the tests use few passwords
def safe_keys(password, id):
    both = hashlib.scrypt(password, salt=id.encode(), n=65536, r=8, p=1, dklen=64,
                          maxmem=128 << 20)
    return SafeKeys(both[:32].hex(), both[32:])


def seal_safe(document, keys, nonce=None, level=0):
    """`document` is a dictionary, or text where the spelling matters, or bytes."""
    return seal_box(gzip.compress(_as_bytes(document), level, mtime=0), keys, nonce)


def seal_box(plain, keys, nonce=None):
    """The layer below: any plaintext, gzip or not."""
    nonce = os.urandom(NONCE) if nonce is None else nonce
    return nonce + nacl.bindings.crypto_secretbox(plain, nonce, keys.encryption_key)


def open_box(blob, keys):
    """Raises ValueError("too_short" or "decrypt")."""
    if len(blob) < NONCE + TAG:
        raise ValueError("too_short")
    try:
        return nacl.bindings.crypto_secretbox_open(
            blob[NONCE:], blob[:NONCE], keys.encryption_key)
    except nacl.exceptions.CryptoError:
        raise ValueError("decrypt") from None


def open_safe_text(blob, keys):
    """The JSON as it was written; number spellings and order are still there."""
    plain = open_box(blob, keys)
    try:
        return gzip.decompress(plain).decode()
    except (OSError, EOFError):
        raise ValueError("gunzip") from None


def open_safe(blob, keys):
    return json.loads(open_safe_text(blob, keys))


def safe_document(client_key, **top_level):
    """The smallest document an app accepts, and whatever is to stand beside it."""
    document = {
        "info": {"version": 1, "device": "6.4.2A/de_CH"},
        "user": {"privatekey": base64.b64encode(client_key).decode()},
        "settings": {"syncContacts": False},
    }
    return {**document, **top_level}


def _as_bytes(document):
    if isinstance(document, dict):
        document = json.dumps(document, separators=(",", ":"))
    return document.encode() if isinstance(document, str) else document
