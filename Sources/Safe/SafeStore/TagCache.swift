package import AtomicFiles
internal import Synchronization

/// The entity tags of files that were hashed before: a backup that is read again is not hashed again.
///
/// A state of a file has one content, so it has one tag. Conditions of writes are not decided by this: a write hashes
/// what it finds.
package final class TagCache: Sendable {
    private let tags = Mutex<[FileState: String]>([:])

    /// Most tags, of some 150 bytes each.
    private static let capacity = 1024

    /// Nothing is hashed yet.
    package init() {}

    /// The entity tag of a content.
    /// - Parameter state: of the file whose content it is; nil if that is not known.
    package func tag(of content: [UInt8], in state: FileState?) -> String {
        guard let state else { return EntityTag.of(content) }
        if let tag = tags.withLock({ $0[state] }) { return tag }
        let tag = EntityTag.of(content)
        tags.withLock { tags in
            if tags.count >= Self.capacity { tags.removeAll(keepingCapacity: true) }
            tags[state] = tag
        }
        return tag
    }
}
