"""Too little memory (ulimit -v): 71 and a sentence, or success; never a signal, and nothing is lost."""

import json
import re
import resource
import signal
import socket

import pytest

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.runner import REPOSITORY, SCHEMA, Keytool
from kit.servers.webservers import Nginx

KIBIBYTE, MEBIBYTE = 1024, 1024 * 1024
WORDS = "keytool: error: not enough memory"
KEYS = oracle.safe_keys(SAFE_PASSWORD, "ABCD1234")
# Contacts as an app writes them: 1.3 MB of JSON.
CONTACTS = [{"identity": f"C{number:07}", "verification": 1, "publickey": "zMzM" * 10 + "zMw=", "createdAt": 0,
             "firstname": f"First {number}", "lastname": "Last" * 5, "hidden": False, "private": False,
             "readReceipts": 0, "typingIndicators": 0} for number in range(6000)]


def limited(keytool, limit, *arguments):
    """The result of a run that may have this much address space."""
    process = keytool.start(
        *arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture(scope="module")
def least(built, tmp_path_factory):
    """The address space, in bytes, from which on the loader and Swift's runtime start the program."""
    keytool = Keytool(tmp_path_factory.mktemp("least"))
    low, high = 0, 256 * MEBIBYTE
    while high - low > 128 * KIBIBYTE:
        middle = (low + high) // 2
        if limited(keytool, middle, "--version")[0] in (0, 71):
            high = middle
        else:
            low = middle
    assert high < 64 * MEBIBYTE
    return high + 256 * KIBIBYTE


@pytest.mark.release
def test_least_as_documented(least):
    pages = [(REPOSITORY / name).read_text() for name in ("docs/threats.md", "man/keytool.1")]
    stated = {int(re.search(r"(\d+)\sMiB\s+of\s+address\s+space\s", page)[1]) for page in pages}
    assert stated == {30} and abs(least - 30 * MEBIBYTE) < 3 * MEBIBYTE, least


def sample(keytool, least, spans, *arguments):
    """Runs the command under each limit; gives the exit codes."""
    codes = []
    for span in spans:
        code, out, err = limited(keytool, least + span, *arguments)
        assert code in (0, 71), f"{span // KIBIBYTE} KiB more than the least: {code}\n{out}\n{err}"
        if code == 71:
            assert WORDS in err and out == "", err
        codes.append(code)
    return codes


def spans(to, count):
    return [to * number // count for number in range(count)]


@pytest.mark.parametrize("command", [["id", "list"], ["id", "show"], ["safe", "status"], ["--help"]], ids=" ".join)
def test_small_commands(safe, least, command):
    codes = sample(safe.keytool, least, spans(6 * MEBIBYTE, 12), *command)
    assert 71 in codes and 0 in codes


@pytest.fixture
def large(pulled):
    document = oracle.safe_document(bytes(range(32)), contacts=CONTACTS)
    machine = pulled("large", oracle.seal_safe(document, KEYS))
    machine.directory.config.write_text(json.dumps({"maxBackupBytes": 4_000_000, "retentionDays": 180}))
    return machine


@pytest.mark.parametrize("command", [["safe", "push", "--force"], ["safe", "pull", "--replace"]], ids=" ".join)
def test_large_profile(large, least, command):
    codes = sample(large.keytool, least, spans(48 * MEBIBYTE, 16), *command)
    assert 71 in codes and 0 in codes
    large.keytool.ok("safe", "push", "--force")
    assert len(large.document["contacts"]) == len(CONTACTS)


def test_key_derivation(safe, least, backup_password):
    """64 MiB of scrypt, 128 MiB of Argon2id: refused in the words of each."""
    for arguments in (["safe", "check", "--with-password"], ["backup", "export", "--scheme", "argon2id"]):
        given = ["--safe-password-file", safe.keytool.home / "password"] if arguments[0] == "safe" else backup_password
        (safe.keytool.home / "password").write_bytes(SAFE_PASSWORD)
        (safe.keytool.home / "password").chmod(0o600)
        code, out, err = limited(safe.keytool, least + 16 * MEBIBYTE, *arguments, *given)
        assert code == 71 and "key derivation needs" in err and out == "", err


def test_as_json(large, least):
    code, out, err = limited(large.keytool, least + 8 * MEBIBYTE, "safe", "push", "--force", "--json")
    assert code == 71 and out == "", err
    error = json.loads(err)
    assert (error["schema"], error["error"]["code"], error["error"]["name"]) == (SCHEMA, 71, "memory")


def test_terminal_is_given_back(terminal, least):
    """A crash is memory's fault only if memory is short."""
    for limit, ends in ((least + 8 * MEBIBYTE, 71), (resource.RLIM_INFINITY, 128 + signal.SIGSEGV)):
        run = terminal("id", "create", "--id", "ABCD1234")
        resource.prlimit(run.process.pid, resource.RLIMIT_AS, (limit, limit))
        run.expect("assphrase.*: ?$")
        assert not run.echo
        run.process.send_signal(signal.SIGSEGV)
        assert run.finish() == ends, run.text
        assert run.settings == run.untouched and (WORDS in run.text) == (ends == 71), run.text


def test_https(owner, web_server, way, safe_password, least):
    server = web_server(Nginx)
    owner.ok("safe", "setup", "--create", *way(server), *safe_password)
    push = ["safe", "push", "--force", "--retry-max-time", "1s"]
    codes = sample(owner, least, spans(64 * MEBIBYTE, 32), *push)
    assert 71 in codes and 0 in codes
    # Where libcurl and OpenSSL almost have what they need, they blame the server, the certificate or the file of
    # authorities: below the first success there is no such limit.
    low, high = 0, 64 * MEBIBYTE
    while high - low > 64 * KIBIBYTE:
        middle = (low + high) // 2
        low, high = (low, middle) if limited(owner, least + middle, *push)[0] == 0 else (middle, high)
    near = [high + step * 64 * KIBIBYTE for step in range(-32, 5)]
    for command in (push, ["safe", "check", "--retry-max-time", "1s"]):
        codes = sample(owner, least, near, *command)
        assert 71 in codes and 0 in codes


def test_name_lookup(owner, safe_password, least):
    """libcurl looks a name up in a thread; one that cannot be started is no name without an address."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, 9)
    except OSError:
        pytest.skip(f"{name} has no address")
    owner.ok("safe", "setup", "--no-test", "--server", f"https://{name}:9/safe", *safe_password)
    check = ["safe", "check", "--retry-max-time", "1s"]
    found = owner.fails(75, *check).err
    codes = []
    for span in range(12 * MEBIBYTE, 40 * MEBIBYTE, 512 * KIBIBYTE):
        code, _, err = limited(owner, least + span, *check)
        assert code == 71 and WORDS in err or (code, err) == (75, found), f"{span // KIBIBYTE}: {code}\n{err}"
        codes.append(code)
    assert 71 in codes and 75 in codes


def test_library_does_not_fit(owner, web_server, way, safe_password, least):
    server = web_server(Nginx)
    owner.ok("safe", "setup", "--create", *way(server), *safe_password)
    code, _, err = limited(owner, least + 8 * MEBIBYTE, "safe", "push")
    assert code == 71 and "not enough memory to load libcurl" in err and "apt-get" not in err, err
