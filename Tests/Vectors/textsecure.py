"""Computes the vectors of TextSecure's formats with Python's hashlib and hmac and OpenSSL (Python's cryptography).

Inputs and results are those of the vectors: hexadecimal, and text where a name says so.
"""

import base64
import hashlib
import hmac
import json

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

H = bytes.fromhex


def cbc(key, iv, text):
    padder = padding.PKCS7(128).padder()
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return cipher.update(padder.update(text) + padder.finalize()) + cipher.finalize()


def varint(value):
    text = bytearray()
    while value > 127:
        text.append(value & 127 | 128)
        value >>= 7
    return bytes(text) + bytes([value])


def data(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def signaling_encrypt(signaling_key, iv, type, source, relay, destinations, timestamp, message):
    text = b"\x08" + varint(type) + data(2, source.encode())
    if relay:
        text += data(3, relay.encode())
    for destination in filter(None, destinations.split(",")):
        text += data(4, destination.encode())
    text += b"\x28" + varint(int(timestamp)) + data(6, H(message))
    key = H(signaling_key)
    payload = b"\1" + H(iv) + cbc(key[:32], H(iv), text)
    payload += hmac.digest(key[32:], payload, "sha256")[:10]
    return {"protobuf": text.hex(), "payload": payload.hex(),
            "payload_base64_unpadded": base64.b64encode(payload).decode().rstrip("=")}


def signaling_reject(signaling_key, payload):
    key, payload = H(signaling_key), H(payload)
    if len(payload) < 43:
        return {"result": "reject: too short (1+16+16+10=43 minimum)"}
    assert hmac.digest(key[32:], payload[:-10], "sha256")[:10] != payload[-10:]
    covered = " (version is covered by the mac)" if payload[0] != 1 else ""
    return {"result": "reject: bad mac" + covered}


def opened(key, iv, ciphertext):
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    return unpadder.update(cipher.update(ciphertext) + cipher.finalize()) + unpadder.finalize()


def number(text, place):
    """The varint at a place, and the place after it."""
    value = shift = 0
    while True:
        byte, place = text[place], place + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def fields(text):
    """Numbers and values of fields, which are numbers or bytes."""
    place, found = 0, []
    while place < len(text):
        tag, place = number(text, place)
        value, place = number(text, place)
        if tag & 7 == 2:
            value, place = text[place:place + value], place + value
        found.append((tag >> 3, value))
    return found


def signaling_decrypt(signaling_key, payload):
    key, payload = H(signaling_key), H(payload)
    assert payload[0] == 1 and hmac.digest(key[32:], payload[:-10], "sha256")[:10] == payload[-10:]
    text = opened(key[:32], payload[1:17], payload[17:-10])
    values = fields(text)
    by_number = dict(values)
    content = dict(fields(by_number[6])) if by_number[1] in (0, 4) else {}
    return {"plaintext": text.hex(), "type": by_number[1], "source": by_number[2].decode(),
            "destinations": ",".join(value.decode() for field, value in values if field == 4),
            "timestamp": str(by_number[5]), "message": by_number[6].hex(),
            "body": content[1].decode() if 1 in content else None}


def signaling_key_text(signaling_key):
    key = H(signaling_key)
    return {"base64": base64.b64encode(key).decode(), "cipher_key": key[:32].hex(), "mac_key": key[32:].hex()}


def basic_auth(number, password):
    return {"authorization": "Basic " + base64.b64encode(f"{number}:{password}".encode()).decode()}


def prekeys_json(identity_public, last_resort_public, prekeys):
    def key(id, public):
        return {"identityKey": text(identity_public), "keyId": id, "publicKey": text(public)}

    def text(public):
        return base64.b64encode(H(public)).decode()

    keys = [key(int(id), public) for id, public in (each.split(":") for each in filter(None, prekeys.split(",")))]
    body = {"keys": keys, "lastResortKey": key(0xFFFFF, last_resort_public)}
    return {"json": json.dumps(body, sort_keys=True, separators=(",", ":"))}


def numeric_fingerprint(identity_a, id_a, identity_b, id_b, iterations):
    def hashed(key, id):
        digest = bytes(2) + key + id.encode()
        for _ in range(iterations):
            digest = hashlib.sha512(digest + key).digest()
        return digest

    def digits(digest):
        return "".join(f"{int.from_bytes(digest[at:at + 5], 'big') % 100_000:05}" for at in range(0, 30, 5))

    def half(field, digest):
        return data(field, data(1, digest[:32]))

    one, other = hashed(H(identity_a), id_a), hashed(H(identity_b), id_b)
    return {"a": digits(one), "b": digits(other), "display": "".join(sorted([digits(one), digits(other)])),
            "scannable_a_to_b": (b"\x08\1" + half(2, one) + half(3, other)).hex()}


def whisper_message(version, cipher_key, mac_key, iv, counter, previous_counter, ratchet_public, plaintext,
                    sender_identity, receiver_identity, spoken=3):
    if version == 2:
        cipher = Cipher(algorithms.AES(H(cipher_key)), modes.CTR(counter.to_bytes(4, "big") + bytes(12))).encryptor()
        sealed, identities = cipher.update(H(plaintext)) + cipher.finalize(), b""
    else:
        sealed, identities = cbc(H(cipher_key), H(iv), H(plaintext)), H(sender_identity) + H(receiver_identity)
    message = bytes([version << 4 | spoken]) + data(1, H(ratchet_public)) + b"\x10" + varint(counter)
    message += b"\x18" + varint(previous_counter) + data(4, sealed)
    mac = hmac.digest(H(mac_key), identities + message, "sha256")[:8]
    return {"ciphertext": sealed.hex(), "serialized": (message + mac).hex()}


def directory_token(number):
    token = hashlib.sha1(number.encode()).digest()[:10]
    return {"token": base64.b64encode(token).decode().rstrip("="), "token_bytes": token.hex()}


def push_message_content(body, attachments):
    text = b"" if body is None else data(1, body.encode())
    for attachment in filter(None, attachments.split(";")):
        id, kind, key = attachment.split(",")
        pointer = b"\x09" + int(id).to_bytes(8, "little") + data(2, kind.encode()) + data(3, H(key))
        text += data(2, pointer)
    return {"protobuf": text.hex()}


def attachment_encrypt(key, iv, plaintext):
    blob = H(iv) + cbc(H(key)[:32], H(iv), H(plaintext))
    blob += hmac.digest(H(key)[32:], blob, "sha256")
    return {"blob": blob.hex(), "length": len(blob)}


def attachment_reject(key, blob):
    key, blob = H(key), H(blob)
    if len(blob) < 64:
        return {"result": "reject: too short"}
    if len(blob) % 16:
        return {"result": "reject: wrong length"}
    if hmac.digest(key[32:], blob[:-32], "sha256") != blob[-32:]:
        return {"result": "reject: bad mac"}
    try:
        opened(key[:32], blob[:16], blob[16:-32])
    except ValueError:
        return {"result": "reject: bad padding"}
    return {"result": "accept"}


def storage_master_key_rncryptor3(password, master_key, encryption_salt, hmac_salt, iv):
    def key(salt):
        return hashlib.pbkdf2_hmac("sha1", password.encode(), H(salt), 10_000, 32)

    blob = b"\3\1" + H(encryption_salt) + H(hmac_salt) + H(iv) + cbc(key(encryption_salt), H(iv), H(master_key))
    return {"blob": (blob + hmac.digest(key(hmac_salt), blob, "sha256")).hex()}


def master_cipher(master_key, iv, plaintext):
    blob = H(iv) + cbc(H(master_key)[:16], H(iv), H(plaintext))
    return {"blob": (blob + hmac.digest(H(master_key)[16:], blob, "sha1")).hex()}


def pkcs12_key(purpose, password, salt, count):
    """RFC 7292, B.2, with SHA-1 and 100 rounds, for up to one digest."""
    def whole(text):
        size = (len(text) + 63) // 64 * 64
        return (text * size)[:size]

    digest = bytes([purpose]) * 64 + whole(salt) + whole(password.encode("utf-16-be") + bytes(2))
    for _ in range(100):
        digest = hashlib.sha1(digest).digest()
    return digest[:count]


def storage_master_key_android(password, master_key, encryption_salt, mac_salt, mac_key_count):
    salt = H(encryption_salt)
    sealed = cbc(pkcs12_key(1, password, salt, 16), pkcs12_key(2, password, salt, 16), H(master_key))
    mac_key = pkcs12_key(1, password, H(mac_salt), mac_key_count)
    sealed += hmac.digest(mac_key, sealed, "sha1")
    values = {"encryption_salt": salt, "mac_salt": H(mac_salt), "master_secret": sealed}
    lines = [f'    <string name="{name}">{base64.b64encode(value).decode()}</string>' for name, value in values.items()]
    lines.insert(1, '    <boolean name="passphrase_initialized" value="true" />')
    head = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>"
    return {"file": "\n".join([head, "<map>", *lines, "</map>", ""])}


def compute(vector):
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"])
