import SafeKit
import SafeWire
import Testing

/// The server in memory that other tests use does what real ones do.
@Suite struct MemoryServerTests {
    @Test(arguments: SafeExchangeRule.prepared) func `the contract`(_ rule: SafeExchangeRule) throws {
        try rule.check(ServerInMemory())
    }

    @Test(arguments: SafeExchangeRule.unprepared) func `the contract, before preparation`(
        _ rule: SafeExchangeRule
    ) throws {
        let server = try ServerInMemory()
        server.memory.served = nil
        try rule.check(server)
    }
}

private struct ServerInMemory: ServerUnderTest {
    let memory: MemoryServer

    init() throws { memory = try MemoryServer() }

    var exchange: any SafeExchange { memory }
    var address: String { memory.address.text }
    func putConfig(_ content: [UInt8]) throws { memory.served = content }
    func putBackup(_ content: [UInt8], at id: BackupID) throws { memory.backups[id.hex] = content }
    func takeAway() throws { memory.takeAway() }
}
