import Foundation
import Keystore
import SecureMemory
import Tar

@testable import MessengerKeeping

/// A keystore in a directory of its own.
final class Scratch: Sendable {
    let keystore: OpenKeystore
    let path: String

    init() throws {
        let parent = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "archive-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
        path = parent.path
        keystore = try OpenKeystore.openOrCreate(at: path + "/keys")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A messenger whose record `key` has three bytes.
    static let messengers = ArchivedMessengers([
        ArchivedMessenger("carrier", transient: ["session"]) { records throws(RecordProblem) in
            guard let count = records.count(of: "key") else { throw .missing("key") }
            guard count == 3 else { throw .malformed("key") }
            return records.withRecord("key") { "\($0[0])" }
        }
    ])

    var keeper: ArchiveKeeper { ArchiveKeeper(keystore, Self.messengers) }

    func add(_ owner: Owner, _ records: [RecordName: [UInt8]]) throws {
        try keystore.add(owner) { new in
            for (name, bytes) in records { try new.write(name, bytes.span) }
        }
    }

    func change(_ owner: Owner, _ name: RecordName, _ bytes: [UInt8]) throws {
        try keystore.lockedIdentity(owner, wait: .zero).write(name, bytes.span)
    }

    /// What the keystore has of an owner, with the states of its places.
    func content(_ owner: Owner) throws -> [String: [UInt8]] {
        let set = try RecordSet(of: keystore.identity(owner)) { _ in true }
        var content: [String: [UInt8]] = [:]
        for name in set.names {
            content[(name.place.map { $0.text + "/" } ?? "") + name.text] = set.read(name)!.copied
        }
        for place in try keystore.identity(owner).placesWithState() {
            content[place.text + "/state.json"] = try keystore.identity(owner).readState(of: place)!.copied
        }
        return content
    }

    /// The archive of this keystore.
    func archive(readme: [UInt8] = Array("Read me.\n".utf8), withSessions: Bool = false) throws -> [UInt8] {
        let bytes = Written()
        try keeper.export(
            try keeper.survey(withSessions: withSessions), readme: readme, at: .init(milliseconds: 1_900_000_000_000)
        ) { bytes.append($0) }
        return bytes.all
    }
}

final class Written {
    private(set) var all: [UInt8] = []

    func append(_ piece: Span<UInt8>) {
        for index in piece.indices { all.append(piece[index]) }
    }

    /// A tar archive of these files.
    static func tar(_ files: [(String, [UInt8])]) -> [UInt8] {
        let written = Written()
        let writer = TarWriter(modified: 1_900_000_000) { written.append($0) }
        for (name, content) in files { try! writer.add(TarName(name)!, content.span) }
        try! writer.finish()
        return written.all
    }
}

extension SecureBytes {
    var copied: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}

extension RecordSet {
    convenience init(of owner: Owner, _ records: [RecordName: [UInt8]]) {
        var bytes: [UInt8] = []
        var places: [RecordName: Range<Int>] = [:]
        for (name, content) in records {
            places[name] = bytes.count..<bytes.count + content.count
            bytes += content
        }
        self.init(of: owner, places, in: bytes.span)
    }
}
