/// What the page of a share of an archive's key says, beside what all shares have in common.
struct ArchiveShareSentences: PageSentences {
    let title: Sentence
    /// Below the title: how many are needed, and what they are worth.
    let warning: Sentence
    let file: Sentence
    let recipient: Sentence
    let opening: Sentence
    let withKeytool: [Sentence]
    /// Before the program that makes a key.
    let withoutKeytool: [Sentence]
    /// Before the command that takes the key.
    let withKey: [Sentence]
    let wallets: Sentence
    let storage: Sentence

    static let english = ArchiveShareSentences(
        title: "Share {number} of {count} of a keytool archive",
        warning: """
            Any {threshold} of the {count} shares open the archive. Anyone who has them and the file has all keys in it.
            """,
        file: "File",
        recipient: "Recipient",
        opening: "How to open the archive",
        withKeytool: [
            "With keytool (messenger-keytool), a program for Linux: keytool archive import --shares {word}",
            "It asks for the words; the first four letters of each are enough. The same shares open every archive",
            "for the recipient above. keytool backup check --share says whether the words of one share are right.",
        ],
        withoutKeytool: [
            "Without keytool: every program for SLIP-39 joins the shares, without a passphrase, to a master secret",
            "of 64 characters. One is shamir-mnemonic for Python: shamir recover",
            "This Python program (python3) asks for the master secret, and prints a key for the program age:",
        ],
        withKey: [
            "Write that line to a file key.txt. Then age and tar unpack the archive; its README.txt explains the rest:"
        ],
        wallets: "The words are not those of a wallet, although wallets accept them.",
        storage: "Store no other share of this archive in the same place, and type the words into no website."
    )

    static let german = ArchiveShareSentences(
        title: "Teilschlüssel {number} von {count} eines keytool-Archivs",
        warning: "Je {threshold} der {count} öffnen das Archiv. Wer sie und die Datei hat, hat alle Schlüssel darin.",
        file: "Datei",
        recipient: "Empfänger",
        opening: "So öffnen Sie das Archiv",
        withKeytool: [
            "Mit keytool (messenger-keytool), einem Programm für Linux: keytool archive import --shares {word}",
            "Es fragt nach den Wörtern; je vier Buchstaben genügen. Dieselben Teilschlüssel öffnen jedes Archiv für",
            "den Empfänger oben. keytool backup check --share prüft, ob die Wörter eines Teilschlüssels stimmen.",
        ],
        withoutKeytool: [
            "Ohne keytool: Jedes Programm für SLIP-39 fügt die Teilschlüssel ohne Passphrase zu einem Geheimnis",
            "(master secret) aus 64 Zeichen zusammen. Eines ist shamir-mnemonic für Python: shamir recover",
            "Dieses Python-Programm (python3) fragt danach und gibt einen Schlüssel für das Programm age aus:",
        ],
        withKey: [
            "Schreiben Sie diese Zeile in eine Datei key.txt. Dann entpacken age und tar das Archiv (siehe README.txt):"
        ],
        wallets: "Die Wörter gehören zu keiner digitalen Geldbörse (Wallet), auch wenn Wallets sie annehmen.",
        storage: "Bewahren Sie hier keinen zweiten Teilschlüssel auf. Geben Sie die Wörter auf keiner Website ein."
    )
}
