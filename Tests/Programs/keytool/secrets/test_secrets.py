"""Where a secret may come from, in which order, and what a bad source ends in.

`backup check` of the published code is the lock that each source is tried on: 0 if the right
password arrived, 12 if another one did.
"""

import os

import pytest

from kit.known import CODE_PASSWORD, EMPTY_KEYSTORE
from kit.runner import snapshot

RIGHT, WRONG = CODE_PASSWORD.decode(), "nopedinope"


@pytest.fixture
def check(keytool, code_file):
    """check(*options, runner=..., expect=0)"""

    def check(*options, runner=keytool, expect=0, **rest):
        command = ["backup", "check", code_file, *options]
        if expect == 0:
            return runner.ok(*command, **rest)
        result = runner.fails(expect, *command, **rest)
        assert snapshot(keytool.keystore) == EMPTY_KEYSTORE
        return result

    return check


def pipe(content):
    """A descriptor that gives this content once."""
    reading, writing = os.pipe()
    os.write(writing, content.encode())
    os.close(writing)
    return reading


# Every source


def test_file(check, given):
    check(*given("backup-password", RIGHT))
    check(*given("backup-password", WRONG), expect=12)


def test_file_on_stdin(check):
    check("--backup-password-file", "-", stdin=RIGHT + "\n")
    check("--backup-password-file", "-", stdin=WRONG + "\n", expect=12)


def test_command(check):
    check("--backup-password-command", f"echo {RIGHT}")
    check("--backup-password-command", f"printf %s {RIGHT} | cat")
    check("--backup-password-command", f"echo {WRONG}", expect=12)


@pytest.mark.parametrize("password, expect", [(RIGHT, 0), (WRONG, 12)])
def test_descriptor(check, password, expect):
    descriptor = pipe(password + "\n")
    check("--backup-password-fd", descriptor, pass_fds=[descriptor], expect=expect)
    os.close(descriptor)


@pytest.fixture
def credentials(keytool, tmp_path):
    """credentials(content): a runner under systemd, so to speak."""
    directory = tmp_path / "credentials"
    directory.mkdir()

    def credentials(content, runner=keytool):
        (directory / "keytool.backup-password").write_text(content)
        return runner.with_environment(CREDENTIALS_DIRECTORY=directory)

    return credentials


def test_credential(check, credentials):
    check(runner=credentials(RIGHT))
    check(runner=credentials(RIGHT + "\n"))
    check(runner=credentials(WRONG), expect=12)


def test_environment(check, keytool, write):
    for password, expect in ((RIGHT, 0), (WRONG, 12)):
        descriptor = pipe(password)
        for kind, value in (("FILE", write("secret", password)),
                            ("COMMAND", f"echo {password}"), ("FD", descriptor)):
            runner = keytool.with_environment(**{f"KEYTOOL_BACKUP_PASSWORD_{kind}": value})
            check(runner=runner, expect=expect, pass_fds=[descriptor])
        os.close(descriptor)


def test_other_secrets_have_sources_of_their_own(keytool, directory, write):
    keytool.ok("id", "create")
    secret = write("secret", "correct-horse-4")
    setup = ["safe", "setup", "--create", "--server", directory.url]
    keytool.with_environment(KEYTOOL_BACKUP_PASSWORD_FILE=secret).fails(16, *setup)
    assert list(directory.path.iterdir()) == []
    keytool.with_environment(KEYTOOL_SAFE_PASSWORD_FILE=secret).ok(*setup)


# Order


def test_option_before_environment_before_credential(check, keytool, credentials, given, write):
    wrong = credentials(WRONG)
    check(runner=wrong.with_environment(KEYTOOL_BACKUP_PASSWORD_FILE=write("e", RIGHT)))
    wrong = wrong.with_environment(KEYTOOL_BACKUP_PASSWORD_FILE=write("e", WRONG))
    check(*given("backup-password", RIGHT), runner=wrong)
    check("--backup-password-command", f"echo {RIGHT}", runner=wrong)


def test_empty_variables_count_as_unset(check, credentials):
    empty = {f"KEYTOOL_BACKUP_PASSWORD_{kind}": "" for kind in ("FILE", "COMMAND", "FD")}
    check(runner=credentials(RIGHT).with_environment(**empty))


def test_a_source_that_fails_is_not_passed_over(check, credentials, tmp_path):
    """The next source may hold another password, for another backup."""
    check("--backup-password-file", tmp_path / "absent", runner=credentials(RIGHT), expect=66)
    check("--backup-password-command", "false", runner=credentials(RIGHT), expect=16)


# Conflicts


def test_two_options_for_one_secret(check, given):
    file = given("backup-password", RIGHT)
    check(*file, "--backup-password-command", f"echo {RIGHT}", expect=64)
    check(*file, "--backup-password-fd", "0", expect=64)
    check("--backup-password-fd", "0", "--backup-password-command", "true", expect=64)


def test_stdin_for_two_things(keytool):
    keytool.fails(64, "backup", "check", "-", "--backup-password-file", "-", stdin=RIGHT)


# Content


@pytest.mark.parametrize("content, expect", [
    (RIGHT, 0),
    (RIGHT + "\n", 0),
    (RIGHT + "\r\n", 0),
    (RIGHT + " ", 12),
    (" " + RIGHT + "\n", 12),
    ("\t" + RIGHT, 12),
    (RIGHT + "\n\n", 65),
    (RIGHT + "\r\n\r\n", 65),
    (RIGHT + "\nsecond", 65),
    ("\n" + RIGHT, 65),
    (RIGHT + "\0", 65),
    ("\0", 65),
    ("test\0password", 65),
    ("", 65),
    ("\n", 65),
    ("\r\n", 65),
    # Editors of Windows write it at the beginning of a file; nobody could type it on a phone.
    ("\ufeff" + RIGHT + "\r\n", 0),
    ("\ufeff\ufeff" + RIGHT, 12),
    (RIGHT + "\ufeff", 12),
    ("\ufeff\n", 65),
], ids=repr)
def test_content(check, keytool, given, credentials, content, expect):
    check(*given("backup-password", content), expect=expect)
    check("--backup-password-file", "-", stdin=content, expect=expect)
    check(runner=credentials(content), expect=expect)
    descriptor = pipe(content)
    check("--backup-password-fd", descriptor, pass_fds=[descriptor], expect=expect)
    os.close(descriptor)


def test_huge_secret(check, given):
    check(*given("backup-password", b"x" * (8 << 20)), expect=(12, 65))
    check("--backup-password-file", "/dev/zero", expect=65, timeout=60)


# Nothing, and too much


def test_no_source_at_all(check):
    for options in ([], ["--no-input"]):
        result = check(*options, expect=16)
        assert "backup password" in result.err
        assert "--backup-password-file" in result.err


def test_no_source_in_json(keytool, code_file):
    error = keytool.fails(16, "backup", "check", code_file, "--json").error
    assert error["name"] == "need_secret"


@pytest.mark.parametrize("mode, words", [
    (0o644, "can be read by others"), (0o640, "can be read by others"), (0o604, "can be read by others"),
    (0o620, "can be written by others"), (0o602, "can be written by others"),
    (0o666, "can be read and written by others"), (0o642, "can be read and written by others")])
def test_file_that_others_can_use_is_a_warning(check, given, mode, words):
    """Who can write it chooses the password of the next backup."""
    result = check(*given("backup-password", RIGHT, mode))
    assert result.err.count("warning") == 1 and words in result.err, result
    assert "backup-password" in result.err and f"0{mode:o}" in result.err
    assert "warning" in check(*given("backup-password", RIGHT, mode), "-q").err


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_file_of_somebody_else_is_a_warning(check, given):
    option = given("backup-password", RIGHT)
    os.chown(option[1], 65534, 65534)
    assert "belongs to nobody" in check(*option).err


def test_file_in_a_directory_where_all_may_write_is_a_warning(check, tmp_path):
    for mode, is_warned in ((0o777, True), (0o1777, False), (0o775, False), (0o700, False)):
        directory = tmp_path / f"{mode:o}"
        directory.mkdir()
        (directory / "password").write_text(RIGHT)
        (directory / "password").chmod(0o600)
        directory.chmod(mode)
        for options in ({}, {"cwd": directory}):
            path = "password" if options else directory / "password"
            result = check("--backup-password-file", path, **options)
            assert ("can be replaced by others" in result.err) == is_warned, result


def test_link_into_a_directory_where_all_may_write_is_a_warning(check, tmp_path):
    """Whoever may write there replaces the file, or a link on the way to it."""
    for name, mode in (("open", 0o777), ("own", 0o700), ("safe", 0o700)):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
        (tmp_path / name / "password").write_text(RIGHT)
        (tmp_path / name / "password").chmod(0o600)
    links = {
        "absolute": (tmp_path / "open/password", True),
        "relative": ("../open/password", True),
        "of a directory": ("directory/password", True),
        "twice": ("absolute", True),
        "over the open directory": ("../open/back", True),
        "to our own": ("../safe/password", False),
        "within our own": ("password", False),
    }
    (tmp_path / "own/directory").symlink_to("../open")
    (tmp_path / "open/back").symlink_to("../safe/password")
    for name, (target, is_warned) in links.items():
        link = tmp_path / "own" / name
        link.symlink_to(target)
        for options in ({}, {"cwd": link.parent}):
            result = check("--backup-password-file", name if options else link, **options)
            assert (result.err.count("can be replaced by others") == 1) == is_warned, (name, result)


def test_files_that_need_no_warning(check, given, credentials):
    assert "warning" not in check(*given("backup-password", RIGHT)).err
    assert "warning" not in check(runner=credentials(RIGHT)).err
    assert "warning" not in check("--backup-password-file", "/dev/stdin", stdin=RIGHT).err


def test_file_trouble(check, tmp_path):
    check("--backup-password-file", tmp_path / "absent", expect=66)
    check("--backup-password-file", tmp_path, expect=(66, 74))


@pytest.mark.parametrize("descriptor", ["77", "-1", "x", "", "1.0", "99999999999999999999"])
def test_descriptors_that_are_none(check, descriptor):
    check("--backup-password-fd", descriptor, expect=(64, 66))


@pytest.mark.parametrize("blank", [" ", "\t", "  \r"], ids=repr)
def test_a_blank_at_the_end_is_named_if_the_secret_is_wrong(check, keytool, given, tmp_path, blank):
    """It is part of the secret, and nobody sees it."""
    hint = "the backup password that was given ends with a blank"
    assert hint in check(*given("backup-password", RIGHT + blank + "\n"), expect=12).err
    assert hint in check(*given("backup-password", RIGHT + blank), "--json", expect=12).error["hint"]
    assert hint not in check(*given("backup-password", WRONG), expect=12).err
    keytool.ok("id", "create", "--id", "ABCD1234")
    password = given("backup-password", "Walnut-Ferry-4471" + blank)
    code = tmp_path / "exported"
    keytool.ok("backup", "export", "-o", code, *password)
    assert hint not in keytool.ok("backup", "check", code, *password).err


@pytest.mark.parametrize("source", [["-file", "-"], ["-file", "/dev/stdin"], ["-fd", "0"]], ids=" ".join)
def test_a_terminal_is_no_source(keytool, code_file, source):
    """It shows what is typed."""
    ours, theirs = os.openpty()
    try:
        process = keytool.start("backup", "check", code_file, f"--backup-password{source[0]}", source[1], stdin=theirs)
        failed = keytool.finish(process)
    finally:
        os.close(ours)
        os.close(theirs)
    assert failed.code == 64 and "is a terminal" in failed.err, failed
