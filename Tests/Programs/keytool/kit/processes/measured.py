"""Runs keytool and measures that one process: processor time and peak memory.

It is started by a small process of its own, because the kernel counts the memory of whoever
starts a program as that program's: the tests themselves take more than keytool may.
"""

import sys

from kit.runner import Keytool

# A program that never ends is ended after so many seconds of processor time.
LAUNCHER = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as report:
    print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=report)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)  # as a shell would tell it
"""


class Measured(Keytool):
    """`seconds` and `mebibytes`: the most that any run took."""

    def __init__(self, keytool, report):
        super().__init__(keytool.home, keytool.keystore, keytool.environment)
        self.report = report
        self.seconds = self.mebibytes = 0

    def command_line(self, *arguments):
        return [sys.executable, "-S", "-E", "-c", LAUNCHER, str(self.report),
                *super().command_line(*arguments)]

    def finish(self, *run, **options):
        result = super().finish(*run, **options)
        seconds, kibibytes = self.report.read_text().split()
        self.seconds = max(self.seconds, float(seconds))
        self.mebibytes = max(self.mebibytes, int(kibibytes) / 1024)
        return result
