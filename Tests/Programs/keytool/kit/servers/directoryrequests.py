"""What the directory of the tests does when a request is in order: one method for each path."""

import base64
import hmac
import secrets
from dataclasses import dataclass

EMAIL_KEY = bytes.fromhex("30a5500fed9701fa6defdb610841900febb8e430881f7ad816826264ec09bad7")
PHONE_KEY = bytes.fromhex("85adf8226953f3d96cfd5d09bf29555eb955fcd8aa5ec4f9fcd869e258370723")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACTIVE, INACTIVE, INVALID = 0, 1, 2


def b64(content):
    return base64.b64encode(content).decode()


def hashed(key, address):
    return b64(hmac.new(key, address.encode(), "sha256").digest())


@dataclass
class Identity:
    public_key: bytes
    state: int = ACTIVE
    kind: int = 0
    mask: int = 0
    email: str = None
    mobile: str = None
    revocation_key: str = None


class Refusal(Exception):
    """`success: false`, with these words."""


class DirectoryRequests:
    """`identities` is what it holds, by ID. A method gets the fields of a request and gives those of the reply."""

    def add(self, identity, public_key, **more):
        self.identities[identity] = Identity(public_key, **more)

    def _mine(self, fields):
        identity = self.identities.get(fields.get("identity"))
        if identity is None or identity.state == INVALID:
            raise Refusal("Identity not found")
        return identity

    def _entry(self, name):
        identity = self.identities.get(name)
        if identity is None or identity.state == INVALID:
            return None
        return {"identity": name, "publicKey": b64(identity.public_key), "featureLevel": 3,
                "featureMask": identity.mask, "state": identity.state, "type": identity.kind}

    # Requests that need a proof

    def _create(self, fields):
        name = "".join(secrets.choice(ALPHABET) for _ in range(8))
        self.add(name, base64.b64decode(fields["publicKey"]))
        return {"identity": name, "serverGroup": "0a"}

    def _fetch_priv(self, fields):
        identity = self._mine(fields)
        linked = {"email": identity.email, "mobileNo": identity.mobile}
        return {"serverGroup": "0a"} | {name: value for name, value in linked.items() if value}

    def _link_email(self, fields):
        if fields["email"]:
            self.mails.append((fields["email"], fields["identity"]))
        else:
            self._mine(fields).email = None

    def _link_mobileno(self, fields):
        if not fields["mobileNo"]:
            self._mine(fields).mobile = None
            return {}
        verification = secrets.token_hex(8)
        self.codes[verification] = (f"{secrets.randbelow(10 ** 6):06}", fields["identity"], fields["mobileNo"])
        return {"verificationId": verification}

    def _match_token(self, fields):
        token = secrets.token_hex(16)
        self.match_tokens = {token}
        return {"matchToken": token}

    def _set_featuremask(self, fields):
        self._mine(fields).mask = fields["featureMask"]

    def _set_revocation_key(self, fields):
        self._mine(fields).revocation_key = fields["revocationKey"]

    def _check_revocation_key(self, fields):
        is_set = self._mine(fields).revocation_key is not None
        return {"revocationKeySet": is_set} | ({"lastChanged": "2014-10-29T12:32:54Z"} if is_set else {})

    def _revoke(self, fields):
        self._mine(fields).state = INVALID

    def _report_junk(self, fields):
        self.junk.append(fields["senderIdentity"])

    def _turn_cred(self, fields):
        return {"turnUrls": ["turn:turn.example"], "turnUrlsDualStack": ["turn:ds-turn.example"],
                "turnUsername": "user", "turnPassword": secrets.token_hex(8), "expiration": 86400}

    def _sfu_cred(self, fields):
        return {"sfuBaseUrl": "https://sfu.example", "allowedSfuHostnameSuffixes": [".example"],
                "sfuToken": secrets.token_hex(8), "expiration": 86400}

    def _blob_cred(self, fields):
        return {"token": secrets.token_hex(8), "expiration": 86400}

    # Requests that need none

    def _fetch_bulk(self, fields):
        return {"identities": [entry for name in fields["identities"] if (entry := self._entry(name))]}

    def _check(self, fields):
        held = [self.identities.get(name) for name in fields["identities"]]
        return {"checkInterval": 86400, "states": [each.state if each else INVALID for each in held],
                "types": [each.kind if each else 0 for each in held],
                "featureMasks": [each.mask if each else None for each in held]}

    def _check_featuremask(self, fields):
        return {"featureMasks": self._check(fields)["featureMasks"]}

    def _match(self, fields):
        if fields.get("matchToken") not in self.match_tokens:
            raise Refusal("Invalid match token")
        found = []
        for name, identity in self.identities.items():
            if identity.state != ACTIVE and not (identity.state == INACTIVE and fields.get("includeInactive")):
                continue
            hashes = {}
            if identity.email and hashed(EMAIL_KEY, identity.email) in fields["emailHashes"]:
                hashes["emailHash"] = hashed(EMAIL_KEY, identity.email)
            if identity.mobile and hashed(PHONE_KEY, identity.mobile) in fields["mobileNoHashes"]:
                hashes["mobileNoHash"] = hashed(PHONE_KEY, identity.mobile)
            if hashes:
                found.append({"identity": name, "publicKey": b64(identity.public_key)} | hashes)
        return {"checkInterval": 86400, "identities": found}

    def _ws_revoke(self, fields):
        identity = self._mine(fields)
        if identity.revocation_key is None or identity.revocation_key != fields["revocationKey"]:
            raise Refusal("Invalid revocation key")
        identity.state = INVALID
        return {"success": True}

    def _link_mobileno_call(self, fields):
        if fields["verificationId"] not in self.codes:
            raise Refusal("Unknown verification")
        return {"success": True}

    for _each in (_fetch_bulk, _check, _check_featuremask, _match, _ws_revoke, _link_mobileno_call):
        _each.is_open = True

    def _verified(self, fields):
        code, name, mobile = self.codes.get(fields["verificationId"], (None, None, None))
        if code is None or code != fields["code"]:
            raise Refusal("Wrong code")
        self.identities[name].mobile = mobile
        return {"success": True}
