internal import COpenSSL

/// SHA-256 (FIPS 180-4), on OpenSSL, which uses the CPU's own SHA instructions.
public enum SHA256 {
    /// Length of a digest in bytes.
    public static let count = 32

    /// - Returns: 32 bytes.
    public static func hash(_ message: Span<UInt8>) -> [UInt8] {
        var state = SHA256State()
        state.update(message)
        var digest = [UInt8](repeating: 0, count: count)
        state.finish(into: &digest)
        return digest
    }
}

/// The state of an unfinished hash. It can be as secret as the message: call `finish` or `wipe`.
@safe
package struct SHA256State {
    static let blockCount = 64

    private var context = SHA256_CTX()

    /// Begins a hash.
    package init() { _ = unsafe SHA256_Init(&context) }

    /// Adds more of the message.
    package mutating func update(_ message: Span<UInt8>) {
        unsafe message.withUnsafeBufferPointer { bytes in
            _ = unsafe SHA256_Update(&context, bytes.baseAddress, bytes.count)
        }
    }

    /// Writes 32 bytes to the front of `digest` and wipes the state.
    mutating func finish(into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count >= SHA256.count)
        unsafe digest.withUnsafeMutableBufferPointer { bytes in
            _ = unsafe SHA256_Final(bytes.baseAddress, &context)
        }
        wipe()
    }

    /// Writes 32 bytes to the front of `digest` and wipes the state.
    package mutating func finish(into digest: inout [UInt8]) {
        var bytes = digest.mutableSpan
        finish(into: &bytes)
    }

    /// Compresses a block of 16 big-endian words, without padding and without counting its length.
    /// - Returns: the eight words of the state, in the byte order of this machine.
    mutating func compress(_ block: UnsafePointer<UInt32>) -> Words {
        unsafe block.withMemoryRebound(to: UInt8.self, capacity: Self.blockCount) { block in
            unsafe SHA256_Transform(&context, block)
        }
        return context.h
    }

    /// Overwrites the state, which cannot be used any more. Once more does no harm.
    package mutating func wipe() { unsafe OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size) }

    typealias Words = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)
}
