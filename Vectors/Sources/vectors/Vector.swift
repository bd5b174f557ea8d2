import Encodings

/// A known answer: what goes into an operation, and what comes out.
struct Vector {
    /// Names the vector.
    let id: String
    /// The operation, or the area of a vector that has none.
    let operation: String
    /// The system that defines it.
    let system: String
    /// What goes in.
    let inputs: JSONValue
    /// What comes out: an object of results, or the only result. A member `error` says that the operation refuses the
    /// inputs.
    let expected: JSONValue

    /// Reads a file: an array of vectors, or an object with such an array as `vectors`.
    /// - Throws: `FormError`.
    static func all(in file: [UInt8]) throws(FormError) -> [Vector] {
        guard let root = try? JSONScanner.parse(file.span) else { throw .notJSON }
        guard let values = root.array ?? root["vectors"]?.array else { throw .noVectors }
        var vectors: [Vector] = []
        for (index, value) in values.enumerated() { vectors.append(try Vector(value, number: index + 1)) }
        return vectors
    }

    private init(_ value: JSONValue, number: Int) throws(FormError) {
        guard let id = value["id"]?.string, !id.isEmpty else { throw .member("id", number) }
        // An ID is printed as it is, so it must not command a terminal.
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .member("id", number)
        }
        // Without an operation, the area says what is computed.
        let isArea = value["op"] == nil
        guard let operation = value[isArea ? "area" : "op"]?.string else { throw .member("op or area", number) }
        guard let inputs = value["inputs"], inputs.members != nil else { throw .member("inputs", number) }
        guard let expected = value["expected"] ?? value["output"] else { throw .member("expected", number) }
        self.id = id
        self.operation = operation
        system = isArea ? areaSystem : value["system"]?.string ?? "threema"
        self.inputs = inputs
        self.expected = expected
    }

    /// Computes the operation and compares its results.
    var result: VectorResult {
        guard let compute = systems[system]?[operation] else {
            return .unknownOperation(system == areaSystem ? privateAreas[operation] : nil)
        }
        var check = Check(inputs: inputs, expected: expected)
        let isRefusal = expected["error"] != nil
        do {
            try compute(&check)
        } catch CheckError.notInAPI(let reason) {
            return .unknownOperation(reason)
        } catch let error as CheckError {
            return .fail("\(error)")
        } catch {
            // Only the name of the case: its values may be those of the inputs.
            let name = "\(error)".prefix { $0 != "(" }
            return isRefusal ? .pass : .fail("\(type(of: error)).\(name)")
        }
        if isRefusal { return .fail("the inputs were not refused") }
        let differences = check.differences
        if !differences.isEmpty {
            return .fail(differences.joined(separator: ", ") + (differences.count == 1 ? " differs" : " differ"))
        }
        return check.compared > 0 ? .pass : .fail("no result of this op is expected")
    }
}

/// The result of a comparison. Its description follows the ID in a line.
enum VectorResult: CustomStringConvertible {
    case pass
    /// With the names of what differs, or why nothing was computed. No values of inputs.
    case fail(String)
    /// The operation is not in the table, or for the given reason not possible for these inputs.
    case unknownOperation(String?)

    var description: String {
        switch self {
        case .pass: "pass"
        case .fail(let reason): "FAIL \(reason)"
        case .unknownOperation(let reason): "unknown op" + (reason.map { ": \($0)" } ?? "")
        }
    }
}

/// Why a file is not one of vectors.
enum FormError: Error, CustomStringConvertible {
    case notJSON
    case noVectors
    /// A member of the vector with this number is missing or has another type.
    case member(String, Int)

    var description: String {
        switch self {
        case .notJSON: "the file is not JSON"
        case .noVectors: "the file has no array of vectors"
        case .member(let name, let number): "vector \(number) has no valid \(name)"
        }
    }
}
