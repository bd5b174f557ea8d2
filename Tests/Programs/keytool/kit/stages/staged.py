"""A scene prepared in two places, and the checks that hold however its command is interrupted."""

import base64
import functools
import re

from kit import identityfiles
from kit.processes.injection import SYNCING, fail, kill, points, without_waiting
from kit.runner import on_two_processors, program
from kit.sampling import in_turn, share
from kit.stages.place import ID, OTHER_ID, Place
from kit.stages.scenes import ANY, DELETION_INTERRUPTED, SCENES

CANT_CREATE, IO = 73, 74
# The exit codes of a disk that fails, where no Safe is involved.
DISK_CODES = {"ENOSPC": {IO}, "EIO": {IO}, "EROFS": {IO, CANT_CREATE}}


@functools.lru_cache(maxsize=None)  # the same for kills and for each error
def stage(name, root):
    return Staged(SCENES[name], root / name)


def each(places, items, check):
    """check(place, item), each on the place as it was kept under "old", in both places at once; names all items that
    failed."""
    failed = []

    def work(place, share):
        for item in share:
            place.bring_back("old")
            try:
                check(place, item)
            except AssertionError as problem:
                words = str(problem).split("\nassert ")[0]
                failed.append(f"at {item}:\n    {words}")

    assert items
    on_two_processors(work, places, items)
    assert not failed, f"{len(failed)} of {len(items)}\n" + "\n".join(failed)


class Staged:
    """A scene in two places, with the calls of its command and the views before and after."""

    def __init__(self, scene, root, make_place=Place):
        self.scene, self.views, self.blobs, self.strangers = scene, {}, {}, {}
        root.mkdir()
        self.places = [make_place(root / name) for name in ("one", "two")]
        on_two_processors(self._prepare, self.places, [None, None])

    @functools.cached_property
    def points(self):
        place = self.places[0]
        place.bring_back("old")
        return points(place.keytool, *self.scene.command(place))

    def _prepare(self, place, _):
        self.scene.prepare(place)
        place.add_strangers()
        place.keep("old")
        old = self.view(place)
        self.blobs[place], self.strangers[place] = self._blobs(place), place.strangers()
        without_waiting(place.keytool).ok(*self.scene.command(place))
        self.views[place] = {"old": old, "new": self.view(place)}
        place.bring_back("old")

    def each(self, items, check):
        each(self.places, items, check)

    def share(self, items, error):
        """The items for one of the errors of a disk: these differ in little but their name, so they share the calls."""
        return share(items, list(DISK_CODES).index(error), len(DISK_CODES))

    def judge_disk(self, place, point, result, error, errors=(1,)):
        """How a command ended whose call at `point` failed. `errors`: how many of them it may name."""
        if result.code == 0:
            assert point.call not in SYNCING, f"a failed fsync went unnoticed: {result}"
            assert "new" in self.names(place), f"it was not done: {result}"
        else:
            assert result.code in DISK_CODES[error], result
            assert len(re.findall(rf"^{program(result.arguments)}: error: \S", result.err, re.M)) in errors, result

    def view(self, place):
        return place.view(self.scene.drawn)

    def _blobs(self, place):
        return place.blobs() if identityfiles.directory(place.keystore, ID).exists() else []

    def names(self, place):
        """Which of the states "old" and "new" this is; none, one, or both where they look alike."""
        now = self.view(place)
        return {name for name, view in self.views[place].items() if view == now}

    def nothing_is_lost(self, place):
        """Right after the interruption, before anything else has run."""
        now, known = self.view(place), self.views[place]
        if not self.scene.has_steps:
            assert self.names(place), f"neither the old state nor the new one: {now}"
        for id in (ID, OTHER_ID):
            assert key(now, id) in (key(known["old"], id), key(known["new"], id)), \
                f"{id} is neither what it was nor what it was to become"
        if known["old"]["backups"] and not self.scene.deletes_backup and not self.scene.has_no_good_backup:
            assert any(self.is_good(place, backup) for backup in now["backups"]), \
                f"there is no good backup: {now['backups']}"
        if self.blobs[place]:
            blobs = place.blobs()
            assert all(blob in blobs for blob in self.blobs[place]), "a backup is gone, and the history has it not"
        assert place.strangers() == self.strangers[place], "somebody else's backup was touched"
        listed = place.keytool.json("id", "list")["identities"]
        assert [one["id"] for one in listed] == list(now["identities"]), listed

    def goes_on(self, place, next):
        """The next command ends as it is documented and leaves nothing behind."""
        has_begun = "old" not in self.names(place)
        result = without_waiting(place.keytool)(*next.command(place))
        assert result.code in next.leads_to, f"expected {list(next.leads_to)}: {result}"
        ends = next.leads_to[result.code]
        if has_begun and ends and "new" in ends:
            ends = {"new"}
        assert ends is ANY or self.names(place) & ends, f"not {ends}: {result}{self.view(place)}"
        if result.code == DELETION_INTERRUPTED and self.scene.deletes_backup:
            self.both_ways_out(place)
            return
        # What refuses takes no identity's lock, and clears nothing away that was left under it.
        left = [name for name in place.temporary() if result.code == 0 or f"identities/threema/{ID}/" not in name]
        assert not left, f"left {left}: {result}"
        if "safe" in self.view(place)["identities"].get(ID, {}):
            self.push_keeps_its_word(place)

    def both_ways_out(self, place):
        """A push after a deletion that was interrupted has refused, and named two commands."""
        place.keep("refused")
        result = without_waiting(place.keytool)("safe", "push", "--resume-deleted")
        assert result.code == 0, result
        self.push_keeps_its_word(place)
        place.bring_back("refused")
        result = without_waiting(place.keytool)("safe", "delete", "--yes")
        assert result.code == 0 and not place.backups(), result

    def push_keeps_its_word(self, place):
        """Whatever a push says: where it ends well, there is exactly one backup, a good one."""
        result = without_waiting(place.keytool)("safe", "push")
        if self.scene.has_others_backup and result.code == 20:
            return
        assert result.code == 0, result
        backups = place.backups()
        assert len(backups) == 1 and self.is_good(place, backups[0]), f"{result}{backups}"
        assert not place.temporary(), f"left {place.temporary()}: {result}"

    def is_good(self, place, backup):
        """No mixture of two states, either."""
        document, known = backup[-1], self.views[place]
        documents = [backup[-1] for view in known.values() for backup in view["backups"]]
        if self.scene.restores_earlier and document not in documents:
            contacts = [one["identity"] for one in document["contacts"]]
            return document["user"]["privatekey"] == key(known["new"], ID) and contacts == ["ECHOECHO"]
        if any(documents):
            return document is not None and document in documents
        held = key(known["old"], ID) or key(known["new"], ID)
        return document is not None and document["user"]["privatekey"] == held


def kill_at_each_call(staged):
    """Kills the scene's command at each of its calls that change files, and runs a next one, which ends as documented:
    the scene's next commands take turns, and each is tried after each call under `make test-all`."""
    scene, turns = staged.scene, {point: number for number, point in enumerate(staged.points)}

    def check(place, point):
        kill(place.keytool, point, *scene.command(place))
        staged.nothing_is_lost(place)
        has_safe = "safe" in staged.view(place)["identities"].get(ID, {})
        status = place.keytool("safe", "status", ID)
        assert status.code == (0 if has_safe else 10), status
        place.keep("killed")
        # Two neighbours have the same turn: every second call is another processor's.
        for next in in_turn(scene.nexts, turns[point] // 2):
            place.bring_back("killed")
            staged.goes_on(place, next)

    staged.each(staged.points, check)


def finishing_a_commit(points):
    """The calls that write out what the file `commit` holds: it stands and is synced, so the change is made, and what
    fails here is done by the next command. They end with the sync after it is removed."""
    finishing, state = set(), "before"
    for point in points:
        if "rename" in point.call and '"commit"' in point.text:
            state = "named"
        elif state == "named" and point.call in SYNCING:
            state = "made"
        elif state in ("made", "removed"):
            finishing.add(point)
            if state == "removed" and point.call in SYNCING:
                state = "before"
            elif "unlink" in point.call and '"commit"' in point.text:
                state = "removed"
    return finishing


def key(view, id):
    """The private key in Base64; where it is drawn in the run, its length."""
    record = view["identities"].get(id, {}).get("identity")
    return base64.b64encode(record[8:]).decode() if isinstance(record, bytes) else record


class RepeatedStaged(Staged):
    """A scene whose command finishes what was interrupted when it runs again. What holds right after the interruption
    (`nothing_is_lost`) and after the next run (`goes_on`) is the subclass's."""

    def kill_each(self, items):
        """Kills the command at each of these calls."""

        def check(place, point):
            kill(place.keytool, point, *self.scene.command(place))
            self.nothing_is_lost(place)
            self.goes_on(place)

        self.each(items, check)

    def fail_each(self, items, error, errors=(1,)):
        """Has each of these calls fail. `errors`: how many of them the command may name."""

        def check(place, point):
            result = fail(place.keytool, point, error, *self.scene.command(place))
            self.judge_disk(place, point, result, error, errors)
            assert not place.temporary(), f"left {place.temporary()}: {result}"
            self.nothing_is_lost(place)
            self.goes_on(place)

        self.each(items, check)
