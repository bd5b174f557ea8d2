import Testing
import Threema
import VectorKit

@testable import ThreemaDirectory

@Suite struct ContactTests {
    @Test(arguments: [
        ("  John.Doe@Gmail.com ", "john.doe@gmail.com"), ("A+b@EXAMPLE.org\r\n", "a+b@example.org"), ("x@y", "x@y"),
    ])
    func `an address in its one form`(_ text: String, _ normal: String) throws {
        #expect(try EmailAddress(normalizing: text).text == normal)
    }

    @Test(arguments: [
        "", "@", "a@", "@b", "a", "a@b@c", "a b@c", "ä@example.org", "a@ex\u{0}ample", "a@b\u{7f}", "a@b,\u{85}c",
        String(repeating: "a", count: 252) + "@bc",
    ])
    func `what is no address`(_ text: String) {
        #expect(throws: ContactAddressError.malformed) { try EmailAddress(normalizing: text) }
    }

    @Test func `the longest address`() throws {
        #expect(try EmailAddress(normalizing: String(repeating: "a", count: 252) + "@b").text.utf8.count == 254)
    }

    @Test func `Google's two domains, and no others`() throws {
        func alternative(_ text: String) throws -> String? { try EmailAddress(normalizing: text).alternative?.text }
        #expect(try alternative("a@gmail.com") == "a@googlemail.com")
        #expect(try alternative("A.b+c@GoogleMail.com") == "a.b+c@gmail.com")
        for other in ["a@notgmail.com", "a@gmail.com.example", "a@mail.com", "gmail.com@b"] {
            #expect(try alternative(other) == nil)
            #expect(try EmailAddress(normalizing: other).hashes.count == 1)
        }
        #expect(try EmailAddress(normalizing: "a@gmail.com").hashes.count == 2)
    }

    @Test(arguments: [
        ("+41 79 123 45 67", "41791234567"), ("0041-79-123.45/67", "41791234567"),
        ("+41 (0)79 123 45 67", "41791234567"),
        ("+1 (650) 555-0100", "16505550100"), ("+123456789012345", "123456789012345"), ("+1234567", "1234567"),
    ])
    func `a phone number in its one form`(_ text: String, _ digits: String) throws {
        #expect(try PhoneNumber(parsing: text).digits == digits)
        #expect(try PhoneNumber(digits: digits) == PhoneNumber(parsing: text))
    }

    @Test(arguments: [
        ("079 123 45 67", ContactAddressError.noCountry), ("791234567", .noCountry), ("", .malformed),
        ("+", .malformed),
        ("+123456", .malformed), ("+1234567890123456", .malformed), ("+0791234567", .malformed),
        ("+41 79 123 45 6x", .malformed), ("+41٧٩١٢٣٤٥٦٧", .malformed), ("++41791234567", .malformed),
        ("+41,791234567", .malformed), ("000791234567", .malformed), ("abc", .malformed),
    ])
    func `what is no phone number with its country`(_ text: String, _ error: ContactAddressError) {
        #expect(throws: error) { try PhoneNumber(parsing: text) }
    }
}
