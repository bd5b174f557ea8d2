"""Reads the vectors of Project Wycheproof, of NIST and of RFCs that two packages of PyPI have, and writes them for the program
in Vectors/.

A class is what one file, or some files of one form, have for one primitive. Each case of it is an operation with inputs and
results, as Vectors/README.md describes them, or is skipped for a reason.
"""

import collections
import hashlib
import json
import re
from dataclasses import dataclass


@dataclass
class Case:
    """What a vector asks. `again` says whether it is cheap enough to be tried with a wrong result, too."""

    operation: str
    inputs: dict
    expected: dict
    system: str = "primitives"
    again: bool = True


@dataclass
class Class:
    """The cases of a name, and how many were skipped, by reason."""

    name: str
    cases: list
    skipped: dict


def read_all(pycryptodome, cryptography):
    """All classes, from the directories of both packages."""
    wycheproof = {path.name: json.loads(path.read_text()) for path in pycryptodome.glob("*/wycheproof/*_test.json")}
    read = {}
    for name, file, reader in WYCHEPROOF:
        read[name] = [reader(group, test) for group in wycheproof[file]["testGroups"] for test in group["tests"]]
    for name, files, reader in STANDARDS:
        read[name] = [reader(record) for file in files
                      for record in records(cryptography / file if (cryptography / file).exists() else pycryptodome / file)]
    read["Ed25519 signatures"] = [sign_input(line) for line in lines(cryptography / "asymmetric/Ed25519/sign.input")]
    for file in ("SHA1/SHA1", "SHA2/SHA256", "SHA2/SHA512"):
        read[f"{file[5:]} chains, NIST"] = monte_carlo(
            file[5:].lower(), (cryptography / f"hashes/{file}Monte.rsp").read_text())
    read["BLAKE2b keyed"] = blake2_keyed((pycryptodome / "Hash/BLAKE2b/blake2b-test.txt").read_text())
    read["BLAKE2b keys of 1 to 63 bytes"] = blake2_keys((pycryptodome / "Hash/BLAKE2b/tv2.txt").read_text())
    return [sorted_out(name, found) for name, found in read.items()], absent(wycheproof)


def sorted_out(name, found):
    skipped = collections.Counter(each for each in found if isinstance(each, str))
    return Class(name, [each for each in found if isinstance(each, Case)], skipped)


def absent(wycheproof):
    """How many vectors Wycheproof has for what the room Primitives has not, by algorithm."""
    counts = collections.Counter()
    for file, content in wycheproof.items():
        if file not in {each for _, each, _ in WYCHEPROOF}:
            # Other encodings of keys, and other curves, have the same name of the algorithm.
            curve = re.match(r"x\d+_[a-z]+|ed448", file)
            form = f" ({curve[0].removesuffix('_test')})" if curve else ""
            counts[content["algorithm"] + form] += content["numberOfTests"]
    return counts


# Wycheproof

def aead(operation, key_size, nonce_size):
    def read(group, test):
        if group["keySize"] != key_size:
            return "a key of another length"
        if group["ivSize"] != nonce_size:
            return "a nonce of another length"
        if group["tagSize"] != 128:
            return "a tag of another length"
        inputs = {"key": test["key"], "nonce": test["iv"], "additionalData": test["aad"],
                  "sealed": test["ct"] + test["tag"]}
        return Case(operation, inputs, {"plaintext": test["msg"]} if test["result"] == "valid" else {"error": "tag"})
    return read


def hkdf(_, test):
    if test["result"] != "valid":
        return "a key of more than 8160 bytes"
    inputs = {"ikm": test["ikm"], "salt": test["salt"], "info": test["info"], "length": test["size"]}
    return Case("hkdf-sha256", inputs, {"okm": test["okm"]})


def x25519(_, test):
    """What is acceptable has a result, which is right; a result of zero has to be refused."""
    expected = {"shared": test["shared"]} if int(test["shared"], 16) else {"error": "zero"}
    return Case("x25519", {"privateKey": test["private"], "publicKey": test["public"]}, expected)


def ed25519(group, test):
    if "MixedOrderPublicKey" in test["flags"] and test["result"] == "acceptable":
        return "a key of mixed order: both answers are right"
    # A key of low order is refused (Ed25519.isValid).
    inputs = {"publicKey": group["publicKey"]["pk"], "message": test["msg"], "signature": test["sig"]}
    return Case("ed25519-verify", inputs, {"valid": test["result"] == "valid"})


WYCHEPROOF = [
    ("AES-256-GCM, Wycheproof", "aes_gcm_test.json", aead("aes-256-gcm", 256, 96)),
    ("ChaCha20-Poly1305, Wycheproof", "chacha20_poly1305_test.json", aead("chacha20-poly1305", 256, 96)),
    ("XChaCha20-Poly1305, Wycheproof", "xchacha20_poly1305_test.json", aead("xchacha20-poly1305", 256, 192)),
    ("HKDF-SHA-256, Wycheproof", "hkdf_sha256_test.json", hkdf),
    ("X25519, Wycheproof", "x25519_test.json", x25519),
    ("Ed25519, Wycheproof", "ed25519_test.json", ed25519),
]


# NIST and RFCs: records of lines `name = value`, after lines `[name = value]` that hold for all records behind them.

def lines(path):
    return [line for line in path.read_text().splitlines() if line]


def records(path):
    """Each record with what holds for it. A record begins with the name that the first one begins with."""
    above, record, first = {}, None, None
    for line in path.read_text().splitlines():
        if section := re.fullmatch(r"\[(.+?)(?: = (.*))?\]", line.strip()):
            above[section[1]] = section[2] or ""
            continue
        if not line.strip() or line.startswith("#"):
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        first = first or name
        if name == first:
            if record:
                yield record
            record = dict(above)
        record[name.lower()] = value
    yield record


def gcm(record):
    if record["IVlen"] != "96":
        return "a nonce of another length"
    if record["Taglen"] != "128":
        return "a tag of another length"
    inputs = {"key": record["key"], "nonce": record["iv"], "additionalData": record["aad"],
              "sealed": record["ct"] + record["tag"]}
    return Case("aes-256-gcm", inputs, {"error": "tag"} if "fail" in record else {"plaintext": record["pt"]})


def chacha(record):
    def plain(value):
        return value[1:-1].encode().hex() if value.startswith('"') else value
    # Two files, with other names for the same.
    nonce, data = record.get("iv", record.get("nonce")), plain(record.get("aad", record.get("ad")))
    sealed = plain(record.get("ciphertext", record.get("ct"))) + record["tag"]
    if len(record["tag"]) != 32:
        return "a tag of another length"
    inputs = {"key": record["key"], "nonce": nonce, "additionalData": data, "sealed": sealed}
    wrong = "result" in record or "fails" in record
    expected = {"error": "tag"} if wrong else {"plaintext": plain(record.get("plaintext", record.get("in")))}
    return Case("chacha20-poly1305", inputs, expected)


def cbc(record):
    inputs = {"key": record["key"], "iv": record["iv"], "ciphertext": record["ciphertext"]}
    return Case("aes-cbc", inputs, {"plaintext": record["plaintext"]})


def ctr(record):
    inputs = {"key": record["key"], "iv": record["iv"], "plaintext": record["plaintext"]}
    return Case("ctr-encrypt", inputs, {"ciphertext": record["ciphertext"]}, system="proton-mainkey")


def message(record):
    """Of `Len` bits; an empty one is written as 00."""
    return record["msg"][:int(record["len"]) // 4]


def digest(operation, system="primitives"):
    return lambda record: Case(operation, {"data": message(record)}, {"digest": record["md"]}, system=system)


def hmac(operation):
    def read(record):
        if operation == "hmac-sha1" and len(record["key"]) > 128:
            return "a key of more than 64 bytes"
        return Case(operation, {"key": record["key"], "message": message(record)}, {"tag": record["md"]})
    return read


def rfc_hkdf(record):
    inputs = {"ikm": record["ikm"], "salt": record["salt"], "info": record["info"], "length": int(record["l"])}
    return Case("hkdf-sha256", inputs, {"okm": record["okm"]})


def text(value):
    return value.replace("\\0", "\0").encode().hex()


def pbkdf2(record):
    iterations = int(record["iterations"])
    inputs = {"password": text(record["password"]), "salt": text(record["salt"]), "iterations": iterations,
              "length": int(record["length"])}
    return Case("pbkdf2-sha1", inputs, {"key": record["derived_key"]}, again=iterations < 100_000)


def scrypt(record):
    inputs = {"password": text(record["password"]), "salt": text(record["salt"]), "cost": int(record["n"]),
              "blockSize": int(record["r"]), "parallelism": int(record["p"]), "length": int(record["length"])}
    return Case("scrypt", inputs, {"key": record["derived_key"]}, again=inputs["cost"] < 100_000)


def argon2id(record):
    if "secret" in record or "ad" in record:
        return "a secret or additional data beside the password"
    if int(record["length"]) < 16:
        return "a key of less than 16 bytes"
    inputs = {"password": record["pass"], "salt": record["salt"], "memoryKiB": int(record["memcost"]),
              "iterations": int(record["iter"]), "lanes": int(record["lanes"]), "length": int(record["length"])}
    return Case("argon2id", inputs, {"key": record["output"]})


def curve(record):
    inputs = {"privateKey": record["input_scalar"], "publicKey": record["input_u"]}
    return Case("x25519", inputs, {"shared": record["output_u"]})


def sign_input(line):
    pair, public, data, signed = line.split(":")[:4]
    return Case("ed25519-sign", {"seed": pair[:64], "message": data}, {"signature": signed[:128], "publicKey": public})


CBC = [f"ciphers/AES/CBC/CBC{kind}{bits}.rsp" for kind in ("GFSbox", "KeySbox", "MMT", "VarKey", "VarTxt")
       for bits in (128, 192, 256)]


def hash_files(family, name):
    return [f"hashes/{family}/{name}{length}Msg.rsp" for length in ("Short", "Long")]


STANDARDS = [
    ("AES-256-GCM, NIST", ["ciphers/AES/GCM/gcmDecrypt256.rsp", "ciphers/AES/GCM/gcmEncryptExtIV256.rsp"], gcm),
    ("AES-CBC, NIST", CBC, cbc),
    ("AES-CTR, RFC 3686", [f"ciphers/AES/CTR/aes-{bits}-ctr.txt" for bits in (128, 192, 256)], ctr),
    ("ChaCha20-Poly1305, OpenSSL and BoringSSL",
     [f"ciphers/ChaCha20Poly1305/{name}.txt" for name in ("openssl", "boringssl")], chacha),
    ("SHA-1, NIST", hash_files("SHA1", "SHA1"), digest("sha1")),
    ("SHA-256, NIST", hash_files("SHA2", "SHA256"), digest("sha256")),
    ("SHA-512, NIST", hash_files("SHA2", "SHA512"), digest("sha512")),
    ("MD5, RFC 1321", ["hashes/MD5/rfc-1321.txt"], digest("md5")),
    ("BLAKE2b", ["hashes/blake2/blake2b.txt"], digest("blake2b-512", "threema")),
    ("HMAC-SHA-256, RFC 4231", ["HMAC/rfc-4231-sha256.txt"], hmac("hmac-sha256")),
    ("HMAC-SHA-1, RFC 2202", ["HMAC/rfc-2202-sha1.txt"], hmac("hmac-sha1")),
    ("HKDF-SHA-256, RFC 5869", ["KDF/rfc-5869-HKDF-SHA256.txt", "KDF/hkdf-generated.txt"], rfc_hkdf),
    ("PBKDF2-HMAC-SHA-1, RFC 6070", ["KDF/rfc-6070-PBKDF2-SHA1.txt"], pbkdf2),
    ("scrypt, RFC 7914", ["KDF/scrypt.txt"], scrypt),
    ("Argon2id, RFC 9106", ["KDF/argon2id.txt"], argon2id),
    ("X25519, RFC 7748", ["asymmetric/X25519/rfc7748.txt"], curve),
]


def monte_carlo(operation, content):
    """Digests of a chain: each is a thousand hashes behind the one before. Python's hashlib makes the first 999 of them, and
    the vector is the last one."""
    seed, cases = re.search("^Seed = (.*)$", content, re.MULTILINE)[1], []
    for value in re.findall("^MD = (.*)$", content, re.MULTILINE):
        chain = [bytes.fromhex(seed)] * 3
        for _ in range(999):
            chain = [*chain[1:], hashlib.new(operation, b"".join(chain)).digest()]
        cases.append(Case(operation, {"data": b"".join(chain).hex()}, {"digest": value}))
        seed = value
    return cases


def blake2_keyed(content):
    # The last line of the file has `ok` behind the digest.
    found = re.findall(r"^in:\t(.*)\nkey:\t(.*)\nhash:\t([0-9a-f]{128})", content, re.MULTILINE)
    return [Case("blake2b-512", {"data": data, "key": key}, {"digest": value}, system="threema")
            for data, key, value in found]


def blake2_keys(content):
    """The last digest of a chain for each length of the key; Python's hashlib makes those before it."""
    cases = []
    for length, value in re.findall(r"^digest\((\d+)\): (.*)$", content, re.MULTILINE):
        key, joined = b"A" * int(length), b""
        for _ in range(99):
            joined = hashlib.blake2b(joined, key=key).digest() + joined
        cases.append(Case("blake2b-512", {"data": joined.hex(), "key": key.hex()}, {"digest": value}, system="threema"))
    return cases
