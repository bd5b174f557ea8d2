import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ProfileSet: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change nickname, picture, links and settings of a profile.",
        discussion: """
            Only what is named changes. The next keytool safe push uploads it; a phone has it after it restores the \
            Safe backup. Phone number and e-mail address are only noted in the profile: the directory is not told.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: ArgumentHelp("The name that others see. Empty to remove it.", valueName: "name"))
    var nickname: String?

    @Option(
        help: ArgumentHelp(
            "The profile picture: baseline JPEG, at most 400 x 400 pixels, without metadata; or none.",
            valueName: "file"),
        completion: .file())
    var picture: String?

    @Option(help: ArgumentHelp("Who may see the picture: everyone, nobody, or IDs with commas.", valueName: "who"))
    var pictureFor: AudienceArgument?

    @Option(help: ArgumentHelp("The linked phone number with its country: +41…; or none.", valueName: "phone-number"))
    var phone: Removable<String>?

    @Option(help: ArgumentHelp("The linked e-mail address; or none.", valueName: "address"))
    var email: Removable<String>?

    @Option(help: ArgumentHelp("The blocked IDs, with commas; or none.", valueName: "ids"))
    var blocked: Removable<CommaSeparatedIDs>?

    @Option(help: ArgumentHelp("Compare the phone's address book with the directory.", valueName: "on|off"))
    var syncContacts: OnOff?

    @Option(help: ArgumentHelp("Refuse messages of people who are not contacts.", valueName: "on|off"))
    var blockUnknown: OnOff?

    @Option(help: ArgumentHelp("Tell senders when their message was read.", valueName: "on|off"))
    var readReceipts: OnOff?

    @Option(help: ArgumentHelp("Show others when you type.", valueName: "on|off"))
    var typing: OnOff?

    @Option(help: ArgumentHelp("Accept calls.", valueName: "on|off"))
    var calls: OnOff?

    @Option(help: ArgumentHelp("Send calls over a relay, which hides your IP address.", valueName: "on|off"))
    var relayCalls: OnOff?

    @Option(help: ArgumentHelp("Forbid screenshots of the app.", valueName: "on|off"))
    var blockScreenshots: OnOff?

    @Option(help: ArgumentHelp("Ask the phone's keyboard not to learn from you.", valueName: "on|off"))
    var privateKeyboard: OnOff?

    @OptionGroup var keystore: KeystoreOptions

    private var flags: [(SafeSettings.Flag, OnOff?)] {
        [
            (.syncContacts, syncContacts), (.blockUnknown, blockUnknown), (.readReceipts, readReceipts),
            (.sendTyping, typing), (.threemaCalls, calls), (.relayThreemaCalls, relayCalls),
            (.disableScreenshots, blockScreenshots), (.incognitoKeyboard, privateKeyboard),
        ]
    }

    func validate() throws {
        let others = [
            nickname != nil, picture != nil, pictureFor != nil, phone != nil, email != nil, blocked != nil,
        ]
        guard others.contains(true) || flags.contains(where: { $0.1 != nil }) else {
            throw ValidationError("say what to change, for example --nickname NAME")
        }
        guard nickname?.hasControlCharacter != true else {
            throw ValidationError("a nickname has no control characters")
        }
        guard nickname?.utf8.count ?? 0 <= 32 else { throw ValidationError("a nickname has at most 32 bytes in UTF-8") }
    }

    func run(_ session: Session) throws {
        // A wrong address or picture is no reason to ask for a passphrase.
        let number = try phone?.value.map(PhoneNumber.init(typed:))
        let address = try email?.value.map(EmailAddress.init(typed:))
        let picture = try picture.map { $0 == "none" ? nil : try Self.read($0) }
        let (keeper, id) = try session.open(named.id, keystore)
        let difference = try keeper.profiles.edit(id) { document in
            var document = document
            if let nickname { document = document.settingNickname(nickname) }
            if let picture { document = document.settingPicture(picture) }
            if let pictureFor { document = document.settingPictureAudience(pictureFor.audience) }
            if phone != nil { document = document.settingLink(.mobile, to: number?.digits) }
            if email != nil { document = document.settingLink(.email, to: address?.text) }
            if let blocked { document = document.settingBlockedContacts(blocked.value?.ids ?? []) }
            for (flag, value) in flags {
                if let value { document = document.setting(flag, to: value == .on) }
            }
            return document
        }
        let words = DifferenceWords(difference)
        try session.output.done(
            [words.changedParts.isEmpty ? "nothing changed" : "changed \(words.changedParts.joined(separator: ", "))"],
            json: .result("profile set", [("id", .string(id.text)), ("changed", words.changedPartsJSON)]))
    }

    private static func read(_ path: String) throws -> ProfilePicture {
        let bytes: [UInt8]
        do {
            bytes = try InputFile(plainFile: path).readBytes(.bytes, limit: ProfilePicture.maxBytes)
        } catch InputError.tooLong(let limit) {
            throw PictureFileError(path: path, error: .tooLong(bytes: limit + 1, limit: limit))
        }
        do throws(ProfilePictureError) {
            return try ProfilePicture(jpeg: bytes)
        } catch {
            throw PictureFileError(path: path, error: error)
        }
    }
}
