import CommandLine
import Console
import Encodings
import Threema

extension GroupedCodeError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong(let limit): Failure(.badData, "this is not a backup code: it has more than \(limit) characters")
        case .badCharacter(let character, let group, let position):
            Failure(
                .badData,
                "group \(group) has the invalid character \(Self.quoted(character)) at position \(position); a code has only A-Z and 2-7",
                hints: "compare group \(group) with the original\(Self.lookalike(character))")
        }
    }

    private static func quoted(_ character: Unicode.Scalar) -> String {
        let isPrintable =
            !character.properties.isDefaultIgnorableCodePoint && character.value >= 0x20
            && character.properties.generalCategory != .control
        let code = String(character.value, radix: 16, uppercase: true)
        return isPrintable ? "\"\(character)\"" : "U+\(String(repeating: "0", count: max(0, 4 - code.count)))\(code)"
    }

    private static func lookalike(_ character: Unicode.Scalar) -> String {
        switch character {
        case "0": "; it may be the letter O"
        case "1": "; it may be the letter I or L"
        case "8": "; it may be the letter B"
        case "9": "; it may be the letter G"
        default: ""
        }
    }
}

extension IDBackupError: Explained {
    var failure: Failure {
        switch self {
        case .wrongLength(let characters, let shortGroups), .unknownVersion(_, let characters, let shortGroups):
            characters == 0
                ? Failure(.badData, "no backup code was given", hints: "name a file, or pass the code on stdin")
                : Failure(.badData, Self.lengthMessage(characters, shortGroups))
        case .notOpened:
            Failure(
                .wrongPassword, "the password is wrong, or the code is damaged",
                hints: "if the password is right, the code has a typing error: compare it group by group"
            )
        case .invalidID:
            Failure(
                .badData, "the code decrypts, but contains no valid ID",
                hints: "a typing error passed the code's short check by chance: compare it group by group")
        case .derivation(let error): error.failure
        case .notReproduced: .defect("verification of the new backup code failed; it was discarded")
        }
    }

    private static func lengthMessage(_ characters: Int, _ shortGroups: [GroupedCode.ShortGroup]) -> String {
        let expected = IDBackup.Scheme.allCases.map { "\($0.characterCount)" }.joined(separator: " or ")
        // A code typed without dashes has a short group only at its end, which says nothing.
        let short = shortGroups.prefix(4).map { "group \($0.number) has \($0.count)" }.joined(separator: ", ")
        return "the code has \(characters) characters instead of \(expected)" + (short.isEmpty ? "" : "; \(short)")
    }
}

extension ThreemaIDError: Explained {
    var failure: Failure { Failure(.usage, "this is not a Threema ID (8 characters, A-Z and 0-9)") }
}
