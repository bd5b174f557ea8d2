import Console

extension Array {
    /// The only element, for a command that names none.
    /// - Parameters:
    ///   - things: what they are, in the plural.
    ///   - name: how a person names one.
    /// - Throws: `absent` for an empty list; `UsageFailure` with all names if there are several.
    package func onlyOne(
        _ things: String, named name: (Element) -> String, orAbsent absent: @autoclosure () throws -> any Error
    ) throws -> Element {
        guard let only = first else { throw try absent() }
        guard count == 1 else {
            throw UsageFailure(
                "the keystore holds \(count) \(things); name one of them",
                hint: Hint(map(name).joined(separator: " ")))
        }
        return only
    }
}
