"""Sessions of bots: written and read by Telethon and by Kurigram, Pyrogram's successor, in the environments that
Scripts/set-up makes, and by Python's SQLite."""

import base64
import json
import sqlite3
import struct
import subprocess

from kit.runner import REPOSITORY

TELETHON = """
import json, sys
from telethon.sessions import SQLiteSession, StringSession
from telethon.crypto import AuthKey
order = json.load(sys.stdin)
if order["what"] == "write":
    file = SQLiteSession(order["path"])
    file.set_dc(2, "149.154.167.51", 443)
    file.auth_key = AuthKey(bytes.fromhex(order["key"]))
    file.save()
    print(json.dumps(StringSession.save(file)))
else:
    file = SQLiteSession(order["path"]) if order["what"] == "read" else StringSession(order["text"])
    print(json.dumps([file.dc_id, file.server_address, file.port, file.auth_key.key.hex()]))
"""
PYROGRAM = """
import asyncio, json, sys
from pathlib import Path
from pyrogram.storage import SQLiteStorage
order = json.load(sys.stdin)
async def main():
    if order["what"] == "text":
        storage = SQLiteStorage("x", Path("."), session_string=order["text"], in_memory=True)
    else:
        path = Path(order["path"])
        storage = SQLiteStorage(path.stem, path.parent, use_wal=order.get("wal", False))
    await storage.open()
    if order["what"] == "write":
        for name, value in (("dc_id", 2), ("api_id", 12345), ("test_mode", False), ("user_id", 777000),
                            ("is_bot", True), ("date", 1), ("auth_key", bytes.fromhex(order["key"]))):
            await getattr(storage, name)(value)
        await storage.save()
        print(json.dumps(await storage.export_session_string()))
    else:
        print(json.dumps([await storage.dc_id(), (await storage.auth_key()).hex(), await storage.user_id(),
                          bool(await storage.is_bot()), await storage.api_id()]))
    await storage.close()
asyncio.run(main())
"""
SOURCES = {"telethon": ("opentele", TELETHON), "pyrogram": ("kurigram", PYROGRAM)}


def carry_out(library, what, **given):
    environment, source = SOURCES[library]
    python = REPOSITORY / ".build" / environment / "bin/python"
    assert python.exists(), f"{python} is missing: Scripts/set-up test"
    given = {name: str(value) if name == "path" else value for name, value in given.items()}
    done = subprocess.run([python, "-c", source], input=json.dumps({"what": what, **given}), text=True, check=True,
                          capture_output=True, timeout=60)
    return json.loads(done.stdout.splitlines()[-1])


def write(library, path, key, **given):
    """Writes a session file; gives its text."""
    return carry_out(library, "write", path=path, key=key.hex(), **given)


def telethon_text(key, dc=2):
    return "1" + base64.urlsafe_b64encode(struct.pack(">B4sH256s", dc, bytes([149, 154, 167, 51]), 443, key)).decode()


def pyrogram_text(key, user=777000):
    packed = struct.pack(">BI?256sQ?", 2, 12345, False, key, user, True)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def open_telethon(path, key, journal="delete", user=777000):
    """A file of version 7, and the connection of the bot that has it open."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"pragma journal_mode = {journal}")
    connection.executescript(
        "create table version (version integer primary key); insert into version values (7);"
        "create table sessions (dc_id integer primary key, server_address text, port integer, auth_key blob,"
        " takeout_id integer);"
        "create table entities (id integer primary key, hash integer not null, username text, phone integer,"
        " name text, date integer);")
    connection.execute("insert into sessions values (2, '149.154.167.51', 443, ?, null)", (key,))
    connection.execute("insert into entities values (0, ?, null, null, null, null)", (user,))
    return connection
