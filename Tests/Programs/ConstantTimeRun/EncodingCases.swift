import Age
import Encodings
import Passwords
import SecureMemory

/// Keys as text.
enum EncodingCases {
    static var all: [Case] {
        [
            ("base64", base64), ("base64-refused", base64Refused), ("hex", hex), ("hex-refused", hexRefused),
            ("bech32", bech32), ("bech32-refused", bech32Refused), ("age-key-file", ageKeyFile), ("proquint", proquint),
            ("json-cut", jsonCut), ("compare", compare),
        ]
    }

    static let key = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }

    private static func base64() throws {
        for count in [0, 1, 31, 32, 33, 256] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
            let secret = Hidden.secret(bytes)
            var text = SecureBuffer(capacity: Base64.encodedCount(count))
            secret.withBytes { Base64.encode($0, appendingTo: &text) }
            let decoded = text.finish().withBytes { Base64.decode($0) }
            try expect(decoded?.shown() == bytes, "\(count) bytes")
        }
    }

    private static func base64Refused() throws {
        for text in ["AAAA*AAA", "AB==", "A=AA", "AAAAA"] {
            let isRefused = Hidden.text("", text).withBytes { Base64.decode($0) == nil }
            try expect(isRefused, text)
        }
    }

    private static func hex() throws {
        let secret = Hidden.secret(key)
        var text = SecureBuffer(capacity: 64)
        secret.withBytes { Hex.encode($0, appendingTo: &text) }
        let lower = text.finish()
        let decoded = lower.withBytes { Hex.decode($0) }
        try expect(decoded?.shown() == key, "lower case")
        let upper = Hidden.text("", lower.shown().text.uppercased()).withBytes { Hex.decode($0) }
        try expect(upper?.shown() == key, "upper case")
    }

    private static func hexRefused() throws {
        for text in ["0g", "/0", ":a", "000"] {
            let isRefused = Hidden.text("", text).withBytes { Hex.decode($0) == nil }
            try expect(isRefused, text)
        }
    }

    private static let ageKey = "1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"

    private static func bech32() throws {
        let text = Hidden.text("AGE-SECRET-KEY-1", String(ageKey.dropFirst()))
        let identity = try text.withBytes { (text) throws(AgeKeyError) in try AgeIdentity(text) }
        try expect(identity.revealText().shown().text == "AGE-SECRET-KEY-" + ageKey, "the key of a published file")
    }

    private static func bech32Refused() throws {
        for (key, error) in [
            (ageKey.dropFirst().dropLast() + "Q", AgeKeyError.checksum), ("EGTZVB", .character(position: 22)),
            ("EgTZVF", .malformed),
        ] {
            let text = Hidden.text("AGE-SECRET-KEY-1", String(key))
            let found: AgeKeyError? = text.withBytes { text in
                do throws(AgeKeyError) {
                    _ = try AgeIdentity(text)
                    return nil
                } catch {
                    return error
                }
            }
            try expect(found == error, "\(key): \(found as Any)")
        }
    }

    private static func ageKeyFile() throws {
        let text = Hidden.text("# created: today\nAGE-SECRET-KEY-1", String(ageKey.dropFirst()), "\n")
        let range = try text.withBytes { (text) throws(AgeKeyFileError) in try AgeKeyFile(text).lines[0].bytes }
        let identity = try text.withBytes { (text) throws(AgeKeyError) in try AgeIdentity(text.extracting(range)) }
        try expect(identity.revealText().shown().text == "AGE-SECRET-KEY-" + ageKey, "the key of a file")
    }

    private static func proquint() throws {
        let words = Proquint.encode(Hidden.secret([127, 0, 0, 1, 0xff, 0xff]))
        try expect(words.shown().text == "lusab-babad-zuzuz", "words")
    }

    /// Keys in JSON, with escapes as some writers put them in, and without.
    private static func jsonCut() throws {
        for key in ["AAEC/wQFBgcICQoLDA0ODw+/", #"AAEC\/wQFBgcI\/\/oLDA0ODw+\/"#, #"\"\\"#, ""] {
            let text = Hidden.text(#"{"a":1,"key":""#, key, #"","z":[]}"#)
            let decoded = try text.withBytes { (text) throws(JSONError) in
                let cut = try JSONScanner.parse(text, cutting: [["key"]]).cuts[0]!
                return try JSONScanner.unescape(cut, of: text)
            }
            let escaped = key.replacing(#"\/"#, with: "/").replacing(#"\""#, with: "\"").replacing(#"\\"#, with: #"\"#)
            try expect(decoded.shown().text == escaped, key)
        }
    }

    private static func compare() throws {
        let left = Hidden.secret(key)
        let right = Hidden.secret(key)
        let isSame = left.withBytes { left in right.withBytes { ConstantTime.areEqual(left, $0) } }
        let other = Hidden.secret([UInt8](key.reversed()))
        let isOther = left.withBytes { left in other.withBytes { !ConstantTime.areEqual(left, $0) } }
        try expect(isSame && isOther, "comparisons")
    }
}
