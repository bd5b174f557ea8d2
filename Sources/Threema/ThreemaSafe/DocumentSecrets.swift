internal import Encodings
internal import SecureMemory
internal import Threema

/// The secret strings in the JSON of a Safe backup. They are cut out before the JSON is parsed, and inserted as the
/// last step.
///
///     user.privatekey                         Base64 of the client key, required
///     user.temporaryDeviceGroupKeyTodoRemove  Base64 of the device group key, where another device is to be linked
///
/// In between the JSON is a `JSONValue`, whose strings are in ordinary memory. The two secrets never become part of
/// one.
struct DocumentSecrets: ~Copyable {
    private static let privateKeyPath = ["user", "privatekey"]
    private static let deviceGroupKeyPath = ["user", "temporaryDeviceGroupKeyTodoRemove"]

    /// Bytes of memory that a document and its copies need for each byte of JSON; measured.
    private static let treeFactor = 8

    /// The JSON without these strings.
    let root: JSONValue
    /// The text of each string; nil if no string is at its path.
    let privateKey: SecureBytes?
    let deviceGroupKey: SecureBytes?

    /// Parses JSON and cuts the strings out of it.
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

    /// Decodes the Base64 of 32 bytes; nil for any other text.
    static func decode(_ text: borrowing SecureBytes) -> SecureBytes? {
        guard let key = text.withBytes({ Base64.decode($0) }), key.count == ClientKey.count else { return nil }
        return key
    }

    /// The JSON with the keys, its members in order of their names.
    /// - Parameters:
    ///   - root: the JSON without these strings, and with an object `user`.
    ///   - clientKey: 32 bytes; empty to omit the member.
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
        // In the order of the names, as the members are.
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
