internal import Encodings
internal import SecureMemory

/// Writes a file to a closure, with or without armor.
final class ByteSink {
    typealias Output = (Span<UInt8>) throws -> Void

    private let output: Output
    private let isArmored: Bool
    /// With armor: bytes that do not fill a line yet.
    private var pending: [UInt8] = []
    private var hasBegun = false

    init(_ output: @escaping Output, isArmored: Bool) {
        self.output = output
        self.isArmored = isArmored
    }

    /// - Parameter bytes: of a header, or sealed; no plaintext.
    func write(_ bytes: Span<UInt8>) throws {
        guard isArmored else { return try output(bytes) }
        pending += bytes.revealBytes()
        let count = pending.count / Armor.lineBytes * Armor.lineBytes
        let text = lines(pending[..<count])
        pending.removeFirst(count)
        try output(text.span)
    }

    /// Writes the last line and the label behind it.
    func finish() throws {
        guard isArmored else { return }
        let text = lines(pending[...]) + Array((Armor.end + "\n").utf8)
        pending = []
        try output(text.span)
    }

    private func lines(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text = hasBegun ? [] : Array((Armor.begin + "\n").utf8)
        hasBegun = true
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: Armor.lineBytes) {
            let line = Array(bytes[start..<min(start + Armor.lineBytes, bytes.endIndex)])
            text += Base64.encode(line.span).utf8
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }
}
