"""The accounts of a messenger, staged: what holds however a command that changes them is interrupted."""

from kit import identityfiles, masterkey
from kit.stages.place import OTHER_ID, Place
from kit.stages.staged import RepeatedStaged


class AccountPlace(Place):
    """Looked at: the accounts of one messenger, unsealed by Python, and Threema's identities beside them."""

    messenger: str

    def account(self, directory, key):
        """What is compared of an account, from its directory."""
        raise NotImplementedError

    def view(self, drawn=()):
        if not masterkey.file(self.keytool).exists():
            return None
        key = masterkey.read(self.keytool)
        assert identityfiles.opened(self.keystore / "keystore", key)
        directories = (self.keystore / "identities" / self.messenger).glob("[!.]*")
        return ([directory.name for directory in identityfiles.directories(self.keystore)],
                {directory.name: self.account(directory, key) for directory in directories})


class AccountStaged(RepeatedStaged):
    def nothing_is_lost(self, place):
        """Right after the interruption, before anything else has run."""
        now, known = self.view(place), self.views[place]
        if not self.scene.has_steps:
            assert self.names(place), f"neither the old state nor the new one: {now}"
        if now is None:
            assert known["old"] is None
            return
        old, new = known["old"] or ([], {}), known["new"]
        assert now[0] == old[0], "an identity is gone"
        assert set(old[1]) <= set(now[1]) <= set(new[1])
        for id, account in now[1].items():
            assert account in (old[1].get(id), new[1][id]), f"half of {id}"

    def goes_on(self, place):
        """The same command finishes the work, and nothing is left of the interrupted one."""
        result = place.keytool(*self.scene.command(place))
        assert result.code in self.scene.nexts, result
        assert "new" in self.names(place), f"{result}{self.view(place)}"
        assert not place.temporary(), f"left {place.temporary()}: {result}"


def identity(place):
    """An identity of Threema stands beside the accounts."""
    place.keytool.ok("id", "create", "--id", OTHER_ID)
