import Glibc
import SecureMemory
import Testing

@Suite struct MemoryLockingTests {
    @Test func `what the limit on locked memory allows`() async throws {
        await #expect(processExitsWith: .success) {
            // Root may lock past every limit.
            if geteuid() == 0 { #expect(setuid(65_534) == 0) }
            #expect(MemoryLocking.isPossible)
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            // RLIMIT_MEMLOCK, a macro that Swift does not see.
            #expect(setrlimit(__rlimit_resource_t(8), &none) == 0)
            #expect(!MemoryLocking.isPossible)
        }
    }
}
