internal import Encodings
internal import SafeWire
internal import SecureMemory

extension SafeEndpoint.Login {
    /// `Authorization: Basic …`, with a NUL at its end.
    var authorization: SecureBytes {
        let user = Array(user.utf8)
        var pair = SecureBuffer(capacity: user.count + 1 + password.count)
        pair.append(user.span)
        pair.append(UInt8(ascii: ":"))
        pair.append(password)
        let beginning = Array("Authorization: Basic ".utf8)
        var line = SecureBuffer(capacity: beginning.count + Base64.encodedCount(pair.count) + 1)
        line.append(beginning.span)
        pair.finish().withBytes { Base64.encode($0, appendingTo: &line) }
        line.append(0)
        return line.finish()
    }
}
