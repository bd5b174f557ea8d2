internal import Encodings
internal import HTTP

/// The members of an object in a provisioning file, and the path to it.
struct ProvisioningMembers {
    private let value: JSONValue
    private let path: String

    init(_ value: JSONValue, at path: String = "") {
        self.value = value
        self.path = path
    }

    /// In their order.
    var names: [String] { (value.members ?? []).map(\.name) }

    subscript(name: String) -> JSONValue? { value[name] }

    func wrong(_ name: String) -> ProvisioningError { .member(path + name) }

    func object(_ name: String) throws(ProvisioningError) -> ProvisioningMembers {
        guard let inner = value[name], inner.members != nil else { throw wrong(name) }
        return ProvisioningMembers(inner, at: path + name + ".")
    }

    /// The objects of an array; none if it is missing.
    func objects(_ name: String) throws(ProvisioningError) -> [ProvisioningMembers] {
        guard let value = value[name] else { return [] }
        guard let values = value.array, values.allSatisfy({ $0.members != nil }) else { throw wrong(name) }
        return values.map { ProvisioningMembers($0, at: path + name + ".") }
    }

    func text(_ name: String) throws(ProvisioningError) -> String {
        guard let text = value[name]?.string else { throw wrong(name) }
        return text
    }

    /// A number that is not negative.
    func count(_ name: String) throws(ProvisioningError) -> Int64 {
        guard let number = value[name]?.integer, number >= 0, number <= Int64(Int32.max) else { throw wrong(name) }
        return number
    }

    /// Base64.
    func bytes(_ name: String, count: Int) throws(ProvisioningError) -> [UInt8] {
        let text = Array(try text(name).utf8)
        guard let bytes = Base64.decodePublic(text.span, isPadded: true), bytes.count == count else {
            throw wrong(name)
        }
        return bytes
    }

    /// The address in `NAME.member`, which may have placeholders: HTTPS, without a login, query and fragment.
    func address(_ name: String, _ member: String = "url") throws(ProvisioningError) -> String {
        let inner = try object(name)
        let url = try inner.text(member)
        guard HTTPOrigin(url: url) != nil, !url.utf8.contains(where: { "?#@".utf8.contains($0) || $0 <= 0x20 }) else {
            throw inner.wrong(member)
        }
        return url
    }
}

extension ProvisioningFile {
    /// Addresses, as the file has them. Where one has placeholders in braces, its user replaces them.
    public struct Servers: Equatable, Sendable {
        /// The directory.
        public let directory: String
        /// Where blobs are uploaded.
        public let upload: String
        /// Where a blob is downloaded: `{blobId}`, `{blobIdPrefix}`.
        public let download: String
        /// Where the server is told that a blob is not needed any more.
        public let done: String
        /// The Safe: `{backupIdPrefix8}`.
        public let safe: String

        init(_ members: ProvisioningMembers) throws(ProvisioningError) {
            directory = try members.address("directory")
            upload = try members.address("blob", "uploadUrl")
            download = try members.address("blob", "downloadUrl")
            done = try members.address("blob", "doneUrl")
            safe = try members.address("safe")
        }
    }
}
