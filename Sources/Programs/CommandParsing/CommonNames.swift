/// What other programs call a verb, and what this one calls it.
package struct CommonNames {
    let table: [(noun: String, verbs: [(names: String, meaning: String)])]
    let special: Set<String>

    /// - Parameters:
    ///   - special: nouns that are meant by a word without a noun only if no other one is.
    ///   - table: by noun: other names of a verb, with blanks between them, and the command that they mean.
    package init(special: Set<String> = [], table: [(noun: String, verbs: [(names: String, meaning: String)])]) {
        self.table = table
        self.special = special
    }

    /// The commands that may be meant by a word behind this noun; without a noun, behind any.
    func meanings(of word: String, behind noun: String?) -> [String] {
        let nouns = noun.map { [$0] } ?? table.map(\.noun).filter { !special.contains($0) }
        return table.filter { nouns.contains($0.noun) }.flatMap { entry in
            entry.verbs.filter { $0.names.split(separator: " ").contains { $0 == word } }.map(\.meaning)
        }
    }
}
