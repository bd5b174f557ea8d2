package import Encodings
package import SophaxChat

extension SignatureForm {
    /// For people.
    package var words: String {
        switch self {
        case .keyOnly: "the signed prekey only; anybody may have changed the rest"
        case .keyAndTime: "the signed prekey and the time"
        case .identityKeyAndTime: "identity key, signed prekey and time"
        case .whole: "all of it"
        }
    }

    /// For programs.
    package var name: String {
        switch self {
        case .keyOnly: "key"
        case .keyAndTime: "key_time"
        case .identityKeyAndTime: "identity_key_time"
        case .whole: "whole"
        }
    }
}

extension Timestamp {
    /// `3 days`; 0 for a time in the future.
    package func days(since earlier: Timestamp) -> String {
        Counted.text(Int(max(0, (self - earlier).components.seconds) / 86_400), "day")
    }
}
