import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Threema
import ThreemaKeeping

/// What `backup export` writes.
enum BackupExportFormat: String, CaseIterable, ExpressibleByArgument {
    case code, gateway
}

extension BackupExport {
    /// Refuses options that do not fit together.
    func checkFormat() throws {
        guard format == .gateway else {
            guard !revealPrivateKey else {
                throw ValidationError("a backup code is encrypted: --reveal-private-key is for --format gateway")
            }
            return
        }
        guard revealPrivateKey, output != nil else {
            throw ValidationError(
                "the key of a Gateway ID is not encrypted: --format gateway requires --reveal-private-key and --output")
        }
        guard scheme == .pbkdf2, !isDrawn, !alone.isAwaited, !pictures.areWanted, !weakOk, !password.isGiven else {
            throw ValidationError("--format gateway writes a key without a password: it takes no options of a code")
        }
    }

    /// Writes the private key as the programs of a Gateway read it.
    func exportGatewayKey(_ session: Session) throws {
        let target = try DocumentTarget(output ?? "-", mayReplace: force, outside: session.reserved)
        let (keeper, id) = try session.open(named.id, keystore)
        let text = try keeper.codes.revealGatewayKey(of: id)
        let count = text.count
        try text.withBytes { text in
            try target.write(text) { path in
                try session.output.done(
                    ["wrote the private key of \(id), not protected, to \(path)"],
                    json: .result(
                        "backup export",
                        [
                            ("id", .string(id.text)), ("file", .string(path)), ("format", .string(format.rawValue)),
                            ("bytes", .number(count)),
                        ]))
            }
        }
        session.output.warn("anyone who has the file can read and write messages as \(id)")
    }
}
