"""Fixtures: a runner with an empty keystore, secrets in files, Safe servers, a terminal."""

import os
import shutil

import pytest

from kit import cases, dispositions, release
from kit.known import BACKUP_PASSWORD, CODE, CODE_PASSWORD, SAFE_PASSWORD
from kit.runner import BINARY, Keytool
from kit.screens.terminal import Terminal
from kit.servers.certificates import Certificates
from kit.servers.directoryserver import DirectoryServer
from kit.servers.faultserver import FaultServer
from kit.servers.httpsmachine import World
from kit.servers.safedirectory import SafeDirectory, SafeSetup
from kit.servers.webservers import SERVERS
from kit.stages.place import NEW_PASSWORD

# Before anything is started; threads inherit the mask of the one that starts them.
dispositions.give_defaults_to_children()


# Handed out first, so that no process is left with one of them at the end: the slowest files, by processor time.
SLOWEST = [f"test_{name}.py" for name in (
    "data_backup", "data_backup_damage", "read_only_verbs", "read_only", "full_disk", "kill_steps", "kill", "places", "places_kill", "mirror_year",
    "paper", "key_import", "https", "memory", "https_faults", "safe_turns",
    "mainkey_faults", "passphrase_page", "mainkey_memory", "argon2id", "key_faults", "mainkey_items", "https_places", "https_refusals", "https_retry", "key_protect", "key_choice",
    "interrupted", "never_destroyed", "package", "doctor", "completions", "memory_https", "memory_prompt",
    "hostile_documents", "hostile_profiles", "https_trust", "prompt_wrong", "progress", "manual_examples", "keystore_damage")]


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: measures time, or shares something with all others; runs after them")
    config.addinivalue_line("markers", release.MARKER)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    cases.leave_out(config, items)
    release.skip_without(BINARY, items)
    places = {name: place for place, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.fixture(scope="session")
def built():
    assert os.access(BINARY, os.X_OK), f"{BINARY} is missing: make check-cli, or set KEYTOOL"


@pytest.fixture
def tmp_path(tmp_path):
    """Removed after its test, beside others: removing all of them at the end takes minutes on some disks."""
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture
def home(tmp_path):
    directory = tmp_path / "home"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def keytool(built, home, tmp_path):
    """The runner on an empty keystore, which is a directory that exists with mode 0700."""
    keystore = tmp_path / "keystore"
    keystore.mkdir(mode=0o700)
    return Keytool(home, keystore)


@pytest.fixture
def other_keytool(built, home, tmp_path):
    """A second machine: the same runner on another empty keystore."""
    keystore = tmp_path / "other-keystore"
    keystore.mkdir(mode=0o700)
    return Keytool(home, keystore)


@pytest.fixture
def write(tmp_path):
    """write(name, content, mode=0o600) -> path"""

    def write(name, content, mode=0o600):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return path

    return write


@pytest.fixture
def given(write):
    """given("safe-password", b"...") -> the option that gives this secret, from a file."""

    def given(stem, content, mode=0o600):
        return [f"--{stem}-file", write(f"given-{stem}", content, mode)]

    return given


@pytest.fixture
def code_file(write):
    return write("code", CODE + "\n")


@pytest.fixture
def code_password(write):
    """The option that gives the published code's password."""
    return ["--backup-password-file", write("code-password", CODE_PASSWORD + b"\n")]


@pytest.fixture
def backup_password(write):
    """The option that gives the password of backups made here."""
    return ["--backup-password-file", write("backup-password", BACKUP_PASSWORD + b"\n")]


@pytest.fixture
def safe_password(write):
    return ["--safe-password-file", write("safe-password", SAFE_PASSWORD + b"\n")]


@pytest.fixture
def directory(tmp_path):
    """An empty directory, not yet a Safe server."""
    path = tmp_path / "safe-directory"
    path.mkdir(mode=0o700)
    return SafeDirectory(path)


@pytest.fixture
def id_directory(certificates):
    """A directory of identities over HTTPS, which verifies proofs itself; it knows nobody yet."""
    server = DirectoryServer(certificates.good)
    yield server
    server.close()


@pytest.fixture
def at(id_directory, certificates):
    """The options that lead to it."""
    return ["--directory", id_directory.url, "--directory-ca-file", certificates.authority.path]


@pytest.fixture
def safe(keytool, directory, safe_password):
    """Identity ABCD1234 with its Safe set up on a prepared directory; nothing pushed yet."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    return SafeSetup(keytool, directory, "ABCD1234", SAFE_PASSWORD)


@pytest.fixture
def pulled(built, home, tmp_path, safe_password):
    """pulled(name, blob): a machine of its own that pulled this backup of ABCD1234."""

    def pulled(name, blob):
        keytool = Keytool(home, tmp_path / f"keystore-{name}")
        directory = SafeDirectory(tmp_path / f"safe-directory-{name}")
        for path in (keytool.keystore, directory.path):
            path.mkdir(mode=0o700)
        machine = SafeSetup(keytool, directory.prepare(), "ABCD1234", SAFE_PASSWORD)
        directory.put(machine.keys, blob)
        keytool.ok("safe", "pull", "--id", machine.id, "--server", directory.url, *safe_password)
        return machine

    return pulled


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def https_world(built, tmp_path_factory, certificates):
    """The fault servers, and keystores that know the first of them: see `kit.servers.httpsmachine`."""
    return World(tmp_path_factory.mktemp("https"), certificates.good)


@pytest.fixture
def web_server(certificates):
    """web_server(Nginx, login=None, certificate=the good one): runs, with an empty root."""
    servers = []

    def start(kind, login=None, certificate=certificates.good):
        servers.append(kind(certificate, login))
        return servers[-1].start()

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def way(certificates, given):
    """way(server): the options that lead to it."""

    def way(server):
        options = ["--server", server.url, "--ca-file", certificates.authority.path]
        if server.login:
            options += ["--server-user", server.login.user,
                        *given("server-password", server.login.password)]
        return options

    return way


@pytest.fixture(params=SERVERS.values(), ids=SERVERS)
def server(request, web_server):
    """Each kind of web server, with and without a login; not yet a Safe server."""
    return web_server(*request.param)


@pytest.fixture
def owner(keytool):
    """A keystore with identity ABCD1234, which has no Safe yet."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    return keytool


@pytest.fixture
def web_safe(owner, server, way, safe_password):
    """Set up on a web server; nothing pushed yet, and nothing in the server's log."""
    owner.ok("safe", "setup", *way(server.prepare()), *safe_password)
    server.requests()
    return SafeSetup(owner, server, "ABCD1234", SAFE_PASSWORD)


@pytest.fixture
def terminal(keytool):
    """terminal(*arguments, columns=80, rows=24, ...) runs keytool on a pseudo-terminal."""
    running = []

    def start(*arguments, runner=keytool, **options):
        process = Terminal(runner.command_line(*arguments), runner.environment, **options)
        running.append(process)
        return process

    yield start
    for process in running:
        process.close()


@pytest.fixture
def other(certificates):
    """Another server, of another authority, and the options that lead there."""
    server = FaultServer(certificates.other_authority)
    server.options = ["--server", server.url, "--ca-file", certificates.stranger.path]
    yield server
    server.close()


@pytest.fixture
def new_password(write):
    return ["--new-safe-password-file", write("new", NEW_PASSWORD)]
