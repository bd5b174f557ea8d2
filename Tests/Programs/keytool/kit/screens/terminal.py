"""The binary on a pseudo-terminal: what a person sees, types, and whether it is echoed."""

import fcntl
import os
import re
import select
import subprocess
import termios
import time

PATIENCE = 60  # seconds: only what hangs takes so long, also on a busy machine

# Where keytool breaks a line that is wider than the terminal.
WRAP = re.compile(r"\n  (?=\S)")


class Terminal:
    """One run whose controlling terminal is ours. stdin, stdout and stderr are the terminal
    too, unless they are given."""

    def __init__(self, command_line, environment, columns=80, rows=24, **redirected):
        self._ours, self._theirs = os.openpty()
        termios.tcsetwinsize(self._theirs, (rows, columns))
        self.untouched = self.settings  # before anybody could have turned off the echo
        streams = {"stdin": self._theirs, "stdout": self._theirs, "stderr": self._theirs}
        theirs = self._theirs
        self.process = subprocess.Popen(
            command_line, **{**streams, **redirected}, start_new_session=True,
            env={"TERM": "xterm-256color", **environment},
            preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0))
        self.captured = b""
        self._seen = 0  # how much of `captured` has been expected already

    def expect(self, pattern, timeout=PATIENCE):
        """Waits for the pattern in what came since the last one; gives the match."""
        deadline = time.monotonic() + timeout
        while True:
            ended = self._ended()  # asked before reading, so that the last words are not missed
            while self._read(0):
                pass
            match = re.compile(pattern).search(self.text, self._seen)
            if match:
                self._seen = match.end()
                return match
            if match := self._across_lines(pattern):
                return match
            if ended or time.monotonic() > deadline:
                raise AssertionError(f"no {pattern!r} after: {self.text[self._seen:]!r}")
            self._read(0.1)

    def _across_lines(self, pattern):
        """The match in the same text with each wrapped line of keytool's own in one."""
        text = self.text
        wraps = [wrap.start() for wrap in WRAP.finditer(text, self._seen)]
        if not wraps or not (match := re.compile(pattern).search(WRAP.sub(" ", text[self._seen:]))):
            return None
        # Each has become two characters shorter.
        before = sum(1 for n, at in enumerate(wraps) if at - self._seen - 2 * n < match.end())
        self._seen += match.end() + 2 * before
        return match

    def send(self, line):
        """Types a line and presses return."""
        os.write(self._ours, line.encode() + b"\r")

    def press(self, key):
        os.write(self._ours, key)

    def paste(self, content):
        """All of it, as fast as the terminal takes it; reads what comes meanwhile."""
        os.set_blocking(self._ours, False)
        try:
            while content and not self._ended():
                try:
                    content = content[os.write(self._ours, content):]
                except BlockingIOError:
                    self._read(0.01)
        finally:
            os.set_blocking(self._ours, True)

    @property
    def echo(self):
        """Whether the terminal shows what is typed."""
        return bool(termios.tcgetattr(self._theirs)[3] & termios.ECHO)

    def show_what_is_typed(self):
        """As a shell does that takes the terminal back."""
        termios.tcsetattr(self._theirs, termios.TCSANOW, self.untouched)

    @property
    def settings(self):
        return termios.tcgetattr(self._theirs)

    @property
    def text(self):
        """What a person reads: without the bold of "error:", "warning:" and "hint:"."""
        text = self.captured.decode(errors="replace").replace("\r\n", "\n")
        return re.sub("\x1b\\[1m(error:|warning:|hint:)\x1b\\[0m", r"\1", text)

    @property
    def words(self):
        """The text with each wrapped line of keytool's own in one."""
        return WRAP.sub(" ", self.text)

    def finish(self, timeout=PATIENCE):
        """Waits for the end and gives the exit code as a shell would show it."""
        deadline = time.monotonic() + timeout
        while not self._ended():
            self._read(0.05)
            if time.monotonic() > deadline:
                raise AssertionError(f"still running after: {self.text!r}")
        while self._read(0):
            pass
        code = self.process.returncode
        return code if code >= 0 else 128 - code

    def hang_up(self):
        """The window is closed: the kernel tells whoever has this as its terminal."""
        os.close(self._ours)
        self._ours = None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr, self.process.stdin):
            if stream:
                stream.close()
        if self._ours is not None:
            os.close(self._ours)
        os.close(self._theirs)

    def _ended(self):
        return self.process.poll() is not None

    def _read(self, wait):
        if not select.select([self._ours], [], [], wait)[0]:
            return False
        self.captured += os.read(self._ours, 65536)
        return True
