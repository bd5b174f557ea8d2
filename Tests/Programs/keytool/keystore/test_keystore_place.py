"""Which directory is the keystore: option, environment, systemd, XDG, home, in this order."""

import os
import pwd

import pytest


@pytest.fixture
def places(keytool, tmp_path):
    """The runner without --keystore, and a directory per place with its own identity."""
    made = {}
    for place in ("option", "environment", "state", "data", "home"):
        path = {"data": tmp_path / "data" / "keytool",
                "home": keytool.home / ".local/share/keytool"}.get(place, tmp_path / place)
        path.parent.mkdir(parents=True, exist_ok=True)
        keytool.with_keystore(path).ok("id", "create", "--id", f"{place.upper():0<8.8}")
        made[place] = path
    return keytool.with_keystore(None), made


def used(keytool, *options):
    (one,) = keytool.json("id", "list", *options)["identities"]
    return one["id"].rstrip("0").lower()


def test_order_of_places(places, tmp_path):
    keytool, made = places
    assert used(keytool) == "home"
    keytool = keytool.with_environment(XDG_DATA_HOME=tmp_path / "data")
    assert used(keytool) == "data"
    keytool = keytool.with_environment(STATE_DIRECTORY=f"{made['state']}:{tmp_path}/second")
    assert used(keytool) == "state"
    keytool = keytool.with_environment(KEYTOOL_KEYSTORE=made["environment"])
    assert used(keytool) == "environm"
    assert used(keytool, "--keystore", made["option"]) == "option"


def test_empty_variables_count_as_unset(places):
    keytool, _ = places
    empty = dict.fromkeys(("KEYTOOL_KEYSTORE", "STATE_DIRECTORY", "XDG_DATA_HOME"), "")
    assert used(keytool.with_environment(**empty)) == "home"


def test_home_unset(keytool):
    """The user database knows the home directory. Only looked at, never written to."""
    nowhere = keytool.with_keystore(None)
    entry = nowhere.with_environment(HOME=pwd.getpwuid(os.getuid()).pw_dir)("id", "list", "--json")
    for unset in (None, ""):
        result = nowhere.with_environment(HOME=unset)("id", "list", "--json")
        assert (result.code, result.out) == (entry.code, entry.out)


def test_default_keystore_is_made_with_its_parents(keytool):
    nowhere = keytool.with_keystore(None)
    nowhere.ok("id", "create")
    made = keytool.home / ".local/share/keytool"
    assert made.stat().st_mode & 0o7777 == 0o700
    assert (made / "master.key").exists()
