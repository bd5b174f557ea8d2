"""Computes the vectors of Telegram's protocol with Python's hashlib and OpenSSL's AES (Python's cryptography).

Inputs and results are those of the vectors: hexadecimal, and text where a name says so.
"""

import fractions
import hashlib
import math
import struct

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

LIMITS = (-300, 30)
KINDS = {"client": 0, "server-reply": 1, "server": 3}


def sha1(data):
    return hashlib.sha1(data).digest()


def xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right))


def ige(key, iv, data, is_encryption):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    block = cipher.encryptor().update if is_encryption else cipher.decryptor().update
    # What the previous block became, and what it was: decryption swaps the halves of the IV.
    became, was = (iv[:16], iv[16:]) if is_encryption else (iv[16:], iv[:16])
    result = b""
    for start in range(0, len(data), 16):
        part = data[start:start + 16]
        became = xor(block(xor(part, became)), was)
        was = part
        result += became
    return result


def cbc(key, iv, data):
    return Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(data)


def key_iv(key, message_key, x):
    a = sha1(message_key + key[x:x + 32])
    b = sha1(key[x + 32:x + 48] + message_key + key[x + 48:x + 64])
    c = sha1(key[x + 64:x + 96] + message_key)
    d = sha1(message_key + key[x + 96:x + 128])
    return a[:8] + b[8:20] + c[4:16], a[8:20] + b[:8] + c[16:20] + d[:8]


def number(text):
    return int(text, 0)


def aes_ige_encrypt(key, iv, plaintext):
    return {"ciphertext": ige(bytes.fromhex(key), bytes.fromhex(iv), bytes.fromhex(plaintext), True).hex()}


def aes_ige_decrypt(key, iv, ciphertext):
    plaintext = ige(bytes.fromhex(key), bytes.fromhex(iv), bytes.fromhex(ciphertext), False)
    result = {"plaintext": plaintext.hex()}
    for end in range(max(20, len(plaintext) - 15), len(plaintext) + 1):
        if sha1(plaintext[20:end]) == plaintext[:20]:
            result |= {"answer_length": end - 20, "answer_sha1": plaintext[:20].hex()}
    return result


def aes_key_iv(auth_key, msg_key, x):
    key, iv = key_iv(bytes.fromhex(auth_key), bytes.fromhex(msg_key), x)
    return {"aes_key": key.hex(), "aes_iv": iv.hex()}


def auth_key_id(auth_key, new_nonce=None):
    digest = sha1(bytes.fromhex(auth_key))
    result = {"key_id_bytes": digest[12:].hex(), "aux_hash": digest[:8].hex(),
              "key_id_int64_le": str(int.from_bytes(digest[12:], "little"))}
    if new_nonce:
        result["new_nonce_hash1"] = sha1(bytes.fromhex(new_nonce) + b"\1" + digest[:8])[4:].hex()
    return result


def dh_tmp_aes_key_iv(new_nonce, server_nonce):
    nn, sn = bytes.fromhex(new_nonce), bytes.fromhex(server_nonce)
    return {"tmp_aes_key": (sha1(nn + sn) + sha1(sn + nn)[:12]).hex(),
            "tmp_aes_iv": (sha1(sn + nn)[12:] + sha1(nn + nn) + nn[:4]).hex()}


def encrypted_message(auth_key, x, salt, session_id, message_id, seq_no, body, padding):
    key, data = bytes.fromhex(auth_key), bytes.fromhex(body)
    plain = struct.pack("<QQQII", number(salt), number(session_id), number(message_id), seq_no, len(data)) + data
    message_key = sha1(plain)[4:]
    packet = sha1(key)[12:] + message_key + ige(*key_iv(key, message_key, x), plain + bytes.fromhex(padding), True)
    return {"packet": packet.hex(), "msg_key": message_key.hex(), "packet_length": len(packet)}


def encrypted_message_reject(auth_key, x, packet):
    key, packet = bytes.fromhex(auth_key), bytes.fromhex(packet)
    plain = ige(*key_iv(key, packet[8:24], x), packet[24:], False)
    length, = struct.unpack("<I", plain[28:32])
    is_right = (packet[:8] == sha1(key)[12:] and 0 <= len(plain) - 32 - length < 16
                and sha1(plain[:32 + length])[4:] == packet[8:24])
    return {"result": "accept" if is_right else "reject"}


def unencrypted_message(message_id, body):
    data = bytes.fromhex(body)
    return {"packet": (bytes(8) + struct.pack("<QI", number(message_id), len(data)) + data).hex()}


def msg_id(unixtime, kind):
    result = math.floor(fractions.Fraction(unixtime) * 2 ** 32) // 4 * 4 + KINDS[kind]
    return {"msg_id": hex(result), "mod4": result % 4}


def replay_window(N, msg_ids):
    stored, results = set(), []
    for each in map(number, msg_ids.split(",")):
        is_new = each not in stored and not (stored and each < min(stored))
        results.append("accept" if is_new else "ignore")
        if is_new:
            stored.add(each)
        if len(stored) > N:
            stored.remove(min(stored))
    return {"results": ",".join(results)}


def seq_no_series(messages):
    count, results = 0, []
    for each in messages.split(","):
        results.append(str(2 * count + (each == "content")))
        count += each == "content"
    return {"seq_nos": ",".join(results)}


def time_window(delta_seconds):
    return {"result": "accept" if LIMITS[0] <= delta_seconds <= LIMITS[1] else "ignore"}


def protected(key, auth_key, iv):
    plain = sha1(bytes.fromhex(auth_key)) + bytes.fromhex(auth_key) + b"\x0c" * 12
    return {"aes_key": key.hex(), "plaintext": plain.hex(), "ciphertext": cbc(key, bytes.fromhex(iv), plain).hex()}


def auth_key_protect_sshpem(auth_key, password, iv, kdf):
    salted = password.encode() + bytes.fromhex(iv)[:8]
    first = hashlib.md5(salted).digest()
    return protected(first + hashlib.md5(first + salted).digest(), auth_key, iv)


def auth_key_protect_literal(auth_key, password, iv, aes_key):
    return protected(password.encode()[:32].ljust(32, b"\0"), auth_key, iv)


def auth_key_protect_hardened(auth_key, password, iv, salt, scrypt):
    key = hashlib.scrypt(password.encode(), salt=bytes.fromhex(salt), n=scrypt["N"], r=scrypt["r"], p=scrypt["p"],
                         dklen=32, maxmem=1 << 26)
    return protected(key, auth_key, iv)


def tdesktop_local_key(passcode, salt):
    code, salt = bytes.fromhex(passcode), bytes.fromhex(salt)
    hashed = hashlib.sha512(salt + code + salt).digest()
    return {"local_key": hashlib.pbkdf2_hmac("sha512", hashed, salt, 100_000 if code else 1, 256).hex()}


def tdesktop_legacy_local_key(passcode, salt):
    code = bytes.fromhex(passcode)
    return {"local_key": hashlib.pbkdf2_hmac("sha1", code, bytes.fromhex(salt), 4000 if code else 4, 256).hex()}


def tdesktop_local_encrypt(local_key, payload, padding):
    plain = struct.pack("<I", 4 + len(payload) // 2) + bytes.fromhex(payload + padding)
    digest = sha1(plain)[:16]
    return {"blob": (digest + ige(*key_iv(bytes.fromhex(local_key), digest, 8), plain, True)).hex()}


def compute(vector):
    """Returns the results of a vector."""
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"])
