import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import QRCode
import SophaxChat
import SophaxStorage

/// A peer whose public keys are in a file.
struct SophaxPeerFile: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A file with the peer's bundle, or the 64 bytes of its QR code; - for stdin.", valueName: "file"),
        completion: .file())
    var peer: String

    /// - Throws: `InputError`; `BundleError.badSignature`; `SophaxFileError.notPeer`.
    func identity() throws -> (identity: PublicIdentity, username: String?) {
        let content = try InputFile(operand: peer).readBytes(.bytes, limit: PrekeyBundle.maxCount)
        if let scanned = PublicIdentity(code: content) { return (scanned, nil) }
        let bundle: PrekeyBundle
        do throws(BundleError) { bundle = try PrekeyBundle(parsing: content) } catch {
            throw SophaxFileError.notPeer(path: peer)
        }
        _ = try bundle.checkedSignatures()
        return (bundle.identity, bundle.username)
    }
}

struct SophaxSafety: Verb {
    static let configuration = CommandConfiguration(
        commandName: "safety", abstract: "Show the safety number of an identity and a peer.",
        discussion: """
            Both sides see the same 60 digits. Compare them by another way, for example by voice, then run keytool \
            sophaxchat verify-peer. --qr draws the identity's own QR code, which the peer scans.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var peer: SophaxPeerFile

    @OptionGroup var named: AccountOption<SophaxChatMessenger>

    @Flag(help: "Show the numbers of apps of March 2026, which hash the keys without a prefix.")
    var old = false

    @Flag(help: "Draw the QR code that the peer scans: the identity's public keys, 64 bytes.")
    var qr = false

    @Option(help: QRMode.help)
    var mode = QRMode.auto

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (other, username) = try peer.identity()
        if qr { try QRMatrix.requireEncoder() }
        let (keeper, id) = try session.open(named, keystore)
        let account = try keeper.account(id)
        let own = account.identity.publicIdentity
        try other.requirePeer(of: own)
        let isVerified = try account.hasVerified(other)
        let domain: PublicIdentity.SafetyDomain = old ? .none : .version1
        let number = PublicIdentity.pairNumber(own, other, domain)
        let drawing = try qr ? QRPlacement(mode).place(own.code, levels: [.medium, .low], mayScroll: true) : nil
        try session.output.data(
            drawn: [
                "peer           \(other.peerID)" + (username.map { "  \($0.printable)" } ?? ""),
                "safety number  \(number.prefix(35))", "               \(number.suffix(35))",
                "peer's own     \(other.safetyNumber(domain))", "verified       \(isVerified ? "yes" : "no")",
            ].map(StyledLine.init) + (drawing?.lines ?? []),
            json: SophaxChatMessenger.result(
                "safety",
                [
                    ("id", .string(own.peerID.description)), ("peer", .string(other.peerID.description)),
                    ("username", username.map { .string($0) }), ("safety_number", .string(number)),
                    ("peer_safety_number", .string(other.safetyNumber(domain))), ("verified", .bool(isVerified)),
                    ("qr", drawing.map { .array($0.lines.map { .string($0.text) }) }),
                ]))
        if !isVerified {
            session.output.hint(
                "compare the number with the peer, then: "
                    + "keytool sophaxchat verify-peer FILE --number DIGITS --id \(id)")
        }
    }
}

struct SophaxVerifyPeer: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify-peer", abstract: "Store that the safety number of a peer was compared.",
        discussion: """
            NUMBER is the number that the peer has told, in any grouping: 60 digits of both, or 30 of the peer alone. \
            If the keys in the file have another one, the command ends in 19 and stores nothing: somebody may be \
            between you.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var peer: SophaxPeerFile

    @Option(
        help: ArgumentHelp("The number that the peer has told, 60 or 30 digits.", valueName: "digits60"))
    var number: String

    @OptionGroup var named: AccountOption<SophaxChatMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let digits = number.filter { !$0.isWhitespace && $0 != "-" }
        guard [60, 30].contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw UsageFailure("a safety number has 60 digits, or 30 of one identity")
        }
        let (other, username) = try peer.identity()
        let (keeper, id) = try session.open(named, keystore)
        let own = try keeper.account(id).identity.publicIdentity
        try other.requirePeer(of: own)
        let domains: [PublicIdentity.SafetyDomain] = [.version1, .none]
        let numbers = domains.flatMap {
            [PublicIdentity.pairNumber(own, other, $0), other.safetyNumber($0)]
        }
        guard numbers.contains(where: { $0.filter { $0 != " " } == digits }) else {
            throw SophaxOtherNumber(peer: other.peerID, number: numbers[0])
        }
        let isNew = try keeper.verify(other, by: id)
        try session.output.done(
            [
                (isNew ? "verified " : "already verified: ") + other.peerID.description
                    + (username.map { "  \($0.printable)" } ?? "")
            ],
            json: SophaxChatMessenger.result(
                "verify-peer",
                [
                    ("id", .string(id.description)), ("peer", .string(other.peerID.description)),
                    ("verified", true), ("changed", .bool(isNew)),
                ]))
    }
}

extension PublicIdentity {
    /// - Throws: `UsageFailure` for one's own keys, which need no comparison.
    fileprivate func requirePeer(of own: PublicIdentity) throws {
        guard peerID != own.peerID else {
            throw UsageFailure("the file has the identity's own public keys, not those of a peer")
        }
    }
}

/// The keys of a peer have another safety number than it has told.
struct SophaxOtherNumber: Error {
    let peer: PeerID
    /// What the keys have.
    let number: String
}
