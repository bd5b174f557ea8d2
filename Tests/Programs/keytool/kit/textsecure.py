"""What TextSecure's clients and servers exchange, written from its description on the package cryptography: accounts,
fingerprints, push payloads, attachments, directory tokens and a wrapped master secret. It shares nothing with keytool.
"""

import base64
import hashlib
import hmac
import json
import os

from cryptography.hazmat.primitives import padding, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

NUMBER = "+12025550123"
LAST_RESORT = 0xFFFFF


# Keys


def clamped(key):
    return bytes([key[0] & 248]) + key[1:31] + bytes([key[31] & 127 | 64])


def private_key(name):
    return clamped(hashlib.sha256(name.encode()).digest())


def public_key(private):
    raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
    return b"\x05" + X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(*raw)


def unpadded(data):
    return base64.b64encode(data).decode().rstrip("=")


def fingerprint(public):
    return public.hex(" ")


def digits(public, stable_id):
    digest = b"\0\0" + public + stable_id.encode()
    for _ in range(5200):
        digest = hashlib.sha512(digest + public).digest()
    return "".join("%05d" % (int.from_bytes(digest[at:at + 5], "big") % 100000) for at in range(0, 30, 5))


def numeric_fingerprint(*sides):
    """The 60 digits of both sides, each given as its public key and number."""
    return "".join(sorted(digits(public, number) for public, number in sides))


# Accounts


def account(number=NUMBER, prekeys=(1, 2, 3), last_resort=LAST_RESORT, **changes):
    """The members of an account whose keys are made from names, so that each run has the same."""

    def prekey(key_id):
        return {"id": key_id, "private": base64.b64encode(private_key(f"{number} prekey {key_id}")).decode()}

    return {
        "messenger": "textsecure", "identity": base64.b64encode(private_key(f"{number} identity")).decode(),
        "lastResort": prekey(last_resort), "nextPrekeyId": max(prekeys, default=0) + 1, "number": number,
        "password": hashlib.md5(number.encode()).hexdigest(), "prekeys": [prekey(each) for each in prekeys],
        "registrationId": 4711, "relay": None, "server": "https://textsecure.example",
        "signalingKey": base64.b64encode(hashlib.shake_256(number.encode()).digest(52)).decode(), "version": 1,
    } | changes


def text(members):
    return json.dumps(members, sort_keys=True, separators=(",", ":")).encode()


def identity(members):
    return public_key(base64.b64decode(members["identity"]))


def publics(members):
    """The public half of each prekey, and of the last one, by its ID."""
    keys = members["prekeys"] + [members["lastResort"]]
    return {each["id"]: public_key(base64.b64decode(each["private"])) for each in keys}


# Protobuf


def varint(value):
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def signal(message, source=NUMBER, kind=0, timestamp=1393000000000):
    return field(1, kind) + field(2, source) + field(5, timestamp) + field(6, message)


# Ciphers


def cbc(key, iv, data, is_encrypting):
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv))
    if is_encrypting:
        padder = padding.PKCS7(128).padder()
        step = cipher.encryptor()
        return step.update(padder.update(data) + padder.finalize()) + step.finalize()
    step = cipher.decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    return unpadder.update(step.update(data) + step.finalize()) + unpadder.finalize()


def seal_push(signaling_key, content, iv=None):
    head = b"\x01" + (iv or os.urandom(16))
    body = head + cbc(signaling_key[:32], head[1:], content, True)
    return body + hmac.digest(signaling_key[32:], body, "sha256")[:10]


def open_push(signaling_key, payload):
    body, mac = payload[:-10], payload[-10:]
    assert hmac.digest(signaling_key[32:], body, "sha256")[:10] == mac and body[:1] == b"\x01"
    return cbc(signaling_key[:32], body[1:17], body[17:], False)


def seal_attachment(key, content):
    iv = os.urandom(16)
    body = iv + cbc(key[:32], iv, content, True)
    return body + hmac.digest(key[32:], body, "sha256")


def open_attachment(key, blob):
    body, mac = blob[:-32], blob[-32:]
    assert hmac.digest(key[32:], body, "sha256") == mac
    return cbc(key[:32], body[:16], body[16:], False)


def token(number):
    return unpadded(hashlib.sha1(number.encode()).digest()[:10])


def rncryptor(password, content):
    salts, iv = (os.urandom(8), os.urandom(8)), os.urandom(16)
    keys = [hashlib.pbkdf2_hmac("sha1", password, salt, 10000, 32) for salt in salts]
    body = b"\x03\x01" + salts[0] + salts[1] + iv + cbc(keys[0], iv, content, True)
    return body + hmac.digest(keys[1], body, "sha256")


def pkcs12_key(purpose, password, salt, count):
    """RFC 7292, B.2, with SHA-1 and 100 rounds, for up to one digest."""
    def whole(text):
        size = (len(text) + 63) // 64 * 64
        return (text * size)[:size]

    digest = bytes([purpose]) * 64 + whole(salt) + whole(password.decode().encode("utf-16-be") + bytes(2))
    for _ in range(100):
        digest = hashlib.sha1(digest).digest()
    return digest[:count]


def android_preferences(password, content, mac_key_count=16):
    """The Android client's file of preferences with a master secret."""
    salt, mac_salt = os.urandom(8), os.urandom(8)
    sealed = cbc(pkcs12_key(1, password, salt, 16), pkcs12_key(2, password, salt, 16), content, True)
    sealed += hmac.digest(pkcs12_key(1, password, mac_salt, mac_key_count), sealed, "sha1")
    values = {"encryption_salt": salt, "mac_salt": mac_salt, "master_secret": sealed}
    lines = [f'    <string name="{name}">{base64.b64encode(value).decode()}</string>' for name, value in values.items()]
    lines.insert(1, '    <boolean name="passphrase_initialized" value="true" />')
    return "\n".join(["<?xml version='1.0' encoding='utf-8' standalone='yes' ?>", "<map>", *lines, "</map>", ""]).encode()
