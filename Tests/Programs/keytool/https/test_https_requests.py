"""The requests of each verb as the server sees them: what is read before each write, on what
condition it is written, and what a refused condition leads to."""

import pytest

from kit import history, oracle
from kit.servers import faults as f
from kit.servers.faultserver import tag
from kit.servers.httpsmachine import ID, KEYS, PLACE, fresh, pushed  # fixtures
from kit.stages.place import NEW_PASSWORD

NEW_KEYS = oracle.safe_keys(NEW_PASSWORD, ID)
UPLOAD = ["config", "GET", "PUT if-match", "GET"]


def said(*servers):
    """In the order they came: kind, place (unless it is that of the backup), condition."""
    requests = [(request, number) for number, server in enumerate(servers) for request in server.requests]
    requests.sort(key=lambda entry: entry[0].time)
    words = []
    for request, number in requests:
        word = request.kind
        if request.kind != "config" and request.path != PLACE:
            word += " changed" if request.path.endswith(NEW_KEYS.backup_id) else " probe"
        if number:
            word += " there"
        if request.condition:
            word += " " + request.condition[0]
        words.append(word)
    return words


@pytest.fixture
def strict(pushed):
    """A server that shows tags and keeps to conditions."""
    pushed.server.tag, pushed.server.conditions = "strong", "honoured"
    return pushed


@pytest.fixture
def other(other):
    other.tag, other.conditions = "strong", "honoured"
    return other


# With nothing in the way


def test_first_push(fresh):
    fresh.keytool.ok("safe", "push")
    assert said(fresh.server) == ["config", "GET", "PUT if-none-match", "GET"]
    assert fresh.server.requests[2].condition == ("if-none-match", "*")


def test_push(strict):
    present = tag(strict.blob)
    strict.keytool.ok("safe", "push", "--force")
    assert said(strict.server) == UPLOAD
    assert strict.server.requests[2].condition == ("if-match", present)
    strict.server.forget()
    strict.keytool.ok("safe", "push", "--force", "--no-verify")
    assert said(strict.server) == UPLOAD[:-1]


@pytest.mark.parametrize("space", [" ", "\t", " \t "], ids=repr)
def test_push_where_blanks_follow_the_tag(strict, space):
    strict.server.space = space
    strict.keytool.ok("safe", "push", "--force")
    assert said(strict.server) == UPLOAD


@pytest.mark.parametrize("kind", [None, "weak"])
def test_push_where_tags_are_of_no_use(pushed, kind):
    pushed.server.tag = kind
    pushed.keytool.ok("safe", "push", "--force")
    assert said(pushed.server) == ["config", "GET", "PUT", "GET"]


@pytest.mark.parametrize("verb", [["check"], ["status", "--remote"], ["pull"], ["pull", "--show"]], ids=" ".join)
def test_looking(strict, verb):
    strict.keytool.ok("safe", *verb)
    assert sorted(said(strict.server)) == ["GET", "config"]


@pytest.mark.parametrize("verb", [["status"], ["push"], ["push", "--dry-run", "--force"], ["server"]], ids=" ".join)
def test_asking_nothing(strict, verb):
    strict.keytool.ok("safe", *verb)
    assert strict.server.connections == 0


def test_passwd(strict, new_password):
    strict.keytool.ok("safe", "passwd", *new_password)
    assert said(strict.server) == [
        "GET", "config", "GET changed",  # both places are judged first
        "GET changed", "PUT changed if-none-match", "GET changed",
        "GET", "DELETE if-match", "GET", "GET changed"]  # the old one goes, the new one is still there


def test_move(strict, other):
    strict.keytool.ok("safe", "move", *other.options)
    proof = ["PUT probe there", "GET probe", "DELETE probe there"]
    assert said(strict.server, other) == [
        "GET", "config there", *proof, "GET there",
        "GET there", "PUT there if-none-match", "GET there",
        "GET", *proof, "DELETE if-match", "GET", "GET there"]
    assert (strict.server.stored, list(other.stored)) == ({}, [PLACE])


def test_delete(strict):
    strict.keytool.ok("safe", "delete", "--yes")
    assert said(strict.server) == ["GET", "DELETE if-match", "GET"]


@pytest.mark.parametrize("conditions, honours", [("honoured", True), ("ignored", False), ("refused", False)])
def test_setup_learns_whether_conditions_count(fresh, conditions, honours):
    fresh.keytool.ok("safe", "delete", "--yes")
    fresh.server.reset()
    fresh.server.conditions = conditions
    done = fresh.keytool.json("safe", "setup", *fresh.world.by_password)
    assert done["honours_conditions"] is honours
    store = ["PUT probe if-none-match"] + (["PUT probe"] if conditions == "refused" else [])
    probes = ["config", *store, "GET probe", "PUT probe if-none-match", "DELETE probe", "GET probe"]
    assert said(fresh.server) == [*probes, "GET"]
    assert fresh.server.stored == {}
    status = fresh.keytool.json("safe", "status")
    assert status["honours_conditions"] is honours
    assert ("another device" in fresh.keytool.ok("safe", "status").out) is not honours


# 412: read again, and judge again


def meanwhile(change, times=1):
    """Somebody else is quicker: `change` happens between our look and our write."""
    def act(call):
        change(call.server.stored)
        call.healthy()
    return {"act": act, "times": times}


def test_app_that_writes_between_look_and_upload(strict):
    theirs = strict.written_by_an_app()
    strict.server.fault("PUT", **meanwhile(lambda stored: stored.update({PLACE: theirs})))
    strict.fails(20, "safe", "push", "--force")
    assert said(strict.server) == ["config", "GET", "PUT if-match", "GET"]
    assert strict.blob == theirs
    strict.server.heal()
    strict.keytool.fails(20, "safe", "push")


def test_app_that_writes_before_the_first_upload(fresh):
    fresh.server.tag, fresh.server.conditions = "strong", "honoured"
    theirs = oracle.seal_safe(oracle.safe_document(bytes(32)), KEYS)
    fresh.server.fault("PUT", **meanwhile(lambda stored: stored.update({PLACE: theirs})))
    fresh.fails(20, "safe", "push")
    assert fresh.blob == theirs


def test_own_backup_of_earlier_that_comes_between(strict):
    """A server that goes back to what it was sent before: nothing is lost by replacing it."""
    older = strict.world.older[0]
    strict.server.fault("PUT", **meanwhile(lambda stored: stored.update({PLACE: older})))
    assert strict.keytool.json("safe", "push", "--force")["result"] in ("uploaded", "restored")
    assert said(strict.server) == ["config", "GET", "PUT if-match", "GET", "PUT if-match", "GET"]
    assert strict.document


@pytest.mark.parametrize("verb", ["delete", "passwd", "move"])
def test_app_that_writes_between_look_and_deletion(strict, other, new_password, verb):
    theirs = strict.written_by_an_app()
    command = {"delete": ["delete", "--yes"], "passwd": ["passwd", *new_password],
               "move": ["move", *other.options]}[verb]
    strict.server.fault("DELETE", **meanwhile(lambda stored: stored.update({PLACE: theirs})))
    result = strict.keytool("safe", *command)
    assert result.code == (20 if verb == "delete" else 0), result
    assert strict.blob == theirs and "another device has written" in result.err


def test_changes_without_end(strict):
    """A server whose tag is another at each look, and of which setup knows that conditions are of no use there."""
    def other_tag(call):
        code, body = call.outcome()
        call.answer(code, body, ETag=tag(str(call.server.sent).encode()))
    strict.server.fault("GET", other_tag)
    strict.server.tag = None
    result = strict.keytool("safe", "push", "--force")
    assert result.code == 0 and said(strict.server).count("PUT if-match") == 2, result


# A server that refuses conditions whatever they say, and of which setup has found that out


@pytest.fixture
def refusing(pushed):
    pushed.server.tag, pushed.server.conditions = "strong", "refused"
    return pushed


def test_refused_conditions_do_not_block_what_is_unchanged(refusing):
    done = refusing.keytool.json("safe", "push", "--force")
    assert said(refusing.server) == ["config", "GET", "PUT if-match", "GET", "PUT if-match", "GET", "PUT", "GET"]
    assert refusing.document["keytool"]["generation"] == done["backup"]["generation"]


def test_refused_conditions_do_not_block_the_first_push(fresh):
    """That something is there which cannot be seen is believed for a while."""
    fresh.server.conditions = "refused"
    fresh.keytool.ok("safe", "push")
    assert said(fresh.server) == ["config", "GET", *["PUT if-none-match", "GET"] * 2, "PUT", "GET"]


def test_refused_conditions_stop_a_push_that_knows_the_server_otherwise(fresh):
    """A server that honoured them when it was tested has a reason now."""
    fresh.keytool.ok("safe", "delete", "--yes")
    fresh.server.tag, fresh.server.conditions = "strong", "honoured"
    fresh.keytool.ok("safe", "setup", *fresh.world.by_password)
    fresh.server.conditions = "refused"
    fresh.keytool.fails(75, "safe", "push")
    assert fresh.server.stored == {}
    fresh.server.conditions = "honoured"
    fresh.keytool.ok("safe", "push")


def test_refused_conditions_do_not_block_other_verbs(refusing, new_password):
    refusing.keytool.ok("safe", "passwd", *new_password)
    assert list(refusing.server.stored) == [PLACE.replace(KEYS.backup_id, NEW_KEYS.backup_id)]
    refusing.keytool.ok("safe", "delete", "--yes")
    assert refusing.server.stored == {}


def test_refused_conditions_are_no_permission(refusing):
    """A foreign backup that comes after the first refusal is seen."""
    theirs = refusing.written_by_an_app()
    refusing.server.fault("PUT", **meanwhile(lambda stored: stored.update({PLACE: theirs})))
    refusing.fails(20, "safe", "push", "--force")
    assert refusing.blob == theirs


# After a failure everything begins with the reading


@pytest.mark.parametrize("fault", [f.status(503, Retry_After=0), f.reset_before, f.reset_after], ids=[
    "503", "reset before", "reset after"])
def test_failed_upload_is_repeated_from_the_reading(strict, fault):
    strict.server.fault("PUT", fault, times=1)
    done = strict.keytool.json("safe", "push", "--force")
    assert done["result"] == "uploaded" and done["attempts"] == 2
    assert said(strict.server) == UPLOAD[:-1] + UPLOAD
    used = [request.condition for request in strict.server.requests if request.method == "PUT"]
    assert (used[0] == used[1]) is (fault is not f.reset_after), "the condition is that of the last look"


@pytest.mark.parametrize("fault", [f.status(503, Retry_After=0), f.reset_before], ids=["503", "reset"])
def test_failed_deletion_is_repeated_from_the_reading(strict, fault):
    strict.server.fault("DELETE", fault, times=1)
    strict.keytool.ok("safe", "delete", "--yes")
    assert said(strict.server) == ["GET", "DELETE if-match"] * 2 + ["GET"]


@pytest.mark.parametrize("kind", ["PUT", "DELETE"])
def test_app_that_writes_while_we_wait(pushed, kind):
    """On a server that ignores conditions, too."""
    theirs = pushed.written_by_an_app()

    def busy(call):
        call.read()
        call.server.stored[PLACE] = theirs
        call.answer(503, Retry_After=0)
    pushed.server.fault(kind, busy, times=1)
    command = ["push", "--force"] if kind == "PUT" else ["delete", "--yes"]
    pushed.keytool.fails(20, "safe", *command)
    assert pushed.blob == theirs and pushed.server.kinds().count(kind) == 1


@pytest.mark.parametrize("kind", ["PUT", "DELETE"])
def test_app_that_writes_right_after_us(pushed, kind):
    """Then something was replaced or deleted, and nobody is told otherwise."""
    theirs, before = pushed.written_by_an_app(), pushed.blob
    pushed.server.fault("GET", **meanwhile(lambda stored: stored.update({PLACE: theirs})), after=kind)
    command = ["push", "--force"] if kind == "PUT" else ["delete", "--yes"]
    failed = pushed.keytool.fails(20, "safe", *command)
    assert "while this command wrote or deleted, another device has written" in failed.err
    assert "nothing was" not in failed.err
    assert pushed.blob == theirs and before in history.kept(pushed.keytool, ID)
