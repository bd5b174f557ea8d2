package import Encodings

/// Which provisioning files a keystore has had under one name: the key that signs them, the present one, and those that
/// it has replaced. By this a file is judged before it is stored, so that nobody can bring back an old one.
package struct FileSuccession: Equatable, Sendable {
    /// Most files that are remembered beside the present one; the oldest is forgotten.
    package static let maxReplaced = 16
    /// Length of a digest, in bytes.
    package static let digestCount = 32

    /// A file, as far as it matters here.
    package struct Version: Equatable, Sendable {
        /// SHA-256 of the whole file, 32 bytes.
        let digest: [UInt8]
        /// When the license is over.
        package let licenseEnd: Timestamp

        init(digest: [UInt8], licenseEnd: Timestamp) {
            self.digest = digest
            self.licenseEnd = licenseEnd
        }

        /// What matters of a file.
        package init(_ file: ProvisioningFile) { self.init(digest: file.digest, licenseEnd: file.license.end) }
    }

    /// How a file relates to those before it.
    package enum Judgement: Equatable, Sendable {
        /// There is none under this name.
        case first
        /// It is the present one.
        case same
        case newer
        /// It is signed with another key than the present one.
        case otherKey
        /// A later one has replaced it.
        case replacedBefore
        /// Its license ends before that of the present one.
        case licenseEndsEarlier(present: Timestamp, offered: Timestamp)

        /// Whether storing it needs no consent.
        package var isProgress: Bool { self == .first || self == .same || self == .newer }
    }

    /// Ed25519, 32 bytes.
    package private(set) var key: [UInt8]
    private(set) var present: Version
    /// Digests of those that were replaced, the last one first.
    package private(set) var replaced: [[UInt8]]

    /// A file that has replaced these.
    package init(key: [UInt8], present: Version, replaced: [[UInt8]] = []) {
        self.key = key
        self.present = present
        self.replaced = replaced
    }

    /// - Parameter held: nil if there is no file under the name.
    package static func judge(_ offered: Version, signedBy key: [UInt8], after held: FileSuccession?) -> Judgement {
        guard let held else { return .first }
        guard key == held.key else { return .otherKey }
        if offered.digest == held.present.digest { return .same }
        if held.replaced.contains(offered.digest) { return .replacedBefore }
        guard offered.licenseEnd >= held.present.licenseEnd else {
            return .licenseEndsEarlier(present: held.present.licenseEnd, offered: offered.licenseEnd)
        }
        return .newer
    }

    /// Makes a file the present one, whatever was judged of it.
    package mutating func replace(by offered: Version, signedBy key: [UInt8]) {
        if offered.digest != present.digest {
            replaced = Array(([present.digest] + replaced.filter { $0 != offered.digest }).prefix(Self.maxReplaced))
        }
        present = offered
        self.key = key
    }
}
