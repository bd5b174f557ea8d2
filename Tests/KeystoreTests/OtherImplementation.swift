import Foundation
import VectorKit

/// The keystore's formats a second time, from their description: Python's hashlib and PyNaCl.
enum OtherImplementation {
    private static let source = """
        import hashlib, pathlib, sys
        from nacl import bindings, utils

        MAGIC, PERSONAL = b"KTR2", b"keytool-record-1"
        BEFORE_KEY = bytes.fromhex("00000a2800000a2400000a20")

        def record_key(master, name):
            return hashlib.blake2b(b"", digest_size=32, key=master, salt=name, person=PERSONAL).digest()

        def prefixed(*texts):
            return b"".join(bytes([len(text)]) + text for text in texts)

        def additional(identity, place, name):
            return MAGIC + prefixed(b"threema" if identity else b"", identity, place, name)

        def seal(master, identity, place, name, content):
            nonce = utils.random(24)
            return MAGIC + nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
                content, additional(identity, place, name), nonce, record_key(master, name))

        def unseal(master, identity, place, name, record, key_name=None):
            assert record[:4] == MAGIC
            return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
                record[28:], additional(identity, place, name), record[4:28], record_key(master, key_name or name))

        def parts(folder, path):
            # ID, place and name of a record.
            parts = path.relative_to(folder / "identities" / "threema").parts
            return parts[0].encode(), (parts[2] if len(parts) > 2 else "").encode(), parts[-1].encode()

        def history(folder):
            master = (folder / "master.key").read_bytes()[12:]
            for entry in sorted(folder.glob("identities/threema/*/places/*/history/*")):
                content = unseal(master, *parts(folder, entry), entry.read_bytes(), b"history")
                assert content[0] == 1
                time = int.from_bytes(content[1:9], "big")
                print(parts(folder, entry)[0].decode(), entry.name, time, content[9:41].hex(), content[41:].hex())

        def put(path, content):
            path.touch(0o600)
            path.write_bytes(content)

        def read(folder):
            file = (folder / "master.key").read_bytes()
            assert file[:12] == BEFORE_KEY and len(file) == 44
            own = unseal(file[12:], b"", b"", b"keystore", (folder / "keystore").read_bytes())
            assert own[0] == 2 and len(own) == 17
            for record in sorted(folder.glob("identities/threema/*/*")) + sorted(folder.glob("identities/*/*/places/*/*")):
                if not record.is_file() or record.name in ("lock", "state.json"):
                    continue
                identity, place, name = parts(folder, record)
                where = (place + b"/" if place else b"") + name
                print(identity.decode(), where.decode(), unseal(file[12:], identity, place, name, record.read_bytes()).hex())

        def write(folder, identity, place, name, content):
            master = utils.random(32)
            home = folder / "identities" / "threema" / identity
            deepest = home / "places" / place if place else home
            for each in [folder, *reversed(deepest.relative_to(folder).parents), deepest.relative_to(folder)]:
                (folder / each).mkdir(0o700, exist_ok=True)
            put(folder / "master.key", BEFORE_KEY + master)
            put(folder / "keystore", seal(master, b"", b"", b"keystore", b"\\x02" + utils.random(16)))
            put(deepest / name, seal(master, identity.encode(), place.encode(), name.encode(), bytes.fromhex(content)))
            print(record_key(master, b"state").hex())

        def version(folder, number):
            master = (folder / "master.key").read_bytes()[12:]
            put(folder / "keystore", seal(master, b"", b"", b"keystore", bytes([int(number)]) + utils.random(16)))

        def commit(folder, identity, file):
            master, file, identity = (folder / "master.key").read_bytes()[12:], bytes.fromhex(file), identity.encode()
            digest = hashlib.blake2b(
                file[:4] + prefixed(b"threema", identity) + file[36:], digest_size=32,
                key=record_key(master, b"commit")).digest()
            assert file[:4] == b"KTC2" and file[4:36] == digest
            rest = file[36:]
            while rest:
                kind, count = rest[:2]
                path, rest = rest[2:2 + count], rest[2 + count:]
                place, _, name = path.rpartition(b"/")
                size = int.from_bytes(rest[:4], "big")
                content, rest = rest[4:4 + size], rest[4 + size:]
                if kind == 1 and name != b"state.json":
                    content = unseal(master, identity, place, name, content)
                print(path.decode(), content.hex() if kind == 1 else "-")

        verb, folder, *rest = sys.argv[1:]
        {"read": read, "write": write, "commit": commit, "history": history, "version": version}[verb](pathlib.Path(folder), *rest)
        """

    /// Runs it.
    /// - Returns: what it prints, line by line.
    static func run(_ arguments: String...) throws -> [String] {
        let result = try Program.output(of: "/usr/bin/python3", ["-c", source] + arguments)
        return String(decoding: result, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
