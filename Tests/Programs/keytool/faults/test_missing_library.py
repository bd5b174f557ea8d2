"""Libraries that are opened at run time: a command that lacks one names the package before it asks for anything, and the
others work without it. The loader finds a file of that name which is no library."""

import pytest

from kit import databackup as d, oracle
from kit.runner import snapshot


@pytest.fixture
def lacking(owner, tmp_path):
    """lacking("libcurl.so.4"): keytool with the identity ABCD1234, where these libraries are missing."""

    def make(*names):
        place = tmp_path / "libraries"
        place.mkdir()
        for name in names:
            (place / name).write_bytes(b"no library")
        return owner.with_environment(LD_LIBRARY_PATH=place)

    return make


def refuses(keytool, package, *command, **options):
    """Without any secret: what asks for one ends with 64 here, because there is no terminal."""
    before = snapshot(keytool.keystore)
    refused = keytool.fails(69, *command, **options)
    assert f"apt-get install {package}" in refused.err and snapshot(keytool.keystore) == before, refused


@pytest.mark.parametrize("command", [
    ["backup", "export", "--qr"], ["backup", "export", "--sheet", "page.pdf"], ["backup", "export", "--qr-file", "a.png"],
    ["backup", "kit", "-o", "page.pdf"],
    ["qr", "contact"], ["qr", "show"]], ids=" ".join)
def test_without_libqrencode(lacking, command, tmp_path):
    command = [str(tmp_path / word) if "." in word else word for word in command]
    refuses(lacking("libqrencode.so.4"), "libqrencode4", *command, stdin=b"text")
    assert not [*tmp_path.glob("*.p*")]


def test_a_code_without_libqrencode(lacking, given):
    """The code itself needs no library."""
    lacking("libqrencode.so.4").ok("backup", "export", *given("backup-password", b"summer rain on 3 tin roofs"))


@pytest.mark.parametrize("command", [
    ["safe", "setup", "--create", "--server", "https://127.0.0.1:1"],
    ["safe", "pull", "--id", "ABCD1234", "--server", "https://127.0.0.1:1"],
    ["id", "create", "--directory", "https://127.0.0.1:1"], ["id", "fetch", "ECHOECHO", "--directory", "https://127.0.0.1:1"]],
    ids=" ".join)
def test_without_libcurl(lacking, command):
    refuses(lacking("libcurl.so.4"), "libcurl4", *command)


@pytest.mark.parametrize("command", [
    ["safe", "passwd"], ["safe", "delete"], ["safe", "check", "--with-password"]], ids=" ".join)
def test_a_place_that_is_set_up_without_libcurl(lacking, safe_password, command):
    keytool = lacking("libcurl.so.4")
    complete = keytool.with_environment(LD_LIBRARY_PATH=None)
    complete.ok("safe", "setup", "--no-test", "--server", "https://127.0.0.1:1", *safe_password)
    refuses(keytool, "libcurl4", *command)


def test_a_fingerprint_without_libqrencode(lacking, terminal):
    """The text needs no library: on a terminal, where a code is drawn, it says why there is none."""
    keytool = lacking("libqrencode.so.4")
    keytool.ok("textsecure", "init", "--number", "+491511234567")
    screen = terminal("textsecure", "fingerprint", runner=keytool)
    screen.expect("without a QR code: apt-get install libqrencode4")
    assert screen.finish() == 0
    assert "schema" in keytool.json("textsecure", "fingerprint", "--mode", "ascii")
    refuses(keytool, "libqrencode4", "textsecure", "fingerprint", "--mode", "ascii")


def test_a_directory_without_libcurl(lacking, directory, safe_password):
    keytool = lacking("libcurl.so.4")
    keytool.ok("safe", "setup", "--create", "--server", directory.url, *safe_password)
    keytool.ok("safe", "push")


def test_without_libzip(lacking, tmp_path):
    path = tmp_path / "backup.zip"
    path.write_bytes(d.write(d.Backup(oracle.Identity("ABCD1234", bytes(range(1, 33)))), "battery staple 9"))
    refuses(lacking("libzip.so.5", "libzip.so.4"), "libzip5, or libzip4", "backup", "import", path)
