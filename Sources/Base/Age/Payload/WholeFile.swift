public import AtomicFiles
package import SecureMemory

extension AgeReader {
    /// Writes the content to a file, whole or not at all. It has its name only after the end is authenticated; nothing
    /// remains of a file that is damaged or cut off.
    /// - Parameter name: a name in `directory`. The file has mode 0600.
    /// - Throws: as `next`, or `FileError`.
    public consuming func write(
        to name: String, in directory: borrowing Directory, existing: Directory.Existing = .refuse
    ) throws {
        var reader = self
        try directory.write(name, existing: existing) { file in
            var hasMore = true
            while hasMore { hasMore = try reader.next { try file.write($0) } }
        }
    }
}

// A file that is written piece by piece and then opened again: the caller holds its file key, because a second
// derivation from the passphrase would tell no more about what was written.

extension AgeFile {
    /// Begins to read the content of a file that was written with a key.
    /// - Throws: `.headerChanged` for a file of another key; else as `open`.
    package consuming func open(writtenWith key: borrowing AgeFileKey) throws -> AgeReader {
        try header.authenticate(with: key)
        return try open(key.copy())
    }
}

extension AgeWriter {
    /// As `init(passphrase:…)`, with a file key of the caller.
    package init(
        passphrase: borrowing SecureBytes, fileKey: borrowing AgeFileKey, write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        try self.init(
            passphrase: passphrase, workFactor: Self.workFactor, salt: Random.bytes(ScryptStanza.saltCount),
            fileKey: fileKey.copy(), nonce: Random.bytes(PayloadCipher.nonceCount), ByteSink(write, isArmored: false))
    }

    /// As `init(to:…)`, with a file key of the caller.
    package init(
        to recipients: [AgeRecipient], fileKey: borrowing AgeFileKey, write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        try self.init(
            to: recipients, ephemerals: { _ in AgeIdentity.randomSecret() }, fileKey: fileKey.copy(),
            nonce: Random.bytes(PayloadCipher.nonceCount), ByteSink(write, isArmored: false))
    }
}

extension AgeWriter {
    /// Encrypts something small under a passphrase, as `init(passphrase:…)` does, and opens the result again.
    /// - Returns: the whole file.
    /// - Throws: as `init(passphrase:…)`; `.notReproduced`.
    package static func seal(
        _ content: borrowing SecureBytes, passphrase: borrowing SecureBytes, workFactor: Int = AgeWriter.workFactor
    ) throws -> [UInt8] {
        try seal(content) { key, sink in
            try AgeWriter(
                passphrase: passphrase, workFactor: workFactor, salt: Random.bytes(ScryptStanza.saltCount),
                fileKey: key, nonce: Random.bytes(PayloadCipher.nonceCount), sink)
        }
    }

    /// Encrypts something small for any of the recipients, as `init(to:…)` does, and opens the result again.
    /// - Returns: the whole file.
    /// - Throws: as `init(to:…)`; `.notReproduced`.
    package static func seal(_ content: borrowing SecureBytes, to recipients: [AgeRecipient]) throws -> [UInt8] {
        try seal(content) { key, sink in
            try AgeWriter(
                to: recipients, ephemerals: { _ in AgeIdentity.randomSecret() }, fileKey: key,
                nonce: Random.bytes(PayloadCipher.nonceCount), sink)
        }
    }

    /// - Parameter begin: makes the writer with this file key.
    private static func seal(
        _ content: borrowing SecureBytes,
        _ begin: (consuming AgeFileKey, ByteSink) throws -> AgeWriter
    ) throws -> [UInt8] {
        let key = AgeFileKey.random()
        let file = WrittenBytes()
        var writer = try begin(key.copy(), ByteSink({ file.append($0) }, isArmored: false))
        try content.withBytes { try writer.write($0) }
        try writer.finish()
        // The file key opens it: a second derivation from the passphrase would tell no more about what was written.
        let written = try AgeFile(file.bytes, .binary)
        try written.header.authenticate(with: key)
        let opened = try written.open(key).readAll(limit: content.count)
        let isSame = opened.withBytes { opened in content.withBytes { ConstantTime.areEqual(opened, $0) } }
        guard isSame else { throw AgeError.notReproduced }
        return file.bytes
    }
}

/// The bytes of a file while it is written.
private final class WrittenBytes {
    private(set) var bytes: [UInt8] = []

    func append(_ piece: Span<UInt8>) { bytes.append(contentsOf: piece.revealBytes()) }
}
