"""Draws data backups at random: names with everything that CSV has to quote, all versions."""

import io

from PIL import Image

from kit import databackup as d
from kit import oracle

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PIECES = ["Anna", "Müller", "李", "🐈", "👩‍👩‍👧", "é", "e\u0301", '"', '""', "\\", "\\\\", "\\n", ",", ";", "\n", "\r", "\r\n", " ",
          "\t", "'", "=1+1", "\u202e", "\ufeff", "\x1b[31m", "0", "null"]
PASSWORDS = ["battery staple 9", "pässwörd €uro", "🐈 cat on a roof", "       8", "e\u0301e\u0301e\u0301e\u0301x"]


def id(chance):
    return chance.choice(LETTERS + "*") + "".join(chance.choices(LETTERS, k=7))


def text(chance):
    return "".join(chance.choices(PIECES, k=chance.randrange(5)))


def time(chance):
    return chance.choice([None, 0, 1, 1700000000000, 2**53])


def picture(chance, side=40):
    image = Image.new("RGB", (side, side), tuple(chance.randbytes(3)))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=60)
    return out.getvalue()


def backup(chance, contacts=None):
    own = id(chance)
    ids = {own}
    while len(ids) <= (chance.randrange(12) if contacts is None else contacts):
        ids.add(id(chance))
    others = sorted(ids - {own})
    chance.shuffle(others)
    everybody = [*others, own]

    def members():
        return tuple(chance.sample(everybody, chance.randrange(min(len(everybody), 300) + 1)))

    return d.Backup(
        oracle.Identity(own, chance.randbytes(32)),
        tuple(d.Contact(one, chance.randbytes(32), chance.randrange(3), text(chance), text(chance), text(chance),
                        time(chance), chance.random() < 0.3, chance.random() < 0.3, f"{n:010}")
              for n, one in enumerate(others)),
        tuple(d.Group(f"{n + (chance.randrange(2**56) << 8):016x}", chance.choice(everybody), text(chance), time(chance),
                      time(chance), members(), chance.randrange(3), chance.random() < 0.2, f"{n:010}")
              for n in range(chance.randrange(4))),
        tuple(d.DistributionList(chance.choice([n + 1, 2**63 - 1 - n]), text(chance), time(chance), time(chance), members())
              for n in range(chance.randrange(3))),
        picture(chance) if chance.random() < 0.3 else None, chance.randrange(3), chance.randrange(3))
