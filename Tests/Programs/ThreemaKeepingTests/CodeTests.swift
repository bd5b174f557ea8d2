import Encodings
import SafeKeeping
import SafeKeepingKit
import SecureMemory
import Testing
import Threema

@testable import ThreemaKeeping

/// Backup codes, out of a keystore and into one.
@Suite struct CodeTests {
    private let house: Household
    private var password: SecureBytes { secret("testpassword") }

    init() throws {
        house = try Household(isSetUp: false)
    }

    @Test(arguments: IDBackup.Scheme.allCases) func `a code brings the identity back on an empty machine`(
        _ scheme: IDBackup.Scheme
    ) throws {
        let code = try house.codes.export(of: Household.id, password: password, scheme: scheme)
        let other = try Household(isEmpty: true)
        let identity = try CodeKeeper.open(code, password: password, expecting: .init())
        let isNew = try other.codes.store(identity, from: .backupCode, ifOtherKey: .refuse)
        #expect(isNew)
        #expect(try other.clientKey() == house.clientKey())
        #expect(try other.profile() == .empty)
        let state = try other.state()
        #expect(state.codeProvenAt == other.now)
    }

    @Test func `what was expected is compared`() throws {
        let code = try house.codes.export(of: Household.id, password: password, scheme: .pbkdf2)
        let other = try house.codes.export(of: Household.id, password: password, scheme: .pbkdf2)
        let key = Household.identity().clientKey.publicKey
        _ = try CodeKeeper.open(
            code, password: password,
            expecting: .init(id: Household.id, publicKey: key, checkWord: IDBackup.checkWord(of: code)))
        let wrong: [(CodeKeeper.Expectations, SafeKeepingError.Expectation)] = [
            (.init(id: try ThreemaID("ABCD1235")), .id),
            (.init(publicKey: PublicKey([UInt8](repeating: 1, count: 32))!), .publicKey),
            (.init(checkWord: IDBackup.checkWord(of: other)), .checkWord),
        ]
        for (expectations, what) in wrong {
            #expect(throws: SafeKeepingError.unexpected(what)) {
                _ = try CodeKeeper.open(code, password: password, expecting: expectations)
            }
        }
    }

    @Test func `a wrong check word is told before the password is tried`() throws {
        let code = try house.codes.export(of: Household.id, password: password, scheme: .pbkdf2)
        let wrong = secret("wrong password")
        let checkWord = try GroupedCode(parsing: "AAAA-AAAA")
        #expect(throws: SafeKeepingError.unexpected(.checkWord)) {
            _ = try CodeKeeper.open(code, password: wrong, expecting: .init(checkWord: checkWord))
        }
        // The check of a code has 16 bits.
        #expect(throws: IDBackupError.self) {
            _ = try CodeKeeper.open(code, password: wrong, expecting: .init())
        }
    }

    @Test func `the same identity again changes nothing but the proof`() throws {
        house.advance(.hours(1))
        let isNew = try house.codes.store(Household.identity(), from: .backupCode, ifOtherKey: .refuse)
        #expect(!isNew)
        #expect(try house.profile() == Household.document())
        let state = try house.state()
        #expect(state.codeProvenAt == Household.start + .hours(1))
    }

    @Test func `another key is replaced only when asked`() throws {
        let other = Household.identity(0x11)
        #expect(throws: SafeKeepingError.otherKey(id: "ABCD1234")) {
            _ = try house.codes.store(other, from: .backupCode, ifOtherKey: .refuse)
        }
        #expect(try house.clientKey() == [UInt8](repeating: 0xcc, count: 32))
        let state = try house.state()
        #expect(state.codeProvenAt == nil)
        let isNew = try house.codes.store(other, from: .backupCode, ifOtherKey: .replace)
        #expect(isNew)
        #expect(try house.clientKey() == [UInt8](repeating: 0x11, count: 32))
    }

    @Test func `after that the Safe is not taken for up to date`() throws {
        try house.setUp()
        try house.push()
        _ = try house.codes.store(Household.identity(0x11), from: .backupCode, ifOtherKey: .replace)
        // What stands there has the old key, and who wrote it is forgotten.
        #expect(throws: Household.refusal(.conflict(.current, isOtherKey: true))) { try house.push() }
        let result = try house.push { $0.isOverwriting = true }
        #expect(result.outcome == .uploaded)
        #expect(try house.stored()?.clientKey == [UInt8](repeating: 0x11, count: 32))
    }

    @Test func `a code of another key proves nothing`() throws {
        let held = Household.identity().clientKey.publicKey
        let holding = try house.codes.compare(Household.identity(0x11))
        #expect(holding == .otherKey(held))
        let empty = try Household(isEmpty: true)
        let isProven = try house.codes.markProven(Household.identity(0x11))
        #expect(!isProven)
        let nothing = try empty.codes.compare(Household.identity())
        #expect(nothing == CodeKeeper.Holding.none)
        let state = try house.state()
        #expect(state.codeProvenAt == nil)
    }

    @Test func `no kit of a replaced key is remembered`() throws {
        let kits = KitKeeper(keystore: house.keystore, now: house.safe.now)
        let code = try house.codes.export(of: Household.id, password: password, scheme: .pbkdf2)
        let (key, safes) = (Household.identity().clientKey.publicKey, try kits.safes(of: Household.id))
        _ = try house.codes.store(Household.identity(0x11), from: .backupCode, ifOtherKey: .replace)
        var isFinished = false
        #expect(throws: ShareKeepingError.keyChanged) {
            try kits.remember(code, of: Household.id, key, safes) { isFinished = true }
        }
        #expect(!isFinished)
        let kit = try kits.kit(of: Household.id)
        #expect(kit == nil)
    }

    @Test func `a proof survives pushes, and the uploads a proof`() throws {
        try house.setUp()
        _ = try house.codes.markProven(Household.identity())
        try house.push()
        let proven = try house.state().codeProvenAt
        #expect(proven == Household.start)
        _ = try house.codes.markProven(Household.identity())
        let result = try house.push()
        #expect(result.outcome == .unchanged)
    }
}
