package import Console

/// keytool's own exit codes, beside those of every program.
extension Failure.Status {
    package static let wrongPassword = Self(12, "wrong_password")
    package static let serverAuth = Self(13, "server_auth")
    package static let tooLarge = Self(14, "too_large")
    package static let notASafeServer = Self(15, "not_a_safe_server")
    package static let overdue = Self(18, "overdue")
    package static let verifyFailed = Self(19, "verify_failed")
    package static let conflict = Self(20, "conflict")
    package static let untrustedServer = Self(21, "untrusted_server")
    package static let pinMismatch = Self(22, "pin_mismatch")
}
