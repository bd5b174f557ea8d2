"""Computes the vectors of SophaxChat with Python's hashlib and hmac and OpenSSL (Python's cryptography).

Inputs and results are those of the vectors: hexadecimal, and text where a name says so.
"""

import hashlib
import hmac

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

H = bytes.fromhex


def hkdf(secret, info, count=32, salt=None):
    return HKDF(hashes.SHA256(), count, salt, info).derive(secret)


def dh(private, public):
    return X25519PrivateKey.from_private_bytes(H(private)).exchange(X25519PublicKey.from_public_bytes(H(public)))


def public(private):
    # Older versions of cryptography have no public_bytes_raw.
    return X25519PrivateKey.from_private_bytes(H(private)).public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def walk(key, steps):
    keys, chains = [], []
    for _ in range(steps):
        keys.append(hmac.digest(key, b"\1", "sha256"))
        key = hmac.digest(key, b"\2", "sha256")
        chains.append(key)
    return keys, chains


def x3dh(ik_a_private, ek_a_private, ik_b_public, spk_b_public, opk_b_public, opk_b_private, **_):
    results = dh(ik_a_private, spk_b_public) + dh(ek_a_private, ik_b_public) + dh(ek_a_private, spk_b_public)
    if opk_b_private:
        results += dh(ek_a_private, opk_b_public)
    return {"dh_concat": results.hex(),
            "shared_secret": hkdf(b"\xff" * 32 + results, b"SophaxChat_X3DH_v1", salt=bytes(32)).hex()}


def kdf_rk(root_key, dh_output):
    keys = hkdf(H(dh_output), b"SophaxChat_RootKey_v1", 96, H(root_key))
    return {"new_root_key": keys[:32].hex(), "chain_key": keys[32:64].hex(), "next_header_key": keys[64:].hex()}


def sealed_sender(ephemeral_private, recipient_public, nonce, inner, **_):
    key = hkdf(dh(ephemeral_private, recipient_public), b"SophaxChat_SealedSender_v1")
    return {"ephemeral_public": public(ephemeral_private).hex(), "sealing_key": key.hex(),
            "encrypted_payload": nonce + ChaCha20Poly1305(key).encrypt(H(nonce), H(inner), b"").hex()}


def sender_key_chain(chain_key, iterations):
    keys, chains = walk(H(chain_key), iterations)
    return {"message_keys": ",".join(key.hex() for key in keys), f"chain_key_{iterations}": chains[-1].hex()}


def sender_key_encrypt(chain_key_0, iteration, nonce, plaintext):
    key = walk(H(chain_key_0), iteration + 1)[0][-1]
    return {"box": nonce + ChaCha20Poly1305(key).encrypt(H(nonce), H(plaintext), b"").hex()}


def safety_number(signing_public, dh_public, domain):
    digest = hashlib.sha512(domain.encode() + H(signing_public) + H(dh_public)).digest()
    groups = [int.from_bytes(digest[place:place + 5], "big") % 100_000 for place in range(0, 30, 5)]
    return {"safety_number": " ".join(f"{group:05}" for group in groups)}


def peer_id(signing_public, dh_public):
    digits = hashlib.sha256(H(signing_public) + H(dh_public)).hexdigest()
    return {"peer_id_16": digits[:32], "peer_id_8": digits[:16], "fingerprint": digits}


def signed_prekey(signing_seed, signed_prekey_public):
    return {"signature": Ed25519PrivateKey.from_private_bytes(H(signing_seed)).sign(H(signed_prekey_public)).hex()}


def store_encrypt(master_key, nonce, plaintext):
    return {"blob": nonce + AESGCM(H(master_key)).encrypt(H(nonce), H(plaintext), b"").hex()}


def identity_export_sxid2(passphrase, iterations, salt, nonce, payload_json):
    key = hashlib.pbkdf2_hmac("sha256", passphrase.encode(), H(salt), iterations)
    sealed = AESGCM(key).encrypt(H(nonce), payload_json.encode(), b"")
    file = b"SXID\2" + iterations.to_bytes(4, "big") + H(salt) + H(nonce) + sealed
    return {"key": key.hex(), "file": file.hex()}


def pin_hash_v2(pin, salt, iterations):
    return {"hash": hashlib.pbkdf2_hmac("sha256", pin.encode(), H(salt), iterations).hex()}


def session_state_mac(mac_key, state):
    return {"blob": hmac.new(H(mac_key), H(state), "sha256").hexdigest() + state}


def tcp_frame(payload_length, payload_sha256):
    content = bytes(payload_length)
    assert hashlib.sha256(content).hexdigest() == payload_sha256
    prefix = payload_length.to_bytes(4, "big")
    return {"prefix": prefix.hex(), "frame_sha256": hashlib.sha256(prefix + content).hexdigest()}


def tcp_frame_limit(prefix):
    texts = {"00400000": "wait: exactly 4 MiB allowed", "80000000": "reject: over 4194304 (no signed conversion)"}
    return {"result": texts.get(prefix, "reject: over 4194304" if int(prefix, 16) > 4194304 else "wait")}


def multiply(left, right):
    product = 0
    for bit in range(8):
        product ^= (left << bit) * (right >> bit & 1)
    for bit in range(15, 7, -1):
        if product >> bit & 1:
            product ^= 0x11B << (bit - 8)
    return product


def shamir_split(secret, threshold, total, coefficients):
    secret, powers = H(secret), [H(coefficients)[start:start + 64] for start in range(0, 64 * (threshold - 1), 64)]
    shares = []
    for x in range(1, total + 1):
        values = bytearray(secret)
        for place in range(64):
            power = 1
            for coefficient in powers:
                power = multiply(power, x)
                values[place] ^= multiply(coefficient[place], power)
        shares.append(f"{x}:{values.hex()}")
    return {"shares": ",".join(shares)}


def compute(vector):
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"])
