"""A directory on a loopback port, over HTTPS, that keeps everything in memory and verifies proofs itself.

What it knows of proofs is written here once more, with PyNaCl and hashlib. It fails as it is told to: `script` gives
what is done instead of the healthy answer to a request of one path and one phase.

    python3 -m kit.servers.directoryserver DIR     serves until stdin ends; prints origin and pin; DIR gets the certificates
"""

import base64
import hashlib
import hmac
import json
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path

from nacl import bindings

from kit.servers.directoryrequests import DirectoryRequests, Refusal, b64
from kit.servers.faultserver import FaultServer


def padded(text):
    return text + bytes(16 - len(text))


def proof(shared_key, token):
    """What a challenge has to be answered with: both sides compute it."""
    key = hashlib.blake2b(b"", key=shared_key, salt=padded(b"dir"), person=padded(b"3ma-csp"), digest_size=32).digest()
    return hashlib.blake2b(token, key=key, digest_size=32).digest()


@dataclass
class Challenge:
    path: str
    fields: dict
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))


class Unproven(Exception):
    """Status 401, with this code."""


class DirectoryServer(DirectoryRequests, FaultServer):
    """Runs at once. `identities` is what it holds, by ID; `asked` the paths and phases of the requests."""

    def __init__(self, certificate):
        self.pin = certificate.pin
        super().__init__(certificate)
        self.url = self.origin + "/"

    def reset(self):
        super().reset()
        self.identities, self.challenges, self.scripts, self.asked = {}, {}, [], []
        self.match_tokens, self.codes, self.mails, self.junk = set(), {}, [], []
        self.fault("GET", self._act)
        self.fault("POST", self._act)

    def confirm_mails(self):
        """Every e-mail that was sent is read, and its link followed."""
        for address, identity in self.mails:
            self.identities[identity].email = address
        self.mails = []

    # What goes wrong

    def script(self, path, act, phase=None, times=1):
        """From the next request of this path (and phase, 1 or 2) on, `times` times: act(call, outcome), where outcome()
        carries the request out and returns status and body."""
        self.scripts.append([path, phase, act, times])

    @staticmethod
    def status(status, body=b"", **headers):
        return lambda call, outcome: call.answer(status, body, **headers)

    @staticmethod
    def refuse(words=None):
        """The answer to a request that is not carried out."""
        reply = {"success": False} | ({"error": words} if words else {})
        return lambda call, outcome: call.answer(200, json.dumps(reply).encode())

    @staticmethod
    def lose(call, outcome):
        """The request is carried out, and the connection breaks before its answer."""
        outcome()
        call.abort()

    def _act(self, call):
        call.read()
        path = call.request.path.removeprefix("/")
        try:
            fields = json.loads(call.request.body) if call.request.body else {}
        except ValueError:
            return call.answer(400)
        phase = 2 if "response" in fields else 1
        self.asked.append((path, phase))
        for script in self.scripts:
            if script[0] == path and script[1] in (None, phase) and script[3] > 0:
                script[3] -= 1
                return script[2](call, lambda: self._outcome(path, call.request, fields))
        call.answer(*self._outcome(path, call.request, fields))

    # What is right

    def _outcome(self, path, request, fields):
        """Status and body."""
        if request.method == "POST" and request.header("content-type") != ["application/json"]:
            return 415, b""
        try:
            with self.lock:
                reply = self._reply(path, request.method, fields)
        except Refusal as refusal:
            reply = {"success": False, "error": str(refusal)}
        except Unproven as unproven:
            return 401, json.dumps({"code": str(unproven)}).encode()
        return (404, b"") if reply is None else (200, json.dumps(reply).encode())

    def _reply(self, path, method, fields):
        """The reply's fields; None for 404."""
        name = path.removeprefix("identity/")
        if method == "GET":
            return self._entry(name)
        act = getattr(self, "_" + name.replace("/", "_"), None)
        if act and getattr(act, "is_open", False):
            return act(fields)
        if name == "link_mobileno" and "verificationId" in fields:
            return self._verified(fields)
        if name == "link_email" and "token" not in fields:
            email = self._mine(fields).email
            if "lang" not in fields or email == fields["email"] != "":
                return {"linked": email == fields["email"]}
        if act is None:
            return None
        public_key = base64.b64decode(fields["publicKey"]) if name == "create" else self._mine(fields).public_key
        if "token" not in fields:
            return self._challenge(path, fields)
        self._require_proof(path, fields, public_key)
        return {"success": True} | (act(fields) or {})

    # Proofs

    def _challenge(self, path, fields):
        challenge, token = Challenge(path, fields), secrets.token_bytes(40)
        self.challenges[token] = challenge
        return {"token": b64(token), "tokenRespKeyPub": b64(bindings.crypto_scalarmult_base(challenge.secret))}

    def _require_proof(self, path, fields, public_key):
        """A token is good for one try, and for the request that it was given for."""
        token = base64.b64decode(fields["token"])
        challenge = self.challenges.pop(token, None)
        if challenge is None or challenge.path != path or challenge.fields.items() - fields.items():
            raise Unproven("challenge-expired")
        expected = proof(bindings.crypto_box_beforenm(public_key, challenge.secret), token)
        if not hmac.compare_digest(expected, base64.b64decode(fields["response"])):
            raise Unproven("invalid-challenge-response")


def main():
    from kit.servers.certificates import Authority

    certificate = Authority(Path(sys.argv[1]), "authority").issue("directory")
    server = DirectoryServer(certificate)
    print(server.url, server.pin, flush=True)
    # Whoever runs it asks for what a person would do or see.
    for line in sys.stdin:
        match line.split():
            case ["mails"]: server.confirm_mails(), print(flush=True)
            case ["code", verification]: print(server.codes[verification][0], flush=True)
            case ["limit", path]: server.script(path, server.status(429, Retry_After=42)), print(flush=True)
            case ["unauthorized", path]: server.script(path, server.status(401)), print(flush=True)
            case ["refuse", path]: server.script(path, server.refuse("In other words")), print(flush=True)
            case ["lose", path]: server.script(path, server.lose, phase=2), print(flush=True)
    server.close()


if __name__ == "__main__":
    main()
