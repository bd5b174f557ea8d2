import Testing
import ThreemaDirectory

@testable import ThreemaKeeping

@Suite struct AddressListTests {
    private static func number(_ index: Int) -> String { "+4179\(1_000_000 + index)" }

    @Test func `lines of both kinds, with their numbers`() throws {
        let list = try AddressList(parsing: "\n# both\n Ann@gmail.com\r\n0041 79 123 45 67\r\n+1 650 555 0100")
        #expect(list.addresses.map(\.line) == [3, 4, 5])
        #expect(list.addresses.map(\.text) == ["ann@gmail.com", "+41791234567", "+16505550100"])
        #expect(list.addresses.map(\.hashes.count) == [2, 1, 1] && list.hashes.count == 4)
    }

    @Test func `an address that stands twice is looked for once`() throws {
        let list = try AddressList(parsing: "ann@gmail.com\nANN@googlemail.com\n+41791234567\n0041791234567\n")
        #expect(list.addresses.count == 4 && list.hashes.count == 3)
    }

    @Test(arguments: [
        ("a@b\n\n0791234567", AddressListError.malformed(line: 3, isWithoutCountry: true)),
        ("a@b\nnobody", .malformed(line: 2, isWithoutCountry: false)),
        ("+41 79 123 45 67 # Ann", .malformed(line: 1, isWithoutCountry: false)),
        ("a@b c@d", .malformed(line: 1, isWithoutCountry: false)),
        ("a@b\u{2028}c@d", .malformed(line: 1, isWithoutCountry: false)),
    ])
    func `a line that is no address`(_ text: String, _ error: AddressListError) {
        #expect(throws: error) { try AddressList(parsing: text) }
    }

    @Test func `limits`() throws {
        let numbers = (0..<AddressList.maxCount).map(Self.number)
        #expect(try AddressList(parsing: numbers.joined(separator: "\n")).addresses.count == 5000)
        let tooMany = numbers + [Self.number(5000)]
        #expect(throws: AddressListError.tooMany) { try AddressList(parsing: tooMany.joined(separator: "\n")) }
        let blank = String(repeating: "\n", count: AddressList.maxBytes)
        #expect(try AddressList(parsing: blank).addresses.isEmpty)
        #expect(throws: AddressListError.tooLong) { try AddressList(parsing: blank + "\n") }
    }
}
