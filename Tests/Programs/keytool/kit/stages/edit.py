"""How a test edits a profile: the result is one that was not pushed.

The contacts come out of a backup that stands on the server for the length of one pull. Then the
backup that stood there and the state are put back, so that keytool remembers no pull.
"""

import base64

from kit import oracle


def edit(machine, *contacts):
    """Makes these IDs the only contacts of the machine's profile. The machine, a SafeSetup, has pushed before."""
    place, state = machine.directory.backup(machine.keys), machine.record("state.json")
    before = [(path, path.read_bytes()) for path in (place, state)]
    private_key = base64.b64decode(machine.document["user"]["privatekey"])
    place.write_bytes(oracle.seal_safe(document(private_key, contacts), machine.keys))
    machine.keytool.ok("safe", "pull", machine.id, "--replace")
    for path, content in before:
        path.write_bytes(content)


def document(private_key, contacts):
    """A Safe document with these IDs as contacts."""
    return oracle.safe_document(
        private_key, contacts=[{"identity": id, "verification": 2} for id in sorted(contacts)])


def contacts_of(document):
    return {contact["identity"] for contact in document["contacts"]}
