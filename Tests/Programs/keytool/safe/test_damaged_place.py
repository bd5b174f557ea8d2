"""The setup of one of two Safe places is damaged: whatever finds that names this place, and not that of the command."""

import pytest

from kit import identityfiles
from kit.archives import RECIPIENT
from kit.servers.safedirectory import SafeDirectory
from kit.stages.place import NEW_PASSWORD

ID = "ABCD1234"


@pytest.fixture(params=["nas", "main"])
def damaged(request, safe, tmp_path):
    """Two places with one Safe password, both pushed; `broken` is damaged, `sound` is not."""
    safe.nas = SafeDirectory(tmp_path / "nas")
    safe.keytool.ok("safe", "setup", "--name", "nas", "--same-password", "--create", "--server", safe.nas.url)
    safe.keytool.ok("safe", "push")
    safe.broken, safe.sound = request.param, "main" if request.param == "nas" else "nas"
    path = identityfiles.directory(safe.keytool.keystore, ID) / "places" / safe.broken / "safe"
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    return safe


def test_each_finder_names_it(damaged, tmp_path, safe_password, write):
    new = write("new", NEW_PASSWORD + b"\n")
    third = ["--create", "--server", f"file://{tmp_path}/third"]
    for command in (
        ["safe", "move", "--name", damaged.sound, *third],
        ["safe", "setup", "--name", "third", *third, *safe_password],
        ["safe", "pull", "--id", ID, "--name", "third", "--server", damaged.nas.url, *safe_password],
        ["safe", "push", "--name", damaged.broken],
        ["safe", "schedule"],
        ["backup", "kit", "-o", tmp_path / "kit.pdf", "--backup-password-file", new],
        ["archive", "export", "-o", tmp_path / "archive.age", "--recipient", RECIPIENT],
    ):
        err = damaged.keytool.fails(65, *command).err
        assert f"of {ID} at the place {damaged.broken} is damaged" in err, err
        assert f"keytool safe delete --name {damaged.broken} --force {ID} forgets the setup" in err, err
        assert f"--name {damaged.sound}" not in err, err


def test_the_hint_leads_out(damaged):
    damaged.keytool.ok("safe", "delete", "--name", damaged.broken, "--force", "--yes", ID)
    assert damaged.keytool.json("safe", "push", "--force")["result"] == "uploaded"
    assert len(damaged.nas.names()) == len(damaged.directory.names()) == 1, "no backup was deleted"
