"""The spinner on stderr: shown after 400 ms, only on a terminal, and erased before anything else is printed."""

import base64
import itertools
import json
import os
import re
import signal
import subprocess

import pytest

from kit import archives, databackup, keyfiles, masterkey, oracle, sessions
from kit.masterkey import PASSPHRASE
from kit.processes import injection
from kit.screens.terminal import Terminal
from kit.servers import faults
from kit.servers.httpsmachine import KEYS, PLACE, pushed  # noqa: F401, a fixture

RIGHT = PASSPHRASE.decode()
OPENING = r"[Kk]eystore passphrase: $"
FRAME = r"\r[|/\\-] opening the keystore"
WIPED = "\r\x1b[K"
SHOW = ["id", "show", "ABCD1234"]
# A second or two, on a slow machine more; the second is never finished by these tests.
SLOW, SLOWER = {"memory_kib": 131_072, "passes": 20}, {"memory_kib": 131_072, "passes": 64}


def protected(keytool, **cost):
    keytool.ok("id", "create", "--id", "ABCD1234")
    masterkey.rewrap(keytool, **cost)
    return keytool


@pytest.fixture
def slow(keytool):
    # One salt for all: it is derived here once, for the first of them.
    return protected(keytool, salt=bytes(16), **SLOW)


@pytest.fixture
def slower(keytool):
    """Nobody knows what opens it: nobody waits for that."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    sealed = keyfiles.encrypt(
        keyfiles.versioned((1, keyfiles.versioned((1, bytes(32))))), os.urandom(32))
    masterkey.file(keytool).write_bytes(
        keyfiles.outer(os.urandom(16), encrypted=sealed, **SLOWER))
    return keytool


def opened(run):
    run.expect(OPENING)
    run.send(RIGHT)


def turned(run):
    return re.findall(FRAME, run.text)


def test_turns_and_is_gone(terminal, slow):
    run = terminal(*SHOW)
    opened(run)
    assert run.finish() == 0, run.text
    before, _, after = run.text.rpartition(WIPED)
    # How many there are is the machine's affair: a fast one shows two or three.
    frames = turned(run)
    assert len(frames) >= 2, run.text
    assert frames == [f"\r{mark} opening the keystore" for _, mark in zip(frames, itertools.cycle("|/-\\"))]
    assert before.endswith(" opening the keystore\x1b[K") and after.startswith("ID ")


def test_is_gone_before_the_next_question(terminal, slow):
    run = terminal(*SHOW)
    run.expect(OPENING)
    run.send("wrong-one")
    run.expect(FRAME)
    run.expect(r"\r\x1b\[Kkeytool: error: wrong keystore passphrase; try again\nKeystore passphrase: $")
    run.send(RIGHT)
    assert run.finish() == 0, run.text


def test_nothing_for_what_is_fast(terminal, keytool):
    protected(keytool)
    run = terminal(*SHOW)
    opened(run)
    assert run.finish() == 0, run.text
    assert "\x1b" not in run.text and not turned(run)


@pytest.mark.parametrize("options", [["-q"], ["--json"]], ids=" ".join)
def test_nothing_when_it_is_not_wanted(terminal, slow, options):
    run = terminal(*SHOW, *options)
    opened(run)
    assert run.finish() == 0, run.text
    assert "\x1b" not in run.text and not turned(run)


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_nothing_where_a_line_cannot_be_wiped(terminal, slow, kind):
    runner = slow.with_environment(TERM=kind)
    run = terminal(*SHOW, runner=runner)
    opened(run)
    assert run.finish() == 0, run.text
    assert "\x1b" not in run.text and not turned(run)


def test_nothing_where_stderr_is_no_terminal(terminal, slow, tmp_path):
    with open(tmp_path / "err", "wb") as err:
        run = terminal(*SHOW, stderr=err)
        opened(run)
        assert run.finish() == 0, run.text
    assert (tmp_path / "err").read_bytes() == b""
    assert "\x1b" not in run.text and not turned(run)


def test_only_stderr_has_it(terminal, slow):
    run = terminal(*SHOW, stdout=subprocess.PIPE)
    opened(run)
    assert run.finish() == 0, run.text
    assert turned(run) and run.process.stdout.read().startswith(b"ID ")


def test_fits_a_narrow_terminal(terminal, slow):
    run = terminal(*SHOW, columns=16)
    opened(run)
    run.expect(r"\r\| opening the k\x1b\[K\r")
    assert run.finish() == 0, run.text


def test_no_colour(terminal, slow):
    run = terminal(*SHOW, "--color", "always")
    opened(run)
    assert run.finish() == 0, run.text
    assert turned(run) and "\x1b[" not in run.text.replace("\x1b[K", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_interrupted(terminal, slower, number):
    run = terminal(*SHOW)
    opened(run)
    run.expect(FRAME)
    run.process.send_signal(number)
    assert run.finish() == 128 + number, run.text
    assert run.process.returncode == -number, "a shell must see that a signal ended it"
    assert run.text.endswith(WIPED) and run.settings == run.untouched


def test_ctrl_c(terminal, slower):
    run = terminal(*SHOW)
    opened(run)
    run.expect(FRAME)
    run.press(b"\x03")
    assert run.finish() == 130, run.text


def test_hang_up(terminal, slower):
    run = terminal(*SHOW)
    opened(run)
    run.expect(FRAME)
    run.hang_up()
    assert run.process.wait(60) == -signal.SIGHUP


def test_ignored_hang_up_stays_ignored(slow):
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *slow.command_line(*SHOW)]
    run = Terminal(command, slow.environment)
    try:
        opened(run)
        run.expect(FRAME)
        run.process.send_signal(signal.SIGHUP)
        assert run.finish() == 0, run.text
    finally:
        run.close()


def test_derivations_of_codes(terminal, keytool, backup_password):
    keytool.ok("id", "create", "--id", "ABCD1234")
    run = terminal("backup", "export", "--scheme", "argon2id", *backup_password)
    run.expect(r"\r\| deriving the key of the backup code")
    assert run.finish() == 0, run.text


MEBIBYTE = 1 << 20


def two_parts(call):
    """1.5 MiB of what is no backup, and after a while another half."""
    call.read()
    call.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * MEBIBYTE))
    call.raw(bytes(3 * MEBIBYTE // 2))
    call.server.released.wait(1)
    call.raw(bytes(MEBIBYTE // 2))


def slowly_read(call):
    call.read(0.5)
    call.server.released.wait(1)
    call.healthy()


@pytest.fixture
def running(pushed):  # noqa: F811
    """running(*arguments): a terminal, on a machine whose Safe is on the fault server."""
    runs = []

    def running(*arguments):
        runs.append(Terminal(pushed.keytool.command_line(*arguments), pushed.keytool.environment))
        return runs[-1]
    yield running
    for run in runs:
        run.close()


def test_transfers(pushed, running):  # noqa: F811
    pushed.server.fault("GET", faults.slow(1))
    run = running("safe", "check")
    run.expect(r"\r\| downloading the Safe backup of ABCD1234\x1b\[K\r")
    assert run.finish() == 0, run.text
    assert WIPED in run.text and "KiB" not in run.text, "too small for figures"


def test_a_wait_is_said_above_the_spinner(pushed, running):  # noqa: F811
    pushed.server.fault("GET", faults.status(503, Retry_After=2), times=1)
    run = running("safe", "check")
    said = r"keytool: no usable answer from \S+; trying again in 2s\n"
    run.expect(said + r"(?:.*\n)?\r[|/\\-] downloading the Safe backup of ABCD1234\x1b\[K")
    assert run.finish() == 0, run.text
    # Nothing is left of the line on which it came.
    line = re.search("([^\n]*)" + said, run.text)[1]
    assert line == "" or line.endswith(WIPED)


def test_bytes_that_come(pushed, running):  # noqa: F811
    pushed.server.fault("GET", two_parts)
    run = running("safe", "check")
    run.expect(r"downloading the Safe backup of ABCD1234, 1\.5 MiB of 2 MiB, 75 %\x1b\[K\r")
    assert run.finish() == 65, run.text
    assert f"{WIPED}keytool: error: " in run.text


def test_bytes_that_go(pushed, running):  # noqa: F811
    """A backup with a picture of 1.5 MiB comes from an app; pushed again, it goes back."""
    pushed.server.config = b'{"maxBackupBytes":4194304,"retentionDays":180}'
    document = pushed.document
    document.pop("keytool")
    picture = base64.b64encode(os.urandom(3 * MEBIBYTE // 2)).decode()
    document["user"]["profilePic"] = picture
    pushed.server.stored[PLACE] = oracle.seal_safe(json.dumps(document).encode(), KEYS)
    pushed.keytool.ok("safe", "pull", "--replace")
    pushed.server.fault("PUT", slowly_read)
    run = running("safe", "push", "--force")
    run.expect(r"pushing ABCD1234, [0-9.]+ MiB of [0-9.]+ MiB, [0-9]+ %\x1b\[K\r")
    assert run.finish() == 0, run.text
    assert "uploaded" in run.text.rpartition(WIPED)[2]


def test_bytes_of_no_terminal(pushed):  # noqa: F811
    pushed.server.fault("GET", two_parts)
    assert "\x1b" not in pushed.fails(65, "safe", "check", patience=[], seconds=2).err


# Work on many bytes


def read_all(run):
    """What is left in the pipe that stdout is, so that the command ends."""
    content = run.process.stdout.read()
    assert run.finish() == 0, run.text
    assert run.text.endswith(WIPED) or WIPED in run.text
    return content


def figures(words, total):
    return rf"\r[|/\\-] {words}, [0-9.]+ (?:bytes|KiB|MiB) of {total} MiB, [0-9]{{1,3}} %\x1b\[K"


@pytest.fixture
def attachment(keytool, write, tmp_path):
    """A file of 4 MiB, and its blob with the key."""
    plain = write("plain", os.urandom(4 * MEBIBYTE))
    keytool.ok("textsecure", "seal-attachment", plain, "-o", tmp_path / "blob", "--key-out", tmp_path / "key")
    return plain


def test_sealing_an_attachment(terminal, attachment, tmp_path):
    run = terminal("textsecure", "seal-attachment", attachment, "-o", "-", "--key-out", tmp_path / "other",
                   stdout=subprocess.PIPE)
    run.expect(figures("encrypting the attachment", 4))
    assert len(read_all(run)) > 4 * MEBIBYTE


def test_opening_an_attachment(terminal, attachment, tmp_path):
    run = terminal("textsecure", "open-attachment", tmp_path / "blob", "-o", "-",
                   "--attachment-key-file", tmp_path / "key", stdout=subprocess.PIPE)
    run.expect(figures("decrypting the attachment", 4))
    assert read_all(run) == attachment.read_bytes()


def piped(terminal, *command):
    """A run whose stdin is a pipe, and the pipe."""
    theirs, ours = os.pipe()
    run = terminal(*command, stdin=theirs)
    os.close(theirs)
    return run, ours


def test_interrupted_while_it_encrypts(terminal, keytool, tmp_path):
    run, pipe = piped(terminal, "textsecure", "seal-attachment", "-", "-o", tmp_path / "blob", "--key-out", tmp_path / "key")
    os.write(pipe, bytes(32 * 1024))
    run.expect(r"\r[|/\\-] encrypting the attachment\x1b\[K")
    run.process.send_signal(signal.SIGINT)
    assert run.finish() == 130, run.text
    os.close(pipe)
    # A key without its blob opens nothing.
    assert not (tmp_path / "blob").exists()
    assert run.settings == run.untouched


@pytest.fixture
def archive(keytool, tmp_path):
    """An archive with sessions of 3 MiB."""
    keytool.ok("id", "create", "--id", "ABCD1234")
    sessions.create(keytool.keystore, masterkey.read(keytool), "threema", "ABCD1234",
                    {("session", b"ECHOECH%d" % number): os.urandom(MEBIBYTE) for number in range(3)})
    keytool.ok("archive", "export", "-o", tmp_path / "all.age", "--with-sessions", "--recipient", archives.RECIPIENT)
    return tmp_path / "all.age"


def test_exporting_an_archive(terminal, archive):
    run = terminal("archive", "export", "-o", "-", "--with-sessions", "--recipient", archives.RECIPIENT,
                   stdout=subprocess.PIPE)
    run.expect(figures("encrypting the archive", r"[0-9.]+"))
    assert len(read_all(run)) > 3 * MEBIBYTE


def test_opening_an_archive(terminal, archive, write):
    """Of a pipe, nobody knows how much comes."""
    run, pipe = piped(terminal, "archive", "list", "-", "--identity", write("agekey", archives.IDENTITY))
    content = archive.read_bytes()
    half, rest = content[:2 * MEBIBYTE], content[2 * MEBIBYTE:]
    while half:
        half = half[os.write(pipe, half):]
    run.expect(r"\r[|/\\-] decrypting the archive, [0-9.]+ MiB\x1b\[K")
    while rest:
        rest = rest[os.write(pipe, rest):]
    os.close(pipe)
    assert run.finish() == 0 and "threema/ABCD1234" in run.text.rpartition(WIPED)[2], run.text


def test_reading_a_data_backup(terminal, keytool, write, given):
    """What takes long is to read its tables, whose length the directory of the file has."""
    contacts = tuple(databackup.Contact(f"A{number:07}", bytes([9] + [1] * 31), 0, "x" * 3000)
                     for number in range(400))
    backup = databackup.Backup(oracle.Identity("ABCD1234", bytes(range(1, 33))), contacts)
    path = write("backup.zip", databackup.write(backup, "battery staple 9"))
    # A release reads the longest tables that there may be before the first line is due: here it waits for memory.
    waiting = injection.Prefixed(keytool, "strace", "-qq", "-o", "/dev/null", "-e", "trace=brk", "-e",
                                 "inject=brk:delay_enter=200000")
    run = terminal("backup", "check", path, *given("backup-password", b"battery staple 9"), runner=waiting)
    run.expect(figures("reading the data backup", r"[0-9.]+"))
    assert run.finish() == 0, run.text
    assert "the data backup opens: ABCD1234" in run.text.rpartition(WIPED)[2]
