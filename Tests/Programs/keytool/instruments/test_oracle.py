"""Checks the tests' own implementation of the formats against published and generated vectors."""

import hashlib

import nacl.bindings
import pytest

from kit import oracle, xsalsa20
from kit.vectorfiles import read_codes, read_vectors

OPENING = [v for v in read_codes(argon2id=False) if "error" not in v]
REFUSED = [v for v in read_codes(argon2id=False) if "error" in v]
# Of a long one only the digest is known.
SEALED = [v for v in read_vectors("safe_encrypt") if v["blob_hex"]]
# This implementation writes no expiry, and reads nothing.
CONTACTS = [v for v in read_vectors("qr_contact") if "error" not in v and "expiration" not in v]


def vectors(wanted):
    return pytest.mark.parametrize("vector", wanted, ids=lambda v: v["id"])


def unhex(vector, name):
    return bytes.fromhex(vector[name])


def test_keystream_agrees_with_secretbox_past_its_first_32_bytes():
    key, nonce = bytes(range(32)), bytes(range(100, 124))
    boxed = nacl.bindings.crypto_secretbox(bytes(150), nonce, key)
    assert xsalsa20.keystream(182, nonce, key)[32:] == boxed[16:]


@vectors(OPENING)
def test_code_opens(vector):
    identity = oracle.open_code(vector["backup"], unhex(vector, "password_utf8_hex"))
    assert identity.id == vector["identity"]
    assert identity.client_key.hex() == vector["client_key"]


@vectors(OPENING)
def test_code_is_sealed_to_the_published_text(vector):
    identity = oracle.Identity(vector["identity"], unhex(vector, "client_key"))
    salt = oracle.code_bytes(vector["backup"])[:8]
    assert oracle.seal_code(identity, unhex(vector, "password_utf8_hex"), salt) == vector["backup"]


@vectors(REFUSED)
def test_code_is_refused(vector):
    # The dispatch by version byte belongs to the program; here a wrong length is one error.
    layer = "decryption" if vector["error"] == "decryption" else "decoding"
    with pytest.raises(ValueError, match=layer):
        oracle.open_code(vector["backup"], unhex(vector, "password_utf8_hex"))


def test_check_word_is_eight_base32_characters():
    code = "-".join(["AAAA"] * 20)
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(bytes(50)).digest()[:5])
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    letters = "".join(alphabet[int(bits[i : i + 5], 2)] for i in range(0, 40, 5))
    assert oracle.check_word(code) == letters[:4] + "-" + letters[4:]


@vectors(read_vectors("threema_id"))
def test_id_validity(vector):
    assert oracle.is_valid_id(vector["identity"]) == vector["valid"]


@vectors(read_vectors("keypair"))
def test_public_key(vector):
    identity = oracle.Identity("ABCD1234", unhex(vector, "client_key"))
    assert identity.public_key == vector["public_key"]


@vectors(CONTACTS)
def test_contact_text(vector):
    # The vector has no client key, so only the shape around the two values is compared.
    made = oracle.Identity(vector["identity"], bytes(32)).contact_text
    assert made.replace(oracle.Identity("ABCD1234", bytes(32)).public_key,
                        vector["public_key"]) == vector["content"]


@vectors(read_vectors("safe_kdf"))
def test_safe_keys(vector):
    keys = oracle.safe_keys(unhex(vector, "password_utf8_hex"), vector["identity"])
    assert keys.backup_id + keys.encryption_key.hex() == vector["master_key"]


@vectors(SEALED)
def test_safe_backup_opens(vector):
    text = oracle.open_safe_text(unhex(vector, "blob_hex"), keys_of(vector))
    assert text.encode() == unhex(vector, "json_utf8_hex")


@vectors(SEALED)
def test_safe_backup_is_sealed_so_that_it_opens(vector):
    plain = unhex(vector, "json_utf8_hex")
    blob = oracle.seal_safe(plain, keys_of(vector), nonce=unhex(vector, "nonce"))
    assert blob[:24] == unhex(vector, "nonce")
    assert oracle.open_safe_text(blob, keys_of(vector)).encode() == plain


@vectors(read_vectors("safe_decrypt"))
def test_safe_backup_is_refused(vector):
    with pytest.raises(ValueError, match=vector["error"]):
        oracle.open_safe(unhex(vector, "blob_hex"), keys_of(vector))


def keys_of(vector):
    both = unhex(vector, "master_key")
    return oracle.SafeKeys(both[:32].hex(), both[32:])
