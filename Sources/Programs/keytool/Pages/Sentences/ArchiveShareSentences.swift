/// What the page of a share of an archive's key says, beside what all shares have in common.
struct ArchiveShareSentences: PageSentences {
    let title: Sentence
    /// Below the title: what the pages are for, and when.
    let warning: [Sentence]
    /// Before a line to write on.
    let owner: Sentence
    let file: Sentence
    let recipient: Sentence
    let opening: Sentence
    /// What to do with enough pages.
    let steps: [Sentence]
    let details: [Sentence]
    /// Before the program that makes a key.
    let withoutKeytool: [Sentence]
    /// Before the command that takes the key.
    let withKey: [Sentence]

    static let english = ArchiveShareSentences(
        title: "Share {number} of {count} of a keytool archive",
        warning: [
            "Any {threshold} of these {count} pages open the archive: a file with the keys of accounts.",
            "Use them if its owner has lost the keys, is ill or has died. Until then, keep this page secret.",
        ],
        owner: "The archive belongs to:",
        file: "File",
        recipient: "Recipient",
        opening: "How to open the archive",
        steps: [
            "2. Find the file, and somebody who has Linux and the program keytool (package messenger-keytool).",
            "3. Type this command: keytool archive import --shares {word}",
            "If keytool is not found, or answers \"Illegal option\", type messenger-keytool instead.",
            "keytool asks for the words of each page. The first four letters of each word are enough.",
            "If it asks for a keystore passphrase, press Enter, and answer y.",
        ],
        details: [
            "The same shares open every archive for the recipient. keytool backup check --share checks the words."
        ],
        withoutKeytool: [
            "Without keytool: every program for SLIP-39 joins the shares, without a passphrase, to a master secret",
            "of 64 characters. One is shamir-mnemonic for Python: shamir recover",
            "This Python program (python3) asks for the master secret, and prints a key for the program age:",
        ],
        withKey: [
            "Write that line to a file key.txt. Then age and tar unpack the archive; its README.txt explains the rest:"
        ]
    )

    static let german = ArchiveShareSentences(
        title: "Teilschlüssel {number} von {count} eines keytool-Archivs",
        warning: [
            "{threshold} dieser {count} Seiten, egal welche, öffnen das Archiv: eine Datei mit den Schlüsseln von Konten.",
            "Dafür sind sie da, falls der Besitzer alles verliert, krank ist oder stirbt. Sonst halten Sie sie geheim.",
        ],
        owner: "Das Archiv gehört:",
        file: "Datei",
        recipient: "Empfänger",
        opening: "So öffnen Sie das Archiv",
        steps: [
            "2. Suchen Sie die Datei und jemanden, der Linux und keytool (Paket messenger-keytool) hat.",
            "3. Tippen Sie diesen Befehl: keytool archive import --shares {word}",
            "Fehlt keytool, oder meldet es \"Illegal option\", tippen Sie stattdessen messenger-keytool.",
            "keytool fragt nach den Wörtern jeder Seite. Die ersten vier Buchstaben jedes Wortes genügen.",
            "Fragt es nach einer \"keystore passphrase\", drücken Sie Enter, und antworten Sie mit y.",
        ],
        details: [
            "Die Seiten öffnen jedes Archiv für den Empfänger. keytool backup check --share prüft die Wörter."
        ],
        withoutKeytool: [
            "Ohne keytool: Jedes Programm für SLIP-39 fügt die Teilschlüssel ohne Passphrase zu einem Geheimnis",
            "(master secret) aus 64 Zeichen zusammen. Eines ist shamir-mnemonic für Python: shamir recover",
            "Dieses Python-Programm (python3) fragt danach und gibt einen Schlüssel für das Programm age aus:",
        ],
        withKey: [
            "Schreiben Sie diese Zeile in eine Datei key.txt. Dann entpacken age und tar das Archiv (siehe README.txt):"
        ]
    )
}
