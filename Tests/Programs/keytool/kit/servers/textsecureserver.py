"""TextSecure's server, version 1, on a loopback port over HTTPS, and a second one for the blobs of attachments.

It is written from the server's description and takes a request only as the description has it: method, path, query,
headers, login, and a body of compact JSON with sorted names. It keeps everything in memory.

    python3 -m kit.servers.textsecureserver DIR     serves until stdin ends; prints its origin; DIR gets the certificates

Each line of stdin is answered by a line: see `main`.
"""

import base64
import binascii
import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from kit import textsecure
from kit.servers.faultserver import FaultServer

NUMBER = re.compile(r"\+[1-9]\d{6,14}")
NOWHERE = "+999"  # no country
MAX_CODES = 2  # for one number
FIRST_ATTACHMENT = 2**63 + 1


class Refused(Exception):
    """A request that is answered by this status."""


def need(condition, status=415):
    if not condition:
        raise Refused(status)


def need_members(value, required, optional=()):
    need(isinstance(value, dict) and set(required) <= set(value) <= {*required, *optional})


def need_integer(value, limit):
    need(type(value) is int and 0 <= value < limit)


def decoded(text, is_padded=False):
    """Base64 of the standard alphabet in its only form."""
    need(isinstance(text, str))
    try:
        content = base64.b64decode(text + ("" if is_padded else "=" * (-len(text) % 4)), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(415)
    whole = base64.b64encode(content).decode()
    need(text == (whole if is_padded else whole.rstrip("=")))
    return content


def need_public_key(text):
    need(len(text) == 44 and decoded(text)[0] == 5)


def need_prekey(value):
    need_members(value, ["identityKey", "keyId", "publicKey"])
    need_integer(value["keyId"], 1 << 24)
    need_public_key(value["identityKey"])
    need_public_key(value["publicKey"])


@dataclass
class Account:
    password: str
    confirmed: dict  # the body that confirmed the code
    push: dict = field(default_factory=dict)
    keys: dict = field(default_factory=dict)
    last_resort: dict = None
    relay: str = None
    payloads: list = field(default_factory=list)


def request(method, path, login="account"):
    """A method that answers requests. `login`: of an account, of a new one, or None if there must be none."""
    def mark(act):
        act.route = method, re.compile(path), login
        return act
    return mark


class ScriptedServer(FaultServer):
    """Answers by `_outcome`, or once by what `script` says."""

    def reset(self):
        super().reset()
        self.scripts = []
        for method in ["GET", "PUT", "POST"]:
            self.fault(method, self._act)

    def script(self, act):
        """act(call, outcome) answers the next request; outcome() carries it out and returns status and body."""
        self.scripts.append(act)

    def _act(self, call):
        call.read()

        def outcome():
            with self.lock:
                try:
                    return self._outcome(call.request)
                except Refused as refused:
                    return refused.args[0], b""

        if self.scripts:
            self.scripts.pop(0)(call, outcome)
        else:
            call.answer(*outcome())


class BlobServer(ScriptedServer):
    """Takes and gives blobs at signed addresses, and must not see a login."""

    def __init__(self, certificate):
        self.blobs = {}
        super().__init__(certificate)

    @staticmethod
    def path(blob, method):
        return f"/blobs/{blob}?AWSAccessKeyId=K&Expires=1767225600&Signature={method}%2Bx%2F%3D"

    def _outcome(self, request):
        blob = next((blob for blob in self.blobs if request.path == self.path(blob, request.method)), None)
        need(blob is not None and not request.header("authorization"), 403)
        if request.method == "GET":
            need(not request.body and not request.header("content-type"), 400)
            return (200, self.blobs[blob]) if self.blobs[blob] is not None else (404, b"")
        need(request.header("content-type") == ["application/octet-stream"], 400)
        self.blobs[blob] = request.body
        return 200, b""


class TextSecureServer(ScriptedServer):
    def __init__(self, certificate):
        self.accounts, self.codes = {}, {}
        self.storage = BlobServer(certificate)
        super().__init__(certificate)

    def _outcome(self, request):
        for act in vars(TextSecureServer).values():
            method, path, login = getattr(act, "route", (None, None, None))
            found = path and method == request.method and path.fullmatch(request.path)
            if found:
                caller = self._caller(request, login)
                fields = self._fields(request)
                answer = act(self, caller, *([fields] if fields is not None else []), *found.groups())
                return (204, b"") if answer is None else (200, json.dumps(answer).encode())
        return 405, b""

    def _caller(self, request, login):
        """Number and password."""
        headers = request.header("authorization")
        if login is None:
            return need(not headers, 400)
        need(len(headers) == 1 and headers[0].startswith("Basic "), 401)
        number, colon, password = decoded(headers[0].removeprefix("Basic "), is_padded=True).decode().partition(":")
        need(NUMBER.fullmatch(number) and colon, 401)
        if login == "account":
            need(number in self.accounts and self.accounts[number].password == password, 401)
        return number, password

    @staticmethod
    def _fields(request):
        if request.method == "GET":
            return need(not request.body and not request.header("content-type"))
        need(request.header("content-type") == ["application/json"])
        try:
            fields = json.loads(request.body)
        except ValueError:
            raise Refused(415)
        compact = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        need(isinstance(fields, dict) and compact.encode() == request.body)
        return fields

    # Accounts

    @request("GET", "/v1/accounts/([^/]*)/code/([^/]*)", login=None)
    def _code(self, caller, transport, number):
        need(transport in ("sms", "voice"))
        need(NUMBER.fullmatch(number) and not number.startswith(NOWHERE), 400)
        self.codes.setdefault(number, [])
        need(len(self.codes[number]) < MAX_CODES, 413)
        self.codes[number].append(transport)
        return {}

    @staticmethod
    def code(number):
        """What its owner reads in the SMS."""
        return number[:-7:-1]

    @request("PUT", "/v1/accounts/code/([0-9]+)", login="new")
    def _confirm(self, caller, fields, code):
        number, password = caller
        need_members(fields, ["signalingKey", "supportsSms"], ["registrationId"])
        need(len(decoded(fields["signalingKey"], is_padded=True)) == 52 and type(fields["supportsSms"]) is bool)
        if "registrationId" in fields:
            need_integer(fields["registrationId"] - 1, 16380)
        need(number in self.codes and code == self.code(number), 403)
        del self.codes[number]
        self.accounts[number] = Account(password, fields)

    @request("PUT", "/v1/accounts/(apn|gcm)/")
    def _register(self, caller, fields, service):
        need_members(fields, [service + "RegistrationId"])
        need(isinstance(fields[service + "RegistrationId"], str))
        self.accounts[caller[0]].push |= fields

    # Keys

    @request("PUT", "/v1/keys/")
    def _upload(self, caller, fields):
        need_members(fields, ["keys", "lastResortKey"])
        for key in [*fields["keys"], fields["lastResortKey"]]:
            need_prekey(key)
            need(key["identityKey"] == fields["lastResortKey"]["identityKey"])
        account = self.accounts[caller[0]]
        account.keys = {key["keyId"]: key for key in fields["keys"]}
        need(len(account.keys) == len(fields["keys"]))
        account.last_resort = fields["lastResortKey"]

    @request("GET", r"/v1/keys/([^/?]*)(?:\?relay=([^&]*))?")
    def _keys(self, caller, number, relay):
        account = self.accounts.get(number)
        need(account and account.last_resort and account.relay == relay, 404)
        return account.keys.pop(min(account.keys)) if account.keys else account.last_resort

    # Contacts and messages

    @request("PUT", "/v1/directory/tokens")
    def _contacts(self, caller, fields):
        need_members(fields, ["contacts"])
        for token in fields["contacts"]:
            need(len(decoded(token)) == 10, 400)
        by_token = {textsecure.token(number): account for number, account in self.accounts.items()}
        entries = []
        for token in fields["contacts"]:
            if account := by_token.get(token):
                entries.append({"token": token} | ({"relay": account.relay} if account.relay else {})
                               | ({"supportsSms": "true"} if account.confirmed["supportsSms"] else {}))
        return {"contacts": entries}

    @request("POST", "/v1/messages/")
    def _send(self, caller, fields):
        need_members(fields, ["messages"])
        results = {"success": [], "failure": []}
        for message in fields["messages"]:
            need_members(message, ["body", "destination", "timestamp", "type"], ["relay"])
            need_integer(message["type"], 5)
            need_integer(message["timestamp"] - 10**11, 10**13)  # milliseconds, and not seconds
            body, number = decoded(message["body"]), message["destination"]
            need(isinstance(number, str) and NUMBER.fullmatch(number))
            account = self.accounts.get(number)
            if account is None or account.relay != message.get("relay"):
                results["failure"].append(number)
                continue
            results["success"].append(number)
            signal = textsecure.signal(body, caller[0], message["type"], message["timestamp"])
            key = base64.b64decode(account.confirmed["signalingKey"])
            account.payloads.append(textsecure.unpadded(textsecure.seal_push(key, signal)))
        return results

    # Attachments

    def _location(self, blob, method):
        return self.storage.origin + self.storage.path(blob, method)

    @request("GET", "/v1/attachments/")
    def _new_attachment(self, caller):
        blob = FIRST_ATTACHMENT + len(self.storage.blobs)
        self.storage.blobs[blob] = None
        return {"id": str(blob), "location": self._location(blob, "PUT")}

    @request("GET", "/v1/attachments/([0-9]+)")
    def _attachment(self, caller, blob):
        need(int(blob) in self.storage.blobs, 404)
        return {"location": self._location(int(blob), "GET")}


def main():
    from kit.servers.certificates import Authority

    server = TextSecureServer(Authority(Path(sys.argv[1]), "authority").issue("server"))
    servers = {"api": server, "blobs": server.storage}
    print(server.origin, flush=True)
    for line in sys.stdin:
        reply = ""
        match line.rstrip("\n").split(" ", 3):
            case ["code", number]: reply = server.code(number)
            case ["account", number]:
                account = server.accounts[number]
                reply = json.dumps({"password": account.password, "keys": sorted(account.keys),
                                    "confirmed": account.confirmed, "push": account.push})
            case ["relay", number, relay]: server.accounts[number].relay = relay
            case ["payloads", number]: reply = " ".join(server.accounts[number].payloads)
            case ["count", which]: reply = str(len(servers[which].requests))
            # The next answer: this status and body, also cut after the head and half of the body; a body of so many
            # bytes; none although the request was carried out.
            case ["answer", which, status, body]:
                servers[which].script(lambda call, outcome, status=int(status), body=body.encode():
                                      call.answer(status, body))
            case ["cut", which, status, body]:
                servers[which].script(lambda call, outcome, status=int(status), body=body.encode():
                                      call.answer(status, body[:len(body) // 2], length=len(body)))
            case ["long", which, count]:
                servers[which].script(lambda call, outcome, count=int(count): call.answer(200, b" " * count))
            case ["lose", which]:
                servers[which].script(lambda call, outcome: (outcome(), call.abort()))
        print(reply, flush=True)
    server.close()


if __name__ == "__main__":
    main()
