import Testing
import VectorKit

@testable import TextSecure

@Suite struct DirectoryTests {
    @Test(arguments: try Vector.all(in: .textSecureFormats, op: "directory-token"))
    func tokens(_ vector: Vector) throws {
        let token = DirectoryToken(hashing: try vector.inputs.string("number"))
        #expect(try token.bytes == vector.expected.bytes("token_bytes"))
        #expect(try token.text == vector.expected.string("token"))
        #expect(DirectoryToken(text: token.text) == token)
        #expect(DirectoryToken(text: token.text + "==") == token)
    }

    @Test func `the token of a number`() throws {
        #expect(try DirectoryToken(#require(AccountNumber("+12025550123"))).text == "atODmoLR2lc+xw")
    }

    @Test(arguments: ["", "atODmoLR2lc+x", "atODmoLR2lc+xwA", "atODmoLR2lc-xw", "atODmoLR2lc+xx", "atODmoLR2lc+xwAA"])
    func `what is no token`(_ text: String) { #expect(DirectoryToken(text: text) == nil) }

    @Test func `an answer is matched`() throws {
        let numbers = try (0..<2001).map { try #require(AccountNumber("+1202555\($0 + 1000)")) }
        let discovery = ContactDiscovery(numbers + numbers[..<5])
        #expect(discovery.batches.map(\.count) == [1000, 1000, 1])
        #expect(discovery.batches.joined().elementsEqual(numbers.map { DirectoryToken($0) }))
        let known = DirectoryToken(numbers[1500])
        let found = discovery.match([
            DirectoryEntry(token: DirectoryToken(hashing: "+4930123456"), relay: nil, supportsSMS: true),
            DirectoryEntry(token: known, relay: "node2", supportsSMS: true),
            DirectoryEntry(token: known, relay: nil, supportsSMS: false),
        ])
        #expect(found == [FoundContact(number: numbers[1500], relay: "node2", supportsSMS: true)])
        #expect(ContactDiscovery([]).batches.isEmpty)
    }
}
