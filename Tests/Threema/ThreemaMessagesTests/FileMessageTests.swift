import Encodings
import SecureMemory
import Testing
import VectorKit

@testable import ThreemaMessages

@Suite struct FileMessageTests {
    static let blob = "0123456789abcdef0123456789abcdef"
    static let thumbnail = "fedcba9876543210fedcba9876543210"
    static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
    static let required = "\"b\":\"\(blob)\",\"k\":\"\(key)\",\"m\":\"image/png\",\"s\":5"

    @Test(arguments: try Vector.all(in: .threemaClient, op: "decode-file-message"))
    func `a message of the apps`(_ vector: Vector) throws {
        let json = try vector.inputs.utf8("json")
        let file = try FileMessage(decoding: json.span)
        #expect(file.blobID.description == (try vector.expected.string("fileBlobId")))
        #expect(file.key.copied.hex == (try vector.expected.string("key")))
        #expect(file.mediaType == (try vector.expected.string("mediaType")))
        #expect(file.name == (try vector.expected.string("name")))
        #expect(Int(file.size) == (try vector.expected.integer("size")))
        #expect(file.thumbnail?.blobID.description == (try vector.expected.string("thumbnailBlobId")))
        #expect(file.caption == (try vector.expected.string("caption")))
        #expect(Int(file.rendering.rawValue) == (try vector.expected.integer("renderingType")))
    }

    @Test func `all members are read, in any order and spelling`() throws {
        let escapedKey = Self.key.replacing("00", with: "\\u0030\\u0030")
        let json = """
            {"x":{"w":3,"h":4,"a":false,"d":1.5},"c":"id","j":2,"i":1,"d":"caf\\u00e9","n":"a.png","p":"image/png",
            "t":"\(Self.thumbnail)","s":5,"m":"image/png","k":"\(escapedKey)","b":"\(Self.blob.uppercased())",
            "future":[1]}
            """
        let file = try FileMessage(decoding: Array(json.utf8).span)
        #expect(file.blobID.description == Self.blob && file.key.copied.hex == Self.key)
        #expect(file.mediaType == "image/png" && file.size == 5 && file.name == "a.png" && file.caption == "café")
        #expect(file.thumbnail == .init(blobID: BlobID(hex: Self.thumbnail)!, mediaType: "image/png"))
        #expect(file.rendering == .sticker && file.correlationID == "id")
        #expect(file.metadata?["w"]?.integer == 3 && file.metadata?["d"] == .number("1.5"))
        let body = MessageBody.chat(.file(file))
        #expect(try MessageBody.decoded(.file, body.encodedBody()) == body)
        #expect(try body.encodedBody().allSatisfy { $0 < 0x80 })
    }

    @Test(arguments: [
        ("{\(required)}", FileMessage.Rendering.file), ("{\(required),\"i\":1}", .media),
        ("{\(required),\"i\":1,\"j\":0}", .file), ("{\(required),\"j\":1}", .media), ("{\(required),\"j\":9}", .file),
        ("{\(required),\"t\":null,\"d\":null,\"x\":null}", .file),
    ]) func `what may be missing`(_ json: String, _ rendering: FileMessage.Rendering) throws {
        let file = try FileMessage(decoding: Array(json.utf8).span)
        #expect(file.rendering == rendering && file.thumbnail == nil && file.caption == nil && file.metadata == nil)
    }

    @Test(arguments: ["b", "k", "m", "s"]) func `what may not be missing`(_ name: String) {
        for value in ["null", "7.5", "\"zz\"", "[]"] where name != "m" || value != "\"zz\"" {
            let members = Self.required.split(separator: ",").map {
                $0.hasPrefix("\"\(name)\"") ? "\"\(name)\":\(value)" : "\($0)"
            }
            let json = "{\(members.joined(separator: ","))}"
            #expect(throws: MessageBodyError.member(name), "\(json)") {
                try FileMessage(decoding: Array(json.utf8).span)
            }
        }
        let without = Self.required.split(separator: ",").filter { !$0.hasPrefix("\"\(name)\"") }
        let json = "{\(without.joined(separator: ","))}"
        #expect(throws: MessageBodyError.member(name)) { try FileMessage(decoding: Array(json.utf8).span) }
    }

    @Test(arguments: [
        "", "[]", "{", "{\(required),\"b\":\"\"}", "{\(required),\"x\":\"\(String(repeating: "[", count: 20))",
    ])
    func `hostile JSON is refused`(_ json: String) {
        #expect(throws: MessageBodyError.self) { try FileMessage(decoding: Array(json.utf8).span) }
    }

    @Test func `deep JSON is refused`() {
        let json = "{\(Self.required),\"x\":\(String(repeating: "[", count: 5000))}"
        #expect(throws: MessageBodyError.json(.tooDeep(limit: 8))) {
            try FileMessage(decoding: Array(json.utf8).span)
        }
    }

    @Test func `a long caption is sent as UTF-8, a short one as ASCII`() throws {
        var file = try FileMessage(decoding: Array("{\(Self.required)}".utf8).span)
        file.caption = "😀"
        let escaped = try MessageBody.chat(.file(file)).encodedBody()
        #expect(String(decoding: escaped, as: UTF8.self).contains("\\ud83d\\ude00"))
        file.caption = String(repeating: "é", count: 3000)
        let body = MessageBody.chat(.file(file))
        #expect(try body.encodedBody().count < MessageLimits.bodyBytes)
        #expect(try MessageBody.decoded(.file, body.encodedBody()) == body)
        file.caption! += "é"
        #expect(throws: MessageBodyError.tooLong(limit: 6000, actual: 6002)) {
            try MessageBody.chat(.file(file)).encodedBody()
        }
        file.caption = nil
        file.name = String(repeating: "n", count: 257)
        #expect(throws: MessageBodyError.tooLong(limit: 256, actual: 257)) {
            try MessageBody.chat(.file(file)).encodedBody()
        }
    }

    @Test func `a key shows nothing of itself`() {
        let key = EnclosedKey.of([UInt8](hex: Self.key)!)
        #expect("\(key)" == "EnclosedKey" && String(reflecting: key) == "EnclosedKey")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("0x0") && !dumped.contains("base: 1"))
    }
}
