"""Commands that change the Telegram accounts of a keystore, each with the place it starts from."""

from kit import botsessions, identityfiles, telegram
from kit.stages.accountstaged import AccountPlace, identity
from kit.stages.scenes import Scene, nothing
from kit.telegram import KEYS, Account, key_id

ONE = Account({2: KEYS[0], 4: KEYS[1]}, user=7)
TWO = Account({1: KEYS[2]}, user=5, main=1)
FEWER = Account({2: KEYS[0]}, user=7)


class TelegramPlace(AccountPlace):
    """Looked at: the texts of the accounts."""

    messenger = "telegram"

    def __init__(self, path):
        super().__init__(path)
        for name, accounts in {"one": [ONE], "both": [ONE, TWO], "fewer": [FEWER]}.items():
            telegram.tdata(self.home / name, accounts)
        botsessions.open_telethon(self.home / "bot.session", ONE.keys[2], user=7).close()

    def account(self, directory, key):
        return identityfiles.opened(directory / "account", key)


def fewer(place):
    place.keytool.ok("telegram", "import", place.home / "fewer")


def imported(name):
    return lambda place: ["telegram", "import", place.home / name]


def mark(place):
    return ["telegram", "mark-lost", key_id(KEYS[0])]


SCENES = {
    "first": Scene(nothing, imported("one"), (0,), has_steps=True),
    "beside": Scene(identity, imported("one"), (0,)),
    "two": Scene(identity, imported("both"), (0,), has_steps=True),
    "session": Scene(identity, imported("bot.session"), (0,)),
    "extend": Scene(fewer, imported("one"), (0,)),
    "mark-lost": Scene(fewer, mark, (0,)),
}
