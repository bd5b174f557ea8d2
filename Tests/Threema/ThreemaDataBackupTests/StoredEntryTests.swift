import SecureMemory
import Testing
import VectorKit

@testable import ThreemaDataBackup

/// Entries of method 0, whose content is not compressed. The app writes none of the length of these, other programs do.
@Suite struct StoredEntryTests {
    private static let content = "\"version\",\"27\"\n\"xxxxxxxxxxxxxxx\"\n"
    private static let checksum = 0xbd01b377
    /// By hashlib and cryptography: password `password`, salt 00 to 0f.
    private static let data = [UInt8](
        hex: """
            000102030405060708090a0b0c0d0e0f 256b
            a9a2af29ab58f8cd6f6bb6b28c873264551f89b1b4a18b996ce2db9554cbb0b07c
            0015c32f3a60f212a4cc
            """)!

    private func read(version: UInt8, checksum: Int) throws -> String {
        let sample = SampleArchive().with {
            ($0.data, $0.contentCount, $0.checksum) = (Self.data, Self.content.utf8.count, checksum)
            $0.extra = [1, 0x99, 7, 0, version, 0, 0x41, 0x45, 3, 0, 0]
        }
        let typed = Array("password".utf8)
        let password = ZIPPassword(SecureBytes(copying: typed.span), as: .utf8)!
        return try sample.entry().read(from: ArchiveSource(sample.bytes), password: password).revealText()
    }

    /// AE-2 has a checksum of 0, which libzip would compare with that of a stored content of 20 bytes and more.
    @Test func `one without a checksum is read`() throws {
        #expect(try read(version: 2, checksum: 0) == Self.content)
    }

    @Test func `the checksum of AE-1 decides`() throws {
        #expect(try read(version: 1, checksum: Self.checksum) == Self.content)
        #expect(throws: DataBackupError.damagedEntry("settings")) { try read(version: 1, checksum: 0) }
    }
}
