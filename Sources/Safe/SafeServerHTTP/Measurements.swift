package import Encodings

/// What is measured each time that the metrics are asked for.
package struct Measurements: Sendable {
    /// Free bytes of the store's file system; nil for a store that is not a directory.
    package let freeBytes: Int?
    /// When the certificate ends; nil for plain HTTP.
    package let certificateEnd: Timestamp?

    /// - Parameters:
    ///   - freeBytes: nil if that is not known.
    ///   - certificateEnd: nil for no certificate.
    package init(freeBytes: Int? = nil, certificateEnd: Timestamp? = nil) {
        self.freeBytes = freeBytes
        self.certificateEnd = certificateEnd
    }
}
