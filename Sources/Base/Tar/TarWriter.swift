internal import SecureMemory

/// Writes a tar archive of plain files, piece by piece. Each file has mode 0600 and belongs to number 0.
package struct TarWriter: ~Copyable {
    private let seconds: Int
    private let write: (Span<UInt8>) throws -> Void

    /// - Parameters:
    ///   - seconds: the time of modification of all files, in seconds since the epoch; a time before it, or after the
    ///     year 2242, is moved there.
    ///   - write: takes the bytes of the archive, in pieces of any length.
    package init(modified seconds: Int64, write: @escaping (Span<UInt8>) throws -> Void) {
        self.seconds = Int(min(max(0, seconds), Int64(TarBlock.maxNumber)))
        self.write = write
    }

    /// The length in bytes of an archive of files of these lengths.
    package static func count(ofFiles lengths: some Sequence<Int>) -> Int {
        lengths.reduce(2 * TarBlock.count) { $0 + TarBlock.count * (1 + TarBlock.blocks($1)) }
    }

    /// Adds a file.
    /// - Parameters:
    ///   - name: not used before in this archive.
    ///   - content: less than 8 GiB.
    /// - Throws: what `write` throws. The archive is then incomplete: begin another one.
    package func add(_ name: TarName, _ content: Span<UInt8>) throws {
        precondition(content.count <= TarBlock.maxNumber)
        let header = header(name, count: content.count)
        try write(header.span)
        try write(content)
        let padding = [UInt8](repeating: 0, count: TarBlock.blocks(content.count) * TarBlock.count - content.count)
        try write(padding.span)
    }

    /// Writes the end of the archive.
    /// - Throws: what `write` throws.
    package consuming func finish() throws {
        let end = [UInt8](repeating: 0, count: 2 * TarBlock.count)
        try write(end.span)
    }

    private func header(_ name: TarName, count: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: TarBlock.count)
        func put(_ bytes: [UInt8], _ field: Range<Int>) {
            header.replaceSubrange(field.lowerBound..<field.lowerBound + bytes.count, with: bytes)
        }
        func number(_ value: Int, _ field: Range<Int>) {
            let digits = String(value, radix: 8)
            put(Array((String(repeating: "0", count: field.count - 1 - digits.utf8.count) + digits).utf8), field)
        }
        // Cannot fail: a `TarName` fits.
        let fields = name.fields!
        put(fields.name, TarBlock.name)
        put(fields.prefix, TarBlock.prefix)
        number(0o600, TarBlock.mode)
        number(0, TarBlock.user)
        number(0, TarBlock.group)
        number(count, TarBlock.length)
        number(seconds, TarBlock.time)
        header[TarBlock.type] = UInt8(ascii: "0")
        put(TarBlock.posixMagic, TarBlock.magic)
        let sum = TarBlock.sum(header.span)
        // Six digits, NUL and a blank, as every tar writes it.
        number(sum, TarBlock.checksum.lowerBound..<TarBlock.checksum.upperBound - 1)
        header[TarBlock.checksum.upperBound - 1] = 0x20
        return header
    }
}
