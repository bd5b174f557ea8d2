package import Keystore

/// The name under which a keystore has a company's provisioning file: a host, as a rule. 1 to 64 lower-case letters,
/// digits, hyphens and dots, beginning with a letter or a digit.
package struct OnPremName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        let isName = text.utf8.allSatisfy { Self.isAlphanumeric($0) || "-.".utf8.contains($0) }
        guard (1...64).contains(text.utf8.count), isName, text.utf8.first.map(Self.isAlphanumeric) == true else {
            return nil
        }
        self.text = text
    }

    package var description: String { text }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension Owner {
    /// The owners of provisioning files. They are no identities, but locked, changed and archived as those are.
    package static let onPrem = "onprem"

    /// An owner's ID has no dots, and no name has underscores, so they stand for each other.
    package static func onPrem(_ name: OnPremName) -> Owner {
        Owner(messenger: onPrem, id: exchange(".", by: "_", in: name.text))!
    }

    /// The name of a provisioning file; nil for another owner.
    package var onPrem: OnPremName? {
        guard messenger == Self.onPrem, let name = OnPremName(Self.exchange("_", by: ".", in: id)),
            Self.onPrem(name) == self
        else { return nil }
        return name
    }

    private static func exchange(_ old: Character, by new: Character, in text: String) -> String {
        String(text.map { $0 == old ? new : $0 })
    }
}
