/// What a page says of the directory of an identity.
struct DirectorySentences: PageSentences {
    let directory: Sentence
    /// The provisioning file of a company, the key that signs it, and the user of the licence.
    let file: Sentence
    let key: Sentence
    let user: Sentence
    /// What the directory is for, if it is not that of a company.
    let other: [Sentence]
    let company: [Sentence]

    static let english = DirectorySentences(
        directory: "Directory",
        file: "Company's file",
        key: "Key of the file",
        user: "Licence user",
        other: [
            "This directory knows the ID. To revoke the ID, keytool id revoke needs its address: --directory ADDRESS"
        ],
        company: [
            "The ID is one of a company: it needs the company's servers and licence. First import the company's file, with",
            "its key and the user of the licence: keytool onprem import. Then keytool id revoke takes --directory ADDRESS",
        ]
    )

    static let german = DirectorySentences(
        directory: "Verzeichnis",
        file: "Datei der Firma",
        key: "Ihr Schlüssel",
        user: "Lizenzbenutzer",
        other: [
            "Dieses Verzeichnis kennt die ID. Zum Widerrufen: keytool id revoke mit --directory ADRESSE"
        ],
        company: [
            "Die ID gehört zu einer Firma und braucht deren Server und Lizenz. Importieren Sie zuerst deren Datei, mit",
            "Schlüssel und Lizenzbenutzer: keytool onprem import. Dann: keytool id revoke mit --directory ADRESSE",
        ]
    )
}
