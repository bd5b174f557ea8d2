"""What `make install` copies, and the Debian package: complete, clean, quiet, and installable beside a
JDK's keytool."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess

import pytest

from kit.runner import BINARY, REPOSITORY

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# keytool-lab is not installed.
PAGES = sorted({path.name for path in (REPOSITORY / "man").glob("keytool*.[157]")} - {"keytool-lab.1"})
UNITS = {"lib/systemd/system/keytool-safe@.service", "lib/systemd/system/keytool-safe@.timer"}


def run(*command, cwd=REPOSITORY, umask=0o022, **environment):
    result = subprocess.run(
        list(map(str, command)), cwd=cwd, umask=umask, env={"PATH": PATH, "LC_ALL": "C.UTF-8"} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make(target, prefix, destination):
    run("make", "--silent", target, f"binary={BINARY}", f"PREFIX={prefix}", f"DESTDIR={destination}")


def make_deb(directory, **environment):
    """Hardly compressed: that takes seconds, and what is tested is inside."""
    return run("Scripts/make-deb", BINARY, directory, DPKG_DEB_COMPRESSOR_LEVEL="0", **environment).strip()


def files(directory):
    """{path: mode} of all that is no directory."""
    return {str(path.relative_to(directory)): path.lstat().st_mode & 0o7777
            for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()}


def manual(rename=lambda page: page):
    return {f"share/man/man{page[-1]}/{rename(page)}" for page in PAGES}


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


def names(dependencies):
    """Of alternatives the last, which Debian 12 has."""
    return {each.split("|")[-1].split()[0] for each in dependencies.split(",")}


def field(deb, name):
    return run("dpkg-deb", "--field", deb, name).strip()


def test_install_copies_everything(built, tmp_path):
    make("install", "/opt/it", tmp_path)
    assert "keytool.1" in PAGES
    assert files(tmp_path / "opt/it") == {"bin/keytool": 0o755} | dict.fromkeys(UNITS | manual() | {
        "share/bash-completion/completions/keytool", "share/zsh/site-functions/_keytool",
        "share/fish/vendor_completions.d/keytool.fish"}, 0o644)


@pytest.mark.parametrize("prefix, program", [
    ("/opt/it", "/opt/it/bin/keytool"), ("/opt/my tools", '"/opt/my tools/bin/keytool"'),
    ("/opt/anna's & 50%|\\it", '"/opt/anna\'s & 50%%|\\\\it/bin/keytool"')], ids=["plain", "blank", "signs"])
def test_directories_of_any_name(built, tmp_path, prefix, program):
    """The commands of make take them, and the unit names the program as systemd reads it."""
    destination = tmp_path / "it's here"
    other = tmp_path / "it's"
    make("install", prefix, destination)
    installed = destination / prefix[1:]
    assert (installed / "bin/keytool").exists() and not other.exists()
    unit = (installed / "lib/systemd/system/keytool-safe@.service").read_text()
    assert f"\nExecStart={program} safe push --all" in unit
    make("uninstall", prefix, destination)
    assert files(tmp_path) == {}


def test_uninstall_leaves_what_is_not_its_own(built, tmp_path):
    make("install", "/opt/it", tmp_path)
    (tmp_path / "opt/it/bin/other").touch()
    make("uninstall", "/opt/it", tmp_path)
    assert files(tmp_path).keys() == {"opt/it/bin/other"}


def test_deb_holds_these_files(content):
    """None is keytool or keytool.1, none is below /etc, and none enables a unit."""
    doc = {f"share/doc/messenger-keytool/{name}"
           for name in ("README.Debian", "changelog.gz", "changelog.Debian.gz", "copyright")}
    pages = manual(lambda page: page.replace("keytool.1", "messenger-keytool.1") + ".gz")
    expected = dict.fromkeys(UNITS | pages | doc | {
        "share/bash-completion/completions/messenger-keytool", "share/zsh/vendor-completions/_messenger-keytool",
        "share/fish/vendor_completions.d/messenger-keytool.fish", "share/lintian/overrides/messenger-keytool"}, 0o644)
    assert files(content) == {f"usr/{name}": mode for name, mode in expected.items()} | {
        "usr/bin/messenger-keytool": 0o755}


def test_deb_runs_nothing_when_it_is_installed(control):
    assert {path.name for path in control.iterdir()} == {"control", "md5sums"}


def test_sums_are_of_all_files(content, control):
    sums = dict(reversed(line.split("  ")) for line in (control / "md5sums").read_text().splitlines())
    assert sums == {name: hashlib.md5((content / name).read_bytes()).hexdigest() for name in files(content)}


@pytest.mark.release
def test_deb_is_clean(deb):
    if not shutil.which("lintian"):
        pytest.skip("lintian is missing: package lintian")
    assert run("lintian", "--allow-root", "--fail-on", "error,warning", deb) == ""


def test_deb_has_the_programs_version(deb, content):
    version = run(content / "usr/bin/messenger-keytool", "--version").removeprefix("keytool ").strip()
    assert field(deb, "Version") == f"{version}-1"
    changelog = gzip.decompress((content / "usr/share/doc/messenger-keytool/changelog.Debian.gz").read_bytes())
    assert changelog.startswith(f"messenger-keytool ({version}-1) ".encode())


@pytest.mark.release
def test_deb_depends_on_what_the_program_loads(deb):
    """The same that the bill of materials names; libcurl and libzip are loaded by few commands."""
    tarball = deb  # any file: the bill says its checksum
    bill = json.loads(run("Scripts/make-sbom", field(deb, "Version"), tarball, SOURCE_DATE_EPOCH="1",
                          SWIFT=os.environ.get("SWIFT", ""), PATH=os.environ["PATH"]))
    called = {each["SPDXID"]: each["name"] for each in bill["packages"]}
    linked = {"STATIC_LINK": set(), "DYNAMIC_LINK": set()}
    for each in bill["relationships"][1:]:
        linked[each["relationshipType"]].add(called[each["relatedSpdxElement"]])
    assert set(names(field(deb, "Depends"))) | {"libcurl4", "libzip4"} == linked["DYNAMIC_LINK"]
    assert names(field(deb, "Recommends")) == {"ca-certificates", "libcurl4", "libzip4"}
    sources = run("dpkg-query", "-W", "-f", "${source:Package}\n", *(
        name for name in linked["STATIC_LINK"] if name.endswith("-dev"))).split()
    assert names(field(deb, "Static-Built-Using")) == set(sources)


def test_unit_runs_the_program_under_its_name_here(content):
    unit = (content / "usr/lib/systemd/system/keytool-safe@.service").read_text()
    (start,) = re.findall(r"^ExecStart=(\S+)", unit, re.MULTILINE)
    assert start == "/usr/bin/messenger-keytool" and os.access(content / start[1:], os.X_OK)


def test_manual_leads_to_the_page_under_its_name_here(content):
    pages = {path.name: gzip.decompress(path.read_bytes()).decode() for path in content.rglob("man/*/*.gz")}
    assert not [name for name, text in pages.items() if re.search(r"^\.Xr keytool 1\b", text, re.MULTILINE)]
    assert [name for name, text in pages.items() if re.search(r"^\.Xr messenger-keytool 1\b", text, re.MULTILINE)]
    assert re.search(r"^\.Sh NAME\n\.Nm messenger-keytool\n", pages["messenger-keytool.1.gz"], re.MULTILINE)
    assert re.search(r"^\.Dt MESSENGER-KEYTOOL 1$", pages["messenger-keytool.1.gz"], re.MULTILINE)


def test_bash_completes_the_name_here(content):
    """And leaves the functions of Java's completions alone."""
    script = """
        _keytool() { echo "Java's"; }
        . "$0"
        set -- $(complete -p messenger-keytool)
        function=$(complete -p messenger-keytool | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=(messenger-keytool sa) COMP_CWORD=1 COMP_LINE='messenger-keytool sa' COMP_POINT=20
        $function messenger-keytool sa messenger-keytool
        echo "${COMPREPLY[@]}"
        _keytool
        complete -p keytool 2>&1"""
    source = content / "usr/share/bash-completion/completions/messenger-keytool"
    completed, java, none = run("bash", "--norc", "-c", script + " || true", source).splitlines()
    assert (completed.strip(), java) == ("safe", "Java's")
    assert "no completion" in none


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is missing: package fish")
def test_fish_completes_the_name_here(content, tmp_path):
    source = content / "usr/share/fish/vendor_completions.d/messenger-keytool.fish"
    program = content / "usr/bin"
    script = f"set -p PATH {program}; source {source}; complete -C 'messenger-keytool safe pu'"
    words = run("fish", "--no-config", "-c", script, HOME=str(tmp_path)).splitlines()
    assert [word.split("\t")[0] for word in words] == ["pull", "push"]


def test_zsh_completes_the_name_here(content):
    text = (content / "usr/share/zsh/vendor-completions/_messenger-keytool").read_text()
    assert text.startswith("#compdef messenger-keytool\n")
    assert not re.search(r"\b_keytool|compdef \S+ keytool$", text, re.MULTILINE)


def test_same_binary_gives_the_same_deb(deb, tmp_path):
    again = make_deb(tmp_path / "other", umask=0o077, TZ="Asia/Tokyo", TMPDIR=str(tmp_path), LC_ALL="C")
    with open(deb, "rb") as one, open(again, "rb") as other:
        assert one.read() == other.read()


@pytest.fixture
def machine(tmp_path):
    """A Debian root in a directory where a JDK has registered its keytool, and nothing else is installed."""
    root = tmp_path / "root"
    for directory in ("var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/alternatives", "etc/alternatives",
                   "usr/bin", "usr/share/man/man1", "usr/lib/jvm/bin", "usr/lib/jvm/man"):
        (root / directory).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    program = "#!/bin/sh\necho Java\n"
    for name, text in (("bin/keytool", program), ("bin/java", program), ("man/keytool.1.gz", "")):
        (root / "usr/lib/jvm" / name).write_text(text)
        (root / "usr/lib/jvm" / name).chmod(0o755)
    run("update-alternatives", "--quiet", "--altdir", root / "etc/alternatives",
        "--admindir", root / "var/lib/dpkg/alternatives", "--log", "/dev/null",
        "--install", root / "usr/bin/keytool", "keytool", root / "usr/lib/jvm/bin/keytool", "1711",
        "--slave", root / "usr/share/man/man1/keytool.1.gz", "keytool.1.gz", root / "usr/lib/jvm/man/keytool.1.gz")
    return root


def dpkg(root, *arguments):
    # The root is empty, so what the package depends on is this machine's.
    run("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--log=/dev/null", *arguments)


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root only")
def test_deb_lives_beside_a_jdk(deb, machine):
    before = files(machine)
    dpkg(machine, "--install", deb)
    assert run(machine / "usr/bin/keytool") == "Java\n"
    assert run(machine / "usr/bin/messenger-keytool", "--version").startswith("keytool ")
    assert not [path for path in machine.joinpath("etc").rglob("*") if "systemd" in path.parts]
    dpkg(machine, "--purge", "messenger-keytool")
    after = {name: mode for name, mode in files(machine).items() if not name.startswith("var/lib/dpkg")}
    assert after == {name: mode for name, mode in before.items() if not name.startswith("var/lib/dpkg")}


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs as root only")
def test_link_gives_the_program_its_short_name(deb, content, machine, home):
    """By the line of README.Debian, which doctor then is content with."""
    dpkg(machine, "--install", deb)
    text = (content / "usr/share/doc/messenger-keytool/README.Debian").read_text()
    (line,) = re.findall(r"^    (mkdir .* ln -s .*)$", text, re.MULTILINE)
    (machine / "usr/bin/java").symlink_to(machine / "usr/lib/jvm/bin/java")
    path = f"{home}/.local/bin:{machine}/usr/bin:{PATH}"
    assert result_on_name(machine, home, path) == "warning"
    run("sh", "-c", line.replace("/usr/bin/", f"{machine}/usr/bin/"), HOME=str(home))
    assert result_on_name(machine, home, path) == "ok"
    assert run("sh", "-c", "keytool --version", PATH=path).startswith("keytool ")


def result_on_name(machine, home, path):
    """What doctor says of `keytool` on PATH. What else it finds here is not asked."""
    result = subprocess.run(
        [machine / "usr/bin/messenger-keytool", "doctor", "--json"], env={"PATH": path, "HOME": str(home)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return next(each["result"] for each in json.loads(result.stdout)["checks"] if each["check"] == "name")
