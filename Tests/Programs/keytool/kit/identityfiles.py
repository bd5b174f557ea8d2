"""Where the files of an identity stand in a keystore, and how a sealed record opens: keytool-formats(5)."""

import hashlib

import nacl.bindings as sodium

MESSENGER = "threema"
OF_PLACE = ("safe", "state.json", "history")
PERSONAL = b"keytool-record-1"


def directories(keystore):
    """Those of all identities, in order of their IDs."""
    return sorted(path for path in (keystore / "identities" / MESSENGER).glob("*") if not path.name.startswith("."))


def directory(keystore, id):
    return keystore / "identities" / MESSENGER / id


def of_place(directory, name="main"):
    return directory / "places" / name


def path(keystore, id, name):
    """Of a record, the state or the history; what belongs to a place is that of `main`."""
    home = directory(keystore, id)
    return (of_place(home) if name in OF_PLACE else home) / name


def prefixed(*texts):
    """Each with its length in one byte before it."""
    return b"".join(bytes([len(text.encode())]) + text.encode() for text in texts)


def record_key(master, name):
    return hashlib.blake2b(b"", digest_size=32, key=master, salt=name.encode(), person=PERSONAL).digest()


def additional_data(messenger, id, place, file_name):
    return b"KTR2" + prefixed(messenger, id, place, file_name)


def names(path):
    """(messenger, ID, place, record name) of a file; the keystore's own record has none of the first three."""
    parts = path.parts
    if path.name == "keystore":
        return "", "", "", "keystore"
    at = len(parts) - 1 - parts[::-1].index("identities")
    messenger, id, *rest = parts[at + 1 :]
    place = rest[1] if rest[0] == "places" else ""
    return messenger, id, place, "history" if "history" in rest else rest[-1]


def opened(path, master):
    """The content of a record."""
    messenger, id, place, name = names(path)
    return unsealed(path.read_bytes(), master, name, (messenger, id, place, path.name))


def unsealed(record, master, name, where):
    """`where`: messenger, ID, place and file name."""
    assert record[:4] == b"KTR2"
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
        record[28:], additional_data(*where), record[4:28], record_key(master, name))


def sealed(content, master, name, where, nonce):
    return b"KTR2" + nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        content, additional_data(*where), nonce, record_key(master, name))
