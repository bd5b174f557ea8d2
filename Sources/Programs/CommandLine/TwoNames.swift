/// A value that has a name for people and one for programs.
package protocol TwoNames {
    var names: (words: String, json: String) { get }
}

extension TwoNames {
    /// For people.
    package var words: String { names.words }
    /// For programs.
    package var name: String { names.json }
}
