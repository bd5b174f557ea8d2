import CommandLine
import Console
import Encodings
import Keystore
import Shares
import Threema
import ThreemaKeeping
import ThreemaRecords

/// `backup check --share`: proves one share without the others, and remembers the date.
struct ShareCheck {
    /// Nil if the words are typed.
    let file: String?
    /// The only identity that it may be of; nil for all.
    let id: ThreemaID?

    /// - Parameter open: opens the keystore.
    func run(_ session: Session, _ open: () throws -> ThreemaKeeper) throws {
        let share = try share(session)
        try ShareSource.requireKey(share.set.secretCount)
        guard share.set.iterationExponent <= ShareCollection.usualIterationExponent else {
            throw ShareJoinError.tooCostly(exponent: share.set.iterationExponent)
        }
        let output = session.output
        let number = Int(share.index) + 1
        // What the paper is worth is known now. A person is told before the next question.
        let isForPeople = !output.isJSON && !output.isQuiet
        if isForPeople {
            let set = share.set
            let (ofGroup, andGroups) =
                set.groupCount > 1
                ? (" of group \(Int(share.group) + 1)", ", and \(set.groupThreshold) of \(set.groupCount) groups")
                : ("", "")
            try output.print([
                "the words are right: share \(number)\(ofGroup), of which \(share.threshold) are needed\(andGroups)"
            ])
        }
        let known = try recognise(share, output, open)
        if case .ofEarlierKey(let id) = known {
            throw Failure(
                .verifyFailed, "the share is of an earlier private key of \(id), which was replaced",
                hints: "make new shares: keytool backup split \(id) --shares 3/5 --sheet DIR"
            ).because(of: "other_key")
        }
        if case .unknown(let ids) = known {
            throw Failure(
                .verifyFailed, "the share does not belong to \(ids.map(\.text).joined(separator: ", "))",
                hints:
                    "it is of an archive, of another identity or an earlier private key, or was made on another machine",
                "the newest \(ShareRecord.maxSets) sets are remembered; an older one still joins"
            )
        }
        if let id, known == .noShares {
            throw Failure(
                .verifyFailed, "whether the share belongs to \(id) is not known: it was not shared here",
                hints: "without --expect-id, the words alone are checked")
        }
        guard case .known(let id, let set, let isStored) = known else {
            if output.isJSON { try output.done([], json: json(share, nil, nil)) }
            return
        }
        if output.isJSON { try output.done([], json: json(share, id, set)) }
        if isForPeople {
            try output.print([
                "it belongs to \(id): \(number) of \(set.shares.count), made \(set.madeAt.day)"
                    + (isStored ? "; the date of this check was stored" : "")
            ])
        }
        if !isStored { output.warn("the date of this check was not stored") }
    }

    private func share(_ session: Session) throws -> Share {
        if let file { return try Share(file: file, session.output) }
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw Failure(
                .needSecret, "no share was given, and there is no terminal to ask on",
                hints: "name a file with the words, or - for stdin")
        }
        try terminal.say("Type the words of the share one by one, or several in a line. Type - to go back one word.")
        guard let share = try terminal.askShare("Share") else { throw ShareError.length(words: 0) }
        return share
    }

    /// - Returns: nil if the keystore could not be opened, which is said.
    /// - Throws: what opening it throws, if the share has to be of an identity.
    private func recognise(
        _ share: Share, _ output: Output, _ open: () throws -> ThreemaKeeper
    ) throws -> ShareKeeper.Recognition? {
        if let id { return try open().shares.check(share, of: id) }
        do {
            let known = try open().shares.check(share, of: nil)
            if known == .noShares { output.note("the keystore remembers no shares, so it was not compared") }
            return known
        } catch KeystoreError.absent {
            // A share can be checked on a machine that holds no identity.
            return .noShares
        } catch SecretError.none {
            output.warn("the keystore needs its passphrase; the share was not compared, and the date was not stored")
        } catch {
            output.warn(
                "the share was not compared with the keystore, and the date was not stored: \(Failure(error).message)")
        }
        return nil
    }

    private func json(_ share: Share, _ id: ThreemaID?, _ set: ShareRecord.Set?) -> JSONValue {
        .result(
            "backup check",
            [
                ("id", id.map { .string($0.text) }), ("set", .number(Int(share.set.identifier))),
                ("share", .number(Int(share.index) + 1)), ("threshold", .number(Int(share.threshold))),
                ("count", set.map { .number($0.shares.count) }), ("stored", false), ("held", .bool(id != nil)),
            ])
    }
}
