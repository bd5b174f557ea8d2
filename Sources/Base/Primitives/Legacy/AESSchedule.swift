internal import COpenSSL
internal import SecureMemory

/// AES's expanded key in guarded memory, for OpenSSL's functions that take it: EVP's would load the providers.
///
/// These functions use tables, whose look-ups may leave traces in the processor's cache.
struct AESSchedule: ~Copyable {
    /// Length of a block in bytes.
    static let blockCount = 16
    /// Lengths of a key in bytes.
    static let keyCounts = [16, 24, 32]

    private let bytes: SecureBytes

    /// - Parameter key: 16, 24 or 32 bytes.
    init(_ key: borrowing SecureBytes, isForEncryption: Bool) {
        precondition(Self.keyCounts.contains(key.count))
        defer { SpentStack.wipe() }
        bytes = key.withBytes { key in
            SecureBytes(count: MemoryLayout<AES_KEY>.size) { schedule in
                unsafe schedule.withUnsafeMutableBytes { schedule in
                    let schedule = unsafe schedule.baseAddress!.assumingMemoryBound(to: AES_KEY.self)
                    unsafe key.withUnsafeBufferPointer { key in
                        let bits = Int32(8 * key.count)
                        if isForEncryption {
                            _ = unsafe AES_set_encrypt_key(key.baseAddress!, bits, schedule)
                        } else {
                            _ = unsafe AES_set_decrypt_key(key.baseAddress!, bits, schedule)
                        }
                    }
                }
            }
        }
    }

    typealias Mode = (
        UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int, UnsafePointer<AES_KEY>, UnsafeMutablePointer<UInt8>
    ) -> Void

    /// Runs a mode of operation over whole blocks.
    /// - Parameters:
    ///   - iv: the function changes a copy of it.
    ///   - mode: input, output, length, key, iv.
    borrowing func apply(
        to input: Span<UInt8>, into output: inout MutableSpan<UInt8>, iv: Span<UInt8>, _ mode: Mode
    ) {
        precondition(input.count.isMultiple(of: Self.blockCount))
        unsafe applyStream(to: input, into: &output, iv: iv, mode)
    }

    /// Runs a mode of operation over any number of bytes, which the mode has to allow.
    borrowing func applyStream(
        to input: Span<UInt8>, into output: inout MutableSpan<UInt8>, iv: Span<UInt8>, _ mode: Mode
    ) {
        precondition(output.count == input.count)
        defer { SpentStack.wipe() }
        guard !input.isEmpty else { return }
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: iv.count) { copy in
            for index in iv.indices { unsafe copy[index] = iv[index] }
            unsafe input.withUnsafeBufferPointer { input in
                unsafe output.withUnsafeMutableBufferPointer { output in
                    bytes.withBytes { schedule in
                        unsafe schedule.withUnsafeBytes { schedule in
                            let key = unsafe schedule.baseAddress!.assumingMemoryBound(to: AES_KEY.self)
                            unsafe mode(
                                input.baseAddress!, output.baseAddress!, input.count, key, copy.baseAddress!)
                        }
                    }
                }
            }
            unsafe OPENSSL_cleanse(copy.baseAddress, copy.count)
        }
    }
}
