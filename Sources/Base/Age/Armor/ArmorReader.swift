internal import Encodings
internal import SecureMemory

/// Decodes an armored file, line by line.
final class ArmorReader {
    private enum State { case before, within, ended }

    private let source: ByteSource
    private var state = State.before
    private var lineNumber = 0
    /// A decoded line, and how many bytes of it were taken.
    private var decoded: [UInt8] = []
    private var taken = 0

    init(_ source: ByteSource) { self.source = source }

    /// Reads decoded bytes, as `ByteSource.Input` does.
    /// - Throws: `.armor`, or what the source throws.
    func read(into bytes: inout MutableSpan<UInt8>) throws -> Int {
        if state == .before { try readBeginning() }
        var count = 0
        while count < bytes.count {
            if taken == decoded.count {
                guard state == .within else { break }
                (decoded, taken) = ([], 0)
                try readLine()
            }
            let part = min(bytes.count - count, decoded.count - taken)
            bytes.copy(decoded.span.extracting(taken..<taken + part), to: count)
            count += part
            taken += part
        }
        return count
    }

    private func readBeginning() throws {
        var skipped = 0
        while true {
            guard let line = try nextLine(limit: Armor.maxWhiteSpace) else { throw AgeError.armor(.beginning) }
            if line.elementsEqual(Armor.begin.utf8) { break }
            skipped += line.count + 1
            guard line.allSatisfy(Armor.isWhiteSpace), skipped <= Armor.maxWhiteSpace else {
                throw AgeError.armor(.beginning)
            }
        }
        state = .within
        lineNumber = 0
    }

    /// Decodes a line. The end is read as soon as a line is short.
    private func readLine() throws {
        guard let line = try nextLine(limit: Armor.lineCharacters + 1) else {
            throw AgeError.armor(.end)
        }
        if line.elementsEqual(Armor.end.utf8) { return try readTrailingData() }
        lineNumber += 1
        guard !line.isEmpty, line.count <= Armor.lineCharacters,
            let bytes = Base64.decodePublic(line.span, isPadded: true)
        else { throw AgeError.armor(.line(lineNumber)) }
        decoded = bytes
        guard bytes.count < Armor.lineBytes else { return }
        guard try nextLine(limit: Armor.lineCharacters)?.elementsEqual(Armor.end.utf8) == true else {
            throw AgeError.armor(.end)
        }
        try readTrailingData()
    }

    private func readTrailingData() throws {
        let rest = try source.peek(Armor.maxWhiteSpace + 1)
        guard rest.count <= Armor.maxWhiteSpace, rest.allSatisfy(Armor.isWhiteSpace) else {
            throw AgeError.armor(.trailingData)
        }
        state = .ended
    }

    /// The next line, without LF or CR LF; nil at the end.
    private func nextLine(limit: Int) throws -> [UInt8]? {
        var line: [UInt8]
        switch try source.line(limit: limit) {
        case .complete(let bytes): line = bytes
        case .unterminated(let bytes):
            guard !bytes.isEmpty else { return nil }
            line = bytes
        case .tooLong: throw AgeError.armor(state == .before ? .beginning : .line(lineNumber + 1))
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
