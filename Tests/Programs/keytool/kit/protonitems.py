"""The app's items and values of a MainKey, on plistlib, hashlib and OpenSSL's AES; and keytool's own form of values."""

import hashlib
import os
import plistlib

import nacl.bindings as sodium
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def pin_key(pin, salt):
    return hashlib.scrypt(pin, salt=salt, n=32_768, r=8, p=1, dklen=32, maxmem=64 << 20)


def ctr(key, iv, data):
    cipher = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    return cipher.update(data) + cipher.finalize()


def plist(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


def lock(key, pin, version=b"1"):
    """{name: content} of the items."""
    salt, list = os.urandom(8), plist([*key])
    secret = pin_key(pin, salt)
    if version == b"1":
        iv = os.urandom(16)
        blob = iv + ctr(secret, iv, list)
    else:
        blob = ctr(secret, secret[:16], list)
    items = {"PinProtection": blob, "PinProtection.salt": salt}
    return {**items, "PinProtection.version": version} if version is not None else items


def unlock(items, pin):
    assert items["PinProtection.version"] == b"1"
    blob = items["PinProtection"]
    list = plistlib.loads(ctr(pin_key(pin, items["PinProtection.salt"]), blob[:16], blob[16:]))
    return bytes(list)


def seal_v1(key, value):
    iv = os.urandom(16)
    return iv + ctr(key, iv, plist(value if isinstance(value, (list, dict)) else [value]))


def open_v1(key, value):
    return plistlib.loads(ctr(key, value[:16], value[16:]))


def _value_key(key):
    return HKDF(hashes.SHA256(), 32, None, b"KTL2").derive(key)


def seal_ktl2(key, name, content):
    nonce = os.urandom(24)
    return b"KTL2" + nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        content, b"KTL2" + name.encode(), nonce, _value_key(key))


def open_ktl2(key, name, value):
    assert value[:4] == b"KTL2"
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        value[28:], b"KTL2" + name.encode(), value[4:28], _value_key(key))
