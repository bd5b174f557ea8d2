"""QR codes in the terminal, read back by zbar from what a person would see."""

import re

import pytest

from kit.known import CODE
from kit.screens import pixels

DEFAULTS = {"black": pixels.ON_BLACK, "white": pixels.ON_WHITE}

# 37 modules (version 5) and a quiet zone of 4 on each side
MODULES = 45
SIZES = {"utf8": (80, 24), "blocks": (100, 50)}


@pytest.fixture(params=sorted(DEFAULTS))
def theme(request):
    return DEFAULTS[request.param]


def read(text, theme, columns, tmp_path):
    rows = pixels.rows_of(text, columns)
    return pixels.read_qr(pixels.draw(rows, theme, columns), tmp_path / "screen.png")


@pytest.mark.parametrize("mode", ["utf8", "blocks"])
def test_qr_show_is_read_as_exactly_the_code(keytool, terminal, code_file, theme, mode, tmp_path):
    columns, rows = SIZES[mode]
    with open(code_file) as payload:
        run = terminal("qr", "show", "--mode", mode, columns=columns, rows=rows, stdin=payload)
    assert run.finish() == 0, run.text
    payload = read(run.text, theme, columns, tmp_path)
    assert payload == CODE.encode()
    assert len(payload) == 99


@pytest.mark.parametrize("mode", ["utf8", "blocks"])
def test_backup_export_draws_its_code(keytool, terminal, backup_password, theme, mode, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    columns, rows = SIZES[mode]
    runner = keytool.with_environment(**{"utf8": {}, "blocks": {"TERM": "linux"}}[mode])
    run = terminal("backup", "export", "--qr", *backup_password, runner=runner,
                   columns=columns, rows=rows)
    assert run.finish() == 0, run.text
    payload = read(run.text, theme, columns, tmp_path).decode()
    groups = re.findall(r"^(?:[A-Z2-7]{4}-){4}[A-Z2-7]{4}-?$", run.text, re.M)
    assert "-".join(line.strip("-") for line in groups) == payload
    assert len(payload) == 99


@pytest.mark.parametrize("mode, width, height", [("utf8", MODULES, 23), ("blocks", 90, MODULES)])
def test_size_of_the_drawing(keytool, code_file, mode, width, height):
    rows = drawn(keytool, code_file.read_bytes(), "--mode", mode)
    assert len(rows) == height
    assert {len(row) for row in rows} == {width}


def test_every_line_sets_both_colours_and_puts_them_back(keytool, code_file):
    out = keytool.ok("qr", "show", "--mode", "utf8", stdin=code_file.read_bytes()).out
    for line in out.splitlines():
        for glyph, ink, paper in pixels.rows_of(line)[0]:
            assert ink is not None and paper is not None, repr(line)
    # nothing of it is left for the prompt that follows
    assert pixels.rows_of(out + "$")[-1] == [("$", None, None)]


def test_blocks_are_blanks_with_a_background(keytool, code_file):
    for row in drawn(keytool, code_file.read_bytes(), "--mode", "blocks"):
        assert {glyph for glyph, _, _ in row} == {" "}
        assert None not in {paper for _, _, paper in row}


@pytest.mark.parametrize("environment, glyphs", [
    ({"TERM": "xterm-256color"}, " ▀▄█"),
    ({"TERM": "linux"}, " "),
    ({"TERM": "xterm-256color", "LC_ALL": "C"}, " "),
    ({"TERM": "xterm-256color", "LC_ALL": None, "LANG": "de_CH.ISO-8859-1"}, " "),
], ids=["utf8", "linux console", "C locale", "latin1"])
def test_auto_mode(keytool, code_file, environment, glyphs):
    runner = keytool.with_environment(**environment)
    for options in (["--color", "always"], ["--mode", "auto", "--color", "always"]):
        rows = drawn(runner, code_file.read_bytes(), *options)
        assert {glyph for row in rows for glyph, _, _ in row} <= set(glyphs)
        # half blocks are the only way to draw 45 modules in 23 rows
        assert (len(rows) == 23) == (len(glyphs) > 1)


@pytest.mark.parametrize("environment, glyph", [({}, "\u2588"), ({"LC_ALL": "C"}, "##")], ids=["utf8", "C locale"])
def test_colours_go_nowhere_unasked(keytool, terminal, tmp_path, environment, glyph):
    """Into no pipe, and nowhere under --color never; a reader needs a light background then."""
    runner = keytool.with_environment(TERM="xterm-256color", **environment)
    contact = keytool.json("id", "create", "--id", "ABCD1234")["contact"]
    keytool.ok("textsecure", "init", "--number", "+41791234567")
    text = runner.ok("qr", "contact").out
    assert "\x1b" not in text and glyph in text
    if not environment:
        assert read(text, pixels.ON_WHITE, 80, tmp_path) == contact.encode()
    run = terminal("qr", "contact", "--color", "never", runner=runner, columns=200, rows=100)
    assert run.finish() == 0 and b"\x1b" not in run.captured and run.text == text
    shown = runner.ok("textsecure", "fingerprint").out
    assert "\x1b" not in shown and shown.startswith("fingerprint"), "no QR code in a pipe"
    run = terminal("textsecure", "fingerprint", "--color", "never", runner=runner, columns=200, rows=100)
    assert run.finish() == 0 and b"\x1b" not in run.captured and len(run.text.splitlines()) > 20
    run = terminal("textsecure", "fingerprint", runner=runner, columns=200, rows=100)
    assert run.finish() == 0 and b"\x1b[" in run.captured
    made = runner.ok("textsecure", "init", "--number", "+41791234568").out
    assert "\x1b" not in made and made.startswith("account"), made
    assert "\x1b" in runner.ok("qr", "contact", "--color", "always").out


@pytest.mark.parametrize("mode, payload", [
    ("utf8", b"hello, world"),
    ("blocks", b"hello, world"),
    ("utf8", b"two\nlines"),
    ("utf8", b"x" * 1024),
    ("blocks", b"HTTPS://EXAMPLE.NET/?q=1&x=%20"),
])
def test_other_payloads(keytool, tmp_path, mode, payload):
    text = keytool.ok("qr", "show", "--mode", mode, stdin=payload).out
    assert read(text, pixels.ON_BLACK, 400, tmp_path) == payload


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"], ids=["none", "LF", "CRLF"])
def test_one_final_line_ending_is_cut(keytool, tmp_path, ending):
    text = keytool.ok("qr", "show", "--mode", "utf8", stdin=b"payload" + ending).out
    assert read(text, pixels.ON_BLACK, 80, tmp_path) == b"payload"


def test_only_one_line_ending_is_cut(keytool, tmp_path):
    text = keytool.ok("qr", "show", "--mode", "utf8", stdin=b"payload\n\n").out
    assert read(text, pixels.ON_BLACK, 80, tmp_path) == b"payload\n"


def test_contact_text(keytool, tmp_path):
    contact = keytool.json("id", "create", "--id", "ABCD1234")["contact"]
    text = keytool.ok("qr", "show", "--mode", "utf8", stdin=contact).out
    assert read(text, pixels.ON_WHITE, 80, tmp_path) == contact.encode()


@pytest.mark.parametrize("payload", [b"", b"\n", b"a\0b", b"x" * 1025],
                         ids=["empty", "only a line ending", "NUL", "over 1 KiB"])
@pytest.mark.parametrize("mode", ["utf8", "blocks"])
def test_refused_payloads(keytool, payload, mode):
    keytool.fails(65, "qr", "show", "--mode", mode, stdin=payload)


def test_drawing_that_does_not_fit_says_what_it_needs(terminal, code_file):
    """90 columns and 45 rows on 80 by 24."""
    with open(code_file) as payload:
        run = terminal("qr", "show", "--mode", "blocks", stdin=payload)
    assert run.finish() != 0, run.text
    assert "needs 82 columns and 41 rows; the terminal has 80 and 24" in run.words, run.text
    assert "\x1b[4" not in run.text


def test_where_stdout_is_no_terminal_nothing_is_refused(keytool, code_file):
    small = keytool.with_environment(COLUMNS="20", LINES="10")
    assert len(drawn(small, code_file.read_bytes(), "--mode", "blocks")) == MODULES


def test_unknown_mode(keytool):
    keytool.fails(64, "qr", "show", "--mode", "holographic", stdin=b"payload")


def drawn(keytool, payload, *options):
    out = keytool.ok("qr", "show", *options, stdin=payload).out
    assert out.endswith("\n")
    return pixels.rows_of(out[:-1], columns=1000)
