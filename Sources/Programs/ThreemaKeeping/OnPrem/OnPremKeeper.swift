package import Encodings
package import HTTP
package import Keystore
internal import SecureMemory
package import ThreemaDirectory
package import ThreemaRecords

/// Operations on the provisioning files in a keystore. `OnPremFile` has their records.
package struct OnPremKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp

    package init(keystore: OpenKeystore, now: @escaping @Sendable () -> Timestamp) {
        self.keystore = keystore
        self.now = now
    }

    /// A file that may be stored.
    package final class Offer: Sendable {
        let bytes: [UInt8]
        package let file: ProvisioningFile
        let key: [UInt8]
        let source: OnPremSource?
        let login: Login?

        /// Verifies a file.
        /// - Parameters:
        ///   - bytes: the whole file, of any length.
        ///   - key: whom the user trusts: an Ed25519 public key, 32 bytes.
        ///   - source: where it was fetched just now; nil if it was not.
        ///   - login: of the license; nil to leave what is stored.
        /// - Throws: `ProvisioningError`.
        package init(
            _ bytes: [UInt8], signedBy key: [UInt8], from source: OnPremSource?, login: consuming Login?
        ) throws(ProvisioningError) {
            file = try ProvisioningFile(bytes.span, signedBy: key)
            try file.checkServers()
            self.bytes = bytes
            self.key = key
            self.source = source
            self.login = login
        }

        var version: FileSuccession.Version { FileSuccession.Version(file) }
    }

    /// The names of all files, in byte order. Nothing is decrypted.
    package func names() throws -> [OnPremName] { try keystore.identities().compactMap(\.onPrem) }

    /// - Throws: `OnPremError.noFile`; `KeystoreError.damaged`; `FileError`.
    package func file(_ name: OnPremName) throws -> OnPremFile {
        do {
            return try keystore.reading(.onPrem(name), wait: LockedIdentity.usualWait) { try OnPremFile(name, $0) }
        } catch KeystoreError.noIdentity {
            throw OnPremError.noFile(name)
        }
    }

    // MARK: Storing

    /// Stores a file if it is the first one of this name, or newer than the present one. Address and login that the
    /// offer does not have stay as they are, but go if another key signs it: the password is for its company alone.
    /// - Parameters:
    ///   - isReplacing: whether to store it anyway, also instead of damaged records.
    /// - Returns: how the file relates to those before it.
    /// - Throws: `OnPremError.refused`; `KeystoreError.damaged`; `FileError`. Then nothing was changed.
    package func store(
        _ offer: Offer, as name: OnPremName, isReplacing: Bool, wait: Duration = LockedIdentity.usualWait
    ) throws -> FileSuccession.Judgement {
        let first = FileSuccession(key: offer.key, present: offer.version)
        do {
            try keystore.add(.onPrem(name)) { new in
                try write(offer, first, after: nil) { name, content in
                    if let content { try new.write(name, content) }
                }
            }
            return .first
        } catch KeystoreError.exists {
            return try update(offer, name, isReplacing, keystore.lockedIdentity(.onPrem(name), wait: wait))
        }
    }

    private func update(
        _ offer: Offer, _ name: OnPremName, _ isReplacing: Bool, _ held: borrowing LockedIdentity
    ) throws -> FileSuccession.Judgement {
        let present: OnPremFile?
        do {
            present = try OnPremFile(name, held.records)
        } catch KeystoreError.damaged where isReplacing {
            present = nil
        }
        let judgement = FileSuccession.judge(offer.version, signedBy: offer.key, after: present?.succession)
        guard judgement.isProgress || isReplacing else { throw OnPremError.refused(name, judgement) }
        var succession = present?.succession ?? FileSuccession(key: offer.key, present: offer.version)
        succession.replace(by: offer.version, signedBy: offer.key)
        var changes = held.changes()
        write(offer, succession, after: present?.key == offer.key ? present : nil) { name, content in
            if let content { changes.set(name, content) } else { changes.remove(name) }
        }
        try held.commit(changes)
        return judgement
    }

    /// - Parameter write: takes each record; nil for one that goes.
    private func write(
        _ offer: Offer, _ succession: FileSuccession, after present: OnPremFile?,
        by write: (RecordName, Span<UInt8>?) throws -> Void
    ) rethrows {
        let (file, trust) = (offer.bytes, TrustRecord.encoded(succession))
        try write(.file, file.span)
        try write(.trust, trust.span)
        var source = SourceRecord(url: offer.source?.url ?? present?.url, user: present?.user)
        switch offer.login {
        case .some(let login):
            source.user = login.user
            try login.password.withBytes { try write(.password, $0) }
        case .none: if source.user == nil { try write(.password, nil) }
        }
        let (encoded, time) = (source.encoded, now().recordBytes)
        try write(.source, source.url == nil && source.user == nil ? nil : encoded.span)
        try write(.fetched, offer.source == nil ? nil : time.span)
    }
}

/// Why nothing was done with a provisioning file.
package enum OnPremError: Error, Equatable, Sendable {
    /// The keystore has no file of this name; nil if it has none at all.
    case noFile(OnPremName?)
    /// The judgement of the file that was offered.
    case refused(OnPremName, FileSuccession.Judgement)
    /// These identities name it.
    case inUse(OnPremName, [String])
}
