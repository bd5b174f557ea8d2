"""keytool's own commands against this server, and the line that it prints for them."""

import shlex

from server import run


def backups(server):
    return [path.read_bytes() for path in (server.directory / "backups").iterdir()]


def test_all_verbs_with_an_authority(serve, certificates, client, tmp_path):
    server = serve("--tls-certificate", certificates.good.path, "--tls-key", certificates.good.key)
    address = f"https://localhost:{server.port}"
    password = ["--safe-password-file", tmp_path / "safe-password"]
    client.ok("safe", "setup", "--server", address, "--ca-file", certificates.authority.path, *password)
    client.ok("safe", "push")
    assert len(backups(server)) == 1
    client.ok("safe", "push", "--force")
    client.ok("safe", "check")
    client.ok("safe", "status")
    client.ok("safe", "pull")
    assert client.json("safe", "status", "--json")
    client.ok("safe", "delete", "--yes")
    assert backups(server) == []


def test_the_printed_lines_in_their_order(serve, client, tmp_path):
    """A server without accounts names both steps: add one, then the client's line."""
    server = serve("--tls-self-signed", "localhost")
    password = tmp_path / "server-password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    add = shlex.split(server.said["account_add"].replace("NAME", "alice"))
    words = shlex.split(server.said["setup"][0].replace("NAME", "alice"))
    assert add[:3] == ["keytool-server", "account", "add"]
    assert words[:3] == ["keytool", "safe", "setup"] and server.said["pin"] in words
    added = run(*add[1:], "--account-password-file", password)
    assert added.returncode == 0, added.stderr
    client.ok(*words[1:], "--server-password-file", password, "--safe-password-file", tmp_path / "safe-password")
    client.ok("safe", "push")
    assert len(list((server.directory / "accounts/alice/backups").iterdir())) == 1
    # Another server of the same name has another key.
    server.stop()
    other = serve("--tls-self-signed", "localhost", name="other", listen=f"127.0.0.1:{server.port}")
    assert client("safe", "push", "--force", "--retry-max-time", "1s").code in (21, 22)
    assert backups(other) == []


def test_a_client_of_the_directory_beside_the_server(serve, client, tmp_path):
    server = serve()
    client.ok("safe", "setup", "--server", f"file://{server.directory}", "--safe-password-file",
              tmp_path / "safe-password")
    client.ok("safe", "push")
    assert len(backups(server)) == 1


def test_an_address_without_the_account(serve, certificates, client, tmp_path):
    """The login is right, but the server has nothing there."""
    password = tmp_path / "account-password"
    password.write_text("correct horse battery\n")
    password.chmod(0o600)
    server = serve("--tls-certificate", certificates.good.path, "--tls-key", certificates.good.key)
    added = run("account", "add", "alice", "--store", f"file://{server.directory}", "--account-password-file", password)
    assert added.returncode == 0, added.stderr
    address = f"https://localhost:{server.port}"
    login = ["--server-user", "alice", "--server-password-file", password, "--ca-file", certificates.authority.path,
             "--safe-password-file", tmp_path / "safe-password"]
    for create in ([], ["--create"]):
        result = client.fails(15, "safe", "setup", "--server", address, *login, *create)
        assert f"on a server with accounts it is {address}/alice; on a Nextcloud it is {address}/remote.php/dav/files/alice/" \
            in result.err and "--create" not in result.err
    result = client.fails(15, "safe", "setup", "--server", f"{address}/bob", *login)
    assert f"hint: on a server with accounts it is {address}/alice\n" in result.err
    client.ok("safe", "setup", "--server", f"{address}/alice", *login)
