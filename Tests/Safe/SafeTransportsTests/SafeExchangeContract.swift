import SafeWire
import Testing

/// A server of a test's own, which the test can also reach behind the exchange's back.
protocol ServerUnderTest: Sendable {
    /// The exchange with it.
    var exchange: any SafeExchange { get }
    /// The address that errors name.
    var address: String { get }
    /// Puts a document where `config` lies.
    func putConfig(_ content: [UInt8]) throws
    /// Puts bytes where a backup lies.
    func putBackup(_ content: [UInt8], at id: BackupID) throws
    /// From here on nothing answers.
    func takeAway() throws
}

/// What every adapter of the port `SafeExchange` has to do. Each rule is one test, on a server of its own.
struct SafeExchangeRule: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the rule needs a server whose `config` it chooses.
    private let choosesConfig: Bool
    let check: @Sendable (any ServerUnderTest) throws -> Void

    var testDescription: String { name }

    private init(
        _ name: String, choosesConfig: Bool = false, _ check: @escaping @Sendable (any ServerUnderTest) throws -> Void
    ) {
        self.name = name
        self.choosesConfig = choosesConfig
        self.check = check
    }

    static func id(_ byte: UInt8) -> BackupID { BackupID([UInt8](repeating: byte, count: BackupID.count).span) }

    static func content(_ count: Int, _ seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
    }

    /// Whether these bytes lie there. Not in the macro, which would print megabytes.
    private static func holds(_ server: any ServerUnderTest, _ id: BackupID, _ content: [UInt8]?) throws -> Bool {
        try server.exchange.fetch(id)?.bytes == content
    }

    /// That the server still holds what it holds now, if it can tell.
    private static func seen(_ server: any ServerUnderTest, _ id: BackupID) throws -> WriteCondition {
        try server.exchange.fetch(id)?.tag.map { .unchanged(tag: $0) } ?? .none
    }

    /// Each adapter has its own words for why.
    private static func expectAway(_ server: any ServerUnderTest, _ body: () throws -> Void) throws {
        let error = #expect(throws: SafeExchangeError.self) { try body() }
        guard case .unavailable(server.address, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    static let prepared: [SafeExchangeRule] = [
        SafeExchangeRule("the config is that of the preparation", choosesConfig: true) { server in
            let config = try server.exchange.config()
            let limits = try ServerLimits(config: config.span)
            #expect(limits == .standard)
        },
        SafeExchangeRule("the config is the document as it lies there, up to 64 KiB", choosesConfig: true) { server in
            for content in [[], content(1), content(ServerLimits.maxConfigBytes)] {
                try server.putConfig(content)
                let isSame = try server.exchange.config() == content
                #expect(isSame)
            }
            try server.putConfig(content(ServerLimits.maxConfigBytes + 1))
            #expect(throws: SafeExchangeError.tooLarge(limit: 64 * 1024)) { try server.exchange.config() }
        },
        SafeExchangeRule("what is not there is no error") { server in
            let isAbsent = try holds(server, id(1), nil)
            #expect(isAbsent)
            try server.exchange.remove(id(1), if: .none)
        },
        SafeExchangeRule("what is stored comes back, up to 4 MiB") { server in
            for count in [1, 40, 65_536, maxFetchedBytes] {
                try server.exchange.store(content(count), at: id(1), if: .none)
                let isSame = try holds(server, id(1), content(count))
                #expect(isSame, "\(count) bytes")
            }
        },
        SafeExchangeRule("what is stored again replaces it, shorter or longer") { server in
            for count in [1000, 10, 5000] {
                try server.exchange.store(content(count, count), at: id(1), if: .none)
                let isSame = try holds(server, id(1), content(count, count))
                #expect(isSame, "\(count) bytes")
            }
        },
        SafeExchangeRule("each backup is its own") { server in
            for byte: UInt8 in [0, 1, 0xab, 0xff] { try server.exchange.store([byte], at: id(byte), if: .none) }
            try server.exchange.remove(id(0xab), if: .none)
            for byte: UInt8 in [0, 1, 0xff] {
                let isSame = try holds(server, id(byte), [byte])
                #expect(isSame)
            }
            let isGone = try holds(server, id(0xab), nil)
            #expect(isGone)
        },
        SafeExchangeRule("what is removed is gone, and may be stored again") { server in
            try server.exchange.store([1], at: id(1), if: .none)
            try server.exchange.remove(id(1), if: .none)
            try server.exchange.remove(id(1), if: .none)
            let isGone = try holds(server, id(1), nil)
            #expect(isGone)
            try server.exchange.store([2], at: id(1), if: .none)
            let isThere = try holds(server, id(1), [2])
            #expect(isThere)
        },
        SafeExchangeRule("what is to be stored if nothing is there goes over nothing") { server in
            try server.exchange.store([1], at: id(1), if: .absent)
            #expect(throws: SafeExchangeError.changed(server.address)) {
                try server.exchange.store([2], at: id(1), if: .absent)
            }
            let isKept = try holds(server, id(1), [1])
            #expect(isKept)
        },
        SafeExchangeRule("what was just read may be replaced and removed on that condition") { server in
            try server.exchange.store([1], at: id(1), if: .none)
            try server.exchange.store([2], at: id(1), if: seen(server, id(1)))
            let isReplaced = try holds(server, id(1), [2])
            #expect(isReplaced)
            try server.exchange.remove(id(1), if: seen(server, id(1)))
            let isGone = try holds(server, id(1), nil)
            #expect(isGone)
        },
        SafeExchangeRule("a backup over 4 MiB is not read") { server in
            try server.putBackup(content(maxFetchedBytes + 1), at: id(1))
            #expect(throws: SafeExchangeError.tooLarge(limit: 4 * 1024 * 1024)) { try server.exchange.fetch(id(1)) }
            // It can still be replaced.
            try server.exchange.store([1], at: id(1), if: .none)
            let isReplaced = try holds(server, id(1), [1])
            #expect(isReplaced)
        },
        SafeExchangeRule("preparing again keeps config and backups", choosesConfig: true) { server in
            let own = ServerLimits(maxBackupBytes: 1000, retentionDays: 30).config
            try server.putConfig(own)
            try server.exchange.store([1], at: id(1), if: .none)
            try server.exchange.prepare(.standard)
            let config = try server.exchange.config()
            #expect(config == own)
            let isThere = try holds(server, id(1), [1])
            #expect(isThere)
        },
        SafeExchangeRule("a server that is away is unavailable, and is not created again") { server in
            try server.takeAway()
            try expectAway(server) { _ = try server.exchange.config() }
            try expectAway(server) { _ = try server.exchange.fetch(id(1)) }
            try expectAway(server) { try server.exchange.store([1], at: id(1), if: .none) }
            try expectAway(server) { try server.exchange.remove(id(1), if: .none) }
            try expectAway(server) { _ = try server.exchange.config() }
        },
    ]

    /// The rules of a prepared server whose limits are fixed.
    static var withFixedLimits: [SafeExchangeRule] { prepared.filter { !$0.choosesConfig } }

    static let unprepared: [SafeExchangeRule] = [
        SafeExchangeRule("without preparation there is no config") { server in
            #expect(throws: SafeExchangeError.notPrepared(server.address)) { try server.exchange.config() }
        },
        SafeExchangeRule("preparing makes a server") { server in
            try server.exchange.prepare(ServerLimits(maxBackupBytes: 1, retentionDays: 2))
            let config = try server.exchange.config()
            let limits = try ServerLimits(config: config.span)
            #expect(limits == ServerLimits(maxBackupBytes: 1, retentionDays: 2))
            try server.exchange.store([1], at: id(1), if: .none)
            let isThere = try holds(server, id(1), [1])
            #expect(isThere)
        },
    ]
}
