"""Telegram's files, written from their description on hashlib and a single AES block: the Desktop app's directory
tdata, the forms of a protected key, the text of an account, and packets of version 1. It shares nothing with keytool.
"""

import base64
import hashlib
import json
import os
import struct
import subprocess
from dataclasses import dataclass, field

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

KEYS = [hashlib.shake_256(b"key %d" % number).digest(256) for number in range(6)]


def key_id(key):
    return hashlib.sha1(key).digest()[12:].hex()


# AES-256-IGE and version 1 of the derivation


def xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def ige(key, iv, data, is_encrypting):
    block = Cipher(algorithms.AES(key), modes.ECB())
    step = (block.encryptor() if is_encrypting else block.decryptor()).update
    before_out, before_in = (iv[:16], iv[16:]) if is_encrypting else (iv[16:], iv[:16])
    found = b""
    for at in range(0, len(data), 16):
        given = data[at:at + 16]
        made = xor(step(xor(given, before_out)), before_in)
        before_out, before_in = made, given
        found += made
    return found


def block_keys(key, message_key, x):
    def sha1(*parts):
        return hashlib.sha1(b"".join(parts)).digest()

    a = sha1(message_key, key[x:x + 32])
    b = sha1(key[32 + x:48 + x], message_key, key[48 + x:64 + x])
    c = sha1(key[64 + x:96 + x], message_key)
    d = sha1(message_key, key[96 + x:128 + x])
    return a[:8] + b[8:20] + c[4:16], a[8:20] + b[:8] + c[16:20] + d[:8]


# The directory tdata


@dataclass
class Account:
    keys: dict  # data centre -> key
    user: int = 1 << 40
    main: int = 2
    gone: dict = field(default_factory=dict)


def array(data):
    return struct.pack(">I", len(data)) + data


def shell(data, version=4008001):
    tail = hashlib.md5(data + struct.pack("<ii", len(data), version) + b"TDF$").digest()
    return b"TDF$" + struct.pack("<i", version) + data + tail


def blob(key, payload):
    plain = struct.pack("<I", 4 + len(payload)) + payload
    plain += os.urandom(-len(plain) % 16)
    digest = hashlib.sha1(plain).digest()[:16]
    return digest + ige(*block_keys(key, digest, 8), plain, True)


def account_payload(account):
    def listed(keys):
        return struct.pack(">i", len(keys)) + b"".join(struct.pack(">i", dc) + key for dc, key in keys.items())

    content = struct.pack(">QQi", (1 << 64) - 1, account.user, account.main)
    return struct.pack(">I", 0x4B) + array(content + listed(account.keys) + listed(account.gone))


def file_name(index):
    text = hashlib.md5(b"data" if index == 0 else b"data#%d" % (index + 1)).hexdigest().upper()[:16]
    return "".join(text[at + 1] + text[at] for at in range(0, 16, 2))


def passcode_key(passcode, salt):
    hashed = hashlib.sha512(salt + passcode + salt).digest()
    return hashlib.pbkdf2_hmac("sha512", hashed, salt, 100_000 if passcode else 1, 256)


@dataclass
class Wrap:
    """The local key under a passcode, as version 7.3 of the app stores it."""
    passcode: bytes
    generation: int = 1
    family: int = 1
    memory: int = 64  # KiB, or N
    time: int = 1  # passes, or r
    lanes: int = 1
    salt: bytes = bytes(range(32))

    def key(self):
        if self.family == 2:
            return hashlib.scrypt(self.passcode, salt=self.salt, n=self.memory, r=self.time, p=self.lanes, dklen=256,
                                  maxmem=1 << 29)
        return hash_secret_raw(self.passcode, self.salt, self.time, self.memory, self.lanes, 256, Type.ID)

    def encoded(self, local):
        numbers = struct.pack(">5I", self.family, self.generation, self.memory, self.time, self.lanes)
        return numbers + array(self.salt) + array(blob(self.key(), local))


def trailer(wraps, committed, local, magic=b"KD2\0", version=2):
    """The fourth array of key_datas."""
    header = magic + struct.pack(">3I", version, committed, len(wraps))
    return header + b"".join(each.encoded(local) for each in wraps)


def tdata(directory, accounts, passcode=b"", local=None, newer=None):
    """Writes the directory; the accounts stand at 0, 1, 2 …. Gives its path.

    newer: the fourth array; with a passcode, the second one is empty then."""
    directory.mkdir()
    salt, local = os.urandom(32), local or os.urandom(256)
    indices = range(len(accounts))
    info = struct.pack(f">i{len(accounts)}ii", len(accounts), *indices, 0)
    sealed = b"" if newer and passcode else blob(passcode_key(passcode, salt), local)
    parts = [salt, sealed, blob(local, info)] + ([newer] if newer else [])
    (directory / "key_datas").write_bytes(shell(b"".join(array(part) for part in parts)))
    for index, account in enumerate(accounts):
        (directory / f"{file_name(index)}s").write_bytes(shell(array(blob(local, account_payload(account)))))
        if newer:
            # The account's list of other files, without which others do not read it.
            (directory / file_name(index)).mkdir()
            (directory / file_name(index) / "maps").write_bytes(shell(array(b"") * 2 + array(blob(local, b""))))
    return directory


# A protected key


def hashed(key):
    return hashlib.sha1(key).digest() + key


def cbc(key, iv, plain):
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return cipher.update(plain + b"\x0c" * 12)


def openssl(password, iv, plain):
    """As the program openssl does it: the key by MD5, salted with half of the IV."""
    sealed = subprocess.run(
        ["openssl", "enc", "-aes-256-cbc", "-md", "md5", "-S", iv[:8].hex(), "-iv", iv.hex(),
         "-pass", f"pass:{password.decode()}"], input=plain, capture_output=True, check=True).stdout
    assert len(sealed) == 288, len(sealed)
    return sealed


def pem(password, iv, plain):
    lines = base64.encodebytes(openssl(password, iv, plain)).decode().replace("\n", "")
    body = "\n".join(lines[at:at + 64] for at in range(0, len(lines), 64))
    label = "TELEGRAM AUTH KEY"
    return (f"-----BEGIN {label}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{iv.hex().upper()}\n\n"
            f"{body}\n-----END {label}-----\n").encode()


def scrypt(password, salt, iv, plain):
    key = hashlib.scrypt(password, salt=salt, n=32768, r=8, p=1, dklen=32, maxmem=1 << 26)
    return salt + iv + cbc(key, iv, plain)


IV = bytes(range(16, 32))
SALT = bytes(range(40, 56))
FORMS = {
    "raw": lambda key, password: key,
    "hashed": lambda key, password: hashed(key),
    "literal": lambda key, password: cbc(password.ljust(32, b"\0")[:32], bytes(16), hashed(key)),
    "literal_iv": lambda key, password: IV + cbc(password.ljust(32, b"\0")[:32], IV, hashed(key)),
    "openssl": lambda key, password: IV + openssl(password, IV, hashed(key)),
    "pem": lambda key, password: pem(password, IV, hashed(key)),
    "scrypt": lambda key, password: scrypt(password, SALT, IV, hashed(key)),
}


def account_text(keys, main=2, user=None, lost=()):
    """The text of an account: JSON with sorted names."""
    value = {"keys": [{"dc": dc, "key": base64.b64encode(key).decode(), "lost": dc in lost}
                      for dc, key in sorted(keys.items())],
             "main_dc": main, "messenger": "telegram", "version": 1}
    if user is not None:
        value["user_id"] = str(user)
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
