package import Encodings
package import HTTP
internal import Keystore
package import SafeWire
internal import SecureMemory
package import ThreemaDirectory
package import ThreemaRecords

// The records of a provisioning file:
//
//   file       the file as it was signed, at most 64 KiB
//   trust      version, 1 (1 byte) ‖ the key that signs it (32) ‖ digests of the files that it has replaced, the last
//              one first (32 each, at most 16)
//   source     JSON: `url`, where the file is fetched again, and `user`, of the license; missing if both are
//   password   of the license, as typed; with `user` only
//   fetched    when the server last had the file: milliseconds since the epoch, 8 bytes, big-endian; missing if the file
//              was not fetched. No archive contains it
//
// The file is verified again each time it is read.

/// A provisioning file of the keystore.
package final class OnPremFile: Sendable {
    package let name: OnPremName
    package let file: ProvisioningFile
    package let succession: FileSuccession
    /// Where it is fetched again; nil if it is not.
    package let url: String?
    /// User and password of the license; nil for none.
    package let login: Login?
    /// When the server last had it; nil for never.
    package let fetchedAt: Timestamp?

    /// The key that signs it: Ed25519, 32 bytes.
    package var key: [UInt8] { succession.key }

    /// - Throws: `OnPremError.noFile` if there is none; `KeystoreError.damaged`.
    init(_ name: OnPremName, _ records: borrowing IdentityRecords) throws {
        let owner = records.owner
        func damaged(_ name: RecordName) -> KeystoreError { .damaged(record: name.text, owner: owner) }
        guard let trust = try records.read(.trust)?.withBytes({ TrustRecord(decoding: $0) }) else {
            throw damaged(.trust)
        }
        guard let text = try records.read(.file) else { throw damaged(.file) }
        do throws(ProvisioningError) {
            file = try text.withBytes { (text) throws(ProvisioningError) in
                try ProvisioningFile(text, signedBy: trust.key)
            }
        } catch {
            throw damaged(.file)
        }
        succession = FileSuccession(key: trust.key, present: .init(file), replaced: trust.replaced)
        var source = SourceRecord()
        if let record = try records.read(.source) {
            guard let decoded = record.withBytes({ SourceRecord(decoding: $0) }) else { throw damaged(.source) }
            source = decoded
        }
        var login: Login?
        if let user = source.user {
            guard let password = try records.read(.password), password.count <= Login.maxPasswordBytes else {
                throw damaged(.password)
            }
            login = Login(user: user, password: password)
        }
        var fetchedAt: Timestamp?
        if let record = try records.read(.fetched) {
            guard record.count == 8 else { throw damaged(.fetched) }
            fetchedAt = record.withBytes { Timestamp(record: $0, at: 0) }
        }
        self.name = name
        self.login = login
        self.fetchedAt = fetchedAt
        url = source.url
    }

    /// The user of the license; nil for none.
    package var user: String? {
        switch login {
        case .some(let login): login.user
        case .none: nil
        }
    }

    /// Whether it has to be fetched again before its servers are asked. A clock that was set back does not delay that.
    package func isDue(_ now: Timestamp) -> Bool {
        guard url != nil else { return false }
        guard let fetchedAt, fetchedAt <= now else { return true }
        return now - fetchedAt >= file.refresh
    }

    /// The directory.
    /// - Throws: as `ProvisioningFile.directory`.
    package func directory() throws(ProvisioningError) -> DirectoryServer { try file.directory(named: name.text) }

    /// The Safe server, without login.
    /// - Throws: `.noKeyIsAccepted`; `.address` if the URL cannot be a Safe server's, or if it has too many pins.
    package func safeServer() throws(ProvisioningError) -> SafeEndpoint { try file.safeServer(named: name) }
}

extension ProvisioningFile {
    /// - Throws: as `OnPremFile.safeServer`.
    func safeServer(named name: OnPremName?) throws(ProvisioningError) -> SafeEndpoint {
        let pins = try pins(of: servers.safe)
        guard let address = try? SafeServerAddress(parsing: servers.safe), case .https = address,
            pins.count <= SafeEndpoint.maxPins
        else { throw .address("safe.url") }
        return SafeEndpoint(address, login: nil, authority: nil, pins: pins, onPrem: name?.text)
    }

    /// Refuses a file whose directory or Safe cannot be used.
    package func checkServers() throws(ProvisioningError) {
        _ = try directory()
        _ = try safeServer(named: nil)
    }
}

extension RecordName {
    static let file: RecordName = "file"
    static let trust: RecordName = "trust"
    static let source: RecordName = "source"
    static let password: RecordName = "password"
    static let fetched: RecordName = "fetched"
}

/// The record `trust`.
struct TrustRecord {
    static let version: UInt8 = 1
    private static let count = FileSuccession.digestCount

    let key: [UInt8]
    let replaced: [[UInt8]]

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        let bytes = bytes.revealBytes()
        let parts = stride(from: 1, to: bytes.count, by: Self.count).map { Array(bytes[$0...].prefix(Self.count)) }
        guard bytes.first == Self.version, parts.last?.count == Self.count,
            parts.count <= 1 + FileSuccession.maxReplaced
        else { return nil }
        key = parts[0]
        replaced = Array(parts.dropFirst())
    }

    static func encoded(_ succession: FileSuccession) -> [UInt8] {
        [version] + succession.key + succession.replaced.joined()
    }
}

/// The record `source`.
struct SourceRecord {
    var url: String?
    var user: String?

    init(url: String? = nil, user: String? = nil) {
        self.url = url
        self.user = user
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>) {
        guard bytes.count <= 16 * 1024, let value = try? JSONScanner.parse(bytes, limits: .init(depth: 2, values: 8)),
            value.members != nil
        else { return nil }
        url = value["url"]?.string
        user = value["user"]?.string
        guard (value["url"] == nil) == (url == nil), (value["user"] == nil) == (user == nil),
            url.map({ OnPremSource(url: $0) != nil }) ?? true, user.map(Login.isUser) ?? true
        else { return nil }
    }

    var encoded: [UInt8] {
        JSONValue.object(
            (url.map { [.init("url", .string($0))] } ?? []) + (user.map { [.init("user", .string($0))] } ?? [])
        ).encoded
    }
}
