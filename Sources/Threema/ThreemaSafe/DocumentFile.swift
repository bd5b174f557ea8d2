internal import Encodings
internal import SecureMemory
public import Threema

/// A Safe document as a file of its own: with the private key, as `safe pull --reveal-private-key` and other programs
/// write it, or without it, as it is exported.
public struct DocumentFile: ~Copyable, Sendable {
    /// The document without secrets and writer info, and the device group key if the file has one.
    public let profile: Profile
    /// The private key; nil if the file has none.
    public let clientKey: ClientKey?

    /// Parses the JSON of a document. The keys are cut out before it is parsed, and writer info is dropped.
    /// - Throws: `.gzip(.tooLarge)` for more than 8 MiB; `.json`; `.document`; `.privateKey` and `.deviceGroupKey` for
    ///   something that is not the Base64 of 32 bytes.
    public init(decoding json: Span<UInt8>) throws(SafeBackupError) {
        guard json.count <= SafeBackup.maxDocumentBytes else {
            throw .gzip(.tooLarge(limit: SafeBackup.maxDocumentBytes))
        }
        let secrets: DocumentSecrets
        do throws(JSONError) { secrets = try DocumentSecrets(cutFrom: json) } catch { throw .json(error) }
        let document: SafeDocument
        do throws(SafeDocumentError) {
            document = try SafeDocument(secrets.root.setting(SafeBackup.stampName, to: nil))
        } catch {
            throw .document(error)
        }
        // Only strings are cut. Anything else in that place would become a part of the document.
        guard document.root["user"]?["privatekey"] == nil else { throw .privateKey }
        let clientKey = try Self.decodedClientKey(secrets.privateKey)
        let deviceGroupKey = try Self.decodedDeviceGroupKey(secrets.deviceGroupKey)
        profile = Profile(document, deviceGroupKey: deviceGroupKey)
        self.clientKey = clientKey
    }

    private static func decodedClientKey(_ text: borrowing SecureBytes?) throws(SafeBackupError) -> ClientKey? {
        guard let key = try SafeBackup.key(text, or: .privateKey) else { return nil }
        return ClientKey(key)
    }

    private static func decodedDeviceGroupKey(_ text: borrowing SecureBytes?) throws(SafeBackupError) -> DeviceGroupKey?
    {
        guard let key = try SafeBackup.key(text, or: .deviceGroupKey) else { return nil }
        return DeviceGroupKey(key)
    }
}
