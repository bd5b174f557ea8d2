"""keytool-server(8) holds what the program holds: options, variables, codes, metrics and files, and nothing else."""

import re
import shutil
import subprocess

import pytest

from kit.pages import manual
from page import PAGE, command_help, title
from server import ID, REPOSITORY, curl, run

SOURCES = [path.read_text() for path in (REPOSITORY / "Sources/Programs/keytool-server").rglob("*.swift")]
EXTERNAL = {("certbot", "1"), ("restic", "1"), ("systemd.exec", "5")}


@pytest.fixture(scope="module")
def help(built):
    return command_help()


def mandoc(*arguments):
    assert shutil.which("mandoc"), "mandoc is missing: package mandoc"
    return subprocess.run(
        ["mandoc", *arguments, PAGE.path.name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, cwd=manual.DIRECTORY, text=True).stdout


def test_form():
    found = mandoc("-T", "lint", "-W", "style").splitlines()
    assert [line for line in found if "referenced manual not found" not in line] == []
    shown = re.sub(".\b", "", mandoc("-T", "utf8"))
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_references():
    pages = {(page.name, page.section) for page in manual.pages()}
    assert PAGE.references <= pages | EXTERNAL and ("keytool", "1") in PAGE.references


# Options


def section(command):
    under = "DESCRIPTION" if command.path == ("help",) else "COMMANDS"
    return PAGE.sections[f"{under}/{title(command)}"]


def test_every_command_has_a_section(help):
    found = [name.partition("/")[2] for name in PAGE.sections if "/keytool-server " in name]
    assert sorted(found) == sorted(title(command) for command in help.commands.values())
    assert ("serve",) in help.commands, "this binary has no serve: make server"


def test_options_and_operands(help):
    """Each one under its command, with its argument or its values, and no other."""
    for command in help.commands.values():
        expected = [option for each in {id(a): a for a in command.options.values()}.values()
                    for option in manual.described(each)]
        assert sorted(section(command).options) == sorted(expected), command.title
        assert section(command).operands == [a["valueName"] for a in command.operands], command.title


def test_global_options(help):
    found = PAGE.sections["DESCRIPTION/Global options"].options
    expected = {option for each in help.globals.values() for option in manual.described(each)}
    library = {manual.Option("--version", None), manual.Option("--help", None), manual.Option("-h", None)}
    assert set(found) == expected | library and len(found) == len(set(found))


def test_synopsis(help):
    text = "\n".join(PAGE.sections["SYNOPSIS"].lines)
    found = [part.splitlines() for part in re.split(r"^\.Nm ", text, flags=re.M)[1:]]
    assert found == [
        [title(command), ".Op Ar options", *(f".{'Op ' if a['isOptional'] else ''}Ar {a['valueName']}"
                                               for a in command.operands)]
        for command in help.commands.values() if command.path != ("help",)]


def test_options_in_running_text(help):
    for part in PAGE.sections.values():
        command = tuple(part.title.partition("/keytool-server ")[2].split())
        for name, said_of in part.flags:
            own = help.commands.get(said_of or command)
            assert name in help.globals or name in {"--version", "--help", "-h"} or own and name in own.options, (
                part.title, name)
        assert set(part.commands) <= set(help.commands), part.title


def bodies(command):
    return {option.name: item.body for item in section(command).items
            for option in manual.options(manual.words(item.head))}


def test_defaults(help):
    """Those that the help names stand in the page, and no others."""
    for command in help.commands.values():
        for name, body in bodies(command).items():
            said = re.search(r"default: ([^)]+)\)", command.options[name].get("abstract", ""))
            shown = re.search(r"^The default is(?:\n\.Cm| )(.+?) ?\.$", body, re.M)
            said = said and re.sub("^no limit$", "", said[1])
            assert (shown[1].strip() if shown else "") == (said or ""), (command.title, name)


def test_variables(help):
    """The program believes what the page says of each option: a value that is wrong is named by its variable."""
    named = {(command.path, name): re.findall(r"^\.Pq Ev (KEYTOOL_SERVER_\w+)$", body, re.M)
             for command in help.commands.values() for name, body in bodies(command).items()}
    for (path, name), variables in named.items():
        expected = ["KEYTOOL_SERVER_" + name[2:].upper().replace("-", "_")]
        if path != ("serve",) and name not in ("--store", "--accounts", "--keep-previous"):
            expected = []
        assert variables == expected, (path, name)
    texts = {"--store", "--accounts", "--tls-self-signed", "--tls-certificate", "--tls-key", "--s3-access-key",
             "--s3-secret-key-file", "--s3-secret-key-command", "--s3-secret-key-fd", "--s3-ca-file", "--s3-region"}
    for name in bodies(help.commands[("serve",)]).keys() - texts:
        variable = "KEYTOOL_SERVER_" + name[2:].upper().replace("-", "_")
        given = {"KEYTOOL_SERVER_STORE": "file:///nonexistent/store", "KEYTOOL_SERVER_LISTEN": "127.0.0.1:0"}
        if name in ("--max-backup-bytes", "--retention-days"):
            given["KEYTOOL_SERVER_STORE"] = "memory:"
        if name == "--proxy-header":
            given["KEYTOOL_SERVER_BEHIND_PROXY"] = "unix"
        result = run("serve", **given | {variable: "?"})
        assert result.returncode == 64 and f"{variable}=?" in result.stderr, result.stderr


def test_variables_that_are_texts(certificates, serve, tmp_path):
    good = certificates.good
    server = serve(KEYTOOL_SERVER_TLS_CERTIFICATE=str(good.path), KEYTOOL_SERVER_TLS_KEY=str(good.key))
    assert server.url.startswith("https:") and "ca_file" not in server.said
    assert serve(name="other", KEYTOOL_SERVER_TLS_SELF_SIGNED="localhost").said["ca_file"].endswith("authority.pem")


def test_variables_of_an_object_store(tmp_path):
    """Each one is read: without it, or with a wrong one, another step fails."""
    key, good = tmp_path / "key", {"KEYTOOL_SERVER_STORE": "s3://localhost:1/safe", "KEYTOOL_SERVER_LISTEN": "127.0.0.1:0"}
    key.write_text("secret\n")
    key.chmod(0o600)

    def words(**more):
        result = run("serve", "--no-input", **good, **{f"KEYTOOL_SERVER_S3_{name}": value for name, value in more.items()})
        assert result.returncode != 0
        return result.stderr

    assert "--s3-access-key" in words()
    assert "secret key of the S3 server is missing" in words(ACCESS_KEY="name")
    assert "/nonexistent" in words(ACCESS_KEY="name", SECRET_KEY_FILE="/nonexistent")
    assert "secret key of the S3 server" in words(ACCESS_KEY="name", SECRET_KEY_COMMAND="exit 3")
    assert "file descriptor 99" in words(ACCESS_KEY="name", SECRET_KEY_FD="99")
    assert "/nowhere" in words(ACCESS_KEY="name", SECRET_KEY_FILE=str(key), CA_FILE="/nowhere")
    assert "cannot be reached" in words(ACCESS_KEY="name", SECRET_KEY_FILE=str(key))
    good["KEYTOOL_SERVER_ACCOUNTS"] = "/nowhere/accounts"
    assert "/nowhere" in words(ACCESS_KEY="name", SECRET_KEY_FILE=str(key))


# Codes


def test_exit_codes():
    text = (REPOSITORY / "Sources/Programs/Console/Failure/ExitCodes.swift").read_text()
    codes = {name: (number, word) for name, number, word in re.findall(
        r'static let `?(\w+)`? = Self\((\d+), "(\w+)"\)', text + "\n".join(SOURCES))}
    listed = re.findall(r"^\.It (\d+) (\w+)$", "\n".join(PAGE.sections["EXIT STATUS"].lines), re.M)
    used = {codes[name] for name in re.findall(r"Failure\(\s*\.(\w+),", "\n".join(SOURCES))}
    assert len(listed) == len(set(listed)) and used and used <= set(listed)
    assert set(listed) <= {("0", "ok"), *codes.values()}


# Metrics


def test_metrics(serve):
    server = serve("--metrics-listen", "127.0.0.1:0", "--tls-self-signed", "localhost", "--metrics-accounts")
    curl(f"https://localhost:{server.port}/config", "--cacert", server.said["ca_file"])
    password = server.directory.parent / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)
    added = run("account", "add", "alice", "--account-password-file", password,
                KEYTOOL_SERVER_STORE=f"file://{server.directory}")
    assert added.returncode == 0, added.stderr
    text = curl(f"http://{server.said['metrics']}/metrics").body.decode()
    names = re.findall(r"^# TYPE keytool_server_(\w+) ", text, re.M)
    listed = [item.head for item in PAGE.sections["MONITORING"].items]
    assert [f"Cm {name}" for name in names] == listed


# Files


def test_files(serve, tmp_path):
    """Those of a server with TLS that has been used with accounts and without, with their modes."""
    server = serve("--tls-self-signed", "localhost")
    ask = ["--cacert", server.said["ca_file"], "--resolve", f"localhost:{server.port}:127.0.0.1"]
    place, password = f"https://localhost:{server.port}", tmp_path / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)

    def put_twice(url, *more):
        for body in (b"first", b"second"):
            assert curl(f"{url}/backups/{ID}", *ask, *more, body=body).status in (200, 201, 204)

    put_twice(place)
    added = run("account", "add", "alice", "--account-password-file", password,
                KEYTOOL_SERVER_STORE=f"file://{server.directory}")
    assert added.returncode == 0, added.stderr
    put_twice(f"{place}/alice", "-u", "alice:correct horse")
    server.stop()
    found, modes = set(), {}
    for path in server.directory.rglob("*"):
        modes.setdefault(path.is_dir(), set()).add(oct(path.lstat().st_mode & 0o7777))
        if path.is_file():
            name = str(path.relative_to(server.directory)).replace("alice", "NAME").replace(ID, "ID")
            found.add(re.sub(r"/01/ID-\w+Z-\w+Z$", "/XX/ID-UPLOADED-REPLACED", name))
    assert found == {item.head.removeprefix("Pa ") for item in PAGE.sections["FILES"].items}
    assert modes == {True: {"0o700"}, False: {"0o600"}}
