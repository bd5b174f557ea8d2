/// What other programs call a verb, and what it is called here.
enum CommonNames {
    /// The commands that may be meant by a word behind this noun; without a noun, behind any.
    static func meanings(of word: String, behind noun: String?) -> [String] {
        let nouns = noun.map { [$0] } ?? table.map(\.noun)
        return table.filter { nouns.contains($0.noun) }.flatMap { entry in
            entry.verbs.filter { $0.names.split(separator: " ").contains { $0 == word } }.map(\.meaning)
        }
    }

    private static let table: [(noun: String, verbs: [(names: String, meaning: String)])] = [
        (
            "id",
            [
                ("add generate init make new", "id create"), ("ls", "id list"), ("delete rm", "id remove"),
                ("cat get info print view", "id show"), ("export", "backup export"), ("import", "backup import"),
            ]
        ),
        (
            "backup",
            [
                ("create make new print save show write", "backup export"),
                ("load read recover restore", "backup import"), ("test verify", "backup check"),
            ]
        ),
        (
            "safe",
            [
                ("backup put save store sync upload", "safe push"),
                ("download fetch get recover restore", "safe pull"), ("info list ls show", "safe status"),
                ("test verify", "safe check"), ("remove rm", "safe delete"),
                ("add config configure create enable init", "safe setup"), ("password", "safe passwd"),
                ("migrate mv relocate transfer", "safe move"), ("address login url", "safe server"),
            ]
        ),
        (
            "key",
            [
                ("info list show", "key status"), ("encrypt", "key protect"),
                ("change passphrase password", "key passwd"), ("decrypt", "key unprotect"),
            ]
        ),
        ("qr", [("draw print", "qr show"), ("read scan", "backup import --qr-image")]),
    ]
}
