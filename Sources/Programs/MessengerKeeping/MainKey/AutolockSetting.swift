internal import Keystore
package import ProtonMainKey
internal import SecureMemory

// The record `autolock`:
//
//   offset  length  meaning
//        0       1  version, 1
//        1       4  minutes, two's complement, big endian: -1 for never, 0 for always

/// How long an unlocked MainKey stays after the end of the last command that used it.
package struct AutolockSetting: Equatable, Sendable {
    static let version: UInt8 = 1
    /// Longest time, in minutes: an unlocked key stays for 24 hours at most.
    package static let maxMinutes = 24 * 60

    /// -1 for never, 0 for always, else 1 to 1440.
    package let minutes: Int

    /// Until the time of `unlock --for` is over.
    package static let never = AutolockSetting(proven: -1)

    /// - Returns: nil for a number that is not one of those above.
    package init?(minutes: Int) {
        guard (-1...Self.maxMinutes).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    private init(proven minutes: Int) { self.minutes = minutes }

    /// The rule that the setting stands for.
    var rule: AutolockRule { AutolockRule(minutes: minutes) }

    /// - Returns: nil for anything but the layout above.
    init?(_ record: Span<UInt8>) {
        guard record.count == 5, record[0] == Self.version else { return nil }
        let bits = (1...4).reduce(UInt32(0)) { $0 << 8 | UInt32(record[$1]) }
        self.init(minutes: Int(Int32(bitPattern: bits)))
    }

    var encoded: [UInt8] {
        let bits = UInt32(bitPattern: Int32(minutes))
        return [Self.version] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}

extension MainKeyKeeper {
    static let autolock: RecordName = "autolock"

    /// Stores the setting, and shortens the time of a key that is unlocked now.
    /// - Throws: `.noKey`; `FileError`; `KernelKeyringError`.
    package func set(_ setting: AutolockSetting, of id: CheckValue) throws {
        try locked(id) { identity in
            let record = setting.encoded
            try identity.write(Self.autolock, record.span)
        }
        try renew(id, .running)
    }
}

extension IdentityRecords {
    /// - Returns: never if there is no setting.
    /// - Throws: `KeystoreError.damaged`.
    func autolock() throws -> AutolockSetting {
        switch try read(MainKeyKeeper.autolock) {
        case .none: return .never
        case .some(let record):
            guard let setting = record.withBytes({ AutolockSetting($0) }) else {
                throw KeystoreError.damaged(record: "autolock", owner: owner)
            }
            return setting
        }
    }
}
