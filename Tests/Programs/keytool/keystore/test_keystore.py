"""The keystore directory: modes, owners, links, and who may be there at the same time."""

import os
import stat

import pytest

from kit.runner import snapshot

MAKES = ("id", "create", "--id", "ZZZZ9999")


def modes(directory):
    return {str(path.relative_to(directory)): stat.S_IMODE(path.lstat().st_mode)
            for path in [directory, *directory.rglob("*")]}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777], ids=oct)
def test_modes_do_not_depend_on_the_umask(keytool, tmp_path, umask):
    fresh = keytool.with_keystore(tmp_path / "fresh" / "keystore")
    (tmp_path / "fresh").mkdir(mode=0o700)
    fresh.ok("id", "create", "--id", "ABCD1234", umask=umask)
    found = modes(fresh.keystore)
    assert {"keystore", "master.key", "identities", "identities/threema/ABCD1234",
            "identities/threema/ABCD1234/identity"} <= set(found)
    for path, mode in found.items():
        expected = 0o700 if (fresh.keystore / path).is_dir() else 0o600
        assert mode == expected, (path, oct(mode))


def test_modes_after_everything(safe):
    safe.push()
    for path, mode in modes(safe.keytool.keystore).items():
        assert mode == (0o700 if (safe.keytool.keystore / path).is_dir() else 0o600), path


def test_nothing_else_lies_about(safe):
    safe.push()
    top = {path.name for path in safe.keytool.keystore.iterdir()}
    assert top == {"keystore", "master.key", "lock", "identities"}
    assert {path.name for path in (safe.keytool.keystore / "identities").iterdir()} == {"threema"}
    assert {path.name for path in (safe.keytool.keystore / "identities/threema").iterdir()} == {"ABCD1234"}
    home = safe.record("identity").parent
    records = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
    assert {"identity", "places/main/safe", "places/main/state.json"} <= records
    assert records <= {
        "identity", "profile", "places/main/safe", "places/main/state.json", "places/main/success", "lock"}


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o770, 0o704], ids=oct)
def test_keystore_that_others_can_read(keytool, mode):
    keytool.ok("id", "create", "--id", "ABCD1234")
    keytool.keystore.chmod(mode)
    before = snapshot(keytool.keystore)
    for command in (("id", "show"), ("id", "list"), MAKES):
        result = keytool.fails(77, *command)
        assert "chmod" in result.err and str(keytool.keystore) in result.err
    assert snapshot(keytool.keystore) == before
    keytool.keystore.chmod(0o700)
    keytool.ok("id", "show")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can use another user's keystore")
def test_root_does_not_use_another_users_keystore(keytool):
    keytool.ok("id", "create")
    for path in [keytool.keystore, *keytool.keystore.rglob("*")]:
        os.chown(path, 65534, 65534)
    assert "sudo -u" in keytool.fails(77, "id", "show").err
    keytool.fails(77, *MAKES)


# Links and other things where files belong

FILES = ["master.key", "keystore", "identities/threema/ABCD1234/identity"]


@pytest.fixture(params=FILES)
def record(keytool, request):
    keytool.ok("id", "create", "--id", "ABCD1234")
    return keytool.keystore / request.param


def test_symbolic_link_in_place_of_a_file(keytool, record, tmp_path):
    record.rename(tmp_path / "elsewhere")
    record.symlink_to(tmp_path / "elsewhere")
    keytool.fails(77, "id", "show")


def test_hard_link(keytool, record, tmp_path):
    os.link(record, tmp_path / "second name")
    keytool.fails(77, "id", "show")
    (tmp_path / "second name").unlink()
    keytool.ok("id", "show")


def test_fifo_in_place_of_a_file(keytool, record):
    record.unlink()
    os.mkfifo(record, 0o600)
    keytool.fails(77, "id", "show", timeout=60)


def test_directory_in_place_of_a_file(keytool, record):
    record.unlink()
    record.mkdir(mode=0o700)
    keytool.fails((65, 77), "id", "show")


@pytest.mark.parametrize("name", ["identities", "identities/threema/ABCD1234"])
def test_symbolic_link_in_place_of_a_directory(keytool, tmp_path, name):
    keytool.ok("id", "create", "--id", "ABCD1234")
    (keytool.keystore / name).rename(tmp_path / "elsewhere")
    (keytool.keystore / name).symlink_to(tmp_path / "elsewhere")
    keytool.fails(77, "id", "show", "ABCD1234")


def test_dangling_link_in_place_of_the_master_key(keytool, tmp_path):
    (keytool.keystore / "master.key").symlink_to(tmp_path / "planted")
    keytool.fails(77, "id", "create")
    assert not (tmp_path / "planted").exists()


def test_link_to_the_keystore_itself(keytool, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    (tmp_path / "link").symlink_to(keytool.keystore)
    linked = keytool.with_keystore(tmp_path / "link")
    assert linked.json("id", "show")["id"] == "ABCD1234"


def test_link_to_the_keystore_that_others_could_turn(keytool, tmp_path):
    keytool.ok("id", "create", "--id", "ABCD1234")
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o777)
    (public / "link").symlink_to(keytool.keystore)
    keytool.with_keystore(public / "link").fails(77, "id", "show")
    public.chmod(0o1777)
    keytool.with_keystore(public / "link").ok("id", "show")


def test_file_in_place_of_the_keystore(keytool, write):
    assert keytool.with_keystore(write("file", "")).fails((73, 77), "id", "create")


def test_keystore_whose_parent_is_missing(keytool, tmp_path):
    deep = keytool.with_keystore(tmp_path / "a" / "b" / "keystore")
    result = deep("id", "create")
    assert result.code in (0, 73), result
    if result.code:
        assert not (tmp_path / "a").exists(), "on a failure nothing new exists"
    else:
        assert set(modes(tmp_path / "a").values()) <= {0o700, 0o600}
