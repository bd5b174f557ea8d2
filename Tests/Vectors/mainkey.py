"""Computes the vectors of Proton's MainKey with Python's hashlib and plistlib and OpenSSL's AES (Python's cryptography).

Inputs and results are those of the vectors: hexadecimal, and text where a name says so.
"""

import hashlib
import plistlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def plist(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


def ctr(key, iv, data):
    return Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)


def pin_key(pin, salt):
    return hashlib.scrypt(pin.encode(), salt=bytes.fromhex(salt), n=32768, r=8, p=1, dklen=32, maxmem=2 ** 26)


def pin_derive(pin, salt):
    return {"key": pin_key(pin, salt).hex()}


def ctr_encrypt(key, iv, plaintext):
    return {"ciphertext": ctr(*map(bytes.fromhex, (key, iv, plaintext))).hex()}


def pin_protection_lock(main_key, pin, salt, iv):
    key, content, iv = pin_key(pin, salt), plist(list(bytes.fromhex(main_key))), bytes.fromhex(iv)
    return {"pin_key": key.hex(), "plist": content.hex(), "keychain_PinProtection": (iv + ctr(key, iv, content)).hex(),
            "keychain_PinProtection_salt": salt, "keychain_PinProtection_version": "1"}


def pin_protection_legacy_unlock(pin, salt, keychain_PinProtection, version):
    key = pin_key(pin, salt)
    content = plistlib.loads(ctr(key, key[:16], bytes.fromhex(keychain_PinProtection)))
    return {"main_key": bytes(content).hex(), "then": "relock as version 1 with fresh salt and IV"}


def pin_protection_unlock_wrong_pin(blob, pin, salt):
    blob = bytes.fromhex(blob)
    garbage = ctr(pin_key(pin, salt), blob[:16], blob[16:])
    return {"garbage_prefix": garbage[:16].hex(), "result": "unlocked" if garbage.startswith(b"bplist00") else "refused"}


def none_protection(main_key):
    return {"keychain_NoneProtection": main_key}


def locked_value(main_key, iv, type, value):
    content = {"string": lambda: [value], "data": lambda: [bytes.fromhex(value)], "strings": lambda: value.split(",")}[type]()
    content, iv = plist(content), bytes.fromhex(iv)
    return {"plist": content.hex(), "locked": (iv + ctr(bytes.fromhex(main_key), iv, content)).hex()}


def locked_value_malleability(locked, main_key):
    locked = bytes.fromhex(locked)
    opened = plistlib.loads(ctr(bytes.fromhex(main_key), locked[:16], locked[16:]))
    return {"original": "opens to a different value or parse error (no integrity)", "value": repr(opened)}


def autolock(timeout_minutes, elapsed_wall_s, elapsed_monotonic_s):
    locks = timeout_minutes == 0 or timeout_minutes > 0 and (
        not 0 <= elapsed_wall_s <= 60 * timeout_minutes or abs(elapsed_monotonic_s - elapsed_wall_s) > 2)
    return {"decision": "lock" if locks else "keep"}


def compute(vector):
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"])
