internal import Encodings
internal import Keystore
internal import SecureMemory
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords
internal import ThreemaSafe

// The record `linking` is there while a phone number waits for its code. JSON:
//
//   verification   names the request, as the directory wrote it
//   number         the digits of the phone number
//   directory      the directory, which alone gets the code: the name of its provisioning file, or its address

extension RecordName {
    static let linking: RecordName = "linking"
}

extension DirectoryKeeper {
    /// What the directory stores of an identity for its owner alone, among others the linked addresses. Those that it
    /// shows in full are noted in the profile.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func ownEntry(of id: ThreemaID, at server: DirectoryServer) throws -> OwnEntry {
        let entry = try ask(.fetchOwn(id), as: id, at: server)
        // A directory may show asterisks, which an e-mail address can have.
        let email = entry.email.flatMap { $0.text.contains("*") ? nil : try? EmailAddress(normalizing: $0.text) }
        let number = entry.mobileNumber.flatMap { try? PhoneNumber(digits: $0.text.replacing("+", with: "")) }
        note(of: id) { document in
            let document = email.map { document.settingLink(.email, to: $0.text) } ?? document
            return number.map { document.settingLink(.mobile, to: $0.digits) } ?? document
        }
        return entry
    }

    /// Changes the links in the profile, if they are others. A failure is reported to `unstored`, because the directory has
    /// done its part.
    private func note(of id: ThreemaID, _ change: (SafeDocument) -> SafeDocument) {
        store(.link) {
            let document = try keystore.identity(.threema(id)).profile().document
            guard change(document) != document else { return }
            try keystore.lockedIdentity(.threema(id), wait: Self.rememberWait).edit(change)
        }
    }

    /// Asks the directory to link an e-mail address. It sends an e-mail, and links the address once the link in it is
    /// followed.
    /// - Parameter language: of the e-mail, two letters.
    /// - Returns: `.mailSent` or `.alreadyLinked`.
    package func link(
        _ email: EmailAddress, to id: ThreemaID, language: String, at server: DirectoryServer
    ) throws -> LinkResult {
        let result = try ask(.link(email, to: id, language: language), as: id, at: server)
        if result == .alreadyLinked { note(of: id) { $0.settingLink(.email, to: email.text) } }
        return result
    }

    /// Asks the directory to link a phone number. It sends a text message with a code, for which `linking` is
    /// remembered. The identity is locked before anything is sent.
    /// - Parameter language: of the text message, two letters.
    /// - Returns: `.codeSent` or `.alreadyLinked`.
    /// - Throws: `DirectoryKeepingError.failed`, `.requestNotStored`; `KeystoreError`; `FileError`.
    package func link(
        _ number: PhoneNumber, to id: ThreemaID, language: String, at server: DirectoryServer
    ) throws -> LinkResult {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let result = try ask(.link(number, to: id, language: language), as: held, at: server)
        guard case .codeSent(let verification) = result else {
            store(.link) { try held.edit { $0.settingLink(.mobile, to: number.digits) } }
            return result
        }
        do {
            try held.write(Linking(verification: verification, number: number, directory: server.onPrem ?? server.url))
        } catch {
            throw DirectoryKeepingError.requestNotStored(id: id, error)
        }
        return result
    }

    /// Links the phone number that waits, with the code from the text message. The identity is locked before anything
    /// is sent.
    /// - Returns: the phone number.
    /// - Throws: `DirectoryKeepingError.noLinking`, `.otherDirectory`, `.failed`; `KeystoreError`; `FileError`.
    package func verify(code: String, of id: ThreemaID, at server: DirectoryServer) throws -> PhoneNumber {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let linking = try held.records.linking(of: id, at: server)
        try ask(.verify(linking.verification, code: code), at: server)
        store(.link) { try held.edit { $0.settingLink(.mobile, to: linking.number.digits) } }
        store(.linkedNumber) { try held.remove(.linking) }
        return linking.number
    }

    /// Has the directory call the phone number that waits, and say the code.
    /// - Returns: the phone number.
    /// - Throws: `DirectoryKeepingError.noLinking`, `.otherDirectory`, `.failed`; `KeystoreError`.
    package func call(of id: ThreemaID, at server: DirectoryServer) throws -> PhoneNumber {
        let linking = try keystore.identity(.threema(id)).linking(of: id, at: server)
        try ask(.call(linking.verification), at: server)
        return linking.number
    }

    /// What was linked before its link was removed.
    package struct Unlinked: Sendable {
        /// The address, as the directory shows it; nil if none was linked.
        package let address: ServerWords?
        /// The phone number that waited for its code, and does no longer.
        package let waiting: PhoneNumber?
    }

    /// Removes the link to the e-mail address.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func unlinkEmail(of id: ThreemaID, language: String, at server: DirectoryServer) throws -> Unlinked {
        let entry = try ask(.fetchOwn(id), as: id, at: server)
        _ = try ask(.unlinkEmail(of: id, language: language), as: id, at: server)
        note(of: id) { $0.settingLink(.email, to: nil) }
        return Unlinked(address: entry.email, waiting: nil)
    }

    /// Removes the link to the phone number, and forgets one that waits for its code. The identity is locked before
    /// anything is sent.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`; `FileError`.
    package func unlinkMobile(of id: ThreemaID, language: String, at server: DirectoryServer) throws -> Unlinked {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let entry = try ask(.fetchOwn(id), as: held, at: server)
        _ = try ask(.unlinkMobile(of: id, language: language), as: held, at: server)
        store(.link) { try held.edit { $0.settingLink(.mobile, to: nil) } }
        // A damaged record is removed, too.
        let waiting = try? held.records.linking()?.number
        store(.linkedNumber) { try held.remove(.linking) }
        return Unlinked(address: entry.mobileNumber, waiting: waiting)
    }

    /// The phone number that waits for its code; nil if none does.
    /// - Throws: `KeystoreError.damaged`.
    package func linkingNumber(of id: ThreemaID) throws -> PhoneNumber? {
        try keystore.identity(.threema(id)).linking()?.number
    }
}

/// A phone number that waits for its code.
struct Linking {
    let verification: VerificationID
    let number: PhoneNumber
    /// The directory that sends the code: the name of its provisioning file, whose address may change, or its address.
    let directory: String
}

extension LockedIdentity {
    fileprivate func write(_ linking: Linking) throws {
        let record = JSONValue.object([
            .init("verification", .string(linking.verification.text)), .init("number", .string(linking.number.digits)),
            .init("directory", .string(linking.directory)),
        ])
        try write(.linking, record.encoded.span)
    }
}

extension IdentityRecords {
    /// The phone number that waits for a code of this directory.
    /// - Throws: `DirectoryKeepingError.noLinking`, `.otherDirectory`; `KeystoreError.damaged`.
    fileprivate func linking(of id: ThreemaID, at server: DirectoryServer) throws -> Linking {
        guard let linking = try linking() else { throw DirectoryKeepingError.noLinking(id: id) }
        guard [server.onPrem, server.url].contains(linking.directory) else {
            throw DirectoryKeepingError.otherDirectory(id: id, linking.directory)
        }
        return linking
    }

    /// - Returns: nil if no phone number waits for its code.
    /// - Throws: `KeystoreError.damaged`.
    func linking() throws -> Linking? {
        guard let record = try read(.linking) else { return nil }
        let value = record.withBytes { try? JSONScanner.parse($0, limits: .init(depth: 2, values: 8)) }
        guard let verification = value?["verification"]?.string.flatMap(VerificationID.init),
            let number = value?["number"]?.string.flatMap({ try? PhoneNumber(digits: $0) }),
            let directory = value?["directory"]?.string
        else { throw KeystoreError.damaged(record: "linking", owner: owner) }
        return Linking(verification: verification, number: number, directory: directory)
    }
}
