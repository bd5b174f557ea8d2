"""Every command that opens a record, and every source of its passphrase but a person; and a place for them."""

import pytest

from kit import keyfiles, oracle
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE, WRONG
from kit.stages.place import ID, OTHER_ID, Place

# What starts with "@" is a file of the place, and "=" what is in one.
COMMANDS = {
    "id create": ["--id", "YYYY8888"],
    "id list": [],
    "id show": [ID],
    "id remove": [ID, "--yes"],
    "backup export": [ID, "--backup-password-file", "@backup-password"],
    "backup import": ["@code", "--backup-password-file", "@code-password"],
    "backup split": [ID, "--shares", "2/2", "--reveal-shares"],
    "backup kit": [ID, "-o", "@kit.pdf", "--force", "--backup-password-file", "@backup-password"],
    "backup join": ["@share-1", "@share-2", "--id", ID, "--expect-public-key", "=public-key"],
    "key passwd": ["--scheme", "scrypt", "--new-passphrase-file", "@new-passphrase"],
    "key unprotect": ["--yes"],
    "qr contact": [ID],
    "safe setup": [OTHER_ID, "--create", "--server", "@@second",
                   "--safe-password-file", "@safe-password"],
    "safe push": [ID, "--force"],
    "safe pull": [ID],
    "safe status": [ID],
    "safe check": [ID],
    "safe mirror": [ID],
    "safe history": [ID],
    "safe schedule": [ID, "--systemd"],
    "profile show": [ID],
    "contact list": [ID],
    "safe delete": [ID, "--yes"],
    "safe passwd": [ID, "--new-safe-password-file", "@new-safe-password"],
    "safe move": [ID, "--create", "--server", "@@second"],
    "safe server": [ID],
    "safe card": [ID, "@card.pdf", "--force"],
}


def prepared(path):
    """A place with two identities without a passphrase, one of them with a pushed Safe, and the files of COMMANDS."""
    place = Place(path)
    keytool = place.keytool
    for id in (ID, OTHER_ID):
        keytool.ok("id", "create", "--id", id)
    keytool.ok("safe", "setup", ID, "--create", "--server", place.directory.url,
               "--safe-password-file", place.home / "safe-password")
    keytool.ok("safe", "push", ID)
    for share in keytool.json("backup", "split", ID, "--shares", "2/2", "--reveal-shares")["shares"]:
        (place.home / f"share-{share['number']}").write_text(share["words"])
        (place.home / f"share-{share['number']}").chmod(0o600)
    (place.home / "public-key").write_text(keytool.json("id", "show", ID)["public_key"])
    other = oracle.Identity("DESKTOP1", bytes(range(32)))
    password = (place.home / "code-password").read_bytes()
    for name, content in {"right": PASSPHRASE, "wrong": WRONG, "new-passphrase": NEW_PASSPHRASE,
                          "keystorage.pb3": keyfiles.seal_desktop(other, password)}.items():
        (place.home / name).write_bytes(content)
        (place.home / name).chmod(0o600)
    credentials = place.home / "credentials"
    credentials.mkdir()
    (credentials / "keytool.passphrase").write_bytes(PASSPHRASE)
    return place


@pytest.fixture(scope="module")
def ready(built, tmp_path_factory):
    place = prepared(tmp_path_factory.mktemp("commands") / "place")
    place.keep("ready")
    return place


@pytest.fixture
def place(ready):
    """As `prepared` leaves it; or as the `ready` of the test's module does."""
    ready.bring_back("ready")
    return ready


def filled(place, name):
    def fill(part):
        if part.startswith("@@"):
            return f"file://{place.path / part[2:]}"
        if part.startswith("="):
            return (place.home / part[1:]).read_text()
        return place.home / part[1:] if part.startswith("@") else part

    return [*name.split(), *map(fill, COMMANDS[name])]


def sources(place):
    """(options, environment) for each documented source of the right passphrase; `{fd}` is a descriptor of it."""
    right, command = place.home / "right", f"cat {place.home}/right"
    yield ["--passphrase-file", right], {}
    yield ["--passphrase-command", command], {}
    yield ["--passphrase-fd", "{fd}"], {}
    yield [], {"KEYTOOL_PASSPHRASE_FILE": right}
    yield [], {"KEYTOOL_PASSPHRASE_COMMAND": command}
    yield [], {"KEYTOOL_PASSPHRASE_FD": "{fd}"}
    yield [], {"CREDENTIALS_DIRECTORY": place.home / "credentials"}
