/// What the card of a Safe says.
struct CardSentences: PageSentences {
    /// Name of the document.
    let name: Sentence
    let title: Sentence
    let id: Sentence
    let nameHere: Sentence
    let server: Sentence
    let user: Sentence
    let authority: Sentence
    let moreAuthorities: Sentence
    let pin: Sentence
    let madeOn: Sentence
    let restoring: Sentence
    let command: Sentence
    let enterPassword: Sentence
    let enterPasswords: Sentence
    /// If the command names the fingerprints of the authorities.
    let trust: [Sentence]
    /// If there are too many of them.
    let trustShown: [Sentence]
    /// The way with the app: for the official server, for another one, for another one with a login.
    let officialApp: [Sentence]
    let app: [Sentence]
    let appWithUser: [Sentence]
    /// If the server is a directory.
    let directory: [Sentence]
    let offline: [Sentence]
    let spelling: Sentence
    let passwords: Sentence

    static let english = CardSentences(
        name: "Threema Safe recovery card of {id}",
        title: "Threema Safe recovery card",
        id: "ID",
        nameHere: "Name here",
        server: "Server",
        user: "User",
        authority: "CA SHA-256",
        moreAuthorities: "and {others} more",
        pin: "Public key pin",
        madeOn: "Made on",
        restoring: "How to restore it",
        command: "1. With keytool (in Debian: messenger-keytool) on Linux, in bash or zsh, as it stands:",
        enterPassword: "2. Enter the Safe password. For a keystore passphrase, press Enter, then y.",
        enterPasswords: "2. Enter the server's password, then the Safe password. Keystore passphrase: Enter, then y.",
        trust: [
            "If keytool says that the server does not send a certificate with this",
            "--ca-fingerprint, its operator has the file for --ca-file instead.",
        ],
        trustShown: ["If keytool shows a certificate, compare it with the one that the operator names."],
        officialApp: ["Or with the Threema app: while setting it up, restore Threema Safe."],
        app: [
            "Or with the Threema app: while setting it up, restore Threema Safe, and enter",
            "this server as another server.",
        ],
        appWithUser: [
            "Or with the Threema app: while setting it up, restore Threema Safe, and enter",
            "this server and user as another server.",
        ],
        directory: [
            "The server is a directory, on the writer's computer or on a disk: connect it",
            "first. If its path is another one here, type that one after file://.",
        ],
        offline: [
            "No directory knows an ID that was created offline (keytool id create without",
            "--directory): the phone apps cannot restore it; keytool can.",
        ],
        spelling: "In the user's name, \\u{NUMBER} is the character with this number in Unicode.",
        passwords: "Passwords, if they must be on paper (better in another place):"
    )

    static let german = CardSentences(
        name: "Notfallkarte für Threema Safe von {id}",
        title: "Notfallkarte für Threema Safe",
        id: "ID",
        nameHere: "Name hier",
        server: "Server",
        user: "Benutzer",
        authority: "CA SHA-256",
        moreAuthorities: "und {others} weitere",
        pin: "Schlüssel-Pin",
        madeOn: "Erstellt am",
        restoring: "So stellen Sie die ID wieder her",
        command: "1. Mit keytool (in Debian: messenger-keytool) unter Linux, in bash oder zsh, genau so:",
        enterPassword: "2. Geben Sie das Safe-Passwort ein. Bei \"keystore passphrase\": Enter, dann y.",
        enterPasswords: "2. Geben Sie das Server-Passwort ein, dann das Safe-Passwort. Keystore passphrase: Enter, y.",
        trust: [
            "Sagt keytool, dass der Server kein Zertifikat mit diesem --ca-fingerprint sendet,",
            "dann hat der Betreiber des Servers die Datei für --ca-file.",
        ],
        trustShown: ["Zeigt keytool ein Zertifikat, vergleichen Sie es mit dem, das der Betreiber nennt."],
        officialApp: ["Oder mit der Threema-App: Stellen Sie beim Einrichten Threema Safe wieder her."],
        app: [
            "Oder mit der Threema-App: Stellen Sie beim Einrichten Threema Safe wieder her,",
            "und geben Sie diesen Server als anderen Server ein.",
        ],
        appWithUser: [
            "Oder mit der Threema-App: Stellen Sie beim Einrichten Threema Safe wieder her,",
            "und geben Sie diesen Server und Benutzer als anderen Server ein.",
        ],
        directory: [
            "Der Server ist ein Verzeichnis, auf dem Computer des Verfassers oder einem",
            "Datenträger: Schließen Sie ihn an. Hat es hier einen anderen Pfad, tippen Sie",
            "diesen hinter file://.",
        ],
        offline: [
            "Eine ID, die offline erzeugt wurde (keytool id create ohne --directory), kennt",
            "kein Verzeichnis: Die Apps können sie nicht wiederherstellen, keytool kann es.",
        ],
        spelling: "Im Namen steht \\u{NUMBER} für das Zeichen mit dieser Nummer in Unicode.",
        passwords: "Passwörter, falls sie auf Papier stehen müssen (besser an einem anderen Ort):"
    )
}
