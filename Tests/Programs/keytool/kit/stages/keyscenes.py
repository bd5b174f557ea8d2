"""Commands that change how the master key is wrapped, each with the place it starts from."""

import functools

from kit import identityfiles, keyfiles, masterkey
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE
from kit.stages.place import ID, Place
from kit.stages.scenes import Scene, identity, nothing

KEY = bytes(range(50, 82))


class KeyPlace(Place):
    """Looked at: by what master.key opens, and what then opens with the key in it."""

    def __init__(self, path):
        super().__init__(path)
        for name, content in {"passphrase": PASSPHRASE, "new-passphrase": NEW_PASSPHRASE,
                              "master_key.dat": keyfiles.wrap_v2(KEY)
                              }.items():
            (self.home / name).write_bytes(content)
            (self.home / name).chmod(0o600)

    def view(self, drawn=()):
        file = masterkey.file(self.keytool)
        if not file.exists():
            return None
        passphrase, key = opened(file.read_bytes())
        assert identityfiles.opened(self.keystore / "keystore", key)
        identities = {directory.name: identityfiles.opened(directory / "identity", key)
                      for directory in identityfiles.directories(self.keystore)}
        if drawn:
            return passphrase, sorted(identities)
        return passphrase, key, identities

    @property
    def source(self):
        """The option with the passphrase that now opens it."""
        view = self.view()
        names = {PASSPHRASE: "passphrase", NEW_PASSPHRASE: "new-passphrase"}
        if view is None or view[0] is None:
            return []
        return ["--passphrase-file", self.home / names[view[0]]]


@functools.lru_cache(maxsize=None)
def opened(file):
    """The one passphrase that opens it, None for none, and its key."""
    for passphrase in (None, NEW_PASSPHRASE, PASSPHRASE):
        try:
            return passphrase, keyfiles.unwrap(file, passphrase)
        except ValueError:
            pass
    raise AssertionError(f"nothing opens it: {file.hex()}")


def protected(place):
    identity(place)
    masterkey.rewrap(place.keytool)


def emptied(place):
    identity(place)
    place.keytool.ok("id", "remove", ID, "--yes")


def protect(place):
    return ["key", "protect", "--scheme", "scrypt",
            "--passphrase-file", place.home / "new-passphrase"]


def passwd(place):
    return ["key", "passwd", "--scheme", "scrypt", "--passphrase-file", place.home / "passphrase",
            "--new-passphrase-file", place.home / "new-passphrase"]


def unprotect(place):
    return ["key", "unprotect", "--yes", "--passphrase-file", place.home / "passphrase"]


def take_over(place):
    # Without a passphrase: the same files change in the same steps, and nothing is derived.
    return ["key", "import", place.home / "master_key.dat"]


def create(place):
    return ["id", "create", "--id", ID, "--passphrase-file", place.home / "new-passphrase"]


def scene(prepare, command, *codes, **more):
    """`codes`: with which the same command may end where it was done already."""
    return Scene(prepare, command, (0, *codes), **more)


SCENES = {
    "protect": scene(identity, protect, 17),
    "passwd": scene(protected, passwd, 12),
    "unprotect": scene(protected, unprotect),
    "import": scene(nothing, take_over),
    "import-into-emptied": scene(emptied, take_over, has_steps=True),
    "create": scene(nothing, create, 17, has_steps=True, drawn=(ID,)),
}