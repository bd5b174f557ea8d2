"""How a test edits a profile hundreds of times: what is left is a profile that was not pushed.

The contacts come out of a backup that stands on the server for the length of one pull. Then the
backup that stood there and the state are put back, so that keytool remembers no pull. (A second
server, as in secondserver.py, needs no such care, but takes a quarter of a second for scrypt.)
"""

from kit import oracle


def edit(machine, private_key, contacts):
    """Makes these IDs the only contacts of the machine's profile."""
    place, state = machine.directory.backup(machine.keys), machine.record("state.json")
    kept = [(path, path.read_bytes() if path.exists() else None) for path in (place, state)]
    place.write_bytes(oracle.seal_safe(document(private_key, contacts), machine.keys))
    machine.keytool.ok("safe", "pull", "--replace")
    for path, content in kept:
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)


def document(private_key, contacts):
    return oracle.safe_document(
        private_key, contacts=[{"identity": id, "verification": 2} for id in sorted(contacts)])


def contacts_of(document):
    return {contact["identity"] for contact in document["contacts"]}
