"""Commands that store the provisioning file of a company, each with the place it starts from."""

from kit import identityfiles
from kit.servers.onpremserver import USER, key, signed
from kit.stages.accountstaged import AccountPlace, identity
from kit.stages.place import committed
from kit.stages.scenes import Scene, nothing

RECORDS = ("file", "trust", "source", "password")
DOCUMENT = {
    "version": "1.0", "signatureKey": key(), "refresh": 86400,
    "license": {"id": "ACME", "expires": "2099-12-31", "count": 25},
    "chat": {"hostname": "chat.example", "ports": [5222], "publicKey": "A" * 43 + "="},
    "directory": {"url": "https://d.example/"}, "safe": {"url": "https://s.example/"},
    "blob": {name: "https://b.example/" for name in ("uploadUrl", "downloadUrl", "doneUrl")}}


class OnPremPlace(AccountPlace):
    """Looked at: the records of the file, also those of a commit that is not written out."""

    messenger = "onprem"

    def __init__(self, path):
        super().__init__(path)
        for name, changes in {"old.oppf": {}, "new.oppf": {"refresh": 3600}}.items():
            (self.home / name).write_bytes(signed(DOCUMENT | changes))
        (self.home / "licence").write_bytes(b"Walnut-Glacier-34")
        (self.home / "licence").chmod(0o600)

    def account(self, directory, key):
        files = {name: (directory / name).read_bytes() for name in RECORDS if (directory / name).exists()}
        files |= committed(directory / "commit")
        return {name: identityfiles.unsealed(files[name], key, name, ("onprem", directory.name, "", name))
                for name in RECORDS if files.get(name)}


def imported(name, *options):
    def command(place):
        login = ["--onprem-user", USER, "--onprem-password-file", place.home / "licence"]
        return ["onprem", "import", place.home / name, "--key", key(), "--name", "acme", *login, *options]

    return command


def old(place):
    place.keytool.ok("onprem", "import", place.home / "old.oppf", "--key", key(), "--name", "acme")


def both(place):
    old(place)
    place.keytool.ok(*imported("new.oppf")(place))


SCENES = {
    "first": Scene(nothing, imported("old.oppf"), (0,), has_steps=True),
    "beside": Scene(identity, imported("old.oppf"), (0,)),
    "newer": Scene(old, imported("new.oppf"), (0,)),
    "replaced": Scene(both, imported("old.oppf", "--replace"), (0,)),
}
