"""The recipes of docs/passphrase.md, each with the real program: its lines are typed, cron runs with them, and what a closed
place looks like is what the page says."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from kit.pages.recipes import PAGE, PATIENCE, Person, Recipe
from kit.runner import BINARY, REPOSITORY, Keytool

GPG_PASSPHRASE = "17 herons in the reeds"
MAKE_KEY = [("Continue", ""), ("protect your new key", GPG_PASSPHRASE), ("re-enter", GPG_PASSPHRASE)]
UNLOCK_KEY = ("unlock the OpenPGP secret key", GPG_PASSPHRASE)
KEYRING_PASSWORD = "old lanterns burn slowly"
DATABASE_PASSWORD = "a kettle for the night watch"
UNPACKED = Path(os.environ.get("KEYRING", REPOSITORY / ".build/keyring"))

needs_keepassxc = pytest.mark.skipif(
    not shutil.which("keepassxc-cli") and not os.environ.get("ALL_CASES"), reason="keepassxc is missing: make test-all")


@pytest.fixture
def keytool_at_home(built, home):
    """Its keystore is where keytool looks for it without an option."""
    return Keytool(home)


@pytest.fixture
def person(keytool_at_home, home, directory, safe_password, tmp_path):
    """Owns an identity with a Safe, in a keystore without a passphrase."""
    keytool_at_home.ok("id", "create", "--id", "ABCD1234", "--no-passphrase")
    keytool_at_home.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    for path in (home / "bin", tmp_path / "stick"):
        path.mkdir(mode=0o700)
    (home / "bin/keytool").symlink_to(BINARY)
    return Person(home, {**keytool_at_home.environment, "PATH": f"{home}/bin:/usr/bin:/bin"},
                  {"/media/stick": str(tmp_path / "stick")})


def needs_passphrase(keytool):
    """It is protected now, and cannot be opened without a source."""
    keytool.fails(16, "id", "list")


def test_what_is_executed_is_watched(person):
    person.types("for each in 1 2 3 4 5 6; do SECRET=in-the-environment /bin/true in-an-argument; done")
    person.told_nobody("in-neither-of-them")
    for secret in ("in-the-environment", "in-an-argument"):
        with pytest.raises(AssertionError):
            person.told_nobody(secret)


# pass


@pytest.fixture
def gpg(person, home):
    """A directory of GPG's own, and no agent that runs on."""
    place = home / "gpg"
    place.mkdir(mode=0o700)
    # Debian has others, for desktops.
    (place / "gpg-agent.conf").write_text("pinentry-program /usr/bin/pinentry-curses\n")
    person.shared["GNUPGHOME"] = person.environment["GNUPGHOME"] = str(place)
    yield place
    subprocess.run(["gpgconf", "--kill", "all"], env=person.environment, check=True, timeout=PATIENCE)


def test_pass(person, gpg, keytool_at_home, directory):
    recipe = Recipe("pass")
    make, remember, reload, unlock = recipe.typed
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    with (gpg / "gpg-agent.conf").open("a") as settings:
        settings.write(remember)
    person.types(make, [*MAKE_KEY, UNLOCK_KEY])
    needs_passphrase(keytool_at_home)
    person.is_served(crontab)
    assert len(directory.names()) == 1

    # It forgets then.
    person.types(reload)
    person.is_refused(crontab, mail, 16)
    person.types(unlock, [UNLOCK_KEY])
    person.is_served(crontab)
    # For as long as the page says.
    options = person.types("gpgconf --list-options gpg-agent")
    assert options.count(":2592000") >= 2

    # On a terminal, gpg asks through keytool.
    person.types(reload)
    shown = person.types("keytool id list --passphrase-command 'pass show keytool'", [UNLOCK_KEY])
    assert "ABCD1234" in shown
    secret = subprocess.run(["pass", "show", "keytool"], env=person.environment, stdout=subprocess.PIPE, text=True,
                            check=True, timeout=PATIENCE).stdout.strip()
    person.told_nobody(secret, GPG_PASSPHRASE)


def test_a_passphrase_that_is_there_already(person, gpg, keytool_at_home, given):
    """As the page's beginning says: `key passwd`, in place of `key protect`."""
    keytool_at_home.ok("key", "protect", *given("passphrase", b"three tin roofs\n"))
    command = "keytool key passwd --new-passphrase-command "
    assert f"`{command}COMMAND`" in PAGE
    make = Recipe("pass").typed[0].partition("export")[0]
    person.types(f"{make}{command} 'pass show keytool'", [
        *MAKE_KEY, ("eystore passphrase", "three tin roofs"), UNLOCK_KEY])
    person.is_served(Recipe("pass").crontabs[0])


# KeePassXC


@needs_keepassxc
def test_keepassxc(person, keytool_at_home, directory, tmp_path):
    recipe = Recipe("KeePassXC")
    make, ask = recipe.typed
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    person.types(make)
    needs_passphrase(keytool_at_home)
    person.is_served(crontab)
    assert len(directory.names()) == 1

    (tmp_path / "stick").rename(tmp_path / "pocket")
    person.is_refused(crontab, mail, 16)
    (tmp_path / "pocket").rename(tmp_path / "stick")
    person.is_served(crontab)

    show = make[make.index("'") + 1:make.rindex("'")].replace("/media/stick", str(tmp_path / "stick"))
    secret = subprocess.run(["sh", "-c", show], env=person.environment, stdout=subprocess.PIPE, text=True, check=True,
                            timeout=PATIENCE).stdout.strip()
    # The database of every day, which cannot be opened without its password.
    person.types("keepassxc-cli db-create --set-password ~/passwords.kdbx", [
        ("[Pp]assword", DATABASE_PASSWORD), ("[Rr]epeat", DATABASE_PASSWORD)])
    person.types("keepassxc-cli add --password-prompt ~/passwords.kdbx keytool", [
        ("Enter password to unlock", DATABASE_PASSWORD), ("for new entry", secret)])
    assert "ABCD1234" in person.types(ask, [("Enter password to unlock", DATABASE_PASSWORD)])
    person.told_nobody(secret, DATABASE_PASSWORD)


# secret-tool


@pytest.fixture
def session(person, home):
    """The bus of a desktop's session, on which no keyring runs yet; Debian's file says how the bus starts one."""
    assert UNPACKED.joinpath("complete").exists(), f"{UNPACKED} has no gnome-keyring: Scripts/set-up test"
    daemon = home / "bin/gnome-keyring-daemon"
    libraries = next(UNPACKED.glob("usr/lib/*/libgck-1.so.0")).parent
    daemon.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {UNPACKED}/usr/bin/gnome-keyring-daemon "$@"\n')
    daemon.chmod(0o755)
    services = home / ".local/share/dbus-1/services"
    services.mkdir(parents=True)
    start = (UNPACKED / "usr/share/dbus-1/services/org.freedesktop.secrets.service").read_text()
    assert "Exec=/usr/bin/gnome-keyring-daemon " in start
    (services / "org.freedesktop.secrets.service").write_text(start.replace("/usr/bin/gnome-keyring-daemon", str(daemon)))
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    person.environment |= {"XDG_RUNTIME_DIR": str(runtime), "XDG_DATA_HOME": str(home / ".local/share")}
    bus = subprocess.Popen(["dbus-run-session", "--", "sh", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; read line"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=person.environment, text=True)
    address = bus.stdout.readline().strip()
    person.environment["DBUS_SESSION_BUS_ADDRESS"] = address
    person.places["unix:path=/run/user/1000/bus"] = address
    yield bus
    end_session(bus)
    bus.stdout.close()


def end_session(bus):
    bus.stdin.close()
    bus.wait(PATIENCE)


def end_keyring(home):
    """Ends the daemon that has this home, and one that it has replaced and that still ends, and waits for them."""
    assert keyrings(home)
    deadline = time.monotonic() + PATIENCE
    while running := keyrings(home):
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        assert time.monotonic() < deadline
        time.sleep(0.05)


def keyrings(home):
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*") if is_keyring(entry, home)]


def is_keyring(entry, home):
    try:
        return b"gnome-keyring-daemon" in (entry / "cmdline").read_bytes().split(b"\0")[0] \
            and f"HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def test_secret_tool(person, session, keytool_at_home, directory, home):
    recipe = Recipe("secret-tool")
    unlock, make = recipe.typed
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    question = ("Password of the keyring:", KEYRING_PASSWORD)
    person.types(unlock, [question])
    person.types(make)
    needs_passphrase(keytool_at_home)
    person.is_served(crontab)
    assert len(directory.names()) == 1

    # The bus starts a keyring that nobody has opened.
    end_keyring(home)
    person.is_refused(crontab, mail, 16)
    person.types(unlock, [question])
    person.is_served(crontab)

    secret = subprocess.run(["secret-tool", "lookup", "program", "keytool"], env=person.environment, text=True, check=True,
                            stdout=subprocess.PIPE, timeout=PATIENCE).stdout
    # After a logout, there is no bus.
    end_session(session)
    person.is_refused(crontab, mail, 16)
    person.told_nobody(secret, KEYRING_PASSWORD)


# An age identity


def test_age(person, keytool_at_home, other_keytool, directory, home, tmp_path):
    recipe = Recipe("An age identity")
    make, restore = recipe.typed
    (crontab,), (mail,) = recipe.crontabs, recipe.mails
    person.types(make)
    needs_passphrase(keytool_at_home)
    stick, pocket = tmp_path / "stick", tmp_path / "pocket"
    stick.rename(pocket)
    person.is_refused(crontab, mail, 16)
    assert not list(home.glob("keys-*"))
    pocket.rename(stick)
    person.is_served(crontab)
    assert len(directory.names()) == len(list(home.glob("keys-*.age"))) == 1

    person.environment["KEYTOOL_KEYSTORE"] = str(other_keytool.keystore)
    person.types(f"{restore.rstrip()} --no-passphrase")
    assert "ABCD1234" in other_keytool.ok("id", "list").out
    secret = subprocess.run(
        ["age", "--decrypt", "--identity", stick / "identity.txt", home / "passphrase.age"], stdout=subprocess.PIPE,
        text=True, check=True, timeout=PATIENCE).stdout.strip()
    keys = [line for line in (stick / "identity.txt").read_text().splitlines() if line.startswith("AGE-SECRET-KEY-")]
    person.told_nobody(secret, *keys)
