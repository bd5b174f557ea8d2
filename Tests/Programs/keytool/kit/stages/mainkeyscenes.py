"""Commands that change the protections of a MainKey, each with the place it starts from."""

from kit import agefile, mainkeys
from kit.mainkeys import AGE_KEY, AGE_PIN, KEY, KEY_ID, NEW_PIN, NONE, PIN, RECIPIENTS
from kit.stages.place import ID, Place
from kit.stages.scenes import Scene

SECRET = bytes(range(40, 72))
RECIPIENT, IDENTITY = agefile.recipient_text(SECRET), agefile.identity_text(SECRET)


class MainKeyPlace(Place):
    """Looked at: by what the protections open to."""

    def __init__(self, path):
        super().__init__(path)
        for name, content in {"pin": PIN, "new-pin": NEW_PIN, "identity": IDENTITY.encode()}.items():
            (self.home / name).write_bytes(content)
            (self.home / name).chmod(0o600)

    def view(self, drawn=()):
        """The kinds of each key's protections, with the PIN that opens it; all of them hold the same key."""
        found = {}
        for id in mainkeys.ids(self.keystore):
            parts = mainkeys.protections(self.keytool, id)
            kinds, keys = [], set()
            for kind, content in parts.items():
                if kind == NONE:
                    kinds.append("none")
                    keys.add(content)
                elif kind == AGE_PIN:
                    name, key = opened(content)
                    kinds.append(name)
                    keys.add(key)
                elif kind == AGE_KEY:
                    kinds.append("key")
                    keys.add(agefile.open_file(content, identity=SECRET))
            (key,) = keys
            assert mainkeys.check_value(key) == id, "it holds another key"
            found["drawn" if drawn else id] = tuple(kinds)
        return found


def opened(file):
    for name, pin in (("pin", PIN), ("new-pin", NEW_PIN)):
        try:
            return name, agefile.open_file(file, passphrase=pin)
        except agefile.Refused:
            pass
    raise AssertionError("no PIN opens it")


def held(*kinds):
    def prepare(place):
        place.keytool.ok("id", "create", "--id", ID)
        parts = {}
        if NONE in kinds:
            parts[NONE] = KEY
        if AGE_PIN in kinds:
            parts[AGE_PIN] = mainkeys.under_pin(KEY)
        if AGE_KEY in kinds:
            parts |= {AGE_KEY: mainkeys.for_key(KEY, RECIPIENT), RECIPIENTS: RECIPIENT.encode()}
        mainkeys.put(place.keytool, KEY_ID, parts)

    return prepare


def command(*words, pin=False, new_pin=False, identity=False):
    def make(place):
        options = []
        if pin:
            options += ["--pin-file", place.home / "pin"]
        if new_pin:
            options += ["--new-pin-file", place.home / "new-pin"]
        if identity:
            options += ["--identity", place.home / "identity"]
        return ["mainkey", *words, *options]

    return make


def scene(prepare, command, *codes, **more):
    """`codes`: with which the same command may end where it was done already."""
    return Scene(prepare, command, (0, *codes), **more)


# Those that write a PIN derive its key, which takes a second each time.
COSTLY = {"protect-pin", "passwd"}
SCENES = {
    "init": scene(held(AGE_KEY), command("init", "--another", "--no-pin"), drawn=("another",)),
    "protect-pin": scene(held(NONE), command("protect", "pin", new_pin=True), 17),
    "protect-key": scene(held(NONE), command("protect", "key", RECIPIENT, identity=True), 17),
    "protect-key-beside": scene(held(AGE_PIN), command("protect", "key", RECIPIENT, pin=True), 17),
    "protect-none": scene(held(AGE_PIN), command("protect", "none", "--yes", pin=True), 17),
    "passwd": scene(held(AGE_KEY, AGE_PIN), command("passwd", identity=True, new_pin=True)),
    "remove-key": scene(held(AGE_KEY, AGE_PIN), command("remove", "key", pin=True), 10),
    "remove-last": scene(held(AGE_PIN), command("remove", "pin", "--yes", pin=True), 10, 12),
    "remove-none": scene(held(NONE, AGE_PIN), command("remove", "none", pin=True), 10),
    "wipe": scene(held(AGE_PIN), command("wipe", "--yes", KEY_ID), 10),
    "timeout": scene(held(AGE_PIN), command("timeout", "5")),
}
