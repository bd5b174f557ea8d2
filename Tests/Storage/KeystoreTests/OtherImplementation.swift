import Foundation
import VectorKit

/// The keystore's formats a second time, from their description: Python's hashlib and PyNaCl.
enum OtherImplementation {
    private static let source = """
        import hashlib, pathlib, sys
        from nacl import utils
        sys.path.insert(0, sys.argv[1])
        from kit import identityfiles

        BEFORE_KEY = bytes.fromhex("00000a2800000a2400000a20")
        OWN = ("", "", "", "keystore")

        def master_of(directory):
            file = (directory / "master.key").read_bytes()
            assert file[:12] == BEFORE_KEY and len(file) == 44
            return file[12:]

        def put(path, content):
            path.touch(0o600)
            path.write_bytes(content)

        def seal(master, where, content):
            return identityfiles.sealed(content, master, where[3], where, utils.random(24))

        def history(directory):
            for entry in sorted(directory.glob("identities/threema/*/places/*/history/*")):
                content = identityfiles.opened(entry, master_of(directory))
                assert content[0] == 2
                time, fields = int.from_bytes(content[1:9], "big"), (content[9:41], content[41:105], content[105:])
                print(identityfiles.names(entry)[1], entry.name, time, *(field.hex() for field in fields))

        def history_of_version_1(directory, identity, name, time, digest, backup):
            content = bytes([1]) + int(time).to_bytes(8, "big") + bytes.fromhex(digest) + bytes.fromhex(backup)
            place = identityfiles.of_place(identityfiles.directory(directory, identity), "main")
            where = ("threema", identity, "main", name)
            file = identityfiles.sealed(content, master_of(directory), "history", where, utils.random(24))
            put(place / "history" / name, file)

        def read(directory):
            own = identityfiles.opened(directory / "keystore", master_of(directory))
            assert own[0] == 2 and len(own) == 17
            for record in sorted(directory.glob("identities/threema/*/*")) + sorted(directory.glob("identities/*/*/places/*/*")):
                if not record.is_file() or record.name in ("lock", "state.json"):
                    continue
                _, identity, place, name = identityfiles.names(record)
                where = f"{place}/{name}" if place else name
                print(identity, where, identityfiles.opened(record, master_of(directory)).hex())

        def write(directory, identity, place, name, content):
            master = utils.random(32)
            home = identityfiles.directory(directory, identity)
            deepest = identityfiles.of_place(home, place) if place else home
            for each in [directory, *reversed(deepest.relative_to(directory).parents), deepest.relative_to(directory)]:
                (directory / each).mkdir(0o700, exist_ok=True)
            put(directory / "master.key", BEFORE_KEY + master)
            put(directory / "keystore", seal(master, OWN, b"\\x02" + utils.random(16)))
            put(deepest / name, seal(master, ("threema", identity, place, name), bytes.fromhex(content)))
            print(identityfiles.record_key(master, "state").hex())

        def version(directory, number):
            put(directory / "keystore", seal(master_of(directory), OWN, bytes([int(number)]) + utils.random(16)))

        def commit(directory, identity, file):
            master, file = master_of(directory), bytes.fromhex(file)
            digest = hashlib.blake2b(
                file[:4] + identityfiles.prefixed("threema", identity) + file[36:], digest_size=32,
                key=identityfiles.record_key(master, "commit")).digest()
            assert file[:4] == b"KTC2" and file[4:36] == digest
            rest = file[36:]
            while rest:
                kind, count = rest[:2]
                path, rest = rest[2:2 + count].decode(), rest[2 + count:]
                place, _, name = path.rpartition("/")
                size = int.from_bytes(rest[:4], "big")
                content, rest = rest[4:4 + size], rest[4 + size:]
                if kind == 1 and name != "state.json":
                    content = identityfiles.unsealed(content, master, name, ("threema", identity, place, name))
                print(path, content.hex() if kind == 1 else "-")

        verb, directory, *rest = sys.argv[2:]
        {"read": read, "write": write, "commit": commit, "history": history,
         "history_of_version_1": history_of_version_1, "version": version}[verb](pathlib.Path(directory), *rest)
        """

    /// Where the package `kit` is, with its `identityfiles.py`.
    private static let modules = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Programs/keytool").standardized.path()

    /// Runs it.
    /// - Returns: what it prints, line by line.
    static func run(_ arguments: String...) throws -> [String] {
        let result = try Program.output(of: "/usr/bin/python3", ["-c", source, modules] + arguments)
        return String(decoding: result, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
