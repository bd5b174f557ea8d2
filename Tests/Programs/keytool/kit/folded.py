"""Gzip members that inflate to far more than their size, made without inflating anything here."""

import struct
import zlib

PIECE = 1 << 16


def folded(head, unit, count, tail):
    """The gzip member of head + count × unit + tail; also of gigabytes.

    The middle is one deflate block, written once and repeated: it ends at a byte and refers to
    nothing before it.
    """
    per_piece = max(1, PIECE // len(unit))
    pieces, rest = divmod(count, per_piece)
    squeezer = zlib.compressobj(9, wbits=-15)
    before = squeezer.compress(head) + squeezer.flush(zlib.Z_FULL_FLUSH)
    piece = unit * per_piece
    block = squeezer.compress(piece) + squeezer.flush(zlib.Z_FULL_FLUSH)
    after = squeezer.compress(unit * rest + tail) + squeezer.flush()
    checksum = zlib.crc32(head)
    for _ in range(pieces):
        checksum = zlib.crc32(piece, checksum)
    checksum = zlib.crc32(unit * rest + tail, checksum)
    length = len(head) + count * len(unit) + len(tail)
    return (bytes.fromhex("1f8b0800000000000000") + before + block * pieces + after
            + struct.pack("<II", checksum, length & 0xffffffff))


def promising(member, length):
    """The same member with another length in its trailer."""
    return member[:-4] + struct.pack("<I", length)
