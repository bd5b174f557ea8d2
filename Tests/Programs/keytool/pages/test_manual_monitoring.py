"""The examples of keytool-cron(7) on monitoring: the rules in Prometheus' own tool, on metrics that a run has written;
the Nagios plugin; the line for healthchecks.io."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from kit import archives
from kit.pages import manual
from kit.runner import BINARY, REPOSITORY
from kit.servers.pingservice import PingService

PROMTOOL = Path(os.environ.get("PROMTOOL", REPOSITORY / ".build/promtool")) / "usr/bin/promtool"
DAY = 86_400


def example(section):
    return manual.page("keytool-cron.7").examples[f"MONITORING/{section}"]


def from_line(lines, start):
    return "\n".join(lines[lines.index(start):]) + "\n"


def promtool(*arguments):
    return subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60)


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.yml"
    path.write_text(from_line(example("Prometheus"), "groups:"))
    return path


@pytest.fixture
def metrics(safe, tmp_path):
    """metrics(*options): the command of the page writes them; gives each name with its label, and the value."""

    def run(*options):
        (command,) = [line for line in "\n".join(example("Prometheus")).replace("\\\n", "").splitlines()
                      if line.startswith("$ keytool ")]
        *words, file = shlex.split(command)[2:]
        assert file.endswith(".prom")
        ours = tmp_path / "keytool.prom"
        safe.keytool(*words, ours, *options)
        return dict(line.rsplit(" ", 1) for line in ours.read_text().splitlines() if not line.startswith("#"))

    return run


def alerts(rules, series, after):
    """The alerts that fire `after` seconds, if the series do not change until then."""
    hours, step = after // 3600 + 1, "1m" if after < DAY else "1h"
    lines = [f"      - series: '{name}'\n        values: '{value}x{hours}'" for name, value in series.items()]
    found = set()
    for alert in re.findall(r"alert: (\w+)", rules.read_text()):
        test = rules.with_name("test.yml")
        test.write_text(
            f"rule_files: [{rules.name}]\nevaluation_interval: {step}\ntests:\n  - interval: 1h\n    input_series:\n" + "\n".join(lines or ["      []"])
            + f"\n    alert_rule_test:\n      - eval_time: {after}s\n        alertname: {alert}\n        exp_alerts: []\n")
        result = promtool("test", "rules", test)
        assert "SUCCESS" in result.stdout or "got:" in result.stdout + result.stderr, result
        if result.returncode:
            found.add(alert)
    return found


def test_prometheus_accepts_the_rules(rules):
    result = promtool("check", "rules", rules)
    assert result.returncode == 0 and "4 rules found" in result.stdout, result


def test_the_rules_are_about_what_is_written(rules, metrics):
    names = {name.partition("{")[0] for name in metrics()}
    assert set(re.findall(r"keytool_safe_\w+", rules.read_text())) <= names


# Prometheus' tests begin at 1970, so a run was at 0 there.

def at_zero(series):
    zero = int(next(value for name, value in series.items() if "last_attempt" in name))
    return {name: int(value) - zero if "timestamp" in name else int(value) for name, value in series.items()}


def test_a_good_run_alerts_nobody_for_three_days(rules, metrics):
    series = at_zero(metrics())
    assert alerts(rules, series, 60) == alerts(rules, series, 3 * DAY - 3600) == set()
    assert alerts(rules, series, 3 * DAY + 3600) == {"SafeBackupOverdue"}


def test_before_the_server_deletes_the_backup(rules, metrics):
    series = at_zero(metrics())
    assert "SafeBackupExpires" not in alerts(rules, series, 166 * DAY - 3600)
    assert "SafeBackupExpires" in alerts(rules, series, 166 * DAY + 3600)


def test_what_can_wait_waits_and_the_rest_does_not(rules, metrics, safe):
    metrics()
    safe.directory.go_away()
    assert alerts(rules, {**at_zero(metrics("--force")), "x": 0}, 60) == set()
    safe.directory.come_back()
    (safe.directory.path / "config").unlink()
    assert alerts(rules, at_zero(metrics("--force")), 60) == {"SafeBackupFails"}


def test_no_metrics(rules):
    assert alerts(rules, {}, 30 * 60) == set()
    assert alerts(rules, {"something_else": 1}, 2 * 3600) == {"SafeBackupUnknown"}


# Nagios

@pytest.fixture
def plugin(safe, tmp_path):
    """plugin(age): exit code and output of the page's script, which finds keytool and its keystore by itself."""
    script = tmp_path / "check_keytool_safe"
    lines = example("Nagios")
    script.write_text("\n".join(lines[lines.index("#!/bin/sh"):lines.index("fi") + 1]) + "\n")
    script.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/keytool").symlink_to(BINARY)

    def run(*arguments):
        environment = {**safe.keytool.environment, "KEYTOOL_KEYSTORE": str(safe.keytool.keystore),
                       "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
        result = subprocess.run(
            [script, *arguments], capture_output=True, text=True, timeout=60, env=environment, stdin=subprocess.DEVNULL)
        assert result.stderr == ""
        return result.returncode, result.stdout

    return run


def test_nagios_plugin(plugin, safe):
    code, said = plugin("8d")
    assert code == 2 and said.startswith(
        f"SAFE CRITICAL - exit code 18: keytool: error: {safe.id}: the backup was never ")
    safe.push()
    assert plugin("8d") == plugin() == (0, "SAFE OK\n")
    for backup in (safe.directory.path / "backups").iterdir():
        backup.unlink()
    safe.keytool("safe", "check")
    code, said = plugin("8d")
    assert code == 2 and "18" in said


def test_nagios_plugin_without_a_keystore(plugin, safe):
    shutil.rmtree(safe.keytool.keystore)
    code, said = plugin()
    assert code == 2 and said.startswith("SAFE CRITICAL - exit code 10")


# healthchecks.io

def test_healthchecks_line(safe, certificates):
    service = PingService(certificates.good)
    (line,) = [line for line in example("healthchecks.io") if " keytool " in line]
    command = re.fullmatch(r"17 3 \* \* \* keytool (.*)", line)[1]
    home = safe.keytool.home
    (home / ".safe-ping").write_text(service.url + "\n")
    (home / ".safe-ping").chmod(0o600)

    def run():
        return subprocess.run(
            ["/bin/sh", "-c", f"'{BINARY}' {command}"], cwd="/", capture_output=True, text=True, timeout=60,
            env={"HOME": str(home), "PATH": "/usr/bin:/bin", "KEYTOOL_KEYSTORE": str(safe.keytool.keystore),
                 **service.environment})

    try:
        result = run()
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        assert [path.rpartition("/")[2] for path in service.told] == ["start", "0"]
        (safe.directory.path / "config").unlink()
        for backup in (safe.directory.path / "backups").iterdir():
            backup.unlink()
        (safe.keytool.keystore / "identities/threema/ABCD1234/places/main/state.json").unlink()
        assert run().returncode == 15
        assert [path.rpartition("/")[2] for path in service.told][2:] == ["start", "15"]
    finally:
        service.close()


# The drill


def test_the_lines_of_each_week(safe, tmp_path):
    """They print nothing if the backups open, and the errors otherwise."""
    lines = [line.split(" ", 5)[5] for line in manual.page("keytool-cron.7").examples["REHEARSING"] if " * * 0 " in line]
    command = "\n".join(lines).replace(" --jitter 30m", "")
    assert len(lines) == 2 and " --jitter 30m" in lines[0]
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/keytool").symlink_to(BINARY)
    keytool = safe.keytool
    safe.push()
    (keytool.home / "age.key").write_text(archives.IDENTITY + "\n")
    (keytool.home / "age.key").chmod(0o600)
    keytool.ok("archive", "export", "-o", keytool.home / "keys.age", "--recipient", archives.RECIPIENT)

    def said():
        environment = {**keytool.environment, "KEYTOOL_KEYSTORE": str(keytool.keystore), "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}
        run = subprocess.run(["/bin/sh", "-c", command], cwd=keytool.home, env=environment, capture_output=True,
                             text=True, timeout=60, stdin=subprocess.DEVNULL)
        return run.stdout + run.stderr, re.findall("error: (.*)", run.stderr)

    assert said() == ("", [])
    keytool.ok("profile", "set", "--nickname", "Ann")
    safe.directory.backup(safe.keys).unlink()
    _, errors = said()
    assert len(errors) == 2 and "differ" in errors[1], errors
