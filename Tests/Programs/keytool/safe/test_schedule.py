"""safe schedule: what it prints runs as cron and systemd run it, and systemd accepts it."""

import os
import shlex
import shutil
import subprocess

import pytest

from kit.processes import cron as crontab
from kit.runner import BINARY, REPOSITORY, snapshot
from kit.servers.phone import Phone
from kit.servers.safedirectory import SafeDirectory

PASSPHRASE = b"three tin roofs"
ANALYZE = shutil.which("systemd-analyze")


def cron(keytool, line):
    assert "--jitter 30m " in line
    return crontab.run(line, keytool.home)


def ends_well(run):
    assert (run.returncode, run.stdout, run.stderr or "") == (0, "", ""), run


def all_lines(keytool, *arguments, **options):
    return keytool.ok("safe", "schedule", *arguments, **options).out.splitlines()


def lines(keytool, *arguments, **options):
    """What runs every day."""
    *daily, weekly = all_lines(keytool, *arguments, **options)
    assert weekly.startswith("47 4 * * 0 ") and " safe check " in weekly, weekly
    return daily


def test_the_line_pushes(safe):
    before = snapshot(safe.keytool.home)
    (line,) = lines(safe.keytool)
    assert snapshot(safe.keytool.home) == before
    ends_well(cron(safe.keytool, line))
    assert safe.document


def test_an_identity_without_a_safe_among_others(safe):
    safe.keytool.ok("id", "create", "--id", "ZZZZ9999")
    refused = safe.keytool.fails(10, "safe", "schedule", "ZZZZ9999").err
    assert "no Safe is set up for ZZZZ9999" in refused and "no identity has a Safe" not in refused


def test_any_keystore_path(safe, tmp_path):
    keystore = tmp_path / "a 'key' $HOME 50% \"store\"; é"
    safe.keytool.keystore.rename(keystore)
    (line,) = lines(safe.keytool.with_keystore(keystore))
    ends_well(cron(safe.keytool, line))
    assert safe.document


def test_relative_paths(safe, given, tmp_path):
    safe.keytool.ok("key", "protect", *given("passphrase", PASSPHRASE + b"\n"))
    keystore = safe.keytool.keystore
    keytool = safe.keytool.with_keystore(None)
    (line,) = lines(keytool, "--keystore", keystore.name, "--passphrase-file", "given-passphrase", cwd=tmp_path)
    ends_well(cron(keytool, line))
    assert safe.document


@pytest.mark.parametrize("source", ["file", "command"])
def test_passphrase(safe, given, source):
    option, path = given("passphrase", PASSPHRASE + b"\n")
    safe.keytool.ok("key", "protect", option, path)
    safe.keytool.fails(64, "safe", "schedule", "--passphrase-fd", "0", stdin=PASSPHRASE + b"\n")
    if source == "command":
        option, path = "--passphrase-command", f"printf '%s\\n' \"$(cat '{path}')\""
    (line,) = lines(safe.keytool, option, path)
    ends_well(cron(safe.keytool, line))
    assert safe.document
    assert PASSPHRASE.decode() not in line


@pytest.mark.parametrize("command", ["cat pw #50\\%", "cat pw #\\\\"])
def test_what_not_every_cron_reads_alike(safe, given, command):
    safe.keytool.ok("key", "protect", *given("passphrase", PASSPHRASE + b"\n"))
    read = f"printf '%s\\n' '{PASSPHRASE.decode()}' # {command}"
    assert "script" in safe.keytool.fails(64, "safe", "schedule", "--passphrase-command", read).err
    safe.keytool.ok("safe", "schedule", "--systemd", "--passphrase-command", read)


def test_a_passphrase_that_is_gone_later(safe, given, tmp_path):
    """A pipe, as of `<(command)`, is read once."""
    safe.keytool.ok("key", "protect", *given("passphrase", PASSPHRASE + b"\n"))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["sh", "-c", f"echo '{PASSPHRASE.decode()}' > '{pipe}'"])
    try:
        assert "--passphrase-file" in safe.keytool.fails(64, "safe", "schedule", "--passphrase-file", pipe).err
    finally:
        writer.kill()
        writer.wait()


@pytest.mark.parametrize("name", ["ends with a blank ", "ends with a backslash\\"])
def test_names_that_a_unit_cannot_hold(safe, given, tmp_path, name):
    option, path = given("passphrase", PASSPHRASE + b"\n")
    safe.keytool.ok("key", "protect", option, path)
    path.rename(tmp_path / name)
    safe.keytool.fails(64, "safe", "schedule", "--systemd", option, tmp_path / name)


def test_cron_cannot_ask(safe, given, tmp_path):
    """A key in a systemd credential opens the keystore here, but not for cron."""
    safe.keytool.ok("key", "protect", *given("passphrase", PASSPHRASE + b"\n"))
    credentials = tmp_path / "credentials"
    credentials.mkdir(mode=0o700)
    (credentials / "keytool.passphrase").write_bytes(PASSPHRASE + b"\n")
    keytool = safe.keytool.with_environment(CREDENTIALS_DIRECTORY=credentials)
    result = keytool.fails(64, "safe", "schedule")
    assert "--passphrase-file" in result.err
    drop_in = keytool.ok("safe", "schedule", "--systemd")
    assert "LoadCredential" not in drop_in.out and "keytool.passphrase." in drop_in.err


def test_nothing_is_set_up(keytool):
    keytool.ok("id", "create", "--id", "ABCD1234")
    for options in ([], ["--systemd"], ["ABCD1234"]):
        assert keytool.fails(10, "safe", "schedule", *options, "--json").error["reason"] == "no_setup"


@pytest.fixture
def phone(keytool, tmp_path, safe_password):
    """ABCD1234, whose phone writes the Safe."""
    path = tmp_path / "the phone's: 100%"
    path.mkdir(mode=0o700)
    phone = Phone(keytool, SafeDirectory(path))
    phone.writes("first")
    phone.guarded_by(*safe_password)
    return phone


@pytest.fixture
def both(phone, directory, safe_password):
    """The same keystore with a second identity that pushes."""
    keytool = phone.keytool
    keytool.ok("id", "create", "--id", "OTHER123")
    keytool.ok("safe", "setup", "OTHER123", "--create", "--server", directory.url, *safe_password)
    return phone


def pushed(directory):
    return list((directory.path / "backups").iterdir())


def test_a_phone_is_mirrored(phone):
    (line,) = lines(phone.keytool)
    assert " safe mirror --all " in line
    ends_well(cron(phone.keytool, line))
    assert phone.mirrored() == ["first"]


def test_push_and_mirror(both, directory):
    push, mirror = lines(both.keytool)
    assert push.split()[:2] != mirror.split()[:2]
    ends_well(cron(both.keytool, push))
    assert len(pushed(directory)) == 1 and both.mirrored() == []
    ends_well(cron(both.keytool, mirror))
    assert both.mirrored() == ["first"]


def test_all_places_of_an_identity(phone, directory, safe_password):
    """A second place beside the phone's, to which this keystore pushes."""
    phone.keytool.ok("safe", "setup", "--name", "own", "--create", "--server", directory.url, *safe_password)
    push, mirror = lines(phone.keytool)
    ends_well(cron(phone.keytool, push))
    ends_well(cron(phone.keytool, mirror))
    assert len(pushed(directory)) == 1 and phone.mirrored() == ["first"]


def test_one_identity(both, directory):
    (line,) = lines(both.keytool, "OTHER123")
    ends_well(cron(both.keytool, line))
    assert len(pushed(directory)) == 1 and both.mirrored() == []


def test_the_check_of_each_week(both, directory):
    push, mirror, check = all_lines(both.keytool)
    for line in (push, mirror, check):
        ends_well(cron(both.keytool, line))
    next((both.directory.path / "backups").iterdir()).unlink()
    run = cron(both.keytool, check)
    assert run.returncode == 10 and "there is no Safe backup of ABCD1234" in run.stdout, run
    for id, found in (("OTHER123", 0), ("ABCD1234", 10)):
        assert cron(both.keytool, all_lines(both.keytool, id)[-1]).returncode == found


def test_json(both):
    document = both.keytool.json("safe", "schedule")
    assert document["form"] == "cron" and document["lines"] == all_lines(both.keytool)
    document = both.keytool.json("safe", "schedule", "--systemd")
    assert document["form"] == "systemd" and document["unit"] == f"keytool-safe@{crontab.ACCOUNT}.service"
    assert document["lines"] == both.keytool.ok("safe", "schedule", "--systemd").out.splitlines()


# systemd

@pytest.fixture
def units(built, tmp_path):
    """The directory of the installed units."""
    subprocess.run(
        ["make", "--silent", "install", f"binary={BINARY}", f"PREFIX={tmp_path / 'prefix'}"], cwd=REPOSITORY,
        env={"PATH": "/usr/bin:/bin"}, check=True)
    return tmp_path / "prefix/lib/systemd/system"


def installed(units, keytool, *arguments):
    """Puts the drop-in where `systemctl edit` does; gives what systemd says of it."""
    place = units / "keytool-safe@.service.d"
    place.mkdir()
    (place / "override.conf").write_text(keytool.ok("safe", "schedule", "--systemd", *arguments).out)
    result = subprocess.run(
        [ANALYZE, "verify", "--man=no", "--recursive-errors=no", units / "keytool-safe@.service"],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def values(text, key):
    found = []
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == key:
            found = found + [value] if value else []
    return found


def unquoted(value):
    """The words of a unit's line, as systemd.syntax(7) and systemd.service(5) have it."""
    return [word.replace("%%", "%") for word in shlex.split(value)]


def run_by_systemd(keytool, drop_in, units):
    """Runs the service's command with the environment of drop-in and unit."""
    (command,) = values((units / "keytool-safe@.service").read_text() + drop_in, "ExecStart")
    environment = dict(
        word.split("=", 1) for value in values(drop_in, "Environment") for word in unquoted(value))
    words = [word.replace("$$", "$") for word in unquoted(command)]
    return subprocess.run(
        words, cwd="/", env={"HOME": str(keytool.home), "PATH": "/usr/bin:/bin", **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


needs_analyze = pytest.mark.skipif(not ANALYZE, reason="systemd-analyze is missing: package systemd")


@needs_analyze
def test_systemd_accepts_the_drop_in(both, units, given):
    both.keytool.ok("key", "protect", *given("passphrase", PASSPHRASE + b"\n"))
    assert installed(units, both.keytool, *given("passphrase", PASSPHRASE + b"\n")) == (0, "")


@needs_analyze
def test_systemd_would_see_a_misspelt_line(safe, units):
    place = units / "keytool-safe@.service.d"
    place.mkdir()
    text = safe.keytool.ok("safe", "schedule", "--systemd").out
    assert "BindPaths=" in text
    (place / "override.conf").write_text(text.replace("BindPaths=", "BindPath="))
    result = subprocess.run(
        [ANALYZE, "verify", "--man=no", "--recursive-errors=no", units / "keytool-safe@.service"],
        capture_output=True, text=True)
    assert "BindPath" in result.stderr + result.stdout


def test_the_service_pushes_and_mirrors(both, directory, units):
    drop_in = both.keytool.ok("safe", "schedule", "--systemd").out
    ends_well(run_by_systemd(both.keytool, drop_in, units))
    assert len(pushed(directory)) == 1 and both.mirrored() == ["first"]


def test_a_failed_push_does_not_stop_the_mirror_and_is_told(both, directory, units):
    drop_in = both.keytool.ok("safe", "schedule", "--systemd").out
    (directory.path / "config").unlink()
    result = run_by_systemd(both.keytool, drop_in, units)
    assert result.returncode == 15 and both.mirrored() == ["first"]


def test_a_failed_mirror_is_told(both, units):
    drop_in = both.keytool.ok("safe", "schedule", "--systemd").out
    next((both.directory.path / "backups").iterdir()).unlink()
    assert run_by_systemd(both.keytool, drop_in, units).returncode == 10


def test_what_the_service_may_see(both, directory):
    text = both.keytool.ok("safe", "schedule", "--systemd").out
    # Everything of these tests is below /tmp, which the unit hides.
    bound = [word for value in values(text, "BindPaths") for word in unquoted(value)]
    assert bound == [str(both.keytool.keystore), f"-{directory.path}"]
    read = [word for value in values(text, "BindReadOnlyPaths") for word in unquoted(value)]
    assert read == [f"-{both.directory.path}"]


def test_passphrase_of_the_service(safe, given):
    option, path = given("passphrase", PASSPHRASE + b"\n")
    safe.keytool.ok("key", "protect", option, path)
    text = safe.keytool.ok("safe", "schedule", "--systemd", option, path).out
    assert values(text, "LoadCredential") == [f"keytool.passphrase:{path}"]
    assert "LoadCredentialEncrypted=\n" in text
    command = f"cat '{path}' # 100% \\ \"$HOME\""
    text = safe.keytool.ok("safe", "schedule", "--systemd", "--passphrase-command", command).out
    assert unquoted(values(text, "Environment")[-1]) == [f"KEYTOOL_PASSPHRASE_COMMAND={command}"]


def test_a_command_of_the_environment_is_not_for_the_service(safe, given):
    """`pass show keytool`, for example, needs the home directory, which the unit hides."""
    option, path = given("passphrase", PASSPHRASE + b"\n")
    safe.keytool.ok("key", "protect", option, path)
    keytool = safe.keytool.with_environment(KEYTOOL_PASSPHRASE_COMMAND=f"cat '{path}'")
    drop_in = keytool.ok("safe", "schedule", "--systemd")
    assert "PASSPHRASE_COMMAND" not in drop_in.out and "keytool.passphrase." in drop_in.err
    (line,) = lines(keytool)
    assert " --passphrase-command " in line
