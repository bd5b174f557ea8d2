import Console

/// What a file is written as; the ending of its name says which. The raw value is that ending, without the dot.
protocol FileFormat: CaseIterable, RawRepresentable<String> {}

extension FileFormat {
    /// - Parameters:
    ///   - option: the option that names the file, for the refusal. The name itself is not repeated: it may be a
    ///     secret in the wrong place.
    ///   - isPrintable: whether `-` would mean stdout.
    /// - Throws: `UsageFailure` if the name has another ending.
    init(of path: String, option: String, orStandardOutput isPrintable: Bool = false) throws {
        let name = path.lowercased()
        guard let format = Self.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) else {
            let endings = Self.allCases.map { ".\($0.rawValue)" }.joined(separator: " or ")
            throw UsageFailure(
                "\(option) needs a file name that ends in \(endings)" + (isPrintable ? ", or - for stdout" : ""))
        }
        self = format
    }
}
