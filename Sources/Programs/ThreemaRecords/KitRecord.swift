package import Encodings
package import Keystore
internal import SecureMemory
package import Threema

// The record `kit`, integers big endian:
//
//   offset  length  meaning
//        0       1  version, 1
//        1      32  public key of the identity
//       33       8  when the kit was made, in milliseconds since the epoch
//       41       8  when its code was last checked, in milliseconds since the epoch; 0 for never
//       49       8  check word of its code, Base32 as text
//       57      32  digest of its Safes (`KitRecord.Safes`)

/// What a keystore knows of the newest emergency kit of an identity.
package struct KitRecord: PaperRecord, Equatable, Sendable {
    package static let name: RecordName = .kit

    /// Address, login, trust, password and access of all Safes of an identity, as a digest.
    package struct Safes: Equatable, Sendable {
        static let count = 32
        /// 32 bytes.
        let digest: [UInt8]

        package init?(_ digest: [UInt8]) {
            guard digest.count == Self.count else { return nil }
            self.digest = digest
        }
    }

    private static let version: UInt8 = 1
    private static let checkWordCount = 8
    private static let count = 1 + PublicKey.count + 8 + 8 + checkWordCount + Safes.count

    package let publicKey: PublicKey
    package let madeAt: Timestamp
    /// When its backup code was last opened; nil for never.
    package var checkedAt: Timestamp?
    let checkWord: [UInt8]
    package let safes: Safes

    package init(publicKey: PublicKey, madeAt: Timestamp, code: GroupedCode, safes: Safes) {
        self.publicKey = publicKey
        self.madeAt = madeAt
        checkWord = IDBackup.checkWord(of: code).characters
        self.safes = safes
    }

    /// Whether this is the code of the kit.
    package func contains(_ code: GroupedCode) -> Bool { IDBackup.checkWord(of: code).characters == checkWord }

    /// The newer one of two kits, and of one kit the later check.
    /// - Returns: nil if they are of two private keys.
    package func merged(with other: KitRecord?) -> KitRecord? {
        guard let other else { return self }
        guard other.publicKey == publicKey else { return nil }
        guard other.madeAt == madeAt, other.checkWord == checkWord else {
            return other.madeAt > madeAt ? other : self
        }
        guard let checked = other.checkedAt else { return self }
        return checkedAt.map { $0 > checked } ?? false ? self : other
    }

    /// - Returns: nil for anything but what `encoded` makes.
    package init?(decoding bytes: Span<UInt8>) {
        guard bytes.count == Self.count, bytes[0] == Self.version,
            let key = PublicKey(bytes.extracting(1..<1 + PublicKey.count).revealBytes()),
            let safes = Safes(
                bytes.extracting(bytes.count - Safes.count..<bytes.count).revealBytes())
        else { return nil }
        publicKey = key
        madeAt = Timestamp(record: bytes, at: 33)
        let checked = Timestamp(record: bytes, at: 41)
        checkedAt = checked.milliseconds == 0 ? nil : checked
        checkWord = bytes.extracting(49..<49 + Self.checkWordCount).revealBytes()
        self.safes = safes
    }

    package var encoded: [UInt8] {
        [Self.version] + publicKey.bytes + madeAt.recordBytes
            + (checkedAt ?? Timestamp(milliseconds: 0)).recordBytes + checkWord + safes.digest
    }
}

extension RecordName {
    package static let kit: RecordName = "kit"
}
