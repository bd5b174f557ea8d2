import AtomicFiles
import Dispatch
import Encodings
import Foundation
import SafeStore
import SafeWire
import StoreKit
import Synchronization
import Testing

@Suite struct ServerDirectoryTests {
    private let place: StoreInDirectory
    private let alice = AccountName("alice")!
    private let bob = AccountName("bob")!

    init() throws { place = try StoreInDirectory() }

    private func sweep(_ number: Int, deleting deletion: Sweep.Deletion = .unlessSuspicious) throws -> SweepReport {
        let now = ClockReading(wall: day(number), monotonic: .zero)
        try setClock(number)
        return try ServerDirectory(at: place.path)
            .sweep(Sweep(retentionDays: 180, now: now, last: nil, deleting: deletion))
    }

    /// As if the store's clock had been read each day.
    private func setClock(_ number: Int) throws {
        let time = day(number).milliseconds
        try Data(#"{"sum":\#(time),"wall":\#(time)}"#.utf8).write(to: URL(fileURLWithPath: place.path + "/clock"))
    }

    private func put(_ account: AccountName?, _ bytes: Range<UInt8>, _ number: Int) throws {
        let store = try FolderStore(at: place.path, account: account, keepsPrevious: true)
        for byte in bytes { _ = try store.put([byte], at: id(byte), if: .none, now: day(number)) }
    }

    @Test(arguments: ["a", "0", "alice", "a-b", "a--", String(repeating: "z", count: 32)])
    func `a name of an account`(_ text: String) { #expect(AccountName(text)?.text == text) }

    @Test(
        arguments: [
            "", "-", "-a", "A", "a_b", "a.b", "..", "a/b", "a b", "é", "e\u{301}", "a\0", "a\n",
            String(repeating: "z", count: 33),
        ]) func `not a name of an account`(_ text: String)
    { #expect(AccountName(text) == nil) }

    @Test func `accounts have directories of their own, and removing one leaves the others`() throws {
        let server = try ServerDirectory(at: place.path)
        let none = try server.accountsWithBackups()
        #expect(none == [])
        try server.removeAccount(alice) { $0 }
        for name in [bob, alice, alice] { try server.makeAccount(name) }
        try put(nil, 0..<1, 0)
        try put(alice, 0..<2, 0)
        try put(bob, 1..<4, 0)
        try put(bob, 1..<2, 1)
        let both = try server.accountsWithBackups()
        #expect(both == [alice, bob])
        let size = try server.size(of: bob)
        #expect(size?.backups == 3 && size?.bytes == 3)
        try server.removeAccount(bob) { $0 }
        let gone = try server.size(of: bob)
        #expect(gone == nil)
        let tree = try place.tree()
        #expect(!tree.contains { $0.contains("bob") })
        let left = try server.size(of: alice)?.backups
        #expect(left == 2)
        try FileManager.default.removeItem(atPath: place.path + "/accounts/alice/backups")
        let damaged = try server.size(of: alice)
        #expect(damaged == nil)
        // A store that was opened before works again when the account is back.
        let store = try FolderStore(at: place.path, account: bob)
        #expect(throws: StoreError.self) { try store.get(id(1)) }
        try server.makeAccount(bob)
        let fresh = try store.get(id(1))
        #expect(fresh == nil)
    }

    @Test func `a removal beside writers leaves nothing`() throws {
        for round in 0..<5 {
            let server = try ServerDirectory(at: place.path)
            try server.makeAccount(alice)
            let failures = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 4) { writer in
                if writer == 0 {
                    usleep(5_000)
                    let isRemoved = (try? server.removeAccount(alice) { $0 } == nil) ?? false
                    if !isRemoved { failures.withLock { $0 += 1 } }
                } else if let store = try? FolderStore(at: place.path, account: alice, keepsPrevious: true) {
                    for byte: UInt8 in 0..<5 {
                        _ = try? store.put([byte], at: id(byte % 4), if: .none, now: day(round))
                    }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: place.path + "/accounts")
            #expect(left == [])
        }
    }

    @Test func `a removal that its edit refuses leaves the account`() throws {
        let server = try ServerDirectory(at: place.path)
        try server.editLogins { _ in [1] }
        try server.makeAccount(alice)
        try put(alice, 0..<2, 0)
        let before = try place.tree()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try server.removeAccount(alice) { _ in throw Refusal() } }
        let after = try place.tree()
        #expect(after == before)
        try server.removeAccount(alice) { content in content + [2] }
        let content = try server.logins.content()
        let size = try server.size(of: alice)
        #expect(content == [1, 2] && size == nil)
    }

    @Test func `an account that is added beside its removal has its directory`() throws {
        for _ in 0..<40 {
            let server = try ServerDirectory(at: place.path)
            try server.editLogins { _ in
                try server.makeAccount(alice)
                return [1]
            }
            let failures = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                do {
                    if number == 0 {
                        try server.removeAccount(alice) { _ in [] }
                    } else {
                        try server.editLogins { _ in
                            try server.makeAccount(alice)
                            return [1]
                        }
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            #expect(failures.withLock { $0 } == 0)
            let isListed = try server.logins.content() == [1]
            let hasDirectory = try server.size(of: alice) != nil
            #expect(isListed == hasDirectory)
        }
    }

    @Test func `a sweep removes what a killed removal has left`() throws {
        let server = try ServerDirectory(at: place.path)
        try server.makeAccount(alice)
        try put(alice, 0..<2, 0)
        let accounts = place.path + "/accounts/"
        try FileManager.default.moveItem(atPath: accounts + "alice", toPath: accounts + ".alice.new")
        _ = try sweep(1)
        let left = try FileManager.default.contentsOfDirectory(atPath: accounts)
        #expect(left == [])
    }

    @Test func `an account that is a link is not followed`() throws {
        let server = try ServerDirectory(at: place.path)
        try server.makeAccount(alice)
        try put(alice, 0..<1, 0)
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/accounts/bob", withDestinationPath: place.path + "/accounts/alice")
        let store = try FolderStore(at: place.path, account: bob)
        #expect(throws: StoreError.self) { try store.get(id(0)) }
    }

    @Test func `the file of accounts is edited whole, and its version tells`() throws {
        let server = try ServerDirectory(at: place.path)
        let missing = try server.logins.content()
        let noVersion = try server.logins.version()
        #expect(missing == nil && noVersion == nil)
        try server.editLogins { old in old + [1] }
        let first = try server.logins.version()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try server.editLogins { _ in throw Refusal() } }
        let tooLarge = FileError.tooLarge(path: server.logins.path, limit: LoginsFile.maxBytes)
        #expect(throws: tooLarge) {
            try server.editLogins { _ in [UInt8](repeating: 35, count: LoginsFile.maxBytes + 1) }
        }
        let unchanged = try server.logins.version()
        #expect(first == unchanged && first != nil)
        try server.editLogins { _ in [2] }
        let second = try server.logins.version()
        let content = try server.logins.content()
        #expect(first != second && content == [2])
        let mode = try FileManager.default.attributesOfItem(atPath: server.logins.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `parallel edits are all kept`() throws {
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let server = try? ServerDirectory(at: place.path)
            try? server?.editLogins { $0 + [UInt8(number)] }
        }
        let content = try ServerDirectory(at: place.path).logins.content()
        #expect(content.map { $0.sorted() } == Array(0..<8))
    }

    @Test func `a sweep decides about all accounts together`() throws {
        let server = try ServerDirectory(at: place.path)
        for name in [alice, bob] { try server.makeAccount(name) }
        // Three accounts with three old backups each: each would be few enough for itself.
        for account in [nil, alice, bob] {
            try put(account, 0..<3, 0)
            try put(account, 3..<10, 200)
        }
        let refused = try sweep(300)
        #expect(refused.suspicion == .tooMany(expired: 9, total: 30) && !refused.isCarriedOut)
        let before = try place.tree()
        let dry = try sweep(300, deleting: .never)
        #expect(dry.counts.expired == 9)
        let after = try place.tree()
        #expect(after == before)
        let forced = try sweep(300, deleting: .always)
        #expect(forced.counts.expired == 9 && forced.isCarriedOut)
        for account in [alice, bob] {
            let size = try server.size(of: account)
            #expect(size?.backups == 7)
        }
        let rest = try sweep(300)
        #expect(rest.counts == SweepCounts(total: 21, names: 7))
    }

    @Test func `an account without a directory of backups is left out of a sweep`() throws {
        let server = try ServerDirectory(at: place.path)
        for name in [alice, bob] { try server.makeAccount(name) }
        try put(bob, 0..<1, 0)
        try FileManager.default.removeItem(atPath: place.path + "/accounts/alice/backups")
        let report = try sweep(300, deleting: .always)
        #expect(report.counts.expired == 1 && report.isCarriedOut)
        let size = try server.size(of: bob)
        #expect(size?.backups == 0)
    }

    @Test func `a sweep tells how many backups it has deleted`() throws {
        let server = try ServerDirectory(at: place.path)
        try server.makeAccount(alice)
        for account in [nil, alice] { try put(account, 0..<3, 0) }
        var told: [[Int]] = []
        try setClock(300)
        let now = ClockReading(wall: day(300), monotonic: .zero)
        let sweep = Sweep(retentionDays: 180, now: now, last: nil, deleting: .always)
        let report = try server.sweep(sweep, progress: { told.append([$0, $1]) })
        let total = report.counts.expired + report.counts.previous
        #expect(total >= 6 && told == (1...total).map { [$0, total] })
        var ofDry: [[Int]] = []
        let dry = Sweep(retentionDays: 180, now: now, last: nil, deleting: .never)
        _ = try server.sweep(dry, progress: { ofDry.append([$0, $1]) })
        #expect(ofDry.isEmpty)
    }

    @Test func `a sweep does not count what was stored again between its decision and its deletion`() throws {
        let server = try ServerDirectory(at: place.path)
        try put(nil, 0..<3, 0)
        try put(nil, 3..<10, 200)
        try setClock(300)
        let now = ClockReading(wall: day(300), monotonic: .zero)
        let sweep = Sweep(retentionDays: 180, now: now, last: nil)
        let dry = try server.sweep(Sweep(retentionDays: 180, now: now, last: nil, deleting: .never))
        #expect(dry.counts.expired == 3 && dry.deleted == SweepDeletions())
        let report = try server.sweep(
            sweep,
            found: { found in
                guard case .expired(id(1), _) = found else { return }
                _ = try? FolderStore(at: place.path).put([9], at: id(1), if: .none, now: day(300))
            })
        #expect(report.isCarriedOut && report.counts.expired == 3)
        #expect(report.deleted == SweepDeletions(expired: 2))
        let left = try FolderStore(at: place.path).get(id(1))?.bytes
        #expect(left == [9])
    }

    @Test func `an account that a client has locked does not keep the others from being swept`() throws {
        let server = try ServerDirectory(at: place.path)
        for name in [alice, bob] {
            try server.makeAccount(name)
            try put(name, 0..<1, 0)
        }
        let lock = try FolderStore(at: place.path, account: alice).lock(wait: .zero)
        let failure = try sweep(300, deleting: .always).failure
        #expect(failure?.account == alice && failure?.error == .busy)
        let sizes = try [alice, bob].map { try server.size(of: $0)?.backups }
        #expect(sizes == [1, 0])
        _ = consume lock
    }

    @Test func `an account that cannot be read does not keep the others from being swept`() throws {
        let server = try ServerDirectory(at: place.path)
        for name in [alice, bob] {
            try server.makeAccount(name)
            try put(name, 0..<1, 0)
            try put(name, 1..<20, 200)
        }
        // As if its disk failed, also for root.
        let damaged = place.path + "/accounts/alice/backups"
        try FileManager.default.moveItem(atPath: damaged, toPath: damaged + ".away")
        try Data().write(to: URL(filePath: damaged))
        let report = try sweep(211)
        #expect(report.failure?.account == alice && report.deleted.expired == 1)
        let swept = try server.size(of: bob)?.backups
        #expect(swept == 19)
        // All that are left would go.
        let refused = try sweep(411)
        #expect(refused.failure != nil && refused.suspicion != nil && !refused.isCarriedOut)
        let left = try server.size(of: bob)?.backups
        #expect(left == 19)
        try FileManager.default.removeItem(atPath: damaged)
        try FileManager.default.moveItem(atPath: damaged + ".away", toPath: damaged)
        let unread = try server.size(of: alice)?.backups
        #expect(unread == 20)
    }

    @Test func `a sweep removes the old previous backups of every account`() throws {
        try ServerDirectory(at: place.path).makeAccount(alice)
        for account in [nil, alice] {
            for number in [0, 1, 5] { try put(account, 0..<1, number) }
        }
        let report = try sweep(9)
        #expect(report.counts.previous == 2 && report.counts.expired == 0)
        for account in [nil, alice] {
            let versions = try FolderStore(at: place.path, account: account).versions(of: id(0))
            #expect(versions.map(\.replaced) == [day(5)])
        }
    }

    @Test func `a sweep beside writers never deletes what was stored again`() throws {
        for round in 0..<4 {
            try put(nil, 0..<5, 0)
            try put(nil, 5..<60, 200)
            let lost = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 {
                    _ = try? sweep(300)
                } else if let store = try? FolderStore(at: place.path) {
                    for byte: UInt8 in 0..<5 {
                        _ = try? store.put([byte, UInt8(round)], at: id(byte), if: .none, now: day(300))
                    }
                    let left = (0..<5).count { (try? store.get(id(UInt8($0)))) != nil }
                    lost.withLock { $0 = 5 - left }
                }
            }
            let store = try FolderStore(at: place.path)
            for byte: UInt8 in 0..<5 {
                let bytes = try store.get(id(byte))?.bytes
                #expect(bytes == [byte, UInt8(round)])
            }
            #expect(lost.withLock { $0 } == 0)
        }
    }
}
