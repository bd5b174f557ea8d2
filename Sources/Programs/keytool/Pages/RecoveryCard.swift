import Console
import Encodings
import HTTP
import Keystore
import Paper
import SafeKeeping
import SafeWire
import Threema
import ThreemaKeeping

/// A card to cut out and put away: all that restores a Safe, but without its password. Its server's address and login
/// may be long, so the card grows downwards from a quarter of a page.
struct RecoveryCard {
    private let id: ThreemaID
    /// The place's name here; nil for the only place.
    private let name: String?
    /// Where the backup is.
    let address: SafeServerAddress
    private let user: String?
    private let fingerprints: [Fingerprint]
    private let pins: [PublicKeyPin]
    private let isReadOnly: Bool
    private let day: String

    /// - Throws: `SafeKeepingError.noSetup`.
    init(of chosen: ChosenPlace, in keeper: ThreemaKeeper) throws {
        let server = try keeper.safe.server(of: chosen.place)
        id = chosen.id
        name = chosen.isOnly ? nil : chosen.place.name.text
        address = server.address
        switch server.login {
        case .some(let login): user = login.user
        case .none: user = nil
        }
        fingerprints = server.authority.map(Fingerprint.ofCertificates) ?? []
        pins = server.pins
        isReadOnly = try keeper.safe.status(of: chosen.place).isReadOnly
        day = WallClock.now().day
    }

    // A quarter of A4 in the middle of the page's width, and its margin.
    private static let left = 31.0.millimetres
    private static let width = 148.0.millimetres
    private static let leastHeight = 105.0.millimetres
    private static let margin = 6.0.millimetres
    private static let labelWidth = 24.0.millimetres
    private static let fixedSize = 8.0
    private static let textSize = 9.0
    private static let pitch = 4.2.millimetres
    /// Most certificates whose fingerprints are written: a file of authorities may hold a whole system's. Then the command
    /// names none, and keytool shows the server's certificate.
    private static let mostFingerprints = 4

    private var hasTypedFingerprints: Bool { (1...Self.mostFingerprints).contains(fingerprints.count) }

    /// Characters of the fixed font that fit beside `indent`.
    private static func columns(_ indent: Double) -> Int {
        Int((width - 2 * margin - indent) / (Page.Font.fixedWidth * fixedSize))
    }

    /// What brings the Safe back into another keystore.
    var command: ShellCommand {
        var parts = [["keytool", "safe", "pull"], ["--id", id.text]]
        parts.append(["--server", address == .official ? "threema" : address.text])
        // Beside its option, a name with a dash before it would be another option.
        if let user { parts.append(user.hasPrefix("-") ? ["--server-user=" + user] : ["--server-user", user]) }
        if hasTypedFingerprints { parts += fingerprints.map { ["--ca-fingerprint", $0.word] } }
        parts += pins.map { ["--pin", $0.text] }
        if isReadOnly { parts.append(["--read-only"]) }
        return ShellCommand(parts: parts)
    }

    /// The page with the card.
    /// - Throws: `RecoveryCardError.tooLong`.
    func page() throws -> Page {
        var page = Page(title: "Threema Safe recovery card of \(id)")
        let x = Self.left + Self.margin
        var y = Page.safeArea.top + Self.margin
        func write(_ text: String, _ font: Page.Font = .text) {
            y += Self.pitch
            page.write(text, x: x, y: y, font, size: Self.textSize)
        }
        y += 3.0.millimetres
        page.write("Threema Safe recovery card", x: x, y: y, .bold, size: 14)
        y += 2.5.millimetres
        for (label, values) in facts {
            for (index, line) in values.flatMap({ $0.lines(of: Self.columns(Self.labelWidth)) }).enumerated() {
                y += Self.pitch
                if index == 0 { page.write(label, x: x, y: y, size: Self.textSize) }
                page.write(line, x: x + Self.labelWidth, y: y, .fixed, size: Self.fixedSize)
            }
        }
        y += 2.5.millimetres
        write("How to restore it", .bold)
        write("1. With keytool (messenger-keytool) on Linux, in bash or zsh, as it stands:")
        for line in command.lines(width: Self.columns(0)) {
            y += Self.pitch
            page.write(line, x: x, y: y, .fixed, size: Self.fixedSize)
        }
        for line in instructions { write(line) }
        y += 5.0.millimetres
        write("Passwords, if they must be on paper (better in another place):")
        // Always at the foot of a card that has room left.
        y = max(y + 9.0.millimetres, Page.safeArea.top + Self.leastHeight - Self.margin)
        page.line(x: x, y: y, toX: Self.left + Self.width - Self.margin, toY: y)
        let bottom = y + Self.margin
        guard bottom <= Page.safeArea.bottom else { throw RecoveryCardError.tooLong }
        cut(around: bottom, &page)
        return page
    }

    /// The same letters as on a screen, beside their labels.
    private var facts: [(String, [PrintableText])] {
        var prints = fingerprints.prefix(Self.mostFingerprints).flatMap(\.lines)
        if fingerprints.count > Self.mostFingerprints {
            prints.append("and \(fingerprints.count - Self.mostFingerprints) more")
        }
        let facts = [
            ("ID", [id.text]), ("Name here", name.map { [$0] } ?? []), ("Server", [address.text]),
            ("User", user.map { [$0] } ?? []),
            ("CA SHA-256", prints), ("Public key pin", pins.map(\.text)), ("Made on", [day]),
        ]
        return facts.map { ($0, $1.map { PrintableText($0) }) }
    }

    private var instructions: [String] {
        let both = user == nil ? "the Safe password" : "the Safe password and the user's password on the server"
        let isSpelled = user.map { PrintableText($0).text != $0 } ?? false
        let spelling =
            isSpelled ? ["In the user's name, \\u{NUMBER} is the character with this number in Unicode."] : []
        return ["2. Enter \(both)."] + trust + app + spelling
    }

    /// What else may be needed to trust a server that the system does not trust.
    private var trust: [String] {
        if fingerprints.isEmpty { return [] }
        guard hasTypedFingerprints else {
            return ["If keytool shows a certificate, compare it with the one that the operator names."]
        }
        return [
            "If keytool says that the server does not send a certificate with this",
            "--ca-fingerprint, its operator has the file for --ca-file instead.",
        ]
    }

    /// The way without keytool; empty if an app cannot use the server: it reads no directory, and trusts the system's
    /// authorities only.
    private var app: [String] {
        let way: [String]
        switch address {
        case .official: way = ["Or with the Threema app: while setting it up, restore Threema Safe."]
        case .https where fingerprints.isEmpty:
            way = [
                "Or with the Threema app: while setting it up, restore Threema Safe, and enter",
                "this server\(user == nil ? "" : " and user") as another server.",
            ]
        case .https, .directory: return []
        }
        return way + [
            "No directory knows an ID that was created offline (keytool id create without",
            "--directory): the phone apps cannot restore it; keytool can.",
        ]
    }

    /// Where to cut.
    private func cut(around bottom: Double, _ page: inout Page) {
        let (left, top, right) = (Self.left, Page.safeArea.top, Self.left + Self.width)
        for (x, y, toX, toY) in [
            (left, top, right, top), (right, top, right, bottom), (right, bottom, left, bottom),
            (left, bottom, left, top),
        ] { page.line(x: x, y: y, toX: toX, toY: toY, isDashed: true) }
    }
}

/// Why there is no card.
enum RecoveryCardError: Error, Equatable {
    /// Address and login of the server do not fit on a page.
    case tooLong
}
