"""Commands that seal something new in a keystore without a passphrase print a note."""

import os

import pytest

from kit import keyfiles
from kit.stages.opening import filled, place, ready  # fixtures

SEALING = ["id create", "backup import", "safe setup"]
NOTE = "the keystore is not protected by a passphrase"


@pytest.mark.parametrize("name", SEALING)
def test_sealing_something_new_says_so(place, name):
    assert NOTE in place.keytool.ok(*filled(place, name)).err
    place.bring_back("ready")
    assert NOTE not in place.keytool.ok(*filled(place, name), "-q").err
    if name != "safe setup":
        place.bring_back("ready")
        assert NOTE not in place.keytool.ok(*filled(place, name), "--no-passphrase").err


def test_a_bare_key_file_says_so(keytool, write):
    file = write("key.dat", keyfiles.wrap_v2(bytes(range(32))))
    assert NOTE not in keytool.ok("key", "import", "--check", file).err
    assert NOTE not in keytool.ok("key", "import", file, "--no-passphrase").err
    assert NOTE not in keytool.ok("key", "import", file, "-q").err
    assert NOTE in keytool.ok("key", "import", file).err


@pytest.mark.parametrize("noun", ["telegram", "textsecure", "sophaxchat"])
def test_lists_of_one_messenger_do_not_repeat_it(keytool, tmp_path, noun):
    (tmp_path / "key").write_bytes(os.urandom(256))
    keytool.ok("telegram", "import", tmp_path / "key", "--dc", "2")
    keytool.ok("textsecure", "init", "--number", "+41791234567")
    keytool.ok("sophaxchat", "init", "--username", "alice")
    listed = keytool.ok(noun, "list")
    assert listed.out and NOTE not in listed.err
    assert NOTE in keytool.ok("id", "list").err
