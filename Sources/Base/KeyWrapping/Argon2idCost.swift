internal import Primitives
package import SecureMemory

/// The cost of opening a key file under Argon2id v1.3, which the file itself names. It is checked before memory is
/// allocated, so that a file cannot demand all memory or a day of work.
public struct Argon2idCost: Equatable, Sendable {
    /// Memory in KiB, 8 to 1,048,576 (1 GiB).
    public let memoryKiB: UInt32
    /// Passes over the memory, 1 to 64.
    public let iterations: UInt32

    /// What the Android app writes: 128 MiB, 8 passes.
    public static let android = Argon2idCost(memoryKiB: 131_072, iterations: 8)

    /// Whether a guess costs less than with `android`, which keytool writes: less memory, or less memory times passes.
    package var isWeak: Bool { memoryKiB < Self.android.memoryKiB || work < Self.android.work }

    private var work: UInt64 { UInt64(memoryKiB) * UInt64(iterations) }

    static let memoryBounds: ClosedRange<UInt64> = 8...1 << 20
    static let iterationBounds: ClosedRange<UInt64> = 1...64
    static let saltBounds: ClosedRange<Int> = 16...64
    /// Most memory times passes, in KiB: 32 GiB.
    static let maxWork: UInt64 = 32 << 20

    /// The parameter that is out of bounds, and its unit.
    public enum Parameter: Sendable {
        /// KiB.
        case memory
        case iterations
        case parallelism
        /// Bytes.
        case salt
        /// KiB of memory times passes.
        case work
    }

    private init(memoryKiB: UInt32, iterations: UInt32) {
        self.memoryKiB = memoryKiB
        self.iterations = iterations
    }

    /// - Throws: `.cost` if memory is not in 8 KiB...1 GiB, passes are not in 1...64, lanes are not 1, or memory times
    ///   passes exceeds 32 GiB.
    init(memoryKiB: UInt64, iterations: UInt64, parallelism: UInt64) throws(KeyFileError) {
        guard Self.memoryBounds.contains(memoryKiB) else { throw .cost(.memory, memoryKiB) }
        guard Self.iterationBounds.contains(iterations) else { throw .cost(.iterations, iterations) }
        guard parallelism == 1 else { throw .cost(.parallelism, parallelism) }
        let work = memoryKiB * iterations
        guard work <= Self.maxWork else { throw .cost(.work, work) }
        self.init(memoryKiB: UInt32(memoryKiB), iterations: UInt32(iterations))
    }

    /// - Returns: 32 bytes.
    package func deriveKey(passphrase: borrowing SecureBytes, salt: [UInt8]) throws(KeyFileError) -> SecureBytes {
        do {
            return try passphrase.withBytes { (passphrase) throws(KeyDerivationError) in
                try Argon2id.deriveKey(
                    password: passphrase, salt: salt, memoryKiB: memoryKiB, iterations: iterations,
                    count: XChaChaPoly.keyCount)
            }
        } catch {
            throw .derivation(error)
        }
    }
}
