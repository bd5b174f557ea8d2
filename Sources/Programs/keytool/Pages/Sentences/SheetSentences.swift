/// What the page with a backup code says.
struct SheetSentences: PageSentences {
    /// Name of the document.
    let name: Sentence
    let title: Sentence
    let warning: Sentence
    let id: Sentence
    let checkWord: Sentence
    let madeOn: Sentence
    let technician: Sentence
    let scheme: Sentence
    let publicKey: Sentence
    let codeHeading: Sentence
    let rowCheck: Sentence
    let restoring: Sentence
    /// The way with the app, and with keytool, for a code that every app reads.
    let app: [Sentence]
    /// Only the way with keytool.
    let keytool: [Sentence]
    /// Behind it, for a code that only some apps read.
    let notOnIOS: [Sentence]
    let package: [Sentence]
    let bothAsk: Sentence
    let keytoolAsks: Sentence
    let details: Sentence
    let offline: [Sentence]
    /// Before a line to write on.
    let passwordPlace: Sentence
    let notes: Sentence
    let storage: Sentence

    static let english = SheetSentences(
        name: "Threema ID backup of {id}",
        title: "Threema ID backup",
        warning: "This page and its password bring the Threema account {id} back. Keep both secret.",
        id: "Threema ID",
        checkWord: "Check word of this code",
        madeOn: "Made on",
        technician: "For a technician",
        scheme: "Scheme",
        publicKey: "Public key",
        codeHeading: "Backup code: A-Z and 2-7, so O and I are letters",
        rowCheck: "row check",
        restoring: "How to restore the account",
        app: [
            "The easiest way is the Threema app: while setting it up, scan the QR code as an ID backup.",
            "Or with keytool, a program for Linux: type keytool backup import, and then the groups of the code.",
        ],
        keytool: ["With keytool, a program for Linux: type keytool backup import, and then the groups of the code."],
        notOnIOS: ["The Threema app for iOS cannot read this code; keytool can."],
        package: [
            "Look for the package messenger-keytool among the owner's files: Debian may not have it.",
            "If keytool is not found, or answers \"Illegal option\", type messenger-keytool instead.",
        ],
        bothAsk: "Both programs ask for the password. Then compare ID, public key and check word.",
        keytoolAsks: "keytool asks for the password. Then compare ID, public key and check word.",
        details: "A row check may be typed after its row. A photo: keytool backup import --qr-image FILE",
        offline: [
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
        ],
        passwordPlace: "The password is kept by or at:",
        notes: "Notes, and a hint about the password that helps only you:",
        storage: "Do not write the password here, and do not store it with this page."
    )

    static let german = SheetSentences(
        name: "Backup der Threema-ID {id}",
        title: "Backup einer Threema-ID",
        warning: "Diese Seite und ihr Passwort bringen das Konto {id} zurück. Halten Sie beide geheim.",
        id: "Threema-ID",
        checkWord: "Prüfwort dieses Codes",
        madeOn: "Erstellt am",
        technician: "Für Fachleute",
        scheme: "Verfahren",
        publicKey: "Öffentlicher Schlüssel",
        codeHeading: "Backup-Code: A-Z und 2-7, also sind O und I Buchstaben",
        rowCheck: "Zeilenprüfung",
        restoring: "So stellen Sie das Konto wieder her",
        app: [
            "Am einfachsten mit der Threema-App: Scannen Sie beim Einrichten den QR-Code (ID-Backup).",
            "Oder mit keytool, einem Programm für Linux: Tippen Sie keytool backup import und den Code.",
        ],
        keytool: ["Mit keytool, einem Programm für Linux: Tippen Sie keytool backup import und dann den Code."],
        notOnIOS: ["Die Threema-App für iOS kann diesen Code nicht lesen, keytool kann es."],
        package: [
            "Suchen Sie das Paket messenger-keytool beim Besitzer: Debian hat es vielleicht nicht.",
            "Fehlt keytool, oder meldet es \"Illegal option\", tippen Sie stattdessen messenger-keytool.",
        ],
        bothAsk:
            "Beide Programme fragen nach dem Passwort. Vergleichen Sie dann ID, Schlüssel und Prüfwort.",
        keytoolAsks: "keytool fragt nach dem Passwort. Vergleichen Sie dann ID, Schlüssel und Prüfwort.",
        details: "Nach einer Zeile darf ihre Zeilenprüfung folgen. Foto: keytool backup import --qr-image DATEI",
        offline: [
            "Eine ID, die offline erzeugt wurde (keytool id create ohne --directory), kennt kein Verzeichnis:",
            "Die Apps auf dem Telefon können sie nicht wiederherstellen, keytool kann es.",
        ],
        passwordPlace: "Das Passwort ist bei:",
        notes: "Notizen, und ein Hinweis auf das Passwort, der nur Ihnen hilft:",
        storage: "Schreiben Sie das Passwort nicht hierher, und bewahren Sie es nicht mit dieser Seite auf."
    )
}
