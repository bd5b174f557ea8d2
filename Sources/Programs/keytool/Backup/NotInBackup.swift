import CommandLine
import Console
import Threema
import ThreemaKeeping
import ThreemaSafe

extension Session {
    /// Warns that a backup of a Gateway ID's key does not bring its API secret back.
    /// - Parameter backup: what was made, with its verb.
    func warnOfGatewaySecret(of identity: IdentityKeeper.Summary, notIn backup: String) {
        guard identity.hasGatewaySecret else { return }
        output.warn("the API secret of \(identity.id) is not in \(backup): store it elsewhere")
        output.hint("keytool archive export stores it with the private key")
    }

    /// Says what a backup code and shares do not restore.
    func noteKeyOnly(of id: ThreemaID, _ keeper: ThreemaKeeper) {
        guard !id.isGateway else {
            if (try? keeper.identities.summary(id).hasGatewaySecret) == false { hintAtGatewaySecret("this") }
            return
        }
        guard (try? keeper.profiles.document(of: id))?.contactCount == 0 else { return }
        output.hint("this is the key alone: contacts and groups come from a data backup, or by keytool safe pull")
    }

    /// Says how to store the API secret of a Gateway ID that was restored.
    /// - Parameter source: what has none.
    func hintAtGatewaySecret(_ source: String) {
        output.hint(
            "\(source) has no API secret: keytool backup import CODEFILE --gateway-secret-file FILE stores it, or a key file and --id"
        )
    }
}

extension ThreemaID {
    /// Whether it is that of a Gateway, which no app on a phone uses.
    var isGateway: Bool { text.hasPrefix("*") }
}
