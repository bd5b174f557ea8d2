import Console
import Keystore
import MessengerKeeping
import ProtonMainKey
import TextSecure
import Threema
import ThreemaRecords

/// Completes an ID on a shell's command line from the names in the keystore: no key is touched, so nothing is asked.
enum IDCompletion {
    /// Threema IDs.
    /// - Parameters:
    ///   - words: the command line as the shell split it, quotes and all.
    ///   - prefix: what there is of the word to be completed.
    @Sendable static func candidates(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        cased(ids(of: owners(words)), as: prefix)
    }

    /// The identities of all messengers.
    @Sendable static func names(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        let owners = owners(words)
        return cased(ids(of: owners), as: prefix)
            + owners.filter { $0.messenger != Owner.threema }.map(\.name).sorted()
    }

    private static func owners(_ words: [String]) -> [Owner] {
        guard let path = try? Session.keystorePath(keystoreOption(in: words)) else { return [] }
        return (try? LockedKeystore.owners(at: path)) ?? []
    }

    private static func ids(of owners: [Owner]) -> [String] { Set(owners.compactMap(\.threemaID?.text)).sorted() }

    /// Shells compare letter by letter, and a lower-case ID means the same.
    private static func cased(_ ids: [String], as prefix: String) -> [String] {
        prefix != prefix.uppercased() ? ids.map { $0.lowercased() } : ids
    }

    /// As `candidates`, for the check values of MainKeys.
    @Sendable static func mainKeys(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        owners(words).compactMap(\.mainKey).map(\.description)
    }

    /// As `candidates`, for the numbers of TextSecure accounts, without the plus sign.
    @Sendable static func textSecure(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        owners(words).compactMap(\.textSecure).map { String($0.text.dropFirst(prefix.hasPrefix("+") ? 0 : 1)) }
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
