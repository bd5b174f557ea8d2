import HTTP
import SafeStore
import SafeWire
import StoreKit
import Testing

@testable import SafeObjectStore

@Suite struct S3AddressTests {
    @Test func `an address has a server and 256 buckets`() throws {
        let address = try S3Address(parsing: "s3://Store.example:8080/safe-backups")
        #expect(address.authority == "store.example:8080")
        #expect(address.prefix == "safe-backups")
        #expect(Set(address.buckets).count == 256)
        #expect(address.buckets.first == "safe-backups-00" && address.buckets.last == "safe-backups-ff")
        #expect(address.bucket(of: id(0x0a)) == "safe-backups-0a" && address.buckets[10] == "safe-backups-0a")
        #expect(try S3Address(parsing: "s3://[::1]:443/s").authority == "[::1]")
        let longest = String(repeating: "a", count: S3Address.maxPrefixCount)
        #expect(try S3Address(parsing: "s3://h/\(longest)").buckets.allSatisfy { $0.utf8.count == 63 })
    }

    /// The first bytes are those of `printf %s NAME | sha256sum`.
    @Test func `an account has one bucket, and accounts are spread evenly`() throws {
        let address = try S3Address(parsing: "s3://h/safe")
        for (name, bucket) in [("alice", "safe-2b"), ("bob", "safe-81"), ("anna", "safe-55"), ("a-1", "safe-2f")] {
            #expect(address.bucket(of: AccountName(name)!) == bucket)
        }
        let names = (0..<4096).map { AccountName("member-\($0)")! }
        let counts = Dictionary(grouping: names, by: address.bucket).mapValues(\.count)
        #expect(Set(counts.keys) == Set(address.buckets))
        #expect(counts.values.max()! <= 40)
    }

    @Test(arguments: [
        ("https://h/p", S3AddressError.notS3), ("S3://h/p", .notS3), ("", .notS3), ("s3://h", .notTwoParts),
        ("s3://h/p/", .notTwoParts), ("s3://h/p/q", .notTwoParts), ("s3:///p", .badHost), ("s3://h:0/p", .badHost),
        ("s3://key:secret@h/p", .badHost), ("s3://h ost/p", .badHost), ("s3://h/", .badPrefix),
        ("s3://h/P", .badPrefix),
        ("s3://h/-p", .badPrefix), ("s3://h/p.q", .badPrefix), ("s3://h/p?q", .badPrefix), ("s3://h/ü", .badPrefix),
        ("s3://h/\(String(repeating: "a", count: 61))", .badPrefix),
    ])
    func `other texts are refused`(_ text: String, _ error: S3AddressError) {
        #expect(throws: error) { try S3Address(parsing: text) }
    }
}
