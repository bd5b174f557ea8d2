import Paper
import Testing

/// The file as a reader takes it apart: by the offsets at its end.
private struct ReadPDF {
    let text: String
    var objects: [Int: String] = [:]

    init(_ page: Page) throws { try self.init(page.pdf) }

    init(_ file: [UInt8]) throws {
        // A character is a byte, so offsets are those of the file.
        text = String(String.UnicodeScalarView(file.map { Unicode.Scalar($0) }))
        let scalars = Array(text.unicodeScalars)
        func rest(_ offset: Int) -> String { String(String.UnicodeScalarView(scalars[offset...])) }
        let end = try #require(text.split(separator: "startxref\n").last)
        #expect(end.hasSuffix("\n%%EOF\n"))
        let table = try rest(#require(Int(end.prefix { $0 != "\n" })))
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "xref")
        let count = try #require(Int(lines[1].dropFirst(2)))
        #expect(lines[1] == "0 \(count)" && lines[2] == "0000000000 65535 f ")
        #expect(lines[2 + count] == "trailer" && lines[3 + count].contains("/Size \(count) "))
        for number in 1..<count {
            let entry = lines[2 + number]
            #expect(entry.count == 19 && entry.hasSuffix(" 00000 n "))
            let object = try rest(#require(Int(entry.prefix(10))))
            #expect(object.hasPrefix("\(number) 0 obj\n"))
            objects[number] = String(object.split(separator: "\nendobj\n")[0])
        }
    }

    /// The operators that draw the page, and the length that the file gives for them.
    func content() throws -> (operators: String, length: Int) {
        let object = try #require(objects[4])
        let start = try #require(object.firstRange(of: "stream\n"))
        let length = object.split(separator: "/Length ")[1].prefix { $0.isNumber }
        return (String(object[start.upperBound...].dropLast("endstream".count)), try #require(Int(length)))
    }
}

struct PDFTests {
    @Test func everyObjectIsWhereTheTableSays() throws {
        var page = Page(title: "A page")
        page.write("Grüezi", x: 10, y: 20, size: 12)
        page.fill([Page.Run(row: 0, column: 0, count: 3)], x: 1, y: 1, cell: 2)
        let file = try ReadPDF(page)
        #expect(file.text.hasPrefix("%PDF-1.4\n%âãÏÓ\n"))
        #expect(file.objects.count == 8)
        #expect(file.objects[8] == "8 0 obj\n<< /Title (A page) >>")
        let (operators, length) = try file.content()
        #expect(operators.unicodeScalars.count == length)
    }

    @Test func severalPagesShareTheirFonts() throws {
        let pages = ["one", "two", "three"].map { text in
            var page = Page(title: text)
            page.write(text, x: 1, y: 2, size: 3)
            return page
        }
        let file = try ReadPDF(Page.pdf(pages))
        #expect(file.objects.count == 12)
        #expect(file.objects[2] == "2 0 obj\n<< /Type /Pages /Kids [3 0 R 5 0 R 7 0 R] /Count 3 >>")
        for (index, text) in ["one", "two", "three"].enumerated() {
            let page = try #require(file.objects[3 + 2 * index])
            #expect(page.contains("/Contents \(4 + 2 * index) 0 R") && page.contains("/F0 9 0 R /F1 10 0 R /F2 11 0 R"))
            #expect(try #require(file.objects[4 + 2 * index]).contains("(\(text)) Tj"))
        }
        #expect(try #require(file.objects[9]).contains("/BaseFont /Helvetica "))
        #expect(file.objects[12] == "12 0 obj\n<< /Title (one) >>")
    }

    @Test func theLanguageIsSaid() throws {
        #expect(try #require(ReadPDF(Page(title: "", language: "de")).objects[1]).contains("/Lang (de)"))
        #expect(try #require(ReadPDF(Page(title: "")).objects[1]).contains("/Lang (en)"))
    }

    @Test func anEmptyPageIsAPage() throws {
        let (operators, length) = try ReadPDF(Page(title: "")).content()
        #expect(operators == "" && length == 0)
    }

    @Test(arguments: [
        ("a(b", #"(a\(b)"#), ("a)b", #"(a\)b)"#), (#"a\b"#, #"(a\\b)"#), (#"\("#, #"(\\\()"#), ("é", "(é)"),
        ("\u{1f600}", #"(\\u{1f600})"#),
    ])
    func stringsAreEscaped(_ text: String, _ expected: String) throws {
        var page = Page(title: text)
        page.write(text, x: 0, y: 0, size: 1)
        let file = try ReadPDF(page)
        #expect(try file.content().operators.contains(" Td \(expected) Tj ET\n"))
        #expect(file.objects[8] == "8 0 obj\n<< /Title \(expected) >>")
    }

    @Test func positionsCountFromBelow() throws {
        var page = Page(title: "")
        page.write("x", x: 56.6929, y: 100.006, .fixed, size: 9)
        page.line(x: 1, y: 2, toX: 3, toY: 4.5, isDashed: true)
        page.fill([Page.Run(row: 1, column: 2, count: 3)], x: 10, y: 20, cell: 4.25)
        #expect(
            try ReadPDF(page).content().operators == """
                BT /F2 9 Tf 56.69 741.88 Td (x) Tj ET
                0.75 w [3 3] 0 d 1 839.89 m 3 837.39 l S
                q 4.25 0 0 -4.25 10 821.89 cm
                2 1 3 1 re
                f Q

                """)
    }
}
