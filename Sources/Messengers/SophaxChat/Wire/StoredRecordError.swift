package import Ratchet

/// Why the record of a session, a group or prekeys cannot be read.
public enum StoredRecordError: Error, Equatable, Sendable {
    /// It, or a record in it, has the form of a later version of these libraries.
    case unknownForm(UInt8)
    /// A length or a field is wrong.
    case malformed
    /// Its MAC is wrong: it was changed, or sealed under another key.
    case notAuthentic

    /// Why a record of the library Ratchet that is in it cannot be read.
    package init(_ error: RecordError) {
        switch error {
        case .unknownForm(let form): self = .unknownForm(form)
        case .otherSuite, .malformed: self = .malformed
        }
    }
}
