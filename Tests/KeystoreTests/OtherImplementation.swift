import Foundation
import VectorKit

/// The keystore's formats a second time, from their description: Python's hashlib and PyNaCl.
enum OtherImplementation {
    private static let source = """
        import hashlib, pathlib, sys
        from nacl import bindings, utils

        MAGIC, PERSONAL = b"KTR1", b"keytool-record-1"
        BEFORE_KEY = bytes.fromhex("00000a2800000a2400000a20")

        def record_key(master, name):
            return hashlib.blake2b(b"", digest_size=32, key=master, salt=name, person=PERSONAL).digest()

        def unseal_history(master, identity, name, record):
            assert record[:4] == MAGIC
            content = bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
                record[28:], MAGIC + identity + name, record[4:28], record_key(master, b"history"))
            assert content[0] == 1
            return int.from_bytes(content[1:9], "big"), content[9:41].hex(), content[41:].hex()

        def history(folder):
            master = (folder / "master.key").read_bytes()[12:]
            for entry in sorted(folder.glob("identities/*/history/*")):
                identity = entry.parent.parent.name
                print(identity, entry.name, *unseal_history(
                    master, identity.encode(), entry.name.encode(), entry.read_bytes()))

        def seal(master, identity, name, content):
            nonce = utils.random(24)
            return MAGIC + nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
                content, MAGIC + identity + name, nonce, record_key(master, name))

        def unseal(master, identity, name, record):
            assert record[:4] == MAGIC
            return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
                record[28:], MAGIC + identity + name, record[4:28], record_key(master, name))

        def put(path, content):
            path.touch(0o600)
            path.write_bytes(content)

        def read(folder):
            file = (folder / "master.key").read_bytes()
            assert file[:12] == BEFORE_KEY and len(file) == 44
            own = unseal(file[12:], b"********", b"keystore", (folder / "keystore").read_bytes())
            assert own[0] == 1 and len(own) == 17
            for record in sorted(folder.glob("identities/*/*")):
                identity, name = record.parent.name.encode(), record.name.encode()
                print(record.parent.name, record.name, unseal(file[12:], identity, name, record.read_bytes()).hex())

        def write(folder, identity, name, content):
            master = utils.random(32)
            place = folder / "identities" / identity
            for each in (folder, folder / "identities", place):
                each.mkdir(0o700)
            put(folder / "master.key", BEFORE_KEY + master)
            put(folder / "keystore", seal(master, b"********", b"keystore", b"\\x01" + utils.random(16)))
            put(place / name, seal(master, identity.encode(), name.encode(), bytes.fromhex(content)))
            print(record_key(master, b"state").hex())

        def commit(folder, identity, file):
            master, file, identity = (folder / "master.key").read_bytes()[12:], bytes.fromhex(file), identity.encode()
            digest = hashlib.blake2b(
                file[:4] + identity + file[36:], digest_size=32, key=record_key(master, b"commit")).digest()
            assert file[:4] == b"KTC1" and file[4:36] == digest
            rest = file[36:]
            while rest:
                kind, count = rest[:2]
                name, rest = rest[2:2 + count], rest[2 + count:]
                size = int.from_bytes(rest[:4], "big")
                content, rest = rest[4:4 + size], rest[4 + size:]
                if kind == 1 and name != b"state.json":
                    content = unseal(master, identity, name, content)
                print(name.decode(), content.hex() if kind == 1 else "-")

        verb, folder, *rest = sys.argv[1:]
        {"read": read, "write": write, "commit": commit, "history": history}[verb](pathlib.Path(folder), *rest)
        """

    /// Runs it.
    /// - Returns: what it prints, line by line.
    static func run(_ arguments: String...) throws -> [String] {
        let result = try Program.output(of: "/usr/bin/python3", ["-c", source] + arguments)
        return String(decoding: result, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
