/// What the page of a share says.
struct ShareSentences: PageSentences {
    let title: Sentence
    /// Below the title: how many are needed, and what they are worth.
    let warning: Sentence
    let id: Sentence
    let share: Sentence
    let shareNumber: Sentence
    let checkWord: Sentence
    let set: Sentence
    let madeOn: Sentence
    let publicKey: Sentence
    let wordsHeading: Sentence
    let restoring: Sentence
    /// If one more share is needed.
    let askOne: Sentence
    /// If several more are needed.
    let askOthers: Sentence
    /// What to do with them.
    let steps: [Sentence]
    let givenTo: Sentence
    let storage: Sentence

    static let english = ShareSentences(
        title: "Share {number} of {count} of the Threema ID {id}",
        warning: "Any {threshold} of the {count} shares give the private key. Anyone who has them can act as {id}.",
        id: "ID",
        share: "Share",
        shareNumber: "{number} of {count}; {threshold} are needed",
        checkWord: "Check word",
        set: "Set",
        madeOn: "Made on",
        publicKey: "Public key",
        wordsHeading: "The words of this share",
        restoring: "How to restore it",
        askOne: "Ask the people who have the other shares for one more: {threshold} are needed, whichever they are.",
        askOthers: """
            Ask the people who have the other shares for {others} more: {threshold} are needed, whichever they are.
            """,
        steps: [
            "With keytool (messenger-keytool), a program for Linux: keytool backup join --id {word}",
            "It asks for the words; the first four letters of each are enough. Then compare the check word.",
            "Without keytool: every program for SLIP-39 joins the shares, without a passphrase, to 32 bytes:",
            "the private key (X25519) of the ID. One is shamir-mnemonic for Python: shamir recover",
            "The words are not those of a wallet, although wallets accept them.",
            "keytool backup check --share says whether the words of this share are right.",
            "No directory knows an ID that was created offline (keytool id create without --directory):",
            "the phone apps cannot restore it; keytool can.",
        ],
        givenTo: "Given to, and when:",
        storage: "Store no other share of this ID in the same place, and type the words into no website."
    )

    static let german = ShareSentences(
        title: "Teilschlüssel {number} von {count} der Threema-ID {id}",
        warning: "Je {threshold} der {count} ergeben den geheimen Schlüssel. Wer sie hat, kann sich als {id} ausgeben.",
        id: "ID",
        share: "Teilschlüssel",
        shareNumber: "{number} von {count}; {threshold} sind nötig",
        checkWord: "Prüfwort",
        set: "Satz",
        madeOn: "Erstellt am",
        publicKey: "Öffentlicher Schlüssel",
        wordsHeading: "Die Wörter dieses Teilschlüssels (sie sind englisch)",
        restoring: "So stellen Sie die ID wieder her",
        askOne: "Bitten Sie noch eine Person um ihren Teilschlüssel: {threshold} sind nötig, egal welche.",
        askOthers: "Bitten Sie noch {others} Personen um ihren Teilschlüssel: {threshold} sind nötig, egal welche.",
        steps: [
            "Mit keytool (messenger-keytool), einem Programm für Linux: keytool backup join --id {word}",
            "Es fragt nach den Wörtern; je vier Buchstaben genügen. Vergleichen Sie danach das Prüfwort.",
            "Ohne keytool: Jedes Programm für SLIP-39 fügt die Teilschlüssel ohne Passphrase zu 32 Bytes zusammen,",
            "dem geheimen Schlüssel (X25519) der ID. Eines ist shamir-mnemonic für Python: shamir recover",
            "Die Wörter gehören zu keiner digitalen Geldbörse (Wallet), auch wenn Wallets sie annehmen.",
            "keytool backup check --share prüft, ob die Wörter dieses Teilschlüssels stimmen.",
            "Eine ID, die offline erzeugt wurde (keytool id create ohne --directory), kennt kein Verzeichnis:",
            "Die Apps auf dem Telefon können sie nicht wiederherstellen, keytool kann es.",
        ],
        givenTo: "Übergeben an, und wann:",
        storage: "Bewahren Sie hier keinen zweiten Teilschlüssel auf. Geben Sie die Wörter auf keiner Website ein."
    )
}
