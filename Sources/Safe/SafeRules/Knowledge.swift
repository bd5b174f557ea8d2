/// Which of the places of one identity's Safe is meant.
package enum Role: Hashable, Sendable, CaseIterable {
    /// Where pushes go.
    case current
    /// Where a change of password or place leads that is not finished.
    case next
    /// Where pushes went before a change: its backup is still to be deleted.
    case retiring
}

/// All that a keystore remembers of one identity's Safe.
package struct Knowledge: Hashable, Sendable {
    package var current: PlaceState
    package var next: PlaceState?
    package var retiring: PlaceState?
    /// Whether a deletion has begun and not ended: then its process died.
    package var isDeleting = false
    /// Digests of foreign backups whose loss was agreed to, while the change that was agreed to is not finished.
    package var consents: [Digest] = []
    /// Whether the backup at the old place is to stay when the unfinished change ends.
    package var isLeavingOld = false

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

/// How the places themselves (address, login, key) move when knowledge is saved.
package enum Shift: Hashable, Sendable {
    /// All stay.
    case stay
    /// The new place is written down as the next one.
    case begin
    /// The next place becomes the current one, the current one retires.
    case complete
    /// The next place is given up.
    case dropNext
    /// The retiring place is given up.
    case dropRetiring
    /// The next and the retiring place are given up.
    case dropOthers
    /// The current place is approached as the new one says: both are one place.
    case readdress
    /// The whole setup is given up.
    case forget
}
