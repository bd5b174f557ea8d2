"""The keystore's passphrase is asked for and nobody answers: the terminal is as it was, nothing was
made, and an end of the input is no empty answer."""

import re
import signal

import pytest

from kit import masterkey
from kit.runner import snapshot
from test_passphrase_prompt import (
    AGAIN, CREATE, FIRST, NEW, NEWER, NEWER_AGAIN, OPENING, RIGHT, SHOW)


@pytest.fixture
def protected(keytool):
    keytool.ok(*CREATE)
    masterkey.rewrap(keytool)
    return keytool


# The answers before the one that does not come, and its prompt.
QUESTIONS = {
    "new": (CREATE, {}, FIRST),
    "new, again": (CREATE, {FIRST: RIGHT}, AGAIN),
    "opening": (SHOW, {}, OPENING),
    "opening, second try": (SHOW, {OPENING: "wrong-one"}, OPENING),
    "passwd": (["key", "passwd"], {OPENING: RIGHT}, NEWER),
    "passwd, again": (["key", "passwd"], {OPENING: RIGHT, NEWER: NEW}, NEWER_AGAIN),
}
ENDS = {"Ctrl-C": {130}, "Ctrl-D": {16, 130}, "SIGINT": {130}, "SIGTERM": {143}, "SIGHUP": {129}}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("how", ENDS)
def test_ended_while_asking(request, terminal, keytool, question, how):
    command, answers, last = QUESTIONS[question]
    if command is not CREATE:
        request.getfixturevalue("protected")
    kept = snapshot(keytool.keystore)
    run = terminal(*command)
    before = run.untouched
    for prompt, answer in answers.items():
        run.expect(prompt)
        run.send(answer)
    run.expect(last)
    assert not run.echo
    if how.startswith("Ctrl"):
        run.press({"C": b"\x03", "D": b"\x04"}[how[-1]])
    else:
        run.process.send_signal(getattr(signal, how))
    assert run.finish(timeout=60) in ENDS[how], run.text
    assert run.settings == before, "the terminal is left without echo"
    assert re.search(last.removesuffix("$") + r"\n", run.text), "the shell's prompt would stand behind the question"
    assert snapshot(keytool.keystore) == kept


@pytest.mark.parametrize("command, prompt", [(CREATE, FIRST), (SHOW, OPENING)])
def test_terminal_that_goes_away(request, terminal, keytool, command, prompt):
    """A window closed, a connection lost: nobody has answered."""
    if command is SHOW:
        request.getfixturevalue("protected")
    before = snapshot(keytool.keystore)
    run = terminal(*command)
    run.expect(prompt)
    run.hang_up()
    assert run.process.wait(timeout=60) != 0
    assert snapshot(keytool.keystore) == before
