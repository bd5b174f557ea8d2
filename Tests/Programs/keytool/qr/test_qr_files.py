"""QR codes in files: read by zbar, and written like every other result."""

import os
import stat
import struct
import zlib
from xml.etree import ElementTree

import pytest

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE, GROUPED
from kit.runner import snapshot
from kit.screens import pictures

NAMES = ["code.png", "code.svg", "CODE.PNG", "two.dots.Svg"]
QUIET = 4  # modules on each side
PIXELS = 8  # of a module


@pytest.fixture
def out(tmp_path):
    """An empty directory for results."""
    path = tmp_path / "out"
    path.mkdir()
    return path


@pytest.fixture
def contact(keytool):
    return keytool.json("id", "create", "--id", "ABCD1234")["contact"]


# What is in them


@pytest.mark.parametrize("name", NAMES)
def test_contact(contact, keytool, out, name):
    result = keytool.ok("qr", "contact", "--qr-file", out / name)
    assert str(out / name) in result.out and "█" not in result.out
    assert pictures.read(out / name) == contact


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize("payload", [CODE, "hello, world", "two\nlines", "x" * 1024, "Grüezi 🔑"])
def test_any_text(keytool, out, name, payload):
    keytool.ok("qr", "show", "--qr-file", out / name, stdin=payload + "\n")
    assert pictures.read(out / name) == payload


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize("scheme, length", [("pbkdf2", 99), ("argon2id", 129)])
def test_backup_code(contact, keytool, backup_password, out, name, scheme, length):
    result = keytool.ok("backup", "export", "--scheme", scheme, *backup_password,
                        "--qr-file", out / name)
    code = result.out.strip()  # nothing else stands on stdout
    assert len(code) == length and str(out / name) in result.err
    assert pictures.read(out / name) == code
    assert oracle.open_code(code, BACKUP_PASSWORD).id == "ABCD1234"


def test_beside_the_other_results(contact, keytool, backup_password, out):
    shown = keytool.json("backup", "export", *backup_password, "-o", out / "code",
                         "--qr-file", out / "code.png", "--sheet", out / "sheet.svg")
    assert [shown[name] for name in ("file", "qr_file", "sheet")] == [
        str(out / name) for name in ("code", "code.png", "sheet.svg")]
    assert "code" not in shown
    assert pictures.read(out / "code.png") == (out / "code").read_text().strip()


def test_json(contact, keytool, backup_password, out):
    shown = keytool.json("qr", "contact", "--qr-file", out / "contact.png")
    assert (shown["command"], shown["contact"], shown["file"]) == (
        "qr contact", contact, str(out / "contact.png"))
    assert pictures.opened(out / "contact.png").width == (shown["modules"] + 2 * QUIET) * PIXELS
    assert "rows" not in shown
    shown = keytool.json("backup", "export", *backup_password, "--qr-file", out / "code.svg")
    assert GROUPED.fullmatch(shown["code"]) and shown["qr_file"] == str(out / "code.svg")


def test_quiet(contact, keytool, out):
    result = keytool.ok("-q", "qr", "contact", "--qr-file", out / "contact.png")
    assert (result.out, result.err) == ("", "")


# The formats


def test_png_has_three_sound_chunks_and_whole_modules(keytool, code_file, out):
    path = out / "code.png"
    keytool.ok("qr", "show", "--qr-file", path, stdin=code_file.read_bytes())
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, rest = [], content[8:]
    while rest:
        length, kind = struct.unpack(">I4s", rest[:8])
        data, (checksum,) = rest[8:8 + length], struct.unpack(">I", rest[8 + length:12 + length])
        assert checksum == zlib.crc32(kind + data)
        chunks.append((kind, data))
        rest = rest[12 + length:]
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    side = (37 + 2 * QUIET) * PIXELS
    assert chunks[0][1] == struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    image = pictures.opened(path)
    assert (image.mode, image.size) == ("1", (side, side))
    for x in range(0, side, PIXELS):
        for y in range(0, side, PIXELS):
            module = image.crop((x, y, x + PIXELS, y + PIXELS)).getcolors()
            assert len(module) == 1, "a module is one colour"
            if min(x, y) < QUIET * PIXELS or max(x, y) >= side - QUIET * PIXELS:
                assert module[0][1] == 255, "and light in the quiet zone"


def test_svg_shows_the_same_as_png(keytool, code_file, out):
    for name in ("code.png", "code.svg"):
        keytool.ok("qr", "show", "--qr-file", out / name, stdin=code_file.read_bytes())
    svg = pictures.opened(out / "code.svg")
    # Whatever is behind it: it brings its own white.
    assert svg.convert("RGBA").getchannel("A").getextrema() == (255, 255)
    png = pictures.opened(out / "code.png").convert("L")
    assert svg.convert("L").tobytes() == png.tobytes()


def test_svg_is_one_path_and_needs_nothing_else(keytool, code_file, out):
    keytool.ok("qr", "show", "--qr-file", out / "code.svg", stdin=code_file.read_bytes())
    root = ElementTree.parse(out / "code.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [child.tag.split("}")[1] for child in root] == ["path", "path"]  # white, then the modules
    assert "href" not in (out / "code.svg").read_text()


# Like every other result


def commands(out, name, backup_password):
    return {
        "contact": ["qr", "contact", "--qr-file", out / name],
        "export": ["backup", "export", "--qr-file", out / name, *backup_password],
        "sheet": ["backup", "export", "--sheet", out / name, *backup_password],
    }


@pytest.fixture(params=["contact", "export", "sheet"])
def writing(request, contact, out, backup_password):
    """writing(name) -> the command that writes this file."""
    return lambda name: commands(out, name, backup_password)[request.param]


def test_readable_by_nobody_else(writing, keytool, out):
    keytool.ok(*writing("a.svg"), umask=0)
    assert stat.S_IMODE((out / "a.svg").lstat().st_mode) == 0o600
    assert os.listdir(out) == ["a.svg"]


def test_existing_file_is_kept_without_force(writing, keytool, out):
    (out / "a.svg").write_text("precious")
    refused = keytool.fails(17, *writing("a.svg"))
    assert "--force" in refused.err
    assert (out / "a.svg").read_text() == "precious"
    keytool.ok(*writing("a.svg"), "--force")
    assert (out / "a.svg").read_text().startswith("<?xml")
    assert stat.S_IMODE((out / "a.svg").lstat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["code", "code.jpg", "png", ".png.txt", "code.png ", "-", ""])
def test_other_endings(writing, keytool, out, name):
    command = writing(name)
    if name == "-" and "--sheet" in command:
        pytest.skip("is stdout")
    refused = keytool.fails(64, *command)
    assert ".svg" in refused.err
    assert ".png" in refused.err or "--sheet" in refused.err
    assert os.listdir(out) == []


def test_a_sheet_is_no_png(contact, keytool, out, backup_password):
    keytool.fails(64, *commands(out, "sheet.png", backup_password)["sheet"])


def test_a_code_in_the_place_of_a_name_is_not_repeated(contact, keytool, backup_password):
    for option in ("--qr-file", "--sheet"):
        refused = keytool.fails(64, "backup", "export", *backup_password, option, CODE)
        assert CODE not in refused.err


def test_targets_that_are_no_files(writing, keytool, out):
    os.mkfifo(out / "fifo.svg")
    (out / "directory.svg").mkdir()
    (out / "precious").write_text("precious")
    (out / "link.svg").symlink_to(out / "precious")
    before = snapshot(out)
    for name in ("fifo.svg", "directory.svg", "link.svg"):
        keytool.fails(73, *writing(name), "--force")
    keytool.fails(73, *writing("absent/a.svg"))
    assert snapshot(out) == before


def test_a_device(contact, keytool, out, backup_password):
    (out / "full.svg").symlink_to("/dev/full")
    for name in ("contact", "export", "sheet"):
        keytool.fails(73, *commands(out, "full.svg", backup_password)[name], "--force")


def test_two_results_in_one_file(contact, keytool, out, backup_password):
    (out / "here").symlink_to(out)
    for one, other in (("a.svg", "a.svg"), ("a.svg", "../out/a.svg"), ("here/a.svg", "a.svg")):
        keytool.fails(64, "backup", "export", *backup_password, "--force",
                      "--qr-file", out / one, "--sheet", out / other)
        keytool.fails(64, "backup", "export", *backup_password, "--force",
                      "-o", out / one, "--qr-file", out / other)
    assert os.listdir(out) == ["here"]


# Where something fails, nothing new is left


def too_small(limit):
    """A limit on the size of files, in bytes: from there on a disk is full."""
    import resource
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def test_full_disk_leaves_nothing(writing, keytool, out):
    keytool.fails(74, *writing("a.svg"), preexec_fn=too_small(100))
    assert os.listdir(out) == []


def test_the_last_file_that_fails_takes_the_others_back(contact, keytool, out, backup_password):
    """The text and the PNG fit the limit, the page does not."""
    keytool.fails(74, "backup", "export", *backup_password, "-o", out / "code",
                  "--qr-file", out / "code.png", "--sheet", out / "sheet.svg",
                  preexec_fn=too_small(2000))
    assert os.listdir(out) == []


def test_stdout_that_fails_takes_the_files_back(writing, keytool, out):
    with open("/dev/full", "w") as full:
        assert keytool(*writing("a.svg"), stdout=full).code == 74
    assert os.listdir(out) == []


def test_what_was_replaced_is_not_taken_away(contact, keytool, out, backup_password):
    (out / "code").write_text("old")
    keytool.fails(74, "backup", "export", *backup_password, "-o", out / "code", "--force",
                  "--sheet", out / "sheet.svg", preexec_fn=too_small(2000))
    assert os.listdir(out) == ["code"]


def test_nothing_is_asked_before_a_refusal(contact, terminal, out):
    (out / "a.png").write_text("precious")
    for option in (["--qr-file", out / "a.png"], ["--qr-file", out / "a.jpg"]):
        run = terminal("backup", "export", *option)
        assert run.finish() in (17, 64)
        assert "password" not in run.text


def test_payloads_that_are_refused_leave_no_file(keytool, out):
    for payload in (b"", b"a\0b", b"x" * 1025):
        keytool.fails(65, "qr", "show", "--qr-file", out / "a.png", stdin=payload)
    assert os.listdir(out) == []


# Where the terminal is too small, a file is offered


def test_terminal_too_small_offers_a_file(contact, keytool, terminal, code_file, backup_password):
    run = terminal("qr", "contact", columns=40, rows=20)
    assert run.finish() != 0 and " --qr-file " in run.text, run.text
    with open(code_file) as payload:
        run = terminal("qr", "show", "--mode", "blocks", stdin=payload)
    assert run.finish() != 0 and " --qr-file " in run.text, run.text
    for columns, rows in ((40, 50), (80, 20)):
        run = terminal("backup", "export", "--qr", *backup_password, columns=columns, rows=rows)
        run.finish()
        assert "--qr-file" in run.text, run.text


def test_a_terminal_that_is_too_small_does_not_matter_to_a_file(contact, terminal, out):
    run = terminal("qr", "contact", "--qr-file", out / "a.png", columns=20, rows=5)
    assert run.finish() == 0, run.text
    assert pictures.read(out / "a.png") == contact
