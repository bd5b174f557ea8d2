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
    let name: String?
    /// Where the backup is.
    let address: SafeServerAddress
    let user: String?
    private let fingerprints: [Fingerprint]
    private let pins: [PublicKeyPin]
    private let isReadOnly: Bool
    /// Whether an app on a phone can take it: not for a Gateway ID, nor for one of a company.
    private let hasApp: Bool
    private let day: String
    private let language: PageLanguage

    /// Another computer may not have it.
    var isDirectory: Bool { if case .directory = address { true } else { false } }

    private var sentences: CardSentences { .in(language) }

    /// - Throws: `SafeKeepingError.noSetup`.
    init(of chosen: ChosenPlace, in keeper: ThreemaKeeper, _ language: PageLanguage) throws {
        let server = try keeper.server(of: chosen.place)
        id = chosen.id
        name = chosen.isOnly ? nil : chosen.place.name.text
        address = server.address
        user = server.user
        fingerprints = server.authority.map(Fingerprint.ofCertificates) ?? []
        pins = server.pins
        isReadOnly = try keeper.safe.status(of: chosen.place).isReadOnly
        hasApp = server.onPrem == nil && PrintedDirectory.hasApp(id, try? PrintedDirectory(of: id, in: keeper))
        day = WallClock.now().day
        self.language = language
    }

    // A quarter of A4 in the middle of the page's width, and its margin.
    private static let left = 31.0.millimetres
    private static let width = 148.0.millimetres
    private static let leastHeight = 105.0.millimetres
    private static let margin = 6.0.millimetres
    /// Most certificates whose fingerprints are written: a file of authorities may hold a whole system's. Then the command
    /// names none, and keytool shows the server's certificate.
    private static let mostFingerprints = 4

    private var hasTypedFingerprints: Bool { (1...Self.mostFingerprints).contains(fingerprints.count) }

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
        let x = Self.left + Self.margin
        let right = Self.left + Self.width - Self.margin
        var pen = PagePen(
            page: Page(title: sentences.name.with([.id: id.text]), language: language.rawValue),
            y: Page.safeArea.top + Self.margin - 1.2.millimetres, left: x, right: right, textSize: 9, fixedSize: 8,
            pitch: 4.2.millimetres, labelWidth: 24.0.millimetres)
        pen.write(sentences.title.text, .bold, size: 14)
        pen.y += 2.5.millimetres
        pen.write(
            [(sentences.id, [PrintableText(id.text)])] + serverFacts + [(sentences.madeOn, [PrintableText(day)])])
        pen.y += 2.5.millimetres
        pen.write(sentences.restoring, .bold)
        pen.write(sentences.command)
        pen.write(command)
        pen.write(user == nil ? sentences.enterPassword : sentences.enterPasswords)
        hints(saysOffline: true).forEach { pen.write($0) }
        pen.y += 5.0.millimetres
        pen.write(sentences.passwords)
        // Always at the foot of a card that has room left.
        let y = max(pen.y + 9.0.millimetres, Page.safeArea.top + Self.leastHeight - Self.margin)
        let bottom = y + Self.margin
        guard bottom <= Page.safeArea.bottom else { throw RecoveryCardError.tooLong }
        pen.draw { page in
            page.line(x: x, y: y, toX: right, toY: y)
            cut(around: bottom, &page)
        }
        return pen.page
    }

    /// What leads to the Safe.
    var serverFacts: PagePen.Facts {
        var prints = fingerprints.prefix(Self.mostFingerprints).flatMap(\.lines)
        if fingerprints.count > Self.mostFingerprints {
            prints.append(sentences.moreAuthorities.with([.others: "\(fingerprints.count - Self.mostFingerprints)"]))
        }
        let facts = [
            (sentences.nameHere, name.map { [$0] } ?? []), (sentences.server, [address.text]),
            (sentences.user, user.map { [$0] } ?? []), (sentences.authority, prints),
            (sentences.pin, pins.map(\.text)),
        ]
        return facts.map { ($0, $1.map { PrintableText($0) }) }
    }

    /// What else may have to be known for the command, and the way without it.
    /// - Parameter saysOffline: whether for that way it is said which IDs no directory knows.
    func hints(saysOffline: Bool) -> [Sentence] {
        let isSpelled = user.map { PrintableText($0).text != $0 } ?? false
        return trust + (isDirectory ? sentences.directory : []) + app
            + (saysOffline && !app.isEmpty ? sentences.offline : [])
            + (isSpelled ? [sentences.spelling] : [])
    }

    /// What else may be needed to trust a server that the system does not trust.
    private var trust: [Sentence] {
        if fingerprints.isEmpty { return [] }
        return hasTypedFingerprints ? sentences.trust : sentences.trustShown
    }

    /// The way without keytool; empty if no app takes the ID, or can use the server: an app reads no directory, and
    /// trusts the system's authorities only.
    private var app: [Sentence] {
        guard hasApp else { return [] }
        return switch address {
        case .official: sentences.officialApp
        case .https where fingerprints.isEmpty:
            user == nil ? sentences.app : sentences.appWithUser
        case .https, .directory: []
        }
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
