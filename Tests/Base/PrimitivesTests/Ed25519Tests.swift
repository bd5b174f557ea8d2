import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct Ed25519Tests {
    /// RFC 8032, section 7.1, tests 1 to 3: seed, public key, message, signature.
    static let published = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a",
        ],
    ]

    @Test(arguments: published)
    func `published signatures`(_ vector: [String]) throws {
        let parts = try vector.map { try #require([UInt8](hex: $0)) }
        let (seed, key, message, signature) = (parts[0], parts[1], parts[2], parts[3])
        let publicKey = Ed25519.publicKey(of: seed.span)
        let signed = Ed25519.sign(message.span, seed: seed.span)
        #expect(publicKey == key && signed == signature)
        #expect(Self.isValid(signature, message, key))
        for index in signature.indices {
            var other = signature
            other[index] ^= 1
            #expect(!Self.isValid(other, message, key))
        }
        #expect(!Self.isValid(signature, message + [0], key))
        #expect(!Self.isValid(signature + [0], message, key))
        #expect(!Self.isValid(signature, message, Array(key.dropLast())))
    }

    static func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool {
        Ed25519.isValid(signature, of: message.span, publicKey: key)
    }

    @Test func `a key of low order verifies nothing`() {
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(!Self.isValid([UInt8](repeating: 0, count: 64), zero, zero))
    }
}
