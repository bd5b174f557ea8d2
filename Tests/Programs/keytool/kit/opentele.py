"""Telegram Desktop's directory by opentele2, in the environment that Scripts/set-up makes: as version 7.3 writes it."""

import json
import subprocess

from kit.runner import REPOSITORY

PYTHON = REPOSITORY / ".build/opentele/bin/python"
SOURCE = """
import json, sys
from opentele2 import _native

def save(path, accounts, passcode):
    made = [_native.Account(index, user, main, [(dc, bytes.fromhex(key)) for dc, key in keys])
            for index, (user, main, keys) in enumerate(accounts)]
    _native.TData.new(made, passcode, True, 0).save(path)

def load(path, passcode):
    try:
        data = _native.TData.load(path, passcode)
    except _native.CoreError as error:
        return str(error)
    return data.local_key.hex()

order = json.load(sys.stdin)
print(json.dumps({"save": save, "load": load}[order.pop("what")](**order)))
"""


def carry_out(what, **given):
    assert PYTHON.exists(), f"{PYTHON} is missing: Scripts/set-up test"
    done = subprocess.run([PYTHON, "-c", SOURCE], input=json.dumps({"what": what, **given}), text=True, check=True,
                          capture_output=True, timeout=60)
    return json.loads(done.stdout)


def save(directory, accounts, passcode=""):
    """Writes the directory; the accounts stand at 0, 1, 2 …. Gives its path."""
    listed = [(each.user, each.main, [(dc, key.hex()) for dc, key in each.keys.items()]) for each in accounts]
    carry_out("save", path=str(directory), accounts=listed, passcode=passcode)
    return directory


def load(directory, passcode=""):
    """The local key, or the error's text."""
    found = carry_out("load", path=str(directory), passcode=passcode)
    try:
        return bytes.fromhex(found)
    except ValueError:
        return found
