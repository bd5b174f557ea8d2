@testable import Primitives
@testable import SecureMemory
@testable import ThreemaDataBackup

/// The Android app's data backup, whose entries are really encrypted.
enum SealedBackup {
    private static let names = [
        "settings", "identity", "contacts.csv", "groups.csv", "distribution_list.csv", "contact_avatar_me", "other",
    ]

    /// The entries of a ZIP file, each sealed as WinZip does it (AE-2, AES-256):
    ///
    ///     1 byte   name, and from 0x80 on the method deflate
    ///     2        count of the content, big-endian
    ///     count    content; that of deflate begins with a byte, 16 times which is the length of what is inflated
    static func open(_ bytes: [UInt8]) throws {
        var (file, directory, count, isStored) = ([UInt8](), [UInt8](), 0, true)
        var rest = bytes[...]
        while rest.count >= 3, count < 16 {
            let head = Array(rest.prefix(3))
            var content = Array(rest.dropFirst(3).prefix(Int(head[1]) << 8 | Int(head[2])))
            rest = rest.dropFirst(3 + content.count)
            let isDeflated = head[0] >= 0x80
            if isDeflated { isStored = false }
            let length = isDeflated ? Int(content.first ?? 0) * 16 : content.count
            if isDeflated { content = Array(content.dropFirst()) }
            let name = Array(names[Int(head[0] & 0x7f) % names.count].utf8)
            let data = Self.sealed(content)
            let method: UInt8 = isDeflated ? 8 : 0
            let extra: [UInt8] = [1, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, method, 0]
            var fields: [UInt8] = [51, 0, 1, 0, 99, 0, 0, 0, 0x21, 0, 0, 0, 0, 0]
            for number in [data.count, length] { fields.append32(number) }
            for number in [name.count, extra.count] { fields.append16(number) }
            directory += [0x50, 0x4b, 1, 2, 51, 0] + fields + [UInt8](repeating: 0, count: 10)
            directory.append32(file.count)
            directory += name + extra
            file += [0x50, 0x4b, 3, 4] + fields + name + extra + data
            count += 1
        }
        let start = file.count
        file += directory + [0x50, 0x4b, 5, 6, 0, 0, 0, 0]
        for _ in 0..<2 { file.append16(count) }
        for number in [directory.count, start] { file.append32(number) }
        file.append16(0)
        let backup = try DataBackup(ArchiveSource(file))
        do throws(DataBackupError) {
            _ = try backup.open(password: SecureBytes(copying: password.span))
        } catch {
            expect(error != .wrongPassword || !isStored, "the password is right")
        }
    }

    private static let password = Array("password".utf8)
    private static let salt = [UInt8](repeating: 0, count: 16)

    /// The key of AES (32), that of the code (32), the password check (2): PBKDF2 with HMAC-SHA-1 and 1,000 iterations.
    private static let keys: [UInt8] = (1...4).flatMap { (block: UInt8) -> [UInt8] in
        let key = SecureBytes(copying: password.span)
        var last = Legacy.HMACSHA1.authenticate((salt + [0, 0, 0, block]).span, key: key)
        var sum = last
        for _ in 1..<1000 {
            last = Legacy.HMACSHA1.authenticate(last.span, key: key)
            for index in sum.indices { sum[index] ^= last[index] }
        }
        return sum
    }

    /// Counter mode whose counter is little-endian and begins with 1.
    private static let keystream: [UInt8] = (1...512).flatMap { number in
        let counter = [UInt8(number & 0xff), UInt8(number >> 8)] + [UInt8](repeating: 0, count: 14)
        let key = SecureBytes(copying: keys.span.extracting(0..<32))
        return Legacy.AESCTR.encrypt([UInt8](repeating: 0, count: 16).span, key: key, iv: counter.span)
    }

    private static func sealed(_ content: [UInt8]) -> [UInt8] {
        let ciphertext = zip(content, keystream).map { $0 ^ $1 }
        let code = Legacy.HMACSHA1.authenticate(
            ciphertext.span, key: SecureBytes(copying: keys.span.extracting(32..<64)))
        return salt + keys[64..<66] + ciphertext + code.prefix(10)
    }
}
