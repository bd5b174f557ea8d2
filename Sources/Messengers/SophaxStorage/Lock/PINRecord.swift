// The record of a lock: 1, the form ‖ the owner's hash ‖ that of duress. A hash: how it was made (1) ‖ salt (16 or 32) ‖
// hash (32). Both are always there, so the record does not tell whether a PIN for duress is set.

extension PINLock {
    private static let form: UInt8 = 1

    /// The lock as a record.
    public var encoded: [UInt8] { [Self.form] + real.encoded + duress.encoded }

    /// Reads a record.
    /// - Returns: nil if it is malformed: then no PIN may be checked.
    public init?(decoding record: [UInt8]) {
        guard record.first == Self.form else { return nil }
        var rest = record.dropFirst()
        guard let real = PINHash(taking: &rest), let duress = PINHash(taking: &rest), rest.isEmpty else { return nil }
        self.init(real: real, duress: duress)
    }
}

extension PINHash {
    fileprivate var encoded: [UInt8] { [form.rawValue] + salt + hash }

    /// Takes a hash from the front.
    fileprivate init?(taking bytes: inout ArraySlice<UInt8>) {
        guard let form = bytes.first.flatMap(Form.init(rawValue:)), bytes.count > form.saltCount + Self.count else {
            return nil
        }
        let salt = Array(bytes.dropFirst().prefix(form.saltCount))
        let hash = Array(bytes.dropFirst(1 + form.saltCount).prefix(Self.count))
        bytes = bytes.dropFirst(1 + form.saltCount + Self.count)
        self.init(form: form, salt: salt, hash: hash)
    }
}
