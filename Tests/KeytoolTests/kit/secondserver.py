"""How a test gives a profile other content than was pushed: from a backup on a second server.

Pulled from there, the profile is the keystore's, and the setup stays where it was.
"""

import base64

from kit import oracle
from kit.safedirectory import SafeDirectory


class SecondServer:
    def __init__(self, safe, path, password):
        """safe: pushed at least once; password: the option that gives its Safe password."""
        path.mkdir()
        self.safe, self.directory, self.password = safe, SafeDirectory(path).prepare(), password

    def give_contacts(self, *ids):
        """Makes these the only contacts of the profile."""
        key = base64.b64decode(self.safe.document["user"]["privatekey"])
        contacts = [{"identity": id, "verification": 2} for id in ids]
        self.directory.put(self.safe.keys, oracle.seal_safe(
            oracle.safe_document(key, contacts=contacts), self.safe.keys))
        self.safe.keytool.ok("safe", "pull", "--id", self.safe.id, "--server", self.directory.url,
                             "--replace", *self.password)
