"""A certificate authority for the fault server alone, and what it issues for localhost."""

import subprocess
from typing import NamedTuple

DAYS = "30"
NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


class Issued(NamedTuple):
    authority: object  # what --ca-file names
    certificate: object
    key: object


def issue(directory):
    """Makes both keys in this directory, by the openssl program."""
    directory.mkdir(mode=0o700)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", DAYS]
    issued = Issued(*(directory / name for name in ("authority.pem", "server.pem", "server.key")))
    authority_key = directory / "authority.key"
    _openssl("req", "-x509", *curve, "-subj", "/CN=An authority of the tests",
             "-keyout", authority_key, "-out", issued.authority)
    _openssl("req", "-x509", *curve, "-subj", "/CN=localhost", "-addext", NAMES,
             "-addext", "basicConstraints=critical,CA:FALSE",
             "-CA", issued.authority, "-CAkey", authority_key,
             "-keyout", issued.key, "-out", issued.certificate)
    return issued


def _openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
