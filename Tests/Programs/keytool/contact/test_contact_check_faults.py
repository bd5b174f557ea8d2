"""contact check beside its record: killed at any system call, or with a disk that fails there, the record is the old one
or the new one, nothing else changes, and the next run says what there is to say."""

import pytest
from nacl import bindings

from kit import archives, identityfiles, masterkey
from kit.processes import injection
from kit.servers.directoryrequests import INVALID
from kit.stages.place import ID, Place
from kit.stages.scenes import Scene, archive_file, archive_import
from kit.stages.staged import DISK_CODES, RepeatedStaged

OWN = bytes(range(1, 33))
ANN, BOB = "ANNANNAN", "BOBBOBBO"
KEYS = {ANN: bytes(range(32)), BOB: bytes(range(2, 34))}


class CheckPlace(Place):
    """Looked at: the identity's records, and the states without the times at which they were asked for."""

    def view(self, drawn=()):
        key = masterkey.read(self.keytool)
        directory = identityfiles.directory(self.keystore, ID)
        records = {path.name: identityfiles.opened(path, key)
                   for path in directory.iterdir() if path.name in ("identity", "profile", "contactstates")}
        states = records.pop("contactstates", b"")
        return {"states": [states[at:at + 41] for at in range(9, len(states), 49)], "records": records,
                "others": sorted(path.name for path in directory.glob("[!.]*") if path.name not in ("lock", "contactstates"))}


def holds(*contacts):
    """The identity with these contacts and a directory, which was not asked for their states yet."""
    def prepare(place):
        archive_file(place, *archives.threema(ID, OWN))
        place.keytool.ok(*archive_import(place))
        place.keytool.ok("contact", "add", ANN, KEYS[ANN].hex(), *place.at)
        for contact in contacts:
            place.keytool.ok("contact", "add", contact, KEYS[contact].hex())
    return prepare


def revoked(place):
    """BOB was revoked, and nobody has acknowledged it."""
    holds(BOB)(place)
    assert place.keytool("contact", "check").code == 10


SCENES = {
    "first": Scene(holds(), lambda place: ["contact", "check"], (0,)),
    "seen": Scene(revoked, lambda place: ["contact", "check", "--seen", BOB], (0,)),
}


@pytest.fixture
def world(built, id_directory, at):
    injection.require_tracing()
    id_directory.add(ID, bindings.crypto_scalarmult_base(OWN))
    id_directory.add(ANN, KEYS[ANN])
    id_directory.add(BOB, KEYS[BOB], state=INVALID)
    CheckPlace.at = at


class CheckStaged(RepeatedStaged):
    def nothing_is_lost(self, place):
        assert self.names(place), f"neither the old state nor the new one: {self.view(place)}"

    def goes_on(self, place):
        result = place.keytool(*self.scene.command(place))
        assert result.code == 0 and "new" in self.names(place), f"{result}{self.view(place)}"
        assert not place.temporary(), f"left {place.temporary()}: {result}"

    def _blobs(self, place):
        return []


@pytest.fixture
def stage(world, tmp_path):
    return lambda name: CheckStaged(SCENES[name], tmp_path / name, CheckPlace)


@pytest.mark.parametrize("name", SCENES)
def test_killed(stage, name):
    staged = stage(name)
    staged.kill_each(staged.points)


@pytest.mark.parametrize("error", DISK_CODES)
@pytest.mark.parametrize("name", SCENES)
def test_failing_calls(stage, name, error):
    staged = stage(name)
    staged.fail_each(staged.share(staged.points, error), error)


def test_a_finding_is_told_whatever_the_disk_does(stage, id_directory):
    """Answers that cannot be stored are an alarm all the more."""
    staged = stage("first")
    points = staged.points
    id_directory.add(ANN, KEYS[BOB])

    codes = []

    def check(place, point):
        result = injection.fail(place.keytool, point, "EIO", *staged.scene.command(place))
        codes.append(result.code)
        # A disk that fails before the directory is asked leaves nothing to tell.
        assert result.code in (19, 74), result
        assert place.keytool("contact", "check").code == 19

    staged.each(points, check)
    assert codes.count(19) > len(codes) / 2
