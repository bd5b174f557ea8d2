import Console

/// keytool's own exit codes, beside those of every program.
extension Failure.Status {
    static let wrongPassword = Self(12, "wrong_password")
    static let serverAuth = Self(13, "server_auth")
    static let tooLarge = Self(14, "too_large")
    static let notASafeServer = Self(15, "not_a_safe_server")
    static let overdue = Self(18, "overdue")
    static let verifyFailed = Self(19, "verify_failed")
    static let conflict = Self(20, "conflict")
    static let untrustedServer = Self(21, "untrusted_server")
    static let pinMismatch = Self(22, "pin_mismatch")
}
