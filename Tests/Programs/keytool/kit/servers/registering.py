"""Keys that a directory registers, looked at without the program."""

from nacl import bindings

from kit import identityfiles, masterkey

PENDING = ".pending-"


def pending_files(keytool):
    return sorted((keytool.keystore / "identities" / "threema").glob(PENDING + "*"))


def pending_content(keytool, path):
    """(private key, the directory's JSON)"""
    name = path.name.removeprefix(PENDING)
    content = identityfiles.unsealed(path.read_bytes(), masterkey.read(keytool), "pending", ("threema", name, "", "pending"))
    assert bindings.crypto_scalarmult_base(content[:32]).hex() == name
    return content[:32], content[32:]


def public_key(keytool, id):
    """Of the private key in the record `identity`."""
    record = identityfiles.opened(identityfiles.path(keytool.keystore, id, "identity"), masterkey.read(keytool))
    assert record[:8] == id.encode()
    return bindings.crypto_scalarmult_base(record[8:])


def identities(keytool):
    return [path.name for path in identityfiles.directories(keytool.keystore)]
