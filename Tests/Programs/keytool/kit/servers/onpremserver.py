"""The servers of a company on loopback ports, over HTTPS: its directory, its Safe, and the file that says where they
are, signed here by PyNaCl. Directory and file want the login of the licence.
"""

import base64
import json

from nacl.signing import SigningKey

from kit.servers.directoryserver import DirectoryServer
from kit.servers.faultserver import FaultServer

USER, PASSWORD = "acme-licence", b"Walnut-Glacier-34"
LOGIN = USER.encode() + b":" + PASSWORD
PATH = "/prov/config.oppf"
SEED, OTHER_SEED = bytes(range(32)), bytes(range(1, 33))
# An example that was published, signed with SEED.
PUBLISHED = (
    b'{"version":"1.0","signatureKey":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","refresh":86400,"lice'
    b'nse":{"id":"TEST-1","expires":"2099-12-31","count":1},"chat":{"hostname":"chat.example.org","ports":'
    b'[5222,443],"publicKey":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},"directory":{"url":"https://d'
    b'.example.org/directory"},"blob":{"uploadUrl":"https://b.example.org/upload","downloadUrl":"https://b'
    b'.example.org/{blobId}","doneUrl":"https://b.example.org/{blobId}/done"},"work":{"url":"https://w.exa'
    b'mple.org/"},"avatar":{"url":"https://a.example.org/"},"safe":{"url":"https://safe.example.org/"}}'
    b"\nDT1uFDJuIxDdLQCqSeQofht1CgOqsUyMVLDQZsQI0FR8CmO7Q2bEzSJ/3yBzhx7a163vHpF9xQ1vhg8gEEVfAw==")


def b64(content):
    return base64.b64encode(content).decode()


def key(seed=SEED):
    return b64(bytes(SigningKey(seed).verify_key))


def signed(document, seed=SEED):
    """The text and its signature; `document` may be a text already."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return text + b"\n" + b64(SigningKey(seed).sign(text).signature).encode()


def pins(*pins, host="localhost"):
    """Rules of the mobile apps' form; a pin as curl has it."""
    spkis = [{"algorithm": "sha256", "value": pin.removeprefix("sha256//")} for pin in pins]
    return {"domains": {"rules": [{"fqdn": host, "matchMode": "exact", "spkis": spkis}]}}


class CompanyDirectory(DirectoryServer):
    """Knows those alone who have the licence, and registers for it only."""

    def _outcome(self, path, request, fields):
        if request.login != LOGIN:
            return 401, b""
        licence = fields.get("licenseUsername"), fields.get("licensePassword")
        if path == "identity/create" and "response" in fields and licence != (USER, PASSWORD.decode()):
            return 200, json.dumps({"success": False, "error": "Licence not valid"}).encode()
        return super()._outcome(path, request, fields)


class OnPrem:
    def __init__(self, certificates):
        self.certificates = certificates
        self.directory = CompanyDirectory(certificates.good)
        self.safe = FaultServer(certificates.good)
        self.provisioning = FaultServer(certificates.good, LOGIN)
        self.url, self.pin = self.provisioning.origin, certificates.good.pin
        self.environment = {"SSL_CERT_FILE": str(certificates.authority.path)}
        self.publish()

    def close(self):
        for server in (self.directory, self.safe, self.provisioning):
            server.close()

    def document(self, expires="2099-12-31", **changes):
        origin = "https://media.example"
        return {
            "version": "1.0", "signatureKey": key(), "refresh": 86400,
            "license": {"id": "ACME", "expires": expires, "count": 25},
            "chat": {"hostname": "chat.example", "ports": [5222, 443], "publicKey": b64(bytes(range(32)))},
            "directory": {"url": self.directory.url}, "safe": {"url": self.safe.url},
            "blob": {"uploadUrl": f"{origin}/upload", "downloadUrl": f"{origin}/{{blobId}}",
                     "doneUrl": f"{origin}/{{blobId}}/done"},
            **pins(self.pin), **changes}

    def file(self, seed=SEED, **changes):
        return signed(self.document(**{"signatureKey": key(seed), **changes}), seed)

    def publish(self, file=None, **changes):
        self.provisioning.stored[PATH] = self.file(**changes) if file is None else file
        return self.provisioning.stored[PATH]

    def forget(self):
        """What was asked of all servers."""
        for server in (self.directory, self.safe, self.provisioning):
            server.forget()
        self.directory.asked = []

    @property
    def fetched(self):
        """How often the file was asked for."""
        return len(self.provisioning.requests)
