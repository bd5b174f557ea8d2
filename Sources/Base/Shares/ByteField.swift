internal import SecureMemory

/// GF(256) with the polynomial x⁸ + x⁴ + x³ + x + 1 (SLIP-0039, "Sharing a secret").
///
/// Factors come from the places of shares, which are public, and may be branched on. What they multiply is secret.
enum ByteField {
    /// The product of a secret byte and a public one.
    static func multiply(_ secret: UInt8, by factor: UInt8) -> UInt8 {
        var product: UInt8 = 0
        var power = secret
        for bit in 0..<8 {
            if factor >> UInt8(bit) & 1 == 1 { product ^= power }
            power = power << 1 ^ 0x1b & (0 &- power >> 7)
        }
        return product
    }

    /// The inverse of a public byte other than 0: its 254th power, which is its 2nd, 4th, … and 128th multiplied.
    static func inverse(_ value: UInt8) -> UInt8 {
        var (power, product): (UInt8, UInt8) = (value, 1)
        for _ in 0..<7 {
            power = multiply(power, by: power)
            product = multiply(product, by: power)
        }
        return product
    }
}

/// A value of the polynomials, one for each byte of a secret.
struct SharePoint: Sendable {
    /// Where: 0 to 15 for a share.
    let x: UInt8
    let value: HeldValue

    /// The value at another place (Lagrange).
    /// - Parameter points: at least one, at different places, with values of one length.
    static func interpolate(at x: UInt8, _ points: [SharePoint]) -> SecureBytes {
        SecureBytes(count: points[0].value.bytes.count) { sum in
            for point in points {
                if point.x == x {
                    // All others have the factor 0.
                    return point.value.bytes.withBytes { sum.copy($0) }
                }
            }
            for point in points {
                var factor: UInt8 = 1
                for other in points where other.x != point.x {
                    factor = ByteField.multiply(factor, by: x ^ other.x)
                    factor = ByteField.multiply(factor, by: ByteField.inverse(point.x ^ other.x))
                }
                point.value.bytes.withBytes { value in
                    for index in value.indices { sum[index] ^= ByteField.multiply(value[index], by: factor) }
                }
            }
        }
    }
}

/// Secret bytes that several values refer to; they are wiped when the last one ends.
final class HeldValue: Sendable {
    let bytes: SecureBytes

    init(_ bytes: consuming SecureBytes) { self.bytes = bytes }

    func isSame(as other: HeldValue) -> Bool {
        bytes.withBytes { bytes in other.bytes.withBytes { ConstantTime.areEqual(bytes, $0) } }
    }
}
