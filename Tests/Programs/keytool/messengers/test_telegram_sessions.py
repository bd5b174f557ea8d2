"""telegram import and export of the sessions of bots, with Telethon and Kurigram as judges; files that a bot has open;
and damaged ones."""

import random
import sqlite3
import subprocess
import sys

import pytest

from kit import botsessions, telegram
from kit.sampling import TRIES_ALL as ALL
from kit.telegram import KEYS, key_id

LIBRARIES = ["telethon", "pyrogram"]
TEXTS = {"telethon": botsessions.telethon_text, "pyrogram": botsessions.pyrogram_text}


def shown(keytool):
    return keytool.json("telegram", "show")


@pytest.mark.parametrize("library", LIBRARIES)
def test_files_of_the_libraries(keytool, tmp_path, library):
    path = tmp_path / "bot.session"
    text = botsessions.write(library, path, KEYS[0])
    before = path.read_bytes()
    done = keytool.ok("telegram", "import", path)
    assert key_id(KEYS[0]) in done.out and f"session file of {library.capitalize()}" in done.out
    assert "anyone who can read it is logged in" in done.err
    assert path.read_bytes() == before and {each.name for each in tmp_path.glob("bot*")} == {"bot.session"}
    account = shown(keytool)
    assert account["id"] == key_id(KEYS[0]) and account["main_dc"] == 2
    if library == "pyrogram":
        assert (account["user_id"], account["bot"], account["api_id"]) == ("777000", True, 12345)
    # The text is the same key.
    again = keytool.ok("telegram", "import", "-", stdin=text.encode() + b"\n")
    assert "already in the keystore" in again.out
    assert text not in again.out + again.err


@pytest.mark.parametrize("library", LIBRARIES)
def test_exports_are_opened(keytool, write, tmp_path, library):
    keytool.ok("telegram", "import", write("text", botsessions.pyrogram_text(KEYS[1])))
    expected = {"telethon": [2, "149.154.167.51", 443, KEYS[1].hex()],
                "pyrogram": [2, KEYS[1].hex(), 777000, True, 12345]}[library]
    file, text = tmp_path / "new.session", tmp_path / "new.text"
    for path, form in ((file, library), (text, library + "-text")):
        done = keytool.ok("telegram", "export", "--format", form, "-o", path, "--reveal-private-key")
        assert "two clients with one key" in done.err and path.stat().st_mode & 0o777 == 0o600
        assert keytool.fails(17, "telegram", "export", "--format", form, "-o", path, "--reveal-private-key")
        assert keytool.json("telegram", "verify", path)["form"] == form
    assert text.read_text() == TEXTS[library](KEYS[1])
    assert botsessions.carry_out(library, "text", text=text.read_text()) == expected
    database = sqlite3.connect(file)
    assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
    database.close()
    assert botsessions.carry_out(library, "read", path=file) == expected
    # As the library has upgraded it.
    assert "already in the keystore" in keytool.ok("telegram", "import", file).out


def test_options_of_export(keytool, write, tmp_path):
    keytool.ok("telegram", "import", write("text", botsessions.telethon_text(KEYS[0])))
    out = tmp_path / "out"
    for arguments in (["--format", "telethon"], ["--reveal-private-key"], ["--format", "other"],
                      ["--format", "telethon", "--reveal-private-key", "--weak-ok"]):
        keytool.fails(64, "telegram", "export", "-o", out, *arguments)
    refused = keytool.fails(65, "telegram", "export", "--format", "pyrogram", "--reveal-private-key", "-o", out)
    assert "needs the user's number" in refused.err and not out.exists()
    # Another file of this key has the user and the rest.
    done = keytool.ok("telegram", "import", write("more", botsessions.pyrogram_text(KEYS[0])))
    assert "added the user 777000" in done.out and "a bot's" in done.out
    keytool.ok("telegram", "export", "--format", "pyrogram", "--reveal-private-key", "-o", out)
    # An account of several data centres has one key in a session.
    keytool.ok("id", "remove", f"telegram/{key_id(KEYS[0])}", "--yes")
    keytool.ok("telegram", "import", telegram.tdata(tmp_path / "tdata", [telegram.Account({2: KEYS[2], 4: KEYS[3]})]))
    done = keytool.ok("telegram", "export", "--format", "telethon-text", "--reveal-private-key", "-o", tmp_path / "two")
    assert "other data centres than 2" in done.err
    assert (tmp_path / "two").read_text() == botsessions.telethon_text(KEYS[2])


def test_what_does_not_fit(keytool, write, given):
    text = write("text", botsessions.telethon_text(KEYS[0]))
    keytool.fails(12, "telegram", "import", text, *given("file-passphrase", b"Saffron-Ladder-93"))
    keytool.fails(64, "telegram", "import", text, "--dc", "2")
    keytool.fails(64, "telegram", "import", text, "--identity", text)
    cut = keytool.fails(65, "telegram", "import", write("cut", botsessions.telethon_text(KEYS[0])[:-20]))
    assert "a session text has 353 or 369 characters" in cut.err
    keytool.fails(65, "telegram", "import", write("zeros", botsessions.telethon_text(bytes(256))))
    # Never an argument: it is the name of a file.
    secret = botsessions.telethon_text(KEYS[0])
    refused = keytool.fails(64, "telegram", "import", secret)
    assert "must not be an argument" in refused.err and secret[9:40] not in refused.err
    other = write("other", b"")
    database = sqlite3.connect(other)
    database.execute("create table version (other)")
    database.close()
    assert "not a session" in keytool.fails(65, "telegram", "import", other).err
    assert not (keytool.home / "keystore").exists()


def test_typed(keytool, terminal):
    process = terminal("telegram", "import", "-", "--no-passphrase", runner=keytool)
    process.expect(r"Session text: $")
    process.send("no text")
    process.expect(r"this is not a session text of Telethon or Pyrogram; try again\n")
    process.expect(r"Session text: $")
    process.send(botsessions.telethon_text(KEYS[0]))
    process.expect(key_id(KEYS[0]))
    assert process.finish() == 0


@pytest.mark.parametrize("journal", ["wal", "delete", "persist"])
def test_while_a_bot_uses_it(keytool, tmp_path, journal):
    path = tmp_path / "bot.session"
    connection = botsessions.open_telethon(path, KEYS[0], journal)
    names = {each.name for each in tmp_path.glob("bot*")}
    contents = {name: (tmp_path / name).read_bytes() for name in names}
    assert journal != "wal" or KEYS[0] not in contents["bot.session"], "the key is in the log only"
    done = keytool.ok("telegram", "import", path)
    assert key_id(KEYS[0]) in done.out and "user         777000" in done.out
    assert {each.name: each.read_bytes() for each in tmp_path.glob("bot*")} == contents, "nothing is changed"
    connection.execute("begin immediate")
    connection.execute("update sessions set auth_key = ?", (KEYS[1],))
    keytool.ok("telegram", "verify", path)
    connection.execute("commit")
    assert key_id(KEYS[1]) in keytool.ok("telegram", "verify", path).out


WRITER = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
keys = [bytes.fromhex(each) for each in sys.argv[2:]]
connection.execute("pragma synchronous = off")
print("ready", flush=True)
number = 0
while True:
    number += 1
    connection.execute("begin immediate")
    connection.execute("update sessions set auth_key = ?, port = ?", (keys[number % 2], number % 2))
    connection.execute("update entities set hash = ?", (number % 2 + 1,))
    connection.executemany("insert or replace into entities values (?, 5, null, null, ?, null)",
                           ((each, "n" * 200) for each in range(1, 100)))
    connection.execute("commit")
    time.sleep(.03)
"""


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_while_it_is_written(keytool, tmp_path, journal):
    """Key and user are of one transaction in each reading."""
    path = tmp_path / "bot.session"
    botsessions.open_telethon(path, KEYS[0], journal).close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, path, KEYS[0].hex(), KEYS[1].hex()],
                              stdout=subprocess.PIPE)
    try:
        writer.stdout.readline()
        users = {key_id(KEYS[0]): "1", key_id(KEYS[1]): "2"}
        read = 0
        for _ in range(20 if not ALL else 100):
            done = keytool("telegram", "verify", path, "--json")
            if done.code == 0:
                read += 1
                shown = done.json
                assert users[shown["id"]] == shown["user_id"] or shown["user_id"] == "777000"
            else:
                assert "is being written all the time" in done.err, done
        assert read > 0 and writer.poll() is None
    finally:
        writer.kill()
        writer.wait()


def test_a_file_that_is_locked(keytool, tmp_path):
    path = tmp_path / "bot.session"
    connection = botsessions.open_telethon(path, KEYS[0])
    connection.execute("begin exclusive")
    assert "is being written all the time" in keytool.fails(11, "telegram", "verify", path).err
    connection.execute("rollback")
    keytool.ok("telegram", "verify", path)


@pytest.mark.parametrize("library", LIBRARIES)
def test_damaged_files(keytool, write, tmp_path, library):
    """No trap, no piece of the key in a message, and nothing stored that is no key."""
    keytool.ok("telegram", "import", write("text", botsessions.pyrogram_text(KEYS[0])))
    path = tmp_path / "sound.session"
    keytool.ok("telegram", "export", "--format", library, "-o", path, "--reveal-private-key")
    sound, draw, codes = path.read_bytes(), random.Random(39), set()
    for _ in range(500 if ALL else 40):
        damaged = bytearray(sound)
        for _ in range(draw.randrange(1, 5)):
            page = draw.randrange(len(damaged) // 4096) * 4096
            damaged[page + draw.choice([draw.randrange(128), draw.randrange(4096)])] = draw.randrange(256)
        if draw.random() < .2:
            del damaged[draw.randrange(len(damaged)):]
        done = keytool("telegram", "verify", write("damaged.session", bytes(damaged)))
        codes.add(done.code)
        assert done.code in (0, 65), done
        assert KEYS[0].hex()[:16] not in done.out + done.err and botsessions.telethon_text(KEYS[0])[40:60] not in done.err
    assert codes == {0, 65}


def test_many_files(keytool, tmp_path):
    if not ALL:
        pytest.skip("make test-all")
    for number in range(200):
        key = random.Random(number).randbytes(256)
        path = tmp_path / f"{number}.session"
        connection = botsessions.open_telethon(path, key, ["wal", "delete"][number % 2])
        assert key_id(key) in keytool.ok("telegram", "verify", path).out
        connection.close()
