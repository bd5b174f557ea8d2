import Encodings
import Primitives
import SecureMemory
import Threema
import ThreemaSafe
import VectorKit

// What several tests seal, open and expect.

/// A Safe key of 64 equal bytes: deriving a real one takes 64 MiB and a moment.
func safeKeys(_ byte: UInt8 = 7) -> SafeKeys {
    SafeKeys(masterKey: SecureBytes(copying: [UInt8](repeating: byte, count: SafeKeys.masterKeyCount).span))
}

func clientKey(_ byte: UInt8 = 0xcc) -> ClientKey {
    ClientKey(SecureBytes(copying: [UInt8](repeating: byte, count: ClientKey.count).span))
}

/// 32 bytes of 0xcc in Base64.
let sampleKeyText = "zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw="

/// A small document with that key, as an app could have written it.
let sampleJSON =
    #"{"info":{"version":1,"device":"ios"},"user":{"privatekey":"\#(sampleKeyText)","nickname":"nicki"},"#
    + #""contacts":[],"settings":{"syncContacts":false}}"#

/// Encrypts a text as it is, whatever it says.
func sealed(_ json: String, keys: borrowing SafeKeys = safeKeys()) -> [UInt8] {
    SafeBackup.seal(Array(json.utf8).span, nonce: [UInt8](repeating: 1, count: 24), keys: keys)
}

/// What opening gave, as far as a test compares it.
struct Opened: Equatable {
    let clientKey: [UInt8]
    let document: SafeDocument
    let deviceGroupKey: [UInt8]?
    let writerInfo: SafeBackup.WriterInfo?
}

func open(_ blob: [UInt8], keys: borrowing SafeKeys = safeKeys()) throws(SafeBackupError) -> Opened {
    let backup = try SafeBackup.open(blob.span, keys: keys)
    let deviceGroupKey: [UInt8]?
    switch backup.profile.deviceGroupKey {
    case .some(let key): deviceGroupKey = key.bytes.copied
    case .none: deviceGroupKey = nil
    }
    return Opened(
        clientKey: backup.clientKey.bytes.copied, document: backup.document, deviceGroupKey: deviceGroupKey,
        writerInfo: backup.writerInfo)
}

extension Opened {
    /// To be sealed again.
    var profile: Profile {
        guard let deviceGroupKey else { return Profile(document) }
        return Profile(document, deviceGroupKey: DeviceGroupKey(SecureBytes(copying: deviceGroupKey.span)))
    }
}

func parse(_ json: String) throws(JSONError) -> JSONValue {
    try JSONScanner.parse(Array(json.utf8).span)
}

extension SafeDocument {
    /// The document as text.
    var text: String { String(decoding: encoded, as: UTF8.self) }
}

/// Encrypts bytes that need not be gzip.
func sealBox(_ content: [UInt8], nonce: [UInt8]) -> [UInt8] {
    SecretBox.seal(content.span, nonce: nonce, key: [UInt8](repeating: 7, count: SecretBox.keyCount).span)
}
