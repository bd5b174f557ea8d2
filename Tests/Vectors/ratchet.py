"""Derivations of ratchets with Python's hmac and OpenSSL's X25519 (cryptography), for `recompute`."""

import base64
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305


def mac(key, message):
    return hmac.new(key, message, "sha256").digest()


def hkdf(secret, salt, info, count, first=1):
    extracted = mac(salt or bytes(32), secret)
    key = block = b""
    while len(key) < count:
        block = mac(extracted, block + info + bytes([first + len(key) // 32]))
        key += block
    return key[:count]


def agree(private, public):
    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))


def chain(key, steps):
    keys = []
    for _ in range(steps):
        keys.append(mac(key, b"\1"))
        key = mac(key, b"\2")
    return keys, key


def hkdf_v2(ikm, salt, info, length):
    return {"okm": hkdf(ikm, salt, info, length, first=0)}


def axolotl_initial_root(version, alice_identity_private, alice_ephemeral_private, bob_identity_public,
                         bob_prekey_public):
    master = (b"\xff" * 32 if version == 3 else b"") + agree(alice_identity_private, bob_prekey_public)
    master += agree(alice_ephemeral_private, bob_identity_public) + agree(alice_ephemeral_private, bob_prekey_public)
    keys = hkdf(master, b"", b"WhisperText", 64, first=version - 2)
    return {"master_secret": master, "root_key": keys[:32], "chain_key": keys[32:]}


def axolotl_chain(version, root_key, ratchet_private, their_ratchet_public):
    secret, first = agree(ratchet_private, their_ratchet_public), version - 2
    keys = hkdf(secret, root_key, b"WhisperRatchet", 64, first)
    (seed,), following = chain(keys[32:], 1)
    message = hkdf(seed, b"", b"WhisperMessageKeys", 80, first)
    return {"new_root_key": keys[:32], "chain_key": keys[32:], "next_chain_key": following,
            "message_cipher_key": message[:32], "message_mac_key": message[32:64], "message_iv": message[64:]}


def x3dh(ik_a_private, ek_a_private, ik_b_public, spk_b_public, opk_b_public, **_):
    secrets = agree(ik_a_private, spk_b_public) + agree(ek_a_private, ik_b_public) + agree(ek_a_private, spk_b_public)
    if opk_b_public:
        secrets += agree(ek_a_private, opk_b_public)
    return {"dh_concat": secrets, "shared_secret": hkdf(b"\xff" * 32 + secrets, b"", b"SophaxChat_X3DH_v1", 32)}


def kdf_rk(root_key, dh_output):
    keys = hkdf(dh_output, root_key, b"SophaxChat_RootKey_v1", 96)
    return {"new_root_key": keys[:32], "chain_key": keys[32:64], "next_header_key": keys[64:]}


def sender_key_chain(chain_key, iterations):
    keys, last = chain(chain_key, iterations)
    return {"message_keys": keys, f"chain_key_{iterations}": last}


def sender_key_encrypt(chain_key_0, iteration, nonce, plaintext):
    keys, _ = chain(chain_key_0, iteration + 1)
    return {"box": nonce + ChaCha20Poly1305(keys[-1]).encrypt(nonce, plaintext, b"")}


def public_key_serialize(private_key):
    key = agree(private_key, b"\t" + bytes(31))
    return {"public_key": key, "serialized": b"\5" + key, "base64_unpadded": base64.b64encode(b"\5" + key).decode(),
            "fingerprint_hex": (b"\5" + key).hex(" ")}


def compute(vector):
    """Returns the results of a vector, in the vector's form."""
    inputs = {name: bytes.fromhex(value) if isinstance(value, str) else value
              for name, value in vector["inputs"].items()}
    results = globals()[vector["op"].replace("-", "_")](**inputs)
    return {name: ",".join(each.hex() for each in value) if isinstance(value, list)
            else value if isinstance(value, str) else value.hex() for name, value in results.items()}
