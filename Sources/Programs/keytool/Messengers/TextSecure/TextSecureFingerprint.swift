import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import QRCode
import SecureMemory
import TextSecure

struct TextSecureFingerprint: Verb {
    static let configuration = CommandConfiguration(
        commandName: "fingerprint", abstract: "Show what others compare: the fingerprint of an identity key.",
        discussion: """
            The server hands out keys and signs none of them: only a comparison tells that a key is the right one. The \
            QR code has the 33 bytes of the public key. With --peer and --peer-key, shows the 60 digits that both sides \
            see. With --compare, ends in 19 if they differ.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @Option(help: ArgumentHelp("The number of the peer.", valueName: "phone-number"), completion: .list([]))
    var peer: AccountNumber?

    @Option(help: ArgumentHelp("The public identity key of the peer, in Base64.", valueName: "public-key"))
    var peerKey: PublicKey33?

    @Option(
        help: ArgumentHelp(
            "Compare with this fingerprint; with a peer, with these 60 digits.", valueName: "fingerprint"))
    var compare: String?

    @Option(help: QRMode.help)
    var mode = QRMode.auto

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard (peer == nil) == (peerKey == nil) else {
            throw ValidationError("--peer and --peer-key belong together: the digits are made of both")
        }
    }

    func run(_ session: Session) throws {
        let compared = try compare.map { try Comparison($0, isNumeric: peer != nil) }
        // A terminal that asks for nothing gets the text.
        let isWanted = peer == nil && compare == nil && !session.output.isJSON
        let isDrawn = isWanted && (TerminalSize.isTerminal || mode != .auto)
        if isDrawn, mode != .auto { try QRMatrix.requireEncoder() }
        let (keeper, number) = try session.open(named, keystore)
        let account = try keeper.account(number, at: WallClock.now())
        let own = account.identity.publicKey
        let numeric = peer.map { peer in
            NumericFingerprint(own: (own, account.number.text), peer: (peerKey!, peer.text))
        }
        if let compared {
            return try report(compared.characters == (numeric?.digits ?? Hex.encode(own.bytes)), session)
        }
        let members: [(String, JSONValue?)] = [
            ("number", .string(account.number.text)), ("public_key", .string(own.text)),
            ("fingerprint", .string(own.fingerprint)),
        ]
        if let numeric {
            return try session.output.data(
                numeric.lines,
                json: TextSecureMessenger.result("fingerprint", members + [("numeric", .string(numeric.digits))]))
        }
        try session.output.data(
            drawn: (isDrawn ? drawing(of: own, session) : []) + own.fingerprintLines.map(StyledLine.init),
            json: TextSecureMessenger.result("fingerprint", members))
    }

    /// The QR code is for a terminal, unless a way to draw it is asked for.
    private func drawing(of key: PublicKey33, _ session: Session) throws -> [StyledLine] {
        do {
            return try key.drawing(mode).lines
        } catch let error as SharedLibrary.Failure where mode == .auto {
            error.failure.hints.forEach { session.output.hint("without a QR code: \($0.text)") }
            return []
        }
    }

    private func report(_ isEqual: Bool, _ session: Session) throws {
        guard isEqual else {
            throw Failure(
                .verifyFailed, "the fingerprints differ", hints: "do not trust the key until you know why",
                "either one of you has a new key, or somebody has exchanged it"
            ).because(of: "other_key")
        }
        try session.output.done(
            ["the fingerprints are equal"], json: TextSecureMessenger.result("fingerprint", [("equal", true)]))
    }

    /// A fingerprint that somebody has typed or pasted, without blanks.
    private struct Comparison {
        let characters: String

        /// - Throws: `UsageFailure` for a text that cannot be one, so that a typing error is not taken for an attack.
        init(_ text: String, isNumeric: Bool) throws {
            characters = text.filter { !$0.isWhitespace && $0 != "-" && $0 != ":" }.lowercased()
            let allowed = isNumeric ? "0123456789" : "0123456789abcdef"
            let count = isNumeric ? NumericFingerprint.count : 2 * PublicKey33.count
            guard characters.count == count, characters.allSatisfy({ allowed.contains($0) }) else {
                throw UsageFailure(
                    "--compare takes \(isNumeric ? "\(count) digits" : "\(PublicKey33.count) bytes in hexadecimal")")
            }
        }
    }
}

extension PublicKey33 {
    /// The QR code of the 33 bytes, which others scan.
    /// - Throws: `QRError.terminalTooSmall`.
    func drawing(_ mode: QRMode) throws -> QRPlacement.Placed {
        try QRPlacement(mode).place(bytes, levels: [.quartile, .medium, .low], mayScroll: true)
    }
}

extension NumericFingerprint {
    /// For people: three lines of four groups.
    fileprivate var lines: [String] {
        let groups = description.split(separator: " ")
        return stride(from: 0, to: groups.count, by: 4).map { groups[$0..<$0 + 4].joined(separator: " ") }
    }
}
