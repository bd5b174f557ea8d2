public import Encodings
internal import Primitives

// What is signed, by the identity's signing key:
//
//   A       signed prekey (32)                                              no time: it never expires
//   B       signed prekey (32) ‖ time, double, little endian (8)
//   C       signing key (32) ‖ signed prekey (32) ‖ time (8)
//   whole   C in signedPreKeySignature, and in bundleSignature:
//           SophaxChat_Bundle_v1 ‖ for each field in the order of `wholeBytes`: 1 if it is there ‖ its length (4) ‖ it
//
//   last-resort key   SophaxChat_LastResort_v1 ‖ key (32)

/// How much of a bundle its signatures cover, from least to most.
public enum SignatureForm: UInt8, Comparable, Sendable, CaseIterable {
    /// The signed prekey only. Such a bundle can be replayed for ever.
    case keyOnly = 1
    /// The signed prekey and the time.
    case keyAndTime
    /// The identity's signing key, too.
    case identityKeyAndTime
    /// All fields: ours.
    case whole

    /// Whether `left` covers less than `right`.
    public static func < (left: SignatureForm, right: SignatureForm) -> Bool { left.rawValue < right.rawValue }
}

/// Why a bundle is refused.
public enum BundleError: Error, Equatable, Sendable {
    /// Not a bundle: JSON, a field, a length, a key without its number.
    case malformed
    /// No form of signature is valid, or the last-resort key's is not.
    case badSignature
    /// The peer has signed more than this before.
    case lowerForm(SignatureForm, pinned: SignatureForm)
    /// The bundle's time is in the future, or an hour ago or more.
    case wrongAge
    /// The keys are not those of the name that was asked for.
    case wrongPeer
    /// The contact has other keys. Stop until the user has confirmed the new ones.
    case identityChanged
}

/// A bundle whose signatures, age and owner were checked.
public struct CheckedBundle: Equatable, Sendable {
    /// The bundle as it was read.
    public let bundle: PrekeyBundle
    /// How much is signed. Store it with the contact, as `pinned` of the next check.
    public let form: SignatureForm
    /// True for form A: the time is not signed, so anybody may have refreshed an old bundle.
    public var ageUnproven: Bool { form == .keyOnly }
}

extension PrekeyBundle {
    /// A bundle is refused at this age.
    public static let maxAge: Duration = .seconds(3600)
    /// The most that clocks may be allowed to differ.
    public static let maxSkew: Duration = .seconds(60)

    private func signedBytes(_ form: SignatureForm) -> [UInt8] {
        switch form {
        case .keyOnly: signedPrekey
        case .keyAndTime: signedPrekey + timestamp.bytes
        case .identityKeyAndTime, .whole: identity.signing + signedPrekey + timestamp.bytes
        }
    }

    private var wholeBytes: [UInt8] {
        func number(_ value: UInt32) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.appendNumber(value)
            return bytes
        }
        let fields: [[UInt8]?] = [
            identity.signing, identity.agreement, signedPrekey, number(signedPrekeyID), prekeySignature,
            oneTime?.publicKey, oneTime.map { number($0.id) }, oneTime?.lastResortSignature, Array(username.utf8),
            timestamp.bytes, address.map { Array($0.utf8) },
        ]
        var bytes = Array("SophaxChat_Bundle_v1".utf8)
        for field in fields {
            bytes.append(field == nil ? 0 : 1)
            bytes.appendLong(field ?? [])
        }
        return bytes
    }

    static func lastResortBytes(_ key: [UInt8]) -> [UInt8] { Array("SophaxChat_LastResort_v1".utf8) + key }

    /// The highest form that is valid.
    private func validForm() -> SignatureForm? {
        func isValid(_ signature: [UInt8], _ bytes: [UInt8]) -> Bool {
            Ed25519.isValid(signature, of: bytes.span, publicKey: identity.signing)
        }
        if let key = oneTime, let signature = key.lastResortSignature {
            guard isValid(signature, Self.lastResortBytes(key.publicKey)) else { return nil }
        }
        if let bundleSignature {
            // A bundle that says it is signed whole is, or is refused.
            guard isValid(bundleSignature, wholeBytes), isValid(prekeySignature, signedBytes(.whole)) else {
                return nil
            }
            return .whole
        }
        return [.identityKeyAndTime, .keyAndTime, .keyOnly].first { isValid(prekeySignature, signedBytes($0)) }
    }

    /// Checks a bundle.
    /// - Parameters:
    ///   - peer: the name that was asked for; nil for a peer that introduces itself.
    ///   - known: the contact's keys, if it is one.
    ///   - pinned: the highest form that this peer has signed so far; nil if it was never seen.
    ///   - skew: how far the bundle's time may be in the future, at most 60 seconds.
    /// - Throws: all but `.malformed`.
    public func check(
        asked peer: PeerID?, known: PublicIdentity?, pinned: SignatureForm?, at now: Timestamp,
        skew: Duration = .zero
    ) throws(BundleError) -> CheckedBundle {
        let age = now - timestamp.timestamp
        guard age >= .zero - min(max(skew, .zero), Self.maxSkew), age < Self.maxAge else { throw .wrongAge }
        guard let form = validForm() else { throw .badSignature }
        if let peer, !identity.has(peer) { throw .wrongPeer }
        if let known, known != identity { throw .identityChanged }
        if let pinned, form < pinned { throw .lowerForm(form, pinned: pinned) }
        return CheckedBundle(bundle: self, form: form)
    }
}

extension SophaxIdentity {
    /// Signs a prekey in a form; `whole` as `identityKeyAndTime`.
    package borrowing func signPrekey(_ key: [UInt8], at time: AppTime, _ form: SignatureForm) -> [UInt8] {
        switch form {
        case .keyOnly: sign(key)
        case .keyAndTime: sign(key + time.bytes)
        case .identityKeyAndTime, .whole: sign(publicIdentity.signing + key + time.bytes)
        }
    }

    /// Makes a bundle.
    /// - Parameters:
    ///   - signedPrekey: 32 bytes.
    ///   - oneTime: a prekey that nobody else was given; nil for the last-resort key or none.
    ///   - lastResort: 32 bytes; used without a one-time key.
    ///   - username: 1 to 64 characters after trimming.
    ///   - form: `whole`, or `keyOnly` for peers that know nothing else.
    /// - Returns: nil for a user name or address that a bundle cannot have.
    public borrowing func bundle(
        signedPrekey: [UInt8], signedPrekeyID: UInt32, oneTime: (id: UInt32, publicKey: [UInt8])?,
        lastResort: [UInt8]?, username: String, address: String? = nil, at now: Timestamp,
        form: SignatureForm = .whole
    ) -> PrekeyBundle? {
        let name = Self.trimmed(username)
        guard (1...PrekeyBundle.maxUsername).contains(name.count), name.utf8.count <= 4 * PrekeyBundle.maxUsername,
            address.map({ $0.utf8.count <= 256 }) ?? true, signedPrekey.count == 32,
            oneTime.map({ $0.id != 0 && $0.publicKey.count == 32 }) ?? true, lastResort.map({ $0.count == 32 }) ?? true
        else { return nil }
        let time = AppTime(now)
        var key = oneTime.map {
            PrekeyBundle.OneTime(id: $0.id, publicKey: $0.publicKey, lastResortSignature: nil)
        }
        if key == nil, let lastResort {
            key = PrekeyBundle.OneTime(
                id: PrekeyBundle.lastResortID, publicKey: lastResort,
                lastResortSignature: sign(PrekeyBundle.lastResortBytes(lastResort)))
        }
        var bundle = PrekeyBundle(
            identity: publicIdentity, signedPrekey: signedPrekey, signedPrekeyID: signedPrekeyID,
            prekeySignature: signPrekey(signedPrekey, at: time, form), oneTime: key, username: name,
            timestamp: time, address: address, bundleSignature: nil)
        if form == .whole { bundle.bundleSignature = sign(bundle.signedWhole) }
        return bundle
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

extension PrekeyBundle {
    fileprivate var signedWhole: [UInt8] { wholeBytes }
}
