import CommandLine
import Console
import SecureMemory
import Shares

/// Shares that join to a key.
struct JoinedShares: ~Copyable {
    let shares: [Share]
    /// 32 bytes.
    let key: SecureBytes
}

/// Where a command gets the shares of a key: files, or the terminal if none is named.
struct ShareSource {
    /// Files with the words of one share each; `-` for stdin, once.
    let files: [String]

    /// Length of what is shared: a private key, or one of age.
    private static let keyCount = 32

    /// Reads the shares, or asks for them until there are enough, and joins them.
    /// - Throws: `Failure`; `ShareError`; `ShareJoinError`; `InputError`.
    func join(_ session: Session) throws -> JoinedShares {
        let collection = try files.isEmpty ? typed(session) : read(session.output)
        let key = try session.output.busy("joining the shares") { try collection.join() }
        try Self.requireKey(key.count)
        if files.isEmpty { session.output.hint("the words stay in this terminal's scrollback") }
        return JoinedShares(shares: collection.shares, key: key)
    }

    /// - Parameter count: of the secret that was shared, in bytes.
    /// - Throws: `Failure` if a key has another length.
    static func requireKey(_ count: Int) throws {
        guard count == keyCount else {
            throw Failure(.badData, "the shares join to \(count) bytes; a key has \(keyCount)")
        }
    }

    private func read(_ output: Output) throws -> ShareCollection {
        var collection = ShareCollection()
        for file in files {
            let share = try Share(file: file, output)
            do throws(ShareJoinError) {
                if try !collection.add(share) { output.note("\(file) is a share that was read already") }
            } catch {
                throw error.failure(of: file)
            }
        }
        guard collection.isComplete else { throw Self.missing(collection) }
        return collection
    }

    private func typed(_ session: Session) throws -> ShareCollection {
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw Failure(
                .needSecret, "no share was given, and there is no terminal to ask on",
                hints: "name files with the words of one share each")
        }
        var collection = ShareCollection()
        try terminal.say("Type the words of a share one by one, or several in a line. Type - to go back one word.")
        while !collection.isComplete {
            guard let share = try terminal.askShare("Share \(collection.shares.count + 1)") else {
                throw Self.missing(collection)
            }
            do throws(ShareJoinError) {
                if try !collection.add(share) { Output.word("error", "this share was typed already; take another one") }
            } catch {
                error.failure.report()
                continue
            }
            try terminal.say("Share \(share.index + 1) is right. \(Self.words(collection))")
        }
        return collection
    }

    private static func missing(_ collection: ShareCollection) -> Failure {
        Failure(.needSecret, words(collection))
    }

    /// What is there and what is missing, in words; of groups, only if there are several.
    private static func words(_ collection: ShareCollection) -> String {
        guard let set = collection.shares.first?.set else { return "no share was given" }
        if collection.isComplete { return "these are enough" }
        let parts = collection.progress.map { group in
            let numbers = group.indices.map { "\($0 + 1)" }.joined(separator: ", ")
            return (set.groupCount > 1 ? "group \(group.group + 1): " : "")
                + "\(group.indices.count) of \(group.threshold) shares are here (number\(group.indices.count == 1 ? "" : "s") "
                + "\(numbers)); \(group.missing) more \(group.missing == 1 ? "is" : "are") needed"
        }
        let groups = set.groupThreshold > 1 ? ["\(set.groupThreshold) groups are needed"] : []
        return (parts + groups).joined(separator: "; ")
    }
}
