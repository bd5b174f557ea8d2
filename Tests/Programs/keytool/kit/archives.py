"""Archives of identities, written and read without the program: tarfile, the age file format, and records as
keytool-formats(5) describes them."""

import io
import os
import tarfile

from kit import agefile, identityfiles

SECRET = bytes.fromhex("9d0b6f71c2e84a3517d85bf0ae63129c40f7d62b8e1595c30ab7e4794d281f63")
RECIPIENT = agefile.recipient_text(SECRET)
IDENTITY = agefile.identity_text(SECRET)
PASSPHRASE = b"Walnut-Ferry-4471"
TIME = 1_900_000_000
VERSION = ("keytool-archive", b"1\n")
README = ("README.txt", b"Read me.\n")
PROFILE = b'{"contacts":[],"info":{"device":"keytool","version":1},"settings":{"syncContacts":false},"user":{}}'


def threema(id, key, profile=PROFILE, **more):
    """The files of an identity; further ones by name, with __ for a slash."""
    files = {"identity": id.encode() + key, "profile.json": profile,
             **{name.replace("__", "/"): content for name, content in more.items()}}
    return [(f"threema/{id}/{name}", content) for name, content in files.items()]


def tar(files, format=tarfile.USTAR_FORMAT):
    """`files`: names with content, or entries of tarfile."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, content in files:
            entry = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            if not isinstance(name, tarfile.TarInfo):
                entry.mtime, entry.size, entry.mode = TIME, len(content), 0o600
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def seal(content, passphrase=None, work_factor=10):
    """An age file for RECIPIENT, or under a passphrase."""
    file_key = os.urandom(16)
    stanza = (agefile.scrypt_stanza(file_key, passphrase, os.urandom(16), work_factor) if passphrase else
              agefile.x25519_stanza(file_key, agefile.decode_key(RECIPIENT, "age"), os.urandom(32)))
    return agefile.seal(content, [stanza], file_key, os.urandom(16))


def archive(*files, **options):
    return seal(tar([README, VERSION, *files]), **options)


def opened(path, passphrase=None):
    """Name to content."""
    content = agefile.open_file(path.read_bytes(), None if passphrase else SECRET, passphrase)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        entries = archive.getmembers()
        assert all(entry.isreg() and entry.mode == 0o600 and entry.uid == entry.gid == 0 for entry in entries), entries
        names = [entry.name for entry in entries]
        assert len(names) == len(set(names)) and names[:2] == ["README.txt", "keytool-archive"], names
        return {entry.name: archive.extractfile(entry).read() for entry in entries}


def records(keytool, master=None):
    """What an archive of a keystore has to contain, read from its files. `master`: the master key, or that of an
    unprotected keystore."""
    master = master or (keytool.keystore / "master.key").read_bytes()[12:]
    found = {}
    for path in sorted((keytool.keystore / "identities").rglob("*")):
        if path.is_dir() or path.name in (
                "lock", "success", "state.json", "linking", "matchtoken", "contactstates", "sessions.db"):
            continue
        if "history" in path.parts:
            continue
        name = str(path.relative_to(keytool.keystore / "identities"))
        if path.name == "profile":
            name += ".json"
        found[name] = identityfiles.opened(path, master)
    return found
