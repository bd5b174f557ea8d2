internal import Encodings
package import SecureMemory
public import Threema

/// The contents of a Safe backup except the private key: the document, and the device group key if an app has stored
/// it.
///
/// In JSON that key is Base64 at `user.temporaryDeviceGroupKeyTodoRemove`. `DocumentSecrets` cuts it out and inserts
/// it; a `SafeDocument` never contains it.
public struct Profile: ~Copyable, Sendable {
    /// The document without the private key and the device group key.
    public let document: SafeDocument
    /// The device group key. Nil in most backups: apps store it only in order to link another device.
    public let deviceGroupKey: DeviceGroupKey?

    /// Combines a document and a device group key.
    public init(_ document: SafeDocument, deviceGroupKey: consuming DeviceGroupKey? = nil) {
        self.document = document
        self.deviceGroupKey = deviceGroupKey
    }

    /// The profile of a new identity.
    public static var empty: Profile { Profile(.empty) }

    /// Parses JSON as earlier versions of keytool stored it: it may contain the device group key. A string in its place
    /// that is not a key is dropped.
    /// - Throws: `.json`, `.document`.
    package init(decodingWhole json: Span<UInt8>) throws(SafeBackupError) {
        let secrets: DocumentSecrets
        do throws(JSONError) { secrets = try DocumentSecrets(cutFrom: json) } catch { throw .json(error) }
        do throws(SafeDocumentError) { document = try SafeDocument(secrets.root) } catch { throw .document(error) }
        switch secrets.deviceGroupKey {
        case .some(let text):
            if let key = DocumentSecrets.decode(text) {
                deviceGroupKey = DeviceGroupKey(key)
            } else {
                deviceGroupKey = nil
            }
        case .none: deviceGroupKey = nil
        }
    }

    /// The document as JSON with the device group key, members in order of their names. Equal profiles have equal
    /// bytes. Without such a key these are the bytes of `document.encoded`.
    package func revealContent() -> SecureBytes { DocumentSecrets.reveal(document.root, Span(), deviceGroupKey) }

    /// Whether document and device group key are equal. Compares keys in constant time.
    public static func == (left: borrowing Profile, right: borrowing Profile) -> Bool {
        guard left.document == right.document else { return false }
        switch left.deviceGroupKey {
        case .none: return right.deviceGroupKey == nil
        case .some(let leftKey):
            switch right.deviceGroupKey {
            case .none: return false
            case .some(let rightKey): return leftKey == rightKey
            }
        }
    }
}
