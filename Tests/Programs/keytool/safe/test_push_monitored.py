"""safe push --metrics-file and --ping-url-file: what a monitoring service learns, and what it can not spoil."""

import os
import re
import stat
import time
from datetime import UTC, datetime, timedelta

import pytest

from kit.processes.clock import Clocked
from kit.runner import snapshot
from kit.servers.pingservice import PingService
from kit.servers.safedirectory import SafeDirectory

GAUGES = ["last_success_timestamp_seconds", "last_attempt_timestamp_seconds", "last_exit_code",
          "backup_bytes", "backup_limit_bytes", "backup_expires_timestamp_seconds"]
LINE = re.compile(r'keytool_safe_(\w+)(?:\{alias="((?:[^"\\\n]|\\["\\n])*)"\})? (\d+)')


def metrics(path):
    """{name: value} and the alias; every line is in Prometheus' text format."""
    values, aliases = {}, set()
    text = path.read_text()
    assert text.endswith("\n")
    lines = text.splitlines()
    for help_, type_, line in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        name, alias, value = LINE.fullmatch(line).groups()
        assert help_.startswith(f"# HELP keytool_safe_{name} ")
        assert type_ == f"# TYPE keytool_safe_{name} gauge"
        values[name] = int(value)
        aliases.add(alias)
    assert len(aliases) == 1
    return values, aliases.pop()


@pytest.fixture
def file(tmp_path):
    directory = tmp_path / "collector"
    directory.mkdir()
    return directory / "keytool.prom"


def test_first_push(safe, file):
    start = int(time.time())
    done = safe.push("--metrics-file", file, "--alias", "bot")
    values, alias = metrics(file)
    assert alias == "bot" and list(values) == GAUGES
    for name in GAUGES[:2]:
        assert start <= values[name] <= time.time()
    assert values["last_exit_code"] == 0
    assert values["backup_bytes"] == done["backup"]["bytes"] == len(safe.blob)
    assert values["backup_limit_bytes"] == 524288
    assert abs(values["backup_expires_timestamp_seconds"] - start - 180 * 86400) < 60


def test_file_is_readable_by_all_and_alone(safe, file):
    safe.push("--metrics-file", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert os.listdir(file.parent) == [file.name]
    assert metrics(file)[1] is None
    assert safe.id not in file.read_text()


def test_run_with_nothing_to_do_keeps_what_is_known(safe, file):
    safe.push("--metrics-file", file)
    first = metrics(file)[0]
    time.sleep(1.1)
    assert safe.push("--metrics-file", file)["result"] == "unchanged"
    second = metrics(file)[0]
    assert second["last_success_timestamp_seconds"] > first["last_success_timestamp_seconds"]
    assert {name: second[name] for name in GAUGES[3:]} == {name: first[name] for name in GAUGES[3:]}


@pytest.mark.parametrize("tolerate", [[], ["--tolerate", "3d"]], ids=["loud", "tolerated"])
def test_failure_is_told_even_where_it_is_tolerated(safe, file, tolerate):
    safe.push("--metrics-file", file)
    first = metrics(file)[0]
    safe.directory.go_away()
    time.sleep(1.1)
    result = safe.keytool("safe", "push", "--force", "--metrics-file", file, *tolerate)
    assert result.code == (0 if tolerate else 75)
    second = metrics(file)[0]
    assert second["last_exit_code"] == 75
    assert second["last_success_timestamp_seconds"] == first["last_success_timestamp_seconds"]
    assert second["last_attempt_timestamp_seconds"] > first["last_attempt_timestamp_seconds"]


def test_failure_before_anything_was_known(safe, file):
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--metrics-file", file)
    values = metrics(file)[0]
    assert values["last_success_timestamp_seconds"] == 0 and values["last_exit_code"] == 75
    assert "backup_bytes" not in values


def test_keystore_that_does_not_open(safe, file, tmp_path):
    (safe.keytool.keystore / "master.key").unlink()
    code = safe.keytool("safe", "push", "--metrics-file", file).code
    assert code != 0 and metrics(file)[0]["last_exit_code"] == code


@pytest.mark.parametrize("alias", ['a "quoted" one', "back\\slash", "ünïcode", "{}", 'x"\u0301} 0'])
def test_alias_is_escaped(safe, file, alias):
    safe.push("--metrics-file", file, "--alias", alias)
    found = metrics(file)[1]
    assert found.replace('\\"', '"').replace("\\\\", "\\") == alias


@pytest.mark.parametrize("alias", ["two\nlines", "a\r\nb", "\x1b[2J"])
def test_alias_with_a_control_character(safe, file, alias):
    safe.keytool.fails(64, "safe", "push", "--metrics-file", file, "--alias", alias)


OURS = "# HELP keytool_safe_last_success_timestamp_seconds "


@pytest.mark.parametrize("content", ["", OURS, OURS + "\nkeytool_safe_backup_bytes 9e99999\n" * 9,
                                     OURS + "\nkeytool_safe_backup_bytes{a=\"b\" x\n"])
def test_odd_file_of_ours_is_replaced(safe, file, content):
    file.write_text(content)
    safe.push("--metrics-file", file)
    assert metrics(file)[0]["last_exit_code"] == 0


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"# HELP node_load1 1m load\n", b"x" * 100_000, b"\n"])
def test_file_of_somebody_else_is_not_replaced(safe, file, content):
    file.write_bytes(content)
    result = safe.keytool.ok("safe", "push", "--metrics-file", file)
    assert "uploaded" in result.out and "keytool: warning: " in result.err
    assert file.read_bytes() == content


def test_master_key_is_not_replaced(safe):
    safe.push("--metrics-file", safe.keytool.keystore / "master.key")
    assert safe.push()["result"] == "unchanged"


def test_success_in_the_future_counts_as_never(safe, file):
    """A clock that was wrong must not keep an alarm silent."""
    safe.push("--metrics-file", file)
    name = "keytool_safe_last_success_timestamp_seconds "
    file.write_text(re.sub(rf"^{name}\d+", name + "4102444800", file.read_text(), flags=re.M))
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--force", "--metrics-file", file)
    assert metrics(file)[0]["last_success_timestamp_seconds"] == 0


def test_success_of_another_alias_is_not_inherited(safe, file):
    safe.push("--metrics-file", file, "--alias", "a")
    safe.directory.go_away()
    safe.keytool.fails(75, "safe", "push", "--force", "--metrics-file", file, "--alias", "b")
    values, alias = metrics(file)
    assert alias == "b" and values["last_success_timestamp_seconds"] == 0 and values["last_exit_code"] == 75
    # What the keystore knows is entered, what only the file knew is not.
    assert set(GAUGES) - set(values) == {"backup_limit_bytes"}


def test_what_killed_runs_left_is_removed_after_an_hour(safe, file):
    """How they are dated does not count."""
    # That of process 1 of another machine; and one that somebody else has.
    left, other = (file.with_name(f".{file.name}.{name}.new") for name in ("1-1.left", "other"))
    for each in (left, other):
        each.write_text("x")
        os.utime(each, (time.time() - 3700,) * 2)
    safe.push("--metrics-file", file)
    assert left.exists()
    Clocked(safe.keytool, datetime.now(UTC) + timedelta(hours=2)).json("safe", "push", "--metrics-file", file)
    assert sorted(os.listdir(file.parent)) == [other.name, file.name]


@pytest.mark.parametrize("place", ["missing/directory/x.prom", "a-directory", "a-link", "/dev/full"])
def test_metrics_that_cannot_be_written_are_a_warning(safe, tmp_path, place):
    (tmp_path / "a-directory").mkdir()
    (tmp_path / "a-link").symlink_to(tmp_path / "target")
    result = safe.keytool.ok("safe", "push", "--metrics-file", tmp_path / place)
    assert "uploaded" in result.out and "keytool: warning: " in result.err
    assert not (tmp_path / "target").exists()


def test_metrics_do_not_go_to_stdout(safe, tmp_path):
    said = safe.keytool.ok("safe", "push", "--metrics-file", "-", cwd=tmp_path)
    assert "warning: metrics are written to a file" in said.err and "keytool_safe_" not in said.out
    assert not (tmp_path / "-").exists()


def test_all_of_them_together(safe, file, tmp_path, safe_password):
    """The worst of them: the larger, under the smaller limit, and the failure."""
    second = SafeDirectory(tmp_path / "second-safe")
    second.path.mkdir(mode=0o700)
    safe.keytool.ok("id", "create", "--id", "ECHOECHO")
    safe.keytool.ok("safe", "setup", "ECHOECHO", "--create", "--server", second.url, *safe_password)
    safe.push("--all", "--metrics-file", file)
    assert metrics(file)[0]["last_exit_code"] == 0
    second.go_away()
    assert safe.keytool("safe", "push", "--all", "--force", "--metrics-file", file).code == 75
    assert metrics(file)[0]["last_exit_code"] == 75
    second.come_back()
    safe.keytool.ok("safe", "push", "--all", "--force", "--metrics-file", file)
    assert metrics(file)[0]["last_exit_code"] == 0


def test_dry_run_tells_nobody(safe, file, service, url_file):
    safe.push("--dry-run", "--metrics-file", file, "--ping-url-file", url_file)
    assert not file.exists() and service.told == []


def test_alias_alone_is_refused(safe):
    safe.keytool.fails(64, "safe", "push", "--alias", "bot")


# Pings


@pytest.fixture
def service(certificates):
    service = PingService(certificates.good)
    yield service
    service.close()


@pytest.fixture
def url_file(write, service):
    return write("ping-url", service.url + "\n")


@pytest.fixture
def pinging(safe, service):
    """The runner, which trusts the service."""
    return safe.keytool.with_environment(**service.environment)


@pytest.mark.parametrize("state", ["due", "unchanged"])
def test_success(safe, pinging, service, url_file, state):
    if state == "unchanged":
        safe.push()
    pinging.ok("safe", "push", "--ping-url-file", url_file)
    assert service.told == ["/ping/7d0c/start", "/ping/7d0c/0"]


@pytest.mark.parametrize("tolerate", [[], ["--tolerate", "3d"]], ids=["loud", "tolerated"])
def test_failure(safe, pinging, service, url_file, tolerate):
    safe.push()
    safe.directory.go_away()
    result = pinging("safe", "push", "--force", "--ping-url-file", url_file, *tolerate)
    assert result.code == (0 if tolerate else 75)
    assert service.told == ["/ping/7d0c/start", "/ping/7d0c/75"]
    assert not tolerate or result.err == ""


def test_failure_before_the_server(safe, pinging, service, url_file):
    pinging.fails(10, "safe", "push", "ECHOECHO", "--ping-url-file", url_file)
    assert service.told == ["/ping/7d0c/start", "/ping/7d0c/10"]


@pytest.mark.parametrize("spelled", ["{url}", "{url}/", "{url}\r\n"])
def test_spelling_of_the_address(safe, pinging, service, write, spelled):
    pinging.ok("safe", "push", "--ping-url-file", write("ping", spelled.format(url=service.url)))
    assert service.told == ["/ping/7d0c/start", "/ping/7d0c/0"]


def test_query_of_the_address_stays(safe, pinging, service, write):
    pinging.ok("safe", "push", "--ping-url-file", write("ping", service.url + "?create=1"))
    assert service.told == ["/ping/7d0c/start?create=1", "/ping/7d0c/0?create=1"]


def warnings(result):
    return re.findall("^keytool: warning: (.*)$", result.err, re.M)


@pytest.mark.parametrize("status", [404, 500, 302])
def test_service_that_refuses(safe, pinging, service, url_file, status):
    service.status = status
    result = pinging.ok("safe", "push", "--ping-url-file", url_file)
    assert "uploaded" in result.out and "7d0c" not in result.err
    assert warnings(result) == [f"the monitoring service could not be notified: it answered with status {status}"]


def test_service_that_is_away(safe, pinging, service, url_file):
    service.close()
    result = pinging.ok("safe", "push", "--quiet", "--ping-url-file", url_file)
    assert warnings(result) == ["the monitoring service could not be notified: it cannot be reached"]
    assert "7d0c" not in result.err


def test_service_that_nobody_trusts(safe, service, url_file):
    result = safe.keytool.ok("safe", "push", "--ping-url-file", url_file)
    [warning] = warnings(result)
    assert "could not be notified: the certificate of it is not accepted" in warning and service.told == []


@pytest.mark.parametrize("content", [b"", b"http://localhost/x\n", b"https://a b/\n", b"file:///etc/passwd\n",
                                     b"https://localhost/x\nhttps://localhost/y\n", b"https://\xff\n", b"x" * 5000])
def test_file_without_an_address_is_a_warning(safe, write, content):
    before = snapshot(safe.directory.path)
    result = safe.keytool.ok("safe", "push", "--ping-url-file", write("ping", content))
    assert "uploaded" in result.out and "keytool: warning: " in result.err
    assert snapshot(safe.directory.path) != before


def test_pipe_is_no_file_with_an_address(safe, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    result = safe.keytool.ok("safe", "push", "--ping-url-file", tmp_path / "pipe")
    assert "uploaded" in result.out and "keytool: warning: " in result.err


def test_file_that_is_missing_is_a_warning(safe, tmp_path):
    result = safe.keytool.ok("safe", "push", "--ping-url-file", tmp_path / "missing")
    assert "uploaded" in result.out and "keytool: warning: " in result.err


def test_the_failure_itself_comes_before_the_service(safe, pinging, service, url_file):
    """What cron mails is the backup's failure, once."""
    service.close()
    safe.directory.go_away()
    result = pinging.fails(75, "safe", "push", "--ping-url-file", url_file)
    assert result.err.count("keytool: error: ") == 1
