import SecureMemory

/// What memcheck has to find: the mistakes that were made in codecs before.
enum Planted {
    static var cases: [Case] {
        [
            ("planted-branch", { try expect(branches("q") == 0, "the value of a character") }),
            ("planted-address", { try expect(looksUp("q") == 31, "the value of a character") }),
        ]
    }

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let values = (0..<128).map { UInt8($0 == 0x71 ? 31 : 32) }

    private static func branches(_ text: String) -> UInt8 {
        let hidden = Hidden.text("", text)
        var found: [UInt8] = [32]
        hidden.withBytes { text in
            for index in alphabet.indices where alphabet[index] == text[0] {
                found[0] = UInt8(index)
                break
            }
        }
        return found.shown()[0]
    }

    private static func looksUp(_ text: String) -> UInt8 {
        let hidden = Hidden.text("", text)
        var found: [UInt8] = [32]
        hidden.withBytes { found[0] = values[Int($0[0] & 127)] }
        return found.shown()[0]
    }
}
