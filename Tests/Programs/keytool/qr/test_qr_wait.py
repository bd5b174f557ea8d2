"""QR codes on the terminal's second screen: read by zbar while they are there, gone afterwards."""

import re
import signal
import subprocess

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE
from kit.screens import pixels
from kit.screens.ownscreen import LEAVE, plain, screens

WIPE = r"Press Enter to clear the screen: $"
PAGE = r"Press Enter for the QR code: $"
GROUPED_LINE = re.compile(r"(?:[A-Z2-7]{4}-){4}[A-Z2-7]{4}-?")


@pytest.fixture
def identity(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")


@pytest.fixture
def waiting(terminal):
    def waiting(*arguments, shown=WIPE, **options):
        run = terminal(*arguments, "--qr-wait", **options)
        run.expect(shown)
        return run
    return waiting


def dismissed(run):
    """Presses Enter. Gives (the first screen's text, the second's texts)."""
    assert not run.echo
    run.send("")
    assert run.finish() == 0, run.text
    assert run.settings == run.untouched
    return screens(run.text)


def read(text, tmp_path, theme=pixels.ON_BLACK, columns=80):
    rows = pixels.rows_of(text.replace("\r", ""), columns)
    return pixels.read_qr(pixels.draw(rows, theme, columns), tmp_path / "screen.png").decode()


@pytest.mark.parametrize("theme", [pixels.ON_BLACK, pixels.ON_WHITE], ids=["black", "white"])
def test_qr_show(waiting, code_file, theme, tmp_path):
    with open(code_file) as payload:
        run = waiting("qr", "show", stdin=payload)
    first, (drawn,) = dismissed(run)
    assert read(drawn, tmp_path, theme) == CODE
    assert first == "" and drawn.count("\n") <= 24


def test_qr_show_with_stdout_elsewhere(waiting, code_file, tmp_path):
    with open(code_file) as payload:
        run = waiting("qr", "show", stdin=payload, stdout=subprocess.PIPE)
    _, (drawn,) = dismissed(run)
    assert read(drawn, tmp_path) == CODE and run.process.stdout.read() == b""


def test_qr_contact(waiting, identity, tmp_path):
    first, (drawn,) = dismissed(waiting("qr", "contact"))
    assert read(drawn, tmp_path) == identity["contact"]
    assert first == ""


@pytest.mark.parametrize("options", [["--qr"], []], ids=["with --qr", "alone"])
def test_export(waiting, identity, backup_password, options, tmp_path):
    first, (shown,) = dismissed(waiting("backup", "export", *options, *backup_password))
    groups = "".join(GROUPED_LINE.findall(plain(shown)))
    assert read(shown, tmp_path) == groups
    assert oracle.open_code(groups, BACKUP_PASSWORD).public_key == identity["public_key"]
    check = oracle.check_word(groups)
    assert f"check word {check}" in plain(shown) and f"check word {check}" in first
    assert not GROUPED_LINE.search(first) and "scrollback" not in first
    assert shown.count("\n") <= 24, "the first rows are gone from 80 x 24"


def test_export_argon2id(waiting, identity, backup_password, tmp_path):
    run = waiting("backup", "export", "--scheme", "argon2id", *backup_password)
    _, (shown,) = dismissed(run)
    code = read(shown, tmp_path)
    assert len(code) == 129 and code[-4:] in plain(shown)
    assert oracle.open_code(code, BACKUP_PASSWORD).id == "ABCD1234"


def test_export_without_room_beside(waiting, identity, backup_password, tmp_path):
    run = waiting("backup", "export", *backup_password, columns=60, shown=PAGE)
    run.send("")
    run.expect(WIPE)
    _, (code, drawn) = dismissed(run)
    assert read(drawn, tmp_path, columns=60) == "".join(GROUPED_LINE.findall(code))


def test_export_to_a_pipe(waiting, identity, backup_password, tmp_path):
    run = waiting("backup", "export", *backup_password, stdout=subprocess.PIPE)
    _, (shown,) = dismissed(run)
    assert run.process.stdout.read().decode() == read(shown, tmp_path) + "\n"


def test_export_to_a_file(waiting, identity, backup_password, tmp_path):
    file = tmp_path / "code"
    run = waiting("backup", "export", "-o", file, *backup_password)
    assert not file.exists(), "whoever ends it here has made nothing"
    _, (shown,) = dismissed(run)
    assert file.read_text().strip() == read(shown, tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(waiting, identity, backup_password, tmp_path, number):
    run = waiting("backup", "export", "-o", tmp_path / "code", *backup_password)
    run.process.send_signal(number)
    assert run.finish() == 128 + number
    assert run.text.endswith(LEAVE) and run.settings == run.untouched
    assert not (tmp_path / "code").exists() and not GROUPED_LINE.search(screens(run.text)[0])


def test_end_of_input_ends_it_too(waiting, identity):
    run = waiting("qr", "contact")
    run.press(b"\x04")
    assert run.finish() == 0 and run.text.endswith(LEAVE)


def test_too_small(terminal, identity, backup_password, tmp_path):
    """At the least correction 41 x 21, and the question's row: nobody could scroll to the rest."""
    for columns, rows in ((40, 24), (80, 21)):
        run = terminal("backup", "export", "--qr-wait", "-o", tmp_path / "code", *backup_password,
                       columns=columns, rows=rows)
        assert run.finish() == 1, run.text
        assert f"needs 41 columns and 22 rows; the terminal has {columns} and {rows}" in run.words
        assert "\x1b[?1049" not in run.text
        assert not (tmp_path / "code").exists()


@pytest.mark.parametrize("command", [["qr", "show"], ["qr", "contact"], ["backup", "export"]], ids=" ".join)
def test_where_there_is_no_such_screen(keytool, terminal, identity, command):
    assert "terminal" in keytool.fails(64, *command, "--qr-wait", stdin=b"x").err
    for options, environment in ([["--no-input"], {}], [["--json"], {}], [[], {"TERM": "dumb"}], [[], {"TERM": ""}]):
        run = terminal(*command, "--qr-wait", *options, stdin=subprocess.DEVNULL,
                       runner=keytool.with_environment(**environment))
        assert run.finish() == 64, run.text
        assert "\x1b" not in run.text and "assword" not in run.text
