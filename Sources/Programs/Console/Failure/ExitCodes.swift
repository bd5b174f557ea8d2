extension Failure {
    /// An exit code and its name in JSON. Both are part of the command line's contract, so both are written out:
    /// renaming a constant here changes neither.
    package struct Status: Equatable, Sendable {
        /// The code.
        package let rawValue: Int32
        /// In snake case.
        package let name: String

        /// - Parameter name: in snake case.
        package init(_ rawValue: Int32, _ name: String) {
            self.rawValue = rawValue
            self.name = name
        }
    }
}

// The codes that every program has; those from 64 on are those of sysexits.h.
extension Failure.Status {
    /// What no other code says.
    package static let failed = Self(1, "failed")
    /// What was asked for does not exist.
    package static let absent = Self(10, "absent")
    /// Another process is using the same data; try again.
    package static let locked = Self(11, "locked")
    /// A secret is missing: no source provides it, and the user cannot be asked.
    package static let needSecret = Self(16, "need_secret")
    /// It already exists, or is not to be overwritten.
    package static let exists = Self(17, "exists")
    /// The command line is wrong, or a question was not answered with yes.
    package static let usage = Self(64, "usage")
    /// The input is damaged, or of an unknown form.
    package static let badData = Self(65, "bad_data")
    /// The input does not exist or cannot be read.
    package static let noInput = Self(66, "no_input")
    /// A server or a program that is needed is not available.
    package static let unavailable = Self(69, "unavailable")
    /// A defect of the program.
    package static let `internal` = Self(70, "internal")
    /// Not enough memory.
    package static let memory = Self(71, "memory")
    /// The result cannot be written there.
    package static let cantCreate = Self(73, "cant_create")
    /// Reading or writing failed.
    package static let io = Self(74, "io")
    /// It may work later.
    package static let tempfail = Self(75, "tempfail")
    /// The permissions do not allow it, or allow too much.
    package static let permission = Self(77, "permission")
}
