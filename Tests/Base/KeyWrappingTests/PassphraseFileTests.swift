import KeyWrapping
import SecureMemory
import Testing
import VectorKit

/// The Android app's second layout under a passphrase.
@Suite struct PassphraseFileTests {
    @Test(arguments: ["mk-v2-gen-test", "mk-v2-gen-zero"]) func `complete files open`(_ name: String) throws {
        let vector = try Vector.named(name, in: .masterKeyV2)
        let file = try vector.inputs.bytes("file_hex")
        let key = try KeyFile.open(file, vector.inputs.string("passphrase"))
        #expect(try key == vector.expected.bytes("master_key"))
        #expect(try KeyFile.protection(file) == .argon2id(.android))
    }

    @Test func `a wrong passphrase does not open`() throws {
        let vector = try Vector.named("mk-v2-gen-neg-wrong", in: .masterKeyV2)
        let file = try vector.inputs.bytes("file_hex")
        #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file, vector.inputs.string("passphrase")) }
    }

    @Test func `what is written has the app's layout and cost, and opens`() throws {
        let key = MasterKey.random()
        let passphrase = Array("correct horse".utf8)
        let wrapped = try WrappedKey.protected(key, by: SecureBytes(copying: passphrase.span), .argon2id)
        #expect(wrapped.protection == .argon2id(.android))
        let published = try Vector.named("mk-v2-gen-test", in: .masterKeyV2).inputs.bytes("file_hex")
        let file = wrapped.file.copied
        #expect(file.count == published.count)
        // Everything but salt, nonce and ciphertext.
        for places in [0..<6, 22..<34, 58..<60] { #expect(file[places] == published[places]) }
        #expect(try KeyFile.open(file, "correct horse") == key.bytes.copied)
        #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file, "correct horsf") }
    }

    // MARK: Files of any cost

    /// A file with these members; its ciphertext is not one.
    private func file(
        version: UInt64? = nil, salt: Int = 16, memory: UInt64 = 8, iterations: UInt64 = 1, lanes: UInt64 = 1,
        nonce: Int = 24, ciphertext: Int = 56
    ) -> [UInt8] {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [number << 3 | 2] + varint(UInt64(bytes.count)) + bytes
        }
        func number(_ number: UInt8, _ value: UInt64) -> [UInt8] { [number << 3] + varint(value) }
        func varint(_ value: UInt64) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
        }
        let zeros = { [UInt8](repeating: 0, count: $0) }
        var argon = version.map { number(1, $0) } ?? []
        argon += field(2, zeros(salt))
        argon += number(3, memory) + number(4, iterations) + number(5, lanes)
        argon += field(6, field(1, zeros(nonce)) + field(2, zeros(ciphertext)))
        return [0, 0] + field(2, argon)
    }

    private static let gibibyte: UInt64 = 1_048_576
    private static let refused: [(UInt64, UInt64, KeyFileError)] = [
        (7, 1, .cost(.memory, 7)),
        (0, 1, .cost(.memory, 0)),
        (1_048_577, 1, .cost(.memory, 1_048_577)),
        (4_294_967_296, 1, .cost(.memory, 4_294_967_296)),
        (.max, 1, .cost(.memory, .max)),
        (8, 0, .cost(.iterations, 0)),
        (8, 65, .cost(.iterations, 65)),
        (8, .max, .cost(.iterations, .max)),
        (gibibyte, 33, .cost(.work, 34_603_008)),
        (524_289, 64, .cost(.work, 33_554_496)),
    ]

    @Test(arguments: refused) func `a cost out of bounds is refused before it is spent`(
        _ memory: UInt64, _ iterations: UInt64, _ error: KeyFileError
    ) {
        let file = file(memory: memory, iterations: iterations)
        #expect(throws: error) { try KeyFile.protection(file) }
    }

    @Test func `lanes, salt and version have their bounds`() throws {
        for lanes: UInt64 in [0, 2, .max] {
            #expect(throws: KeyFileError.cost(.parallelism, lanes)) { try KeyFile.protection(file(lanes: lanes)) }
        }
        for salt in [0, 15, 65, 1000] {
            #expect(throws: KeyFileError.cost(.salt, UInt64(salt))) { try KeyFile.protection(file(salt: salt)) }
        }
        #expect(throws: KeyFileError.unknownVersion(1)) { try KeyFile.protection(file(version: 1)) }
        #expect(try KeyFile.protection(file(version: 0)) != .none)
    }

    private static let accepted: [(Int, UInt64, UInt64)] = [
        (16, 8, 1), (16, gibibyte, 32), (64, 524_288, 64), (17, 8, 64),
    ]

    @Test(arguments: accepted) func `a cost within bounds is accepted`(
        _ salt: Int, _ memory: UInt64, _ iterations: UInt64
    ) throws {
        guard
            case .argon2id(let cost) = try KeyFile.protection(file(salt: salt, memory: memory, iterations: iterations))
        else {
            Issue.record("no Argon2id")
            return
        }
        #expect(cost.memoryKiB == memory && cost.iterations == iterations)
    }

    @Test(arguments: [16, 17, 64]) func `a ciphertext that is none looks like a wrong passphrase`(_ salt: Int) {
        #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file(salt: salt), "12345678") }
    }

    @Test func `a nonce or ciphertext of another length`() {
        for nonce in [0, 23, 25] {
            #expect(throws: KeyFileError.malformed) { try KeyFile.open(file(nonce: nonce), "12345678") }
        }
        for ciphertext in [0, 15] {
            #expect(throws: KeyFileError.notOpened) { try KeyFile.open(file(ciphertext: ciphertext), "12345678") }
        }
    }

    @Test func `no cut and no flipped bit opens or spends much`() {
        let file = file()
        for count in 0..<file.count {
            #expect(throws: KeyFileError.self) { try KeyFile.open(Array(file.prefix(count)), "12345678") }
        }
        for bit in 0..<file.count * 8 {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: KeyFileError.self) { try KeyFile.open(flipped, "12345678") }
        }
    }
}
