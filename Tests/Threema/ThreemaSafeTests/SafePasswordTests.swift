import Passwords
import Testing
import ThreemaSafe
import VectorKit

/// Which Safe passwords the apps take for bad.
@Suite struct SafePasswordTests {
    /// The apps' own results. Theirs rest on lists of their own, which are not used here; `bad_ios` differs from
    /// `bad_android` in the letters' case alone, and here a listed password is weak in any case.
    @Test(arguments: try Vector.positive(in: .safePassword)) func `published results`(_ vector: Vector) throws {
        let password = try vector.inputs.string("password")
        let isBad =
            try vector.expected.has("bad") ? vector.expected.bool("bad") : vector.expected.bool("bad_android")
        let isRefused =
            password.unicodeScalars.count < SafeKeys.minimumPasswordLength
            || PasswordStrength.weakness(of: Array(password.utf8).span) != nil
        #expect(isRefused == isBad)
    }
}
