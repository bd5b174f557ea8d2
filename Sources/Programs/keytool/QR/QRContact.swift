import ArgumentParser
import CommandLine
import Console
import Encodings
import QRCode
import ThreemaKeeping

struct QRContact: Verb {
    static let configuration = CommandConfiguration(
        commandName: "contact", abstract: "Draw the QR code that contacts scan: ID and public key.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: QRMode.help)
    var mode = QRMode.auto

    @OptionGroup var target: QRFileOptions

    @OptionGroup var alone: QRScreenOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        try QRMatrix.requireEncoder()
        let picture = try target.picture(outside: session.reserved)
        let screen = try alone.screen(session.dialog, unless: target.qrFile)
        let keeper = try session.keeper(keystore.passphrase)
        let code = try keeper.identities.summary(session.identity(named.id, in: keeper)).contactCode
        let levels: [QRMatrix.ErrorCorrection] = [.quartile, .medium, .low]
        if let picture {
            return try picture.write(
                Array(code.utf8), levels: levels, session.output, "qr contact", ("contact", .string(code)))
        }
        if let screen { return try screen.show(Array(code.utf8), mode, levels: levels) }
        let drawing = try QRPlacement(mode).place(Array(code.utf8), levels: levels, mayScroll: false)
        try session.output.data(drawn: drawing.lines, json: drawing.json("qr contact", ("contact", .string(code))))
    }
}
