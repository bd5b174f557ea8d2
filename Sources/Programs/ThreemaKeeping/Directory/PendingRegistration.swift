internal import Encodings
internal import Keystore
internal import SecureMemory
package import Threema
internal import ThreemaDirectory
internal import ThreemaRecords

// A key that is being registered, sealed in the keystore as a pending record whose name is the public key, 64
// hexadecimal digits:
//
//   offset  length  meaning
//        0      32  client key
//       32          the directory, as `DirectoryServer.encoded` writes it

struct PendingRegistration: ~Copyable {
    let key: ClientKey
    let server: DirectoryServer

    init(_ key: consuming ClientKey, at server: DirectoryServer) {
        self.key = key
        self.server = server
    }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding content: borrowing SecureBytes) {
        guard content.count > ClientKey.count else { return nil }
        let server = content.withBytes { bytes in
            try? DirectoryServer(decoding: bytes.extracting(ClientKey.count..<bytes.count))
        }
        guard let server else { return nil }
        self.server = server
        key = ClientKey(content.withBytes { SecureBytes(copying: $0.extracting(0..<ClientKey.count)) })
    }

    func encoded() -> SecureBytes {
        let server = server.encoded
        var content = SecureBuffer(capacity: ClientKey.count + server.count)
        content.append(key.bytes)
        content.append(server.span)
        return content.finish()
    }
}

extension Owner {
    /// The name of the pending record of a key.
    static func pending(_ key: PublicKey) -> Owner { Owner(messenger: threema, id: key.hex)! }
}

extension OpenKeystore {
    /// - Throws: `KeystoreError.noIdentity` if there is none, `.damaged`; `FileError`.
    func pendingRegistration(of key: PublicKey) throws -> PendingRegistration {
        let name = Owner.pending(key)
        guard let registration = PendingRegistration(decoding: try pending(name)) else {
            throw KeystoreError.damaged(record: "pending", owner: name)
        }
        return registration
    }
}

extension IdentityKeeper {
    /// The public keys that wait for their registration, in order of their digits. Nothing is decrypted.
    package func pendingKeys() throws -> [PublicKey] {
        try keystore.pendings(of: Owner.threema).compactMap { name in
            Hex.decode(name.id).flatMap { bytes in
                Hex.encode(bytes) == name.id ? PublicKey(bytes) : nil
            }
        }
    }

    /// How many of the pending keys are damaged. Each one is decrypted.
    package func damagedPendingKeys() throws -> Int {
        var count = 0
        for key in try pendingKeys() {
            do {
                let registration = try keystore.pendingRegistration(of: key)
                if registration.key.publicKey != key { count += 1 }
            } catch KeystoreError.damaged {
                count += 1
            } catch KeystoreError.noIdentity {
                // Another process has finished it.
            }
        }
        return count
    }

    /// Removes the private key of a registration that is not finished. If the directory has registered it, its ID is
    /// lost.
    /// - Throws: `DirectoryKeepingError.noPending`; `FileError.locked` if another process is registering the key.
    package func removePending(_ key: PublicKey) throws {
        do {
            try keystore.removePending(keystore.lockedPending(.pending(key), wait: DirectoryKeeper.rememberWait))
        } catch KeystoreError.noIdentity {
            throw DirectoryKeepingError.noPending(key)
        }
    }
}
