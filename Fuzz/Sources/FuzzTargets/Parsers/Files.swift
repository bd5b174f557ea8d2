@testable import Age
@testable import Encodings
@testable import KeyWrapping
@testable import Primitives
@testable import SecureMemory
@testable import Shares
@testable import Tar

/// Files of the rooms in Base.
enum Files {
    /// In the room Age, tests may know the file key: `AgeFileKey` is 16 bytes.
    private static var fileKey: AgeFileKey { AgeFileKey(SecureBytes(copying: [UInt8](repeating: 7, count: 16).span)) }

    static func age(_ bytes: [UInt8]) throws {
        let file = try AgeFile(bytes)
        _ = file.recipientKinds
        try read(file.open(writtenWith: fileKey), atMost: bytes.count)
    }

    private static func read(_ reader: consuming AgeReader, atMost count: Int) throws {
        var read = 0
        var reader = reader
        var hasMore = true
        while hasMore { hasMore = try reader.next { read += $0.count } }
        expect(read <= count, "not more than the file has")
    }

    /// The stanzas are the input's, the header's code is right: what is behind it is reached. The payload is the rest of the
    /// input, behind a first line feed that is doubled.
    static func ageHeader(_ bytes: [UInt8]) throws {
        let end = bytes.indices.dropLast().first { bytes[$0] == 0x0a && bytes[$0 + 1] == 0x0a } ?? bytes.count
        let covered = Array("age-encryption.org/v1\n".utf8) + bytes[..<end] + Array("\n---".utf8)
        let key = fileKey.deriveKey(salt: [], info: "header")
        let code = key.withBytes { HMACSHA256.authenticate(covered.span, key: $0) }
        let header = covered + Array(" \(Base64.encodeUnpadded(code.span))\n".utf8)
        try read(AgeFile(header + bytes.dropFirst(end + 2), .binary).open(writtenWith: fileKey), atMost: bytes.count)
    }

    /// A payload that was sealed, with one change: a piece is cut out, doubled or put elsewhere.
    static func agePayload(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        var content: [UInt8] = []
        while content.count < Int(first) * 1024 { content += rest.isEmpty ? [0] : rest }
        var file: [UInt8] = []
        var writer = try AgeWriter(to: [identity.recipient], fileKey: fileKey) { file += $0.revealBytes() }
        try writer.write(content.span)
        try writer.finish()
        let whole = file
        if rest.count >= 6 {
            let numbers = (0..<3).map { (Int(rest[2 * $0]) << 8 | Int(rest[2 * $0 + 1])) % (file.count + 1) }
            let range = min(numbers[0], numbers[1])..<max(numbers[0], numbers[1])
            let piece = Array(file[range])
            file.removeSubrange(range)
            if rest[0] & 1 == 0 { file.insert(contentsOf: piece, at: min(numbers[2], file.count)) }
        }
        let opened = try AgeFile(file, .binary).open(writtenWith: fileKey).readAll(limit: content.count + 1)
        // Stanzas are not covered by the payload's key, so that only the whole file is known to be the same.
        if file == whole { expect(opened.withBytes { $0.revealBytes() } == content, "the content") }
        expect(opened.count == content.count, "no change of a payload opens")
    }

    private static var identity: AgeIdentity { AgeIdentity.random() }

    static func ageKeys(_ bytes: [UInt8]) throws {
        if let identity = try? AgeIdentity(bytes.span) {
            let text = identity.revealText().revealBytes()
            expect(text.count == bytes.count, "as long as its text")
        }
        _ = try? AgeRecipient(String(decoding: bytes, as: UTF8.self))
        let file = try AgeKeyFile(bytes.span)
        for line in file.lines { expect(line.bytes.upperBound <= bytes.count, "the line is inside") }
    }

    static func tar(_ bytes: [UInt8]) throws { try checkTar(bytes) }

    private static func checkTar(_ bytes: [UInt8]) throws {
        let archive = try TarArchive(bytes.span, maxEntries: 64)
        expect(archive.files.count <= 64, "not more than the limit")
        for file in archive.files { expect(file.content.upperBound <= bytes.count, "the content is inside") }
        expect(Set(archive.files.map(\.name)).count == archive.files.count, "each name stands once")
    }

    /// The checksum of each block that could be a header is made right.
    static func tarWithChecksums(_ bytes: [UInt8]) throws { try checkTar(withChecksums(bytes)) }

    static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
        var tar = bytes
        for start in stride(from: 0, to: tar.count - 511, by: 512) where tar[start] != 0 {
            for index in 148..<156 { tar[start + index] = 0x20 }
            let sum = tar[start..<start + 512].reduce(0) { $0 + Int($1) }
            let digits = Array(String(sum, radix: 8).utf8)
            let text = [UInt8](repeating: 0x30, count: 6 - digits.count) + digits + [0, 0x20]
            tar.replaceSubrange(start + 148..<start + 156, with: text)
        }
        return tar
    }

    static func shares(_ bytes: [UInt8]) throws {
        let words = try ShareWords(parsing: bytes.span)
        let share = try Share(words)
        let text = words.text().revealBytes()
        let again = try! ShareWords(parsing: text.span)
        expect(again.count == words.count, "the same number of words")
        var collection = ShareCollection()
        _ = try collection.add(share)
        expect(collection.shares.count == 1, "it was added")
    }

    /// Words by their numbers, with the right checksum; several shares of the same length, which are joined.
    static func sharesWithChecksums(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        let count = 2 * (17 + Int(first) % 14)
        var collection = ShareCollection()
        for start in stride(from: 0, to: min(rest.count, 8 * count), by: count) where rest.count - start >= count {
            var words = ShareWords()
            for index in 0..<count / 2 {
                let place = start + 2 * index
                words.append((UInt16(rest[place]) << 8 | UInt16(rest[place + 1])) & 1023)
            }
            // The second word has the bit that chooses the checksum's text.
            Checksum.append(to: &words, isExtendable: rest[start + 3] & 0x10 != 0)
            let share: Share
            do { share = try Share(words) } catch {
                if case .checksum = error { fatalError("the checksum is right") }
                throw error
            }
            let again = share.words.text().revealBytes()
            expect(again == words.text().revealBytes(), "a share is written as it was read")
            if (try? collection.add(share)) == true, collection.isComplete {
                _ = try collection.join(maxIterationExponent: 0)
            }
        }
    }

    static func keyFile(_ bytes: [UInt8]) throws {
        let wrapped = try WrappedKey(SecureBytes(copying: bytes.span))
        // Keys of files without a passphrase only: the others cost what their file says.
        let key = try wrapped.open()
        let again = try WrappedKey.unprotected(key).open()
        expect(again == key, "the same key")
    }

    static func argon2Message(_ bytes: [UInt8]) throws {
        let message = try Argon2idMessage(bytes.span, memoryUnit: 1024)
        if let content = message.content { expect(content.upperBound <= bytes.count, "the content is inside") }
    }
}
