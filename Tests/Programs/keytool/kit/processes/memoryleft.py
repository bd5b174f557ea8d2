"""What may be found outside guarded pages, and why; everything else is a leak."""

from typing import NamedTuple


class Known(NamedTuple):
    secret: str  # how its name begins
    spellings: tuple
    places: tuple
    why: str


KNOWN = (
    Known("backup id of", ("hex",), ("[heap]", "[stack]", "", "core"),
          "it is the name of the backup's file, so that it is in paths, which are ordinary text"),
)
PLACE = "the keystore's path"


def unexpected(memory, house, is_whole=True):
    """What is found of the house's secrets where it may not be.

    `is_whole`: the memory holds argv, so that a scan which does not find that path is blind.
    """
    found = memory.find({**house.secrets, PLACE: str(house.keystore).encode()})
    assert not is_whole or any(one.secret == PLACE for one in found), "the scan is blind"
    return [one for one in found
            if one.secret != PLACE and not one.mapping.is_guarded and not _is_known(one)]


def without_sentences(left):
    """Programs have sentences, and so the end of one word and the beginning of another: once or twice by chance, while a
    copy of a share leaves many."""
    met = {one.secret for one in left if " in share " in one.secret and "/" not in one.mapping.name}
    return [one for one in left if " in share " not in one.secret or len(met) > 2 and one.secret in met]


def _is_known(found):
    return any(found.secret.startswith(known.secret) and found.spelling in known.spellings
               and found.mapping.name in known.places for known in KNOWN)
