"""backup export: the code, where it is written, and the passwords it takes."""

import os
import re
import resource
import shlex
import signal
import stat
import subprocess

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, GROUPED
from kit.runner import snapshot


@pytest.fixture
def keytool(keytool):
    keytool.made = keytool.json("id", "create", "--id", "ABCD1234")
    return keytool


def test_oracle_opens_the_code(keytool, backup_password):
    shown = keytool.json("backup", "export", *backup_password)
    assert shown["command"] == "backup export"
    assert shown["scheme"] == "pbkdf2"
    assert shown["check_bits"] == 16
    assert shown["check"] == oracle.check_word(shown["code"])
    assert GROUPED.fullmatch(shown["code"])
    identity = oracle.open_code(shown["code"], BACKUP_PASSWORD)
    assert identity.id == shown["id"] == "ABCD1234"
    assert identity.public_key == keytool.made["public_key"]


def test_piped_code_is_one_line_and_nothing_else(keytool, backup_password):
    result = keytool.ok("backup", "export", *backup_password)
    assert len(result.out) == 100 and result.out[-1] == "\n"
    assert GROUPED.fullmatch(result.out[:-1])
    assert f"check word {oracle.check_word(result.out[:-1])}" in result.err


def test_every_export_has_its_own_salt(keytool, backup_password):
    codes = [keytool.json("backup", "export", *backup_password)["code"] for _ in range(3)]
    assert len({oracle.code_bytes(code)[:8] for code in codes}) == 3


def test_on_a_terminal_four_lines_of_five_groups(terminal, keytool, backup_password):
    run = terminal("backup", "export", *backup_password, stderr=subprocess.DEVNULL)
    assert run.finish() == 0
    lines = [line.strip() for line in run.text.splitlines() if line.strip()]
    assert len(lines) == 4, run.text
    assert all(re.fullmatch(r"(?:[A-Z2-7]{4}-){4}[A-Z2-7]{4}-?", line) for line in lines)
    code = "-".join(line.strip("-") for line in lines)
    assert oracle.open_code(code, BACKUP_PASSWORD).id == "ABCD1234"


def test_exported_file(keytool, backup_password, tmp_path):
    target = tmp_path / "code.txt"
    result = keytool.ok("backup", "export", *backup_password, "-o", target, umask=0)
    assert stat.S_IMODE(target.lstat().st_mode) == 0o600
    code = target.read_text().strip()
    assert oracle.open_code(code, BACKUP_PASSWORD).id == "ABCD1234"
    assert code not in result.out + result.err
    keytool.ok("backup", "check", target, *backup_password)


def test_existing_file_is_kept_without_force(keytool, backup_password, write):
    target = write("code.txt", "precious", 0o644)
    keytool.fails(17, "backup", "export", *backup_password, "-o", target)
    assert target.read_text() == "precious"
    keytool.ok("backup", "export", *backup_password, "-o", target, "--force")
    assert GROUPED.fullmatch(target.read_text().strip())
    assert stat.S_IMODE(target.lstat().st_mode) == 0o600


def test_a_link_is_never_followed(keytool, backup_password, tmp_path, write):
    precious = write("precious", "precious")
    link = tmp_path / "link"
    link.symlink_to(precious)
    keytool.fails((17, 73), "backup", "export", *backup_password, "-o", link)
    keytool.fails(73, "backup", "export", *backup_password, "-o", link, "--force")
    assert link.is_symlink() and precious.read_text() == "precious"


def test_other_targets_that_are_no_files(keytool, backup_password, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "a directory").mkdir()
    for target in (fifo, tmp_path / "a directory"):
        keytool.fails(73, "backup", "export", *backup_password, "-o", target, "--force")
    keytool.fails(73, "backup", "export", *backup_password, "-o", tmp_path / "absent" / "code")
    assert sorted(tmp_path.glob("**/*code*")) == []


# Passwords


@pytest.mark.parametrize("password", [b"1234567", b"seven77", "äöüéèàç".encode()])
def test_under_eight_characters_is_refused(keytool, given, password):
    before = snapshot(keytool.keystore)
    for options in ([], ["--no-input"], ["--weak-ok"]):
        keytool.fails(64, "backup", "export", *given("backup-password", password), *options)
    assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("password", [b"aaaaaaaa", b"12345678", b"123456789012345", b"password"])
def test_weak_passwords_need_one_more_word(keytool, given, password):
    options = given("backup-password", password)
    keytool.fails(64, "backup", "export", *options, "--no-input")
    code = keytool.ok("backup", "export", *options, "--no-input", "--weak-ok").out.strip()
    assert oracle.open_code(code, password).id == "ABCD1234"


def test_sixteen_digits_are_not_weak(keytool, given):
    keytool.ok("backup", "export", *given("backup-password", b"4729105638201746"), "--no-input")


def test_password_of_eight_characters_counts_scalars(keytool, given):
    password = "äöüéèàçñ".encode()
    code = keytool.ok("backup", "export", *given("backup-password", password), "--no-input").out
    assert oracle.open_code(code.strip(), password).id == "ABCD1234"


def test_invalid_utf8_is_refused_on_creation_and_taken_as_bytes_on_opening(keytool, given):
    password = b"caf\xe9 latin1"
    keytool.fails(65, "backup", "export", *given("backup-password", password))
    code = oracle.seal_code(oracle.Identity("ZZZZ9999", bytes(range(32))), password)
    keytool.ok("backup", "check", "-", *given("backup-password", password), stdin=code)


def test_export_of_an_absent_identity(keytool, backup_password):
    keytool.fails(10, "backup", "export", "ZZZZ9999", *backup_password)


def test_export_changes_no_key(keytool, backup_password):
    key = "identities/threema/ABCD1234/identity"
    before = snapshot(keytool.keystore)[key]
    keytool.ok("backup", "export", *backup_password)
    assert snapshot(keytool.keystore)[key] == before


def test_what_was_there_stays_if_one_of_two_files_cannot_be_written(keytool, backup_password, tmp_path):
    """A picture is longer than a code, so that only it is refused."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    code, picture = tmp_path / "code", tmp_path / "code.svg"
    command = ["backup", "export", *backup_password, "--force", "-o", code, "--qr-file", picture]
    for former in ({}, {code: b"an earlier code", picture: b"an earlier picture"}):
        for path, content in former.items():
            path.write_bytes(content)
        assert keytool(*command, preexec_fn=limit).code in (14, 73, 74)
        assert {path: path.read_bytes() for path in tmp_path.glob("*code*")} == former
    keytool.ok(*command)
    assert oracle.open_code(code.read_text().strip(), BACKUP_PASSWORD) and picture.read_bytes().startswith(b"<")


@pytest.mark.parametrize("touched", ["code", "code.svg"])
def test_what_was_there_stays_if_one_of_two_files_was_changed(keytool, write, tmp_path, touched):
    """Somebody edits one of the files while the password is typed: neither is replaced."""
    code, picture = tmp_path / "code", tmp_path / "code.svg"
    for path in (code, picture):
        path.write_bytes(b"an earlier one")
    source = write("source", f"echo edited > {shlex.quote(str(tmp_path / touched))}; echo another-password-7\n", 0o700)
    refused = keytool.fails(17, "backup", "export", "--force", "-o", code, "--qr-file", picture,
                            "--backup-password-command", f"sh {shlex.quote(str(source))}")
    assert f"changed or removed {tmp_path / touched} meanwhile" in refused.err
    earlier = {path: path.read_bytes() for path in (code, picture)}
    assert earlier == {path: b"edited\n" if path.name == touched else b"an earlier one" for path in earlier}
    assert len(list(tmp_path.glob("*code*"))) == 2


def test_a_key_that_is_replaced_meanwhile(keytool, write, terminal, tmp_path, backup_password):
    """The page would have the public key of the former one."""
    page, code = tmp_path / "page.svg", tmp_path / "new"
    run = terminal("backup", "export", "-o", code, "--sheet", page, runner=keytool, columns=200)
    run.expect(r"for the new backup code[^\n]*: $")
    other = oracle.seal_code(oracle.Identity("ABCD1234", bytes(range(32))), BACKUP_PASSWORD)
    keytool.ok("backup", "import", "--replace", write("other", other), *backup_password)
    run.send(BACKUP_PASSWORD.decode())
    run.expect("again: $")
    run.send(BACKUP_PASSWORD.decode())
    assert run.finish() == 19 and "nothing was written" in run.text
    assert not page.exists() and not code.exists()
