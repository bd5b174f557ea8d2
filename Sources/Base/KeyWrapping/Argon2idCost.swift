internal import Primitives
package import SecureMemory

/// What opening a key file under Argon2id v1.3 costs, as the file itself says. Checked before any memory is taken:
/// a file must not be able to ask for all of it, or for a day.
public struct Argon2idCost: Equatable, Sendable {
    /// Memory in KiB.
    public let memoryKiB: UInt32
    /// Passes over the memory.
    public let iterations: UInt32

    /// What the Android app writes: 128 MiB, 8 passes.
    public static let android = Argon2idCost(memoryKiB: 131_072, iterations: 8)

    /// Whether a guess costs less than at `android`, at which keytool writes: less memory, or less memory times passes.
    package var isWeak: Bool { memoryKiB < Self.android.memoryKiB || work < Self.android.work }

    private var work: UInt64 { UInt64(memoryKiB) * UInt64(iterations) }

    static let memoryBounds: ClosedRange<UInt64> = 8...1 << 20
    static let iterationBounds: ClosedRange<UInt64> = 1...64
    static let saltBounds: ClosedRange<Int> = 16...64
    /// 32 GiB read and written in all, in KiB.
    static let maxWork: UInt64 = 32 << 20

    /// What a file may ask too much of; the numbers are in its unit.
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

    /// - Throws: `.cost` for 8 KiB > memory or memory > 1 GiB, passes other than 1 to 64, more than one lane, or
    ///   more than 32 GiB of memory times passes.
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
