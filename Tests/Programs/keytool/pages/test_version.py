"""`--version`: the number alone; with --verbose what the program was built from, and the libraries that it opens."""

import re
import subprocess

import pytest



def rows(text):
    first, *others = text.splitlines()
    assert re.fullmatch(r"keytool \d+\.\d+\.\d+", first)
    return {name: value for name, value in (line.split(maxsplit=1) for line in others)}


def installed(package):
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, text=True,
                          check=True, timeout=60).stdout


def test_the_number_alone(keytool):
    text = keytool.ok("--version").out
    assert rows(text) == {}
    assert keytool.json("--version") == {
        "schema": "keytool/1", "command": "version", "version": text.split()[1]}


def test_what_it_opens(keytool):
    shown = rows(keytool.ok("--version", "--verbose").out)
    assert shown["libcurl"].startswith("libcurl/") and "OpenSSL/" in shown["libcurl"]
    assert installed("libqrencode4").startswith(shown["libqrencode"])
    assert installed("libzip4").startswith(shown["libzip"])
    report = keytool.json("--version", "--verbose")
    assert report["built"] | report["opened"] == shown and list(report["opened"]) == ["libcurl", "libqrencode", "libzip"]


def test_what_is_missing(keytool, tmp_path):
    (tmp_path / "libqrencode.so.4").write_bytes(b"no library")
    lacking = keytool.with_environment(LD_LIBRARY_PATH=tmp_path)
    assert rows(lacking.ok("--version", "-v").out)["libqrencode"] == "not installed"
    assert lacking.json("--version", "-v")["opened"]["libqrencode"] is None


@pytest.mark.release
def test_what_a_release_was_built_from(keytool):
    """The libraries are those of this machine, which built it."""
    built = keytool.json("--version", "--verbose")["built"]
    # Of what is committed, or not all of it.
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|unknown", built.pop("commit"))
    assert re.fullmatch(r"[\d.]+", built.pop("swift"))
    assert {"libargon2-dev", "libsodium-dev", "libsqlite3-dev", "libssl-dev", "zlib1g-dev"} <= built.keys()
    assert built == {name: installed(name) for name in built}
