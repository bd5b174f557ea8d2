"""Runs keytool and writes down which files it opens, what it connects to and what it starts."""

from kit.runner import Keytool


class SystemCalls(Keytool):
    """`calls`: the last run's, by strace, with arguments and environments in full."""

    def __init__(self, keytool, trace):
        super().__init__(keytool.home, keytool.keystore, keytool.environment)
        self.trace = trace

    def command_line(self, *arguments):
        return ["strace", "-f", "-v", "-s", "65536", "-o", str(self.trace),
                "-e", "trace=execve,connect,open,openat", *super().command_line(*arguments)]

    @property
    def calls(self):
        calls = self.trace.read_text()
        assert "execve(" in calls
        return calls
