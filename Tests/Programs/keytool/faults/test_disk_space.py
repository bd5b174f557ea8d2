"""A disk with little room: so many blocks or inodes, and no more. A command does all of its work or
nothing of it, and its exit code says which."""

import shutil
import subprocess

import pytest

from kit import archives, oracle, sophax
from kit.known import CODE_PASSWORD, SAFE_PASSWORD
from kit.processes import injection
from kit.runner import Keytool, snapshot

BLOCK = 4096
OLD = oracle.Identity("ABCD1234", bytes(range(32)))
NEW = oracle.Identity("ABCD1234", bytes(range(1, 33)))


@pytest.fixture
def disk(tmp_path, home, built):
    """disk(blocks, inodes): an empty file system of this size, and a runner whose keystore is on it."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = []

    def make(blocks, inodes):
        unmount()
        options = f"size={blocks * BLOCK},nr_inodes={inodes},mode=0700"
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place],
                              capture_output=True, text=True, timeout=60)
        if made.returncode != 0:
            pytest.skip(f"nothing may be mounted here: {made.stderr.strip()}")
        mounted.append(place)
        return Keytool(home, place / "keystore")

    def grow():
        subprocess.run(["mount", "-o", "remount,size=4m,nr_inodes=1000", place], check=True, timeout=60)

    def unmount():
        if mounted:
            subprocess.run(["umount", mounted.pop()], check=True, timeout=60)

    make.grow, make.place = grow, place
    yield make
    unmount()


SIZES = [(blocks, 1000) for blocks in range(1, 14)] + [(1000, inodes) for inodes in range(2, 16)]


def listed(keytool):
    return [one["id"] for one in keytool.json("id", "list")["identities"]] if keytool.keystore.exists() else []


def test_import(disk, code_file, code_password):
    command = ["backup", "import", code_file, *code_password]
    codes = set()
    for size in SIZES:
        keytool = disk(*size)
        result = keytool(*command)
        codes.add(result.code)
        disk.grow()
        if result.code == 0:
            assert listed(keytool) == ["0ZAHXXHB"], size
        else:
            assert result.code in (73, 74) and listed(keytool) == [], (size, result)
        keytool.ok(*command)
        assert listed(keytool) == ["0ZAHXXHB"], size
    assert {0, 74} <= codes


def test_import_over_another_key(disk, write, code_password):
    """Key and state change at once: a Safe that holds the old key is due."""
    codes = [write(name, oracle.seal_code(identity, CODE_PASSWORD) + "\n")
             for name, identity in (("old", OLD), ("new", NEW))]
    results = set()
    for more in range(6):
        for inodes in (False, True):
            keytool = disk(1000, 1000)
            keytool.ok("backup", "import", codes[0], *code_password)
            used = (shutil.disk_usage(disk.place).used // BLOCK,
                    1000 - int(subprocess.run(["df", "--output=iavail", disk.place], capture_output=True,
                                              check=True, timeout=60).stdout.split()[1]))
            size = (1000, used[1] + more) if inodes else (used[0] + more, 1000)
            subprocess.run(["mount", "-o", f"remount,size={size[0] * BLOCK},nr_inodes={size[1]}", disk.place],
                           check=True, timeout=60)
            before = keytool.json("id", "show")["public_key"]
            result = keytool("backup", "import", codes[1], "--replace", *code_password)
            results.add(result.code)
            now = keytool.json("id", "show")["public_key"]
            if result.code == 0:
                assert now == NEW.public_key, (size, result)
            else:
                assert result.code == 74 and now == before, (size, result)
    assert results == {0, 74}


def test_failing_sync(keytool):
    """A new identity that may not last is not there either."""
    injection.require_tracing()
    command = ["id", "create", "--id", "ABCD1234"]
    keytool.ok("id", "create", "--id", "WXYZ9876")
    points = injection.points(keytool, *command)
    keytool.ok("id", "remove", "ABCD1234", "--yes")
    syncs = [point for point in points if point.call in injection.SYNCING]
    assert len(syncs) > 4
    for point in syncs:
        result = injection.fail(keytool, point, "EIO", *command)
        assert result.code == 74 and listed(keytool) == ["WXYZ9876"], (point, result)


def test_pull(disk, directory, safe_password):
    keys = oracle.safe_keys(SAFE_PASSWORD, OLD.id)
    directory.prepare().put(keys, oracle.seal_safe(oracle.safe_document(OLD.client_key), keys))
    command = ["safe", "pull", "--id", OLD.id, "--server", directory.url, *safe_password]
    codes = set()
    for size in SIZES[::3]:
        keytool = disk(*size)
        result = keytool(*command)
        codes.add(result.code)
        disk.grow()
        assert result.code in (0, 73, 74) and listed(keytool) == ([OLD.id] if result.code == 0 else []), (size, result)
    assert {0, 74} <= codes


def test_reading_sessions_needs_no_room(disk, write):
    """Neither a block nor an inode: for no lock, no log and no other journal mode."""
    keytool = disk(1000, 1000)
    identity = write("agekey", archives.IDENTITY + "\n")
    account = write("a.age", archives.seal(sophax.account_text(sophax.ALICE)))
    keytool.ok("sophaxchat", "import", account, "--identity", identity)
    sophax.put_group(keytool, sophax.group_record(members=["1" * 32]))
    # As the file system counts them, with the directory's own.
    full = subprocess.run(["sh", "-c", 'cat /dev/zero > "$0/fill"; while : > "$0/$$.$((n += 1))"; do :; done', disk.place],
                          capture_output=True, text=True, timeout=60)
    assert "No space left" in full.stderr, full
    before = snapshot(keytool.keystore, without=())
    keytool.ok("sophaxchat", "show-group", "G")
    keytool.ok("sophaxchat", "list-sessions")
    assert " sessions " in keytool.ok("doctor").out
    keytool.ok("archive", "export", "--with-sessions", "-o", "-", "--recipient", archives.RECIPIENT)
    assert snapshot(keytool.keystore, without=()) == before
