import Encodings
import SecureMemory
import Testing
import Threema
import VectorKit

@Suite struct IDBackupTests {
    private func code(of identity: borrowing Identity, _ password: String, _ salt: [UInt8]) throws -> String {
        try IDBackup.seal(identity, password: Array(password.utf8).span, scheme: .pbkdf2, salt: salt).text
    }

    private func open(_ code: String, _ password: [UInt8]) throws -> (id: String, key: [UInt8]) {
        let identity = try IDBackup.open(GroupedCode(parsing: code), password: password.span)
        return (identity.id.text, identity.clientKey.bytes.copied)
    }

    @Test(arguments: try Vector.positive(in: .idBackup)) func `published codes, both ways`(_ vector: Vector) throws {
        let code = try vector.inputs.string("backup")
        let password = try vector.inputs.utf8("password")
        let (id, key) = try open(code, password)
        #expect(try id == vector.expected.string("identity"))
        #expect(try key == vector.expected.bytes("client_key"))

        let scheme: IDBackup.Scheme = try vector.expected.string("scheme") == "legacy" ? .pbkdf2 : .argon2id
        // The newer scheme has its version before the salt.
        let salt = try Array(vector.inputs.bytes("backup_raw_hex").dropFirst(scheme == .pbkdf2 ? 0 : 1).prefix(8))
        let held = try ThreemaID(id)
        let identity = Identity(id: held, clientKey: ClientKey(SecureBytes(copying: key.span)))
        let sealed = try IDBackup.seal(identity, password: password.span, scheme: scheme, salt: salt)
        #expect(sealed.text == code)
        #expect(sealed.characters.count == scheme.characterCount)
    }

    /// libthreema says "decoding" where the bytes have no structure and also where a well-formed code
    /// holds an illegal ID; here the first is a wrong length and the second an invalid ID.
    @Test(arguments: try Vector.negative(in: .idBackup)) func `published codes that are refused`(
        _ vector: Vector
    ) throws {
        let word = try vector.expected.string("error")
        do {
            _ = try open(vector.inputs.string("backup"), vector.inputs.utf8("password"))
            Issue.record("opened")
        } catch let error as IDBackupError {
            switch error {
            case .wrongLength, .invalidID: #expect(word == "decoding")
            case .unknownVersion: #expect(word == "unknown_version")
            case .notOpened: #expect(word == "decryption")
            case .derivation, .notReproduced: Issue.record("\(error)")
            }
        }
    }

    private let published =
        "4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6"
    private let password = Array("testpassword".utf8)

    @Test func `the code with a wrong character at any place does not open`() throws {
        let characters = Array(try GroupedCode(parsing: published).characters)
        for place in characters.indices {
            var wrong = characters
            // The next character of the alphabet: with a check of 16 bits another choice could pass it.
            wrong[place] = wrong[place] == UInt8(ascii: "Z") ? 0x32 : wrong[place] == 0x37 ? 0x41 : wrong[place] + 1
            #expect(throws: IDBackupError.notOpened, "place \(place)") {
                try open(String(decoding: wrong, as: UTF8.self), password)
            }
        }
    }

    @Test func `every truncation of the code is named by its length or its version`() throws {
        let characters = try GroupedCode(parsing: published).characters
        for count in 0..<characters.count {
            let code = String(decoding: characters[..<count], as: UTF8.self)
            let error = #expect(throws: IDBackupError.self) { try open(code, password) }
            switch error {
            case .wrongLength(count, _)?: #expect(!count.isMultiple(of: 8) || count == 0)
            // Whole bytes, the first of which is no known version: what a code that is cut short looks like.
            case .unknownVersion(0xe2, count, _)?: #expect(count.isMultiple(of: 8))
            default: Issue.record("\(String(describing: error))")
            }
        }
    }

    @Test func `a code with a gap says where`() throws {
        let code = published.replacing("-KFUH-", with: "-KFH-")
        let error = #expect(throws: IDBackupError.self) { try open(code, password) }
        guard case .wrongLength(79, let gaps)? = error, let gap = gaps.first else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(gaps.count == 1 && gap.number == 3 && gap.count == 3)
    }

    @Test func `bytes that begin with zero are of no scheme`() {
        #expect(throws: IDBackupError.wrongLength(characters: 8, shortGroups: [])) { try open("AAAAAAAA", password) }
    }

    @Test func `every code is new, and opens`() throws {
        let identity = Identity(id: .random(), clientKey: .random())
        var codes: Set<String> = []
        for _ in 0..<5 {
            let code = try IDBackup.seal(identity, password: password.span, scheme: .pbkdf2)
            codes.insert(code.text)
            let (id, key) = try open(code.text, password)
            #expect(id == identity.id.text)
            #expect(key == identity.clientKey.bytes.copied)
        }
        #expect(codes.count == 5)
    }

    @Test func `passwords are bytes: nothing is trimmed, normalised or cut`() throws {
        let identity = Identity(id: .random(), clientKey: .random(mixing: Span()))
        let passwords = [
            "pässword", "pa\u{308}ssword", "pässword ", "Pässword", "", String(repeating: "p", count: 4096),
        ]
        let salt = [UInt8](repeating: 3, count: 8)
        let codes = try passwords.map { try code(of: identity, $0, salt) }
        #expect(Set(codes).count == passwords.count)
    }

    @Test func `the check word is that of the decoded bytes`() throws {
        let code = try GroupedCode(parsing: published)
        // Base32 of the first 5 bytes that sha256sum prints for the 50 bytes.
        #expect(IDBackup.checkWord(of: code).text == "JHUC-NQUH")
        let other = try GroupedCode(parsing: published.lowercased().replacing("-", with: " "))
        #expect(IDBackup.checkWord(of: other) == IDBackup.checkWord(of: code))
        let wrong = try GroupedCode(parsing: published.replacing("U3S6", with: "U3S7"))
        #expect(IDBackup.checkWord(of: wrong) != IDBackup.checkWord(of: code))
    }
}
