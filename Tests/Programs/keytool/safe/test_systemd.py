"""The systemd units as `make install` leaves them: accepted, hardened, and in step with the command line."""

import shutil
import subprocess

import pytest

from kit.runner import BINARY, REPOSITORY, Keytool

ANALYZE = shutil.which("systemd-analyze")
UNITS = ("keytool-safe@.service", "keytool-safe@.timer")
# In tenths; up to here systemd calls the exposure of a service OK or better.
MOST_EXPOSURE = 20

needs_analyze = pytest.mark.skipif(not ANALYZE, reason="systemd-analyze is missing: package systemd")


def install(prefix, destination=""):
    subprocess.run(
        ["make", "--silent", "install", f"binary={BINARY}", f"PREFIX={prefix}", f"DESTDIR={destination}"],
        cwd=REPOSITORY, env={"PATH": "/usr/bin:/bin"}, check=True)


def values(unit, key):
    """What a unit file gives for a key, in order."""
    return [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith(f"{key}=")]


def analyze(*arguments):
    return subprocess.run(
        [ANALYZE, *map(str, arguments)], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.fixture
def prefix(built, tmp_path):
    path = tmp_path / "prefix"
    install(path)
    return path


@pytest.fixture
def units(prefix):
    return [prefix / "lib/systemd/system" / name for name in UNITS]


@pytest.fixture
def service(units):
    return units[0]


@pytest.fixture
def scheduled(service):
    """The arguments that the service runs keytool with."""
    (line,) = values(service, "ExecStart")
    return line.split()[1:]


def test_install_puts_the_prefix_into_the_service(built, tmp_path):
    """And not DESTDIR, which is only where a package is put together."""
    install("/opt/keytool", tmp_path)
    installed = tmp_path / "opt/keytool"
    assert (installed / "bin/keytool").stat().st_mode & 0o7777 == 0o755
    for name in UNITS:
        assert (installed / "lib/systemd/system" / name).stat().st_mode & 0o7777 == 0o644
    (line,) = values(installed / "lib/systemd/system" / UNITS[0], "ExecStart")
    assert line.split()[0] == "/opt/keytool/bin/keytool"


@needs_analyze
def test_systemd_accepts_the_units(units):
    """Without a warning: a misspelt line is one, and would leave something open in silence."""
    result = analyze("verify", "--man=no", "--recursive-errors=no", *units)
    assert (result.returncode, result.stdout) == (0, "")


@needs_analyze
def test_systemd_would_see_a_misspelt_line(service):
    service.write_text(service.read_text().replace("ProtectSystem=", "ProtectSytem="))
    assert "ProtectSytem" in analyze("verify", "--man=no", "--recursive-errors=no", service).stdout


@needs_analyze
def test_systemd_would_see_that_keytool_is_not_there(prefix, service):
    (prefix / "bin/keytool").unlink()
    assert analyze("verify", "--man=no", "--recursive-errors=no", service).returncode != 0


@needs_analyze
def test_service_is_hardened(service):
    options = "security", "--offline=true", "--no-pager"
    result = analyze(*options, f"--threshold={MOST_EXPOSURE}", service)
    assert result.returncode == 0, result.stdout
    assert analyze(*options, "--threshold=1", service).returncode == 1


def test_service_pushes(safe, scheduled):
    """Silent and with nobody to ask; what it says goes to the journal."""
    result = safe.keytool.ok(*scheduled)
    assert (result.out, result.err) == ("", "")
    assert safe.document


def test_service_fails_where_a_push_has_to_be_looked_at(safe, scheduled, service):
    """No exit code but 0 is success: --tolerate has made 0 of those that may wait."""
    assert values(service, "SuccessExitStatus") == []
    safe.directory.go_away()
    safe.keytool.fails(75, *scheduled)


def test_service_gives_the_passphrase_as_the_credential_that_is_looked_for(safe, scheduled, service, given, tmp_path):
    (credential,) = values(service, "LoadCredentialEncrypted")
    name, _, source = credential.partition(":")
    # A path with directories that is missing would fail the service of a keystore that has no passphrase.
    assert "%i" in source and "/" not in source
    safe.keytool.ok("key", "protect", *given("passphrase", b"three tin roofs\n"))
    directory = tmp_path / "credentials"
    directory.mkdir(mode=0o700)
    keytool = safe.keytool.with_environment(CREDENTIALS_DIRECTORY=directory)
    keytool.fails(16, *scheduled)
    (directory / name).write_bytes(b"three tin roofs\n")
    keytool.ok(*scheduled)


def test_service_sees_the_keystore_that_its_account_uses(built, home, service):
    """The one place below /home that is shown to it is where keytool looks by itself."""
    (shown,) = values(service, "BindPaths")
    assert shown.startswith("-/home/%i/")
    Keytool(home).ok("id", "create", "--id", "ABCD1234")
    assert (home / shown.removeprefix("-/home/%i/") / "master.key").exists()
    assert values(service, "User") == ["%i"]
