internal import Threema
package import ThreemaDirectory

/// E-mail addresses and phone numbers that are looked for at a directory, one on each line. Blank lines, and lines that
/// begin with `#`, are ignored.
package struct AddressList: Sendable {
    /// Longest text, in bytes.
    package static let maxBytes = 1024 * 1024
    /// Most addresses. An address has two hashes at most, so that all of them fit into one search.
    package static let maxCount = DirectoryRequest<FoundContacts>.maxHashes / 2

    /// One line.
    package struct Address: Sendable {
        /// Number of the line, from 1.
        package let line: Int
        /// The address in its one form: an e-mail address in lower case, or a phone number with a plus sign.
        package let text: String
        /// What is sent to look for it: one hash, or two for a mailbox with two names.
        package let hashes: [ContactHash]
    }

    /// The addresses in the order of the lines.
    package let addresses: [Address]

    /// - Throws: `AddressListError`; then nothing of the list is usable.
    package init(parsing text: String) throws(AddressListError) {
        guard text.utf8.count <= Self.maxBytes else { throw .tooLong }
        var addresses: [Address] = []
        let blanks = Set(" \t\r".utf8)
        // The newline of "\r\n" is a part of one Character.
        for (index, bytes) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            guard let first = bytes.first(where: { !blanks.contains($0) }), first != UInt8(ascii: "#") else { continue }
            guard addresses.count < Self.maxCount else { throw .tooMany }
            addresses.append(try Self.address(String(decoding: bytes, as: UTF8.self), line: index + 1))
        }
        self.addresses = addresses
    }

    private static func address(_ text: String, line: Int) throws(AddressListError) -> Address {
        do throws(ContactAddressError) {
            guard text.utf8.contains(UInt8(ascii: "@")) else {
                let number = try PhoneNumber(parsing: text.replacing("\r", with: ""))
                return Address(line: line, text: "+" + number.digits, hashes: [ContactHash(number)])
            }
            let email = try EmailAddress(normalizing: text)
            return Address(line: line, text: email.text, hashes: email.hashes)
        } catch {
            throw .malformed(line: line, isWithoutCountry: error == .noCountry)
        }
    }

    /// All hashes, each once.
    package var hashes: [ContactHash] {
        var seen: Set<ContactHash> = []
        return addresses.flatMap(\.hashes).filter { seen.insert($0).inserted }
    }
}

/// Why a list of addresses is not usable.
package enum AddressListError: Error, Equatable {
    /// A line is no address.
    case malformed(line: Int, isWithoutCountry: Bool)
    /// It has more than `AddressList.maxCount` addresses.
    case tooMany
    /// It has more than `AddressList.maxBytes` bytes.
    case tooLong
}
