import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Directories of the Desktop app that no app writes: too many keys, wrong lengths, other lists of accounts.
@Suite struct DesktopLimitTests {
    private let localBytes = Random.bytes(256)
    private var local: DesktopLocalKey { DesktopLocalKey(secure(localBytes)) }
    private let key = Random.bytes(256)

    private func keyFile(_ indices: [UInt32], active: UInt32, sealedKey: [UInt8]? = nil) -> [UInt8] {
        let salt = Random.bytes(32)
        let passcodeKey = DesktopLocalKey(passcode: secure(""), salt: salt, .current)
        let list = ([UInt32(indices.count)] + indices + [active]).flatMap(bigEndian)
        let parts = [salt, sealedKey ?? passcodeKey.seal(local.bytes.copied.span), local.seal(list.span)]
        return desktopFile(Array(parts.map(desktopArray).joined()))
    }

    private func payload(_ counts: [Int]) -> [UInt8] {
        let entry = bigEndian(2) + key
        var content = bigEndian(5) + bigEndian(2)
        for count in counts { content += bigEndian(UInt32(count)) + repeatElement(entry, count: count).joined() }
        return bigEndian(0x4b) + desktopArray(content)
    }

    private func open(_ files: [String: [UInt8]]) throws -> DesktopDirectory {
        try DesktopDirectory(passcode: secure("")) { name in files[name].map { .init(bytes: $0, changed: 0) } }
    }

    @Test func `a list has at most 64 keys`() throws {
        let most = payload([64, 64])
        let account = try DesktopAccount(payload: most.span)
        #expect(account.keys.count == 64 && account.keysToDestroy.count == 64)
        for counts in [[65, 0], [0, 65]] {
            let more = payload(counts)
            #expect(throws: DesktopError.malformed) { try DesktopAccount(payload: more.span) }
        }
    }

    @Test func `a directory has at most 2000 keys`() throws {
        var files = ["key_datas": keyFile(Array(0..<18), active: 17)]
        // 15 accounts leave room for 80 keys, which the 16th exceeds and the 17th takes.
        for index in 0..<18 {
            let sealed = local.seal(payload(index < 16 ? [64, 64] : index == 16 ? [64, 16] : [0, 1]).span)
            files[DesktopDirectory.accountFile(index) + "s"] = desktopFile(desktopArray(sealed))
        }
        let directory = try open(files)
        let counts = directory.accounts.map { account -> Int? in
            guard case .success(let found) = account.result else { return nil }
            return found.keys.count + found.keysToDestroy.count
        }
        #expect(counts == [Int?](repeating: 128, count: 15) + [nil, 80, nil])
        for index in [15, 17] {
            let name = DesktopDirectory.accountFile(index) + "s"
            #expect(directory.accounts[index].result == .failure(.file(name, .malformed)))
        }
    }

    @Test func `a sealed local key has one length`() throws {
        for count in [0, 272, 287, 289, 304, 1 << 19] {
            let file = keyFile([0], active: 0, sealedKey: Random.bytes(count))
            #expect(throws: DesktopError.malformed) { try DesktopKeyFile(DesktopFile(file.span)) }
        }
        #expect(throws: DesktopDirectoryError.wrongPasscode) {
            try open(["key_datas": keyFile([0], active: 0, sealedKey: Random.bytes(288))])
        }
    }

    @Test func `the active account is one of the list`() throws {
        for (active, expected) in [(3, 3), (1, 1), (0, 3), (.max, 3)] as [(UInt32, Int)] {
            #expect(try open(["key_datas": keyFile([3, 1], active: active)]).active == expected)
        }
        #expect(throws: DesktopDirectoryError.file("key_datas", .malformed)) {
            try open(["key_datas": keyFile([], active: 0)])
        }
    }
}
