import Encodings

/// Changes of a file at random: bits, bytes, pieces, and the values of its members.
struct Mutation {
    private let original: [UInt8]
    private var generator = SystemRandomNumberGenerator()

    init(of original: [UInt8]) {
        self.original = original
    }

    mutating func next() -> [UInt8] {
        var file = original
        for _ in 0..<Int.random(in: 1...3, using: &generator) { change(&file) }
        return file
    }

    private mutating func change(_ file: inout [UInt8]) {
        guard !file.isEmpty else {
            file = [UInt8](repeating: 0x20, count: 3)
            return
        }
        let place = Int.random(in: file.indices, using: &generator)
        let end = min(file.count, place + Int.random(in: 1...20, using: &generator))
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: file[place] ^= 1 << Int.random(in: 0..<8, using: &generator)
        case 1: file[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: file.removeSubrange(place..<end)
        case 3: file.insert(contentsOf: file[place..<end], at: place)
        case 4: file.removeSubrange(place...)
        default:
            guard let root = try? JSONScanner.parse(file.span) else { return }
            file = changed(root).encoded
        }
    }

    private mutating func changed(_ value: JSONValue) -> JSONValue {
        guard case .object(var members) = value, !members.isEmpty else { return literal() }
        let index = Int.random(in: members.indices, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: members.remove(at: index)
        case 1: members.append(.init("added", literal()))
        case 2: members.swapAt(index, 0)
        case 3: members[index].name = "renamed"
        default:
            // Into what has members, mostly.
            let isObject = members[index].value.members != nil
            members[index].value = isObject ? changed(members[index].value) : literal()
        }
        return .object(members)
    }

    private mutating func literal() -> JSONValue {
        let literals: [JSONValue] = [
            .null, .bool(true), .bool(false), .number("0"), .number("-1"), .number("9223372036854775807"),
            .number("-9223372036854775808"), .number("99999999999999999999"), .number("1.8e12"),
            .number("1799999999999"), .string(""), .string("00"), .string(String(repeating: "0", count: 64)),
            .array([]), .object([]),
        ]
        return literals.randomElement(using: &generator)!
    }
}
