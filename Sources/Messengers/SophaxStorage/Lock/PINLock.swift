public import Encodings
internal import Primitives
public import SecureMemory
internal import SophaxChat

// Stored hashes of a PIN:
//
//   v1   SHA-256(salt (16) ‖ PIN)
//   v2   PBKDF2-HMAC-SHA-256(PIN, salt (32), 100,000 iterations, 32)
//
// The attempts: number of failures (4, big endian) ‖ end of the delay, Unix time (8, double, little endian), 0 = none.
// A PIN of six digits is found from either hash within hours, so the lock is a gate and not the key of anything.

/// The hash of a PIN with its salt. It does not protect the PIN: six digits are found from it within hours.
public struct PINHash: Sendable {
    /// The function that the hash was made with.
    public enum Form: UInt8, Sendable {
        /// One SHA-256: is read, and not made.
        case version1 = 1
        /// 100,000 iterations.
        case version2 = 2

        /// Length of its salt in bytes.
        public var saltCount: Int { self == .version1 ? 16 : 32 }
    }

    /// Iterations of version 2.
    public static let iterations = 100_000
    /// Length of a hash in bytes.
    public static let count = 32

    /// The function that the hash was made with.
    public let form: Form
    /// 16 or 32 bytes.
    public let salt: [UInt8]
    /// 32 bytes.
    public let hash: [UInt8]

    /// - Returns: nil for a wrong length.
    public init?(form: Form, salt: [UInt8], hash: [UInt8]) {
        guard salt.count == form.saltCount, hash.count == Self.count else { return nil }
        self.form = form
        self.salt = salt
        self.hash = hash
    }

    /// The hash of a PIN, in the newest form.
    init(of pin: borrowing SecureBytes) {
        form = .version2
        salt = Random.bytes(Form.version2.saltCount)
        hash = Self.derive(pin, form, salt).revealBytes()
    }

    /// A hash that no PIN is known for. It is stored, so that a check takes as long with it as with another one.
    init(dummy form: Form) {
        self.form = form
        salt = Random.bytes(form.saltCount)
        hash = Random.bytes(Self.count)
    }

    package static func derive(_ pin: borrowing SecureBytes, _ form: Form, _ salt: [UInt8]) -> SecureBytes {
        switch form {
        case .version1:
            var input = SecureBuffer(capacity: salt.count + pin.count)
            input.append(salt.span)
            input.append(pin)
            let message = input.finish()
            let digest = message.withBytes { SHA256.hash($0) }
            return SecureBytes(copying: digest.span)
        case .version2:
            return pin.withBytes {
                PBKDF2.deriveKey(password: $0, salt: salt, iterations: iterations, count: count)
            }
        }
    }

    /// Whether this PIN has the hash: the whole hash is computed and compared in constant time.
    func matches(_ pin: borrowing SecureBytes) -> Bool {
        let derived = Self.derive(pin, form, salt)
        return derived.withBytes { ConstantTime.areEqual($0, hash.span) }
    }
}

/// Failed attempts. The caller stores the record before a PIN is checked, and counts across restarts by it.
public struct PINAttempts: Equatable, Sendable {
    /// The fifth failure is the first with a delay.
    public static let free = 4
    /// The first delay; each further failure doubles it.
    public static let firstDelay: Duration = .seconds(30)
    /// The longest delay; no failure makes it longer.
    public static let longestDelay: Duration = .seconds(3600)
    /// Length of the record in bytes.
    public static let recordCount = 12
    /// The latest and, with a minus, the earliest end of a delay in a record: seconds since 1970.
    private static let maxSeconds = 1e12

    /// Attempts since the last one that cleared them.
    public let count: UInt32
    /// No PIN is checked before; nil without a delay.
    public let release: Timestamp?

    /// No failure, and no delay.
    public static let none = PINAttempts(count: 0, release: nil)

    init(count: UInt32, release: Timestamp?) {
        self.count = count
        self.release = release
    }

    /// How long to wait; nil if a PIN may be checked. A clock that went back does not shorten it: the wait is the whole
    /// delay at most.
    public func delay(at now: Timestamp) -> Duration? {
        guard let release, now < release else { return nil }
        return min(release - now, Self.delay(count) ?? .zero)
    }

    static func delay(_ count: UInt32) -> Duration? {
        guard count > UInt32(free) else { return nil }
        let doublings = min(Int(count) - free - 1, 7)
        return min(firstDelay * (1 << doublings), longestDelay)
    }

    /// With a delay that ends no later than the whole delay from now: a clock that was ahead has set a later end.
    func corrected(at now: Timestamp) -> PINAttempts {
        guard let release else { return self }
        return PINAttempts(count: count, release: Self.delay(count).map { min(release, now + $0) })
    }

    /// The record to store before the next check: one attempt more, with the delay that follows it if it fails.
    func next(at now: Timestamp) -> PINAttempts {
        let count = count == .max ? count : count + 1
        return PINAttempts(count: count, release: Self.delay(count).map { now + $0 })
    }

    /// The record to store, `recordCount` bytes: the count and the end of the delay.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendNumber(count)
        let release = release.map { Double($0.milliseconds) / 1000 } ?? 0
        let seconds = min(max(release, -Self.maxSeconds), Self.maxSeconds)
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (8 * UInt64($0))) }
    }

    /// Reads a record.
    /// - Returns: nil if it is malformed: then no PIN may be checked.
    public init?(decoding record: [UInt8]) {
        guard record.count == Self.recordCount else { return nil }
        count = record[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        let bits = record[4...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let seconds = Double(bitPattern: bits)
        // A clock that is before 1970 sets an end before it.
        guard seconds.isFinite, abs(seconds) <= Self.maxSeconds else { return nil }
        release = seconds == 0 ? nil : Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }
}

/// Why a PIN is not set or not checked.
public enum PINError: Error, Equatable, Sendable {
    /// Fewer than 4 or more than 64 bytes.
    case length
    /// The two PINs are equal: then one of them could never be told.
    case equalPINs
    /// Too many failures: wait so long.
    case delayed(Duration)
    /// The PINs were changed too often: wait so long.
    case tooManyChanges(Duration)
}

/// The app's lock: a PIN that opens it, and one that seems to.
///
/// Both hashes are always there, a random one for a PIN that is not set, and both are computed in every check. What a
/// caller shows must not depend on `real` or `duress`.
public struct PINLock: Sendable {
    /// What a check has found.
    public enum Result: Equatable, Sendable {
        /// The PIN of the owner.
        case real
        /// The PIN that is told under duress.
        case duress
        /// Neither.
        case wrong
    }

    /// Lengths of a PIN in bytes.
    public static let counts = 4...64

    /// The hash of the owner's PIN.
    public let real: PINHash
    /// That of duress; a random one if none is set. Store it in either case.
    public let duress: PINHash

    /// As stored.
    /// - Parameter duress: nil only for a record of the app, which has none: a random one of the same form is made. Store
    ///   it now.
    public init(real: PINHash, duress: PINHash?) {
        self.real = real
        self.duress = duress ?? PINHash(dummy: real.form)
    }

    /// Sets a PIN, without one for duress.
    /// - Throws: `.length`.
    public init(pin: borrowing SecureBytes) throws(PINError) {
        guard Self.counts.contains(pin.count) else { throw .length }
        real = PINHash(of: pin)
        duress = PINHash(dummy: .version2)
    }

    /// The lock with another PIN. Under duress the PIN of duress is replaced instead, also by the owner's PIN: an error
    /// would tell that one to anyone who tries PINs. A check finds the owner's PIN first.
    /// - Parameter proven: what the check of the present PIN has found, `.real` or `.duress`. The same hashes are derived
    ///   for both.
    /// - Throws: `.length`; `.equalPINs` if the owner chooses the PIN of duress.
    public func setting(pin: borrowing SecureBytes, by proven: Result = .real) throws(PINError) -> PINLock {
        precondition(proven != .wrong)
        guard Self.counts.contains(pin.count) else { throw .length }
        let isDuress = duress.matches(pin)
        let hash = PINHash(of: pin)
        guard proven == .real else { return PINLock(real: real, duress: hash) }
        guard !isDuress else { throw .equalPINs }
        return PINLock(real: hash, duress: duress)
    }

    /// The lock with a PIN for duress. Under duress nothing changes.
    /// - Parameter proven: what the check of the present PIN has found, `.real` or `.duress`. The same hashes are derived
    ///   for both.
    /// - Throws: `.length`; `.equalPINs` if the PIN is the one that was proven.
    public func setting(duress pin: borrowing SecureBytes, by proven: Result = .real) throws(PINError) -> PINLock {
        precondition(proven != .wrong)
        guard Self.counts.contains(pin.count) else { throw .length }
        let (isReal, isDuress) = (real.matches(pin), duress.matches(pin))
        let hash = PINHash(of: pin)
        guard !(proven == .real ? isReal : isDuress) else { throw .equalPINs }
        return proven == .real ? PINLock(real: real, duress: hash) : self
    }

    /// The lock without a PIN for duress.
    public func removingDuress() -> PINLock { PINLock(real: real, duress: PINHash(dummy: real.form)) }

    /// Checks a PIN. A hash is never upgraded here: a check that succeeds must not take longer than another one.
    /// - Parameters:
    ///   - purpose: `.change` for a PIN that proves who changes one. Such a change is counted by the result, so store it
    ///     before the new PIN is compared with anything.
    ///   - counts: as stored.
    ///   - store: stores counts. It is called before the PIN is compared; if it throws, the PIN is not.
    /// - Returns: the result, and the counts to store after it.
    /// - Throws: `.tooManyChanges`, `.delayed`, before any hash is computed; what `store` throws.
    public func check(
        _ pin: borrowing SecureBytes, for purpose: PINCounts.Purpose = .check, counts: PINCounts, at now: Timestamp,
        store: (PINCounts) throws -> Void
    ) throws -> (result: Result, counts: PINCounts) {
        let (known, counted) = try counts.attempting(purpose, at: now, store: store)
        try store(counted)
        let isReal = real.matches(pin)
        let isDuress = duress.matches(pin)
        let result: Result = isReal ? .real : isDuress ? .duress : .wrong
        return (result, result == .wrong ? counted : known.proven(purpose, at: now))
    }
}
