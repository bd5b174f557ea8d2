"""What the tests start has default signal dispositions, whatever started the tests."""

import re
import subprocess
import sys

import pytest

from kit.runner import REPOSITORY, Keytool
from kit.screens.terminal import Terminal

SHOW = ["grep", "-E", "^Sig(Ign|Blk):", "/proc/self/status"]
# Signals 32 and 33 (bits 31 and 32) are the C library's own: no program can set them, so what a caller left stays.
CLEAR = r"SigBlk:\s*0{16}\s*SigIgn:\s*0{7}[01][08]0{7}\s*$"


class Showing(Keytool):
    """Runs a program that shows its dispositions, as the binary is run."""

    def command_line(self):
        return SHOW


@pytest.mark.parametrize("how", ["runner", "terminal"])
def test_child_ignores_and_blocks_nothing(home, how):
    if how == "runner":
        shown = Showing(home).ok().out
    else:
        run = Terminal(SHOW, Showing(home).environment)
        try:
            assert run.finish() == 0
            shown = run.text
        finally:
            run.close()
    assert re.fullmatch(CLEAR, shown), shown


def test_under_inherited_dispositions(tmp_path):
    """As from nohup, from a shell's background, or from a caller that blocks signals."""
    inner = subprocess.run(
        ["env", "--unset=CASES", "--ignore-signal=HUP,INT,QUIT,CHLD,USR1", "--block-signal=TERM,HUP,ALRM",
         sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", tmp_path / "inner",
         __file__, "-k", test_child_ignores_and_blocks_nothing.__name__],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert inner.returncode == 0, inner.stdout
    assert "2 passed" in inner.stdout
