import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// `key_data` as the Desktop app writes it since version 7.3. The checksums are those of files that opentele2 opens.
@Suite struct DesktopKeyDataTests {
    private static func bytes(_ count: Int, from first: UInt8) -> [UInt8] {
        (0..<count).map { first &+ UInt8(truncatingIfNeeded: $0) }
    }

    private static let localBytes = bytes(256, from: 1)
    private static let salt = bytes(32, from: 0x40)
    private static let wrapSalt = bytes(32, from: 0x80)
    private static let magic = Array("KD2\0".utf8)
    private static let missing = bigEndian(.max)
    private static let none = bigEndian(0)

    private struct Cost {
        var family: UInt32
        var memory: UInt32
        var time: UInt32
        var lanes: UInt32 = 1
        static let argon2id = Cost(family: 1, memory: 65_536, time: 8)
        static let scrypt = Cost(family: 2, memory: 131_072, time: 8)
        static let cheap = Cost(family: 1, memory: 8, time: 1)
        var numbers: [UInt32] { [memory, time, lanes] }
    }

    /// The local key under a passcode.
    private static func wrap(
        _ cost: Cost, _ generation: UInt32, passcode: String = "1234", salt: [UInt8] = wrapSalt
    ) throws -> [UInt8] {
        let password = secure(passcode)
        let key = try password.withBytes { password in
            cost.family == 1
                ? try Argon2id.deriveKey(
                    password: password, salt: salt, memoryKiB: cost.memory, iterations: cost.time, lanes: cost.lanes,
                    count: 256)
                : try Scrypt.deriveKey(
                    password: password, salt: salt.span, cost: UInt64(cost.memory), blockSize: cost.time,
                    parallelism: cost.lanes, count: 256)
        }
        let sealed = DesktopLocalKey(key).seal(localBytes.span, zeros: true)
        return wrap(cost, generation, salt: salt, sealed: sealed)
    }

    private static func wrap(_ cost: Cost, _ generation: UInt32, salt: [UInt8], sealed: [UInt8]) -> [UInt8] {
        let numbers = [cost.family, generation] + cost.numbers
        return numbers.flatMap(bigEndian) + desktopArray(salt) + desktopArray(sealed)
    }

    /// The fourth array.
    private static func trailer(_ wraps: [[UInt8]], committed: UInt32, version: UInt32 = 2) -> [UInt8] {
        let numbers = [version, committed, UInt32(wraps.count)]
        return magic + numbers.flatMap(bigEndian) + wraps.joined()
    }

    private static var openWrap: [UInt8] {
        let key = DesktopLocalKey(passcode: secure(""), salt: salt, .current)
        return desktopArray(key.seal(localBytes.span, zeros: true))
    }

    private static func file(
        second: [UInt8], _ trailer: [UInt8], list: [UInt32] = [1, 0, 0], more: [UInt8] = []
    ) -> [UInt8] {
        let list = list.flatMap(bigEndian)
        let local = DesktopLocalKey(secure(localBytes))
        let data = desktopArray(salt) + second + desktopArray(local.seal(list.span, zeros: true))
        return desktopFile(data + desktopArray(trailer) + more, version: 7_003_001)
    }

    private func open(_ file: [UInt8], _ passcode: String) throws(DesktopError) -> [Int] {
        let keyFile = try DesktopKeyFile(DesktopFile(file.span))
        let key = try keyFile.open(passcode: secure(passcode))
        #expect(key.bytes.copied == Self.localBytes)
        return try keyFile.accounts(key).indices
    }

    private func refuses(_ error: DesktopError, _ file: [UInt8], _ passcode: String = "1234") {
        #expect(throws: error) { try open(file, passcode) }
    }

    @Test func `without a passcode`() throws {
        let file = Self.file(second: Self.openWrap, Self.trailer([], committed: 0))
        #expect(file.count == 408 && Array(file.suffix(16)).hex == "fea31b8f359afee703a46112969b71d6")
        #expect(try open(file, "") == [0])
        refuses(.wrongPasscode, file)
    }

    @Test func `with a passcode`() throws {
        let argon = try Self.wrap(.argon2id, 1)
        let scrypt = try Self.wrap(.scrypt, 1)
        let files = [
            Self.file(second: Self.missing, Self.trailer([argon], committed: 1)),
            Self.file(second: Self.none, Self.trailer([scrypt], committed: 1)),
        ]
        #expect(files.map(\.count) == [468, 468])
        #expect(
            files.map { Array($0.suffix(16)).hex } == [
                "7c14fea9ad786812f14461c28a926860", "4a2a1135e65f3178d8afc6e2e931651f",
            ])
        for file in files {
            #expect(try open(file, "1234") == [0])
            refuses(.wrongPasscode, file, "")
            refuses(.wrongPasscode, file, "12345")
        }
    }

    @Test func `a passcode that guards something else`() throws {
        let file = Self.file(second: Self.openWrap, Self.trailer([try Self.wrap(.argon2id, 1)], committed: 1))
        #expect(file.count == 756 && Array(file.suffix(16)).hex == "2a3f42ecedfa4be3232103be2a2dc570")
        for passcode in ["", "1234"] { #expect(try open(file, passcode) == [0]) }
        refuses(.wrongPasscode, file, "12345")
    }

    @Test func `a change of the passcode that was interrupted`() throws {
        let wraps = [try Self.wrap(.argon2id, 1), try Self.wrap(.scrypt, 2)]
        let file = Self.file(second: Self.missing, Self.trailer(wraps, committed: 1))
        #expect(file.count == 816 && Array(file.suffix(16)).hex == "f4c2a01fc698f1c6bb2837ad68b222ae")
        #expect(try open(file, "1234") == [0])
        // Only the passcode of the generation that counts opens it.
        let both = [try Self.wrap(.cheap, 1, passcode: "old"), try Self.wrap(.cheap, 2, passcode: "new")]
        for (committed, right, wrong) in [(1, "old", "new"), (2, "new", "old")] as [(UInt32, String, String)] {
            let file = Self.file(second: Self.missing, Self.trailer(both, committed: committed))
            #expect(try open(file, right) == [0])
            refuses(.wrongPasscode, file, wrong)
        }
        for committed: UInt32 in [0, 3] {
            refuses(.noPasscodeWrap, Self.file(second: Self.none, Self.trailer(both, committed: committed)))
        }
        refuses(.noPasscodeWrap, Self.file(second: Self.none, Self.trailer([], committed: 0)))
    }

    @Test func `an open key that does not open leaves the passcode`() throws {
        let damaged = desktopArray([UInt8](repeating: 7, count: 288))
        let wraps = [try Self.wrap(.cheap, 1)]
        let file = Self.file(second: damaged, Self.trailer(wraps, committed: 1))
        refuses(.wrongPasscode, file, "")
        #expect(try open(file, "1234") == [0])
        refuses(.malformed, Self.file(second: damaged, Self.trailer([], committed: 0)), "")
    }

    @Test func `the list of accounts may name no active one`() throws {
        let file = Self.file(second: Self.openWrap, Self.trailer([], committed: 0), list: [2, 3, 1])
        let keyFile = try DesktopKeyFile(DesktopFile(file.span))
        let found = try keyFile.accounts(keyFile.open(passcode: secure("")))
        #expect(found.indices == [3, 1] && found.active == 3)
    }

    @Test func `newer forms are newer, not damaged`() throws {
        let wrap = try Self.wrap(.cheap, 1)
        let right = Self.trailer([wrap], committed: 1)
        func expect(_ version: UInt32?, _ trailer: [UInt8]) {
            refuses(.newer(version: version), Self.file(second: Self.none, trailer))
        }
        expect(3, Self.trailer([wrap], committed: 1, version: 3))
        expect(nil, Array("KD3\0".utf8) + right.dropFirst(4))
        expect(nil, right + [0])
        let other = Self.wrap(Cost(family: 3, memory: 8, time: 1), 1, salt: Self.wrapSalt, sealed: wrap.suffix(288))
        expect(nil, Self.trailer([other], committed: 1))
        // A fork has a fifth array.
        let file = Self.file(second: Self.none, right, more: desktopArray([1, 2]))
        #expect(try DesktopKeyFile(DesktopFile(file.span)).hasUnknownData)
        #expect(try open(file, "1234") == [0])
        #expect(try !DesktopKeyFile(DesktopFile(Self.file(second: Self.none, right).span)).hasUnknownData)
    }

    @Test func `malformed trailers`() throws {
        let wrap = try Self.wrap(.cheap, 1)
        let short = Self.wrap(.cheap, 1, salt: [1, 2, 3, 4, 5, 6, 7], sealed: Array(wrap.suffix(288)))
        let noKey = Self.wrap(.cheap, 1, salt: Self.wrapSalt, sealed: Array(wrap.suffix(272)))
        let trailers = [
            [], Self.magic, Self.trailer([wrap, wrap], committed: 1), Self.trailer([wrap, wrap, wrap], committed: 1),
            Self.trailer([short], committed: 1), Self.trailer([noKey], committed: 1),
            Array(Self.trailer([wrap], committed: 1).dropLast()),
        ]
        for trailer in trailers { refuses(.malformed, Self.file(second: Self.none, trailer)) }
        let half = desktopArray([UInt8](repeating: 0, count: 272))
        refuses(.malformed, Self.file(second: half, Self.trailer([wrap], committed: 1)))
    }

    @Test(
        arguments: [
            (1, 262_145, 1, 1, .tooCostly), (1, 8, 65, 1, .tooCostly), (1, 1024, 1, 17, .tooCostly),
            (1, 0, 1, 1, .malformed), (1, 8, 0, 1, .malformed), (1, 8, 1, 0, .malformed), (1, 15, 1, 2, .malformed),
            (1, 7, 1, 1, .malformed), (2, 0, 8, 1, .malformed), (2, 1, 8, 1, .malformed), (2, 3, 8, 1, .malformed),
            (2, 16, 0, 1, .malformed), (2, 16, 8, 0, .malformed), (2, 262_144, 8, 1, .tooCostly),
            (2, 0x8000_0000, .max, .max, .tooCostly), (2, 2, 1025, 1, .tooCostly), (2, 2, 8, 17, .tooCostly),
        ] as [(UInt32, UInt32, UInt32, UInt32, DesktopError)])
    func `costs are checked before any work`(
        _ family: UInt32, _ memory: UInt32, _ time: UInt32, _ lanes: UInt32, _ error: DesktopError
    ) throws {
        let cost = Cost(family: family, memory: memory, time: time, lanes: lanes)
        let sealed = [UInt8](repeating: 7, count: 288)
        let wrap = Self.wrap(cost, 1, salt: Self.wrapSalt, sealed: sealed)
        let trailer = Self.trailer([wrap], committed: 1)
        let file = Self.file(second: Self.none, trailer)
        #expect(throws: error) { try DesktopKeyFile(DesktopFile(file.span)) }
        // Without a passcode it costs nothing, and what does not count is not looked at.
        #expect(try open(Self.file(second: Self.openWrap, trailer), "") == [0])
        let other = Self.trailer([wrap, try Self.wrap(.cheap, 2)], committed: 2)
        #expect(try open(Self.file(second: Self.none, other), "1234") == [0])
    }

    @Test(arguments: [(1, 16, 1, 2), (1, 128, 2, 16), (2, 2, 1, 1), (2, 16, 8, 16)])
    func `other costs`(_ family: UInt32, _ memory: UInt32, _ time: UInt32, _ lanes: UInt32) throws {
        let cost = Cost(family: family, memory: memory, time: time, lanes: lanes)
        let trailer = Self.trailer([try Self.wrap(cost, 9, salt: [1, 2, 3, 4, 5, 6, 7, 8])], committed: 9)
        #expect(try open(Self.file(second: Self.none, trailer), "1234") == [0])
    }

    @Test func `keys of a wallet are named`() throws {
        let key = Self.file(second: Self.openWrap, Self.trailer([], committed: 0))
        for wallet in ["", "s", "0", "1"] {
            let directory = try DesktopDirectory(passcode: secure("")) { name in
                switch name {
                case "key_datas": .init(bytes: key, changed: 0)
                case "wallet_keyring_data" + wallet: .init(bytes: [], changed: 0)
                default: nil
                }
            }
            #expect(directory.hasWallet == !wallet.isEmpty && directory.version == 7_003_001)
        }
    }
}
