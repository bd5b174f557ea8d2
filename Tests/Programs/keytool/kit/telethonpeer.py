"""Packets of version 1 by telethon 0.15, the last one with it, in the environment that Scripts/set-up makes."""

import json
import subprocess

from kit.runner import REPOSITORY

PYTHON = REPOSITORY / ".build/telegram/bin/python"
SOURCE = """
import hashlib, json, os, struct, sys
import tgcrypto
from telethon import helpers

def seal(key, client, salt, session, id, sequence, data):
    plain = salt + session + struct.pack("<QII", id, sequence, len(data)) + data
    message_key = helpers.calc_msg_key(plain)
    aes_key, iv = helpers.calc_key(key, message_key, client)
    sealed = tgcrypto.ige256_encrypt(plain + os.urandom(-len(plain) % 16), aes_key, iv)
    return {"packet": (hashlib.sha1(key).digest()[-8:] + message_key + sealed).hex()}

def open_packet(key, client, packet):
    assert packet[:8] == hashlib.sha1(key).digest()[-8:]
    aes_key, iv = helpers.calc_key(key, packet[8:24], client)
    plain = tgcrypto.ige256_decrypt(packet[24:], aes_key, iv)
    id, sequence, length = struct.unpack("<QII", plain[16:32])
    assert helpers.calc_msg_key(plain[:32 + length]) == packet[8:24] and len(plain) - 32 - length < 16
    return {"salt": plain[:8].hex(), "session": plain[8:16].hex(), "id": id, "sequence": sequence,
            "data": plain[32:32 + length].hex()}

order = json.load(sys.stdin)
bytes_of = lambda value: bytes.fromhex(value) if isinstance(value, str) else value
what = order.pop("what")
print(json.dumps({"seal": seal, "open": open_packet}[what](**{name: bytes_of(v) for name, v in order.items()})))
"""


def carry_out(what, **given):
    assert PYTHON.exists(), f"{PYTHON} is missing: Scripts/set-up test"
    order = {name: value.hex() if isinstance(value, bytes) else value for name, value in given.items()}
    done = subprocess.run([PYTHON, "-c", SOURCE], input=json.dumps({"what": what, **order}), text=True, check=True,
                          capture_output=True, timeout=60)
    return json.loads(done.stdout)
