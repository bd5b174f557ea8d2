import CommandLine
import Console
import Encodings
import Threema
import ThreemaKeeping
import ThreemaSafe

extension VerificationLevel {
    /// What a level means (whitepaper, "Verification Levels").
    var words: String {
        switch self {
        case .unverified: "not verified"
        case .serverVerified: "verified by the server"
        case .fullyVerified: "verified by QR code"
        }
    }

    /// One to three dots of three, red, orange or green, or blue for a colleague in the work app. Their number says the
    /// level, too.
    fileprivate func dots(isWork: Bool) -> StyledLine {
        let color =
            isWork && self > .unverified ? 34 : self == .unverified ? 31 : self == .serverVerified ? 33 : 32
        let (full, empty) = (String(repeating: "●", count: shown), String(repeating: "○", count: 3 - shown))
        return .drawn("\u{1b}[\(color)m\(full)\u{1b}[0m\(empty)")
    }
}

extension StyledLine {
    /// The same, struck through.
    fileprivate var struck: StyledLine { .drawn("\u{1b}[9m").followed(by: self).followed(by: .drawn("\u{1b}[0m")) }
}

extension SafeContact {
    /// How the level of a contact is shown.
    enum LevelStyle {
        /// In the apps' colours.
        case dots
        case words
    }

    /// A line of `contact list`: ID, level, name, what is special. In colours, a revoked contact is struck through.
    /// - Parameter state: what a directory has said of the contact; nil if it was not asked.
    func line(_ style: LevelStyle, isBlocked: Bool = false, _ state: ContactFindings.Kind? = nil) -> StyledLine {
        let levelWords = "\(level.shown) \(level.words)"
        let shown =
            style == .dots
            ? level.dots(isWork: isWorkVerified) : StyledLine(levelWords.padded(to: Self.levelWidth))
        let marks = [
            isWorkVerified ? "work" : nil, isHidden ? "hidden" : nil, isPrivate ? "private" : nil,
            isBlocked ? "blocked" : nil, state?.mark,
        ].compactMap { $0 }
        let words = [
            displayName.printable, nickname.isEmpty || displayName == nickname ? "" : "~\(nickname.printable)",
            marks.isEmpty ? "" : "(\(marks.joined(separator: ", ")))",
        ].filter { !$0.isEmpty }
        let id = StyledLine(identity.printable.padded(to: 8))
        let text = StyledLine(words.joined(separator: " "))
        let isStruck = state?.isStruck(style) == true
        let line = (isStruck ? id.struck : id).followed(by: "  ").followed(by: shown)
        return words.isEmpty ? line : line.followed(by: "  ").followed(by: isStruck ? text.struck : text)
    }

    /// That of the longest level in words.
    private static let levelWidth = 24

    /// - Parameter state: as for `line`.
    func json(isBlocked: Bool, _ state: ContactFindings.Kind? = nil) -> JSONValue {
        .members([
            ("id", .string(identity)), ("level", .number(level.shown)),
            ("public_key", publicKey.map { .string($0.hex) }), ("first_name", .string(firstName)),
            ("last_name", .string(lastName)), ("nickname", .string(nickname)), ("work", .bool(isWorkVerified)),
            ("hidden", .bool(isHidden)), ("private", .bool(isPrivate)), ("blocked", .bool(isBlocked)),
            ("created_at", createdAt.map { .string($0.rfc3339) }), ("state", state.map { .string($0.name) }),
            ("acknowledged", state?.isAcknowledged.map { .bool($0) }),
        ])
    }
}

extension ContactFindings.Kind {
    /// Whether the line of a contact is struck through.
    fileprivate func isStruck(_ style: SafeContact.LevelStyle) -> Bool { style == .dots && isAcknowledged != nil }

    /// What is said of a contact in words.
    fileprivate var mark: String? {
        switch self {
        case .revoked: "revoked"
        case .otherKey: "another key at the directory"
        case .inactive: "inactive"
        case .sound: nil
        }
    }
}

/// Contacts as CSV (RFC 4180): a header, then a line for each; the caller ends lines with CR LF.
///
/// A spreadsheet runs a text that begins with `=`, `+`, `-` or `@`, also behind a tab or line end. Such a text gets an
/// apostrophe before it, which is the usual protection: the name of a contact comes from the contact.
enum ContactTable {
    private static let names = [
        "id", "level", "public_key", "first_name", "last_name", "nickname", "work", "hidden", "private", "blocked",
        "created_at", "state",
    ]

    static func lines(
        _ contacts: [SafeContact], blocked: Set<String>, _ states: [String: ContactFindings.Kind]
    ) -> [String] {
        [names.joined(separator: ",")]
            + contacts.map { contact in
                let flags = [
                    contact.isWorkVerified, contact.isHidden, contact.isPrivate, blocked.contains(contact.identity),
                ]
                let fields =
                    [field(contact.identity), "\(contact.level.shown)", contact.publicKey?.hex ?? ""]
                    + [contact.firstName, contact.lastName, contact.nickname].map(field)
                    + flags.map { $0 ? "yes" : "no" } + [
                        contact.createdAt?.rfc3339 ?? "", states[contact.identity]?.name ?? "",
                    ]
                return fields.joined(separator: ",")
            }
    }

    private static func field(_ text: String) -> String {
        let isFormula = text.utf8.first.map { "=+-@\t\r\n".utf8.contains($0) } ?? false
        let safe = isFormula ? "'" + text : text
        guard safe.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) || safe.hasPrefix(" ") || safe.hasSuffix(" ")
        else { return safe }
        // Scalar by scalar: with an accent behind it, a quote is no character of its own.
        let doubled = safe.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
        return "\"" + String(String.UnicodeScalarView(doubled)) + "\""
    }
}

/// A contact as vCard 4.0 (RFC 6350); the caller ends lines with CR LF.
enum ContactCard {
    /// Longest line in bytes, without its end (3.2).
    private static let lineBytes = 75

    /// - Parameter state: what a directory has said of the contact; nil if it was not asked.
    static func lines(of contact: SafeContact, _ state: ContactFindings.Kind?) -> [String] {
        let name = contact.displayName.isEmpty ? contact.identity : contact.displayName
        let lines: [String?] = [
            "BEGIN:VCARD", "VERSION:4.0", "FN:" + escaped(name),
            "N:" + escaped(contact.lastName) + ";" + escaped(contact.firstName) + ";;;",
            contact.nickname.isEmpty ? nil : "NICKNAME:" + escaped(contact.nickname),
            "X-THREEMA-ID:" + escaped(contact.identity), "X-THREEMA-LEVEL:\(contact.level.shown)",
            contact.publicKey.map { "X-THREEMA-PUBLIC-KEY:" + $0.hex },
            state.map { "X-THREEMA-STATE:" + $0.name },
            // Address books drop properties that they do not know, and keep notes.
            state?.mark.map { "NOTE:Threema ID \(escaped(contact.identity)): \($0)" }, "END:VCARD",
        ]
        return lines.compactMap { $0 }.flatMap(folded)
    }

    /// TEXT of 3.4: a line end becomes `\n`; other control characters are left out, because a vCard cannot hold them.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            defer { isAfterReturn = scalar == "\r" }
            switch scalar {
            case "\\", ",", ";": escaped += "\\" + String(scalar)
            case "\r": escaped += "\\n"
            case "\n": if !isAfterReturn { escaped += "\\n" }
            case "\t": escaped.unicodeScalars.append(scalar)
            default: if scalar.properties.generalCategory != .control { escaped.unicodeScalars.append(scalar) }
            }
        }
        return escaped
    }

    /// A line as several ones; those after the first begin with a blank. A character is never divided.
    private static func folded(_ line: String) -> [String] {
        var lines: [String] = []
        var part = ""
        var bytes = 0
        for scalar in line.unicodeScalars {
            let count = UTF8.width(scalar)
            if bytes + count > lineBytes {
                lines.append(part)
                (part, bytes) = (" ", 1)
            }
            part.unicodeScalars.append(scalar)
            bytes += count
        }
        return lines + [part]
    }
}
