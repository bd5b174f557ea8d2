import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import Age

/// Files that the program age has written, and those that it has to read; and the same with an implementation in
/// Python, which says what age does not: which layer refuses.
@Suite(.serialized) struct ProgramTests {
    private static let age = "/usr/bin/age"

    private let scratch: Scratch
    private let identityText: String
    private let recipient: AgeRecipient

    init() throws {
        scratch = try Scratch()
        let identity = AgeIdentity.random()
        recipient = identity.recipient
        identityText = String(decoding: identity.revealText().copied, as: UTF8.self)
        try scratch.put("identity", Array("# a comment\n\(identityText)\n".utf8))
    }

    private func identity() throws -> AgeIdentity { try Sample.identity(identityText) }

    /// The borders of chunks, 10 MiB, and random sizes: 200 in all.
    private static let sizes: [Int] = {
        var state: UInt64 = 0xfeed_beef_1234_5679
        let random = (0..<193).map { number in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % (number % 8 == 0 ? 300_000 : 3000)
        }
        return [0, 1, 65_535, 65_536, 65_537, 131_072, 10 << 20] + random
    }()

    @Test func `200 files that age has written`() throws {
        let content = Sample.content(Self.sizes.max()!)
        #expect(Self.sizes.count == 200)
        for (number, count) in Self.sizes.enumerated() {
            try scratch.put("content", Array(content[..<count]))
            let armor = number % 3 == 1 ? ["-a"] : []
            let file = try Program.output(
                of: Self.age, armor + ["-r", "\(AgeIdentity.random().recipient)", "-r", "\(recipient)"],
                reading: URL(filePath: scratch.at("content")))
            let opened = try Sample.opened([UInt8](file), identity())
            let isSame = opened.elementsEqual(content[..<count])
            #expect(isSame, "\(count) bytes")
        }
    }

    @Test func `200 files that age has to read`() throws {
        let content = Sample.content(Self.sizes.max()!)
        for (number, count) in Self.sizes.enumerated() {
            let recipients = [recipient] + (0..<number % 3).map { _ in AgeIdentity.random().recipient }
            let path = try scratch.put(
                "file",
                Sample.sealed(Array(content[..<count]), to: recipients.reversed(), isArmored: number % 3 == 1))
            let opened = try Program.output(of: Self.age, ["-d", "-i", scratch.at("identity"), path])
            let isSame = opened.elementsEqual(content[..<count])
            #expect(isSame, "\(count) bytes")
        }
    }

    /// Most have a code that is right for their header, so that more than the code can refuse them.
    @Test func `files that are almost right are opened or refused as by age`() throws {
        let count = 200
        let opened = try PythonAge.run(["kit.oddage", "7", "\(count)", scratch.path])
        let openedByAge = try #require(Int(String(decoding: opened, as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect((count / 5...count * 4 / 5).contains(openedByAge))
        let identity = try Sample.identity(String(decoding: scratch.content("identity"), as: UTF8.self))
        var layers: Set<String> = []
        for number in 0..<count {
            let expected = try? scratch.content("\(number).content")
            let file = try scratch.content("\(number)")
            var content: [UInt8]?
            let failure = Sample.failure { content = try Sample.opened(file, identity) }
            if let failure { layers.insert(failure.layer) }
            // age 1.1 opens these with an identity, though the specification says that they must be refused.
            if failure == .header(.scryptNotAlone) { continue }
            let isSame = content == expected
            #expect(isSame && (failure == nil) == (expected != nil), "\(number): \(failure as Any)")
        }
        #expect(layers == ["armor failure", "header failure", "no match", "payload failure"])
    }

    @Test func `files under a passphrase, which age asks on a terminal`() throws {
        let passphrase = "correct pässwörd 🗝 ~!@#$%^&*()_+ \\'\""
        let content = Sample.content(70_000)
        try scratch.put("content", content)
        let terminal = ["kit.ageterminal", passphrase]
        _ = try PythonAge.run(terminal + ["-p", "-o", scratch.at("theirs"), scratch.at("content")])
        let theirs = try AgeFile(scratch.content("theirs"))
        #expect(theirs.workFactor == AgeWriter.workFactor)
        let isOpened = try Sample.opened(scratch.content("theirs"), passphrase: passphrase) == content
        #expect(isOpened)

        try scratch.put(
            "ours", Sample.sealed(content, passphrase: passphrase, workFactor: AgeWriter.workFactor, isArmored: true))
        _ = try PythonAge.run(terminal + ["-d", "-o", scratch.at("opened"), scratch.at("ours")])
        let isRead = try scratch.content("opened") == content
        #expect(isRead)
    }

    @Test(arguments: [(0, false), (1, true), (65_536, true), (65_537, false), (200_000, true)])
    func `another implementation reads and writes the same`(_ count: Int, _ isArmored: Bool) throws {
        let content = Sample.content(count)
        try scratch.put("content", content)
        let armor = isArmored ? ["-a"] : []
        for (key, secret) in [("-r", "-i"), ("-p", "-p")] {
            let key = [key, key == "-r" ? "\(recipient)" : "a passphrase"]
            let secret = [secret, secret == "-i" ? identityText : "a passphrase"]
            let theirs = try PythonAge.run(["kit.agefile", "seal"] + armor + key + [scratch.at("content")])
            let isByPassphrase = key[0] == "-p"
            let opened =
                try isByPassphrase
                ? Sample.opened(theirs, passphrase: key[1]) : Sample.opened(theirs, identity())
            let isOpened = opened == content
            #expect(isOpened)
            try scratch.put(
                "ours",
                isByPassphrase
                    ? Sample.sealed(content, passphrase: key[1], workFactor: 10, isArmored: isArmored)
                    : Sample.sealed(content, to: [recipient], isArmored: isArmored))
            let read = try PythonAge.run(["kit.agefile", "open"] + secret + [scratch.at("ours")])
            let isRead = read == content
            #expect(isRead)
        }
    }
}
