internal import SecureMemory

// What a message box holds:
//
//   offset  length  meaning
//        0       1  type
//        1       n  body
//      1+n       p  padding: p bytes of value p, PKCS#7 (1...255)
//
// p is random, so that the length tells little about the body; body and padding have 32 bytes at least. The
// specification counts without the type byte, Android with it. Receivers cannot tell the difference.

/// The layer between a message box and its body: type and padding.
enum MessageContainer {
    /// Fewest bytes of body and padding.
    static let minimumPaddedCount = 32
    /// Most bytes of padding.
    static let maxPaddingCount = 255
    /// Length of the type in bytes.
    static let typeCount = 1

    /// Bytes of padding after a body.
    /// - Parameter random: 1...255.
    static func paddingCount(after bodyCount: Int, random: Int) -> Int {
        precondition((1...maxPaddingCount).contains(random))
        return max(random, minimumPaddedCount - bodyCount)
    }

    /// A random length for `paddingCount`.
    static func randomPadding() -> Int { 1 + Int(Random.number(below: UInt32(maxPaddingCount))) }

    /// Appends the padding to a type and its body.
    static func pad(_ buffer: inout SecureBuffer, random: Int) {
        let count = paddingCount(after: buffer.count - typeCount, random: random)
        for _ in 0..<count { buffer.append(UInt8(count)) }
    }

    /// - Returns: the range of the body.
    /// - Throws: `.container` if no padding, or nothing before it, is there. Only the last byte is read, as in
    ///   the apps: the box is authentic, so nobody probes here.
    static func body(of container: Span<UInt8>) throws(MessageError) -> Range<Int> {
        guard container.count > typeCount else { throw .container }
        let count = Int(container[container.count - 1])
        guard count > 0, count <= container.count - typeCount else { throw .container }
        return typeCount..<container.count - count
    }
}
