"""Accounts: a server that asks for logins."""

import base64
import json
import os
import re
import shlex
import shutil
import signal
import subprocess

import pytest

from server import BINARY, ID, begin_upload, curl, environment, exchange, run, statuses, wait_for


@pytest.fixture
def add(tmp_path):
    """add(name) -> its password"""

    def add(name):
        password = tmp_path / f"{name}-password"
        password.write_text(f"correct horse {name} battery\n")
        password.chmod(0o600)
        result = run("account", "add", name, "--store", f"file://{tmp_path}/store", "--account-password-file", password)
        assert result.returncode == 0, result.stderr
        return password

    return add


def login(password):
    return ["-u", f"{password.name.removesuffix('-password')}:{password.read_text().strip()}"]


def test_a_server_asks_for_logins_from_its_first_account_on(serve, add):
    server = serve()
    assert "accounts" not in server.said
    assert curl(f"{server.url}/backups/{ID}", body=b"open").status == 201
    password = add("alice")
    for path in ("/config", f"/backups/{ID}", "/alice/config", f"/alice/backups/{ID}"):
        answer = curl(server.url + path)
        assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Basic ")
    assert curl(f"{server.url}/health").status == 200
    assert curl(f"{server.url}/alice/config", *login(password)).status == 200
    assert curl(f"{server.url}/alice/backups/{ID}", *login(password)).status == 404
    assert curl(f"{server.url}/backups/{ID}", *login(password)).status == 404
    assert curl(f"{server.url}/alice/backups/{ID}", *login(password), body=b"hers").status == 201
    # The backup from before is nobody's, and said to be.
    listed = run("account", "list", "--json", "--store", f"file://{server.directory}")
    assert json.loads(listed.stdout)["backups_without_account"] == 1 and "1 backup of clients" in listed.stderr
    # A file of accounts that vanishes opens nothing, also after a new start.
    (server.directory / "logins").rename(server.directory / "away")
    assert curl(f"{server.url}/backups/{ID}").status == 401
    assert "alice" not in server.words and "horse" not in server.words
    server.stop()
    again = serve()
    assert curl(f"{again.url}/config").status == 401 and again.said["accounts"] == 0


def test_the_first_account_tells_of_backups_that_clients_can_no_longer_reach(serve, tmp_path):
    server = serve()
    assert curl(f"{server.url}/backups/{ID}", body=b"open").status == 201
    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    add = ["account", "add", "--store", f"file://{server.directory}", "--account-password-file", password]
    first, second = run(*add, "alice"), run(*add, "bob")
    assert "1 backup of clients without an account" in first.stderr and (
        "keytool safe move --server https://HOST:PORT/alice --server-user alice (" in first.stderr)
    assert "without an account" not in second.stderr


def test_an_account_can_come_before_the_first_start(serve, add, tmp_path):
    add("alice")
    assert (tmp_path / "store/config").exists()
    assert serve().said["accounts"] == 1


def test_the_body_of_a_request_without_login_is_not_read(serve, add):
    server = serve()
    password = add("alice")
    assert curl(f"{server.url}/alice/backups/{ID}", body=b"x" * 500_000).status == 401
    assert curl(f"{server.url}/alice/backups/{ID}", *login(password), body=b"x" * 500_000).status == 201
    assert curl(f"{server.url}/bob/backups/{ID}", *login(password), body=b"x").status == 404


def test_the_printed_lines(serve, add, client, tmp_path):
    first = serve("--tls-self-signed", "localhost")
    first.stop()
    password = {name: add(name) for name in ("alice", "bob")}
    server = serve("--tls-self-signed", "localhost")
    lines = [shlex.split(line) for line in server.said["setup"]]
    assert [line[line.index("--server-user") + 1] for line in lines] == ["alice", "bob"] and server.said["accounts"] == 2
    client.ok(*lines[0][1:], "--server-password-file", password["alice"], "--safe-password-file",
              tmp_path / "safe-password")
    client.ok("safe", "push")
    assert len(list((server.directory / "accounts/alice/backups").iterdir())) == 1


def test_what_is_printed_for_the_apps(add, tmp_path, certificates):
    """With the certificate of an authority: the words that the apps ask for, and the client's line."""
    def printed(*options):
        command = [BINARY, "serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0", *options]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              env=environment()) as process:
            first = process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            rest = process.stdout.read()
            assert process.wait(60) == 0
        return first.rsplit(":", 1)[1].strip(), rest

    options = ["--tls-certificate", certificates.good.path, "--tls-key", certificates.good.key]
    port, text = printed(*options)
    add_line, setup = f"keytool-server account add NAME --store file://{tmp_path}/store", "keytool safe setup --server "
    app = f"  address https://HOST:{port}/NAME, user name NAME, and its password\n"
    assert text.index(add_line) < text.index(f"{setup}https://HOST:{port}/NAME --server-user NAME\n") < text.index(app)
    add("alice")
    port, text = printed(*options)
    assert f"  {setup}https://HOST:{port}/alice --server-user alice\n" in text and "account add" not in text
    assert f"  address https://HOST:{port}/alice, user name alice, and its password\n" in text
    # The apps do not trust the certificate that a server makes.
    port, text = printed("--tls-self-signed", "localhost")
    assert f"https://localhost:{port}/alice --server-user alice --ca-file" in text and "Threema app" not in text
    # Without TLS, a proxy has the address.
    assert setup not in printed()[1]


def test_paths_are_printed_as_a_shell_needs_them(tmp_path):
    store, words = tmp_path / "Anna's server", []
    command = [BINARY, "serve", "--store", f"file://{store}", "--listen", "127.0.0.1:0", "--tls-self-signed", "::1"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=environment()) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        words = [shlex.split(line) for line in process.stdout if line.startswith("  keytool")]
        assert process.wait(60) == 0
    add, setup = words
    assert add == ["keytool-server", "account", "add", "NAME", "--store", f"file://{store}"]
    server, user, trust = setup[4], setup[6], setup[8]
    assert setup[:3] == ["keytool", "safe", "setup"] and setup[3:9:2] == ["--server", "--server-user", "--ca-file"]
    assert server.startswith("https://[::1]:") and user == "NAME" and os.path.exists(trust)
    assert trust.startswith(f"{store}/") and setup[9] == "--pin"


def test_a_running_server_follows_a_quota(serve, add):
    password = add("alice")
    server = serve()
    url = f"{server.url}/alice/backups/{ID}"

    def quota(size):
        assert run("account", "quota", "alice", size, "--store", f"file://{server.directory}").returncode == 0

    for size, length, expected in (("none", 1999, 201), ("1K", 2000, 507), ("3K", 2000, 204), ("2001", 2001, 204),
                                   ("none", 4000, 204), ("4000", 4001, 507), ("1K", 3999, 204)):
        quota(size)
        assert curl(url, *login(password), body=b"x" * length).status == expected, size
    assert server.stop() == 0


@pytest.mark.parametrize("option", [[], ["--delete-backups"]], ids=["removed", "deleted"])
def test_an_upload_ends_with_its_account(serve, add, option):
    """It began before the account was removed, and ends after another one of the same name was added."""
    password = add("alice")
    server = serve()
    authorization = base64.b64encode(f"alice:{password.read_text().strip()}".encode())
    with server.connect() as upload:
        head = f"PUT /alice/backups/{ID} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n".encode()
        begin_upload(upload, head + b"Authorization: Basic " + authorization + b"\r\n", b"hello")
        removed = run("account", "remove", "alice", "--yes", *option, "--store", f"file://{server.directory}")
        assert removed.returncode == 0, removed.stderr
        add("alice")
        assert statuses(exchange(upload, b"world", seconds=0.3, answers=1)[0]) == [401]
    assert curl(f"{server.url}/alice/backups/{ID}", *login(password)).status == 404
    assert [path.name for path in (server.directory / "accounts/alice/backups").iterdir() if path.name[0] != "."] == []
    assert server.stop() == 0


def test_a_server_that_had_accounts_is_not_opened_to_everybody(serve, add, tmp_path):
    """Its file and directory of accounts are both gone: a disk was restored without them, or somebody cleaned up."""
    store = tmp_path / "store"
    server = serve()
    password = add("alice")
    assert curl(f"{server.url}/alice/backups/{ID}", *login(password), body=b"hers").status == 201
    shutil.move(store / "logins", tmp_path / "logins")
    shutil.move(store / "accounts", tmp_path / "accounts")
    assert curl(f"{server.url}/backups/{ID}", body=b"open").status == 401
    assert server.stop() == 0
    refused = run("serve", "--store", f"file://{store}", "--listen", "127.0.0.1:0")
    assert refused.returncode == 66 and refused.stdout == "", refused
    assert "logins" in refused.stderr and f"remove {store}/asks-for-logins" in refused.stderr, refused.stderr
    # Both ways of the hint lead on.
    shutil.move(tmp_path / "logins", store / "logins")
    again = serve()
    assert curl(f"{again.url}/alice/config", *login(password)).status == 200 and again.stop() == 0
    (store / "logins").unlink()
    (store / "asks-for-logins").unlink()
    open_again = serve()
    assert curl(f"{open_again.url}/config").status == 401, "accounts/ was made again"
    assert open_again.stop() == 0
    shutil.rmtree(store / "accounts")
    (store / "asks-for-logins").unlink()
    assert curl(f"{serve().url}/config").status == 200


def test_a_server_marks_a_store_whose_accounts_were_written_by_hand(serve, add, tmp_path):
    add("alice")
    store = tmp_path / "store"
    (store / "asks-for-logins").unlink()
    server = serve()
    assert server.stop() == 0
    assert (store / "asks-for-logins").read_bytes() == b""


def test_lines_that_are_no_accounts_are_named_at_the_start(serve, add, tmp_path):
    """As all lines of a file that another system's editor has saved: all logins get 401."""
    add("alice")
    logins = tmp_path / "store/logins"
    logins.write_bytes(logins.read_bytes().replace(b"\n", b"\r\n"))
    server = serve()
    wait_for(lambda: f"warning: line 1 of {logins} is not an account, and is ignored" in server.words)


def test_a_mark_that_cannot_be_written_is_told(serve, add, tmp_path):
    """The server serves the accounts, and the operator knows what is missing."""
    add("alice")
    store = tmp_path / "store"
    (store / "asks-for-logins").unlink()
    server = serve(before=without_room(store, "1+"))
    wait_for(lambda: "; if the files of the accounts are lost, the server will be open" in server.words)
    assert "asks-for-logins" in server.words
    assert curl(f"{server.url}/config").status == 401 and not (store / "asks-for-logins").exists()


def without_room(store, which):
    """The renamings of these numbers into a directory finds a full disk."""
    return ("strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", store,
            "-e", f"inject=renameat,renameat2:error=ENOSPC:when={which}")


def add_without_room(tmp_path, store, which):
    password = tmp_path / "password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    return subprocess.run(
        [*without_room(store, which), BINARY, "account", "add", "alice", "--store", f"file://{store}",
         "--account-password-file", password],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=environment())


def test_a_first_account_that_cannot_be_added_leaves_nothing(serve, tmp_path):
    """Else the server would ask everybody for a login."""
    server = serve()
    failed = add_without_room(tmp_path, server.directory, 1)
    assert failed.returncode == 74 and "no space" in failed.stderr.lower(), failed
    assert not {"logins", "accounts", "asks-for-logins"} & set(os.listdir(server.directory))
    assert curl(f"{server.url}/config").status == 200


def test_an_account_whose_directory_cannot_be_made_is_added(serve, tmp_path):
    server = serve()
    added = add_without_room(tmp_path, server.directory, 2)
    assert added.returncode == 0 and "warning: the account has no directory yet: " in added.stderr, added
    assert curl(f"{server.url}/alice/config", "-u", "alice:correct horse battery").status == 200
    assert (server.directory / "accounts/alice/backups").is_dir() and (server.directory / "asks-for-logins").exists()


def test_the_first_account_can_be_added_again(serve, add, tmp_path):
    add("alice")
    store = tmp_path / "store"
    (store / "logins").unlink()
    shutil.rmtree(store / "accounts")
    password = add("bob")
    server = serve()
    assert curl(f"{server.url}/bob/config", *login(password)).status == 200
    assert curl(f"{server.url}/config").status == 401


def test_an_upload_costs_the_same_beside_many_previous_backups(serve, tmp_path, add):
    """By its calls about names. A server measures once how long the previous backups of an account are."""
    def calls(name, count):
        trace, server = tmp_path / f"{name}.trace", f"file://{tmp_path}/{name}"
        added = run("account", "add", "alice", "--quota", "1M", "--store", server, "--account-password-file", password)
        assert added.returncode == 0, added.stderr
        previous = tmp_path / name / "accounts/alice/previous" / ID[:2]
        previous.mkdir(mode=0o700, parents=True)
        for number in range(count):
            (previous / f"{ID[:2]}{number:062x}-20991121T030000123Z-20991122T030000123Z").write_bytes(b"x")
        server = serve("--metrics-listen", "127.0.0.1:0", name=name, before=(
            "strace", "-D", "-f", "-qq", "-e", "trace=getdents64,newfstatat,statx", "-o", trace))
        wait_for(lambda: "keytool_server_stored_backups" in server.metrics())

        def upload():
            assert curl(f"{server.url}/alice/backups/{ID}", *login(password), body=b"new").status in (201, 204)
            return len(re.findall(r" (?:getdents64|newfstatat|statx)\(", trace.read_text()))

        before = [upload() for _ in range(3)][-1]
        cost = upload() - before
        assert len(list(previous.rglob("*-*"))) == count + 3
        return cost

    password = add("alice")
    assert calls("many", 3000) <= calls("few", 0) + 10
