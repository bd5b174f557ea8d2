import Encodings
import Foundation
import FoundationXML
import Testing
import VectorKit

@Suite struct XMLScannerTests {
    private func events(_ text: String, depth: Int = 8, elements: Int = 100) throws -> [XMLScanner.Event] {
        try Self.events(Array(text.utf8), depth: depth, elements: elements)
    }

    private static func events(_ bytes: [UInt8], depth: Int, elements: Int) throws -> [XMLScanner.Event] {
        var scanner = XMLScanner(bytes, limits: XMLScanner.Limits(depth: depth, elements: elements))
        var events: [XMLScanner.Event] = []
        while let event = try scanner.next() { events.append(event) }
        #expect(try scanner.next() == nil)
        return events
    }

    @Test func `elements, attributes, texts and entities`() throws {
        let text = """
            <?xml version='1.0'?>
            <a:b x="1" y = '"'>before<c/><d >&lt;&gt;&amp;&quot;&apos;&#228;&#x1F600;</d > after</a:b>

            """.replacing(" = ", with: "=")
        let expected: [XMLScanner.Event] = [
            .start(name: "a:b", attributes: ["x": "1", "y": "\""]), .start(name: "c", attributes: [:]),
            .end(name: "c", text: ""), .start(name: "d", attributes: [:]), .end(name: "d", text: "<>&\"'ä😀"),
            .end(name: "a:b", text: " after"),
        ]
        #expect(try events(text) == expected)
        let lines = "one\ntwo\n\nthree\rfour"
        let ended = XMLScanner.Event.end(name: "a", text: lines)
        #expect(try events("<a>one\r\ntwo\n\rthree&#13;four</a>").last == ended)
        #expect(try events("<a/>") == [.start(name: "a", attributes: [:]), .end(name: "a", text: "")])
    }

    @Test(
        arguments: [
            ("", 0), (" ", 1), ("<a>", 3), ("<a", 2), ("<a></b>", 5), ("<a></a", 6), ("<a/>x", 4), ("<a/><b/>", 4),
            ("</a>", 1), ("<a><!-- --></a>", 4), ("<!DOCTYPE a><a/>", 1), ("<a><![CDATA[]]></a>", 4),
            ("<a><?b?></a>", 4), ("<a>&b;</a>", 3), ("<a>&#0;</a>", 3), ("<a>&#xd800;</a>", 3), ("<a>&</a>", 3),
            ("<a>&#;</a>", 3), ("<a>&#+5;</a>", 3), ("<a b=c/>", 5), ("<a b='<'/>", 6), ("<a b/>", 4),
            ("<a b='1' b='2'/>", 9), ("<a></a b='1'>", 7), ("<?xml", 5), ("<?xml ", 6),
            ("<?xmlx?><a/>", 5), ("<?b?><a/>", 1), ("<a>]]", 5), ("<a>\u{1}</a>", 3), ("<1/>", 1),
            ("<a .b=''/>", 3), ("<a b=''c=''/>", 7),
            ("<a b='1\n2'/>", 6),
            ("<a " + (0..<9).map { "b\($0)='' " }.joined() + "/>", 3 + 8 * 6),
        ] as [(String, Int)])
    func `what is refused`(_ text: String, _ offset: Int) {
        #expect(throws: XMLError.syntax(offset: offset)) { try events(text) }
    }

    @Test func `limits`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try events(nested(8)).count == 16)
        #expect(throws: XMLError.tooDeep(limit: 8)) { try events(nested(9)) }
        #expect(throws: XMLError.tooDeep(limit: 8)) { try events(String(repeating: "<a>", count: 100_000)) }
        func wide(_ count: Int) -> String { "<r>" + String(repeating: "<a/>", count: count) + "</r>" }
        #expect(try events(wide(100)).count == 202)
        #expect(throws: XMLError.tooManyElements(limit: 100)) { try events(wide(101)) }
        let name = String(repeating: "n", count: 64)
        #expect(try events("<\(name)/>").count == 2)
        #expect(throws: XMLError.syntax(offset: 1)) { try events("<n\(name)/>") }
        let invalid = Array("<a>".utf8) + [0xff] + Array("</a>".utf8)
        #expect(throws: XMLError.notUnicode(offset: 3)) { try Self.events(invalid, depth: 8, elements: 100) }
    }

    /// Of what both accept, the elements and texts are those of libxml2.
    @Test func `ten thousand mutations`() throws {
        let random = SeededRandom(seed: 0x3317)
        let original = """
            <?xml version="1.0" encoding="UTF-8"?>
            <list a="1" b='x &amp; y'><item><name>one &lt; two</name><size>12</size></item><item name="&#65;"/>
            <item><name>dré</name></item></list>
            """
        var compared = 0
        for _ in 0..<10_000 {
            let bytes = random.changed(Array(original.utf8))
            guard let events = try? Self.events(bytes, depth: 8, elements: 100), let other = EventsOfLibrary(bytes)
            else { continue }
            compared += 1
            #expect(other.events == events, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(compared > 500 && compared < 9000)
    }
}

/// The same events as another parser has them.
private final class EventsOfLibrary: NSObject, XMLParserDelegate {
    private(set) var events: [XMLScanner.Event] = []
    private var text = ""

    /// - Returns: nil if the library refuses the text.
    init?(_ bytes: [UInt8]) {
        super.init()
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        guard parser.parse() else { return nil }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        events.append(.start(name: name, attributes: attributes))
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        events.append(.end(name: name, text: text))
        text = ""
    }
}
