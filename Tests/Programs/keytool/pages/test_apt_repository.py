"""The apt repository: real apt, in a root of its own, takes the package from a directory and over HTTP, and nothing
that was changed on the way or signed by another key."""

import functools
import gzip
import lzma
import os
import re
import shutil
import subprocess
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kit.damage import flipped
from kit.runner import BINARY, REPOSITORY

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LACKING = [f"{tool} is missing: package {package}" for tool, package in (
    ("apt-ftparchive", "apt-utils"), ("gpg", "gpg"), ("gpg-agent", "gpg-agent")) if not shutil.which(tool, path=PATH)]
pytestmark = pytest.mark.skipif(bool(LACKING), reason=", ".join(LACKING))
NAME = "messenger-keytool"
SIGNATURES = {"dists/stable/InRelease", "dists/stable/Release.gpg"}
KEYRING = "keytool-archive-keyring.pgp"
INDEX = "dists/stable/main/binary-amd64/Packages"


def result(*command, umask=0o022, **environment):
    return subprocess.run(
        list(map(str, command)), cwd="/", umask=umask, env={"PATH": PATH, "LC_ALL": "C.UTF-8"} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


def run(*command, **options):
    done = result(*command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


class Keys:
    """GnuPG with keys of its own, in a directory with a short name: its agent's socket is there."""

    def __init__(self, directory):
        self.environment = {"GNUPGHOME": directory, "HOME": "/nonexistent"}
        self.first, self.other = self.make("first"), self.make("other")

    def make(self, name):
        said = run("gpg", "--batch", "--status-fd", "1", "--passphrase", "", "--quick-generate-key", name, "ed25519",
                   "sign", "never", **self.environment)
        return re.search(r"KEY_CREATED P ([0-9A-F]{40})", said)[1]


@pytest.fixture(scope="module")
def keys():
    with tempfile.TemporaryDirectory(prefix="kg.") as directory:
        made = Keys(directory)
        yield made
        run("gpgconf", "--kill", "gpg-agent", **made.environment)


@pytest.fixture(scope="module")
def packages(built, tmp_path_factory):
    directory = tmp_path_factory.mktemp("packages")
    run(REPOSITORY / "Scripts/make-deb", BINARY, directory, DPKG_DEB_COMPRESSOR_LEVEL="0")
    add_up(directory)
    return directory


def add_up(directory):
    (directory / "SHA256SUMS").write_text(run(
        "sh", "-c", 'cd "$1" && sha256sum *.deb', "sh", directory))


def make(keys, packages, repository, key=None, **options):
    return result(REPOSITORY / "Scripts/make-apt-repository", packages, repository, key or keys.first,
                  **keys.environment | options)


@pytest.fixture(scope="module")
def made(keys, packages, tmp_path_factory):
    directory = tmp_path_factory.mktemp("made") / "apt"
    done = make(keys, packages, directory)
    assert (done.returncode, done.stdout) == (0, f"{directory}\n"), done.stderr
    return directory


@pytest.fixture
def repository(made, tmp_path):
    """A copy to change. Packages are not: they are links to one file."""
    return shutil.copytree(made, tmp_path / "apt", copy_function=os.link)


def change(path, function):
    """Changes a copy of the file, and not the others that share its content."""
    content = function(path.read_bytes())
    assert content != path.read_bytes()
    path.unlink()
    path.write_bytes(content)


class Machine:
    """apt with all its files below a directory, and the packages of this machine."""

    def __init__(self, root, address, repository):
        self.root = root
        for name in ("etc/apt/sources.list.d", "etc/apt/keyrings", "etc/apt/apt.conf.d", "etc/apt/preferences.d",
                     "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/lib/dpkg", "downloads"):
            (root / name).mkdir(parents=True)
        others = [each for each in Path("/var/lib/dpkg/status").read_text().split("\n\n")
                  if not each.startswith(f"Package: {NAME}\n")]
        (root / "var/lib/dpkg/status").write_text("\n\n".join(others))
        # Read before the machine's own settings, which then are not.
        (root / "apt.conf").write_text(f"""
            Dir "{root}";
            Dir::State::status "{root}/var/lib/dpkg/status";
            Dir::Bin::methods "/usr/lib/apt/methods";
            APT::Sandbox::User "{'root' if os.geteuid() == 0 else ''}";
            Acquire::Retries "0";""")
        keyring = root / "etc/apt/keyrings" / KEYRING
        shutil.copy(repository / KEYRING, keyring)
        sources = (repository / "keytool.sources").read_text()
        for field, value in (("URIs", address), ("Signed-By", keyring)):
            sources, count = re.subn(f"^{field}: .*$", f"{field}: {value}", sources, flags=re.M)
            assert count == 1
        (root / "etc/apt/sources.list.d/keytool.sources").write_text(sources)

    def get(self, *arguments):
        return subprocess.run(
            ["apt-get", "--quiet", *arguments], cwd=self.root / "downloads", stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300,
            env={"PATH": PATH, "LC_ALL": "C.UTF-8", "APT_CONFIG": str(self.root / "apt.conf")})

    def updates(self):
        done = self.get("update")
        assert done.returncode == 0 and not re.search("^[WE]:", done.stderr, re.M), done.stdout + done.stderr

    def refuses_to_update(self, reason):
        done = self.get("update")
        assert done.returncode != 0 and re.search(reason, done.stderr), done.stdout + done.stderr
        assert self.get("download", NAME).returncode != 0
        assert self.downloaded() == []

    def downloaded(self):
        places = self.root / "downloads", self.root / "var/cache/apt/archives"
        return [path for place in places for path in place.iterdir() if path.suffix == ".deb"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(params=["file", "http"])
def machine(request, repository, tmp_path):
    address = f"file:{repository}"
    if request.param == "http":
        server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=repository))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def stop():
            server.shutdown()
            thread.join()
            server.server_close()

        request.addfinalizer(stop)
        address = f"http://127.0.0.1:{server.server_port}"
    return Machine(tmp_path / "machine", address, repository)


def deb(directory):
    (found,) = directory.rglob("*.deb")
    return found


def test_apt_takes_the_package(machine, packages):
    machine.updates()
    done = machine.get("download", NAME)
    assert done.returncode == 0, done.stderr
    (downloaded,) = machine.downloaded()
    assert downloaded.read_bytes() == deb(packages).read_bytes()


def test_apt_would_install_the_package(machine):
    machine.updates()
    done = machine.get("install", "--yes", "--download-only", "--no-install-recommends", NAME)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"^The following NEW packages will be installed:\n  {NAME}\n", done.stdout, re.M)
    assert "Download complete and in download only mode" in done.stdout


def test_signature_beside_the_file_is_enough(machine, repository):
    (repository / "dists/stable/InRelease").unlink()
    machine.updates()


def test_changed_package_is_refused(machine, repository):
    machine.updates()
    change(deb(repository), flipped)
    for command in (["download", NAME], ["install", "--yes", "--download-only", "--no-install-recommends", NAME]):
        done = machine.get(*command)
        assert done.returncode == 100 and "Hash Sum mismatch" in done.stderr, done.stdout + done.stderr
    assert machine.downloaded() == []


def test_changed_index_is_refused(machine, repository):
    index = repository / INDEX
    changed = index.read_bytes().replace(b"Size: ", b"Size: 1", 1)
    change(index, lambda content: changed)
    change(index.with_suffix(".gz"), lambda content: gzip.compress(changed))
    change(index.with_suffix(".xz"), lambda content: lzma.compress(changed))
    machine.refuses_to_update("Hash Sum mismatch|File has unexpected size")


def release(repository, function):
    for name in ("Release", "InRelease"):
        change(repository / "dists/stable" / name, function)


def test_changed_release_is_refused(machine, repository):
    release(repository, lambda content: content.replace(b"Suite: stable", b"Suite: Stable"))
    machine.refuses_to_update("BADSIG")


def test_changed_release_with_its_signature_beside_it_is_refused(machine, repository):
    release(repository, lambda content: content.replace(b"Suite: stable", b"Suite: Stable"))
    (repository / "dists/stable/InRelease").unlink()
    machine.refuses_to_update("BADSIG")


def test_missing_signature_is_refused(machine, repository):
    for name in SIGNATURES:
        (repository / name).unlink()
    machine.refuses_to_update("is not signed")


def test_another_key_is_refused(machine, repository, keys, packages, tmp_path):
    other = tmp_path / "other"
    assert make(keys, packages, other, keys.other).returncode == 0
    for name in SIGNATURES:
        change(repository / name, lambda content: (other / name).read_bytes())
    machine.refuses_to_update(f"NO_PUBKEY {keys.other[-16:]}")


def test_key_of_somebody_else_on_this_machine_is_refused(machine, repository, keys, packages, tmp_path):
    """One that apt trusts for other repositories."""
    other = tmp_path / "other"
    assert make(keys, packages, other, keys.other).returncode == 0
    trusted = machine.root / "etc/apt/trusted.gpg.d"
    trusted.mkdir()
    shutil.copy(other / KEYRING, trusted / "other.gpg")
    for name in SIGNATURES:
        change(repository / name, lambda content: (other / name).read_bytes())
    machine.refuses_to_update(f"NO_PUBKEY {keys.other[-16:]}")


def test_what_is_in_it(made, packages):
    architecture = run("dpkg-deb", "--field", deb(packages), "Architecture").strip()
    index = f"dists/stable/main/binary-{architecture}/Packages"
    assert files(made).keys() == SIGNATURES | {
        "dists/stable/Release", index, f"{index}.gz", f"{index}.xz", f"pool/main/{deb(packages).name}", KEYRING,
        "keytool.sources"}
    assert {path.stat().st_mode & 0o777 for path in made.rglob("*") if path.is_file()} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in [made, *made.rglob("*")] if path.is_dir()} == {0o755}
    plain = (made / index).read_bytes()
    assert gzip.decompress((made / f"{index}.gz").read_bytes()) == plain
    assert lzma.decompress((made / f"{index}.xz").read_bytes()) == plain
    lines = (made / "dists/stable/Release").read_text().splitlines()
    assert {"Origin: keytool", "Suite: stable", "Components: main", f"Architectures: {architecture}"} <= set(lines)
    # With Valid-Until, apt would refuse a repository that nobody has signed again.
    assert not [line for line in lines if re.match("Valid-Until|MD5Sum|SHA1:", line)]
    assert f"\nArchitectures: {architecture}\n" in (made / "keytool.sources").read_text()


def test_only_the_public_key_is_in_it(made, keys):
    listed = run("gpg", "--batch", "--with-colons", "--show-keys", made / KEYRING, **keys.environment)
    assert re.findall("^(pub|sec|fpr):", listed, re.M) == ["pub", "fpr"] and keys.first in listed


def test_same_packages_give_the_same_bytes(made, keys, packages, tmp_path):
    """But for the signatures, which have the time."""
    again = tmp_path / "again"
    done = make(keys, packages, again, umask=0o077, TZ="Asia/Tokyo", TMPDIR=str(tmp_path), LC_ALL="C")
    assert done.returncode == 0, done.stderr
    one, other = files(made), files(again)
    assert one.keys() == other.keys()
    assert {name for name in one if one[name] != other[name]} <= SIGNATURES
    assert again.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("key", ["first", "12345678", "0" * 40, "first@example.org"])
def test_only_the_fingerprint_names_the_key(keys, packages, tmp_path, key):
    done = make(keys, packages, tmp_path / "apt", key)
    assert done.returncode == 1 and "make-apt-repository: " in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_what_cannot_be_signed(keys, packages, tmp_path):
    """The key is known, and its secret half is not here."""
    with tempfile.TemporaryDirectory(prefix="kg.") as directory:
        other = {"GNUPGHOME": directory}
        public = tmp_path / "public"
        run("gpg", "--batch", "--output", public, "--export", keys.first, **keys.environment)
        run("gpg", "--batch", "--import", public, **other)
        done = make(keys, packages, tmp_path / "apt", **other)
        run("gpgconf", "--kill", "gpg-agent", **other)
    assert done.returncode == 1 and "make-apt-repository: " in done.stderr
    assert list(tmp_path.iterdir()) == [public]


def test_no_packages(keys, tmp_path):
    (tmp_path / "empty").mkdir()
    done = make(keys, tmp_path / "empty", tmp_path / "apt")
    assert (done.returncode, (tmp_path / "apt").exists()) == (1, False) and "has no packages" in done.stderr


@pytest.fixture
def others(packages, tmp_path):
    """Packages to change."""
    return shutil.copytree(packages, tmp_path / "others")


def refused(keys, packages, reason, **variables):
    repository = packages.parent / "refused"
    done = make(keys, packages, repository, **variables)
    assert (done.returncode, repository.exists()) == (1, False) and reason in done.stderr, done


def test_packages_that_are_not_of_the_release(keys, others):
    shutil.copy(deb(others), others / "another_0.1.0-1_amd64.deb")
    refused(keys, others, "another_0.1.0-1_amd64.deb is not in SHA256SUMS")
    (others / "another_0.1.0-1_amd64.deb").unlink()
    change(deb(others), flipped)
    refused(keys, others, "SHA256SUMS is not of these files")
    (others / "SHA256SUMS").unlink()
    refused(keys, others, "`make release` makes it")


@pytest.mark.skipif(not shutil.which("ssh-keygen", path=PATH), reason="ssh-keygen is missing: package openssh-client")
def test_release_has_to_be_signed_if_there_is_a_key(keys, others, tmp_path):
    for name in ("key", "other"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name)
    signers = tmp_path / "allowed_signers"
    signers.write_text(f'keytool-release namespaces="keytool-release" {(tmp_path / "key.pub").read_text()}')
    refused(keys, others, "SHA256SUMS is not signed", ALLOWED_SIGNERS=str(signers))
    run(REPOSITORY / "Scripts/sign-release", others, tmp_path / "other")
    refused(keys, others, "not of a key in allowed_signers", ALLOWED_SIGNERS=str(signers))
    run(REPOSITORY / "Scripts/sign-release", others, tmp_path / "key")
    refused(keys, others, "not of a key in allowed_signers", ALLOWED_SIGNERS=str(tmp_path / "missing"))
    done = make(keys, others, tmp_path / "apt", ALLOWED_SIGNERS=str(signers))
    assert done.returncode == 0, done.stderr


def test_existing_directory_is_left_alone(keys, packages, tmp_path):
    (tmp_path / "apt").mkdir()
    (tmp_path / "apt/mine").touch()
    done = make(keys, packages, tmp_path / "apt")
    assert done.returncode == 1 and "exists" in done.stderr
    assert list(files(tmp_path)) == ["apt/mine"]


def test_pages_name_its_files(made):
    """README's lines put the files where they name each other; the address is written once, and copied."""
    sources = (made / "keytool.sources").read_text()
    address, signer = (re.search(f"^{name}: (.*)$", sources, re.M)[1] for name in ("URIs", "Signed-By"))
    readme = (REPOSITORY / "README.md").read_text()
    lines = re.findall(r"^sudo curl -fo (\S+) (\S+)$", readme, re.M)
    assert lines == [(signer, f"{address}/{KEYRING}"),
                     ("/etc/apt/sources.list.d/keytool.sources", f"{address}/keytool.sources")]
    assert f"\nsudo apt-get update && sudo apt-get install {NAME}\n" in readme
    assert f"\ngpg --show-keys {signer}\n" in (REPOSITORY / "docs/release.md").read_text()


def test_usage(keys, packages):
    assert result(REPOSITORY / "Scripts/make-apt-repository", packages).returncode == 64
