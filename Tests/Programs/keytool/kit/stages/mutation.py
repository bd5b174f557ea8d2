"""Changes of a JSON file at random: bits, bytes, pieces, and the values of its members."""

import copy
import json

LITERALS = [None, True, False, 0, -1, 1, 2**63 - 1, -(2**63), 2**64, 1.8e12, 1799999999999,
            "", "00", "0" * 64, "é", [], {}, {"version": 1}]


class Mutation:
    """`chance`: a random.Random, whose seed says which changes these are."""

    def __init__(self, original, chance):
        self.original, self.chance = original, chance

    def next(self):
        file = self.original
        for _ in range(self.chance.randint(1, 3)):
            file = self._changed(file)
        return file

    def _changed(self, file):
        if not file:
            return b"   "
        place = self.chance.randrange(len(file))
        end = min(len(file), place + self.chance.randint(1, 20))
        way = self.chance.randrange(8)
        if way in (0, 1):
            bits = self.chance.randrange(1, 256) if way else 1 << self.chance.randrange(8)
            return file[:place] + bytes([file[place] ^ bits]) + file[place + 1 :]
        if way == 2:
            return file[:place] + file[end:]
        if way == 3:
            return file[:end] + file[place:end] + file[end:]
        if way == 4:
            return file[:place]
        try:
            root = json.loads(file)
        except ValueError:  # an earlier change
            return file
        return json.dumps(self._edited(root), ensure_ascii=False, separators=(",", ":")).encode(
            errors="surrogatepass")

    def _edited(self, value):
        if not isinstance(value, dict) or not value:
            return self._literal()
        value = copy.copy(value)
        name = self.chance.choice(list(value))
        way = self.chance.randrange(6)
        if way == 0:
            del value[name]
        elif way == 1:
            value["added"] = self._literal()
        elif way == 2:
            value["renamed"] = value.pop(name)
        elif way == 3:  # another member's value
            value[name] = value[self.chance.choice(list(value))]
        elif isinstance(value[name], dict):
            value[name] = self._edited(value[name])
        elif isinstance(value[name], int) and self.chance.random() < 0.5:
            value[name] += self.chance.choice([-1, 1, -86_400_000, 86_400_000, 10**12])
        else:
            value[name] = self._literal()
        return value

    def _literal(self):
        return copy.copy(self.chance.choice(LITERALS))


def meaning(file):
    """What a JSON file says, however it is spelled; None for what is no JSON to a strict reader."""
    try:
        return json.loads(file.decode(), object_pairs_hook=_once, parse_constant=_none,
                          parse_int=lambda n: ("number", n), parse_float=lambda n: ("number", n))
    except (ValueError, RecursionError):
        return None


def _once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name twice")
    return members


def _none(literal):
    raise ValueError(literal)
