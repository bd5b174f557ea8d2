"""A store on an S3 server: another process with a verification of signatures of its own. One in memory."""

import os
import threading

import pytest

from objects import Objects
from server import ID, curl, run, wait_for

OTHER = "f" * 64


@pytest.fixture
def objects(certificates, tmp_path):
    objects = Objects(tmp_path, certificates.good)
    yield objects
    objects.stop()


@pytest.fixture
def ignoring(certificates, tmp_path):
    """One that ignores conditions."""
    objects = Objects(tmp_path, certificates.good, "ignores")
    yield objects
    objects.stop()


def backup(server, id=ID):
    return f"{server.url}/backups/{id}"


def test_two_servers_share_the_backups(serve, objects):
    first = serve(*objects.options, store=objects.store)
    second = serve(*objects.options, store=objects.store)
    assert curl(backup(first), body=b"one").status == 201
    found = curl(backup(second))
    assert (found.status, found.body) == (200, b"one")
    assert curl(backup(second), body=b"two").status == 204
    assert curl(backup(first)).body == b"two"
    assert curl(backup(first), "-X", "DELETE").status == 204
    assert [curl(backup(each)).status for each in (first, second)] == [404, 404]
    assert curl(backup(second), "-X", "DELETE").status == 404
    assert [each.stop() for each in (first, second)] == [0, 0]


def put_at_once(servers, id, *options):
    """Uploads a body of its own through each server, at the same moment."""
    barrier, found = threading.Barrier(len(servers)), [None] * len(servers)

    def put(number):
        barrier.wait()
        found[number] = curl(backup(servers[number], id), *options, body=b"%d" % number).status

    threads = [threading.Thread(target=put, args=(number,)) for number in range(len(servers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_one_of_two_first_uploads_is_the_first(serve, objects):
    """Each server has found that there is no backup when the other one stores it."""
    servers = [serve(*objects.options, store=objects.store) for _ in range(2)]
    for number in range(12):
        assert sorted(put_at_once(servers, f"{number:064x}")) == [201, 204]
        found = put_at_once(servers, f"{number:063x}f", "-H", "If-None-Match: *")
        assert sorted(found) == [201, 412]
        assert curl(backup(servers[0], f"{number:063x}f")).body == b"%d" % found.index(201)
    assert "If-None-Match" not in servers[0].words
    # A deleted backup is an object, too.
    assert curl(backup(servers[0], f"{0:064x}"), "-X", "DELETE").status == 204
    assert curl(backup(servers[1], f"{0:064x}"), "-H", "If-None-Match: *", body=b"again").status == 201


def test_an_object_store_that_ignores_conditions(serve, ignoring):
    server = serve(*ignoring.options, store=ignoring.store)
    assert "warning: the object store ignores If-None-Match: two servers can both store one backup as the first" \
        in server.words
    assert curl(backup(server), "-H", "If-None-Match: *", body=b"one").status == 201
    assert curl(backup(server), "-H", "If-None-Match: *", body=b"two").status == 412


def test_a_key_that_may_not_try_conditions(serve, certificates, tmp_path):
    """The server starts, and says what it does not know."""
    objects = Objects(tmp_path, certificates.good, "forbids")
    try:
        server = serve(*objects.options, store=objects.store)
        line = ("warning: it is not known whether the object store honours If-None-Match (the object store answers 403 "
                "AccessDenied): two servers can both store one backup as the first")
        wait_for(lambda: line in server.words)
        assert curl(backup(server), body=b"one").status == 201
    finally:
        objects.stop()


@pytest.fixture
def accounts(tmp_path):
    """The path of a file of accounts, and accounts(*arguments) on it."""
    path = tmp_path / "accounts" / "logins"
    path.parent.mkdir()

    def command(*arguments, stdin=None):
        given = ["--account-password-file", stdin] if stdin else []
        return run("account", *arguments, *given, "--accounts", path)

    def add(name, *options):
        password = tmp_path / f"{name}-password"
        password.write_text(f"correct horse {name}\n")
        password.chmod(0o600)
        return command("add", name, *options, stdin=password)

    command.path, command.add = path, add
    return command


def login(name):
    return ["-u", f"{name}:correct horse {name}"]


def test_several_servers_share_the_accounts(serve, objects, accounts):
    assert accounts.add("alice").returncode == 0 and accounts.add("bob").returncode == 0
    options = [*objects.options, "--accounts", accounts.path]
    first, second = serve(*options, store=objects.store), serve(*options, store=objects.store)
    assert first.said["accounts"] == 2
    place = f"/alice/backups/{ID}"
    assert curl(first.url + place).status == 401 and curl(backup(first)).status == 401
    assert curl(first.url + place, *login("alice"), body=b"hers").status == 201
    assert curl(second.url + place, *login("alice")).body == b"hers"
    assert curl(second.url + place, *login("bob")).status == 404
    assert curl(f"{second.url}/bob/backups/{ID}", *login("bob")).status == 404
    # Both follow the file, and an account that comes back has its backup again.
    assert accounts("remove", "alice", "--yes").returncode == 0
    assert [curl(each.url + place, *login("alice")).status for each in (first, second)] == [401, 401]
    assert accounts.add("alice").returncode == 0
    assert curl(first.url + place, *login("alice")).body == b"hers"
    assert curl(second.url + place, *login("alice"), "-X", "DELETE").status == 204
    assert curl(first.url + place, *login("alice")).status == 404
    assert sorted(each.name for each in accounts.path.parent.iterdir()) == ["logins"]


def test_quotas_hold_for_all_servers_and_follow_the_file(serve, objects, accounts):
    assert accounts.add("alice", "--quota", "1000").returncode == 0 and accounts.add("bob").returncode == 0
    options = [*objects.options, "--accounts", accounts.path]
    first, second = serve(*options, store=objects.store), serve(*options, store=objects.store)
    assert "ignored" not in first.words

    def put(server, number, count, name="alice"):
        return curl(f"{server.url}/{name}/backups/{number:064x}", *login(name), body=b"x" * count).status

    # Each page of this store's lists has three objects.
    assert [put(first, number, 100) for number in range(9)] == [201] * 9
    assert put(second, 9, 101) == 507 and put(first, 9, 101) == 507
    assert put(second, 9, 100) == 201
    assert put(first, 10, 1) == 507 and put(first, 9, 101) == 507 and put(first, 9, 100) == 204
    assert put(first, 10, 5000, "bob") == 201
    # An empty object takes no room.
    assert curl(f"{second.url}/alice/backups/{0:064x}", *login("alice"), "-X", "DELETE").status == 204
    assert put(first, 10, 101) == 507 and put(first, 10, 100) == 201
    assert accounts("quota", "alice", "1001").returncode == 0
    assert put(second, 10, 101) == 204 and put(second, 10, 102) == 507
    assert accounts("quota", "alice", "none").returncode == 0
    assert put(second, 10, 5000) == 204


def test_the_file_of_accounts_has_quotas(objects, accounts, tmp_path):
    assert accounts.add("alice", "--quota", "1M").returncode == 0 and accounts.add("bob-2").returncode == 0
    listed = accounts("list")
    assert listed.stdout == "alice  quota 1 MiB\nbob-2  no quota\n", listed.stdout
    changed = accounts("quota", "bob-2", "20K")
    assert changed.returncode == 0 and changed.stderr == "" and "the quota of bob-2 is 20 KiB" in changed.stdout
    password = tmp_path / "bob-2-password"
    password.write_text("another correct horse\n")
    assert accounts("passwd", "bob-2", stdin=password).returncode == 0
    assert [line.rpartition(":")[2] for line in accounts.path.read_text().splitlines()] == ["1048576", "20480"]
    document = accounts("list", "--json").stdout
    assert '"quota_bytes":20480' in document and "bytes" not in document.replace("quota_bytes", "")
    assert accounts("quota", "nobody", "20K").returncode == 10
    # The store of the servers may be named, too.
    for result in (accounts("list", "--store", "s3://localhost/safe"),
                   run("account", "list", KEYTOOL_SERVER_ACCOUNTS=str(accounts.path),
                       KEYTOOL_SERVER_STORE="s3://localhost/safe")):
        assert result.returncode == 0 and result.stdout.startswith("alice  quota 1 MiB\n"), result


def test_what_the_file_of_accounts_refuses(objects, accounts, tmp_path):
    assert accounts.add("alice").returncode == 0
    result = accounts("remove", "alice", "--delete-backups", "--yes")
    assert result.returncode == 64 and "--delete-backups" in result.stderr
    assert accounts("remove", "bob", "--yes").returncode == 10
    assert accounts.add("alice").returncode == 17
    both = run("account", "list", "--accounts", accounts.path, "--store", f"file://{tmp_path}")
    assert both.returncode == 64 and "cannot be combined" in both.stderr
    for store in (f"file://{tmp_path}/store", "memory:"):
        result = run("serve", "--store", store, "--listen", "127.0.0.1:0", "--accounts", accounts.path)
        assert result.returncode == 64 and "S3" in result.stderr
    missing = run("serve", "--store", objects.store, *objects.options, "--listen", "127.0.0.1:0",
                  "--accounts", tmp_path / "none")
    assert missing.returncode == 66 and "none" in missing.stderr


def test_the_file_of_accounts_is_none_of_a_directory(accounts, tmp_path):
    """`serve` refuses both variables: it would not know an account that a command adds to the file."""
    assert accounts.add("alice").returncode == 0
    before = accounts.path.read_bytes()
    for store in (f"file://{tmp_path}/store", "memory:"):
        variables = {"KEYTOOL_SERVER_ACCOUNTS": str(accounts.path), "KEYTOOL_SERVER_STORE": store}
        for verb in (["list"], ["quota", "alice", "1M"], ["remove", "alice", "--yes"]):
            result = run("account", *verb, **variables)
            assert result.returncode == 64 and "cannot be combined" in result.stderr, result
        assert run("serve", "--listen", "127.0.0.1:0", **variables).returncode == 64
        # An option counts before a variable.
        variables.pop("KEYTOOL_SERVER_ACCOUNTS")
        assert run("account", "list", "--accounts", accounts.path, **variables).stdout == "alice  no quota\n"
    assert accounts.path.read_bytes() == before


@pytest.mark.parametrize("option, value", [("keep-previous", "1d"), ("keep-previous", "0s"), ("keep-versions", "9")])
def test_what_an_object_store_does_not_retain(option, value):
    for options, variables in (([f"--{option}", value], {}),
                               ([], {"KEYTOOL_SERVER_" + option.upper().replace("-", "_"): value})):
        result = run("serve", "--store", "s3://localhost/safe", "--listen", "127.0.0.1:0", *options, **variables)
        assert result.returncode == 64, result
        assert "--keep-previous and --keep-versions need a store that is a directory" in result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a directory of another account")
def test_root_writes_no_file_of_accounts_into_the_directory_of_another_account(accounts):
    os.chown(accounts.path.parent, 65534, -1)
    result = accounts.add("bob")
    assert result.returncode == 77 and "sudo -u nobody keytool-server" in result.stderr, result
    assert list(accounts.path.parent.iterdir()) == []
    # The file's owner counts if there is a file.
    accounts.path.write_bytes(b"")
    accounts.path.chmod(0o600)
    os.chown(accounts.path, 65534, -1)
    assert accounts.add("bob").returncode == 77 and accounts.path.read_bytes() == b""
    os.chown(accounts.path.parent, 0, -1)
    accounts.path.unlink()
    assert accounts.add("bob").returncode == 0


def test_the_limits_are_options(serve, objects):
    server = serve(*objects.options, "--max-backup-bytes", "1K", "--retention-days", "90", store=objects.store)
    assert curl(f"{server.url}/config").body == b'{"maxBackupBytes":1024,"retentionDays":90}'
    assert curl(backup(server), body=b"x" * 1025).status == 413
    assert curl(backup(server), body=b"x" * 1024).status == 201


def test_an_object_store_that_is_away_is_503_until_it_is_back(serve, objects, tmp_path, certificates):
    server = serve(*objects.options, store=objects.store)
    assert curl(backup(server), body=b"one").status == 201
    objects.stop()
    for answer in (curl(backup(server)), curl(backup(server), body=b"two"), curl(backup(server), "-X", "DELETE")):
        assert answer.status == 503 and int(answer.headers["retry-after"]) > 0
    assert curl(f"{server.url}/config").status == 200


def test_an_object_store_that_asks_for_fewer_requests_is_429(serve, objects):
    """The clients know this status: they wait."""
    server = serve(*objects.options, store=objects.store)
    url = f"{server.url}/backups/{'ee' * 32}"
    answers = [curl(url), curl(url, body=b"one"), curl(url, "-X", "DELETE")]
    # An upload begins with a HEAD, whose answer does not say why it is 503.
    assert [answer.status for answer in answers] == [429, 503, 429]
    assert all(answer.headers["retry-after"] == "5" for answer in answers)
    assert "answered with 429: the object store asks for fewer requests" in server.words


@pytest.mark.parametrize("change, code, words", [
    ([("--s3-access-key", None)], 64, "--s3-access-key"),
    ([("--s3-access-key", "other")], 74, "store failed"),
    ([("--s3-secret-key-file", None)], 16, "secret key of the S3 server"),
    ([("--s3-ca-file", None)], 74, "certificate of the object store is not trusted"),
])
def test_wrong_options_end_the_start(objects, change, code, words):
    options = dict(zip(objects.options[::2], objects.options[1::2]))
    options.update(change)
    given = [each for name, value in options.items() if value is not None for each in (name, value)]
    result = run("serve", "--no-input", "--store", objects.store, "--listen", "127.0.0.1:0", *given)
    assert result.returncode == code and words in result.stderr, result.stderr


def test_a_wrong_secret_ends_the_start_and_is_not_printed(objects):
    objects.key.write_text("another secret\n")
    result = run("serve", "--store", objects.store, "--listen", "127.0.0.1:0", *objects.options)
    assert result.returncode == 74 and "another secret" not in result.stderr, result.stderr


@pytest.mark.parametrize("store, words", [
    ("s3://localhost", "s3://HOST/PREFIX"), ("s3://localhost/Safe", "prefix"), ("s3:///x", "host"),
    ("http://localhost/x", "not a store"), ("file://localhost/x", "not a store"),
])
def test_a_malformed_store_is_refused(store, words):
    result = run("serve", "--store", store, "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and words in result.stderr, result.stderr


def test_a_store_that_is_no_directory_has_no_operators_verbs_and_no_own_certificate():
    for verb in (["sweep"], ["versions", ID]):
        result = run(*verb, "--store", "s3://localhost/safe")
        assert result.returncode == 64 and "directory" in result.stderr, result.stderr
    for variables in ({}, {"KEYTOOL_SERVER_STORE": "s3://localhost/safe"}):
        store = [] if variables else ["--store", "s3://localhost/safe"]
        for verb in (["list"], ["add", "alice"], ["quota", "alice", "1M"], ["passwd", "alice"], ["remove", "alice"]):
            result = run("account", *verb, *store, **variables)
            assert result.returncode == 64 and "use --accounts FILE" in result.stderr, result.stderr
    result = run("serve", "--store", "memory:", "--tls-self-signed", "localhost", "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and "directory" in result.stderr


def test_a_directory_has_its_limits_in_its_config(tmp_path):
    result = run("serve", "--store", f"file://{tmp_path}/store", "--retention-days", "90", "--listen", "127.0.0.1:0")
    assert result.returncode == 64 and "config" in result.stderr


def test_a_store_in_memory_ends_with_the_server(serve):
    server = serve(store="memory:")
    assert curl(backup(server, OTHER), body=b"one").status == 201
    assert curl(backup(server, OTHER)).body == b"one"
    assert server.stop() == 0 and not server.directory.exists()
    again = serve(store="memory:")
    assert curl(backup(again, OTHER)).status == 404
