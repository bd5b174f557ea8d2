internal import Encodings
package import SecureMemory
public import Threema

/// What a Safe backup holds beside the private key: the document, and the device group key where an app put it in.
///
/// In JSON that key is the Base64 at `user.temporaryDeviceGroupKeyTodoRemove`. `DocumentSecrets` cuts it out and puts
/// it in; a `SafeDocument` never contains it.
public struct Profile: ~Copyable, Sendable {
    /// The document, without secrets.
    public let document: SafeDocument
    /// Nil in most backups: apps put it only into those by which another device is linked.
    public let deviceGroupKey: DeviceGroupKey?

    /// Puts the parts together.
    public init(_ document: SafeDocument, deviceGroupKey: consuming DeviceGroupKey? = nil) {
        self.document = document
        self.deviceGroupKey = deviceGroupKey
    }

    /// The profile of an identity that has none yet.
    public static var empty: Profile { Profile(.empty) }

    /// Reads JSON as earlier versions of keytool stored it: with the device group key, if there was one, inside. A
    /// string in its place that is no key is dropped.
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

    /// What tells two contents apart: the document as JSON, members in order of their names, with the device group key
    /// in its place. Without such a key these are the bytes of `document.encoded`.
    package func revealContent() -> SecureBytes { DocumentSecrets.reveal(document.root, Span(), deviceGroupKey) }

    /// Whether both hold the same document, and the same key or none. Keys are compared in constant time.
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
