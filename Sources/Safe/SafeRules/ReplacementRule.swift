/// The one rule that stands before every PUT and every DELETE: nothing foreign is ever replaced or deleted.
///
/// It judges what the last look at a place showed by what is known of that place. Who wrote a backup, its generation
/// and its time are claims of the backup: they give words, never permission.
package struct ReplacementRule: Hashable, Sendable {
    /// What a backup is to this keystore.
    package enum Standing: Hashable, Sendable {
        case nothing
        /// It does not authenticate, or is too long to be read.
        case unreadable
        /// The backup that was last uploaded or pulled.
        case last
        /// Another one that was sent to this place from here, or pulled from it.
        case known
        /// No state is left here, and private key and document equal the keystore's.
        case own
        /// Everything else that authenticates.
        case foreign
    }

    /// Whether something may be done to what was found.
    package enum Permission: Hashable, Sendable {
        case granted
        /// Only if a second look, 5 seconds later, shows the same: a backup is expected there, ours or another one.
        case afterSecondLook
        case refused
    }

    /// Digests of foreign backups that the user has agreed to lose.
    package var consents: [Digest]

    package init(consents: [Digest] = []) { self.consents = consents }

    package func standing(of found: Found, at place: PlaceState) -> Standing {
        switch found {
        case .nothing: return .nothing
        case .unauthentic, .tooLong: return .unreadable
        case .authentic(let digest, let contents):
            if digest == place.last { return .last }
            if place.journal.contains(digest) { return .known }
            return place.journal.isEmpty && contents.isSame ? .own : .foreign
        }
    }

    /// Before a PUT.
    package func mayReplace(_ found: Found, at place: PlaceState) -> Permission {
        switch standing(of: found, at: place) {
        case .last, .known, .own: .granted
        // What cannot even be read whole cannot be kept either, and may be an app's: that takes a word.
        case .unreadable where found == .tooLong: consents.contains(Self.tooLong) ? .granted : .refused
        case .nothing, .unreadable: place.expectsBackup || place.finding != nil ? .afterSecondLook : .granted
        case .foreign: isAgreed(found) ? .granted : .refused
        }
    }

    /// Before a DELETE.
    /// - Parameter takesUnreadable: also what does not authenticate.
    package func mayDelete(_ found: Found, at place: PlaceState, takesUnreadable: Bool) -> Bool {
        switch standing(of: found, at: place) {
        case .nothing, .last, .known: true
        case .unreadable where found == .tooLong: consents.contains(Self.tooLong)
        case .unreadable: takesUnreadable
        case .own, .foreign: isAgreed(found)
        }
    }

    /// The consent to the loss of something that is too long to have a digest; for this command only.
    package static let tooLong = Digest(number: 0)

    private func isAgreed(_ found: Found) -> Bool { found.digest.map(consents.contains) ?? false }
}
