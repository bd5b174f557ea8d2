"""The age file format, written from its specification (C2SP age), on OpenSSL and hashlib. It shares nothing with
keytool or with the program age.

    agefile.py open [-i IDENTITY | -p PASSPHRASE] FILE    writes the content, or ends with 1 and the layer that refused
    agefile.py seal (-r RECIPIENT … | -p PASSPHRASE) FILE    writes the file; with the work factor 12
"""

import argparse
import base64
import hashlib
import hmac
import os
import re
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

VERSION = b"age-encryption.org/v1"
CHUNK = 65_536
ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BEGIN, END = b"-----BEGIN AGE ENCRYPTED FILE-----\n", b"-----END AGE ENCRYPTED FILE-----\n"


class Refused(Exception):
    """The layer is the argument."""


def derive(secret, salt, info):
    return HKDF(hashes.SHA256(), 32, salt or None, info).derive(secret)


def public_key(private_key):
    return private_key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def encode64(data):
    return base64.b64encode(data).rstrip(b"=")


def decode64(text):
    try:
        data = base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise Refused("header") from None
    if b"=" in text or encode64(data) != text:
        raise Refused("header")
    return data


# Bech32 (BIP-173)


def polymod(values):
    checksum = 1
    for value in values:
        top, checksum = checksum >> 25, (checksum & 0x1ffffff) << 5 ^ value
        for bit, term in enumerate((0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3)):
            checksum ^= term if top >> bit & 1 else 0
    return checksum


def expanded(prefix):
    return [ord(each) >> 5 for each in prefix] + [0] + [ord(each) & 31 for each in prefix]


def regroup(values, size, new_size):
    bits = "".join(f"{value:0{size}b}" for value in values)
    whole = len(bits) if new_size == 5 else len(bits) // 8 * 8
    assert "1" not in bits[whole:]
    return [int(bits[at:at + new_size].ljust(new_size, "0"), 2) for at in range(0, whole, new_size)]


def encode_key(prefix, data):
    values = regroup(data, 8, 5)
    checksum = polymod(expanded(prefix) + values + [0] * 6) ^ 1
    values += [checksum >> 5 * (5 - index) & 31 for index in range(6)]
    return prefix + "1" + "".join(ALPHABET[value] for value in values)


def decode_key(text, prefix):
    found, _, rest = text.lower().rpartition("1")
    values = [ALPHABET.index(each) for each in rest]
    assert found == prefix and polymod(expanded(prefix) + values) == 1
    return bytes(regroup(values[:-6], 5, 8))


def identity_text(secret):
    return encode_key("age-secret-key-", secret).upper()


def recipient_text(secret):
    return encode_key("age", public_key(X25519PrivateKey.from_private_bytes(secret)))


# Stanzas: (arguments, body)


def stanza_text(arguments, body):
    text = encode64(body)
    lines = [text[at:at + 64] for at in range(0, len(text) + 1, 64)]
    return b"".join(line + b"\n" for line in [b" ".join([b"->", *arguments]), *lines])


def header_key(file_key):
    return derive(file_key, b"", b"header")


def scrypt_key(passphrase, salt, work_factor):
    return hashlib.scrypt(passphrase, salt=VERSION + b"/scrypt" + salt, n=1 << work_factor, r=8, p=1, dklen=32,
                          maxmem=(1 << work_factor + 10) + (1 << 20))


def x25519_stanza(file_key, recipient, ephemeral):
    secret = X25519PrivateKey.from_private_bytes(ephemeral)
    share = public_key(secret)
    shared = secret.exchange(X25519PublicKey.from_public_bytes(recipient))
    key = derive(shared, share + recipient, VERSION + b"/X25519")
    return [b"X25519", encode64(share)], ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None)


def scrypt_stanza(file_key, passphrase, salt, work_factor):
    key = scrypt_key(passphrase, salt, work_factor)
    return ([b"scrypt", encode64(salt), b"%d" % work_factor],
            ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None))


def chunk_nonce(number, is_last):
    return number.to_bytes(11, "big") + bytes([is_last])


def seal(content, stanzas, file_key, nonce):
    covered = VERSION + b"\n" + b"".join(stanza_text(*stanza) for stanza in stanzas) + b"---"
    code = hmac.digest(header_key(file_key), covered, "sha256")
    cipher = ChaCha20Poly1305(derive(file_key, nonce, b"payload"))
    starts = range(0, max(len(content), 1), CHUNK)
    chunks = [cipher.encrypt(chunk_nonce(number, start == starts[-1]), content[start:start + CHUNK], None)
              for number, start in enumerate(starts)]
    return covered + b" " + encode64(code) + b"\n" + nonce + b"".join(chunks)


def parse(file):
    """The stanzas, the covered part of the header, its code, and what is behind."""
    if not file.startswith(VERSION + b"\n"):
        raise Refused("header")
    at, stanzas = len(VERSION) + 1, []
    while not file.startswith(b"---", at):
        match = re.compile(rb"->((?: [!-~]+)+)\n((?:[^\n]{64}\n)*[^\n]{0,63})\n").match(file, at)
        if not match:
            raise Refused("header")
        stanzas.append((match[1].split(), b"".join(decode64(line) for line in match[2].split(b"\n"))))
        at = match.end()
    match = re.compile(rb"--- ([^\n]{43})\n").match(file, at)
    if not match or not stanzas:
        raise Refused("header")
    return stanzas, file[:at + 3], decode64(match[1]), file[match.end():]


def unwrap(stanzas, identity, passphrase):
    for arguments, body in stanzas:
        try:
            if arguments[0] == b"X25519" and identity:
                share = decode64(arguments[1])
                secret = X25519PrivateKey.from_private_bytes(identity)
                recipient = public_key(secret)
                shared = secret.exchange(X25519PublicKey.from_public_bytes(share))
                key = derive(shared, share + recipient, VERSION + b"/X25519")
            elif arguments[0] == b"scrypt" and passphrase:
                key = scrypt_key(passphrase, decode64(arguments[1]), int(arguments[2]))
            else:
                continue
            return ChaCha20Poly1305(key).decrypt(bytes(12), body, None)
        except InvalidTag:
            continue
    raise Refused("match")


def unarmored(file):
    if not file.startswith(b"-----"):
        return file
    if not (file.startswith(BEGIN) and file.endswith(END)):
        raise Refused("armor")
    lines = file[len(BEGIN):-len(END)].splitlines()
    if any(len(line) != 64 for line in lines[:-1]) or not 1 <= len(lines[-1]) <= 64:
        raise Refused("armor")
    return base64.b64decode(b"".join(lines), validate=True)


def armored(file):
    text = base64.b64encode(file)
    return BEGIN + b"".join(text[at:at + 64] + b"\n" for at in range(0, len(text), 64)) + END


def open_file(file, identity=None, passphrase=None):
    stanzas, covered, code, rest = parse(unarmored(file))
    file_key = unwrap(stanzas, identity, passphrase)
    if not hmac.compare_digest(code, hmac.digest(header_key(file_key), covered, "sha256")):
        raise Refused("code")
    nonce, rest = rest[:16], rest[16:]
    cipher = ChaCha20Poly1305(derive(file_key, nonce, b"payload"))
    starts = range(0, max(len(rest), 1), CHUNK + 16)
    content = []
    for number, start in enumerate(starts):
        try:
            content.append(cipher.decrypt(
                chunk_nonce(number, start == starts[-1]), rest[start:start + CHUNK + 16], None))
        except InvalidTag:
            raise Refused("payload") from None
    if number > 0 and not content[-1]:
        raise Refused("payload")
    return b"".join(content)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["open", "seal"])
    parser.add_argument("-i", dest="identity")
    parser.add_argument("-p", dest="passphrase")
    parser.add_argument("-r", dest="recipients", action="append", default=[])
    parser.add_argument("-a", dest="armored", action="store_true")
    parser.add_argument("file")
    given = parser.parse_args()
    with open(given.file, "rb") as opened:
        read = opened.read()
    passphrase = given.passphrase and given.passphrase.encode()
    if given.verb == "open":
        identity = given.identity and decode_key(given.identity, "age-secret-key-")
        try:
            result = open_file(read, identity, passphrase)
        except Refused as refused:
            sys.exit(str(refused))
    else:
        file_key = os.urandom(16)
        stanzas = [x25519_stanza(file_key, decode_key(text, "age"), os.urandom(32)) for text in given.recipients]
        if passphrase:
            stanzas.append(scrypt_stanza(file_key, passphrase, os.urandom(16), 12))
        result = seal(read, stanzas, file_key, os.urandom(16))
        result = armored(result) if given.armored else result
    sys.stdout.buffer.write(result)


if __name__ == "__main__":
    main()
