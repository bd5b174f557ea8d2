/// What the page with a backup code says.
struct SheetSentences: PageSentences {
    /// Name of the document.
    let name: Sentence
    let title: Sentence
    let warning: Sentence
    let id: Sentence
    let checkWord: Sentence
    let madeOn: Sentence
    let scheme: Sentence
    let publicKey: Sentence
    let codeHeading: Sentence
    let rowCheck: Sentence
    let restoring: Sentence
    let keytool: [Sentence]
    /// The way with the app, for a code that every app reads.
    let app: Sentence
    /// The same for a code that only some read.
    let someApps: Sentence
    let offline: [Sentence]
    let bothAsk: Sentence
    let keytoolAsks: Sentence
    let notes: Sentence
    let storage: Sentence

    static let english = SheetSentences(
        name: "Threema ID backup of {id}",
        title: "Threema ID backup",
        warning: "Anyone who has this page and its password can act as {id}. Store it like a key.",
        id: "ID",
        checkWord: "Check word",
        madeOn: "Made on",
        scheme: "Scheme",
        publicKey: "Public key",
        codeHeading: "Backup code: A-Z and 2-7, so O and I are letters",
        rowCheck: "row check",
        restoring: "How to restore it",
        keytool: [
            "With keytool (messenger-keytool), a program for Linux. Store its package, messenger-keytool,",
            "with the copies of your files: Debian's archive may not have it.",
            "\"keytool backup import\" asks for the groups; a row check may be typed after its row.",
            "\"keytool backup import --qr-image FILE\" reads a photo or a scan of this page.",
        ],
        app: "With the Threema app: while setting it up, restore from an ID backup and scan the QR code.",
        someApps: "The Threema app for iOS cannot read this code; keytool can.",
        offline: [
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
        ],
        bothAsk: "Both programs ask for the password. Then compare ID, public key and check word.",
        keytoolAsks: "keytool asks for the password. Then compare ID, public key and check word.",
        notes: "Notes, and a hint about the password that helps only you:",
        storage: "Do not write the password here, and do not store it with this page."
    )

    static let german = SheetSentences(
        name: "Backup der Threema-ID {id}",
        title: "Backup einer Threema-ID",
        warning: "Wer diese Seite und ihr Passwort hat, kann sich als {id} ausgeben. Hüten Sie sie gut.",
        id: "ID",
        checkWord: "Prüfwort",
        madeOn: "Erstellt am",
        scheme: "Verfahren",
        publicKey: "Öffentlicher Schlüssel",
        codeHeading: "Backup-Code: A-Z und 2-7, also sind O und I Buchstaben",
        rowCheck: "Zeilenprüfung",
        restoring: "So stellen Sie die ID wieder her",
        keytool: [
            "Mit keytool (messenger-keytool), einem Programm für Linux. Bewahren Sie sein Paket,",
            "messenger-keytool, bei den Kopien Ihrer Dateien auf: Debian bietet es vielleicht nicht an.",
            "\"keytool backup import\" fragt nach den Gruppen; nach einer Zeile darf ihre Zeilenprüfung folgen.",
            "\"keytool backup import --qr-image DATEI\" liest ein Foto oder einen Scan dieser Seite.",
        ],
        app: "Mit der Threema-App: Wählen Sie beim Einrichten das ID-Backup, und scannen Sie den QR-Code.",
        someApps: "Die Threema-App für iOS kann diesen Code nicht lesen, keytool kann es.",
        offline: [
            "Eine ID, die offline erzeugt wurde (keytool id create ohne --directory), kennt kein Verzeichnis:",
            "Die Apps auf dem Telefon können sie nicht wiederherstellen, keytool kann es.",
        ],
        bothAsk: "Beide Programme fragen nach dem Passwort. Vergleichen Sie dann ID, Schlüssel und Prüfwort.",
        keytoolAsks: "keytool fragt nach dem Passwort. Vergleichen Sie dann ID, Schlüssel und Prüfwort.",
        notes: "Notizen, und ein Hinweis auf das Passwort, der nur Ihnen hilft:",
        storage: "Schreiben Sie das Passwort nicht hierher, und bewahren Sie es nicht mit dieser Seite auf."
    )
}
