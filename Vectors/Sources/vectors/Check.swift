import Encodings
import SecureMemory

/// The inputs and expected results of one vector, and which results differ from them.
struct Check {
    /// What goes in.
    let inputs: Fields
    /// What comes out. Operations that draw their randomness are checked by opening it.
    let expected: Fields
    /// How many expected results were compared.
    private(set) var compared = 0
    /// The names of the results that differ.
    private(set) var differences: [String] = []

    /// - Parameters:
    ///   - inputs: an object.
    ///   - expected: an object, or the first result as a single value.
    init(inputs: JSONValue, expected: JSONValue) {
        self.inputs = Fields(value: inputs, place: "input")
        self.expected = Fields(value: expected, place: "expected")
    }

    /// Compares bytes with an expected result in hexadecimal digits. A result that is not expected is not compared.
    /// - Throws: `CheckError` if the expected result has another form.
    mutating func compare(_ name: String, _ bytes: [UInt8]) throws {
        guard isExpected(name) else { return }
        note(name, try expected.bytes(name) == bytes)
    }

    /// Compares a secret with an expected result in hexadecimal digits.
    /// - Throws: `CheckError` if the expected result has another form.
    mutating func compare(_ name: String, _ secret: borrowing SecureBytes) throws {
        guard isExpected(name) else { return }
        let wanted = try expected.secret(name, count: nil)
        note(name, secret.equals(wanted))
    }

    /// Compares text. Nil is equal to JSON's null.
    mutating func compare(_ name: String, _ text: String?) {
        guard isExpected(name) else { return }
        note(name, expected[name] == (text.map { .string($0) } ?? .null))
    }

    /// Compares an integer.
    mutating func compare(_ name: String, _ number: some BinaryInteger) {
        guard isExpected(name) else { return }
        note(name, expected[name] == .number(number))
    }

    /// Compares any other value.
    mutating func compare(_ name: String, _ value: JSONValue) {
        guard isExpected(name) else { return }
        note(name, expected[name] == value)
    }

    /// Adds the comparison of an expected result that the operation made itself.
    mutating func note(_ name: String, _ isEqual: Bool) {
        compared += 1
        require(name, isEqual)
    }

    /// Adds a comparison without an expected result: of inputs with each other, or of two ways to one result.
    mutating func require(_ name: String, _ isEqual: Bool) {
        if !isEqual, !differences.contains(name) { differences.append(name) }
    }

    /// Whether a result is expected. A single value is the first result of its operation.
    func isExpected(_ name: String) -> Bool {
        expected.value.members == nil ? compared == 0 : expected[name] != nil
    }
}

extension SecureBytes {
    /// Compares the bytes in constant time.
    borrowing func equals(_ other: borrowing SecureBytes) -> Bool {
        withBytes { left in other.withBytes { ConstantTime.areEqual(left, $0) } }
    }

    /// Compares the bytes in constant time.
    borrowing func equals(_ other: [UInt8]) -> Bool { withBytes { ConstantTime.areEqual($0, other.span) } }

    /// A copy in ordinary memory, where the vector's own text has the same.
    borrowing func revealBytes() -> [UInt8] {
        withBytes { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return copy
        }
    }
}

/// Why a vector was not computed.
enum CheckError: Error, CustomStringConvertible {
    /// Place and name.
    case missing(String)
    /// Place and name, and what it has to be.
    case malformed(String, String)
    /// The operation exists, but what is public of it does not take these inputs.
    case notInAPI(String)

    var description: String {
        switch self {
        case .missing(let name): "\(name) is missing"
        case .malformed(let name, let form): "\(name): expected \(form)"
        case .notInAPI(let reason): reason
        }
    }
}
