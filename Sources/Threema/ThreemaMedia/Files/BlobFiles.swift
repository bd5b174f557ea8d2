package import AtomicFiles
internal import SecureMemory
package import ThreemaMessages

// Blobs between files and streams. The tag of a blob comes last and stands first, so a file that is sealed for an upload
// has the ciphertext only, and the tag is with its owner.

/// The ciphertext of a blob in a file, and its tag.
package struct SealedFile: Equatable {
    /// 16 bytes.
    package let tag: [UInt8]
    /// Length of the ciphertext, and of the file that is in it, in bytes.
    package let count: Int

    package init(tag: [UInt8], count: Int) {
        self.tag = tag
        self.count = count
    }

    /// Seals a file into another one, which has its name when it is complete.
    /// - Parameter key: a fresh one.
    /// - Throws: `FileError`.
    package static func seal(
        _ file: InputFile, key: EnclosedKey, as name: String, in directory: borrowing Directory
    ) throws -> SealedFile {
        var sealed = SealedFile(tag: [], count: 0)
        try directory.write(name, existing: .replace) { output in
            var (source, sink) = (FileSource(file: file), FileSink(file: output, start: Blob.overhead))
            let count = try betweenFiles { () throws(BlobStreamError<FileError, FileError>) in
                try BlobStream(key: key).seal(&source, into: &sink)
            }
            sealed = SealedFile(tag: sink.tag, count: count)
        }
        return sealed
    }
}

/// A file that is read for a `BlobStream`.
struct FileSource: BlobSource {
    let file: InputFile

    mutating func read(into buffer: inout MutableSpan<UInt8>, at position: Int) throws(FileError) -> Int {
        try buffer.withPart(position..<buffer.count) { (part) throws(FileError) in try file.read(into: &part) }
    }
}

/// A file that is written front to back, from an offset of the stream on. The directory gives it its name, or removes it.
struct FileSink: BlobSink {
    let file: OutputFile
    let start: Int
    private(set) var tag: [UInt8] = []

    init(file: OutputFile, start: Int) {
        self.file = file
        self.start = start
    }

    mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(FileError) {
        guard offset >= start else { return tag = bytes.revealBytes() }
        try file.write(bytes)
    }

    mutating func publish() throws(FileError) {}
    mutating func discard() {}
}

/// Runs a stream between files.
/// - Throws: `FileError`; `BlobStreamError.notAuthentic`.
func betweenFiles(_ stream: () throws(BlobStreamError<FileError, FileError>) -> Int) throws -> Int {
    do throws(BlobStreamError<FileError, FileError>) {
        return try stream()
    } catch {
        switch error {
        case .source(let error), .sink(let error): throw error
        case .notAuthentic, .tooLong: throw error
        }
    }
}
