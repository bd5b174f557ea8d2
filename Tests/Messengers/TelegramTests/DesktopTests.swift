import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Directories of the Desktop app, written by Python.
@Suite struct DesktopTests {
    typealias File = DesktopDirectory.File

    private static let keys = [Random.bytes(256), Random.bytes(256)]

    private static func tdata(
        passcode: String = "", accounts: Int = 1, isOldForm: Bool = false, isLegacy: Bool = false, ending: String = "s"
    ) throws -> [String: [UInt8]] {
        let given: [String: [UInt8]] = [
            "passcode": Array(passcode.utf8), "accounts": [UInt8(accounts)], "old": [isOldForm ? 1 : 0],
            "legacy": [isLegacy ? 1 : 0], "ending": Array(ending.utf8), "key0": keys[0], "key1": keys[1],
        ]
        return try #require(try PythonPeer.carryOut([("tdata", given)]).first)
    }

    private func open(_ files: [String: [UInt8]], passcode: String = "") throws -> DesktopDirectory {
        try DesktopDirectory(passcode: secure(passcode)) { name in files[name].map { File(bytes: $0, changed: 0) } }
    }

    private func expect(_ directory: DesktopDirectory, accounts: Int, firstUser: UInt64) throws {
        #expect(directory.accounts.map(\.index) == (0..<accounts).map { 2 * $0 })
        #expect(directory.active == 2 * (accounts - 1) && directory.version == 4_008_001)
        let keys = try Self.keys.map { HeldAuthorizationKey(try authorizationKey($0)) }
        for (index, account) in try directory.accounts.map({ try $0.result.get() }).enumerated() {
            #expect(account.user == firstUser + 2 * UInt64(index) && account.mainDataCentre == 2)
            #expect(account.keys.map(\.dataCentre) == [2, 10004] && account.keys.map(\.held) == keys)
            #expect(account.keysToDestroy.map(\.dataCentre) == [-1] && account.keysToDestroy.map(\.held) == [keys[1]])
        }
    }

    @Test func `directories with a passcode and without one`() throws {
        for (passcode, accounts) in [("", 1), ("1234", 1), ("пароль", 3)] {
            let files = try Self.tdata(passcode: passcode, accounts: accounts)
            #expect(files.count == accounts + 1)
            try expect(open(files, passcode: passcode), accounts: accounts, firstUser: 1 << 40)
        }
    }

    @Test func `another passcode is an error of its own`() throws {
        for isLegacy in [false, true] {
            let files = try Self.tdata(passcode: "1234", isLegacy: isLegacy)
            for other in ["", "12345"] {
                #expect(throws: DesktopDirectoryError.wrongPasscode) { try open(files, passcode: other) }
            }
            let without = try Self.tdata(isLegacy: isLegacy)
            #expect(throws: DesktopDirectoryError.wrongPasscode) { try open(without, passcode: "1234") }
        }
    }

    @Test func `directories of older apps`() throws {
        for passcode in ["", "1234"] {
            let files = try Self.tdata(passcode: passcode, isOldForm: true, isLegacy: true, ending: "1")
            #expect(files.keys.sorted() == ["D877F783D5D3EF8C/map1", "D877F783D5D3EF8C1"])
            try expect(open(files, passcode: passcode), accounts: 1, firstUser: 1000)
        }
    }

    @Test func `names of accounts`() {
        #expect(DesktopDirectory.accountFile(0) == "D877F783D5D3EF8C")
        #expect(DesktopDirectory.accountFile(1) == "A7FDF864FBC10B77")
        #expect(DesktopDirectory.accountFile(2) == "F8806DD0C461824F")
    }

    @Test func `of a pair, the newer file counts, and the older one if that is damaged`() throws {
        let (first, second) = (try Self.tdata(ending: "0"), try Self.tdata(isOldForm: true, ending: "1"))
        for (firstTime, secondTime, user) in [(1, 2, 1000), (2, 1, 1 << 40)] as [(Int64, Int64, UInt64)] {
            func read(_ name: String, damaged: Int64) -> File? {
                guard var bytes = first[name] ?? second[name] else { return nil }
                let time = first[name] != nil ? firstTime : secondTime
                if time == damaged { bytes[9] ^= 1 }
                return File(bytes: bytes, changed: time)
            }
            let newer = try DesktopDirectory(passcode: secure("")) { read($0, damaged: 0) }
            try expect(newer, accounts: 1, firstUser: user)
            let older = try DesktopDirectory(passcode: secure("")) { read($0, damaged: 2) }
            try expect(older, accounts: 1, firstUser: user == 1000 ? 1 << 40 : 1000)
        }
        // A current file counts before a pair.
        let current = try Self.tdata()
        try expect(open(current.merging(second) { first, _ in first }), accounts: 1, firstUser: 1 << 40)
    }

    @Test func `missing and foreign files are named`() throws {
        let files = try Self.tdata(accounts: 2)
        #expect(throws: DesktopDirectoryError.missing("key_datas")) { try open([:]) }
        let names = [0, 2].map { DesktopDirectory.accountFile($0) + "s" }
        #expect(files.keys.sorted() == (names + ["key_datas"]).sorted())
        let sound = try open(files).accounts
        /// The other account has its keys.
        func failure(of place: Int, _ files: [String: [UInt8]]) throws -> DesktopDirectoryError? {
            let accounts = try open(files).accounts
            #expect(accounts.map(\.index) == [0, 2] && accounts[1 - place] == sound[1 - place])
            guard case .failure(let error) = accounts[place].result else { return nil }
            return error
        }
        for (place, name) in names.enumerated() {
            #expect(try failure(of: place, files.filter { $0.key != name }) == .missing(name))
            let foreign = files.merging([name: try #require(try Self.tdata(accounts: 2)[name])]) { _, second in second }
            #expect(try failure(of: place, foreign) == .file(name, .otherLocalKey))
        }
        for (name, bytes) in files {
            for (changed, error) in [
                (Array(bytes.dropLast()), .wrongChecksum), ([0] + bytes, .notDesktopFile), ([], .notDesktopFile),
                ([UInt8](repeating: 0, count: 1 << 20 + 1), .tooLong(limit: 1 << 20)),
            ] as [([UInt8], DesktopError)] {
                let damaged = files.merging([name: changed]) { _, second in second }
                if let place = names.firstIndex(of: name) {
                    #expect(try failure(of: place, damaged) == .file(name, error))
                } else {
                    #expect(throws: DesktopDirectoryError.file(name, error)) { try open(damaged) }
                }
            }
        }
    }

    private struct Unread: Error {}

    @Test func `a file that cannot be read is a failure of its account, unless an older one is there`() throws {
        let files = try Self.tdata(accounts: 2)
        func opened(_ files: [String: [UInt8]], except unread: String) throws -> DesktopDirectory {
            try DesktopDirectory(passcode: secure("")) { name in
                if name == unread { throw Unread() }
                return files[name].map { File(bytes: $0, changed: 0) }
            }
        }
        let sound = try open(files).accounts
        for (place, name) in [0, 2].map({ DesktopDirectory.accountFile($0) + "s" }).enumerated() {
            let accounts = try opened(files, except: name).accounts
            #expect(accounts[place].result == .failure(.unreadable(name)))
            #expect(accounts[1 - place] == sound[1 - place])
            let older = String(name.dropLast()) + "1"
            let both = files.merging([older: try #require(files[name])]) { first, _ in first }
            #expect(try opened(both, except: name).accounts == sound)
            // The current file is named, not the older one behind it.
            let damaged = both.merging([older: []]) { _, second in second }
            #expect(try opened(damaged, except: name).accounts[place] == accounts[place])
            #expect(try opened(both, except: older).accounts == sound)
        }
        #expect(throws: Unread.self) { try opened(files, except: "key_datas") }
        let both = files.merging(["key_data0": try #require(files["key_datas"])]) { first, _ in first }
        #expect(try opened(both, except: "key_datas").accounts == sound)
    }

    @Test func `the shell's checksum covers data, length, version and magic`() throws {
        let file = try #require(try Self.tdata()["key_datas"])
        #expect(try DesktopFile(file.span).version == 4_008_001)
        for index in file.indices {
            var changed = file
            changed[index] ^= 1
            let error: DesktopError = index < 4 ? .notDesktopFile : .wrongChecksum
            #expect(throws: error) { try DesktopFile(changed.span) }
        }
    }

    @Test func `what the local key opens has one length`() throws {
        let key = DesktopLocalKey(Random.secret(256))
        for count in 0..<40 {
            let payload = Random.bytes(count)
            let blob = key.seal(payload.span)
            #expect(blob.count == 16 + (4 + count + 15) / 16 * 16)
            #expect(try key.open(blob.span).copied == payload)
        }
        func blob(announcing length: UInt32) -> [UInt8] {
            var plain: [UInt8] = []
            plain.append(number: length)
            plain += Random.bytes(28)
            let hash = Array(Legacy.SHA1.hash(plain.span).prefix(16))
            let keys = key.bytes.withBytes { LegacyMTProto1.blockKeys($0, messageKey: hash, offset: 8) }
            return hash + keys.encrypt(plain.span)
        }
        for length: UInt32 in [17, 32] {
            let right = blob(announcing: length)
            #expect(try key.open(right.span).count == Int(length) - 4)
        }
        for length: UInt32 in [0, 3, 16, 33, 0x8000_0000, .max] { refuses(.malformed, blob(announcing: length), key) }
        for count in [0, 16, 31, 33] { refuses(.malformed, [UInt8](repeating: 0, count: count), key) }
        refuses(.otherLocalKey, key.seal([1, 2, 3].span), DesktopLocalKey(Random.secret(256)))
    }

    private func refuses(_ expected: DesktopError, _ blob: [UInt8], _ key: borrowing DesktopLocalKey) {
        do throws(DesktopError) {
            _ = try key.open(blob.span)
            Issue.record("a blob of \(blob.count) bytes was opened")
        } catch {
            #expect(error == expected)
        }
    }

    @Test func `an account's file has keys and nothing else`() throws {
        func payload(block: UInt32 = 0x4b, _ content: [UInt8], length: UInt32? = nil) -> [UInt8] {
            let header = bigEndian(block) + bigEndian(length ?? UInt32(content.count))
            return header + content
        }
        let empty = [5, 2, 0, 0].flatMap { bigEndian($0) }
        let right = payload(empty)
        let account = try DesktopAccount(payload: right.span)
        #expect(account.user == 5 && account.mainDataCentre == 2 && account.keys.isEmpty)
        let settings = payload(block: 3, empty)
        #expect(throws: DesktopError.unknownBlock(3)) { try DesktopAccount(payload: settings.span) }
        let start = bigEndian(5) + bigEndian(2)
        var others: [[UInt8]] = [[], payload([]), payload(empty) + [0], payload(empty, length: .max)]
        others += [payload(empty + [0]), payload(Array(empty.dropLast()))]
        // Numbers of keys that are not there.
        for count: UInt32 in [1, .max, 0x8000_0000] { others.append(payload(start + bigEndian(count) + bigEndian(0))) }
        for other in others {
            #expect(throws: DesktopError.malformed) { try DesktopAccount(payload: other.span) }
        }
    }
}
