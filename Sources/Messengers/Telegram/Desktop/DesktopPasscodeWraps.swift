internal import Primitives
internal import SecureMemory

// The fourth array of `key_data`, since version 7.3 of the app:
//
//     KD2\0 (4) ‖ version: 2 (4) ‖ the generation that counts; 0 for none (4) ‖ number of wraps, at most 2 (4)
//     for each: how its key is derived: 1 Argon2id, 2 scrypt (4) ‖ generation (4)
//               memory: KiB of Argon2id, N of scrypt (4) ‖ passes of Argon2id, r of scrypt (4) ‖ lanes, p of scrypt (4)
//               salt, at least 8 bytes (array) ‖ the local key, encrypted under the derived key of 256 bytes (array)
//
// The passcode is not hashed before. A change of the passcode first adds a wrap, then makes its generation the one that
// counts. What was interrupted leaves the other one behind, under an old or a new passcode: it must not open anything.

/// The local key under the passcode, as newer apps store it.
struct DesktopPasscodeWraps: Sendable {
    private static let magic: UInt32 = 0x4b44_3200
    private static let version: UInt32 = 2
    private static let maxWraps = 2

    /// The wrap that counts; nil if no passcode opens the file.
    let current: Wrap?

    /// - Throws: `.malformed`, `.newer`.
    init(_ bytes: Span<UInt8>) throws(DesktopError) {
        var reader = DesktopReader()
        guard try reader.number32(bytes) == Self.magic else { throw .newer(version: nil) }
        let version = try reader.number32(bytes)
        guard version <= Self.version else { throw .newer(version: version) }
        let generation = try reader.number32(bytes)
        let count = Int(try reader.number32(bytes))
        guard count <= Self.maxWraps else { throw .malformed }
        var wraps: [Wrap] = []
        for _ in 0..<count { wraps.append(try Wrap(bytes, &reader)) }
        guard reader.isAtEnd(bytes) else { throw .newer(version: nil) }
        guard Set(wraps.map(\.generation)).count == count else { throw .malformed }
        current = generation == 0 ? nil : wraps.first { $0.generation == generation }
    }

    /// The local key under a passcode.
    struct Wrap: Sendable {
        let generation: UInt32
        let sealedKey: [UInt8]
        private let family: UInt32
        private let memory: UInt32
        private let time: UInt32
        private let lanes: UInt32
        private let salt: [UInt8]

        private static let argon2id: UInt32 = 1
        private static let scrypt: UInt32 = 2
        private static let minSaltCount = 8
        /// The app's own limits for Argon2id, in KiB, passes and lanes.
        private static let (maxMemory, maxTime, maxLanes) = (262_144 as UInt32, 64 as UInt32, 16 as UInt32)
        /// The app's own limit for scrypt, in bytes.
        private static let maxScryptBytes: UInt64 = 192 << 20

        fileprivate init(_ bytes: Span<UInt8>, _ reader: inout DesktopReader) throws(DesktopError) {
            family = try reader.number32(bytes)
            generation = try reader.number32(bytes)
            memory = try reader.number32(bytes)
            time = try reader.number32(bytes)
            lanes = try reader.number32(bytes)
            salt = bytes.extracting(try reader.array(bytes)).revealBytes()
            sealedKey = bytes.extracting(try reader.array(bytes)).revealBytes()
            guard salt.count >= Self.minSaltCount, sealedKey.count == DesktopKeyFile.sealedKeyCount else {
                throw .malformed
            }
        }

        /// Before any memory is taken: all numbers are those of the file.
        /// - Throws: `.newer` for another family; `.malformed`, `.tooCostly`.
        func checkCost() throws(DesktopError) {
            guard memory > 0, time > 0, lanes > 0 else { throw .malformed }
            switch family {
            case Self.argon2id:
                guard memory <= Self.maxMemory, time <= Self.maxTime, lanes <= Self.maxLanes else {
                    throw .tooCostly
                }
                guard memory / 8 >= lanes else { throw .malformed }
            case Self.scrypt:
                guard memory >= 2, memory.nonzeroBitCount == 1 else { throw .malformed }
                // The app bounds lanes by their memory only, and keytool also by their time.
                guard time <= 1024, lanes <= Self.maxLanes,
                    128 * UInt64(time) * (UInt64(memory) + UInt64(lanes)) <= Self.maxScryptBytes
                else { throw .tooCostly }
            default: throw .newer(version: nil)
            }
        }

        /// - Throws: as `checkCost`; `.memory`.
        func deriveKey(_ passcode: borrowing SecureBytes) throws(DesktopError) -> DesktopLocalKey {
            try checkCost()
            let key: SecureBytes
            do throws(KeyDerivationError) {
                key = try passcode.withBytes { (passcode) throws(KeyDerivationError) in
                    family == Self.argon2id
                        ? try Argon2id.deriveKey(
                            password: passcode, salt: salt, memoryKiB: memory, iterations: time, lanes: lanes,
                            count: DesktopLocalKey.count)
                        : try Scrypt.deriveKey(
                            password: passcode, salt: salt.span, cost: UInt64(memory), blockSize: time,
                            parallelism: lanes, count: DesktopLocalKey.count)
                }
            } catch {
                switch error {
                case .memory(let bytes): throw .memory(bytes: bytes)
                }
            }
            return DesktopLocalKey(key)
        }
    }
}
