"""Certificates that a server may show, good and bad ones, made by the openssl program."""

import base64
import functools
import hashlib
import subprocess
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from kit.processes.faketime import FAKETIME

HERE = "DNS:localhost,IP:127.0.0.1"
YEARS = 1500  # days: tests let keytool's clock run ahead


def openssl(*arguments, given=None, day=0):
    """Runs it as if today were another day: it has no option for when a certificate begins."""
    run = subprocess.run(
        [*FAKETIME, "-f", f"{day:+}d", "openssl", *map(str, arguments)],
        input=given, capture_output=True, check=True)
    return run.stdout


class Chain(NamedTuple):
    """What a server sends, and its key."""
    path: Path
    key: Path


class Certificate:
    """`path` holds the certificate and `key` its key, both in PEM; `authority` has issued it, itself at first."""

    def __init__(self, directory, name, is_rsa=False):
        self.path, self.key = directory / f"{name}.crt", directory / f"{name}.key"
        self.authority = self
        kind = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"] if is_rsa else ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        openssl("genpkey", "-algorithm", *kind, "-out", self.key)

    @property
    def pin(self):
        """As curl has it, over the SubjectPublicKeyInfo."""
        key = openssl("pkey", "-in", self.key, "-pubout", "-outform", "DER")
        return "sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode()

    @property
    def fingerprint(self):
        """SHA-256 in hexadecimal."""
        return hashlib.sha256(openssl("x509", "-in", self.path, "-outform", "DER")).hexdigest()

    @property
    def chain(self):
        """The same with its authority behind it, in a file."""
        path = self.path.with_suffix(".chain")
        parts = [self] if self.authority is self else [self, self.authority]
        path.write_bytes(b"".join(part.path.read_bytes() for part in parts))
        return Chain(path, self.key)

    def _date(self, which):
        line = openssl("x509", "-in", self.path, "-noout", f"-{which}").decode().strip()
        return datetime.strptime(line.split("=")[1], "%b %d %H:%M:%S %Y GMT")

    @property
    def begins(self):
        return self._date("startdate")

    @property
    def ends(self):
        return self._date("enddate")


class Authority(Certificate):
    """Signs itself, and others."""

    def __init__(self, directory, name):
        super().__init__(directory, name.replace(" ", "-"))
        self.directory, self.name = directory, name
        openssl("req", "-x509", "-new", "-key", self.key, "-out", self.path, "-days", YEARS,
                "-subj", f"/CN={name}", "-addext", "basicConstraints=critical,CA:TRUE",
                "-addext", "keyUsage=critical,keyCertSign,cRLSign", day=-100)

    def issue(self, name, hosts=HERE, begins=-1, days=YEARS, is_rsa=False):
        """`begins`: how many days from today."""
        certificate = Certificate(self.directory, name, is_rsa)
        certificate.authority = self
        extensions = self.directory / f"{name}.ext"
        extensions.write_text("basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n"
                              + (f"subjectAltName={hosts}\n" if hosts else ""))
        request = openssl("req", "-new", "-key", certificate.key, "-subj", f"/CN={name}")
        openssl("x509", "-req", "-CA", self.path, "-CAkey", self.key, "-CAcreateserial",
                "-days", days, "-extfile", extensions, "-out", certificate.path,
                given=request, day=begins)
        return certificate


class Certificates:
    """One authority that the tests trust, and what servers may show."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.authority = Authority(self.directory, "Loopback test authority")
        self.stranger = Authority(self.directory, "Unrelated test authority")
        issue = self.authority.issue
        self.good = issue("good")
        self.renewed = issue("renewed")  # for the same host, with another key
        self.expired = issue("expired", begins=-10, days=7)
        self.not_yet_valid = issue("not-yet-valid", begins=5)
        self.wrong_host = issue("wrong-host", hosts="DNS:safe.example.invalid")
        self.no_san = issue("no-san", hosts=None)
        self.other_authority = self.stranger.issue("other-authority")
        self.self_signed = self._self_signed()

    @functools.cached_property
    def rsa(self):
        """For the ciphers that need such a key."""
        return self.authority.issue("rsa", is_rsa=True)

    def _self_signed(self):
        certificate = Certificate(self.directory, "self-signed")
        openssl("req", "-x509", "-new", "-key", certificate.key, "-out", certificate.path,
                "-days", 5, "-subj", "/CN=localhost", "-addext", f"subjectAltName={HERE}")
        return certificate

    def hashed_directory(self, path):
        """A directory as OpenSSL looks authorities up in it."""
        path.mkdir()
        (path / "authority.pem").write_bytes(self.authority.path.read_bytes())
        openssl("rehash", path)
        return path
