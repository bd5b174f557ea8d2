"""Lines of a crontab, run as cron runs them: five fields, `%` unescaped, /bin/sh, a bare environment, no terminal."""

import os
import pwd
import re
import signal
import subprocess

ACCOUNT = pwd.getpwuid(os.geteuid()).pw_name
# A secret's command is killed after a minute, and keytool says so then.
LIMIT = 100


def command(line):
    """What the shell is given. There is no time to wait for a jitter."""
    fields = re.fullmatch(r"(\d+) (\d+) \* \* [*0-7] (.*)", line)
    assert int(fields[1]) < 60 and int(fields[2]) < 24
    command = re.sub(r"(?<!\\)%", "\n", fields[3]).replace("\\%", "%")
    assert "\n" not in command, "cron would cut the line here"
    return command.replace("--jitter 30m ", "")


def run(line, home, before=(), **variables):
    """The result; what a mail would have is `stdout`, in the order in which it was printed.

    `before` is put before the shell. What runs on after the limit is killed, with all that it has started.
    """
    environment = {"HOME": str(home), "LOGNAME": ACCOUNT, "SHELL": "/bin/sh", "PATH": "/usr/bin:/bin", **variables}
    process = subprocess.Popen(
        [*before, "/bin/sh", "-c", command(line)], cwd=home, env=environment, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        raise AssertionError(f"still running after {LIMIT} s: {said}") from None
    return subprocess.CompletedProcess(line, process.returncode, said)
