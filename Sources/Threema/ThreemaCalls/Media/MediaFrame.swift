internal import Primitives
internal import SecureMemory

// A media frame, between participants:
//
//   offset  length  meaning
//        0       c  clear header: the first bytes of the frame, which the server has to read
//        c       n  ciphertext of the rest, AES-256-GCM
//      c+n      16  tag
//     c+n+16     1  epoch                        footer
//     c+n+17     1  ratchet counter
//     c+n+18     4  frame counter (MFSN), little-endian
//
//   c:    Opus 0; VP8 10 for a key frame, else 3
//   IV:   frame counter, little-endian, then 8 zeros
//   additional data: footer ‖ clear header
//
// A VP8 frame is a key frame if the lowest bit of its first byte is 0 (RFC 6386, 9.1). The prose of the specification
// says 1 there; the apps do it as here.

/// The form of an encrypted media frame.
public enum MediaFrame {
    /// How a frame's content is encoded, which decides how many of its first bytes stay in the clear.
    public enum Codec: CaseIterable, Sendable {
        case opus
        case vp8
    }

    /// Longest frame that is sealed, in bytes.
    public static let maxSealedCount = 65_536
    /// Longest encrypted frame that is opened, in bytes: the desktop app sends longer frames than the specification
    /// permits.
    public static let maxOpenedCount = 131_072
    /// Bytes that an encrypted frame is longer than its frame.
    public static let overhead = 16 + Footer.count

    /// Bytes at the front of a frame that are not encrypted.
    /// - Parameter frame: a frame, or an encrypted one.
    /// - Throws: `.tooShort` if it has not so many bytes.
    public static func clearHeaderCount(_ codec: Codec, _ frame: Span<UInt8>) throws(FrameError) -> Int {
        switch codec {
        case .opus: return 0
        case .vp8:
            guard !frame.isEmpty else { throw .tooShort(minimum: 1, actual: 0) }
            let count = frame[0] & 1 == 0 ? 10 : 3
            guard frame.count >= count else { throw .tooShort(minimum: count, actual: frame.count) }
            return count
        }
    }

    /// Encrypts a frame with a given counter, for test vectors. `MediaSender` counts.
    /// - Parameters:
    ///   - cipher: of the frame key (PCMFK).
    ///   - footer: with a counter that was never used with this key.
    /// - Returns: clear header ‖ ciphertext ‖ tag ‖ footer, 22 bytes longer than `frame`.
    /// - Throws: `.tooLong`; `.tooShort` for a VP8 frame without its header.
    public static func seal(
        _ frame: Span<UInt8>, _ codec: Codec, _ footer: Footer, cipher: borrowing FrameCipher
    ) throws(FrameError) -> [UInt8] {
        guard frame.count <= maxSealedCount else { throw .tooLong(limit: maxSealedCount, actual: frame.count) }
        let headerCount = try clearHeaderCount(codec, frame)
        let header = frame.extracting(0..<headerCount)
        let footerBytes = footer.bytes
        return cipher.seal(
            frame.extracting(headerCount..<frame.count), nonce: footer.nonce,
            additionalData: footer.additionalData(header), between: header, and: footerBytes.span)
    }

    /// Decrypts a frame with a given key. `MediaReceiver` finds the key.
    /// - Parameter cipher: of the frame key (PCMFK) that the footer names.
    /// - Throws: `.tooLong`, `.tooShort`, `.notAuthentic`.
    public static func open(
        _ frame: Span<UInt8>, _ codec: Codec, cipher: borrowing FrameCipher
    ) throws(FrameError) -> [UInt8] {
        let footer = try footer(of: frame)
        let headerCount = try clearHeaderCount(codec, frame)
        guard frame.count >= overhead + headerCount else {
            throw .tooShort(minimum: overhead + headerCount, actual: frame.count)
        }
        let header = frame.extracting(0..<headerCount)
        do throws(AuthenticationError) {
            return try cipher.open(
                frame.extracting(headerCount..<frame.count - Footer.count), nonce: footer.nonce,
                additionalData: footer.additionalData(header), after: header)
        } catch {
            throw .notAuthentic
        }
    }

    /// Reads the footer, which names the key.
    /// - Throws: `.tooLong`, `.tooShort`.
    public static func footer(of frame: Span<UInt8>) throws(FrameError) -> Footer {
        guard frame.count <= maxOpenedCount else { throw .tooLong(limit: maxOpenedCount, actual: frame.count) }
        guard frame.count >= overhead else { throw .tooShort(minimum: overhead, actual: frame.count) }
        return Footer(frame.extracting(frame.count - Footer.count..<frame.count))
    }

    /// What stands at the end of an encrypted frame.
    public struct Footer: Equatable, Sendable {
        /// Length in bytes.
        public static let count = 6

        /// Of the sender's media key.
        public let epoch: UInt8
        /// Of the sender's media key.
        public let ratchet: UInt8
        /// MFSN: the number of the frame.
        public let counter: UInt32

        /// Puts the parts together.
        public init(epoch: UInt8, ratchet: UInt8, counter: UInt32) {
            self.epoch = epoch
            self.ratchet = ratchet
            self.counter = counter
        }

        /// - Parameter bytes: 6 bytes.
        init(_ bytes: Span<UInt8>) {
            epoch = bytes[0]
            ratchet = bytes[1]
            counter = (0..<4).reduce(0) { $0 | UInt32(bytes[2 + $1]) << UInt32(8 * $1) }
        }

        // Literals, because each concatenation would be an allocation for each frame.

        var bytes: [UInt8] { [epoch, ratchet, byte(0), byte(1), byte(2), byte(3)] }

        /// 12 bytes.
        var nonce: [UInt8] { [byte(0), byte(1), byte(2), byte(3), 0, 0, 0, 0, 0, 0, 0, 0] }

        /// Footer ‖ clear header.
        func additionalData(_ header: Span<UInt8>) -> [UInt8] {
            header.isEmpty ? bytes : bytes + header.revealBytes()
        }

        private func byte(_ index: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: counter >> (8 * index)) }
    }
}
