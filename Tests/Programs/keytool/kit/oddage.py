"""Files that are almost right, and what the program age says of each.

    oddage.py SEED COUNT DIRECTORY    writes `identity` and the files `0`, `1` … there, with the content
                                      as `0.content` if age decrypts the file

Unlike files that were damaged by chance, most of these have a code of the header that is right for it, so that the
rules behind it are reached.
"""

import hmac
import os
import pathlib
import random
import subprocess
import sys

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from kit import agefile

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
CHUNK = agefile.CHUNK


def other_last_bits(text):
    """The same bytes in Base64 that is not canonical, or a character too many."""
    return text[:-1] + ALPHABET[ALPHABET.index(text[-1:]) | 1:][:1] if len(text) % 4 > 1 else text + b"A"


# How a part is wrong: functions of what is right.
FIRST_LINES = [lambda line: line + b" ", lambda line: line.replace(b" ", b"  ", 1), lambda line: line[:2] + line[3:],
               lambda line: b"-" + line, lambda line: line + b"\r", lambda line: line.replace(b" ", b"\t", 1),
               lambda line: line + b" \x7f", lambda line: line + b" \xc3\xa4", lambda line: b" " + line]
BODIES = [lambda text: text[:-1] if text.endswith(b"\n\n") else text, lambda text: text + b"\n",
          lambda text: text.replace(b"\n", b"\r\n"), lambda text: text.replace(b"\n", b" \n"),
          lambda text: text.replace(b"\n", b"") + b"\n", lambda text: text[:-1] + b"=\n",
          lambda text: text[:20] + b"\n" + text[20:],
          lambda text: other_last_bits(text[:-1]) + b"\n" if len(text) > 1 else text]
ENDS = [lambda end: b" " + end, lambda end: end[1:], lambda end: end[:-1] + b" \n", lambda end: end[:-1] + b"\r\n",
        lambda end: end[:-1] + b"=\n", lambda end: b" " + other_last_bits(end[1:-1]) + b"\n",
        lambda end: end[:-2] + b"\n", lambda end: end + b"\n"]
VERSIONS = [b"age-encryption.org/v1\r\n", b"age-encryption.org/v1 \n", b"age-encryption.org/v2\n",
            b"\nage-encryption.org/v1\n", b"AGE-encryption.org/v1\n"]
# White space before an armor is allowed, but the program age does not find the armor then.
ARMORS = [lambda file: file.replace(b"\n", b"\r\n"), lambda file: file + b" \n\t",
          lambda file: file.replace(b"\n", b"\n\n", 3), lambda file: file.replace(b"\n", b" \n", 3),
          lambda file: file.replace(b"=", b""), lambda file: file[:-1], lambda file: file + b"x",
          lambda file: file[:60] + b"\n" + file[60:], lambda file: file.replace(b"\n-----END", b"\n\n-----END")]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.secret = self.bytes(32)
        self.recipient = agefile.decode_key(agefile.recipient_text(self.secret), "age")

    def bytes(self, count):
        return self.random.randbytes(count)

    def chance(self, probability):
        return self.random.random() < probability

    def bent(self, ways, right, probability):
        return self.random.choice(ways)(right) if self.chance(probability) else right

    def stanza(self, file_key):
        """One for the recipient, with an error now and then."""
        arguments, body = agefile.x25519_stanza(file_key, self.recipient, self.bytes(32))
        share = arguments[1]
        return self.random.choice([
            ([b"X25519", share, b"x"], body), ([b"X25519"], body), ([b"X25519", share + b"A"], body),
            ([b"X25519", other_last_bits(share)], body), ([b"X25519", share], body + b"x"),
            ([b"X25519", agefile.encode64(bytes(32))], body), ([b"x25519", share], body),
        ]) if self.chance(0.15) else (arguments, body)

    def grease(self):
        arguments = [bytes(self.random.choices(range(0x21, 0x7f), k=self.random.randrange(1, 9)))
                     for _ in range(self.random.randrange(1, 4))]
        return arguments, self.bytes(self.random.choice([0, 1, 31, 32, 33, 47, 48, 49, 95, 96, 97, 144]))

    def header(self, file_key):
        stanzas = [self.grease() for _ in range(self.random.randrange(3))] + [self.stanza(file_key)]
        if self.chance(0.05):
            stanzas.append(([b"scrypt", agefile.encode64(self.bytes(16)), b"10"], self.bytes(32)))
        self.random.shuffle(stanzas)
        covered = self.random.choice(VERSIONS) if self.chance(0.05) else agefile.VERSION + b"\n"
        for stanza in stanzas:
            first, _, body = agefile.stanza_text(*stanza).partition(b"\n")
            covered += self.bent(FIRST_LINES, first, 0.04) + b"\n" + self.bent(BODIES, body, 0.06)
        covered += b"---"
        code = agefile.encode64(hmac.digest(agefile.header_key(file_key), covered, "sha256"))
        return covered + self.bent(ENDS, b" " + code + b"\n", 0.08)

    def payload(self, file_key):
        nonce = self.bytes(16)
        cipher = ChaCha20Poly1305(agefile.derive(file_key, nonce, b"payload"))
        content = self.bytes(self.random.choice([0, 1, 100, 65_535, 65_536, 65_537, 131_072]))
        parts = [content[at:at + CHUNK] for at in range(0, max(len(content), 1), CHUNK)]
        count = len(parts)

        def seal(number, part, is_last):
            return cipher.encrypt(agefile.chunk_nonce(number, is_last), part, None)

        chunks = [seal(number, part, number == count - 1) for number, part in enumerate(parts)]
        if self.chance(0.35):
            chunks = self.random.choice([
                chunks[:-1], [*chunks, seal(count, b"", True)], [*chunks[:-1], chunks[-1][:-1]], [*chunks, b"x"],
                [seal(number, part, False) for number, part in enumerate(parts)],
                [seal(number, part, True) for number, part in enumerate(parts)],
                [*(seal(number, part, False) for number, part in enumerate(parts)), seal(count, b"", True)],
                [seal(0, content[:100], False), seal(1, content[100:200], True)], [b""]])
        payload = nonce + b"".join(chunks)
        return payload[:self.random.randrange(16)] if self.chance(0.02) else payload

    def file(self):
        file_key = self.bytes(16)
        file = self.header(file_key) + self.payload(file_key)
        return self.bent(ARMORS, agefile.armored(file), 0.4) if self.chance(0.3) else file


def main():
    seed, count, directory = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    maker = Maker(seed)
    identity = directory / "identity"
    identity.write_text(agefile.identity_text(maker.secret))
    opened = 0
    for number in range(count):
        file = directory / str(number)
        file.write_bytes(maker.file())
        result = subprocess.run(["age", "-d", "-i", identity, file], capture_output=True, env={"PATH": os.defpath})
        if result.returncode == 0:
            (directory / f"{number}.content").write_bytes(result.stdout)
            opened += 1
    print(opened)


if __name__ == "__main__":
    main()
