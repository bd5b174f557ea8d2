"""Computes the vectors of SophaxChat with Python's hashlib and hmac and OpenSSL (Python's cryptography).

Inputs and results are those of the vectors: hexadecimal, and text where a name says so.
"""

import base64
import hashlib
import hmac
import json

from cryptography.exceptions import InvalidTag
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


class Side:
    """One side of a double ratchet with header encryption, which receives in order and may lose messages."""

    def __init__(self, root, privates, header_keys):
        self.root, self.privates = root, iter(privates)
        self.header_key = self.chain = self.other_header_key = self.other_chain = None
        self.next_header_key, self.other_next_header_key = header_keys
        self.number = self.previous = self.received = 0

    def step(self, public):
        keys = hkdf(dh(self.private, public.hex()), b"SophaxChat_RootKey_v1", 96, self.root)
        self.root = keys[:32]
        return keys[32:64], keys[64:]

    def turn(self, public):
        """Begins a chain of its own towards a ratchet key."""
        self.private = next(self.privates)
        self.previous, self.number = self.number, 0
        self.header_key = self.next_header_key
        self.chain, self.next_header_key = self.step(public)

    def send(self):
        (key,), (self.chain,) = walk(self.chain, 1)
        header = {"messageNumber": self.number, "previousChainLength": self.previous,
                  "senderRatchetKey": base64.b64encode(public(self.private)).decode()}
        self.number += 1
        return header, self.header_key, key

    def receive(self, encrypted, data):
        """Opens a header, and returns the key of its message."""
        def opened(key):
            return json.loads(ChaCha20Poly1305(key).decrypt(encrypted[:12], encrypted[12:], data))

        try:
            header = opened(self.other_header_key or bytes(32))
        except InvalidTag:
            header = opened(self.other_next_header_key)
            other = base64.b64decode(header["senderRatchetKey"])
            self.other_header_key, self.received = self.other_next_header_key, 0
            self.other_chain, self.other_next_header_key = self.step(other)
            self.turn(other)
        keys, chains = walk(self.other_chain, header["messageNumber"] + 1 - self.received)
        self.other_chain, self.received = chains[-1], header["messageNumber"] + 1
        return keys[-1]


def double_ratchet_he_transcript(shared_secret, bob_spk_private, alice_ratchet_privates, bob_ratchet_privates,
                                 associated_data, steps):
    """The nonces, the plaintexts, and who sends what are those of the stated steps."""
    first = [hkdf(H(shared_secret), info) for info in (b"SophaxChat_HKAlice_v1", b"SophaxChat_NHKBob_v1")]
    alice = Side(H(shared_secret), alice_ratchet_privates, first)
    bob = Side(H(shared_secret), bob_ratchet_privates, first[::-1])
    alice.turn(public(bob_spk_private))
    bob.private = bob_spk_private
    computed = []
    for step in steps:
        sender, receiver = (alice, bob) if step["from"] == "alice" else (bob, alice)
        header, header_key, key = sender.send()
        text = json.dumps(header, sort_keys=True, separators=(",", ":"))
        nonce, other_nonce = H(step["encrypted_header"])[:12], H(step["ciphertext"])[:12]
        encrypted = nonce + ChaCha20Poly1305(header_key).encrypt(nonce, text.encode(), b"")
        body = ChaCha20Poly1305(key).encrypt(other_nonce, H(step["plaintext"]), H(associated_data) + encrypted)
        if step.get("delivered", True):
            assert receiver.receive(encrypted, b"") == key
        computed.append(step | {
            "number": header["messageNumber"], "previous_count": header["previousChainLength"], "header": text,
            "ratchet_public": base64.b64decode(header["senderRatchetKey"]).hex(), "header_key": header_key.hex(),
            "message_key": key.hex(), "encrypted_header": encrypted.hex(), "ciphertext": (other_nonce + body).hex()})
    return {"steps": computed}


def b64(data):
    return base64.b64encode(H(data)).decode()


def text(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def chat_message(id, header, body):
    return {"text": text({"messageID": id, "ratchetMessage": {"encryptedHeader": b64(header), "ciphertext": b64(body)}})}


def group_invite(group, title, members, creator, chain_key, iteration):
    return {"text": text(
        {"groupID": group, "groupName": title, "memberIDs": members.split(","), "creatorID": creator,
         "senderChainKey": b64(chain_key), "senderIteration": iteration})}


def group_member_left(group, leaving, remaining):
    return {"text": text(
        {"groupID": group, "leavingPeerID": leaving, "remainingMemberIDs": remaining.split(",") if remaining else []})}


def share_box(owner_private, keeper_public, nonce, id, index, threshold, total, data, created):
    share = {"id": id, "index": index, "threshold": threshold, "total": total, "data": b64(data), "createdAt": created}
    key = hkdf(dh(owner_private, keeper_public), b"SophaxChat_SSS_Share_v1")
    return {"share": text(share), "key": key.hex(),
            "box": nonce + ChaCha20Poly1305(key).encrypt(H(nonce), text(share).encode(), b"").hex()}


def compute(vector):
    stated = {name: vector["expected"][name] for name in ["steps"] if name in vector["expected"]}
    return globals()[vector["op"].replace("-", "_")](**vector["inputs"], **stated)
