package import ArgumentParser
package import Console

/// The identity of a messenger that a command is about.
package protocol AccountChoice<Kept>: ParsableArguments {
    associatedtype Kept: Messenger
    var id: Kept.ID? { get }
}

package struct AccountArgument<M: Messenger>: AccountChoice {
    package init() {}

    package typealias Kept = M

    @Argument(
        help: ArgumentHelp(
            "\(M.words.subject). Optional if the keystore holds only one.", valueName: M.words.placeholder),
        completion: .custom(IDCompletion.candidates(of: M.self)))
    package var id: M.ID?
}

/// The same for a command with other operands.
package struct AccountOption<M: Messenger>: AccountChoice {
    package init() {}

    package typealias Kept = M

    @Option(
        help: ArgumentHelp(
            "\(M.words.subject). Optional if the keystore holds only one.", valueName: M.words.placeholder),
        completion: .custom(IDCompletion.candidates(of: M.self)))
    package var id: M.ID?
}

/// The keystore has no such identity.
package struct NoAccount<M: Messenger>: Explained {
    /// Nil if it has none of this messenger.
    package let id: M.ID?

    package var failure: Failure {
        guard let id else {
            return Failure(.absent, "the keystore holds no \(M.words.title)", hints: Hint(M.words.beginning))
                .because(of: M.words.absence)
        }
        return Failure(
            .absent, "there is no \(M.words.title) \(id) in the keystore",
            hints: "keytool \(M.name) \(M.words.listing.verb)"
        ).because(of: M.words.absence)
    }
}

extension Session {
    /// What reads the identities of a messenger in the keystore.
    /// - Throws: `NoAccount` if there is no keystore.
    package func keeper<M: Messenger>(_ messenger: M.Type, _ options: KeystoreOptions) throws -> M.Keeper {
        guard let keystore = try madeKeystore(options.passphrase) else { throw NoAccount<M>(id: nil) }
        return M.keeper(of: keystore, self)
    }

    /// The identity that was named, or the only one of its messenger, with what reads it.
    /// - Throws: `NoAccount`; `UsageFailure` if there are several.
    package func open<Choice: AccountChoice>(
        _ named: Choice, _ options: KeystoreOptions
    ) throws -> (keeper: Choice.Kept.Keeper, id: Choice.Kept.ID) {
        try open(Choice.Kept.self, named.id, options)
    }

    /// - Parameter named: nil for the only one.
    package func open<M: Messenger>(
        _ messenger: M.Type, _ named: M.ID?, _ options: KeystoreOptions
    ) throws -> (keeper: M.Keeper, id: M.ID) {
        guard let keystore = try madeKeystore(options.passphrase) else { throw NoAccount<M>(id: nil) }
        return (M.keeper(of: keystore, self), try M.chosen(named, of: M.ids(in: keystore)))
    }
}

extension Messenger {
    /// The identity that was named, or the only one.
    /// - Parameter ids: those in the keystore.
    /// - Throws: `NoAccount`; `UsageFailure` if there are several.
    package static func chosen(_ named: ID?, of ids: [ID]) throws -> ID {
        guard let named else {
            return try ids.onlyOne(words.titles, named: \.description, orAbsent: NoAccount<Self>(id: nil))
        }
        guard let id = ids.first(where: { isNamed($0, by: named) }) else { throw NoAccount<Self>(id: named) }
        return id
    }
}
