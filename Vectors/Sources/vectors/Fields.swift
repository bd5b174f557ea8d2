import Encodings
import SecureMemory
import Threema

/// Named values of a vector.
struct Fields {
    /// An object, or a single value, which then has every name.
    let value: JSONValue
    /// Stands before the names in errors.
    let place: String

    /// Nil if there is no value of that name.
    subscript(name: String) -> JSONValue? { value.members == nil ? value : value[name] }

    /// Whether there is a value of that name.
    func has(_ name: String) -> Bool { self[name] != nil }

    /// The values below a name.
    func fields(_ name: String) throws -> Fields {
        let value = try required(name)
        guard value.members != nil else { throw CheckError.malformed("\(place) \(name)", "an object") }
        return Fields(value: value, place: "\(place) \(name)")
    }

    /// Text.
    func text(_ name: String) throws -> String {
        guard let text = try required(name).string else { throw CheckError.malformed("\(place) \(name)", "text") }
        return text
    }

    /// A list of texts.
    func texts(_ name: String) throws -> [String] {
        let values = try required(name).array?.map(\.string)
        guard let values, !values.contains(nil) else {
            throw CheckError.malformed("\(place) \(name)", "a list of texts")
        }
        return values.compactMap { $0 }
    }

    /// An integer.
    /// - Parameter range: where it has to be.
    func integer(_ name: String, in range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64 {
        guard let number = try required(name).integer, range.contains(number) else {
            let ends = range.upperBound < .max ? " from \(range.lowerBound) to \(range.upperBound)" : ""
            throw CheckError.malformed("\(place) \(name)", "an integer\(ends)")
        }
        return number
    }

    /// An ID of 8 characters.
    func id(_ name: String) throws -> ThreemaID {
        let text = try text(name)
        guard let id = try? ThreemaID(text) else { throw CheckError.malformed("\(place) \(name)", "an ID") }
        return id
    }

    /// Bytes that are no secret, from hexadecimal digits.
    /// - Parameter count: the only length; nil for any.
    func bytes(_ name: String, count: Int? = nil) throws -> [UInt8] {
        let digits = try digits(name, count: count)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Secret bytes, from hexadecimal digits. Only the vector's own text holds them in ordinary memory.
    /// - Parameter count: the only length; nil for any.
    func secret(_ name: String, count: Int? = 32) throws -> SecureBytes {
        let digits = try digits(name, count: count)
        return SecureBytes(count: digits.count / 2) { bytes in
            for index in bytes.indices { bytes[index] = digits[2 * index] << 4 | digits[2 * index + 1] }
        }
    }

    /// A private key of 32 bytes.
    func clientKey(_ name: String) throws -> ClientKey { ClientKey(try secret(name, count: ClientKey.count)) }

    /// A public key of 32 bytes, not of low order.
    func publicKey(_ name: String) throws -> PublicKey {
        guard let key = PublicKey(try bytes(name, count: PublicKey.count)) else {
            throw CheckError.malformed("\(place) \(name)", "a public key")
        }
        return key
    }

    private func required(_ name: String) throws -> JSONValue {
        guard let value = self[name] else { throw CheckError.missing("\(place) \(name)") }
        return value
    }

    /// The values of the digits, 0...15; an even number of them.
    private func digits(_ name: String, count: Int?) throws -> [UInt8] {
        let digits = try text(name).map { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
        guard digits.count % 2 == 0, !digits.contains(nil) else {
            throw CheckError.malformed("\(place) \(name)", "hexadecimal digits")
        }
        guard count == nil || digits.count == 2 * count! else {
            throw CheckError.malformed("\(place) \(name)", "\(count!) bytes")
        }
        return digits.compactMap { $0 }
    }
}
