internal import Encodings
internal import SecureMemory
internal import Threema

/// The secret strings in the JSON of a Safe backup: cut out before anything else reads it, put in as the last step.
///
///     user.privatekey                         Base64 of the client key, required
///     user.temporaryDeviceGroupKeyTodoRemove  Base64 of the device group key, where another device is to be linked
///
/// In between the JSON is a `JSONValue`, whose strings lie in ordinary memory. These two never become one.
struct DocumentSecrets: ~Copyable {
    private static let privateKeyPath = ["user", "privatekey"]
    private static let deviceGroupKeyPath = ["user", "temporaryDeviceGroupKeyTodoRemove"]

    /// What a document and its copies take of memory in the course of a command, for each byte of JSON; measured.
    private static let treeFactor = 8

    /// The rest of the JSON.
    let root: JSONValue
    /// The text of each string, nil where there is no string at its path.
    let privateKey: SecureBytes?
    let deviceGroupKey: SecureBytes?

    /// Reads JSON and cuts the strings out of it.
    init(cutFrom json: Span<UInt8>) throws(JSONError) {
        MemoryShortage.require(json.count * Self.treeFactor)
        let (value, cuts) = try JSONScanner.parse(json, cutting: [Self.privateKeyPath, Self.deviceGroupKeyPath])
        let privateKey = try Self.text(cuts[0], json)
        let deviceGroupKey = try Self.text(cuts[1], json)
        root = value
        self.privateKey = privateKey
        self.deviceGroupKey = deviceGroupKey
    }

    private static func text(_ cut: Range<Int>?, _ json: Span<UInt8>) throws(JSONError) -> SecureBytes? {
        guard let cut else { return nil }
        return try JSONScanner.unescape(cut, of: json)
    }

    /// The 32 bytes that a text means; nil if it is not their Base64.
    static func decode(_ text: borrowing SecureBytes) -> SecureBytes? {
        guard let key = text.withBytes({ Base64.decode($0) }), key.count == ClientKey.count else { return nil }
        return key
    }

    /// The JSON with the keys in their places, members in order of their names.
    /// - Parameters:
    ///   - root: without these strings, and with an object `user`.
    ///   - clientKey: 32 bytes, or empty to leave its place out.
    static func reveal(
        _ root: JSONValue, _ clientKey: Span<UInt8>, _ deviceGroupKey: borrowing DeviceGroupKey?
    ) -> SecureBytes {
        switch deviceGroupKey {
        case .some(let key): key.bytes.withBytes { reveal(root, clientKey, $0) }
        case .none: reveal(root, clientKey, Span())
        }
    }

    private static func reveal(
        _ root: JSONValue, _ clientKey: Span<UInt8>, _ deviceGroupKey: Span<UInt8>
    ) -> SecureBytes {
        // In the order of their names, in which the members stand.
        let paths = (clientKey.isEmpty ? [] : [privateKeyPath]) + (deviceGroupKey.isEmpty ? [] : [deviceGroupKeyPath])
        let (text, offsets) = root.encoded(splitting: paths)
        var json = SecureBuffer(capacity: text.count + paths.count * Base64.encodedCount(ClientKey.count))
        var written = 0
        for (path, offset) in zip(paths, offsets) {
            json.append(text.span.extracting(written..<offset))
            Base64.encode(path == privateKeyPath ? clientKey : deviceGroupKey, appendingTo: &json)
            written = offset
        }
        json.append(text.span.extracting(written..<text.count))
        return json.finish()
    }
}
