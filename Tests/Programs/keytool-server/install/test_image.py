"""The container image of keytool-server: read by umoci, started in a root of its own, as an engine would, and complete.

No engine runs here. Its part is played by `unshare` and `chroot`: the image's user, variables, entry point and signal,
with /dev, /proc, /sys and the files of names mounted."""

import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from objects import Objects
from server import BINARY, ID, REPOSITORY, curl, wait_for

pytestmark = pytest.mark.release

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
IS_ROOT = os.geteuid() == 0
STORE, UID = "var/lib/keytool-server", 8443
# As an engine does: what it mounts, then the image's user. Without root, that user is this one, in a namespace.
ENTER = """for each in dev proc sys; do mount --rbind /$each "$0/$each" || exit; done
    exec chroot $USERSPEC "$0" "$@" """
OBJECTS = "objects.example.net"
# What the program asks for and need not have: their defaults are compiled in.
OPTIONAL = {"/etc/host.conf", "/etc/ld.so.cache", "/etc/localtime", "/usr/lib/ssl/openssl.cnf"}


def run(*command, umask=0o022, **environment):
    result = subprocess.run(
        list(map(str, command)), cwd=REPOSITORY, umask=umask, env={"PATH": PATH, "LC_ALL": "C.UTF-8"} | environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make_image(directory, **environment):
    return Path(run("Scripts/make-image", BINARY, directory, **environment).strip())


@pytest.fixture(scope="module")
def image(built, tmp_path_factory):
    return make_image(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def layout(image, tmp_path_factory):
    directory = tmp_path_factory.mktemp("layout")
    with tarfile.open(image) as archive:
        archive.extractall(directory)
    return directory


def blob(layout, descriptor):
    content = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    assert len(content) == descriptor["size"]
    return content


@pytest.fixture(scope="module")
def manifest(layout):
    index = json.loads((layout / "index.json").read_bytes())
    [descriptor] = index["manifests"]
    return json.loads(blob(layout, descriptor))


@pytest.fixture(scope="module")
def configuration(layout, manifest):
    return json.loads(blob(layout, manifest["config"]))


@pytest.fixture(scope="module")
def name(layout):
    [descriptor] = json.loads((layout / "index.json").read_bytes())["manifests"]
    return descriptor["annotations"]["org.opencontainers.image.ref.name"]


@pytest.fixture
def root(layout, name, tmp_path):
    """The image's files, unpacked by another implementation, with what an engine mounts."""
    assert shutil.which("umoci"), "umoci is missing: Scripts/set-up test"
    bundle = tmp_path / "bundle"
    run("umoci", "unpack", *([] if IS_ROOT else ["--rootless"]), "--image", f"{layout}:{name}", bundle)
    root = bundle / "rootfs"
    for each in ("dev", "proc", "sys"):
        (root / each).mkdir()
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {OBJECTS}\n")
    (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\n")
    yield root
    if IS_ROOT:
        shutil.rmtree(bundle)


class Container:
    """The image's command, or another one, started in its files."""

    def __init__(self, root, configuration, *command, before=(), **variables):
        self.settings, self.root = configuration["config"], root
        user, group = self.settings["User"].split(":")
        namespace = [] if IS_ROOT else ["--user", f"--map-user={user}", f"--map-group={group}", "--keep-caps"]
        environment = dict(each.split("=", 1) for each in self.settings["Env"]) | {
            "USERSPEC": f"--userspec={user}:{group} --groups=" if IS_ROOT else ""}
        self.log = root.parent / "log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*before, "/usr/bin/unshare", "--mount", *namespace, "/bin/sh", "-c", ENTER, root,
                 *self.settings["Entrypoint"], *(command or self.settings["Cmd"])],
                env=environment | {"PATH": PATH} | variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    @property
    def words(self):
        return self.log.read_text()

    def listening(self):
        """The address that it prints."""
        wait_for(lambda: "listening on " in self.words or self.process.poll() is not None)
        found = re.search(r"^listening on (\S+)$", self.words, re.M)
        assert found, self.words
        return found[1]

    def stop(self):
        # No process is between: unshare, the shell and chroot become the program.
        self.process.send_signal(signal.Signals[self.settings["StopSignal"]])
        return self.process.wait(60)


@pytest.fixture
def start(root, configuration):
    containers = []

    def start(*command, **more):
        containers.append(Container(root, configuration, *command, **more))
        return containers[-1]

    yield start
    for each in containers:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


# The files


def test_the_layout_is_whole(layout, manifest, configuration, name):
    """Each blob has the name of its content, all are named, and Docker's file names the same ones."""
    assert json.loads((layout / "oci-layout").read_bytes()) == {"imageLayoutVersion": "1.0.0"}
    [descriptor] = json.loads((layout / "index.json").read_bytes())["manifests"]
    [layer] = manifest["layers"]
    blobs = {path.name: path.read_bytes() for path in (layout / "blobs/sha256").iterdir()}
    assert all(name == hashlib.sha256(content).hexdigest() for name, content in blobs.items())
    named = [each["digest"].removeprefix("sha256:") for each in (descriptor, manifest["config"], layer)]
    assert set(blobs) == set(named)
    unpacked = gzip.decompress(blob(layout, layer))
    assert configuration["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(unpacked).hexdigest()]
    assert json.loads((layout / "manifest.json").read_bytes()) == [
        {"Config": f"blobs/sha256/{named[1]}", "RepoTags": [name], "Layers": [f"blobs/sha256/{named[2]}"]}]


def test_same_binary_gives_the_same_image(image, tmp_path):
    again = make_image(tmp_path / "other", umask=0o077, TZ="Asia/Tokyo", TMPDIR=str(tmp_path), HOME="/nowhere")
    assert image.name == again.name and image.read_bytes() == again.read_bytes()


def test_owners_modes_and_times(layout, manifest):
    seconds = int(run("bash", "-c", ". Scripts/release-facts && echo $SOURCE_DATE_EPOCH"))
    [layer] = manifest["layers"]
    with tarfile.open(layout / "blobs" / layer["digest"].replace(":", "/")) as archive:
        members = archive.getmembers()
    assert [each.name for each in members] == sorted(each.name for each in members)
    own = {each.name for each in members if (each.uid, each.gid) != (0, 0)}
    assert own == {STORE}
    for each in members:
        assert each.mtime == seconds and not each.uname and not each.gname, each.name
        mode = 0o700 if each.name == STORE else 0o777 if each.issym() else each.mode
        assert each.mode == mode and (each.issym() or mode in (0o644, 0o755, 0o700)), each.name
        assert each.isdir() or each.isreg() or each.issym(), each.name


def test_what_the_configuration_says(configuration, root):
    version = run(BINARY, "--version").removeprefix("keytool-server ").strip()
    settings = configuration["config"]
    labels = settings.pop("Labels")
    assert settings == {
        "User": f"{UID}:{UID}", "Entrypoint": ["/usr/bin/keytool-server"], "Cmd": ["serve", "--no-input"],
        "Env": ["PATH=/usr/bin", f"KEYTOOL_SERVER_STORE=file:///{STORE}"], "ExposedPorts": {"8443/tcp": {}},
        "Volumes": {f"/{STORE}": {}}, "WorkingDir": f"/{STORE}", "StopSignal": "SIGTERM"}
    settings["Labels"] = labels
    assert labels["org.opencontainers.image.version"] == version
    assert f"keytool-server:x:{UID}:{UID}:" in (root / "etc/passwd").read_text()
    # umoci reads the same user from it.
    process = json.loads((root.parent / "config.json").read_text())["process"]
    assert (process["user"]["uid"], process["user"]["gid"]) == (UID, UID)


def test_all_authorities_are_found_by_their_names(root):
    """As libcurl looks for them: by the hash of the subject."""
    certificates = root / "etc/ssl/certs"
    names = [path for path in certificates.iterdir() if path.suffix == ".pem"]
    assert len(names) > 100
    said = run("openssl", "verify", "-no_check_time", "-no-CAfile", "-no-CAstore", "-partial_chain", "-CApath",
               certificates, *names)
    assert said.count(": OK") == len(names)
    links = [path for path in certificates.iterdir() if path.is_symlink()]
    assert len(links) == len(names) and all(not os.readlink(path).startswith("/") for path in links)


def test_each_package_has_its_version_and_licence(root):
    packages = {path.name for path in (root / "var/lib/dpkg/status.d").iterdir()}
    assert {"libc6", "libcurl4", "libssl3", "ca-certificates"} <= packages
    for name in packages:
        version = run("dpkg-query", "-W", "-f", "${Version}", name)
        assert f"\nVersion: {version}\n" in (root / f"var/lib/dpkg/status.d/{name}").read_text()
        assert (root / f"usr/share/doc/{name}/copyright").stat().st_size
    assert (root / "usr/share/doc/keytool-server/copyright").stat().st_size


# The program in them


def test_it_stores_a_backup_over_tls(start, root):
    """With the image's own command; what to choose is in the variables."""
    container = start(KEYTOOL_SERVER_TLS_SELF_SIGNED="localhost", KEYTOOL_SERVER_LISTEN="127.0.0.1:0")
    url = container.listening().replace("127.0.0.1", "localhost")
    authority = root / STORE / "tls/authority.pem"
    assert curl(f"{url}/backups/{ID}", "--cacert", authority, body=b"x" * 5000).status == 201
    assert curl(f"{url}/backups/{ID}", "--cacert", authority).body == b"x" * 5000
    assert curl(f"{url}/ready", "--cacert", authority).status == 200
    stored = (root / STORE / "backups" / ID).stat()
    assert (stored.st_uid, stat.S_IMODE(stored.st_mode)) == (UID if IS_ROOT else os.geteuid(), 0o600)
    assert container.stop() == 0, container.words


def test_it_asks_for_what_has_to_be_chosen(start):
    container = start()
    assert container.process.wait(60) == 64 and "TLS" in container.words, container.words


def test_the_commands_of_the_operator_run_beside_it(start, root, tmp_path):
    password = root / "etc/password"
    password.write_text("three tin roofs\n")
    password.chmod(0o644)
    assert start("account", "add", "alice", "--account-password-file", "/etc/password").process.wait(60) == 0
    assert (root / STORE / "accounts/alice").is_dir()


@pytest.fixture
def objects(certificates, tmp_path):
    """An object store under a name that only the file of hosts knows."""
    objects = Objects(tmp_path, certificates.authority.issue("objects", hosts=f"DNS:{OBJECTS}"))
    yield objects
    objects.stop()


def test_it_stores_a_backup_in_an_object_store_and_lacks_nothing(start, root, objects, certificates, tmp_path):
    """strace shows what is looked for and not found: no file that this machine has."""
    for name, source in (("s3-key", objects.key), ("s3-ca.pem", certificates.authority.path)):
        (root / "etc" / name).write_bytes(source.read_bytes())
        (root / "etc" / name).chmod(0o644)
    trace = tmp_path / "trace"
    container = start(
        "serve", "--no-input", "--listen", "127.0.0.1:0", "--s3-access-key", "test:key",
        "--s3-secret-key-file", "/etc/s3-key", "--s3-ca-file", "/etc/s3-ca.pem",
        before=["strace", "-D", "-f", "-e", "trace=%file", "-e", "signal=none", "-o", trace],
        KEYTOOL_SERVER_STORE=objects.store.replace("localhost", OBJECTS))
    url = container.listening()
    assert curl(f"{url}/backups/{ID}", body=b"one").status == 201
    assert curl(f"{url}/backups/{ID}").body == b"one"
    assert container.stop() == 0, container.words
    ended = rf"^{container.process.pid} +\+\+\+ exited"
    wait_for(lambda: re.search(ended, trace.read_text(errors="replace"), re.M))
    inside = trace.read_text(errors="replace").split("chroot(", 1)[1]
    program = inside[inside.index('execve("/usr/bin/keytool-server"'):]
    opened = set(re.findall(r'open(?:at)?\([^"]*"(/[^"]*)".*= \d+$', program, re.M))
    assert {"/etc/hosts", "/etc/nsswitch.conf"} <= opened and any(path.endswith("/libcurl.so.4") for path in opened)
    missed = set(re.findall(r'open(?:at)?\([^"]*"(/[^"]*)".*= -1 ENOENT', program))
    assert missed and {path for path in missed if os.path.exists(path)} - OPTIONAL == set()


# For those who have an engine


def test_the_compose_file_names_what_the_image_has(configuration, name):
    text = (REPOSITORY / "docs/compose.yaml").read_text()
    settings = configuration["config"]
    assert f"\n    image: {name}\n" in text
    [volume], [port] = settings["Volumes"], settings["ExposedPorts"]
    assert f":{volume}\n" in text and f':{port.removesuffix("/tcp")}"\n' in text
    options = set(re.findall(r"KEYTOOL_SERVER_\w+", text))
    page = (REPOSITORY / "man/keytool-server.8").read_text()
    assert options and all(f".Pq Ev {each}\n" in page for each in options)
