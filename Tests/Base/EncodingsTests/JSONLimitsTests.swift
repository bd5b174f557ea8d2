import Encodings
import Foundation
import Testing

@Suite struct JSONLimitsTests {
    private func nested(_ depth: Int, _ open: String, _ inside: String, _ close: String) -> String {
        String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
    }

    @Test func `64 levels are read, 65 are not`() throws {
        _ = try parse(nested(64, "[", "", "]"))
        _ = try parse(nested(63, "[", "null", "]"))
        _ = try parse(nested(63, "{\"a\":", "{}", "}"))
        #expect(throws: JSONError.tooDeep(limit: 64)) { try parse(nested(65, "[", "", "]")) }
        #expect(throws: JSONError.tooDeep(limit: 64)) { try parse(nested(64, "[", "null", "]")) }
        #expect(throws: JSONError.tooDeep(limit: 64)) { try parse(nested(64, "{\"a\":", "{}", "}")) }
    }

    @Test(arguments: [1, 2, 3, 10]) func `the depth is the caller's to choose`(_ depth: Int) throws {
        let limits = JSONScanner.Limits(depth: depth)
        _ = try parse(nested(depth, "[", "", "]"), limits: limits)
        #expect(throws: JSONError.tooDeep(limit: depth)) { try parse(nested(depth + 1, "[", "", "]"), limits: limits) }
        // Side by side is not deep.
        if depth > 1 {
            _ = try parse("[" + Array(repeating: "1", count: 50).joined(separator: ",") + "]", limits: limits)
        }
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"]) func `a document that only opens is refused, not followed`(
        _ text: String
    ) {
        let document = String(repeating: text, count: 200_000)
        #expect(throws: JSONError.tooDeep(limit: 64)) { try parse(document) }
    }

    @Test func `values are counted, containers and all`() throws {
        let document = #"{"a":[1,2,{"b":null}],"c":"d"}"#  // 7: two objects, an array, 1, 2, null, "d"
        _ = try parse(document, limits: .init(values: 7))
        #expect(throws: JSONError.tooManyValues(limit: 6)) { try parse(document, limits: .init(values: 6)) }
        #expect(throws: JSONError.tooManyValues(limit: 0)) { try parse("1", limits: .init(values: 0)) }
        _ = try parse("1", limits: .init(values: 1))
    }

    @Test func `four hundred thousand values are the most`() throws {
        let limits = JSONScanner.Limits()
        #expect(limits.depth == 64)
        #expect(limits.values == 200_000)
    }

    /// Everything that is read here is JSON for Foundation, too: the scanner is strict, not merely different.
    @Test func `no changed byte makes a document that only the scanner reads`() throws {
        let document = Array(#"{"a":[1,-2.5e+7,true],"é\n":{"b":null,"\u00e9":"🔑"}}"#.utf8)
        var read = 0
        for index in document.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = document
                changed[index] = byte
                guard let value = try? parse(changed) else { continue }
                read += 1
                let again = try parse(value.encoded)
                #expect(again.encoded == value.encoded, "\(byte) at \(index)")
                #expect(throws: Never.self, "\(byte) at \(index)") {
                    try JSONSerialization.jsonObject(with: Data(changed))
                }
            }
        }
        // Letters of names and digits of numbers may be others.
        #expect(read > 500)
    }
}
