import Encodings
import SecureMemory
import Testing
import VectorKit

@Suite struct Bech32Tests {
    /// Of BIP-173, with values of 5 bits that are whole bytes; and the keys of a published age file.
    @Test(arguments: [
        ("A12UEL5L", "A", ""), ("a12uel5l", "a", ""),
        (
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef",
            "00443214c74254b635cf84653a56d7c675be77df"
        ),
        ("?1ezyfcl", "?", ""),
        (
            "age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef", "age",
            "36dcec3f5f24739a0c8b36cbb4ffa25729a94a51d41fb205a37419fe7f5adb2a"
        ),
        (
            "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0", "AGE-SECRET-KEY-",
            "ca1626252c53cf1a4dc46695e7fcc46594cb4ccadedb6712dfda0753f3ae355e"
        ),
        (
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio", ""
        ),
    ]) func `published texts`(_ text: String, _ prefix: String, _ data: String) throws {
        let decoded = try Bech32.decode(Array(text.utf8).span)
        #expect(decoded.prefix == prefix && decoded.data.copied.hex == data)
        let bytes = try #require([UInt8](hex: data))
        let encoded = Bech32.encode(prefix: prefix, bytes.span).copied
        #expect(String(decoding: encoded, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("\u{20}1nwldj5", Bech32Error.character(position: 1)), ("\u{7f}1axkwrx", .character(position: 1)),
        ("\u{80}1eym55h", .character(position: 1)), ("pzry9x0s0muk", .noSeparator), ("1pzry9x0s0muk", .noSeparator),
        ("x1b4n0q5v", .character(position: 3)), ("li1dgmt3", .tooShort), ("A1G7SGD8", .checksum),
        ("10a06t8", .noSeparator), ("1qzzfhee", .noSeparator), ("a12UEL5L", .mixedCase), ("", .noSeparator),
        ("a1", .tooShort), ("de1lg7wt\u{ff}", .character(position: 9)),
    ]) func `texts that BIP-173 refuses`(_ text: String, _ error: Bech32Error) {
        let bytes = Array(text.utf8)
        #expect(Self.failure(bytes) == error)
    }

    @Test(arguments: [
        ([0], false), ([31], false), ([0, 1], false), ([31, 31], false), ([0, 0], true), ([31, 28], true),
    ])
    func `bits of no byte are refused`(_ values: [UInt8], _ isWhole: Bool) {
        // One character has five bits, which are no byte, and two have ten, of which two are left over.
        #expect(Self.failure(Self.text("age", values)) == (isWhole ? nil : .padding))
    }

    @Test func `every length, and no other text of a key`() throws {
        for count in 0...100 {
            let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + count) }
            for prefix in ["age", "AGE-PLUGIN-X-"] {
                let text = Bech32.encode(prefix: prefix, data.span).copied
                let decoded = try Bech32.decode(text.span)
                #expect(decoded.prefix == prefix && decoded.data.copied == data)
            }
        }
        let text = Array("age1xmwwc06ly3ee5rytxm9mflaz2u56jjj36s0mypdrwsvlul66mv4q47ryef".utf8)
        for index in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[index] {
                var changed = text
                changed[index] = byte
                #expect(Self.failure(changed) != nil, "\(byte) at \(index)")
            }
            var exchanged = text
            exchanged.swapAt(index, max(index - 1, 0))
            #expect(exchanged == text || Self.failure(exchanged) != nil)
            #expect(Self.failure(Array(text[..<index])) != nil)
        }
    }

    private static func failure(_ text: [UInt8]) -> Bech32Error? {
        do throws(Bech32Error) {
            _ = try Bech32.decode(text.span)
            return nil
        } catch {
            return error
        }
    }

    /// BIP-173's reference, for data of single characters.
    private static func text(_ prefix: String, _ values: [UInt8]) -> [UInt8] {
        let generator = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
        func polymod(_ values: [UInt8]) -> Int {
            values.reduce(1) { checksum, value in
                (0..<5).reduce((checksum & 0x1ff_ffff) << 5 ^ Int(value)) { next, bit in
                    (checksum >> (25 + bit)) & 1 == 1 ? next ^ generator[bit] : next
                }
            }
        }
        let expanded = prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 }
        let checksum = polymod(expanded + values + [UInt8](repeating: 0, count: 6)) ^ 1
        let last = (0..<6).map { UInt8(checksum >> (5 * (5 - $0)) & 31) }
        return Array((prefix + "1").utf8) + (values + last).map { alphabet[Int($0)] }
    }
}
