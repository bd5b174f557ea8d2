import SecureMemory
import Testing
import VectorKit

@testable import Age

/// Damaged files: each is refused with a name, or has the same content.
@Suite struct DamageTests {
    /// A generator that gives the same numbers in every run.
    private struct Numbers {
        var state: UInt64

        mutating func next(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 11) % bound
        }
    }

    private static let content = Sample.content(300)

    /// A file of each form. Only one of them has a second chunk, because it takes longer.
    private func files(_ identity: borrowing AgeIdentity) throws -> [(file: [UInt8], content: [UInt8])] {
        let recipients = [AgeIdentity.random().recipient, identity.recipient]
        let long = Sample.content(65_600)
        return [
            (try Sample.sealed(Self.content, to: recipients), Self.content),
            (try Sample.sealed(Self.content, to: recipients, isArmored: true), Self.content),
            (try Sample.sealed(Self.content, passphrase: "a", workFactor: 1), Self.content),
            (try Sample.sealed(Self.content, passphrase: "a", workFactor: 3, isArmored: true), Self.content),
            (try Sample.sealed([], to: recipients), []), (CCTV.named("x25519_grease").file, Array("age".utf8)),
            (try Sample.sealed(long, to: recipients), long),
        ]
    }

    private static func read(_ file: [UInt8], _ identity: borrowing AgeIdentity) throws -> [UInt8] {
        let opened = try AgeFile(file)
        guard opened.workFactor != nil else {
            let key = try opened.unlock(identity)
            return try opened.open(key).readAll(limit: 1 << 20).copied
        }
        let key = try opened.unlock(passphrase: Sample.secret("a"), maxWorkFactor: 9)
        return try opened.open(key).readAll(limit: 1 << 20).copied
    }

    private static func damaged(_ file: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
        var file = file
        // Most files are short; of a long one, the header and the borders of its chunks count.
        let reach = numbers.next(below: 4) == 0 ? file.count : min(file.count, 700)
        let at = numbers.next(below: reach)
        let count = min(numbers.next(below: 70), file.count - at)
        switch numbers.next(below: 9) {
        case 0: file[at] ^= 1 << UInt8(numbers.next(below: 8))
        case 1: file[at] = UInt8(numbers.next(below: 256))
        case 2: file.remove(at: at)
        case 3: file.insert(UInt8(numbers.next(below: 256)), at: at)
        case 4: file.insert(Array(" \n\r-=>A0".utf8)[numbers.next(below: 8)], at: at)
        case 5: file.removeSubrange(at..<at + count)
        case 6: file.insert(contentsOf: file[at..<at + count], at: at)
        case 7: file.removeLast(numbers.next(below: min(file.count, 200)))
        default: file += file[at..<at + count]
        }
        return file
    }

    @Test func `ten thousand damaged files`() throws {
        let identity = try Sample.identity(CCTV.named("x25519_grease").identities[0])
        var numbers = Numbers(state: 0x1234_5678_9abc_def1)
        var layers: [String: Int] = [:]
        let files = try files(identity)
        for number in 0..<10_000 {
            // One long file of a hundred.
            let base = files[number % 100 == 0 ? files.count - 1 : number % (files.count - 1)]
            var file = Self.damaged(base.file, &numbers)
            if numbers.next(below: 4) == 0 { file = Self.damaged(file, &numbers) }
            do {
                let isSame = try Self.read(file, identity) == base.content
                if !isSame { Issue.record("number \(number): other content") }
                layers[file == base.file ? "unchanged" : "same content", default: 0] += 1
            } catch let error as AgeError {
                layers[error.layer, default: 0] += 1
            }
        }
        // Every layer has refused some, and few of the changes do not count: white space around an armor.
        for layer in ["armor", "header", "HMAC", "payload"] {
            #expect(layers[layer + " failure"] ?? 0 > 50, "\(layers)")
        }
        #expect(layers["no match"] ?? 0 > 50 && layers["not a layer"] == nil, "\(layers)")
        #expect(layers["same content"] ?? 0 < 500, "\(layers)")
    }

    @Test func `every truncation of a small file is refused`() throws {
        let identity = AgeIdentity.random()
        for isArmored in [false, true] {
            let file = try Sample.sealed([1, 2, 3], to: [identity.recipient], isArmored: isArmored)
            for count in 0..<file.count {
                let failure = Sample.failure { _ = try Sample.opened(Array(file[..<count]), identity) }
                // The line feed behind an armor may be missing.
                #expect((failure == nil) == (isArmored && count == file.count - 1), "\(count)")
            }
        }
    }

    @Test func `chunks that were exchanged, doubled or taken from another file`() throws {
        let identity = AgeIdentity.random()
        let content = Sample.content(3 * 65_536)
        let file = try Sample.sealed(content, to: [identity.recipient])
        let other = try Sample.sealed(content, to: [identity.recipient])
        let (start, length) = (168 + 16, 65_552)
        let (chunks, others) =
            ([file, other].map { file in
                (0..<3).map { Array(file[start + $0 * length..<start + ($0 + 1) * length]) }
            }).pair
        let header = Array(file[..<start])
        let mixed: [(chunks: [[UInt8]], fault: AgeError.PayloadFault)] = [
            ([chunks[1], chunks[0], chunks[2]], .notAuthentic(chunk: 0)),
            ([chunks[0], chunks[0], chunks[2]], .notAuthentic(chunk: 1)),
            ([chunks[0], chunks[2]], .notAuthentic(chunk: 1)),
            ([chunks[0], chunks[1]], .truncated),
            ([chunks[0], others[1], chunks[2]], .notAuthentic(chunk: 1)),
            ([chunks[0], chunks[1], others[2]], .notAuthentic(chunk: 2)),
            ([chunks[0], chunks[1], chunks[2], chunks[2]], .trailingData),
            ([chunks[0], chunks[1], chunks[2], [0]], .trailingData),
        ]
        for (chunks, fault) in mixed {
            let failure = Sample.failure { _ = try Sample.opened(header + chunks.joined(), identity) }
            #expect(failure == .payload(fault))
        }
        // The nonce of another file makes another payload key.
        let moved = Array(file[..<168]) + other[168..<184] + file[184...]
        #expect(throws: AgeError.payload(.notAuthentic(chunk: 0))) { try Sample.opened(moved, identity) }
        let foreign = Array(other[..<168]) + file[168...]
        #expect(throws: AgeError.payload(.notAuthentic(chunk: 0))) { try Sample.opened(foreign, identity) }
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
