"""The rules for Prometheus in keytool-server(8), in Prometheus' own tool, on what a server has told."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from page import example
from server import ID, REPOSITORY, curl

PROMTOOL = Path(os.environ.get("PROMTOOL", REPOSITORY / ".build/promtool")) / "usr/bin/promtool"
DAY = 86_400
UP = 'up{job="keytool-server"}'


def promtool(*arguments):
    return subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60)


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.yml"
    path.write_text(example("MONITORING", "groups:"))
    return path


@pytest.fixture
def metrics(serve):
    server = serve("--metrics-listen", "127.0.0.1:0", "--tls-self-signed", "localhost")
    url, trust = f"https://localhost:{server.port}", ["--cacert", server.said["ca_file"]]
    curl(f"{url}/config", *trust)
    curl(f"{url}/backups/{ID}", *trust, body=b"x")
    series = {UP: 1.0} | server.metrics()
    # Prometheus' tests begin at 1970.
    series["keytool_server_last_sweep_timestamp_seconds"] = 0
    series["keytool_server_free_bytes"] = 5e9
    series["keytool_server_certificate_end_timestamp_seconds"] = 60 * DAY
    return series


def alerts(rules, series, after):
    """The alerts that fire after so many seconds. Values are constant; a text is Prometheus' own notation."""
    step = 60 if after < DAY else 3600
    lines = [f"      - series: '{name}'\n        values: '{value if isinstance(value, str) else f'{value}x{after // step + 1}'}'"
             for name, value in series.items()]
    found = set()
    for alert in re.findall(r"alert: (\w+)", rules.read_text()):
        test = rules.with_name("test.yml")
        test.write_text(
            f"rule_files: [{rules.name}]\nevaluation_interval: {step}s\ntests:\n  - interval: {step}s\n"
            "    input_series:\n" + "\n".join(lines) + "\n    alert_rule_test:\n"
            f"      - eval_time: {after}s\n        alertname: {alert}\n        exp_alerts: []\n")
        result = promtool("test", "rules", test)
        assert "SUCCESS" in result.stdout or "got:" in result.stdout + result.stderr, result
        if result.returncode:
            found.add(alert)
    return found


def test_prometheus_accepts_the_rules(rules):
    result = promtool("check", "rules", rules)
    assert result.returncode == 0 and "7 rules found" in result.stdout, result


def test_the_rules_are_about_what_is_told(rules, metrics):
    told = {name.partition("{")[0] for name in metrics}
    assert set(re.findall(r"keytool_server_\w+", rules.read_text())) <= told


def test_a_good_server_alerts_nobody(rules, metrics):
    assert alerts(rules, metrics, 3600) == set()
    assert alerts(rules, metrics, 2 * DAY) == set()


def test_no_sweep_for_two_days(rules, metrics):
    assert alerts(rules, metrics, 2 * DAY + 3600) == {"SafeServerSweepOverdue"}


def test_a_server_that_is_away(rules, metrics):
    assert alerts(rules, metrics | {UP: 0.0}, 4 * 60) == set()
    assert alerts(rules, metrics | {UP: 0.0}, 6 * 60) == {"SafeServerDown"}


def test_a_suspicious_sweep(rules, metrics):
    assert alerts(rules, metrics | {"keytool_server_sweep_suspicious": 1.0}, 60) == {"SafeServerSweepSuspicious"}


def test_a_disk_that_fills_up(rules, metrics):
    assert alerts(rules, metrics | {"keytool_server_free_bytes": 9e8}, 10 * 60) == set()
    assert alerts(rules, metrics | {"keytool_server_free_bytes": 9e8}, 20 * 60) == {"SafeServerDiskFull"}


def test_a_certificate_that_expires(rules, metrics):
    end = "keytool_server_certificate_end_timestamp_seconds"
    assert alerts(rules, metrics | {end: 14 * DAY + 7200}, 3600) == set()
    assert alerts(rules, metrics | {end: 14 * DAY}, 3600) == {"SafeServerCertificateExpires"}


def test_guessed_passwords(rules, metrics):
    failed = "keytool_server_failed_logins_total"
    assert alerts(rules, metrics | {failed: "0+1x120"}, 3000) == set()
    # As fast as the limiter lets one address guess: ten at once, then one in 30 seconds.
    assert alerts(rules, metrics | {failed: "10+2x120"}, 3600) == {"SafeServerGuessedPasswords"}


def requests(status, growth):
    labels = f'method="PUT",subject="backup",status="{status}"'
    return {f"keytool_server_requests_total{{{labels}}}": f"0+{growth}x60"}


def test_an_upload_that_fails_in_the_night(rules, metrics):
    """The only one of the day, and the first with this status; then the one of the next night."""
    name = 'keytool_server_requests_total{{method="{}",subject="{}",status="{}"}}'
    health, config, upload = name.format("GET", "health", 200), name.format("GET", "config", 200), name.format(
        "PUT", "backup", 507)
    series = {each: value for each, value in metrics.items() if "requests_total" not in each}
    series |= {health: "0+4x400", config: "5x99 6x299", upload: "_x100 1x299"}
    assert alerts(rules, series, 99 * 60) == set()
    assert alerts(rules, series, 110 * 60) == {"SafeServerFails"}
    assert alerts(rules, series, 200 * 60) == set()
    series |= {config: "6x99 7x299", upload: "1x99 2x299"}
    assert alerts(rules, series, 110 * 60) == {"SafeServerFails"}
    assert alerts(rules, series, 200 * 60) == set()


def test_requests_that_fail(rules, metrics):
    series = {name: value for name, value in metrics.items() if "requests_total" not in name} | requests(204, 100)
    for status, growth, fires in ((507, 10, True), (503, 4, False), (429, 90, False)):
        found = alerts(rules, series | requests(status, growth), 40 * 60)
        assert found == ({"SafeServerFails"} if fires else set()), status
