import Primitives
import Threema
import ThreemaDirectory

/// Operations of the hashes that a directory gets of addresses. Their keys are constants of the library, so the key of
/// a vector is used with `HMACSHA256`, whose result has to be equal to the library's.
enum Matching {
    static func emailHash(_ check: inout Check) throws {
        let address = try EmailAddress(normalizing: check.inputs.text("email"))
        try compare(&check, ContactHash(address), of: address.text)
    }

    static func phoneHash(_ check: inout Check) throws {
        let text = try check.inputs.text("phone")
        let number = try text.hasPrefix("+") ? PhoneNumber(parsing: text) : PhoneNumber(digits: text)
        try compare(&check, ContactHash(number), of: number.digits)
    }

    /// A result that is null says that the mailbox has one name only.
    static func emailAlternatives(_ check: inout Check) throws {
        let address = try EmailAddress(normalizing: check.inputs.text("emailRaw"))
        check.compare("normalized", address.text)
        try compare(&check, ContactHash(address), of: address.text)
        check.compare("altNormalized", address.alternative?.text)
        if let alternative = address.alternative {
            try check.compare("altHash", ContactHash(alternative).digest)
        } else {
            check.compare("altHash", nil as String?)
        }
    }

    private static func compare(_ check: inout Check, _ hash: ContactHash, of text: String) throws {
        try check.compare("hash", hash.digest)
        check.compare("hashBase64", hash.base64)
        if check.inputs.has("key") {
            let message = Array(text.utf8)
            let digest = try check.inputs.secret("key", count: nil).withBytes {
                HMACSHA256.authenticate(message.span, key: $0)
            }
            check.require("key", digest == hash.digest)
        }
    }
}
