/// Reads JSON (RFC 8259) strictly, from bytes that may be secret, and checks limits before it allocates.
///
/// It also refuses what two readers could understand differently: duplicate names (compared after unescaping), lone
/// surrogates, invalid UTF-8, and U+0000. Strings may be *cut*: then it reports their places and makes no `String` of
/// them, so that a private key in a document stays in guarded memory.
public struct JSONScanner {
    /// Limits of a document, which are checked while it is read. A document beyond one is refused as `.tooDeep` or
    /// `.tooManyValues`.
    public struct Limits: Sendable {
        /// Deepest nesting of objects and arrays.
        public var depth: Int
        /// Most values in the whole document.
        public var values: Int

        /// The defaults fit the largest Safe document.
        public init(depth: Int = 64, values: Int = 200_000) {
            self.depth = depth
            self.values = values
        }
    }

    private let limits: Limits
    private let cutPaths: [[String]]
    private var values = 0
    private var cuts: [[Range<Int>]]
    /// Number of members of the last object: its siblings often have as many.
    private var expectedMembers = 0
    private static let mostExpectedMembers = 32

    /// Offset of the next byte.
    var position = 0
    var names = NameCache()

    init(limits: Limits, cutPaths: [[String]]) {
        self.limits = limits
        self.cutPaths = cutPaths
        cuts = cutPaths.map { _ in [] }
    }

    /// Reads one document.
    /// - Throws: `JSONError` with the offset in bytes; never a piece of the text.
    public static func parse(_ bytes: Span<UInt8>, limits: Limits = Limits()) throws(JSONError) -> JSONValue {
        try parse(bytes, cutting: [], limits: limits).value
    }

    /// Reads one document without the strings at `paths` (object member names from the root). Their text is not checked
    /// to be valid Unicode.
    /// - Returns: the document without these members; and for each path the range of the text between its quotes, still
    ///   escaped, or nil if the document has no such string. Decode it with `unescape`.
    package static func parse(
        _ bytes: Span<UInt8>, cutting paths: [[String]], limits: Limits = Limits()
    ) throws(JSONError) -> (value: JSONValue, cuts: [Range<Int>?]) {
        let (value, cuts) = try parse(bytes, cuttingEach: paths, limits: limits)
        return (value, cuts.map(\.first))
    }

    /// Stands in a path for each element of an array. No member has this name: U+0000 is refused.
    package static let eachElement = "\0"

    /// Reads one document without the strings at `paths`, which may lead through arrays.
    /// - Parameter paths: names of members from the root, and `eachElement`, which is not the last one.
    /// - Returns: as `parse(_:cutting:limits:)`, but for each path all ranges in their order, at most one of each
    ///   object.
    package static func parse(
        _ bytes: Span<UInt8>, cuttingEach paths: [[String]], limits: Limits = Limits()
    ) throws(JSONError) -> (value: JSONValue, cuts: [[Range<Int>]]) {
        var scanner = JSONScanner(limits: limits, cutPaths: paths)
        scanner.skipBlanks(bytes)
        let value = try scanner.value(bytes, depth: 0, onPaths: Array(paths.indices))
        scanner.skipBlanks(bytes)
        guard scanner.position == bytes.count else { throw .syntax(offset: scanner.position) }
        return (value, scanner.cuts)
    }

    // MARK: Values

    /// - Parameter onPaths: the indices of the paths whose first `depth` names lead here.
    private mutating func value(
        _ bytes: Span<UInt8>, depth: Int, onPaths: [Int]
    ) throws(JSONError) -> JSONValue {
        values += 1
        guard values <= limits.values else { throw .tooManyValues(limit: limits.values) }
        guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
        switch peek(bytes) {
        case UInt8(ascii: "{"): return try object(bytes, depth: depth, onPaths: onPaths)
        case UInt8(ascii: "["): return try array(bytes, depth: depth, onPaths: onPaths)
        case UInt8(ascii: "\""): return .string(try string(bytes))
        case UInt8(ascii: "t"): return try word("true", meaning: .bool(true), bytes)
        case UInt8(ascii: "f"): return try word("false", meaning: .bool(false), bytes)
        case UInt8(ascii: "n"): return try word("null", meaning: .null, bytes)
        default: return .number(try number(bytes))
        }
    }

    private mutating func object(
        _ bytes: Span<UInt8>, depth: Int, onPaths: [Int]
    ) throws(JSONError) -> JSONValue {
        position += 1
        skipBlanks(bytes)
        if accept(UInt8(ascii: "}"), bytes) { return .object([]) }
        var members: [JSONValue.Member] = []
        members.reserveCapacity(expectedMembers)
        var unique = UniqueNames()
        while true {
            let start = position
            guard peek(bytes) == UInt8(ascii: "\"") else { throw .syntax(offset: position) }
            let name = try memberName(bytes)
            guard unique.insert(name, after: members, bytes) else { throw .duplicateName(offset: start) }
            skipBlanks(bytes)
            guard accept(UInt8(ascii: ":"), bytes) else { throw .syntax(offset: position) }
            skipBlanks(bytes)
            let following = onPaths.isEmpty ? [] : paths(onPaths, following: name.text, at: depth)
            if let end = following.first(where: { depth == cutPaths[$0].count - 1 }),
                peek(bytes) == UInt8(ascii: "\"")
            {
                position += 1
                cuts[end].append(try skipSecretString(bytes))
                unique.leaveOut(name)
            } else {
                members.append(.init(name.text, try value(bytes, depth: depth + 1, onPaths: following)))
            }
            skipBlanks(bytes)
            if accept(UInt8(ascii: "}"), bytes) { break }
            guard accept(UInt8(ascii: ","), bytes) else { throw .syntax(offset: position) }
            skipBlanks(bytes)
        }
        expectedMembers = min(members.count, Self.mostExpectedMembers)
        return .object(members)
    }

    /// Those of the paths that go on with this name.
    private func paths(_ onPaths: [Int], following name: String, at depth: Int) -> [Int] {
        onPaths.filter { depth < cutPaths[$0].count && cutPaths[$0][depth].utf8.elementsEqual(name.utf8) }
    }

    private mutating func array(
        _ bytes: Span<UInt8>, depth: Int, onPaths: [Int]
    ) throws(JSONError) -> JSONValue {
        let following = onPaths.isEmpty ? [] : paths(onPaths, following: Self.eachElement, at: depth)
        var elements: [JSONValue] = []
        position += 1
        skipBlanks(bytes)
        if accept(UInt8(ascii: "]"), bytes) { return .array([]) }
        while true {
            elements.append(try value(bytes, depth: depth + 1, onPaths: following))
            skipBlanks(bytes)
            if accept(UInt8(ascii: "]"), bytes) { return .array(elements) }
            guard accept(UInt8(ascii: ","), bytes) else { throw .syntax(offset: position) }
            skipBlanks(bytes)
        }
    }

    private mutating func word(
        _ word: StaticString, meaning value: JSONValue, _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        for character in word.description.utf8 {
            guard accept(character, bytes) else { throw .syntax(offset: position) }
        }
        return value
    }

    // number = [ "-" ] ( "0" / 1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ]
    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = position
        _ = accept(UInt8(ascii: "-"), bytes)
        if !accept(UInt8(ascii: "0"), bytes) { try digits(bytes) }
        if accept(UInt8(ascii: "."), bytes) { try digits(bytes) }
        if accept(UInt8(ascii: "e"), bytes) || accept(UInt8(ascii: "E"), bytes) {
            if !accept(UInt8(ascii: "+"), bytes) { _ = accept(UInt8(ascii: "-"), bytes) }
            try digits(bytes)
        }
        return try Self.text(bytes.extracting(start..<position), offset: start)
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        while let byte = peek(bytes), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw .syntax(offset: position) }
    }

    // MARK: Bytes

    func peek(_ bytes: Span<UInt8>) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    mutating func accept(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard peek(bytes) == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { position += 1 }
    }
}

/// Why a text is not the JSON that is read here. Offsets are in bytes from its start.
public enum JSONError: Error, Equatable, Sendable {
    case syntax(offset: Int)
    case duplicateName(offset: Int)
    /// Invalid UTF-8, a lone surrogate, or U+0000.
    case notUnicode(offset: Int)
    case tooDeep(limit: Int)
    case tooManyValues(limit: Int)
}
