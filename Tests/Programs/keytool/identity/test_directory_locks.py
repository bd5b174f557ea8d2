"""The directory's verbs while another process holds the identity's lock: what a directory has done is reported as done,
and nothing is sent if its answer could not be stored."""

import threading
import time

import pytest

from kit import identityfiles
from kit.processes.locks import Held
from kit.servers.directoryrequests import INVALID
from kit.servers.registering import identities, pending_files

CREATE = "identity/create"
NUMBER, DIGITS = "+41 79 123 45 67", "41791234567"


@pytest.fixture
def registered(keytool, at):
    return keytool.json("id", "create", *at)["id"]


@pytest.fixture
def elsewhere(id_directory, at, registered):
    """The options for another address of the directory, which has to be remembered then."""
    id_directory.asked.clear()
    return ["--directory", id_directory.url.replace("localhost", "127.0.0.1"), *at[2:]]


@pytest.fixture
def held(keytool, registered):
    with Held(identityfiles.path(keytool.keystore, registered, "lock")) as lock:
        yield lock


def warns(result, words):
    """One warning, with the reason."""
    [line] = [line for line in result.err.splitlines() if "warning: " in line]
    return words in line and "another keytool process is running" in line


def test_a_revocation_is_reported(keytool, id_directory, registered, elsewhere, held):
    result = keytool.ok("id", "revoke", "--yes", *elsewhere)
    assert result.out == f"revoked {registered}\n" and warns(result, "the directory's address could not be stored")
    assert id_directory.identities[registered].state == INVALID


def test_a_mail_is_reported(keytool, id_directory, elsewhere, held):
    result = keytool.ok("id", "link", "email", "ann@example.org", *elsewhere)
    assert "sends an e-mail" in result.out and warns(result, "the directory's address could not be stored")
    assert id_directory.mails


def test_found_contacts_are_shown(keytool, id_directory, elsewhere, held):
    id_directory.add("BOBBOBBO", bytes(range(32)), mobile=DIGITS)
    result = keytool.ok("contact", "match", "-", *elsewhere, stdin=NUMBER)
    assert result.out.startswith(f"+{DIGITS}  BOBBOBBO  ") and warns(result, "the token for the next search could not be")


def test_the_remembered_directory_needs_no_lock(keytool, registered, held):
    result = keytool.ok("revoke", "check")
    assert "warning" not in result.err


@pytest.mark.parametrize("arguments", [[NUMBER], ["--code"], ["--remove"]], ids=lambda arguments: arguments[0])
def test_a_phone_number_waits_for_the_lock(keytool, id_directory, registered, arguments):
    if arguments == ["--code"]:
        keytool.ok("id", "link", "mobile", NUMBER)
        arguments = ["--code", *(code for code, *_ in id_directory.codes.values())]
    id_directory.asked.clear()
    with Held(identityfiles.path(keytool.keystore, registered, "lock")):
        running = keytool.start("id", "link", "mobile", *arguments)
        time.sleep(2)
        assert running.poll() is None and not id_directory.asked
    assert keytool.finish(running).code == 0 and id_directory.asked
    waits = "waits for its code" in keytool.ok("id", "link", "mobile").out
    assert waits == (arguments == [NUMBER])


# One process at a time works on a key that is being registered


class Slow:
    """An answer of the directory that waits to be let go."""

    def __init__(self, act=None):
        self.act = act
        self.asked, self.go = threading.Event(), threading.Event()

    def __call__(self, call, outcome):
        self.asked.set()
        assert self.go.wait(60)
        if self.act:
            self.act(call, outcome)
        else:
            call.answer(*outcome())


@pytest.fixture
def slow(id_directory):
    """The answer to the next proof of a new key."""
    answer = Slow()
    id_directory.script(CREATE, answer, phase=2)
    yield answer
    answer.go.set()


@pytest.fixture
def lost(keytool, id_directory, at):
    """A registration whose answer was lost."""
    id_directory.script(CREATE, id_directory.lose, phase=2)
    keytool.fails(75, "id", "create", *at)
    id_directory.asked.clear()
    return keytool


def test_two_that_resume_register_the_key_once(lost, id_directory, slow):
    first = lost.start("id", "create", "--resume", "--json")
    assert slow.asked.wait(60)
    second = lost.start("id", "create", "--resume")
    time.sleep(2)
    assert second.poll() is None and id_directory.asked == [(CREATE, 1), (CREATE, 2)]
    slow.go.set()
    results = [lost.finish(process) for process in (first, second)]
    assert [result.code for result in results] == [0, 0], results
    id = results[0].json["id"]
    assert id in results[1].out and f"holds {id} already; nothing was sent" in results[1].err
    assert id_directory.asked == [(CREATE, 1), (CREATE, 2)]
    assert identities(lost) == [id] and not pending_files(lost)


def test_who_resumes_after_a_failure_goes_on(lost, id_directory):
    failing = Slow(id_directory.lose)
    id_directory.script(CREATE, failing, phase=2)
    first = lost.start("id", "create", "--resume")
    assert failing.asked.wait(60)
    second = lost.start("id", "create", "--resume")
    time.sleep(1)
    failing.go.set()
    assert lost.finish(first).code == 75 and lost.finish(second).code == 0
    assert len(identities(lost)) == 1 and not pending_files(lost)


def test_a_killed_one_holds_nothing(lost, id_directory, slow):
    killed = lost.start("id", "create", "--resume")
    assert slow.asked.wait(60)
    killed.kill()
    killed.communicate()
    lost.ok("id", "create", "--resume")


def test_a_key_that_is_being_registered_is_not_removed(keytool, id_directory, at, slow):
    creating = keytool.start("id", "create", *at, "--json")
    assert slow.asked.wait(60)
    [path] = pending_files(keytool)
    removing = keytool.start("id", "remove", "--pending", path.name[9:17], "--yes")
    time.sleep(2)
    assert removing.poll() is None and pending_files(keytool)
    slow.go.set()
    made = keytool.finish(creating)
    assert made.code == 0 and identities(keytool) == [made.json["id"]]
    assert keytool.finish(removing).code == 10


def test_removing_does_not_wait_for_ever(lost):
    [path] = pending_files(lost)
    with Held(path):
        assert str(path) in lost.fails(11, "id", "remove", "--pending", path.name[9:17], "--yes").err
    lost.ok("id", "remove", "--pending", path.name[9:17], "--yes")


def test_a_refusal_is_reported_though_the_keystore_is_locked(keytool, id_directory, at):
    """The key that was refused stays pending, with a warning."""
    keytool.ok("id", "create")
    refusing = Slow(id_directory.refuse("Out of IDs"))
    id_directory.script(CREATE, refusing, phase=2)
    creating = keytool.start("id", "create", *at)
    assert refusing.asked.wait(60)
    with Held(keytool.keystore / "lock"):
        refusing.go.set()
        result = keytool.finish(creating, timeout=60)
    assert result.code == 1 and "Out of IDs" in result.err
    assert warns(result, "still listed as pending")
    [path] = pending_files(keytool)
    keytool.ok("id", "remove", "--pending", path.name[9:17], "--yes")
