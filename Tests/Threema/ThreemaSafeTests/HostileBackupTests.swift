import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// Backups that were made or damaged to do harm: refused by the right layer, and quickly.
@Suite struct HostileBackupTests {
    private func user(_ members: String) -> String { #"{"info":{"version":1},"user":{\#(members)}}"# }

    @Test func `every truncation, every flipped bit and a byte more are refused`() throws {
        let blob = sealed(sampleJSON)
        _ = try open(blob)
        for count in blob.indices {
            let expected = count < 40 ? SafeBackupError.tooShort(minimum: 40, actual: count) : .notAuthentic
            #expect(throws: expected, "\(count) bytes") { try open(Array(blob[..<count])) }
        }
        for bit in 0..<blob.count * 8 {
            var flipped = blob
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SafeBackupError.notAuthentic, "bit \(bit)") { try open(flipped) }
        }
        #expect(throws: SafeBackupError.notAuthentic) { try open(blob + [0]) }
    }

    @Test func `the right half of the key opens, the left one is only the place`() throws {
        let blob = sealed(sampleJSON)
        let bytes = [UInt8](repeating: 7, count: 64)
        for bit in 0..<512 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            let keys = SafeKeys(masterKey: SecureBytes(copying: other.span))
            if bit < 256 {
                _ = try open(blob, keys: keys)
                #expect(keys.backupID != safeKeys().backupID)
            } else {
                #expect(throws: SafeBackupError.notAuthentic) { try open(blob, keys: keys) }
            }
        }
    }

    @Test func `every truncation of the document is refused`() {
        for count in 0..<sampleJSON.utf8.count {
            let cut = String(decoding: Array(sampleJSON.utf8)[..<count], as: UTF8.self)
            let error = #expect(throws: SafeBackupError.self) { try open(sealed(cut)) }
            guard case .json? = error else {
                Issue.record("\(count): \(String(describing: error))")
                continue
            }
        }
    }

    @Test func `no changed byte of the document does more than be refused or read`() {
        var generator = SystemRandomNumberGenerator()
        let keys = safeKeys()
        for _ in 0..<3000 {
            var json = Array(sampleJSON.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                json[Int.random(in: json.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let blob = SafeBackup.seal(json.span, nonce: [UInt8](repeating: 1, count: 24), keys: keys)
            // Whatever is read can be written again, and is then the same.
            guard let opened = try? open(blob) else { continue }
            let key = ClientKey(SecureBytes(copying: opened.clientKey.span))
            let again = try? SafeBackup.seal(key, opened.profile, writerInfo: opened.writerInfo, keys: keys)
            #expect(again.flatMap { try? open($0) } == opened)
        }
    }

    @Test(arguments: [
        #""nickname":"a","nickname":"b""#, #""nickname":"a","nick\u006eame":"b""#,
        #""privatekey":"\#(sampleKeyText)","privatekey":"\#(sampleKeyText)""#,
        #""privatekey":"\#(sampleKeyText)","\u0070rivatekey":1"#, #""a":{"b":1,"b":2}"#,
    ]) func `a name twice is refused`(_ members: String) {
        let error = #expect(throws: SafeBackupError.self) { try open(sealed(user(members))) }
        guard case .json(.duplicateName)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        ("[", ""), (#"{"a":"#, ""), (#"{"info":{"version":1},"user":{"x":["#, "]}}"), ("[{\"a\":", "1}]"),
    ]) func `depth is refused, at once`(_ open: String, _ close: String) {
        let json = String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000)
        let start = ContinuousClock.now
        #expect(throws: SafeBackupError.json(.tooDeep(limit: 64))) { try ThreemaSafeTests.open(sealed(json)) }
        // Most of it is sealing the test's document; following 100,000 levels would end the process.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: [
        (#""nickname":"a\u0000b""#, true), (#""privatekey":"\u0000""#, true), ("\"nick\\u0000name\":1", true),
        ("\"nickname\":\"a\0b\"", false), ("\0", false), ("\"nickname\":\"a\nb\"", false),
        (#""nickname":"\ud800""#, true), (#""nickname":"\udc00\ud800""#, true),
    ]) func `U+0000, control characters and halves of pairs are refused`(_ members: String, _ isEscaped: Bool) {
        let error = #expect(throws: SafeBackupError.self) { try open(sealed(user(members))) }
        switch error {
        case .json(.notUnicode)?: #expect(isEscaped)
        case .json(.syntax)?: #expect(!isEscaped)
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [
        ("", SafeBackupError.json(.syntax(offset: 0))), ("nonsense", .json(.syntax(offset: 1))),
        ("{} {}", .json(.syntax(offset: 3))), ("\u{feff}{}", .json(.syntax(offset: 0))),
        ("[]", .document(.wrongType(path: ""))), ("null", .document(.wrongType(path: ""))),
        (#"{"user":{}}"#, .document(.missing(path: "info"))),
        (#"{"info":{"version":1}}"#, .document(.missing(path: "user"))),
        (#"{"info":{"version":2},"user":{}}"#, .document(.unsupportedVersion(2))),
        (#"{"info":{"version":1.0},"user":{}}"#, .document(.wrongType(path: "info.version"))),
        (#"{"info":{"version":1},"user":[]}"#, .document(.wrongType(path: "user"))),
        (#"{"info":{"version":1},"user":{},"contacts":{}}"#, .document(.wrongType(path: "contacts"))),
    ]) func `each layer says what is wrong`(_ json: String, _ error: SafeBackupError) {
        #expect(throws: error) { try open(sealed(json)) }
    }

    @Test(arguments: [
        "", #""nickname":"n""#, #""privatekey":"""#, #""privatekey":null"#, #""privatekey":12"#, #""privatekey":{}"#,
        #""privatekey":["\#(sampleKeyText)"]"#, #""PrivateKey":"\#(sampleKeyText)""#,
        // 31 and 33 bytes, without padding, with a blank, with a line break, URL-safe, with unused bits set.
        #""privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzA==""#,
        #""privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM""#,
        #""privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw""#,
        #""privatekey":" zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw=""#,
        #""privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw=\n""#,
        #""privatekey":"__________________________________________8=""#,
        #""privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMz=""#,
        #""privatekey":"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc""#,
    ]) func `a private key is the Base64 of 32 bytes`(_ members: String) {
        #expect(throws: SafeBackupError.privateKey) { try open(sealed(user(members))) }
    }

    @Test(arguments: [
        String(repeating: "/", count: 42) + "8=", String(repeating: #"\/"#, count: 42) + "8=",
        #"\u002f\/"# + String(repeating: "/", count: 39) + #"\u002F\u0038\u003d"#,
    ]) func `a private key may be escaped`(_ text: String) throws {
        let opened = try open(sealed(user(#""privatekey":"\#(text)""#)))
        #expect(opened.clientKey == [UInt8](repeating: 0xff, count: 32))
        #expect(opened.document.text == #"{"info":{"version":1},"user":{}}"#)
    }

    @Test func `a member of gzip that promises too much takes no memory`() throws {
        let nonce = [UInt8](repeating: 1, count: 24)
        // Header, one empty stored block, CRC-32 of nothing, and a length of 4 GiB less one.
        let bomb = [UInt8](hex: "1f8b0800000000000000" + "010000ffff" + "00000000" + "ffffffff")!
        let blob = nonce + sealBox(bomb, nonce: nonce)
        let error = #expect(throws: SafeBackupError.self) { try open(blob) }
        guard case .gzip? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
