internal import SecureMemory

/// The files of a tar archive: where the content of each one is. Links, devices, sparse files and the extensions of
/// pax and GNU tar are refused; directories are skipped.
package struct TarArchive: Equatable, Sendable {
    /// A plain file.
    package struct File: Equatable, Sendable {
        /// Its name, without a leading `./`.
        package let name: TarName
        /// The place of its content in the archive, in bytes.
        package let content: Range<Int>
        /// Its time of modification, in seconds since the epoch.
        package let seconds: Int64
    }

    /// The files, in their order; each name once.
    package let files: [File]

    /// Finds the files. Nothing is copied.
    /// - Parameters:
    ///   - bytes: the whole archive, with its end.
    ///   - maxEntries: the greatest number of files and directories.
    /// - Throws: `TarError`.
    package init(_ bytes: Span<UInt8>, maxEntries: Int) throws(TarError) {
        var files: [File] = []
        var names: Set<TarName> = []
        var position = 0
        var entries = 0
        while try !Self.isEnd(bytes, at: position) {
            entries += 1
            guard entries <= maxEntries else { throw .tooManyEntries(limit: maxEntries) }
            let header = bytes.extracting(position..<position + TarBlock.count)
            let entry = try Entry(header, at: position)
            position += TarBlock.count
            guard let name = entry.name else { continue }
            guard names.insert(name).inserted else { throw .duplicate(name.text) }
            guard !entry.isDirectory else { continue }
            guard entry.count <= bytes.count - position else { throw .truncated }
            let content = position..<position + entry.count
            files.append(File(name: name, content: content, seconds: Int64(entry.seconds)))
            let end = position + TarBlock.blocks(entry.count) * TarBlock.count
            guard end <= bytes.count else { throw .truncated }
            guard Self.isZero(bytes, content.upperBound..<end) else { throw .padding(file: name.text) }
            position = end
        }
        self.files = files
    }

    /// Whether the archive ends here. Then only zeros may follow: other bytes would be seen by no reader.
    private static func isEnd(_ bytes: Span<UInt8>, at position: Int) throws(TarError) -> Bool {
        guard bytes.count - position >= TarBlock.count else {
            throw position == 0 ? .notTar : bytes.count == position ? .noEnd : .truncated
        }
        guard isZero(bytes, position..<position + TarBlock.count) else { return false }
        guard bytes.count - position >= 2 * TarBlock.count else { throw .noEnd }
        guard bytes.count.isMultiple(of: TarBlock.count), isZero(bytes, position..<bytes.count) else {
            throw .trailingData
        }
        return true
    }

    private static func isZero(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.allSatisfy { bytes[$0] == 0 }
    }
}

/// A header, parsed.
private struct Entry {
    /// Nil for the directory in which the archive was made.
    let name: TarName?
    let isDirectory: Bool
    let count: Int
    let seconds: Int

    init(_ header: Span<UInt8>, at position: Int) throws(TarError) {
        func isEqual(_ range: Range<Int>, _ expected: [UInt8]) -> Bool {
            expected.indices.allSatisfy { header[range.lowerBound + $0] == expected[$0] }
        }
        func isZero(_ range: Range<Int>) -> Bool { range.allSatisfy { header[$0] == 0 } }
        let isPOSIX = isEqual(TarBlock.magic, TarBlock.posixMagic)
        guard isPOSIX || isEqual(TarBlock.magic, TarBlock.gnuMagic) else {
            throw position == 0 ? .notTar : .header(offset: position)
        }
        guard let sum = Self.number(header, TarBlock.checksum), sum == TarBlock.sum(header) else {
            throw .checksum(offset: position)
        }
        let type = header[TarBlock.type]
        switch type {
        case 0, UInt8(ascii: "0"): isDirectory = false
        case UInt8(ascii: "5"): isDirectory = true
        default: throw .type(type, offset: position)
        }
        guard let count = Self.number(header, TarBlock.length), let seconds = Self.number(header, TarBlock.time),
            isZero(TarBlock.link), isPOSIX || isZero(TarBlock.prefix), !isDirectory || count == 0,
            let prefix = isPOSIX ? Self.text(header, TarBlock.prefix) : [],
            let last = Self.text(header, TarBlock.name)
        else { throw .header(offset: position) }
        self.count = count
        self.seconds = seconds
        let path = prefix.isEmpty ? last : prefix + [UInt8(ascii: "/")] + last
        name = try Self.name(path, isDirectory: isDirectory, at: position)
    }

    /// - Returns: nil for `./`, the directory itself.
    private static func name(_ path: [UInt8], isDirectory: Bool, at position: Int) throws(TarError) -> TarName? {
        var path = path[...]
        if isDirectory, path.last == UInt8(ascii: "/") { path.removeLast() }
        if isDirectory, path.elementsEqual(".".utf8) { return nil }
        if path.starts(with: "./".utf8) { path = path.dropFirst(2) }
        guard let name = TarName(String(decoding: path, as: UTF8.self)) else { throw .name(offset: position) }
        return name
    }

    /// - Returns: nil unless the field holds octal digits and then NULs or blanks. Binary numbers are refused.
    private static func number(_ header: Span<UInt8>, _ field: Range<Int>) -> Int? {
        var value = 0
        var position = field.lowerBound
        while position < field.upperBound, header[position] == 0x20 { position += 1 }
        let start = position
        while position < field.upperBound, (0x30...0x37).contains(header[position]) {
            // At most 12 digits of 3 bits.
            value = value << 3 | Int(header[position] - 0x30)
            position += 1
        }
        guard position > start, (position..<field.upperBound).allSatisfy({ header[$0] == 0 || header[$0] == 0x20 })
        else { return nil }
        return value
    }

    /// - Returns: nil if something stands behind the NUL that ends the text.
    private static func text(_ header: Span<UInt8>, _ field: Range<Int>) -> [UInt8]? {
        let bytes = header.extracting(field).revealBytes()
        let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
        return Array(bytes[..<end])
    }
}

/// Why bytes are not a tar archive of plain files. Offsets are those of a header, in bytes.
package enum TarError: Error, Equatable, Sendable {
    /// The beginning is not that of a tar archive.
    case notTar
    /// A field of a header is malformed.
    case header(offset: Int)
    case checksum(offset: Int)
    /// A link, a device or an extension: the byte in the header.
    case type(UInt8, offset: Int)
    /// A name is absolute, contains `..` or another character than those of `TarName`.
    case name(offset: Int)
    /// A name is there twice.
    case duplicate(String)
    /// Behind the content of a file, the rest of its last block is not zero.
    case padding(file: String)
    case tooManyEntries(limit: Int)
    /// The archive ends within a file or a header.
    case truncated
    /// The two blocks of zeros at the end are missing.
    case noEnd
    /// Something stands behind the end.
    case trailingData
}
