package import Encodings
package import SophaxChat

extension SignatureForm: TwoNames {
    package var names: (words: String, json: String) {
        switch self {
        case .keyOnly: ("the signed prekey only; anybody may have changed the rest", "key")
        case .keyAndTime: ("the signed prekey and the time", "key_time")
        case .identityKeyAndTime: ("identity key, signed prekey and time", "identity_key_time")
        case .whole: ("all of it", "whole")
        }
    }
}

extension Timestamp {
    /// `3 days`; 0 for a time in the future.
    package func days(since earlier: Timestamp) -> String {
        Counted.text(Int(max(0, (self - earlier).components.seconds) / 86_400), "day")
    }
}
