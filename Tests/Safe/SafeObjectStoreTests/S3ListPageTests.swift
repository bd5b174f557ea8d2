import Foundation
import FoundationXML
import StoreKit
import Testing
import VectorKit

@testable import SafeObjectStore

@Suite struct S3ListPageTests {
    /// Amazon's example (Amazon S3 API Reference, "ListObjectsV2", sample response for general purpose buckets).
    private static let ofAmazon = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Name>bucket</Name>
            <Prefix/>
            <KeyCount>205</KeyCount>
            <MaxKeys>1000</MaxKeys>
            <IsTruncated>false</IsTruncated>
            <Contents>
                <Key>my-image.jpg</Key>
                <LastModified>2009-10-12T17:50:30.000Z</LastModified>
                <ETag>"fba9dede5f27731c9771645a39863328"</ETag>
                <Size>434234</Size>
                <StorageClass>STANDARD</StorageClass>
            </Contents>
        </ListBucketResult>

        """

    /// As OpenStack Swift 2.30 has answered to `list-type=2&max-keys=2&prefix=anna%2F`.
    private static let ofSwift = """
        <?xml version='1.0' encoding='UTF-8'?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>safe-aa</Name><Prefix>anna/</Prefix>\
        <NextContinuationToken>YW5uYS8wMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAx\
        </NextContinuationToken><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><IsTruncated>true</IsTruncated><Contents><Key>\
        anna/0000000000000000000000000000000000000000000000000000000000000000</Key><LastModified>2026-11-23T23:18:20.000Z\
        </LastModified><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag><Size>0</Size><StorageClass>STANDARD</StorageClass>\
        </Contents><Contents><Key>anna/0000000000000000000000000000000000000000000000000000000000000001</Key>\
        <LastModified>2026-11-23T23:18:20.000Z</LastModified><ETag>"9dd4e461268c8034f5c8564e155c67a6"</ETag><Size>1</Size>\
        <StorageClass>STANDARD</StorageClass></Contents></ListBucketResult>
        """

    private func page(_ text: String) throws -> S3ListPage { try S3ListPage(parsing: Array(text.utf8)) }

    private func list(_ content: String) -> String { "<ListBucketResult>\(content)</ListBucketResult>" }

    @Test func `pages of servers`() throws {
        let amazon = try page(Self.ofAmazon)
        #expect(amazon.objects == [S3ListPage.Object(key: "my-image.jpg", count: 434_234)] && !amazon.isTruncated)
        let swift = try page(Self.ofSwift)
        let zeros = "anna/" + String(repeating: "0", count: 63)
        let objects = [0, 1].map { S3ListPage.Object(key: zeros + "\($0)", count: $0) }
        #expect(swift.objects == objects && swift.isTruncated)
        let none = try page(list("<Marker/><IsTruncated>false</IsTruncated>"))
        #expect(none.objects == [] && !none.isTruncated)
    }

    @Test func `what is not a page`() {
        let end = "<IsTruncated>false</IsTruncated>"
        func object(_ content: String) -> String { list(end + "<Contents>\(content)</Contents>") }
        let wrong = [
            "", list(""), list(end + end), list("<IsTruncated>no</IsTruncated>"), list("<IsTruncated/>"),
            "<Error><IsTruncated>false</IsTruncated></Error>", list(end).replacing("</ListBucketResult>", with: ""),
            list(end) + list(end), list(end) + "x", object(""), object("<Key>a</Key>"), object("<Size>1</Size>"),
            object("<Key>a</Key><Key>b</Key><Size>1</Size>"), object("<Key>a</Key><Size>1</Size><Size>1</Size>"),
            object("<Key>a</Key><Size></Size>"), object("<Key>a</Key><Size>-1</Size>"),
            object("<Key>a</Key><Size>+1</Size>"), object("<Key>a</Key><Size> 1</Size>"),
            object("<Key>a</Key><Size>1e3</Size>"), object("<Key>a</Key><Size>281474976710657</Size>"),
            object("<Key>a</Key><Size>9223372036854775808</Size>"), object("<Key>a</Key><Size>0000000000000001</Size>"),
            object("<x><Key>a</Key><Size>1</Size></x>"), object("<!-- --><Key>a</Key><Size>1</Size>"),
        ]
        for text in wrong { #expect(throws: S3ListError.malformed, "\(text)") { try page(text) } }
        #expect(throws: Never.self) { try page(object("<Key>a</Key><Size>281474976710656</Size>")) }
    }

    @Test func `limits come before the work`() throws {
        func page(_ count: Int) throws -> S3ListPage {
            let objects = (0..<count).map { ListedObject(key: "a/\($0)", count: $0) }
            return try S3ListPage(parsing: ListedObject.page(objects, isTruncated: true))
        }
        #expect(try page(1000).objects.count == 1000)
        #expect(throws: S3ListError.tooMany(limit: 1000)) { try page(1001) }
        let limit = S3ListPage.maxBytes
        let long = [UInt8](repeating: 0x20, count: limit + 1)
        #expect(throws: S3ListError.tooLong(limit: limit)) { try S3ListPage(parsing: long) }
        let deep = list(String(repeating: "<a>", count: 8) + String(repeating: "</a>", count: 8))
        #expect(throws: S3ListError.malformed) { try self.page(deep) }
        let many = list(String(repeating: "<a/>", count: 20_001) + "<IsTruncated>false</IsTruncated>")
        #expect(throws: S3ListError.malformed) { try self.page(many) }
    }

    /// What is accepted is what libxml2 reads, if that accepts it, too.
    @Test func `ten thousand mutations`() throws {
        let random = SeededRandom(seed: 0x5_3157)
        var accepted = 0
        var compared = 0
        for number in 0..<10_000 {
            let body = random.changed(Array((number % 2 == 0 ? Self.ofAmazon : Self.ofSwift).utf8))
            guard let page = try? S3ListPage(parsing: body) else { continue }
            accepted += 1
            #expect(page.objects.count <= 3)
            #expect(page.objects.allSatisfy { (0...S3ListPage.maxObjectBytes).contains($0.count) })
            guard let other = PageOfLibrary(body) else { continue }
            compared += 1
            #expect(other.keys == page.objects.map(\.key), "\(String(decoding: body, as: UTF8.self))")
            #expect(other.isTruncated == [page.isTruncated ? "true" : "false"])
            #expect(other.sizes.map { Int($0) } == page.objects.map(\.count))
        }
        #expect(accepted > 1800 && accepted < 9000 && compared > accepted / 2)
    }
}

/// A page as another parser reads it.
private final class PageOfLibrary: NSObject, XMLParserDelegate {
    private(set) var keys: [String] = []
    private(set) var sizes: [String] = []
    private(set) var isTruncated: [String] = []
    private var path: [String] = []
    private var text = ""

    /// - Returns: nil if the library refuses the text.
    init?(_ body: [UInt8]) {
        super.init()
        let parser = XMLParser(data: Data(body))
        parser.delegate = self
        guard parser.parse() else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        path.append(name)
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        switch path.dropFirst() {
        case ["IsTruncated"]: isTruncated.append(text)
        case ["Contents", "Key"]: keys.append(text)
        case ["Contents", "Size"]: sizes.append(text)
        default: break
        }
        path.removeLast()
        text = ""
    }
}
