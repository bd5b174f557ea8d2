"""A phone that writes the Safe of an identity, as the tests of `safe mirror` see it."""

from kit import oracle
from kit.known import SAFE_PASSWORD
from kit.servers.safedirectory import SafeSetup

ID = "ABCD1234"


class Phone(SafeSetup):
    """An identity on a phone that uploads to a directory, and the keystore beside it."""

    def __init__(self, keytool, directory):
        super().__init__(keytool, directory.prepare(), ID, SAFE_PASSWORD)
        self.key = bytes(range(1, 33))

    def writes(self, nickname, contacts=10, key=None):
        """Uploads a document; gives the encrypted bytes."""
        document = oracle.safe_document(
            key or self.key,
            contacts=[{"identity": f"CONTA{number:03}", "verification": 1} for number in range(contacts)])
        document["user"]["nickname"] = nickname
        blob = oracle.seal_safe(document, self.keys)
        self.directory.put(self.keys, blob)
        return blob

    def guarded_by(self, *password):
        """Restores the identity beside the phone, for reading only."""
        return self.keytool.ok("safe", "pull", "--read-only", "--id", ID, "--server", self.directory.url, *password)

    def mirrored(self):
        """The nicknames in the history, the oldest first."""
        return [oracle.open_safe(blob, self.keys)["user"]["nickname"] for blob in self.kept]

