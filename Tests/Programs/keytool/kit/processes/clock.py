"""Runs keytool at another time: Debian's faketime lets its clock start there and go on."""

from datetime import timedelta

from kit.processes.faketime import FAKETIME
from kit.runner import Keytool

BETWEEN_RUNS = timedelta(minutes=1)


class Clocked(Keytool):
    """The next run starts at `moment`, a datetime in UTC, and each later one a minute on: nothing
    is to lie in the future only because the clock was turned back for the next run."""

    def __init__(self, keytool, moment):
        environment = {**keytool.environment, "TZ": "UTC0"}  # faketime reads local time
        super().__init__(keytool.home, keytool.keystore, environment)
        self.moment = moment

    def command_line(self, *arguments):
        start = self.moment
        self.moment += BETWEEN_RUNS
        return [*FAKETIME, "-f", f"@{start:%Y-%m-%d %H:%M:%S}", *super().command_line(*arguments)]
