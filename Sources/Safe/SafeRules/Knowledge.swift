/// The role of a place of an identity's Safe.
package enum Role: Hashable, Sendable, CaseIterable {
    /// The place of pushes.
    case current
    /// The new place of an unfinished change.
    case next
    /// The old place of a change, whose backup is still to be deleted.
    case retiring
}

/// Everything that a keystore remembers of an identity's Safe.
package struct Knowledge: Hashable, Sendable {
    package var current: PlaceState
    package var next: PlaceState?
    package var retiring: PlaceState?
    /// Whether a deletion has begun and not ended, because its process died.
    package var isDeleting = false
    /// Digests of foreign backups whose loss was agreed to for the unfinished change.
    package var consents: [Digest] = []
    /// Whether the unfinished change leaves the backup at the old place.
    package var isLeavingOld = false
    /// Whether no verb may write to the place, because another device writes it.
    package var isReadOnly = false

    package init(current: PlaceState, next: PlaceState? = nil, retiring: PlaceState? = nil) {
        self.current = current
        self.next = next
        self.retiring = retiring
    }

    package subscript(role: Role) -> PlaceState? {
        get {
            switch role {
            case .current: current
            case .next: next
            case .retiring: retiring
            }
        }
        set {
            switch role {
            case .current: if let newValue { current = newValue }
            case .next: next = newValue
            case .retiring: retiring = newValue
            }
        }
    }
}

/// How the places (address, login, key) move when knowledge is saved.
package enum Shift: Hashable, Sendable {
    /// They stay.
    case stay
    /// The new place becomes the next one.
    case begin
    /// The next place becomes the current one, and the current one becomes the retiring one.
    case complete
    /// The next place is abandoned.
    case dropNext
    /// The retiring place is abandoned.
    case dropRetiring
    /// The next and the retiring place are abandoned.
    case dropOthers
    /// The current place gets address, login and trust of the new one, because both are one place.
    case readdress
    /// The whole setup is removed.
    case forget
}
