internal import Keystore
package import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// The public keys in a keystore: those of its identities, and of the contacts in their profiles. An answer of a
/// directory is compared with them.
package struct KnownKeys: Sendable {
    fileprivate let own: [ThreemaID: PublicKey]
    fileprivate let contacts: [ThreemaID: [PublicKey]]

    /// What a comparison has found.
    package enum Comparison: Equatable, Sendable {
        /// The keystore has no key of this ID.
        case unknown
        case same
        /// The keystore holds the identity, with this key.
        case otherOwnKey(PublicKey)
        /// The identity is a contact, with this key.
        case otherContactKey(PublicKey)
    }

    /// - Parameter key: the key according to the directory; nil if it gives no usable one.
    package func compare(_ id: ThreemaID, _ key: PublicKey?) -> Comparison {
        if let held = own[id] { return held == key ? .same : .otherOwnKey(held) }
        guard let held = contacts[id] else { return .unknown }
        // Another one in any entry is a mismatch.
        return held.first { $0 != key }.map { .otherContactKey($0) } ?? .same
    }
}

extension ThreemaKeeper {
    /// - Returns: the keys of the identities and contacts in the keystore. Damaged identities are skipped.
    package func knownKeys() throws -> KnownKeys {
        var own: [ThreemaID: PublicKey] = [:]
        var contacts: [ThreemaID: [PublicKey]] = [:]
        for id in try keystore.threemaIDs() {
            guard let records = try? keystore.identity(.threema(id)) else { continue }
            own[id] = try? records.identity().clientKey.publicKey
            for contact in (try? records.profile().document.contacts) ?? [] {
                guard let id = contact.id, let key = contact.publicKey else { continue }
                contacts[id, default: []].append(key)
            }
        }
        return KnownKeys(own: own, contacts: contacts)
    }
}
