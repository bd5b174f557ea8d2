import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// Property lists, judged by Python's plistlib.
@Suite struct PropertyListPeerTests {
    @Test func `10,000 keys are written as plistlib writes them`() throws {
        let random = SeededRandom(seed: 1)
        let keys = (0..<10_000).map { number -> [UInt8] in
            // Also keys with few different bytes.
            let values = [256, 256, 256, 32, 8, 2, 1][number % 7]
            let first = random.number(below: 256)
            return (0..<32).map { _ in UInt8(truncatingIfNeeded: first + random.number(below: values)) }
        }
        let answers = try PythonPeer.carryOut(keys.map { ("key", ["key": $0]) })
        #expect(answers.count == keys.count)
        for (bytes, answer) in zip(keys, answers) {
            let key = try mainKey(bytes)
            let list = MainKeyList.write(key).copied
            #expect(list == answer["list"])
            #expect(list.count == 76 + 3 * Set(bytes).count)
            #expect(readMainKey(list) == bytes)
        }
    }

    @Test func `10,000 nested lists in any form are written as plistlib writes them`() throws {
        let orders = (0..<10_000).map { number -> (what: String, given: [String: [UInt8]]) in
            ("nested", ["seed": [UInt8(number >> 8), UInt8(number & 0xff)]])
        }
        let answers = try PythonPeer.carryOut(orders)
        #expect(answers.count == orders.count)
        var different = 0
        for answer in answers {
            let (own, other) = (try #require(answer["own"]), try #require(answer["other"]))
            #expect(try PropertyList(reading: secure(own)).rewritten().bytes.copied == own)
            #expect(try PropertyList(reading: secure(other)).rewritten().bytes.copied == own)
            if other != own { different += 1 }
        }
        #expect(different == answers.count)
    }

    @Test func `what is accepted of changed lists, plistlib reads as the same values`() throws {
        let random = SeededRandom(seed: 2)
        let originals = try PythonPeer.carryOut(
            (0..<500).map { ("nested", ["seed": [2, UInt8($0 >> 8), UInt8($0 & 0xff)]]) })
        var accepted: [(changed: [UInt8], rewritten: [UInt8])] = []
        var errors: [String: Int] = [:]
        for _ in 0..<10_000 {
            let answer = originals[random.number(below: originals.count)]
            let changed = random.changed(try #require(answer[random.number(below: 2) == 0 ? "own" : "other"]))
            do throws(PropertyListError) {
                let list = try PropertyList(reading: secure(changed))
                accepted.append((changed, try list.rewritten().bytes.copied))
            } catch {
                errors["\(error)".prefix { $0 != "(" }.description, default: 0] += 1
            }
        }
        let answers = try PythonPeer.carryOut(
            accepted.map { ("compare", ["list": $0.changed, "other": $0.rewritten]) })
        // plistlib refuses dates outside of Python's calendar.
        let read = answers.compactMap { $0["same"] }
        #expect(answers.count == accepted.count && accepted.count > 1000 && read.count > accepted.count - 20)
        #expect(read.allSatisfy { $0 == [1] })
        #expect(
            Set(errors.keys).isSuperset(of: [
                "notBinary", "malformedTrailer", "malformedObject", "unsupportedObject", "invalidText", "cycle",
                "keyNotText", "tooManyObjects",
            ]))
    }
}
