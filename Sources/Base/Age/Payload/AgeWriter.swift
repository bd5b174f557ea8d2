internal import Primitives
public import SecureMemory

/// Encrypts a file, chunk by chunk, in constant memory. A file that is not finished does not open to its end.
public struct AgeWriter: ~Copyable {
    /// Most recipients of a file.
    public static let maxRecipients = HeaderReader.maxStanzas
    /// The work factor that age writes, and the default: 256 MiB of memory and about a second for each guess.
    public static let workFactor = 18

    private let sink: ByteSink
    private var cipher: PayloadCipher
    private var content = SecureBuffer(capacity: PayloadCipher.chunkCount)
    private var sealed = [UInt8](repeating: 0, count: PayloadCipher.sealedCount)

    /// Begins a file that any of the recipients can open, and writes its header.
    /// - Parameters:
    ///   - recipients: 1 to 1000. The file has their number, but not their keys.
    ///   - isArmored: write Base64 text instead of bytes.
    ///   - write: takes the bytes of the file, in pieces of at most 65,552 bytes (88,790 if armored). The first piece,
    ///     with the header, is longer with more than 668 recipients: up to 98,086 bytes (132,830 if armored).
    /// - Throws: `.recipients`, or what `write` throws.
    public init(
        to recipients: [AgeRecipient], isArmored: Bool = false, write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        try self.init(
            to: recipients, ephemerals: { _ in AgeIdentity.randomSecret() }, fileKey: .random(),
            nonce: Random.bytes(PayloadCipher.nonceCount), ByteSink(write, isArmored: isArmored))
    }

    /// Begins a file under a passphrase, and writes its header.
    /// - Parameters:
    ///   - passphrase: at least one byte. Keyboards and systems may spell the same characters differently (Unicode
    ///     normalisation); the bytes count.
    ///   - workFactor: 1 to 22, the binary logarithm of scrypt's N: 2^workFactor KiB of memory.
    ///   - isArmored: write Base64 text instead of bytes.
    ///   - write: takes the bytes of the file, in pieces of at most 65,552 bytes (88,790 if armored).
    /// - Throws: `.emptyPassphrase`, `.derivation`, or what `write` throws.
    public init(
        passphrase: borrowing SecureBytes, workFactor: Int = AgeWriter.workFactor, isArmored: Bool = false,
        write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        try self.init(
            passphrase: passphrase, workFactor: workFactor, salt: Random.bytes(ScryptStanza.saltCount),
            fileKey: .random(), nonce: Random.bytes(PayloadCipher.nonceCount), ByteSink(write, isArmored: isArmored))
    }

    /// The same with given secrets.
    /// - Parameter ephemerals: the ephemeral secret for the recipient of this number, 32 bytes.
    init(
        to recipients: [AgeRecipient], ephemerals: (Int) -> SecureBytes, fileKey: consuming AgeFileKey,
        nonce: [UInt8], _ sink: ByteSink
    ) throws {
        guard (1...Self.maxRecipients).contains(recipients.count) else {
            throw AgeError.recipients(count: recipients.count, limit: Self.maxRecipients)
        }
        var stanzas: [Stanza] = []
        for (number, recipient) in recipients.enumerated() {
            stanzas.append(X25519Stanza.wrap(fileKey, for: recipient, ephemeral: ephemerals(number)))
        }
        try self.init(stanzas, fileKey, nonce, sink)
    }

    /// The same with given salt and file key.
    init(
        passphrase: borrowing SecureBytes, workFactor: Int, salt: [UInt8], fileKey: consuming AgeFileKey,
        nonce: [UInt8], _ sink: ByteSink
    ) throws {
        precondition((1...AgeFile.greatestWorkFactor).contains(workFactor))
        let stanza = try ScryptStanza.wrap(fileKey, passphrase: passphrase, salt: salt, workFactor: workFactor)
        try self.init([stanza], fileKey, nonce, sink)
    }

    private init(
        _ stanzas: [Stanza], _ fileKey: borrowing AgeFileKey, _ nonce: [UInt8], _ sink: ByteSink
    ) throws {
        self.init(PayloadCipher(fileKey, nonce: nonce), sink)
        let start = AgeHeader(stanzas, fileKey).encoded + nonce
        try sink.write(start.span)
    }

    /// Begins the content behind a header that was written.
    init(_ cipher: consuming PayloadCipher, _ sink: ByteSink) {
        self.cipher = cipher
        self.sink = sink
    }

    /// Encrypts more of the content.
    /// - Parameter bytes: any length. They are copied to guarded memory until a chunk is full.
    /// - Throws: what `write` throws. The file is then damaged: begin another one.
    public mutating func write(_ bytes: Span<UInt8>) throws {
        var done = 0
        while done < bytes.count {
            // A full chunk is written only when it is known not to be the last one.
            if content.isFull { try sealContent(isLast: false) }
            let count = min(bytes.count - done, PayloadCipher.chunkCount - content.count)
            content.append(bytes.extracting(done..<done + count))
            done += count
        }
    }

    /// Encrypts the last chunk. Without it, no reader takes the file for complete.
    /// - Throws: what `write` throws.
    public consuming func finish() throws {
        try sealContent(isLast: true)
        try sink.finish()
    }

    private mutating func sealContent(isLast: Bool) throws {
        let count = content.count + PayloadCipher.tagCount
        // Taken out for a while, because the cipher cannot be used while a part of `self` is lent.
        var buffer: [UInt8] = []
        swap(&buffer, &sealed)
        defer { swap(&buffer, &sealed) }
        var bytes = buffer.mutableSpan
        bytes.withPart(0..<count) { sealed in
            content.withBytes { cipher.seal($0, isLast: isLast, into: &sealed) }
        }
        content.removeAll()
        try sink.write(buffer.span.extracting(first: count))
    }
}
