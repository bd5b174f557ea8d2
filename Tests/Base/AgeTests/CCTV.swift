import Foundation
import SecureMemory
import VectorKit

@testable import Age

/// A published vector of the format (CCTV): a header of texts, an empty line, and an age file.
struct CCTV: CustomStringConvertible, Sendable {
    let name: String
    /// The layer that has to refuse the file, or `success`.
    let expect: String
    /// SHA-256 of all content that is released, in hexadecimal.
    let payload: String?
    let identities: [String]
    let passphrases: [String]
    let fileKey: [UInt8]?
    let isArmored: Bool
    let file: [UInt8]

    var description: String { name }

    static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Vectors/age")

    /// Those of features that are not supported: post-quantum keys.
    static let unwanted = [
        "armor_hybrid", "hybrid", "hybrid_and_x25519", "hybrid_bad_tag", "hybrid_currupted_enc_mlkem",
        "hybrid_currupted_enc_x25519", "hybrid_extra_argument", "hybrid_grease", "hybrid_identity",
        "hybrid_long_file_key", "hybrid_long_share", "hybrid_low_order", "hybrid_multiple_recipients",
        "hybrid_no_match", "hybrid_not_canonical_body", "hybrid_not_canonical_enc", "hybrid_short_share",
        "hybrid_uppercase", "hybrid_x25519_arg",
    ]

    static let names = try! FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()

    static let wanted = names.filter { !unwanted.contains($0) }.map { try! CCTV($0) }

    static func named(_ name: String) -> CCTV { wanted.first { $0.name == name }! }

    init(_ name: String) throws {
        self.name = name
        let url = Self.directory.appending(path: name)
        let bytes = [UInt8](try Data(contentsOf: url))
        let end = bytes.indices.first { bytes[$0...].starts(with: [10, 10]) }!
        var fields: [String: [String]] = [:]
        for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n") {
            let colon = line.range(of: ": ")!
            fields[String(line[..<colon.lowerBound]), default: []].append(String(line[colon.upperBound...]))
        }
        let known = [
            "expect", "payload", "identity", "passphrase", "file key", "armored", "comment", "compressed",
        ]
        precondition(fields.keys.allSatisfy(known.contains), "\(name): an unknown field")
        expect = fields["expect"]![0]
        payload = fields["payload"]?[0]
        identities = fields["identity"] ?? []
        passphrases = fields["passphrase"] ?? []
        fileKey = fields["file key"].flatMap { [UInt8](hex: $0[0]) }
        isArmored = fields["armored"] != nil
        if fields["compressed"] == nil {
            file = Array(bytes[(end + 2)...])
        } else {
            let inflate = """
                import sys, zlib
                sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read().partition(b"\\n\\n")[2]))
                """
            file = [UInt8](try Program.output(of: "/usr/bin/python3", ["-c", inflate, url.path]))
        }
    }

    var form: AgeFile.Form { isArmored ? .armored : .binary }

    /// Tries all keys of the vector in turn.
    func unlock(_ file: borrowing AgeFile) throws(AgeError) -> AgeFileKey {
        var failure = AgeError.noMatch(file.recipientKinds)
        for text in passphrases {
            let passphrase = SecureBytes(copying: Array(text.utf8).span)
            do throws(AgeError) { return try file.unlock(passphrase: passphrase) } catch { failure = error }
            guard case .noMatch = failure else { throw failure }
        }
        for text in identities {
            let identity = try! AgeIdentity(Array(text.utf8).span)
            do throws(AgeError) { return try file.unlock(identity) } catch { failure = error }
            guard case .noMatch = failure else { throw failure }
        }
        throw failure
    }

    /// Reads the file.
    /// - Returns: the layer that refused it, in the vectors' words, and what was released before.
    func read() -> (result: String, released: [UInt8]) {
        var released: [UInt8] = []
        do {
            let file = try AgeFile(file, form)
            let key = try unlock(file)
            try file.open(key).readToEnd { released += $0.copied }
            return ("success", released)
        } catch let error as AgeError {
            return (error.layer, released)
        } catch {
            return ("\(error)", released)
        }
    }
}

extension AgeError {
    /// The layer that refused, in the vectors' words.
    var layer: String {
        switch self {
        case .armor: "armor failure"
        case .header, .workFactor: "header failure"
        case .noMatch: "no match"
        case .headerChanged: "HMAC failure"
        case .payload: "payload failure"
        case .derivation, .emptyPassphrase, .recipients, .notReproduced: "not a layer"
        }
    }
}

extension Span where Element == UInt8 {
    /// A copy outside of guarded memory, for comparisons.
    var copied: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
