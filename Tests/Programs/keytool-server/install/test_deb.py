"""The Debian package of keytool-server: complete, clean, and quiet when it is installed."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest

from page import example
from server import BINARY, REPOSITORY

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
UNIT = "usr/lib/systemd/system/keytool-server.service"


def run(*command, cwd=REPOSITORY, umask=0o022, **environment):
    result = subprocess.run(
        list(map(str, command)), cwd=cwd, umask=umask, env={"PATH": PATH, "LC_ALL": "C.UTF-8"} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make_deb(directory, **environment):
    """Hardly compressed: that takes seconds, and what is tested is inside."""
    return run("Scripts/make-server-deb", BINARY, directory, DPKG_DEB_COMPRESSOR_LEVEL="0",
               SWIFT=os.environ.get("SWIFT", ""), **environment).strip()


def files(directory):
    """{path: mode} of all that is no directory."""
    return {str(path.relative_to(directory)): path.lstat().st_mode & 0o7777
            for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()}


@pytest.fixture(scope="module")
def deb(built, tmp_path_factory):
    return make_deb(tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="module")
def content(deb, tmp_path_factory):
    directory = tmp_path_factory.mktemp("content")
    run("dpkg-deb", "--extract", deb, directory)
    return directory


@pytest.fixture(scope="module")
def control(deb, tmp_path_factory):
    directory = tmp_path_factory.mktemp("control")
    run("dpkg-deb", "--control", deb, directory)
    return directory


def field(deb, name):
    return run("dpkg-deb", "--field", deb, name).strip()


def names(dependencies):
    """Of alternatives the last, which Debian 12 has."""
    return {each.split("|")[-1].split()[0] for each in dependencies.split(",")}


def test_it_holds_these_files(content):
    """None is below /etc, and none enables the unit."""
    doc = {f"usr/share/doc/keytool-server/{name}"
           for name in ("README.Debian", "changelog.gz", "changelog.Debian.gz", "copyright")}
    expected = doc | {
        UNIT, "usr/lib/sysusers.d/keytool-server.conf", "usr/share/man/man8/keytool-server.8.gz",
        "usr/share/bash-completion/completions/keytool-server", "usr/share/zsh/vendor-completions/_keytool-server",
        "usr/share/fish/vendor_completions.d/keytool-server.fish", "usr/share/lintian/overrides/keytool-server"}
    assert files(content) == dict.fromkeys(expected, 0o644) | {"usr/bin/keytool-server": 0o755}


def test_it_runs_nothing_when_it_is_installed(content, control):
    assert {path.name for path in control.iterdir()} == {"control", "md5sums"}
    sums = dict(reversed(line.split("  ")) for line in (control / "md5sums").read_text().splitlines())
    assert sums == {name: hashlib.md5((content / name).read_bytes()).hexdigest() for name in files(content)}


@pytest.mark.release
def test_it_is_clean(deb):
    assert shutil.which("lintian"), "lintian is missing: package lintian"
    assert run("lintian", "--allow-root", "--fail-on", "error,warning", deb) == ""


def test_it_has_the_programs_version(deb, content):
    version = run(content / "usr/bin/keytool-server", "--version").removeprefix("keytool-server ").strip()
    assert field(deb, "Version") == f"{version}-1" and field(deb, "Package") == "keytool-server"
    changelog = gzip.decompress((content / "usr/share/doc/keytool-server/changelog.Debian.gz").read_bytes())
    assert changelog.startswith(f"messenger-keytool ({version}-1) ".encode())


def test_its_files_name_each_other_as_they_are_called_here(content):
    assert "\nExecStart=/usr/bin/keytool-server serve " in (content / UNIT).read_text()
    page = gzip.decompress((content / "usr/share/man/man8/keytool-server.8.gz").read_bytes()).decode()
    assert "\n.Xr messenger-keytool 1" in page and not re.search(r"^\.Xr keytool 1", page, re.M)


def test_readme_says_what_the_manual_does(content):
    """The lines of both are the same."""
    text = (content / "usr/share/doc/keytool-server/README.Debian").read_text()
    lines = re.findall(r"^    (system.*)$", text, re.M)
    assert len(lines) == 4
    assert lines == [line[2:] for line in example("SYSTEMD").splitlines() if line.startswith("# ")][:4]


@pytest.mark.release
def test_it_depends_on_what_the_program_loads(deb):
    """The same that the bill of materials names; libcurl is opened for an object store only."""
    bill = json.loads(run(
        "Scripts/make-sbom", field(deb, "Version"), deb, "keytool-server", SOURCE_DATE_EPOCH="1",
        SWIFT=os.environ.get("SWIFT", ""), PATH=os.environ["PATH"]))
    called = {each["SPDXID"]: each["name"] for each in bill["packages"]}
    linked = {"STATIC_LINK": set(), "DYNAMIC_LINK": set()}
    for each in bill["relationships"][1:]:
        linked[each["relationshipType"]].add(called[each["relatedSpdxElement"]])
    assert names(field(deb, "Depends")) | {"libcurl4"} == linked["DYNAMIC_LINK"]
    assert names(field(deb, "Recommends")) == {"systemd", "libcurl4", "ca-certificates"}
    sources = run("dpkg-query", "-W", "-f", "${source:Package}\n", *(
        name for name in linked["STATIC_LINK"] if name.endswith("-dev"))).split()
    assert names(field(deb, "Static-Built-Using")) == set(sources)
    assert {"swift-nio-ssl", "hummingbird"} <= linked["STATIC_LINK"]


def test_the_program_draws_no_qr_codes():
    """The library for it is the other program's."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", BINARY))
    assert "libc.so.6" in needed and not [name for name in needed if "qrencode" in name], needed


def test_copyright_names_every_swift_package(content):
    """Those of the bill of materials, and the C code in them."""
    text = (content / "usr/share/doc/keytool-server/copyright").read_text()
    script = (REPOSITORY / "Scripts/make-sbom").read_text()
    packages = set(re.findall(r'"((?:swift-|hummingbird)[\w-]*)": ', script))
    assert len(packages) == 12 and {name for name in packages if not re.search(rf"\b{name}\b", text)} == set()
    assert all(name in text for name in ("BoringSSL", "llhttp", "fiat"))


def test_same_binary_gives_the_same_deb(deb, tmp_path):
    again = make_deb(tmp_path / "other", umask=0o077, TZ="Asia/Tokyo", TMPDIR=str(tmp_path))
    with open(deb, "rb") as one, open(again, "rb") as other:
        assert one.read() == other.read()


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root only")
def test_it_is_installed_and_removed(deb, tmp_path):
    """In a root of its own. Backups stay."""
    root = tmp_path / "root"
    for directory in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/keytool-server/backups"):
        (root / directory).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    (root / "var/lib/keytool-server/backups/x").touch()

    def dpkg(*arguments):
        # The root is empty, so what the package depends on is this machine's.
        run("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--log=/dev/null", *arguments)

    dpkg("--install", deb)
    assert run(root / "usr/bin/keytool-server", "--version").startswith("keytool-server ")
    assert not (root / "etc").exists() or files(root / "etc") == {}
    dpkg("--purge", "keytool-server")
    left = {name for name in files(root) if not name.startswith("var/lib/dpkg")}
    assert left == {"var/lib/keytool-server/backups/x"}
