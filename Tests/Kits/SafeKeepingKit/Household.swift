import Encodings
import Foundation
import Keystore
import SafeKeeping
import SafeKit
import SafeRules
import SafeWire
import SecureMemory
import Synchronization
import Threema
import ThreemaRecords
import ThreemaSafe
import VectorKit

/// A keystore with one identity, a server, a clock, and the keeper between them.
package final class Household: Sendable {
    package static let id = try! ThreemaID("ABCD1234")
    /// The only place, unless a test sets up more.
    package static let main = SafePlace(id, .main)
    package static let start = Timestamp(milliseconds: 1_800_000_000_000)

    package let keystore: OpenKeystore
    package let safe: SafeKeeper
    package let server: MemoryServer
    private let parent: URL
    private let clock: Clock
    private let remains: Remains

    /// With a profile of two contacts and, unless told otherwise, a Safe on the server.
    /// - Parameters:
    ///   - server: nil for one of its own.
    ///   - other: a further server, with another address.
    ///   - isEmpty: without identity.
    package init(
        sharing server: MemoryServer? = nil, beside other: MemoryServer? = nil, isSetUp: Bool = true,
        isEmpty: Bool = false
    ) throws {
        let parent = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "household-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
        let directory = parent.appending(path: "keys/identities/threema/\(Self.id.text)")
        let remains = Remains(of: directory)
        let clock = Clock()
        let own = try server ?? MemoryServer { remains.take() }
        self.parent = parent
        self.clock = clock
        self.server = own
        self.remains = remains
        keystore = try OpenKeystore.openOrCreate(at: parent.appending(path: "keys").path())
        safe = SafeKeeper(
            keystore: keystore, now: { clock.now },
            connect: { server, _ in other.flatMap { $0.address == server.address ? $0 : nil } ?? own },
            sleep: { clock.advance($0) })
        guard !isEmpty else { return }
        try keystore.add(.threema(Self.id)) { new in
            try new.write(Profile(Self.document()))
            try new.write(Self.identity())
        }
        if isSetUp { try setUp() }
    }

    deinit {
        try? FileManager.default.removeItem(at: parent)
    }

    // MARK: What it holds

    /// The key of the Safe: deriving one from a password takes 64 MiB and a moment.
    package static func safeKeys(_ byte: UInt8 = 7) -> SafeKeys {
        SafeKeys(masterKey: SecureBytes(copying: [UInt8](repeating: byte, count: SafeKeys.masterKeyCount).span))
    }

    package static func identity(_ byte: UInt8 = 0xcc) -> Identity {
        let key = [UInt8](repeating: byte, count: ClientKey.count)
        return Identity(id: id, clientKey: ClientKey(SecureBytes(copying: key.span)))
    }

    package static func document(_ nickname: String = "first", contacts: Int = 2) -> SafeDocument {
        let contacts = (0..<contacts).map { JSONValue.object([.init("identity", .string("CONTAC\(10 + $0)"))]) }
        let root: JSONValue = [
            "info": ["version": 1], "user": ["nickname": .string(nickname)], "contacts": .array(contacts),
        ]
        return try! SafeDocument(root)
    }

    package var now: Timestamp { clock.now }

    package func advance(_ duration: Duration) { clock.advance(duration) }

    package func setClock(_ timestamp: Timestamp) { clock.set(timestamp) }

    package func locked() throws -> LockedIdentity {
        try keystore.lockedIdentity(.threema(Self.id), wait: .seconds(60))
    }

    package func setUp(_ byte: UInt8 = 7) throws {
        try locked().write(SafeSetup(Self.target(server, byte)), at: .main)
    }

    /// A place whose name in the state is the same in every keystore.
    package static func target(_ server: MemoryServer, _ byte: UInt8 = 7) -> SafeTarget {
        SafeTarget(server: SafeEndpoint(server.address), keys: safeKeys(byte), placeName: Array("place".utf8))
    }

    package func change(to document: SafeDocument) throws { try locked().write(Profile(document)) }

    package func profile() throws -> SafeDocument { try keystore.identity(.threema(Self.id)).profile().document }

    package func clientKey() throws -> [UInt8] {
        try keystore.identity(.threema(Self.id)).identity().clientKey.bytes.copied
    }

    // MARK: What it does

    @discardableResult
    package func push(_ change: (inout SafeKeeper.PushOptions) -> Void = { _ in }) throws -> SafeKeeper.PushResult {
        var options = SafeKeeper.PushOptions()
        change(&options)
        return try safe.push(Self.main, options)
    }

    /// Pulls by the stored key.
    package func pull(_ change: (inout SafeKeeper.KeepOptions) -> Void = { _ in }) throws {
        var options = SafeKeeper.KeepOptions()
        change(&options)
        _ = try safe.pull(Self.main, options)
    }

    /// What the rules of the Safe say no with.
    package static func refusal(_ failure: SafeFailure, _ stage: SetupStage = .usual) -> SafeKeepingError {
        .refused(failure, id: "ABCD1234", server: "file:///memory", stage: stage)
    }

    package static let conflict = refusal(.conflict(.current, isOtherKey: false))

    // MARK: What stands on the server

    package static var place: String { safeKeys().backupID.hex }

    /// The backup, opened.
    package func stored() throws -> (document: SafeDocument, clientKey: [UInt8], writerInfo: SafeBackup.WriterInfo?)? {
        guard let blob = server.backups[Self.place] else { return nil }
        let backup = try SafeBackup.open(blob.span, keys: Self.safeKeys())
        return (backup.document, backup.clientKey.bytes.copied, backup.writerInfo)
    }

    /// What an app with the same ID and password would write.
    package static func appBackup(_ document: SafeDocument, key: UInt8 = 0xcc) throws -> [UInt8] {
        let identity = identity(key)
        return try SafeBackup.seal(identity.clientKey, Profile(document), writerInfo: nil, keys: safeKeys())
    }

    // MARK: State

    /// The file as it stands, nil where there is none.
    package var stateFile: [UInt8]? {
        get { try? [UInt8](Data(contentsOf: stateURL)) }
        set {
            guard let newValue else {
                try? FileManager.default.removeItem(at: stateURL)
                return
            }
            try! Data(newValue).write(to: stateURL)
            chmod(stateURL.path(), 0o600)
        }
    }

    private var stateURL: URL {
        parent.appending(path: "keys/identities/threema/\(Self.id.text)/places/main/state.json")
    }

    /// The state as keytool reads it.
    package func state() throws -> UploadState {
        try UploadState(
            of: keystore.identity(.threema(Self.id)), at: .main, key: keystore.stateKey)
    }

    /// Writes a genuine state.
    package func changeState(_ change: (inout UploadState) -> Void) throws {
        var state = try state()
        change(&state)
        try state.write(to: locked(), at: .main, key: keystore.stateKey, now: now)
    }

    // MARK: History

    package func history() throws -> [HistoryEntry] { try keystore.identity(.threema(Self.id)).history(of: .main) }

    // MARK: Death

    /// Runs `body` until the server's fault kills it, then leaves the identity's files as they stood at
    /// that moment: what is done afterwards, no dead process does.
    /// - Returns: whether it died.
    package func killing(_ body: () throws -> Void) -> Bool {
        try? body()
        guard server.recover() else { return false }
        remains.putBack()
        return true
    }
}

/// A password.
package func secret(_ text: String) -> SecureBytes { SecureBytes(copying: Array(text.utf8).span) }

/// A clock that stands until it is set.
private final class Clock: Sendable {
    private let value = Mutex(Household.start)

    var now: Timestamp { value.withLock { $0 } }

    func advance(_ duration: Duration) { value.withLock { $0 = $0 + duration } }

    func set(_ timestamp: Timestamp) { value.withLock { $0 = timestamp } }
}

/// The files of a directory as they once stood.
private final class Remains: Sendable {
    private let directory: URL
    private let files = Mutex<[String: Data]>([:])

    init(of directory: URL) {
        self.directory = directory
    }

    /// The files, those of the places included.
    private var names: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path())) ?? []
        return names.filter {
            (try? directory.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }
    }

    func take() {
        let found = names.reduce(into: [:]) { $0[$1] = try? Data(contentsOf: directory.appending(path: $1)) }
        files.withLock { $0 = found }
    }

    func putBack() {
        for name in names where name != "lock" {
            try? FileManager.default.removeItem(at: directory.appending(path: name))
        }
        for (name, content) in files.withLock({ $0 }) where name != "lock" {
            try! content.write(to: directory.appending(path: name))
            chmod(directory.appending(path: name).path(), 0o600)
        }
    }
}

extension SafeVerb.Delete {
    package static var keepingSetup: SafeVerb.Delete {
        var options = SafeVerb.Delete()
        options.isKeepingSetup = true
        return options
    }

    package static var forced: SafeVerb.Delete {
        var options = SafeVerb.Delete()
        options.isForced = true
        return options
    }
}
