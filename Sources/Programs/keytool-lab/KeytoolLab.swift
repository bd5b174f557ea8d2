import ArgumentParser
import CommandLine
import CommandParsing
import Console

/// The laboratory: opens, seals and shows what programs on the libraries exchange, with the keys in a keystore.
@main
struct KeytoolLab: RootCommand {
    static let configuration = CommandConfiguration(
        commandName: "keytool-lab",
        abstract: "Open, seal and show the traffic of messengers with the keys in a keystore.",
        discussion: """
            For the development and the examination of programs on keytool's libraries. It backs nothing up and \
            restores nothing: the program keytool does that, and makes the keystore.

            The commands are explained in man keytool-lab.
            """,
        version: "keytool-lab \(Release.version)",
        subcommands: [TelegramNoun.self, TextSecureNoun.self, SophaxChatNoun.self])

    @OptionGroup var globals: GlobalOptions

    static var grammar: CommandGrammar {
        CommandGrammar(
            root: Self.self, commonNames: commonNames,
            valuedOptions: [GlobalOptions.keystoreName], letters: "o",
            forms: [TelegramMessenger.words.forms, TextSecureMessenger.words.forms, SophaxChatMessenger.words.forms]
                .reduce(into: [SessionWaitOptions.form.name: SessionWaitOptions.form.words]) {
                    $0.merge($1) { first, _ in first }
                },
            details: "each wait for a program that uses the sessions", beginning: [],
            examples: examples.split(separator: "\n").map(String.init))
    }

    /// What other programs call the verbs.
    private static let commonNames = CommonNames(table: [
        ("telegram", [("open packet", "telegram open-packet"), ("seal", "telegram seal-packet")]),
        (
            "textsecure",
            [
                ("open push", "textsecure open-push"), ("seal", "textsecure seal-push"),
                ("attach encrypt", "textsecure seal-attachment"),
                ("attachment decrypt", "textsecure open-attachment"), ("hash tokens", "textsecure hash-numbers"),
                ("match", "textsecure match-tokens"),
            ]
        ),
        ("sophaxchat", [("pin", "sophaxchat set-pin"), ("duress", "sophaxchat set-duress-pin")]),
    ])

    static var messengers: Messengers { Messengers([]) }

    static func main() { Program.run(Self.self, in: grammar, family: "keytool") }

    /// How each verb is typed, for its help. Tests compare the lines with the verbs and their options.
    private static let examples = """
        keytool-lab telegram open-packet packet.bin
        keytool-lab telegram seal-packet message.bin -o packet.bin
        keytool-lab textsecure request upload-keys -o upload.json
        keytool-lab textsecure open-push push.json
        keytool-lab textsecure seal-push message.bin -o push.bin
        keytool-lab textsecure seal-attachment photo.jpg -o blob --key-out photo.key
        keytool-lab textsecure open-attachment blob -o photo.jpg
        keytool-lab textsecure hash-numbers numbers.txt
        keytool-lab textsecure match-tokens answer.json --numbers numbers.txt
        keytool-lab sophaxchat list-sessions
        keytool-lab sophaxchat show-session 0123456789abcdef0123456789abcdef
        keytool-lab sophaxchat show-group group-id
        keytool-lab sophaxchat rekey-group group-id --members '0123456789abcdef0123456789abcdef fedcba9876543210fedcba9876543210' -o chain.json
        keytool-lab sophaxchat set-pin
        keytool-lab sophaxchat set-duress-pin
        keytool-lab sophaxchat check-pin
        """
}

extension Noun {
    typealias Root = KeytoolLab
}

extension Verb {
    typealias Root = KeytoolLab
}

struct TelegramNoun: Noun {
    static let name = TelegramMessenger.name
    static let abstract = "Open and make packets of MTProto version 1."
    static var verbs: [any ParsableCommand.Type] { [TelegramOpenPacket.self, TelegramSealPacket.self] }

    @OptionGroup var globals: GlobalOptions
}

struct TextSecureNoun: Noun {
    static let name = TextSecureMessenger.name
    static let abstract = "Open and make pushes, attachments and requests."
    static var verbs: [any ParsableCommand.Type] {
        [
            TextSecureRequest.self, TextSecureOpenPush.self, TextSecureSealPush.self, TextSecureSealAttachment.self,
            TextSecureOpenAttachment.self, TextSecureHashNumbers.self, TextSecureMatchTokens.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}

struct SophaxChatNoun: Noun {
    static let name = SophaxChatMessenger.name
    static let abstract = "Show sessions and groups; try the PIN of the app's lock."
    static var verbs: [any ParsableCommand.Type] {
        [
            SophaxListSessions.self, SophaxShowSession.self, SophaxShowGroup.self, SophaxRekeyGroup.self,
            SophaxSetPIN.self, SophaxSetDuressPIN.self, SophaxCheckPIN.self,
        ]
    }

    @OptionGroup var globals: GlobalOptions
}
