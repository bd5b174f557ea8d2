import ArgumentParser
import Encodings
import Keystore
import SafeKeeping
import Threema

struct IDList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the identities of the keystore.")

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    func run(_ session: Session) throws {
        let keeper: SafeKeeper?
        do {
            keeper = try session.keeper(passphrase)
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            keeper = nil
        }
        let identities = try keeper?.identities() ?? []
        try session.output.data(
            identities.map { "\($0.id)  \($0.publicKey.hex)  \($0.hasSafe ? "safe" : "no safe")" },
            json: .result(
                "id list",
                [
                    (
                        "identities",
                        .array(
                            identities.map {
                                [
                                    "id": .string($0.id.text), "public_key": .string($0.publicKey.hex),
                                    "safe": .bool($0.hasSafe),
                                ]
                            })
                    )
                ]))
        if let keeper, !identities.isEmpty { session.noteProtection(of: keeper) }
    }
}
