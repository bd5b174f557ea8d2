import CommandLine
import Console
import Encodings
import SafeKeeping
import SecureMemory
import Threema
import ThreemaKeeping

extension BackupImport {
    /// Stores the identity of a key file, with the API secret of a Gateway ID.
    func importKeyFile(_ file: consuming IdentityKeyFile, _ session: Session) throws {
        let opened = try file.open(code, keyFile, or: keystore.passphrase, isStored: true, session)
        let id = opened.identity.id
        switch opened.kind {
        case .gateway:
            let secret = try givenSecret(for: id, session)
            let keeper = try session.keeperOfNewKeystore(keystore)
            let stored = try storeGateway(opened.identity, secret, keeper, session.output)
            try session.output.done(
                [Self.lead(stored.isNew, id)] + opened.lines
                    + (stored.isSecretStored ? [Self.secretLine] : []),
                json: opened.json(
                    "backup import",
                    [("stored", .bool(stored.isNew)), ("gateway_secret_stored", .bool(stored.isSecretStored))]))
            if stored.isNew && !keystore.noPassphrase { session.noteProtection(of: keeper) }
            session.output.hint(
                "the file has no checksum: compare the public key, or keytool id fetch \(id) --directory URL")
            if stored.isNew { session.noteKeyOnly(of: id, keeper) }
        case .desktop:
            try refuseSecret()
            // The keystore's passphrase has another use only if it opened the file.
            let isForFile = try keyFile.passphrase.source() == nil
            let keeper = try session.keeperOfNewKeystore(keystore, ifUnprotected: isForFile ? .ignored : .refused)
            let isNew = try keeper.codes.storeImported(
                opened.identity, from: .keyFile, isReplacing: replace, session.output)
            if !keystore.noPassphrase { session.noteProtection(of: keeper) }
            try session.output.done(
                [Self.lead(isNew, id)] + opened.lines, json: opened.json("backup import", [("stored", .bool(isNew))]))
        }
    }

    /// Refuses an API secret for what is no Gateway key.
    func refuseSecret() throws {
        guard !gatewaySecret.isGiven else { throw UsageFailure("an API secret is for the key of a Gateway ID") }
    }

    /// The API secret that is given for the ID of a backup code.
    /// - Returns: nil if it is empty.
    func requiredSecret(for id: ThreemaID, _ session: Session) throws -> GatewaySecret? {
        guard id.isGateway else {
            throw UsageFailure("an API secret is for a Gateway ID, which begins with *; this is the code of \(id)")
        }
        return try givenSecret(for: id, session)
    }

    func storeGateway(
        _ identity: borrowing Identity, _ secret: borrowing GatewaySecret?, _ keeper: ThreemaKeeper,
        _ output: Output
    ) throws -> CodeKeeper.StoredGatewayKey {
        try keeper.codes.replacing(identity, replace, output) {
            try keeper.codes.store(identity, secret: secret, ifOtherKey: $0)
        }
    }

    static let secretLine = "API secret  stored"

    static func lead(_ isNew: Bool, _ id: ThreemaID) -> String {
        isNew ? "imported \(id)" : "already in the keystore, with the same key: \(id)"
    }

    /// - Returns: nil if none is given, or if nobody can be asked.
    private func givenSecret(for id: ThreemaID, _ session: Session) throws -> GatewaySecret? {
        let text: SecureBytes
        do {
            text = try SecretAsker(gatewaySecret, session.dialog).create(
                .for(id.text), minimum: 1, weak: .accept, empty: .isNone)
        } catch SecretError.none {
            return nil
        }
        guard text.count > 0 else { return nil }
        guard let secret = GatewaySecret(text) else {
            throw UsageFailure(
                "the API secret is not usable: it has 1 to \(GatewaySecret.maxCount) visible ASCII characters")
        }
        return secret
    }
}

extension OpenedKeyFile {
    /// For people.
    var lines: [String] { ["ID          \(identity.id)"] + identity.clientKey.publicKey.labelledLines }

    func json(_ command: String, _ outcome: [(String, JSONValue?)]) -> JSONValue {
        let (format, group): (String, JSONValue?) =
            switch kind {
            case .gateway: ("gateway", nil)
            case .desktop(let serverGroup): ("desktop", .string(serverGroup))
            }
        return .result(
            command,
            [
                ("id", .string(identity.id.text)), ("public_key", .string(identity.clientKey.publicKey.hex)),
                ("format", .string(format)), ("server_group", group),
            ] + outcome)
    }
}
