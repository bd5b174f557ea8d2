/// What an emergency kit says beside the sentences of a code's page and of a card.
struct KitSentences: PageSentences {
    let title: Sentence
    let warning: [Sentence]
    let writtenBy: Sentence
    let pageNumber: Sentence
    let gettingHeading: Sentence
    let getting: [Sentence]
    let safeHeading: Sentence
    /// Above the command of the first Safe.
    let safe: Sentence
    /// Above that, if there are several; and above the command of each further one.
    let firstPlace: Sentence
    let nextPlace: Sentence
    /// What keytool asks for, without a login and with one.
    let asksSafe: [Sentence]
    let asksLogin: [Sentence]
    let noSafeHeading: Sentence
    let noSafe: Sentence
    let codeHeading: Sentence
    let code: Sentence
    /// For an ID that no app takes.
    let codeWithoutApp: Sentence
    /// Of a Gateway ID.
    let gatewaySecret: Sentence
    let asksCode: [Sentence]
    let comparingHeading: Sentence
    let comparing: Sentence
    let passwordsHeading: Sentence
    let passwords: Sentence
    let backupPassword: Sentence
    let licencePassword: Sentence
    let safePassword: Sentence
    let serverPassword: Sentence

    static let english = KitSentences(
        title: "Emergency kit for the Threema ID {id}",
        warning: [
            "Written on {day} with keytool {version}. There is no password on it.",
            "It brings the Threema account {id} back, with its passwords. Keep both secret, and apart.",
        ],
        writtenBy: "Written by, and how to reach me:",
        pageNumber: "Page {number} of {count}",
        gettingHeading: "1. Get the program keytool",
        getting: [
            "You need a computer with Linux, and the package messenger-keytool; look for it among the files that the writer",
            "has left: Debian's archive may not have it. In a terminal, type the lines that begin with \"keytool\" exactly as",
            "they stand here, then Enter. If keytool is not found, or answers \"Illegal option\", type messenger-keytool instead.",
        ],
        safeHeading: "2. Restore from the Safe: the ID with its profile and contacts",
        safe: "Type (in bash or zsh; a \\ at the end of a line belongs to it):",
        firstPlace: "From the Safe \"{word}\":",
        nextPlace: "Or from the Safe \"{word}\", if another one fails. Type:",
        asksSafe: [
            "keytool asks for the Safe password. If it asks for a keystore passphrase, press Enter, and answer y.",
            "If it says \"restored\", go to step 4.",
        ],
        asksLogin: [
            "keytool asks for the server password and for the Safe password. If it asks for a keystore passphrase, press",
            "Enter, and answer y. If it says \"restored\", go to step 4.",
        ],
        noSafeHeading: "2. There is no Safe",
        noSafe: "When this kit was written, {id} had no Safe backup. Go to step 3.",
        codeHeading: "3. Restore from the backup code: the ID without profile and contacts",
        code: "If there is no Safe, or it fails: with the Threema app, restore from an ID backup (QR code). Or type:",
        codeWithoutApp: "If there is no Safe, or it fails, type:",
        gatewaySecret:
            "The API secret of {id} is not here. If you have it in a file, add --gateway-secret-file FILE to the line above.",
        asksCode: [
            "keytool asks for the code: type each row below with its row check, then Enter. Then it asks for the check",
            "word and for the backup password. If it asks for a keystore passphrase, press Enter, and answer y.",
        ],
        comparingHeading: "4. Compare the public key",
        comparing: "keytool has to show the same key as this page. Type:",
        passwordsHeading: "Passwords",
        passwords: "Write where each of them is. Write it here only if nobody else can read this kit.",
        backupPassword: "Backup password",
        licencePassword: "Licence password",
        safePassword: "Safe password",
        serverPassword: "Server password"
    )

    static let german = KitSentences(
        title: "Notfallblatt für die Threema-ID {id}",
        warning: [
            "Geschrieben am {day} mit keytool {version}. Es enthält kein Passwort.",
            "Mit seinen Passwörtern bringt es das Threema-Konto {id} zurück. Halten Sie beides geheim und getrennt.",
        ],
        writtenBy: "Geschrieben von, und so bin ich erreichbar:",
        pageNumber: "Seite {number} von {count}",
        gettingHeading: "1. Das Programm keytool beschaffen",
        getting: [
            "Sie brauchen einen Computer mit Linux und das Paket messenger-keytool; suchen Sie es bei den Dateien, die Ihnen",
            "hinterlassen wurden: Debian hat es vielleicht nicht. Tippen Sie im Terminal die Zeilen, die mit \"keytool\"",
            "beginnen, genau so, dann Enter. Fehlt keytool, oder meldet es \"Illegal option\", tippen Sie messenger-keytool.",
        ],
        safeHeading: "2. Aus dem Safe wiederherstellen: die ID mit Profil und Kontakten",
        safe: "Tippen Sie (in bash oder zsh; ein \\ am Ende einer Zeile gehört dazu):",
        firstPlace: "Aus dem Safe \"{word}\":",
        nextPlace: "Oder aus dem Safe \"{word}\", falls ein anderer versagt. Tippen Sie:",
        asksSafe: [
            "keytool fragt nach dem Safe-Passwort. Fragt es nach einer \"keystore passphrase\", drücken Sie Enter, und",
            "antworten Sie mit y. Meldet es \"restored\", gehen Sie zu Schritt 4.",
        ],
        asksLogin: [
            "keytool fragt nach dem Server-Passwort und dem Safe-Passwort. Fragt es nach einer \"keystore passphrase\",",
            "drücken Sie Enter, und antworten Sie mit y. Meldet es \"restored\", gehen Sie zu Schritt 4.",
        ],
        noSafeHeading: "2. Es gibt keinen Safe",
        noSafe: "Als dieses Blatt geschrieben wurde, hatte {id} keinen Safe. Gehen Sie zu Schritt 3.",
        codeHeading: "3. Aus dem Backup-Code wiederherstellen: die ID ohne Profil und Kontakte",
        code: "Ohne Safe, oder falls er versagt: mit der Threema-App vom ID-Backup (QR-Code). Oder tippen Sie:",
        codeWithoutApp: "Ohne Safe, oder falls er versagt, tippen Sie:",
        gatewaySecret:
            "Das API-Secret von {id} ist nicht hier. Falls Sie es in einer Datei haben: --gateway-secret-file DATEI anfügen.",
        asksCode: [
            "Tippen Sie jede Zeile des Codes mit ihrer Zeilenprüfung, dann Enter. Danach fragt keytool nach Prüfwort und",
            "Backup-Passwort. Fragt es nach einer \"keystore passphrase\", drücken Sie Enter, und antworten Sie mit y.",
        ],
        comparingHeading: "4. Den öffentlichen Schlüssel vergleichen",
        comparing: "keytool muss denselben Schlüssel zeigen wie dieses Blatt. Tippen Sie:",
        passwordsHeading: "Passwörter",
        passwords:
            "Schreiben Sie auf, wo jedes ist. Das Passwort selbst nur, falls sonst niemand dieses Blatt lesen kann.",
        backupPassword: "Backup-Passwort",
        licencePassword: "Lizenz-Passwort",
        safePassword: "Safe-Passwort",
        serverPassword: "Server-Passwort"
    )
}
