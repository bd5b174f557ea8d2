"""The XSalsa20 keystream from block 0, which PyNaCl does not offer by itself.

A secretbox starts at byte 32 of this stream, so it cannot stand in for it. The 42 bytes of a
backup code need one block; plain Python is fast enough. "Extending the Salsa20 nonce",
D. J. Bernstein, sections 2 and 3.
"""

import struct

SIGMA = struct.unpack("<4I", b"expand 32-byte k")
QUARTERS = (
    (0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),  # columns
    (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14),  # rows
)


def xor(data, nonce, key):
    return bytes(a ^ b for a, b in zip(data, keystream(len(data), nonce, key)))


def keystream(length, nonce, key):
    subkey = _hsalsa20(key, nonce[:16])
    blocks = range((length + 63) // 64)
    return b"".join(_block(subkey, nonce[16:] + struct.pack("<Q", n)) for n in blocks)[:length]


def _block(key, input16):
    start = _matrix(key, input16)
    words = ((a + b) & 0xFFFFFFFF for a, b in zip(start, _twenty_rounds(start)))
    return struct.pack("<16I", *words)


def _hsalsa20(key, input16):
    words = _twenty_rounds(_matrix(key, input16))
    return struct.pack("<8I", *(words[i] for i in (0, 5, 10, 15, 6, 7, 8, 9)))


def _matrix(key, input16):
    k = struct.unpack("<8I", key)
    n = struct.unpack("<4I", input16)
    return [SIGMA[0], *k[:4], SIGMA[1], *n, SIGMA[2], *k[4:], SIGMA[3]]


def _twenty_rounds(start):
    x = list(start)
    for _ in range(10):
        for a, b, c, d in QUARTERS:
            x[b] ^= _rotate(x[a] + x[d], 7)
            x[c] ^= _rotate(x[b] + x[a], 9)
            x[d] ^= _rotate(x[c] + x[b], 13)
            x[a] ^= _rotate(x[d] + x[c], 18)
    return x


def _rotate(word, bits):
    word &= 0xFFFFFFFF
    return (word << bits | word >> (32 - bits)) & 0xFFFFFFFF
