internal import SecureMemory
internal import Threema

// IDs one behind the other, 8 bytes each: in a setup, and in what is stored.

extension [ThreemaID] {
    /// - Returns: nil for another length than a multiple of 8, or if one of them is no ID.
    package init?(decoding bytes: Span<UInt8>) {
        guard bytes.count % ThreemaID.count == 0 else { return nil }
        self = []
        for start in stride(from: 0, to: bytes.count, by: ThreemaID.count) {
            guard let id = try? ThreemaID(bytes: bytes.extracting(start..<start + ThreemaID.count)) else { return nil }
            append(id)
        }
    }
}
