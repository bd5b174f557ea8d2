/// Where the bytes of a file or a blob come from, front to back.
public protocol BlobSource {
    /// Why it could not be read.
    associatedtype Failure: Error

    /// Reads the next bytes into `buffer`, from `position` on, and leaves the bytes before that as they are.
    /// - Returns: how many; 0 at the end only.
    mutating func read(into buffer: inout MutableSpan<UInt8>, at position: Int) throws(Failure) -> Int
}

/// Where the bytes of a file or a blob go to. They get their final name when they are complete and authentic.
public protocol BlobSink {
    /// Why it could not be written.
    associatedtype Failure: Error

    /// Writes bytes at an offset from the start. Offsets go up, but for a blob's tag, which comes last and stands
    /// first.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int) throws(Failure)

    /// Gives what was written its final name, for example by syncing and renaming. Called once, at the end.
    mutating func publish() throws(Failure)

    /// Removes what was written. Called instead of `publish` after any failure, also of `publish`.
    mutating func discard()
}

/// Why a file was not sealed, or a blob not opened. Nothing has its final name.
public enum BlobStreamError<Source: Error, Sink: Error>: Error {
    /// Reading failed.
    case source(Source)
    /// Writing failed.
    case sink(Sink)
    /// More bytes than allowed.
    case tooLong(limit: Int)
    /// Another key, another part, altered bytes, or an end that is missing.
    case notAuthentic
}

extension BlobStreamError: Equatable where Source: Equatable, Sink: Equatable {}
