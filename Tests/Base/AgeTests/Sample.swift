import Foundation
import SecureMemory
import VectorKit

@testable import Age

/// What the tests write and read.
enum Sample {
    /// Content that differs from chunk to chunk.
    static func content(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { bytes, used in
            var state: UInt32 = 0x9e37_79b9
            for index in 0..<count {
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                bytes[index] = UInt8(truncatingIfNeeded: state)
            }
            used = count
        }
    }

    /// A file for recipients, written in pieces of this many bytes.
    static func sealed(
        _ content: [UInt8], to recipients: [AgeRecipient], isArmored: Bool = false, piece: Int = 50_000
    ) throws -> [UInt8] {
        var file: [UInt8] = []
        var writer = try AgeWriter(to: recipients, isArmored: isArmored) { file += $0.copied }
        for start in stride(from: 0, to: content.count, by: piece) {
            try writer.write(content.span.extracting(start..<min(start + piece, content.count)))
        }
        try writer.finish()
        return file
    }

    /// A file under a passphrase.
    static func sealed(
        _ content: [UInt8], passphrase: String, workFactor: Int = 2, isArmored: Bool = false
    ) throws -> [UInt8] {
        var file: [UInt8] = []
        let passphrase = secret(passphrase)
        var writer = try AgeWriter(passphrase: passphrase, workFactor: workFactor, isArmored: isArmored) {
            file += $0.copied
        }
        try writer.write(content.span)
        try writer.finish()
        return file
    }

    static func opened(_ file: [UInt8], _ identity: borrowing AgeIdentity) throws -> [UInt8] {
        let file = try AgeFile(file)
        let key = try file.unlock(identity)
        return try file.open(key).readAll(limit: 1 << 25).copied
    }

    static func opened(_ file: [UInt8], passphrase: String, maxWorkFactor: Int = 20) throws -> [UInt8] {
        let file = try AgeFile(file)
        let key = try file.unlock(passphrase: secret(passphrase), maxWorkFactor: maxWorkFactor)
        return try file.open(key).readAll(limit: 1 << 25).copied
    }

    static func secret(_ text: String) -> SecureBytes {
        let bytes = Array(text.utf8)
        return SecureBytes(copying: bytes.span)
    }

    static func identity(_ text: String) throws -> AgeIdentity {
        let bytes = Array(text.utf8)
        return try AgeIdentity(bytes.span)
    }

    /// What is thrown, if it is an `AgeError`.
    static func failure(_ body: () throws -> Void) -> AgeError? {
        do {
            try body()
            return nil
        } catch {
            return error as? AgeError
        }
    }
}

/// A directory of a test's own, which goes with the value.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "age-\(UUID().uuidString)").path()
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: attributes)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func at(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func put(_ name: String, _ content: [UInt8]) throws -> String {
        guard
            FileManager.default.createFile(
                atPath: at(name), contents: Data(content), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return at(name)
    }

    func content(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: at(name)))) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

extension SecureBytes {
    /// Of an array that is an expression, whose span the compiler does not take.
    init(copying bytes: [UInt8]) { self.init(copying: bytes.span) }
}
