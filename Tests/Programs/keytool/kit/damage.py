"""Damage that differs from the sound content in every case: a fixed byte in place of a random one is the same once in 256."""


def flipped(content, bit=-8):
    """`content` with one bit changed; counted from the end where `bit` is negative."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def flip(path, bit=-8):
    path.write_bytes(flipped(path.read_bytes(), bit))
