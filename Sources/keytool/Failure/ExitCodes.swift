extension Failure {
    /// An exit code and its name in JSON. Both are part of the command line's contract, so both are written out:
    /// renaming a constant here changes neither.
    struct Status: Equatable, Sendable {
        let rawValue: Int32
        /// In snake case.
        let name: String

        init(_ rawValue: Int32, _ name: String) {
            self.rawValue = rawValue
            self.name = name
        }
    }
}

extension Failure.Status {
    static let failed = Self(1, "failed")
    static let absent = Self(10, "absent")
    static let locked = Self(11, "locked")
    static let wrongPassword = Self(12, "wrong_password")
    static let serverAuth = Self(13, "server_auth")
    static let tooLarge = Self(14, "too_large")
    static let notASafeServer = Self(15, "not_a_safe_server")
    static let needSecret = Self(16, "need_secret")
    static let exists = Self(17, "exists")
    static let overdue = Self(18, "overdue")
    static let verifyFailed = Self(19, "verify_failed")
    static let conflict = Self(20, "conflict")
    static let untrustedServer = Self(21, "untrusted_server")
    static let pinMismatch = Self(22, "pin_mismatch")
    static let usage = Self(64, "usage")
    static let badData = Self(65, "bad_data")
    static let noInput = Self(66, "no_input")
    static let unavailable = Self(69, "unavailable")
    static let `internal` = Self(70, "internal")
    static let memory = Self(71, "memory")
    static let cantCreate = Self(73, "cant_create")
    static let io = Self(74, "io")
    static let tempfail = Self(75, "tempfail")
    static let permission = Self(77, "permission")
}
