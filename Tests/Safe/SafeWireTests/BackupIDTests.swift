import SafeWire
import Testing
import VectorKit

@Suite struct BackupIDTests {
    private func id(_ bytes: [UInt8]) -> BackupID { BackupID(bytes.span) }

    @Test func `a backup id is written in lower-case hexadecimal`() throws {
        let bytes = try Vector.named("safe-kdf-official", in: .safeKDF).expected.bytes("backup_id")
        #expect(id(bytes).hex == "066384d3695fbbd9f31a7d533900fd0cd8d1373beb6a28678522d2a49980c9c3")
    }

    @Test func `names that are no backup id are told`() {
        let hex = String(repeating: "0a", count: 32)
        #expect(BackupID.isHex(hex))
        for name in ["", String(hex.dropLast(2)), hex + "0a", hex.uppercased(), String(repeating: "0g", count: 32)] {
            #expect(!BackupID.isHex(name), "\(name)")
        }
    }

    @Test func `backup ids are equal where their bytes are`() {
        let zeros = [UInt8](repeating: 0, count: BackupID.count)
        #expect(id(zeros) == id(zeros))
        for index in zeros.indices {
            var other = zeros
            other[index] = 1
            #expect(id(zeros) != id(other))
        }
    }
}
