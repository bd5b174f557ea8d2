"""backup import and check --qr-image: a picture of a code, read by zbarimg."""

import os
import re
import socket
import time

import pytest
from PIL import Image, ImageFilter

from kit import oracle
from kit.known import BACKUP_PASSWORD, CODE, CODE_IDENTITY, EMPTY_KEYSTORE
from kit.processes.systemcalls import SystemCalls
from kit.runner import snapshot
from kit.screens import pictures

OTHER_CODE = oracle.seal_code(CODE_IDENTITY, BACKUP_PASSWORD)
TIME_LIMIT = 20  # seconds that zbarimg may take


@pytest.fixture
def picture(keytool, tmp_path):
    """picture(text, name="code.png") -> the path of its QR code."""

    def picture(text, name="code.png"):
        path = tmp_path / name
        keytool.ok("qr", "show", "--qr-file", path, stdin=text)
        return path

    return picture


@pytest.fixture
def reader(keytool, tmp_path):
    """reader(script) -> keytool that finds this zbarimg, and nothing else, before the usual."""

    def reader(script, mode=0o755):
        directory = tmp_path / "programs"
        directory.mkdir()
        program = directory / "zbarimg"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(mode)
        return keytool.with_environment(PATH=f"{directory}:{keytool.environment['PATH']}")

    return reader


def beside(*paths):
    """One picture that shows several, in a row."""
    images = [pictures.opened(path).convert("L") for path in paths]
    row = Image.new("L", (sum(image.width for image in images), images[0].height + 200), 255)
    for number, image in enumerate(images):
        row.paste(image, (sum(before.width for before in images[:number]), 100))
    return row


# Pictures that show a code


def test_import(keytool, picture, code_password):
    shown = keytool.json("backup", "import", "--qr-image", picture(CODE), *code_password)
    assert (shown["id"], shown["public_key"]) == ("0ZAHXXHB", CODE_IDENTITY.public_key)
    assert (shown["check"], shown["stored"]) == (oracle.check_word(CODE), True)


def test_check(keytool, picture, code_password):
    path = picture(CODE)
    before = snapshot(keytool.keystore)
    result = keytool.ok("backup", "check", "--qr-image", path, *code_password)
    assert "0ZAHXXHB" in result.out and CODE not in result.out + result.err and result.err == ""
    assert snapshot(keytool.keystore) == before


@pytest.mark.parametrize("scheme", ["pbkdf2", "argon2id"])
def test_what_was_exported(keytool, other_keytool, backup_password, tmp_path, scheme):
    made = keytool.json("id", "create", "--id", "ABCD1234")
    keytool.ok("backup", "export", "--scheme", scheme, *backup_password,
               "--qr-file", tmp_path / "code.png")
    shown = other_keytool.json("backup", "import", "--qr-image", tmp_path / "code.png",
                               *backup_password)
    assert (shown["public_key"], shown["scheme"]) == (made["public_key"], scheme)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PPM"])
def test_formats(keytool, picture, code_password, tmp_path, form):
    photo = tmp_path / "a photo"  # the ending says nothing
    image = pictures.opened(picture(CODE)).convert("RGB").rotate(7, expand=True, fillcolor="white")
    image.filter(ImageFilter.GaussianBlur(1)).save(photo, form)
    keytool.ok("backup", "check", "--qr-image", photo, *code_password)


def test_a_photo_of_twelve_megapixels(keytool, picture, code_password, tmp_path):
    photo = Image.new("RGB", (4000, 3000), (200, 190, 180))
    photo.paste(pictures.opened(picture(CODE)).resize((1440, 1440)).convert("RGB"), (900, 700))
    photo.save(tmp_path / "photo.jpg")
    keytool.ok("backup", "check", "--qr-image", tmp_path / "photo.jpg", *code_password)


@pytest.mark.parametrize("text", [CODE.lower(), CODE.replace("-", ""), CODE.replace("-", " "),
                                  CODE[:50] + "\n" + CODE[50:], CODE[:50] + "\r\n" + CODE[50:]])
def test_other_spellings_of_the_code(keytool, picture, code_password, text):
    keytool.ok("backup", "check", "--qr-image", picture(text), *code_password)


@pytest.mark.parametrize("name", ["-", "--help", "-o.png", "a b'\"$(x).png", "msl:a.png", "a%d[0].png",
                                  "@a.png", "ä.png"])
def test_names_that_mean_something_elsewhere(keytool, picture, code_password, name):
    path = picture(CODE)
    path.rename(path.parent / name)
    keytool.ok("backup", "check", f"--qr-image={name}", *code_password, cwd=path.parent)


def test_secrets_may_still_come_from_stdin(keytool, picture):
    keytool.ok("backup", "check", "--qr-image", picture(CODE), "--backup-password-file", "-",
               stdin="testpassword\n")


# Several codes


def test_the_one_backup_code_among_others(keytool, picture, code_password, tmp_path):
    mixed = tmp_path / "mixed.png"
    beside(picture("https://example.net/", "a.png"), picture(CODE, "b.png"),
           picture("3mid:ABCD1234,00", "c.png")).save(mixed)
    keytool.ok("backup", "check", "--qr-image", mixed, *code_password)


def test_the_same_code_twice_is_one_code(keytool, picture, code_password, tmp_path):
    twice = tmp_path / "twice.png"
    beside(picture(CODE, "a.png"), picture(CODE.lower(), "b.png")).save(twice)
    keytool.ok("backup", "check", "--qr-image", twice, *code_password)


def test_two_backup_codes(keytool, picture, code_password, tmp_path):
    both = tmp_path / "both.png"
    beside(picture(CODE, "a.png"), picture(OTHER_CODE, "b.png")).save(both)
    refused = keytool.fails(65, "backup", "import", "--qr-image", both, *code_password)
    assert "2 backup codes" in refused.err and CODE not in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


# Pictures that do not


@pytest.mark.parametrize("text", ["https://example.net/", CODE[:-5], CODE + "-AAAA", "A" * 81,
                                  CODE.replace("-", "/")])
def test_other_codes(keytool, picture, code_password, text):
    refused = keytool.fails(65, "backup", "import", "--qr-image", picture(text), *code_password)
    assert "not a backup code" in refused.err and text not in refused.err
    assert "keytool: hint: " in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_a_picture_without_a_code(keytool, code_password, tmp_path):
    Image.new("L", (300, 300), 255).save(tmp_path / "blank.png")
    refused = keytool.fails(65, "backup", "import", "--qr-image", tmp_path / "blank.png",
                            *code_password)
    assert "no QR code" in refused.err and "keytool: hint: " in refused.err


def test_a_picture_that_is_too_large(keytool, code_password, tmp_path):
    Image.new("1", (12000, 8000), 1).save(tmp_path / "large.png")
    refused = keytool.fails(65, "backup", "check", "--qr-image", tmp_path / "large.png",
                            *code_password)
    assert "megapixels" in refused.err


def test_damaged_pictures(keytool, picture, code_password):
    path = picture(CODE)
    whole = path.read_bytes()
    for damaged in (whole[:40], whole[:-60], b"\x89PNG" + bytes(100), whole[:60] + b"?" + whole[61:]):
        path.write_bytes(damaged)
        keytool.fails(65, "backup", "check", "--qr-image", path, *code_password)


NO_PICTURES = {
    "is an SVG drawing, which keytool cannot read": [
        b"<?xml version='1.0'?><svg/>", b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- drawn -->\n<svg/>"],
    "is a ZIP file": [b"PK\x03\x04" + bytes(99)],
    "is not in a supported picture format": [b"", b"x", b"%PDF-1.5", b"%!PS-Adobe", b"push graphic-context\nviewbox 0 0 9 9\n", b"viewbox 0 0 9 9",
    b"P7\n", b"#!/bin/sh", CODE.encode(), b"<?xml version='1.0'?><html/>"]}


@pytest.mark.parametrize("content, said", [
    (content, said) for said, contents in NO_PICTURES.items() for content in contents], ids=repr)
def test_what_is_not_made_of_pixels_never_reaches_the_reader(keytool, reader, write,
                                                              code_password, tmp_path, content, said):
    touched = tmp_path / "touched"
    runner = reader(f"touch {touched}\necho {CODE}\n")
    refused = runner.fails(65, "backup", "check", "--qr-image", write("a.png", content),
                           *code_password)
    assert f"a.png {said}" in refused.err
    assert "ZIP" in said or "rsvg-convert" in refused.err
    assert not touched.exists()


def test_what_is_no_file(keytool, code_password, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "absent.png", tmp_path / "fifo", tmp_path, "/dev/zero"):
        keytool.fails(66, "backup", "import", "--qr-image", path, *code_password)
    keytool.fails(64, "backup", "import", "--qr-image", CODE, *code_password)


def test_not_beside_another_source(keytool, picture, code_file, code_password):
    image = picture(CODE)
    for source in (code_file, "-"):
        for verb in ("import", "check"):
            keytool.fails(64, "backup", verb, source, "--qr-image", image, *code_password,
                          stdin=CODE)


def test_no_password_is_asked_for_a_picture_without_a_code(terminal, picture):
    run = terminal("backup", "import", "--qr-image", picture("hello"))
    assert run.finish() == 65
    assert "assword for" not in run.text and "assword:" not in run.text


# The program


@pytest.mark.parametrize("path", ["", "/nonexistent", None, ".", ":"])
def test_missing_reader_names_the_package(keytool, picture, code_password, path):
    image = picture(CODE)
    (keytool.home / "zbarimg").write_text(f"#!/bin/sh\necho {CODE}\n")  # where it is started
    (keytool.home / "zbarimg").chmod(0o755)
    refused = keytool.with_environment(PATH=path).fails(
        69, "backup", "import", "--qr-image", image, *code_password)
    assert "zbarimg" in refused.err and "apt install zbar-tools" in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_reader_that_cannot_be_started(reader, picture, code_password):
    image = picture(CODE)
    runner = reader("exit 0\n")
    path = runner.environment["PATH"].split(":")[0]
    with open(f"{path}/zbarimg", "w") as program:
        program.write("#!/nonexistent/interpreter\n")
    runner.fails(69, "backup", "import", "--qr-image", image, *code_password)


@pytest.mark.parametrize("script, code, words", [
    ("exit 0", 65, "no QR code"),
    ("exit 4", 65, "no QR code"),
    (f"echo {CODE}; exit 1", 65, "cannot be read"),
    (f"echo {CODE}; exit 2", 69, "status 2"),
    (f"echo {CODE}; kill -SEGV $$", 69, "signal 11"),
    (f"echo {CODE} >&2; exit 4", 65, "no QR code"),
    ("exec >&-; exit 0", 65, "no QR code"),
    (r"printf '\377\376\000\n'", 65, "not a backup code"),
])
def test_reader_that_fails(reader, keytool, picture, code_password, script, code, words):
    image = picture(CODE)
    refused = reader(script).fails(code, "backup", "import", "--qr-image", image, *code_password)
    assert words in refused.err and CODE not in refused.err
    assert snapshot(keytool.keystore) == EMPTY_KEYSTORE


def test_reader_that_prints_a_gibibyte(reader, picture, code_password, tmp_path):
    """Its output is not read to the end."""
    image = picture(CODE)
    runner = reader(f"echo {CODE}\nhead -c 1073741824 /dev/zero && touch {tmp_path}/all\n")
    runner.fails(65, "backup", "check", "--qr-image", image, *code_password)
    assert not (tmp_path / "all").exists()


def test_reader_that_hangs_is_ended(reader, picture, code_password, tmp_path):
    """With its stdout open, and with it closed; both at once, as it takes its time."""
    image = picture(CODE)
    runner = reader(f"out=$(cat {tmp_path}/turn)\necho $$ > {tmp_path}/$out\n"
                    "[ $out = open ] || exec >&-\nexec sleep 600\n")
    command = ["backup", "check", "--qr-image", image, *code_password]
    begun, runs = time.monotonic(), []
    for out in ("open", "closed"):
        (tmp_path / "turn").write_text(out)
        runs.append((out, runner.start(*command)))
        while not (tmp_path / out).exists():
            time.sleep(0.01)
    for out, run in runs:
        result = runner.finish(run, command, timeout=TIME_LIMIT + 60)
        assert TIME_LIMIT - 1 < time.monotonic() - begun < TIME_LIMIT + 50
        assert result.code == 69 and "did not finish in time" in result.err, result
        assert not os.path.exists(f"/proc/{int((tmp_path / out).read_text())}")


def test_reader_gets_the_picture_and_no_descriptor_of_ours(reader, picture, tmp_path):
    image = picture(CODE)
    listing, arguments = tmp_path / "descriptors", tmp_path / "arguments"
    runner = reader(f"ls -l /proc/self/fd > {listing}\n"
                    f"printf '%s\\n' \"$@\" > {arguments}\necho {CODE}\n")
    secret = os.open("/etc/hostname", os.O_RDONLY)  # somebody else's, passed on to us
    password, into = os.pipe()
    os.write(into, b"testpassword\n")
    os.close(into)
    try:
        runner.ok("backup", "check", "--qr-image", image, "--backup-password-fd", str(password),
                  pass_fds=(secret, password))
    finally:
        os.close(secret)
        os.close(password)
    targets = dict(re.findall(r"(\d+) -> (.*)", listing.read_text()))
    assert targets["0"] == str(image) and targets["2"] == "/dev/null"
    # 3 is the directory that ls itself reads, 10 and more are the shell's own
    assert set(targets) <= {"0", "1", "2", "3"}, targets
    assert arguments.read_text().split() == [
        "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", "/dev/stdin"]


def test_the_environment_is_empty_but_for_the_path(reader, picture, code_password, tmp_path):
    """Many a library behind zbarimg is steered by variables."""
    image, seen = picture(CODE), tmp_path / "seen"
    runner = reader(f"/usr/bin/env -0 > {seen}\necho {CODE}\n").with_environment(
        SOME="thing", DBUS_SYSTEM_BUS_ADDRESS="unix:path=/somewhere", MAGICK_CONFIGURE_PATH=tmp_path,
        MAGICK_DISK_LIMIT="1GiB", XDG_CONFIG_HOME=tmp_path, LANG="de_DE.UTF-8", SSL_CERT_FILE="/etc/ssl/x")
    runner.ok("backup", "check", "--qr-image", image, *code_password)
    variables = dict(one.split("=", 1) for one in seen.read_text().split("\0") if one)
    for of_the_shell in ("PWD", "_", "SHLVL", "OLDPWD"):
        variables.pop(of_the_shell, None)
    assert variables == {"PATH": runner.environment["PATH"], "LANG": "C", "MAGICK_DISK_LIMIT": "0",
                         "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/dev/null"}


def test_the_picture_library_cannot_be_configured(keytool, picture, code_password, tmp_path):
    """ImageMagick would take its policy, and programs to run, from there."""
    image, home = picture(CODE), keytool.home / ".config/ImageMagick"
    configured = tmp_path / "configured"
    for directory in (configured, home):
        directory.mkdir(parents=True)
        (directory / "policy.xml").write_text(
            '<policymap><policy domain="coder" rights="none" pattern="*"/></policymap>')
    runner = keytool.with_environment(MAGICK_CONFIGURE_PATH=configured)
    runner.ok("backup", "check", "--qr-image", image, *code_password)


# The code goes nowhere else


def test_nothing_is_told_to_the_message_bus(keytool, picture, code_password, tmp_path):
    """zbarimg tries to announce what it read to everybody on the machine."""
    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        bus.listen()
        bus.settimeout(0.5)
        runner = keytool.with_environment(DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={tmp_path}/bus")
        runner.ok("backup", "check", "--qr-image", picture(CODE), *code_password)
        with pytest.raises(TimeoutError):
            bus.accept()


@pytest.mark.parametrize("width, code", [(2000, 0), (9000, 65)])
def test_no_temporary_files_and_no_code_in_arguments(keytool, picture, code_password, tmp_path,
                                                     width, code):
    """Where memory does not do, the picture is refused and not put on the disk."""
    large = tmp_path / "large.png"
    image = Image.new("L", (width, width), 255)
    image.paste(pictures.opened(picture(CODE)).convert("L").resize((1080, 1080)), (100, 100))
    image.save(large)
    calls = SystemCalls(keytool, tmp_path / "calls")
    assert calls("backup", "check", "--qr-image", large, *code_password).code == code
    assert "zbarimg" in calls.calls
    assert not re.search(r".*(?:O_CREAT|O_TMPFILE|system_bus).*", calls.calls)
    assert CODE[:14] not in calls.calls
