"""The forms in which a secret may be in memory: whole, in pieces, and encoded."""

import base64
from typing import NamedTuple

PIECE = 8  # bytes: so short that a register spilled to the stack is one, too long for chance


class Needle(NamedTuple):
    secret: str
    spelling: str
    bytes: bytes
    offset: int  # of this piece in its spelling of the secret


def needles(secret, value):
    """Every spelling of the secret, cut into pieces: half a key on the stack is a find, too."""
    assert len(value) >= PIECE and len(set(value)) > 4, f"{secret} is found by chance"
    return [Needle(secret, spelling, piece, offset)
            for spelling, text in spellings(value).items()
            for offset, piece in pieces(text, PIECE if len(text) < 2 * len(value) else 2 * PIECE)]


def spellings(value):
    found = {
        "plain": value,
        "backwards": value[::-1],  # by pieces: 64-bit words of the other byte order
        "words backwards": words_backwards(value),  # SHA-256's blocks
        "hex": value.hex().encode(),
        "HEX": value.hex().upper().encode(),
        "XOR 36": bytes(byte ^ 0x36 for byte in value),  # HMAC's inner and outer key
        "XOR 5c": bytes(byte ^ 0x5C for byte in value),
        "UTF-16": b"".join(bytes([byte, 0]) for byte in value),
    }
    if found["hex"] == found["HEX"]:
        del found["HEX"]
    for before in range(3):  # where it begins within three bytes
        found[f"Base64 at {before}"] = base64_within(value, before)
    return found


def words_backwards(value):
    return b"".join(value[at : at + 4][::-1] for at in range(0, len(value) // 4 * 4, 4))


def base64_within(value, before):
    """The characters that depend on the value alone, wherever it stands in a longer text."""
    text = base64.b64encode(bytes(before) + value)
    first = (0, 2, 3)[before]  # the first ones also hold bits of what stands before
    return text[first : (before + len(value)) * 8 // 6]


def pieces(text, size):
    """(offset, piece) from the front, and the last one from the end."""
    if len(text) <= size:
        return [(0, text)]
    offsets = [*range(0, len(text) - size, size), len(text) - size]
    return [(offset, text[offset : offset + size]) for offset in offsets]
