package import Encodings
package import Keystore
package import SecureMemory
package import Threema
internal import ThreemaRecords

/// A Safe place of an identity: a server as this identity uses it, with login, trust and Safe key. An identity may have
/// several, each with its own state, history and time of success.
package struct SafePlace: Hashable, Sendable {
    package let id: ThreemaID
    /// The name of the place among those of its identity; that of the first one is `main`.
    package let name: PlaceName

    package init(_ id: ThreemaID, _ name: PlaceName) {
        self.id = id
        self.name = name
    }
}

extension SafeKeeper {
    /// Largest number of places of one identity.
    package static let maxPlaces = 8

    /// The places that are set up for identities: in the order of `ids`, for each of them `main` first and the others by
    /// name. Their records are not opened, so a damaged one is among them.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged` for a commit file that is not authentic; `FileError`.
    package func places(of ids: [ThreemaID]) throws -> [SafePlace] {
        try ids.flatMap { id in try keystore.identity(.threema(id)).safePlaces().map { SafePlace(id, $0) } }
    }

    /// The places of an identity, as above.
    package func places(of id: ThreemaID) throws -> [SafePlace] { try places(of: [id]) }

    /// The places of an identity that are set up, and those that are not but whose history holds backups.
    /// - Throws: as `places`.
    package func placesWithHistory(of id: ThreemaID) throws -> [SafePlace] {
        let records = try keystore.identity(.threema(id))
        let setUp = try records.safePlaces()
        let others = try records.placesWithHistory().filter { !setUp.contains($0) }
        return (setUp + others).map { SafePlace(id, $0) }
    }

    /// Whether a Safe is set up at the place. Its record is not opened.
    /// - Throws: `KeystoreError.noIdentity`.
    package func isSetUp(_ place: SafePlace) throws -> Bool {
        try keystore.identity(.threema(place.id)).contains(.safe(at: place.name))
    }
}

extension IdentityRecords {
    /// The places that are set up, `main` first, the others by name.
    package func safePlaces() throws -> [PlaceName] {
        let names = try places(having: "safe")
        return names.filter { $0 == .main } + names.filter { $0 != .main }
    }

    /// - Throws: `SafeKeepingError.tooManyPlaces` if no further place can be set up.
    func requireRoomForPlace() throws {
        let limit = SafeKeeper.maxPlaces
        guard try safePlaces().count < limit else { throw SafeKeepingError.tooManyPlaces(id: owner.id, limit: limit) }
    }

    /// When a backup code of this identity was last opened. This belongs to the identity, but is in the state of the
    /// place `main`, which stays if the place is deleted and is there without a setup.
    package func codeProvenAt(key: borrowing SecureBytes) throws -> Timestamp? {
        try UploadState(of: self, at: .main, key: key).codeProvenAt
    }
}
