"""What was shown on the terminal's second screen, and what on the first, where it stays."""

import re

ENTER, LEAVE = "\x1b[?1049h\x1b[H\x1b[2J", "\x1b[H\x1b[2J\x1b[?1049l"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[@-~]")


def screens(text):
    """(the first screen's text, what was shown on the second, one text for each time)."""
    first, *shown = text.split(ENTER)
    second = []
    for one in shown:
        inside, left, outside = one.partition(LEAVE)
        assert left, "the second screen was never left, or not wiped"
        second.append(inside)
        first += outside
    assert "1049" not in first, "entered or left in another way"
    return first, second


def plain(text):
    """Without colours."""
    return CONTROL.sub("", text)
