internal import CSodium
internal import SecureMemory

/// `SecretBox` piece by piece, for messages that do not fit into memory. Ciphertext and tag are those of `SecretBox`.
///
/// The tag is known only after the last piece, but is before the ciphertext: a writer leaves 16 bytes free and fills
/// them in at the end.
///
/// NaCl's layout: key and first 16 bytes of the nonce give a subkey. The first 32 bytes of its keystream are the key
/// of Poly1305, and the message is XORed with the keystream from byte 32. Poly1305 covers the ciphertext.
@safe
package struct SecretBoxStream: ~Copyable {
    private static let blockCount = 64
    /// Keystream bytes before those of the message.
    private static let prefixCount = 32

    private let key: SecureBytes
    private let nonce: [UInt8]
    private let authenticator: UnsafeMutablePointer<crypto_onetimeauth_poly1305_state>
    /// One block of keystream. It is behind the authenticator's state, because allocating guarded memory for each piece
    /// takes longer than encrypting one.
    private let block: UnsafeMutablePointer<UInt8>
    /// Number of processed message bytes.
    private var offset: UInt64 = 0

    /// - Parameters:
    ///   - nonce: 24 bytes, never used twice with one key.
    ///   - key: 32 bytes; copied.
    package init(nonce: [UInt8], key: Span<UInt8>) {
        precondition(nonce.count == SecretBox.nonceCount && key.count == SecretBox.keyCount)
        Sodium.start()
        defer { SpentStack.wipe() }
        // Guarded memory, because the state begins with the key of Poly1305. Allocations end at a page's end, and the
        // lengths of state and block are multiples of the state's alignment, so the state is aligned.
        let stateCount = crypto_onetimeauth_statebytes()
        let count = stateCount + Self.blockCount
        guard let memory = unsafe sodium_malloc(count) else { MemoryShortage.end(count) }
        unsafe authenticator = memory.bindMemory(to: crypto_onetimeauth_poly1305_state.self, capacity: 1)
        unsafe block = (memory + stateCount).bindMemory(to: UInt8.self, capacity: Self.blockCount)
        self.nonce = nonce
        self.key = SecureBytes(copying: key)
        fillBlock(0)
        _ = unsafe crypto_onetimeauth_init(authenticator, block)
    }

    deinit {
        unsafe sodium_free(authenticator)
    }

    /// Encrypts the next piece in place, and adds it to the tag.
    package mutating func seal(_ piece: inout MutableSpan<UInt8>) {
        apply(to: &piece)
        authenticate(piece.span)
    }

    /// Decrypts the next piece in place, and adds it to the tag. The plaintext is not authentic before `check` has
    /// returned, so do not use it until then.
    package mutating func open(_ piece: inout MutableSpan<UInt8>) {
        authenticate(piece.span)
        apply(to: &piece)
    }

    /// Adds a piece of ciphertext to the tag without decrypting it.
    package mutating func authenticate(_ piece: Span<UInt8>) {
        _ = unsafe piece.withUnsafeBufferPointer { piece in
            unsafe crypto_onetimeauth_update(authenticator, piece.baseAddress, UInt64(piece.count))
        }
    }

    /// - Returns: the tag, 16 bytes.
    package consuming func finish() -> [UInt8] {
        defer { SpentStack.wipe() }
        var tag = [UInt8](repeating: 0, count: SecretBox.tagCount)
        _ = unsafe crypto_onetimeauth_final(authenticator, &tag)
        return tag
    }

    /// Compares the tag, in constant time.
    /// - Parameter tag: 16 bytes.
    /// - Throws: `.notAuthentic` if the pieces were not sealed with this key, nonce and tag.
    package consuming func check(_ tag: Span<UInt8>) throws(AuthenticationError) {
        let expected = finish()
        guard ConstantTime.areEqual(expected.span, tag) else { throw .notAuthentic }
    }

    /// XORs a piece with the keystream at `offset`, and advances `offset`.
    private mutating func apply(to piece: inout MutableSpan<UInt8>) {
        defer { SpentStack.wipe() }
        var done = 0
        // Up to the end of the block in which the piece begins.
        let position = offset + UInt64(Self.prefixCount)
        let inBlock = Int(position % UInt64(Self.blockCount))
        if inBlock > 0 {
            done = min(piece.count, Self.blockCount - inBlock)
            fillBlock(position / UInt64(Self.blockCount))
            for index in 0..<done { unsafe piece[index] ^= block[inBlock + index] }
        }
        if done < piece.count {
            let counter = (position + UInt64(done)) / UInt64(Self.blockCount)
            key.withBytes { key in
                _ = unsafe piece.withUnsafeMutableBufferPointer { piece in
                    unsafe key.withUnsafeBufferPointer { key in
                        let rest = unsafe piece.baseAddress! + done
                        return unsafe crypto_stream_xsalsa20_xor_ic(
                            rest, rest, UInt64(piece.count - done), nonce, counter, key.baseAddress!)
                    }
                }
            }
        }
        offset += UInt64(piece.count)
    }

    /// Writes one block of the keystream to `block`.
    private func fillBlock(_ number: UInt64) {
        unsafe block.update(repeating: 0, count: Self.blockCount)
        key.withBytes { key in
            _ = unsafe key.withUnsafeBufferPointer { key in
                unsafe crypto_stream_xsalsa20_xor_ic(
                    block, block, UInt64(Self.blockCount), nonce, number, key.baseAddress!)
            }
        }
    }
}
