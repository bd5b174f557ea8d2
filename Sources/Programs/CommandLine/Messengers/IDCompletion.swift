import Console
import Keystore

/// Completes an ID on a shell's command line from the names in the keystore: no key is touched, so nothing is asked.
package enum IDCompletion {
    /// The IDs of a messenger: a function of the command line as the shell split it, quotes and all, of the number of the
    /// word to be completed, and of what there is of it.
    package static func candidates<M: Messenger>(
        of messenger: M.Type
    ) -> @Sendable ([String], Int, String) -> [String] {
        { words, _, prefix in ids(of: messenger, among: owners(words), after: prefix) }
    }

    /// The identities of all messengers: the IDs of this one, and the others behind the names of their messengers.
    package static func names<M: Messenger>(
        first messenger: M.Type
    ) -> @Sendable ([String], Int, String) -> [String] {
        { words, _, prefix in
            let owners = owners(words)
            return ids(of: messenger, among: owners, after: prefix)
                + owners.filter { $0.messenger != messenger.name }.map(\.name).sorted()
        }
    }

    private static func ids<M: Messenger>(
        of messenger: M.Type, among owners: [Owner], after prefix: String
    ) -> [String] {
        Set(owners).compactMap(M.id(of:)).map { M.completion(of: $0, after: prefix) }.sorted()
    }

    private static func owners(_ words: [String]) -> [Owner] {
        guard let path = try? Session.keystorePath(keystoreOption(in: words)) else { return [] }
        return (try? LockedKeystore.owners(at: path)) ?? []
    }

    /// The value of `--keystore` where it stands on the line: bash makes three words of `--keystore=DIR`.
    private static func keystoreOption(in words: [String]) -> String? {
        let name = GlobalOptions.keystoreName
        guard let place = words.lastIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        guard words[place] == name else { return unquoted(words[place].dropFirst(name.count + 1)) }
        return words[(place + 1)...].first { $0 != "=" }.map { unquoted(Substring($0)) }
    }

    /// A word as a shell reads it, as far as that takes no shell: quotes, backslashes and a leading `~/`.
    private static func unquoted(_ word: Substring) -> String {
        var text = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        guard word.hasPrefix("~/"), let home = try? Environment.home else { return text }
        return home + text.dropFirst()
    }
}
