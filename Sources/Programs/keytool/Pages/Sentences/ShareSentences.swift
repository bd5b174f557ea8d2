/// What the page of a share says.
struct ShareSentences: PageSentences {
    let title: Sentence
    /// Below the title: what the pages are for, and when.
    let warning: [Sentence]
    /// Before a line to write on.
    let owner: Sentence
    let id: Sentence
    let share: Sentence
    let shareNumber: Sentence
    let checkWord: Sentence
    let set: Sentence
    let madeOn: Sentence
    let publicKey: Sentence
    let wordsHeading: Sentence
    let restoring: Sentence
    /// The first step, if one more share is needed.
    let askOne: Sentence
    /// If several more are needed.
    let askOthers: Sentence
    /// What to do with them.
    let steps: [Sentence]
    let technician: Sentence
    let details: [Sentence]
    /// Of an ID that has no directory.
    let offline: [Sentence]
    /// Before lines to write on.
    let otherHolders: Sentence
    let givenTo: Sentence
    let storage: Sentence

    static let english = ShareSentences(
        title: "Share {number} of {count} of the Threema ID {id}",
        warning: [
            "With any {threshold} of these {count} pages, the Threema account {id} can be restored.",
            "Use them if its owner has lost the account, is ill or has died. Until then, keep this page secret.",
        ],
        owner: "The account belongs to:",
        id: "Threema ID",
        share: "Share",
        shareNumber: "{number} of {count}; {threshold} are needed",
        checkWord: "Check word of the restored key (not a password)",
        set: "These pages belong together",
        madeOn: "Made on",
        publicKey: "Public key",
        wordsHeading: "The words of this share",
        restoring: "How to restore the account",
        askOne: "1. Ask a person who has another of these pages for it: you need any {threshold}, with this one.",
        askOthers: """
            1. Ask people who have the other pages for {others} of them: you need any {threshold}, with this one.
            """,
        steps: [
            "2. Find somebody who has a computer with Linux, and the program keytool (package messenger-keytool).",
            "3. Type this command: keytool backup join --id {word}",
            "If keytool is not found, or answers \"Illegal option\", type messenger-keytool instead.",
            "keytool asks for the words of each page. The first four letters of each word are enough.",
            "4. Compare the check word that keytool shows with the one on this page. If it is the same, answer y.",
            "If keytool asks for a keystore passphrase, press Enter, and answer y.",
        ],
        technician: "For a technician",
        details: [
            "Without keytool: every program for SLIP-39 joins the shares, without a passphrase, to 32 bytes:",
            "the private key (X25519) of the ID. One is shamir-mnemonic for Python: shamir recover",
            "keytool backup check --share says whether the words of this share are right.",
        ],
        offline: [
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
        ],
        otherHolders: "The other pages are held by:",
        givenTo: "Given to, and when:",
        storage: "Store no second page in this place. Never type the words into a wallet or a website."
    )

    static let german = ShareSentences(
        title: "Teilschlüssel {number} von {count} der Threema-ID {id}",
        warning: [
            "Mit {threshold} dieser {count} Seiten, egal welchen, lässt sich das Threema-Konto {id} wiederherstellen.",
            "Dafür sind sie da, falls es verloren geht, sein Besitzer krank ist oder stirbt. Sonst halten Sie sie geheim.",
        ],
        owner: "Das Konto gehört:",
        id: "Threema-ID",
        share: "Teilschlüssel",
        shareNumber: "{number} von {count}; {threshold} sind nötig",
        checkWord: "Prüfwort des Schlüssels (kein Passwort)",
        set: "Diese Seiten gehören zusammen",
        madeOn: "Erstellt am",
        publicKey: "Öffentlicher Schlüssel",
        wordsHeading: "Die Wörter dieses Teilschlüssels (sie sind englisch)",
        restoring: "So stellen Sie das Konto wieder her",
        askOne: "1. Bitten Sie eine Person um ihre Seite: Mit dieser brauchen Sie {threshold}, egal welche.",
        askOthers: "1. Bitten Sie {others} Personen um ihre Seiten: Mit dieser brauchen Sie {threshold}, egal welche.",
        steps: [
            "2. Suchen Sie jemanden, der Linux und das Programm keytool (Paket messenger-keytool) hat.",
            "3. Tippen Sie diesen Befehl: keytool backup join --id {word}",
            "Fehlt keytool, oder meldet es \"Illegal option\", tippen Sie stattdessen messenger-keytool.",
            "keytool fragt nach den Wörtern jeder Seite. Die ersten vier Buchstaben jedes Wortes genügen.",
            "4. Vergleichen Sie das angezeigte Prüfwort mit dem auf dieser Seite. Ist es gleich, antworten Sie mit y.",
            "Fragt keytool nach einer \"keystore passphrase\", drücken Sie Enter, und antworten Sie mit y.",
        ],
        technician: "Für Fachleute",
        details: [
            "Ohne keytool: Jedes Programm für SLIP-39 fügt die Teilschlüssel ohne Passphrase zu 32 Bytes zusammen,",
            "dem geheimen Schlüssel (X25519) der ID. Eines ist shamir-mnemonic für Python: shamir recover",
            "keytool backup check --share prüft, ob die Wörter dieses Teilschlüssels stimmen.",
        ],
        offline: [
            "Eine ID, die offline erzeugt wurde (keytool id create ohne --directory), kennt kein Verzeichnis:",
            "Die Apps auf dem Telefon können sie nicht wiederherstellen, keytool kann es.",
        ],
        otherHolders: "Die anderen Seiten haben:",
        givenTo: "Übergeben an, und wann:",
        storage: "Hier darf keine zweite Seite liegen. Geben Sie die Wörter in keine Wallet oder Website ein."
    )
}
