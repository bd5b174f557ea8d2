"""Every command that opens a record opens a protected keystore, from every source but a person."""

import os

import pytest

from kit import keyfiles, masterkey, oracle
from kit.masterkey import NEW_PASSPHRASE, PASSPHRASE, WRONG
from kit.place import ID, OTHER_ID, Place
from kit.runner import snapshot

# What starts with "@" is a file of the place.
COMMANDS = {
    "id create": ["--id", "YYYY8888"],
    "id list": [],
    "id show": [ID],
    "id remove": [ID, "--yes"],
    "backup export": [ID, "--backup-password-file", "@backup-password"],
    "backup import": ["@code", "--backup-password-file", "@code-password"],
    "key import": ["@keystorage.pb3", "--file-passphrase-file", "@code-password"],
    "key passwd": ["--scheme", "scrypt", "--new-passphrase-file", "@new-passphrase"],
    "key unprotect": ["--yes"],
    "qr contact": [ID],
    "safe setup": [OTHER_ID, "--create", "--server", "@@second",
                   "--safe-password-file", "@safe-password"],
    "safe push": [ID, "--force"],
    "safe pull": [ID],
    "safe status": [ID],
    "safe check": [ID],
    "safe delete": [ID, "--yes"],
    "safe passwd": [ID, "--new-safe-password-file", "@new-safe-password"],
    "safe move": [ID, "--create", "--server", "@@second"],
    "safe server": [ID],
}


@pytest.fixture(scope="module")
def ready(built, tmp_path_factory):
    """Two identities under a passphrase, one of them with a pushed Safe."""
    place = Place(tmp_path_factory.mktemp("sources") / "place")
    keytool = place.keytool
    for id in (ID, OTHER_ID):
        keytool.ok("id", "create", "--id", id)
    keytool.ok("safe", "setup", ID, "--create", "--server", place.directory.url,
               "--safe-password-file", place.home / "safe-password")
    keytool.ok("safe", "push", ID)
    masterkey.rewrap(keytool)
    other = oracle.Identity("DESKTOP1", bytes(range(32)))
    password = (place.home / "code-password").read_bytes()
    for name, content in {"right": PASSPHRASE, "wrong": WRONG, "new-passphrase": NEW_PASSPHRASE,
                          "keystorage.pb3": keyfiles.seal_desktop(other, password)}.items():
        (place.home / name).write_bytes(content)
        (place.home / name).chmod(0o600)
    credentials = place.home / "credentials"
    credentials.mkdir()
    (credentials / "keytool.passphrase").write_bytes(PASSPHRASE)
    place.keep("ready")
    return place


@pytest.fixture
def place(ready):
    ready.bring_back("ready")
    return ready


def filled(place, name):
    def fill(part):
        if part.startswith("@@"):
            return f"file://{place.path / part[2:]}"
        return place.home / part[1:] if part.startswith("@") else part

    return [*name.split(), *map(fill, COMMANDS[name])]


def sources(place):
    """(options, environment, descriptors) for each documented source of the right passphrase."""
    right, command = place.home / "right", f"cat {place.home}/right"
    yield ["--passphrase-file", right], {}
    yield ["--passphrase-command", command], {}
    yield ["--passphrase-fd", "{fd}"], {}
    yield [], {"KEYTOOL_PASSPHRASE_FILE": right}
    yield [], {"KEYTOOL_PASSPHRASE_COMMAND": command}
    yield [], {"KEYTOOL_PASSPHRASE_FD": "{fd}"}
    yield [], {"CREDENTIALS_DIRECTORY": place.home / "credentials"}


def test_the_table_is_complete(keytool):
    """Every leaf command that has the option is in it, but for those with tests of their own."""
    found = set()
    for noun in ("id", "backup", "safe", "key", "revoke", "qr"):
        listed = keytool.ok(noun, "--help").out.split("SUBCOMMANDS:")[1].splitlines()
        verbs = [line.split()[0] for line in listed if line[:2] == "  " and line[2:3].strip()]
        found |= {f"{noun} {verb}" for verb in verbs if verb != "See" and
                  " --passphrase-file" in keytool.ok(noun, verb, "--help").out}
    assert found - {"backup check", "key protect", "key unlock"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_source(place, name):
    command = filled(place, name)
    for options, environment in sources(place):
        place.bring_back("ready")
        descriptor = os.open(place.home / "right", os.O_RDONLY)
        options = [str(one).format(fd=descriptor) for one in options]
        environment = {key: str(value).format(fd=descriptor) for key, value in environment.items()}
        runner = place.keytool.with_environment(**environment)
        runner.ok(*command, *options, pass_fds=[descriptor])
        os.close(descriptor)


@pytest.mark.parametrize("name", COMMANDS)
def test_no_source_and_a_wrong_one(place, name):
    command, before = filled(place, name), snapshot(place.path)
    missing = place.keytool.fails(16, *command)
    assert "keystore passphrase" in missing.err and "--passphrase-file" in missing.err
    place.keytool.fails(16, *command, "--no-input")
    wrong = place.keytool.fails(12, *command, "--passphrase-file", place.home / "wrong")
    assert "damaged" in wrong.err
    assert snapshot(place.path) == before


# Order


def shows(place, code, *options, stdin=None, **environment):
    runner = place.keytool.with_environment(**environment)
    command = ["id", "show", ID, *options]
    if code == 0:
        return runner.ok(*command, stdin=stdin)
    return runner.fails(code, *command, stdin=stdin)


def test_option_before_environment_before_credential(place):
    """Each of two sources is right where it has to count, and wrong where it must not."""
    right, wrong = place.home / "right", place.home / "wrong"
    directory = place.home / "credentials"
    shows(place, 12, "--passphrase-file", wrong, KEYTOOL_PASSPHRASE_FILE=right)
    shows(place, 0, "--passphrase-file", right, KEYTOOL_PASSPHRASE_FILE=wrong)
    shows(place, 12, KEYTOOL_PASSPHRASE_FILE=wrong, CREDENTIALS_DIRECTORY=directory)
    shows(place, 12, "--passphrase-command", f"cat {wrong}", CREDENTIALS_DIRECTORY=directory)
    (directory / "keytool.passphrase").write_bytes(WRONG)
    shows(place, 0, KEYTOOL_PASSPHRASE_COMMAND=f"cat {right}", CREDENTIALS_DIRECTORY=directory)
    shows(place, 12, CREDENTIALS_DIRECTORY=directory)
    (directory / "keytool.passphrase").unlink()
    shows(place, 16, CREDENTIALS_DIRECTORY=directory)


def test_empty_variables_count_as_unset(place):
    empty = {f"KEYTOOL_PASSPHRASE_{kind}": "" for kind in ("FILE", "COMMAND", "FD")}
    shows(place, 0, **empty, CREDENTIALS_DIRECTORY=place.home / "credentials")


def test_two_options(place):
    right = place.home / "right"
    shows(place, 64, "--passphrase-file", right, "--passphrase-command", f"cat {right}")
    shows(place, 64, "--passphrase-file", right, "--passphrase-fd", "0")


def test_stdin_once_and_not_twice(place):
    right, home = PASSPHRASE + b"\n", place.home
    shows(place, 0, "--passphrase-file", "-", stdin=right)
    shows(place, 0, KEYTOOL_PASSPHRASE_FILE="-", stdin=right)
    before = snapshot(place.path)
    code_password = (home / "code-password").read_bytes()
    for stdin, command in (
            ((home / "code").read_bytes(),
             ["backup", "import", "-", "--backup-password-file", home / "code-password"]),
            (right, ["backup", "export", ID, "--backup-password-file", "-"]),
            (right, ["key", "passwd", "--new-passphrase-file", "-"]),
            (right, ["key", "passwd", "--new-passphrase-fd", "0"]),
            (code_password,
             ["key", "import", home / "keystorage.pb3", "--file-passphrase-file", "-"])):
        place.keytool.fails(64, *command, "--passphrase-file", "-", stdin=stdin)
        assert snapshot(place.path) == before


def test_what_needs_no_passphrase_does_not_ask_for_one(place):
    for command in (["key", "status"], ["qr", "show"], ["id", "--help"]):
        place.keytool.ok(*command, stdin="x")
