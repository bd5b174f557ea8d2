internal import SecureMemory

/// A password as libzip takes it: with a NUL byte behind it.
///
/// Two generations of the app write the characters of one password as different bytes, which only differ outside of
/// ASCII. The backup code inside the file always has UTF-8.
struct ZIPPassword: ~Copyable {
    /// How characters become bytes.
    enum Form: CaseIterable {
        /// App 4.53 and newer.
        case utf8
        /// Older: the low byte of each UTF-16 unit.
        case lowBytes
    }

    /// The bytes, and a NUL byte.
    let bytes: SecureBytes

    /// - Parameter password: UTF-8.
    /// - Returns: nil if this form has the same bytes as UTF-8, or if it would have a NUL byte.
    init?(_ password: borrowing SecureBytes, as form: Form) {
        switch form {
        case .utf8:
            var buffer = SecureBuffer(capacity: password.count + 1)
            buffer.append(password)
            buffer.append(0)
            bytes = buffer.finish()
        case .lowBytes:
            guard let bytes = password.withBytes({ Self.lowBytes($0) }) else { return nil }
            self.bytes = bytes
        }
    }

    /// Whether the password contains a NUL byte.
    static func hasNUL(_ password: borrowing SecureBytes) -> Bool {
        password.withBytes { bytes in bytes.indices.contains { bytes[$0] == 0 } }
    }

    private static func lowBytes(_ password: Span<UInt8>) -> SecureBytes? {
        // UTF-8 has at least one byte for each UTF-16 unit.
        var buffer = SecureBuffer(capacity: password.count + 1)
        var isOther = false
        var index = 0
        while index < password.count {
            let first = password[index]
            let count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
            guard first < 0x80 || (0xc2...0xf4).contains(first), index + count <= password.count else { return nil }
            var scalar = UInt32(count == 1 ? first : first & (0xff >> UInt8(count + 1)))
            for offset in 1..<max(count, 1) where offset < count {
                guard password[index + offset] & 0xc0 == 0x80 else { return nil }
                scalar = scalar << 6 | UInt32(password[index + offset] & 0x3f)
            }
            if scalar > 0xffff {
                let pair = scalar - 0x10000
                // High surrogate D800 + ten bits, low surrogate DC00 + ten bits.
                guard append(UInt8(truncatingIfNeeded: pair >> 10), to: &buffer),
                    append(UInt8(truncatingIfNeeded: pair), to: &buffer)
                else { return nil }
            } else {
                guard append(UInt8(truncatingIfNeeded: scalar), to: &buffer) else { return nil }
            }
            if count > 1 { isOther = true }
            index += count
        }
        guard isOther else { return nil }
        buffer.append(0)
        return buffer.finish()
    }

    private static func append(_ byte: UInt8, to buffer: inout SecureBuffer) -> Bool {
        guard byte != 0 else { return false }
        buffer.append(byte)
        return true
    }
}
