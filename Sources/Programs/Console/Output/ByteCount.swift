/// Sizes for people: bytes below 1024, else KiB or MiB with one digit behind the point.
package enum ByteCount {
    /// "512 bytes", "1.5 KiB", "3 MiB".
    package static func text(_ bytes: Int) -> String {
        switch bytes {
        case ..<1024: "\(bytes) bytes"
        case ..<1_048_576: tenths(bytes, of: 1024) + " KiB"
        default: tenths(bytes, of: 1_048_576) + " MiB"
        }
    }

    private static func tenths(_ bytes: Int, of unit: Int) -> String {
        let tenths = (bytes * 10 + unit / 2) / unit
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
