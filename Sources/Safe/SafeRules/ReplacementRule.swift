/// The rule before every PUT and every DELETE: a foreign backup is never replaced or deleted without consent.
///
/// It judges the last look at a place by the state of that place. Writer, generation and time are claims of the backup:
/// they are shown, but permit nothing.
package struct ReplacementRule: Hashable, Sendable {
    /// What a backup is to this keystore.
    package enum Standing: Hashable, Sendable {
        case nothing
        /// It does not authenticate, or is too long to be read.
        case unreadable
        /// The backup that was last uploaded or pulled.
        case last
        /// Another backup that this keystore sent to this place, or pulled from it.
        case known
        /// The state is missing, and private key and document equal the keystore's.
        case own
        /// Any other backup that authenticates.
        case foreign
    }

    /// Whether the write is permitted.
    package enum Permission: Hashable, Sendable {
        case granted
        /// Only if a second look 5 seconds later shows the same, because a backup is expected there.
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
            return place.journal.isEmpty && contents.relation == .same ? .own : .foreign
        }
    }

    /// Whether a PUT may replace what was found.
    package func mayReplace(_ found: Found, at place: PlaceState) -> Permission {
        switch standing(of: found, at: place) {
        case .last, .known, .own: .granted
        // What is too long to be read cannot be stored in the history, and may be an app's backup. So it needs consent.
        case .unreadable where found == .tooLong: consents.contains(Self.tooLong) ? .granted : .refused
        case .nothing, .unreadable: place.expectsBackup || place.finding != nil ? .afterSecondLook : .granted
        case .foreign: isAgreed(found) ? .granted : .refused
        }
    }

    /// Whether a DELETE may remove what was found.
    /// - Parameter takesUnreadable: whether bytes that do not authenticate may be removed.
    package func mayDelete(_ found: Found, at place: PlaceState, takesUnreadable: Bool) -> Bool {
        switch standing(of: found, at: place) {
        case .nothing, .last, .known: true
        case .unreadable where found == .tooLong: consents.contains(Self.tooLong)
        case .unreadable: takesUnreadable
        case .own, .foreign: isAgreed(found)
        }
    }

    /// The consent to the loss of bytes that are too long to be hashed. It is valid for one command.
    package static let tooLong = Digest(number: 0)

    private func isAgreed(_ found: Found) -> Bool { found.digest.map(consents.contains) ?? false }
}
