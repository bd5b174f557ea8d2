internal import AtomicFiles
package import SecureMemory

// Secrets of owners in the kernel's keyring, beside the master key. The name of such a key is `keytool:` and half of
// SHA-256 over the file `keystore` and the owner, so it tells neither the keystore nor the owner.

extension LockedKeystore {
    /// Longest secret of an owner in the keyring, in bytes.
    package static let maxKeptBytes = 64

    /// Removes the secret of an owner from the keyring. The keystore stays locked.
    /// - Returns: whether the keyring had it.
    /// - Throws: `KernelKeyringError`; `FileError`.
    package func forgetSecret(of owner: Owner) throws -> Bool { try KernelKeyring.remove(try keyringName(of: owner)) }

    /// The same, but a process that holds the lock of the identity cannot store the secret again: it is waited for.
    /// - Returns: whether the keyring had it. The keystore need not hold the identity any more.
    /// - Throws: `KernelKeyringError`; `FileError`, for example `.locked` after `wait`. The secret was removed then, but
    ///   may have been stored again.
    package func forgetSecret(of owner: Owner, wait: Duration) throws -> Bool {
        let wasThere = try forgetSecret(of: owner)
        guard let identities = try directory.directoryIfPresent(Self.identitiesName),
            let messenger = try identities.directoryIfPresent(owner.messenger),
            let home = try messenger.directoryIfPresent(owner.id)
        else { return wasThere }
        let lock = try home.lockCreating(Self.lockName, orForReadingWithin: wait)
        let wasStoredAgain = try forgetSecret(of: owner)
        _ = consume lock
        return wasThere || wasStoredAgain
    }

    /// The name of an owner's secret in the keyring.
    func keyringName(of owner: Owner) throws(FileError) -> String {
        let record = try record()
        var named = SecureBuffer(capacity: record.count + 128)
        named.append(record)
        for byte in Owner.lengthPrefixed([owner.messenger, owner.id]) { named.append(byte) }
        return named.withBytes { Self.keyringName($0) }
    }
}

extension OpenKeystore {
    /// Stores a secret of an owner in the keyring, and replaces an earlier one.
    /// - Parameters:
    ///   - secret: 1 to 64 bytes.
    ///   - seconds: the kernel removes it after this time.
    /// - Throws: `KernelKeyringError`; `FileError`.
    package func keep(_ secret: borrowing SecureBytes, of owner: Owner, seconds: UInt32) throws {
        precondition((1...LockedKeystore.maxKeptBytes).contains(secret.count) && seconds > 0)
        try KernelKeyring.keep(secret, as: try locked.keyringName(of: owner), seconds: seconds)
    }

    /// The secret of an owner in the keyring. Any process of this account may have put it there.
    /// - Returns: nil if it is missing, has expired, is longer than 64 bytes, or cannot be read.
    package func keptSecret(of owner: Owner) -> SecureBytes? {
        guard let name = try? locked.keyringName(of: owner) else { return nil }
        return KernelKeyring.find(name)
    }

    /// As `LockedKeystore.forgetSecret`.
    package func forgetSecret(of owner: Owner) throws -> Bool { try locked.forgetSecret(of: owner) }
}
