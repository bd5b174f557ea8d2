"""Options, variables and what is refused."""

import json
import re

import pytest

from server import ID, REPOSITORY, curl, run, wait_for

STORE = "--store=file:///nonexistent/store"


@pytest.mark.parametrize("options, words", [
    ([], "no store is given"),
    (["--store", "ftp://x"], "is not a store"),
    ([STORE], "without TLS, --listen has to be a loopback address or a Unix socket"),
    ([STORE, "--listen", "0.0.0.0:8443"], "without TLS"),
    ([STORE, "--listen", "[::]:8443"], "without TLS"),
    ([STORE, "--listen", "192.0.2.1:1"], "without TLS"),
    ([STORE, "--listen", "example.org:1"], "--listen"),
    ([STORE, "--listen", "127.0.0.1:99999"], "--listen"),
    ([STORE, "--listen", "127.0.0.1"], "--listen"),
    ([STORE, "--listen", "::1:80"], "--listen"),
    ([STORE, "--listen", "unix:relative"], "--listen"),
    ([STORE, "--listen", "unix:/" + "x" * 107], "--listen"),
    ([STORE, "--tls-certificate", "x"], "--tls-certificate and --tls-key belong together"),
    ([STORE, "--tls-key", "x"], "--tls-certificate and --tls-key belong together"),
    ([STORE, "--tls-self-signed", "x", "--tls-key", "x"], "cannot be combined"),
    ([STORE, "--behind-proxy", "proxy"], "--behind-proxy"),
    ([STORE, "--behind-proxy", "10.0.0.0/33"], "--behind-proxy"),
    ([STORE, "--listen", "127.0.0.1:0", "--proxy-header", "forwarded"], "--proxy-header requires --behind-proxy"),
    *(([STORE, f"--{name}", "0"], f"--{name}") for name in (
        "workers", "client-rate", "backup-rate", "max-connections", "max-connections-per-client", "max-body-memory")),
    *((["--store", "memory:", "--listen", "127.0.0.1:0", f"--{name}", "0"], f"--{name}")
      for name in ("max-backup-bytes", "retention-days")),
    *(([STORE, "--listen", "127.0.0.1:0", f"--{name}", zero], f"--{name} has to be longer than 0s")
      for name in ("head-timeout", "body-timeout", "idle-timeout") for zero in ("0s", "0d")),
])
def test_refused(options, words):
    result = run("serve", *options)
    assert result.returncode == 64 and words in result.stderr, result.stderr


def test_a_missing_directory_above_the_store():
    result = run("serve", STORE, "--listen", "127.0.0.1:0")
    assert result.returncode == 66 and "/nonexistent" in result.stderr


def test_variables(serve, tmp_path):
    server = serve(KEYTOOL_SERVER_LOG_REQUESTS="1", KEYTOOL_SERVER_CLIENT_RATE="2",
                   KEYTOOL_SERVER_METRICS_LISTEN="127.0.0.1:0")
    assert [curl(f"{server.url}/config").status for _ in range(3)] == [200, 200, 429]
    wait_for(lambda: len(requests(server)) == 3)
    assert "127.0.0.1" not in server.words and "metrics" in server.said


def test_the_option_comes_before_the_variable(serve):
    server = serve("--client-rate", "1", KEYTOOL_SERVER_CLIENT_RATE="1000")
    assert [curl(f"{server.url}/config").status for _ in range(2)] == [200, 429]


@pytest.mark.parametrize("name, value", [
    ("LISTEN", "nowhere"), ("WORKERS", "-1"), ("LOG_REQUESTS", "yes"), ("KEEP_PREVIOUS", "7"),
])
def test_wrong_variables(tmp_path, name, value):
    result = run("serve", "--store", f"file://{tmp_path}/store", *(
        [] if name == "LISTEN" else ["--listen", "127.0.0.1:0"]), **{f"KEYTOOL_SERVER_{name}": value})
    assert result.returncode == 64 and f"KEYTOOL_SERVER_{name}={value}" in result.stderr


def test_a_mistyped_variable_is_named(tmp_path):
    """Also by the other commands; an empty value changes nothing."""
    store = {"KEYTOOL_SERVER_STORE": f"file://{tmp_path}/store"}
    assert run("account", "add", "alice", "--account-password-fd", "99", **store).returncode != 0
    wrong = {"KEYTOOL_SERVER_LISTN": "127.0.0.1:1", "KEYTOOL_SERVER_QUOTA": "1", "KEYTOOL_SERVER_": "",
             "KEYTOOL_X": "1"}
    for command in (["sweep"], ["account", "list"], ["versions", ID]):
        warned = run(*command, **store, **wrong).stderr
        assert ("warning: KEYTOOL_SERVER_LISTN is not a variable of keytool-server: did you mean "
                "KEYTOOL_SERVER_LISTEN?\n") in warned
        assert "warning: KEYTOOL_SERVER_QUOTA is not a variable of keytool-server\n" in warned
        assert warned.count("is not a variable") == 3 and "KEYTOOL_X" not in warned
    refused = run("serve", "--listen", "0.0.0.0:1", **store, KEYTOOL_SERVER_TLS_SELFSIGNED="x")
    assert refused.returncode == 64 and "did you mean KEYTOOL_SERVER_TLS_SELF_SIGNED?" in refused.stderr


def test_the_variables_of_the_manual_are_known(tmp_path):
    """And those of keytool."""
    (tmp_path / "store").mkdir()
    names = set(re.findall(r"KEYTOOL_SERVER_[A-Z0-9_]*[A-Z0-9]", (REPOSITORY / "man/keytool-server.8").read_text()))
    names |= {f"KEYTOOL_SERVER_{stem}_{end}" for stem in ("ACCOUNT_PASSWORD", "S3_SECRET_KEY", "PASSWORD")
              for end in ("FILE", "COMMAND", "FD")}
    assert len(names) > 30
    values = {name: "1" for name in names} | {"KEYTOOL_SERVER_KEEP_PREVIOUS": "1d"}
    values["KEYTOOL_SERVER_STORE"] = f"file://{tmp_path}/store"
    assert "is not a variable" not in run("sweep", **values).stderr


def test_addresses_in_the_log(serve):
    server = serve("--log-clients")
    curl(f"{server.url}/backups/{ID}")
    line = requests(server)[0]
    assert (line["method"], line["subject"], line["status"]) == ("GET", "backup", 404)
    assert line["client"] == "127.0.0.1" and ID not in server.words


def test_requests_in_the_log(serve):
    """A line of JSON for each request, without ids and addresses, beside the other lines."""
    server = serve("--log-requests")
    for body in (b"x" * 100, None):
        curl(f"{server.url}/backups/{ID}", body=body)
    wait_for(lambda: server.words.count("\n") == 2)
    put, get = requests(server)
    assert list(put) == ["time", "method", "subject", "status", "received_bytes", "sent_bytes", "milliseconds"]
    assert (put["method"], put["status"], put["received_bytes"], put["sent_bytes"]) == ("PUT", 201, 100, 0)
    assert (get["method"], get["status"], get["received_bytes"], get["sent_bytes"]) == ("GET", 200, 0, 100)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", put["time"]) and put["milliseconds"] >= 0
    assert ID not in server.words and "127.0.0.1" not in server.words


def test_accounts_in_the_log(serve, tmp_path):
    """Those whose login was right, and no user names that somebody has made up."""
    password = tmp_path / "password"
    password.write_text("correct horse\n")
    password.chmod(0o600)
    added = run("account", "add", "alice", "--account-password-file", password, "--store", f"file://{tmp_path}/store")
    assert added.returncode == 0, added.stderr
    server = serve("--log-accounts")
    asked = [("alice:correct horse", "alice/config", None, 200), ("alice:wrong", "alice/config", None, 401),
             ("mallory:correct horse", "alice/config", None, 401), ("alice:correct horse", "bob/config", None, 404),
             ("alice:correct horse", f"alice/backups/{ID}", b"x", 201), ("alice:correct horse", f"alice/backups/{ID}", None, 200)]
    for login, path, body, status in asked:
        assert curl(f"{server.url}/{path}", "-u", login, body=body).status == status
    assert curl(f"{server.url}/health", "-u", "mallory:x").status == 200
    wait_for(lambda: server.words.count("\n") == len(asked) + 1)
    accounts = [(line["status"], line.get("account")) for line in requests(server)]
    assert accounts == [(status, None if status == 401 else "alice") for _, _, _, status in asked] + [(200, None)]
    assert not [word for word in ("mallory", "horse", "wrong", "127.0.0.1", ID) if word in server.words]
    server.stop()
    for option in ("--log-requests", "--log-clients"):
        other = serve(option, name="store")
        before = server.words
        assert curl(f"{other.url}/alice/config", "-u", "alice:correct horse").status == 200
        wait_for(lambda: server.words.endswith("}\n") and server.words != before)
        assert "alice" not in server.words[len(before):] and other.stop() == 0


def requests(server):
    """The requests in the log: their lines come after the answers."""
    wait_for(lambda: server.words.endswith("}\n"))
    return [json.loads(line) for line in server.words.splitlines() if line.startswith("{")]


# How a proxy names the client, and by what the server counts it.
@pytest.mark.parametrize("options, headers, client", [
    ([], ["X-Forwarded-For: 192.0.2.7"], "127.0.0.1"),
    (["--behind-proxy", "192.0.2.0/24"], ["X-Forwarded-For: 192.0.2.7"], "127.0.0.1"),
    (["--behind-proxy", "127.0.0.1"], [], "127.0.0.1"),
    (["--behind-proxy", "127.0.0.0/8"], ["X-Forwarded-For: 192.0.2.7"], "192.0.2.7"),
    (["--behind-proxy", "127.0.0.1"], ["X-Forwarded-For: 1.2.3.4, 192.0.2.7"], "192.0.2.7"),
    (["--behind-proxy", "127.0.0.1"], ["X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 192.0.2.7"], "192.0.2.7"),
    (["--behind-proxy", "127.0.0.1,10.0.0.0/8"], ["X-Forwarded-For: 1.2.3.4, 192.0.2.7, 10.1.2.3"], "192.0.2.7"),
    (["--behind-proxy", "127.0.0.1"], ["X-Forwarded-For: 2001:db8:1:2:3::4"], "2001:db8:1:2::/64"),
    (["--behind-proxy", "127.0.0.1"], ["X-Forwarded-For: unknown"], "127.0.0.1"),
    (["--behind-proxy", "127.0.0.1"], ["Forwarded: for=192.0.2.7"], "127.0.0.1"),
    (["--behind-proxy", "127.0.0.1", "--proxy-header", "forwarded"],
     ["Forwarded: for=1.2.3.4;proto=http, proto=https; For=\"[2001:db8::1]:4711\""], "2001:db8:0:0::/64"),
    (["--behind-proxy", "127.0.0.1", "--proxy-header", "forwarded"], ["X-Forwarded-For: 192.0.2.7"], "127.0.0.1"),
])
def test_forwarded_clients(serve, options, headers, client):
    server = serve("--log-clients", *options)
    curl(f"{server.url}/config", *[word for each in headers for word in ("-H", each)])
    assert requests(server)[-1]["client"] == client, server.words


def test_clients_behind_a_unix_socket(serve, tmp_path):
    path = f"{tmp_path}/s"
    server = serve("--client-rate", "1", "--behind-proxy", "unix", listen=f"unix:{path}")
    ask = ["http://x/config", "--unix-socket", path, "-H"]
    assert [curl(*ask, f"X-Forwarded-For: 192.0.2.{number}").status for number in (1, 1, 2)] == [200, 429, 200]


@pytest.mark.parametrize("days", ["0", "3651", "5000", "180.5", '"180"'])
def test_a_retention_that_a_client_would_not_take_ends_the_start(tmp_path, days):
    """Clients take 180 days instead, and a sweep by these would delete what the operator wants to retain."""
    store = tmp_path / "store"
    (store / "backups").mkdir(parents=True)
    (store / "config").write_text(f'{{"maxBackupBytes":524288,"retentionDays":{days}}}')
    for verb in (["serve", "--listen", "127.0.0.1:0"], ["sweep"]):
        result = run(*verb, "--store", f"file://{store}")
        assert result.returncode == 65 and "config" in result.stderr, result.stderr


@pytest.mark.parametrize("options", [["--tls-certificate", "missing", "--tls-key", "missing"]])
def test_a_file_of_tls_that_is_missing_is_no_input(tmp_path, options):
    result = run("serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0", *options)
    assert result.returncode == 66 and "cannot read missing: no such file" in result.stderr, result.stderr


def test_a_directory_with_other_files_is_not_prepared(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store/x").write_text("hi")
    result = run("serve", "--store", f"file://{tmp_path}/store", "--listen", "127.0.0.1:0")
    assert result.returncode == 17 and "holds other files" in result.stderr, result.stderr
