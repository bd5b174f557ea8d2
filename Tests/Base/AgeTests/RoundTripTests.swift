import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import Age

@Suite struct RoundTripTests {
    private struct Stopped: Error {}

    private static let sizes = [0, 1, 47, 48, 49, 65_535, 65_536, 65_537, 131_072, 131_073, 200_000]

    @Test(arguments: sizes, [false, true])
    func `what is written for a recipient is read again`(_ count: Int, _ isArmored: Bool) throws {
        let content = Sample.content(count)
        let identity = AgeIdentity.random()
        let file = try Sample.sealed(content, to: [identity.recipient], isArmored: isArmored)
        let isSame = try Sample.opened(file, identity) == content
        #expect(isSame)
        // Header of one recipient, nonce, chunks.
        let length = 168 + 16 + count + 16 * max(1, (count + 65_535) / 65_536)
        #expect(isArmored || file.count == length)
    }

    @Test func `each of several recipients opens the file, another one does not`() throws {
        let first = AgeIdentity.random()
        let second = AgeIdentity.random()
        let other = AgeIdentity.random()
        let file = try Sample.sealed([1, 2, 3], to: [first.recipient, second.recipient, first.recipient])
        #expect(try Sample.opened(file, first) == [1, 2, 3])
        #expect(try Sample.opened(file, second) == [1, 2, 3])
        #expect(file.count == 168 + 2 * 98 + 16 + 3 + 16)
        #expect(throws: AgeError.noMatch([.x25519])) { try Sample.opened(file, other) }
        #expect(throws: AgeError.noMatch([.x25519])) { try Sample.opened(file, passphrase: "x") }
    }

    @Test(arguments: [0, 1, 32, 65_536, 65_537]) func `a key that is sealed as a whole opens again`(_ count: Int) throws
    {
        let content = Sample.content(count)
        let secret = SecureBytes(copying: content.span)
        let identity = AgeIdentity.random()
        let forKey = try AgeWriter.seal(secret, to: [AgeIdentity.random().recipient, identity.recipient])
        #expect(try Sample.opened(forKey, identity) == content)
        let passphrase = Sample.secret("a")
        let underPassphrase = try AgeWriter.seal(secret, passphrase: passphrase, workFactor: 2)
        #expect(try Sample.opened(underPassphrase, passphrase: "a") == content)
        #expect(try AgeFile(underPassphrase).workFactor == 2)
        #expect(throws: AgeError.recipients(count: 0, limit: 1000)) { _ = try AgeWriter.seal(secret, to: []) }
    }

    @Test func `a passphrase opens its file, another one and an identity do not`() throws {
        let file = try Sample.sealed([1, 2, 3], passphrase: "pässword 🗝", isArmored: true)
        #expect(try Sample.opened(file, passphrase: "pässword 🗝") == [1, 2, 3])
        #expect(throws: AgeError.noMatch([.passphrase])) { try Sample.opened(file, passphrase: "password") }
        #expect(throws: AgeError.noMatch([.passphrase])) { try Sample.opened(file, AgeIdentity.random()) }
        #expect(throws: AgeError.emptyPassphrase) { try Sample.opened(file, passphrase: "") }
        #expect(throws: AgeError.emptyPassphrase) { try Sample.sealed([], passphrase: "") }
        let opened = try AgeFile(file)
        #expect(opened.workFactor == 2 && opened.recipientKinds == [.passphrase])
        // A wrong passphrase does not use up the file.
        #expect(throws: AgeError.noMatch([.passphrase])) { _ = try opened.unlock(passphrase: Sample.secret("a")) }
        let key = try opened.unlock(passphrase: Sample.secret("pässword 🗝"))
        let content = try opened.open(key).readAll(limit: 3).copied
        #expect(content == [1, 2, 3])
    }

    @Test func `the default is what age writes, and a passphrase that costs too much is not tried`() throws {
        #expect(AgeWriter.workFactor == 18 && AgeFile.memory(workFactor: 18) == 256 << 20)
        #expect([23, 52, 53, Int.max].map(AgeFile.memory) == [8 << 30, 1 << 62, Int.max, Int.max])
        #expect([0, Int.min].map(AgeFile.memory) == [1024, 0])
        let file = try Sample.sealed([], passphrase: "a", workFactor: 11)
        #expect(throws: AgeError.workFactor(11, limit: 10)) {
            try Sample.opened(file, passphrase: "a", maxWorkFactor: 10)
        }
        #expect(try Sample.opened(file, passphrase: "a", maxWorkFactor: 11) == [])
        for (text, found) in [("21", 21), ("23", 23), ("99999999999999999999999999", Int.max)] {
            let changed = String(decoding: file.prefix(60), as: UTF8.self).replacing(" 11\n", with: " \(text)\n")
            let dear = Array(changed.utf8) + file.dropFirst(60)
            #expect(try AgeFile(dear).workFactor == found)
            #expect(throws: AgeError.workFactor(found, limit: 20)) { try Sample.opened(dear, passphrase: "a") }
            for most in [0, -1, Int.min] {
                #expect(throws: AgeError.workFactor(found, limit: most)) {
                    try Sample.opened(dear, passphrase: "a", maxWorkFactor: most)
                }
            }
            // Above the greatest one, that one counts. One of 21 would be tried.
            for most in [23, Int.max] where found > 22 {
                #expect(throws: AgeError.workFactor(found, limit: 22)) {
                    try Sample.opened(dear, passphrase: "a", maxWorkFactor: most)
                }
            }
        }
    }

    @Test func `a file has at least one recipient and at most a thousand`() throws {
        let identity = AgeIdentity.random()
        for count in [0, 1001] {
            let recipients = [AgeRecipient](repeating: identity.recipient, count: count)
            #expect(throws: AgeError.recipients(count: count, limit: 1000)) {
                try Sample.sealed([], to: recipients)
            }
        }
        let many = (0..<999).map { _ in AgeIdentity.random().recipient } + [identity.recipient]
        let file = try Sample.sealed([5], to: many)
        #expect(try Sample.opened(file, identity) == [5])
    }

    @Test func `pieces have at most the lengths of the documentation`() throws {
        let (recipient, content) = (AgeIdentity.random().recipient, [UInt8](repeating: 7, count: 1 << 18))
        func pieces(_ recipients: Int, isArmored: Bool) throws -> [Int] {
            let all = [AgeRecipient](repeating: recipient, count: recipients)
            var pieces: [Int] = []
            var writer = try AgeWriter(to: all, isArmored: isArmored) { pieces.append($0.count) }
            try writer.write(content.span)
            try writer.finish()
            return pieces
        }
        #expect(try pieces(1000, isArmored: false) == [98_086, 65_552, 65_552, 65_552, 65_552])
        let armored = try pieces(1000, isArmored: true)
        #expect(armored.first == 132_830 && armored.dropFirst().max() == 88_790)
        #expect(try pieces(668, isArmored: false)[0] == 65_550 && pieces(669, isArmored: false)[0] == 65_648)
    }

    @Test(arguments: [1, 7, 16, 63, 4096, 65_552]) func `input that comes in small pieces`(_ piece: Int) throws {
        let identity = AgeIdentity.random()
        for (count, isArmored) in [(70_000, false), (3000, true)] {
            let content = Sample.content(count)
            let sealed = try Sample.sealed(content, to: [identity.recipient], isArmored: isArmored)
            var done = 0
            let file = try AgeFile { bytes in
                let count = min(piece, bytes.count, sealed.count - done)
                for index in 0..<count { bytes[index] = sealed[done + index] }
                done += count
                return count
            }
            let key = try file.unlock(identity)
            let opened = try file.open(key).readAll(limit: count).copied
            let isSame = opened == content
            #expect(isSame && done == sealed.count)
        }
    }

    @Test func `a failure of the input or of the consumer ends the reading for good`() throws {
        let identity = AgeIdentity.random()
        let sealed = try Sample.sealed(Sample.content(200_000), to: [identity.recipient])
        var done = 0
        let file = try AgeFile { bytes in
            guard done < 100_000 else { throw Stopped() }
            let count = min(bytes.count, 100_000 - done)
            for index in 0..<count { bytes[index] = sealed[done + index] }
            done += count
            return count
        }
        let key = try file.unlock(identity)
        var reader = try file.open(key)
        var count = 0
        #expect(try reader.next { count = $0.count })
        #expect(count == 65_536)
        #expect(throws: Stopped.self) { _ = try reader.next { _ in } }
        done = 0
        #expect(throws: Stopped.self) { _ = try reader.next { _ in Issue.record("was called") } }

        let second = try AgeFile(sealed)
        let secondKey = try second.unlock(identity)
        var other = try second.open(secondKey)
        #expect(throws: Stopped.self) { _ = try other.next { _ in throw Stopped() } }
        #expect(throws: Stopped.self) { _ = try other.next { _ in Issue.record("was called") } }
    }

    @Test func `content over the limit is refused`() throws {
        let identity = AgeIdentity.random()
        let sealed = try Sample.sealed(Sample.content(70_000), to: [identity.recipient])
        for limit in [0, 1, 65_535, 65_536, 69_999] {
            let failure = Sample.failure {
                let file = try AgeFile(sealed)
                let key = try file.unlock(identity)
                _ = try file.open(key).readAll(limit: limit)
            }
            #expect(failure == .payload(.tooLarge(limit: limit)))
        }
    }

    @Test func `a file that was not finished does not open to its end`() throws {
        let identity = AgeIdentity.random()
        for count in [0, 1, 65_536, 65_537, 131_072] {
            var sealed: [UInt8] = []
            var writer = try AgeWriter(to: [identity.recipient]) { sealed += $0.copied }
            try writer.write(Sample.content(count).span)
            #expect(throws: AgeError.payload(.truncated)) { try Sample.opened(sealed, identity) }
        }
    }

    @Test func `a file has its name only if its end is authentic`() throws {
        let scratch = try Scratch()
        let directory = try Directory.open(scratch.path, rule: .secret)
        let identity = AgeIdentity.random()
        let content = Sample.content(150_000)
        let sealed = try Sample.sealed(content, to: [identity.recipient])
        func write(_ sealed: [UInt8], existing: Directory.Existing = .refuse) throws {
            let file = try AgeFile(sealed)
            let key = try file.unlock(identity)
            try file.open(key).write(to: "content", in: directory, existing: existing)
        }
        for count in [sealed.count - 1, 184 + 65_552, 184 + 65_552 * 2, 185, 184] {
            #expect(throws: AgeError.self) { try write(Array(sealed.prefix(count))) }
            #expect(try scratch.names() == [])
        }
        #expect(throws: AgeError.payload(.notAuthentic(chunk: 2))) { try write(sealed + [0]) }
        #expect(try scratch.names() == [])
        try write(sealed)
        let isSame = try scratch.content("content") == content
        #expect(try isSame && scratch.names() == ["content"])
        #expect(throws: FileError.exists(path: scratch.at("content"))) { try write(sealed) }
        let shorter = try Sample.sealed([1], to: [identity.recipient])
        try write(shorter, existing: .replace)
        #expect(try scratch.content("content") == [1])
    }
}
