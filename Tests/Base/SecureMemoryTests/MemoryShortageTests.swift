import Foundation
import SecureMemory
import Testing

@Suite struct MemoryShortageTests {
    @Test(arguments: [0, 1, 4096, 1 << 20]) func `what can be had is not short`(_ bytes: Int) {
        #expect(!MemoryShortage.isShort(of: bytes))
        MemoryShortage.require(bytes)
    }

    @Test(arguments: [1 << 60, .max]) func `what no machine has is short`(_ bytes: Int) {
        #expect(MemoryShortage.isShort(of: bytes))
    }

    @Test func `guarded memory that cannot be had ends the process as was installed`() async {
        await #expect(processExitsWith: .exitCode(71)) {
            MemoryShortage.install { _exit(71) }
            _ = SecureBytes(count: 1 << 50) { _ in }
        }
        await #expect(processExitsWith: .exitCode(71)) {
            MemoryShortage.install { _exit(71) }
            MemoryShortage.require(1 << 60)
        }
    }
}
