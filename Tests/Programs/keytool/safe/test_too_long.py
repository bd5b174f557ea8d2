"""A file at the place that is longer than any backup: the way on that the error names replaces it."""

from kit.servers.httpsmachine import PLACE, pushed  # fixtures
from kit.servers.safedirectory import SafeDirectory

TOO_LONG = 5 << 20
WAY_ON = "hint: keytool safe push --overwrite ABCD1234 replaces what is on the server, without a copy: it is too long for one\n"


def test_it_is_replaced_in_a_directory(safe):
    safe.push()
    safe.directory.put(safe.keys, bytes(TOO_LONG))
    for command in (["push", "--force"], ["delete", "--yes"]):
        assert WAY_ON in safe.keytool.fails(14, "safe", *command).err
    assert len(safe.blob) == TOO_LONG
    safe.push("--overwrite")
    assert safe.document
    safe.keytool.ok("safe", "delete", "--yes")
    assert safe.directory.names() == []


def test_it_is_replaced_where_the_server_checks_conditions(pushed):
    pushed.keytool.ok("safe", "delete", "--yes")
    pushed.server.tag, pushed.server.conditions = "strong", "honoured"
    pushed.keytool.ok("safe", "setup", *pushed.world.by_password)
    pushed.keytool.ok("safe", "push")
    pushed.server.stored[PLACE] = bytes(TOO_LONG)
    pushed.keytool.fails(14, "safe", "push", "--force")
    pushed.keytool.ok("safe", "push", "--overwrite")
    assert pushed.document


def test_it_does_not_prevent_a_setup(safe, safe_password):
    safe.directory.put(safe.keys, bytes(TOO_LONG))
    safe.keytool.ok("safe", "delete", "--yes", "--force")
    done = safe.keytool.json("safe", "setup", "--server", safe.directory.url, *safe_password)
    assert done["backup_exists"] is True
    assert WAY_ON in safe.keytool.fails(14, "safe", "push").err
    safe.push("--overwrite")
    assert safe.document


def test_it_is_replaced_at_the_new_place_of_a_move(safe, tmp_path):
    safe.push()
    (tmp_path / "second").mkdir()
    second = SafeDirectory(tmp_path / "second").prepare()
    second.put(safe.keys, bytes(TOO_LONG))
    move = ["safe", "move", "--server", second.url]
    told = "hint: --overwrite replaces it; it is too long for a copy in the history\n"
    assert told in safe.keytool.fails(14, *move).err
    safe.keytool.ok(*move, "--overwrite")
    safe.directory = second
    assert safe.document
