package import Threema
internal import ThreemaDirectory
internal import ThreemaSafe

/// What the states and keys at a directory mean for the contacts of an identity. It decides, and asks and stores nothing.
package struct ContactFindings: Equatable, Sendable {
    /// What is to be known of one identity.
    package enum Kind: Equatable, Sendable {
        /// It was revoked, or never existed.
        case revoked(isAcknowledged: Bool)
        /// The directory has another key, or none that can be used (nil).
        case otherKey(held: PublicKey, directory: PublicKey?)
        /// It was not used for a long time.
        case inactive
        /// It is in use, and has the key that is held, if one is.
        case sound
    }

    /// One identity.
    package struct Finding: Equatable, Sendable {
        package let id: ThreemaID
        /// Whether it is the identity itself, and not a contact.
        package let isOwn: Bool
        package let kind: Kind
    }

    /// What a command has to say of all of them, the worst first.
    package enum Result: Equatable, Sendable {
        /// A key differs, or the identity itself was revoked: of these.
        case alarm([Finding])
        /// These contacts were revoked, and nobody has acknowledged it.
        case revoked([ThreemaID])
        case fine
    }

    /// Of the identities that a directory was asked for: the identity itself, then its contacts in their order, each
    /// once.
    package let findings: [Finding]

    /// - Parameters:
    ///   - key: the identity's public key.
    ///   - contacts: those of its profile. A document that no app wrote may hold a contact several times: another key in
    ///     any entry is another key. Contacts whose ID is none are left out.
    init(_ states: ContactStates, of id: ThreemaID, _ key: PublicKey, _ contacts: [SafeContact]) {
        var keys: [ThreemaID: [PublicKey]] = [:]
        var order: [ThreemaID] = []
        for contact in contacts {
            guard let contactID = contact.id, contactID != id else { continue }
            if keys[contactID] == nil { order.append(contactID) }
            keys[contactID, default: []] += contact.publicKey.map { [$0] } ?? []
        }
        findings =
            (states[id].map { [Finding(id: id, isOwn: true, kind: Self.kind($0, [key]))] } ?? [])
            + order.compactMap { contact in
                states[contact].map { Finding(id: contact, isOwn: false, kind: Self.kind($0, keys[contact] ?? [])) }
            }
    }

    private init(_ findings: [Finding]) { self.findings = findings }

    private static func kind(_ entry: ContactStates.Entry, _ held: [PublicKey]) -> Kind {
        if entry.state == .invalid { return .revoked(isAcknowledged: entry.isAcknowledged) }
        if let other = held.first(where: { $0 != entry.publicKey }) {
            return .otherKey(held: other, directory: entry.publicKey)
        }
        return entry.state == .inactive ? .inactive : .sound
    }

    /// The findings about the identity itself and these contacts; all of them for nil.
    package func about(_ contacts: Set<ThreemaID>?) -> ContactFindings {
        guard let contacts else { return self }
        return ContactFindings(findings.filter { $0.isOwn || contacts.contains($0.id) })
    }

    package var result: Result {
        let alarms = findings.filter { finding in
            switch finding.kind {
            case .otherKey: true
            case .revoked: finding.isOwn
            case .inactive, .sound: false
            }
        }
        guard alarms.isEmpty else { return .alarm(alarms) }
        let revoked = findings.filter { $0.kind == .revoked(isAcknowledged: false) }.map(\.id)
        return revoked.isEmpty ? .fine : .revoked(revoked)
    }

    /// The findings that were others before, or that are new and not sound. Who became inactive or active again is not
    /// among them: that means nothing for the user.
    package func changes(since earlier: ContactFindings) -> [Finding] {
        var before: [ThreemaID: Kind] = [:]
        for finding in earlier.findings { before[finding.id] = finding.kind }
        return findings.filter { Self.weight($0.kind) != before[$0.id].map(Self.weight) ?? .sound }
    }

    /// Inactive counts as sound.
    private static func weight(_ kind: Kind) -> Kind { kind == .inactive ? .sound : kind }

    /// How many findings fulfil a condition.
    package func count(where isCounted: (Finding) -> Bool) -> Int { findings.count(where: isCounted) }
}
