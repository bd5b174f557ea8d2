internal import HTTP
package import Primitives
package import SafeWire
package import SecureMemory
package import Threema
package import ThreemaSafe

// A target in the sealed record `safe`, a Protocol Buffers message:
//
//   field 1  the 64-byte Safe master key
//   field 2  the server's address as text
//   field 3  the user's name on the server
//   field 4  the user's password on the server
//   field 5  certificate authorities, PEM
//   field 6  SHA-256 of pinned public keys, 32 bytes each, one behind the other
//   field 7  the place's name in the digests of `state.json`, 1 to 4096 bytes: 16 random bytes; missing in a place that
//            was set up before there were such names: then it is the address as text
//   field 8  the name of the provisioning file that says where the server is, 1 to 64 bytes
//
// Fields stand in this order, each at most once; all but the first two may be missing, 3 and 4 both or neither. The
// Safe password is not kept.

/// A server and the key of the backup on it.
package struct SafeTarget: ~Copyable {
    private static let keyField = 1
    private static let addressField = 2
    private static let userField = 3
    private static let passwordField = 4
    private static let authorityField = 5
    private static let pinsField = 6
    private static let placeField = 7
    private static let onPremField = 8

    /// Longest message, in bytes: what a `SafeEndpoint` holds at most, the key, the name, and 16 bytes for each field's
    /// head.
    static let maxCount = SafeEndpoint.maxBytes + SafeKeys.masterKeyCount + SafeServerAddress.maxBytes + 8 * 16
    private static let placeNameCount = 16

    package let server: SafeEndpoint
    package let keys: SafeKeys
    /// The name of the place in the state, which does not depend on its address.
    package let placeName: [UInt8]

    package var address: SafeServerAddress { server.address }

    /// - Parameter placeName: nil for a new place.
    package init(server: consuming SafeEndpoint, keys: consuming SafeKeys, placeName: [UInt8]? = nil) {
        self.server = server
        self.keys = keys
        self.placeName = placeName ?? Self.freshPlaceName
    }

    /// Derives the key. This takes 64 MiB of memory and some tenths of a second.
    package init(
        server: consuming SafeEndpoint, password: borrowing SecureBytes, id: ThreemaID
    ) throws(KeyDerivationError) {
        let keys = try password.withBytes { (password) throws(KeyDerivationError) in
            try SafeKeys(password: password, id: id)
        }
        self.init(server: server, keys: keys)
    }

    package var copy: SafeTarget { SafeTarget(server: server.copy, keys: keysCopy, placeName: placeName) }

    /// The same key at another place.
    package func moved(to server: consuming SafeEndpoint, placeName: [UInt8]? = nil) -> SafeTarget {
        SafeTarget(server: server, keys: keysCopy, placeName: placeName)
    }

    package consuming func takeKeys() -> SafeKeys { keys }

    /// A random name for a new place.
    package static var freshPlaceName: [UInt8] { Random.bytes(placeNameCount) }

    /// The same place and key with another address, login or trust.
    package func approached(as server: consuming SafeEndpoint) -> SafeTarget {
        SafeTarget(server: server, keys: keysCopy, placeName: placeName)
    }

    private var keysCopy: SafeKeys { SafeKeys(masterKey: keys.masterKey.withBytes { SecureBytes(copying: $0) }) }

    /// - Throws: `.malformed` unless `encoded` made the bytes.
    init(decoding message: Span<UInt8>) throws(SafeSetupError) {
        let fields = try SafeSetup.fields(of: message)
        let numbers = fields.map(\.number)
        let places = Dictionary(zip(numbers, fields.map(\.place))) { first, _ in first }
        func bytes(_ field: Int) -> [UInt8]? { places[field].map { message.extracting($0).revealBytes() } }
        func text(_ field: Int) -> String? { bytes(field).flatMap { String(validating: $0, as: UTF8.self) } }
        guard numbers == Set(numbers).sorted(), numbers.allSatisfy((Self.keyField...Self.onPremField).contains),
            let key = places[Self.keyField], key.count == SafeKeys.masterKeyCount,
            let address = text(Self.addressField).flatMap({ try? SafeServerAddress(parsing: $0) }),
            (places[Self.userField] == nil) == (places[Self.passwordField] == nil)
        else { throw .malformed }
        let digests = bytes(Self.pinsField) ?? []
        let placeName = bytes(Self.placeField) ?? Array(address.text.utf8)
        let onPrem = places[Self.onPremField] == nil ? nil : text(Self.onPremField) ?? ""
        // What `encoded` and the transport take for granted. The record of an archive may be from anyone.
        guard digests.count.isMultiple(of: PublicKeyPin.count),
            digests.count <= SafeEndpoint.maxPins * PublicKeyPin.count,
            (places[Self.authorityField]?.count ?? 0) <= SafeEndpoint.maxAuthorityBytes,
            (places[Self.passwordField]?.count ?? 0) <= Login.maxPasswordBytes,
            (1...SafeServerAddress.maxBytes).contains(placeName.count),
            (1...SafeEndpoint.maxNameBytes).contains(onPrem?.utf8.count ?? 1)
        else { throw .malformed }
        let pins = stride(from: 0, to: digests.count, by: PublicKeyPin.count).compactMap {
            PublicKeyPin(digest: Array(digests[$0..<$0 + PublicKeyPin.count]))
        }
        var login: Login?
        if let password = places[Self.passwordField] {
            guard let user = text(Self.userField), Login.isUser(user) else { throw .malformed }
            login = Login(user: user, password: SecureBytes(copying: message.extracting(password)))
        }
        let authority = bytes(Self.authorityField)
        self.init(
            server: SafeEndpoint(address, login: login, authority: authority, pins: pins, onPrem: onPrem),
            keys: SafeKeys(masterKey: SecureBytes(copying: message.extracting(key))), placeName: placeName)
    }

    func encoded() -> SecureBytes {
        var message = SecureBuffer(capacity: SafeSetup.usualCount)
        keys.masterKey.withBytes { SafeSetup.append($0, number: Self.keyField, to: &message) }
        let text = Array(address.text.utf8)
        SafeSetup.append(text.span, number: Self.addressField, to: &message)
        switch server.login {
        case .some(let login):
            let user = Array(login.user.utf8)
            SafeSetup.append(user.span, number: Self.userField, to: &message)
            login.password.withBytes { SafeSetup.append($0, number: Self.passwordField, to: &message) }
        case .none: break
        }
        if let authority = server.authority {
            SafeSetup.append(authority.span, number: Self.authorityField, to: &message)
        }
        for (number, field) in [
            (Self.pinsField, server.pins.flatMap(\.digest)), (Self.placeField, placeName),
            (Self.onPremField, Array((server.onPrem ?? "").utf8)),
        ] where !field.isEmpty { SafeSetup.append(field.span, number: number, to: &message) }
        return message.finish()
    }

    /// Whether address and key are equal; login and trust may differ.
    package func isSame(as other: borrowing SafeTarget) -> Bool {
        let isSameKey = keys.masterKey.withBytes { key in
            other.keys.masterKey.withBytes { ConstantTime.areEqual(key, $0) }
        }
        return address == other.address && isSameKey
    }
}
