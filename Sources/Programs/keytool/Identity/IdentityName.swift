import ArgumentParser
import CommandLine
import Keystore
import Threema
import ThreemaRecords

/// An identity of any messenger, as it is written on the command line: `ABCD1234`, or `telegram/0123456789abcdef`.
struct IdentityName: Hashable, ExpressibleByArgument {
    let owner: Owner

    /// - Parameter argument: a Threema ID, in either case, or the name of a messenger, a slash and an ID.
    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0] != Owner.threema else {
            guard let id = ThreemaID(argument: parts.last ?? "") else { return nil }
            owner = .threema(id)
            return
        }
        let messenger = Messengers.shipped.all.first { $0.name == parts[0] }
        guard let owner = Owner(messenger: parts[0], id: messenger?.spelled(parts[1]) ?? parts[1]) else { return nil }
        self.owner = owner
    }

    /// Those in the keystore.
    static var defaultCompletionKind: CompletionKind { .custom(IDCompletion.names(first: ThreemaMessenger.self)) }
}

/// The identity of any messenger that a command is about.
struct AnyIdentityArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The identity: a Threema ID, or MESSENGER/ID. Optional if the keystore holds only one.", valueName: "id"))
    var name: IdentityName?
}

extension Session {
    /// The identities of all messengers, those of Threema first. Directories of Threema with other names than IDs are
    /// skipped.
    func identities(in keystore: OpenKeystore) throws -> [Owner] {
        let all = try keystore.identities().filter(messengers.isIdentity)
        return all.filter { $0.threemaID != nil } + all.filter { $0.messenger != Owner.threema }
    }

    /// The identity that was named, or the only one of all messengers that there is.
    func identity(_ named: IdentityName?, in keystore: OpenKeystore) throws -> Owner {
        if let named { return named.owner }
        return try identities(in: keystore).onlyOne(
            "identities", named: \.name, orAbsent: KeystoreError.absent(path: try keystorePath))
    }
}
