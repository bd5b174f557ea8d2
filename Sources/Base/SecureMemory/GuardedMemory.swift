internal import CSodium
internal import Glibc
internal import Synchronization

/// Guarded memory: pages of their own between guard pages, locked if RLIMIT_MEMLOCK allows it, and left out of core
/// dumps.
///
/// To make and to remove such pages takes a dozen system calls, which is longer than most work with a key. So the pages
/// of short secrets are kept when they are given back, wiped and without access, for the next ones:
///
///     length > 4048   sodium_malloc(length)
///     otherwise       one page   flags (1): 1 locked, 2 brief ‖ unused ‖ canary (16) ‖ secret
///
/// Behind a secret a guard page follows at once. What is written before it is found by the canary: libsodium's if it is
/// long, and ours, because libsodium checks its own only when a page is removed. A page that could not be locked is not
/// kept: the next one perhaps can.
///
/// To change the access to a locked page takes a microsecond, four times in the life of a secret. Pages of brief secrets
/// are always writable instead, and are kept wiped for other brief ones.
enum GuardedMemory {
    private static let pageBytes = 4096
    private static let canaryBytes = 16
    /// What libsodium gives one page for: its own canary stands in that, too.
    private static let usableBytes = pageBytes - canaryBytes
    /// Longest secret whose page is kept, in bytes.
    private static let maxKeptBytes = usableBytes - canaryBytes - 16
    /// How many are kept: half a megabyte of the 8 that Debian lets a process lock, and a sixteenth of less.
    private static let maxKept: Int = {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 else { return 0 }
        return Int(min(limit.rlim_cur / UInt(16 * pageBytes), 128))
    }()

    /// A session holds some ten keys at a time.
    private static let maxKeptBrief = maxKept / 4

    /// The same for all secrets of the process: it finds mistakes, and hides nothing.
    private static let canary: SIMD16<UInt8> = {
        Sodium.start()
        var canary = SIMD16<UInt8>()
        unsafe randombytes_buf(&canary, canaryBytes)
        return canary
    }()

    /// What libsodium has returned for the pages that are kept.
    private static let kept = Mutex<(long: [UInt], brief: [UInt])>(([], []))

    private static let lockedFlag: UInt8 = 1
    private static let briefFlag: UInt8 = 2

    /// Allocates `capacity` zero bytes that can be written. If the system refuses them, the process ends.
    static func allocate(_ capacity: Int, _ life: SecretLife = .long) -> UnsafeMutablePointer<UInt8> {
        let capacity = max(capacity, 1)
        guard capacity <= maxKeptBytes else {
            let base = unsafe allocatePages(capacity)
            unsafe base.initialize(repeating: 0, count: capacity)
            return unsafe base
        }
        let start: UnsafeMutablePointer<UInt8>
        if let kept = unsafe takeKept(life) {
            unsafe start = kept
            if life == .long { unsafe sodium_mprotect_readwrite(start) }
        } else {
            unsafe start = allocatePages(usableBytes)
            unsafe start.initialize(repeating: 0, count: usableBytes)
            let locked = unsafe sodium_mlock(start, usableBytes) == 0 ? lockedFlag : 0
            unsafe start[0] = life == .brief ? locked | briefFlag : locked
        }
        let base = unsafe start + (usableBytes - capacity)
        unsafe UnsafeMutableRawPointer(base - canaryBytes).storeBytes(of: canary, as: SIMD16<UInt8>.self)
        return unsafe base
    }

    /// Makes the bytes read-only, unless their life is brief.
    /// - Parameter capacity: as they were allocated.
    static func protect(_ base: UnsafeMutablePointer<UInt8>, capacity: Int) {
        let start = unsafe start(of: base, capacity)
        if capacity <= maxKeptBytes, unsafe start[0] & briefFlag != 0 { return }
        unsafe sodium_mprotect_readonly(start)
    }

    /// Wipes the bytes, and gives their pages back. The process ends if something has written before them.
    /// - Parameter capacity: as they were allocated.
    static func free(_ base: UnsafeMutablePointer<UInt8>, capacity: Int) {
        let start = unsafe start(of: base, capacity)
        // Wipes, checks the canary, unlocks.
        guard capacity <= maxKeptBytes else { return unsafe sodium_free(start) }
        let flags = unsafe start[0]
        if flags & briefFlag == 0 { unsafe sodium_mprotect_readwrite(start) }
        let canaryPlace = unsafe UnsafeMutableRawPointer(base - canaryBytes)
        let found = unsafe canaryPlace.loadUnaligned(as: SIMD16<UInt8>.self)
        precondition(found == canary, "something has written before a secret")
        unsafe sodium_memzero(canaryPlace, canaryBytes + max(capacity, 1))
        if flags & lockedFlag != 0, unsafe keep(start, flags & briefFlag != 0 ? .brief : .long) { return }
        unsafe sodium_free(start)
    }

    private static func allocatePages(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        Sodium.start()
        guard let memory = unsafe sodium_malloc(count) else { MemoryShortage.end(count) }
        return unsafe memory.bindMemory(to: UInt8.self, capacity: count)
    }

    /// What libsodium has returned.
    private static func start(
        of base: UnsafeMutablePointer<UInt8>, _ capacity: Int
    ) -> UnsafeMutablePointer<UInt8> {
        unsafe capacity > maxKeptBytes ? base : base - (usableBytes - max(capacity, 1))
    }

    private static func takeKept(_ life: SecretLife) -> UnsafeMutablePointer<UInt8>? {
        let address = kept.withLock { life == .brief ? $0.brief.popLast() : $0.long.popLast() }
        return unsafe address.flatMap { unsafe UnsafeMutablePointer(bitPattern: $0) }
    }

    /// - Returns: false if enough are kept.
    private static func keep(_ start: UnsafeMutablePointer<UInt8>, _ life: SecretLife) -> Bool {
        let address = UInt(bitPattern: start)
        return kept.withLock { kept in
            switch life {
            case .long:
                guard kept.long.count < maxKept else { return false }
                // Before another thread can take it.
                unsafe sodium_mprotect_noaccess(UnsafeMutablePointer<UInt8>(bitPattern: address)!)
                kept.long.append(address)
            case .brief:
                guard kept.brief.count < maxKeptBrief else { return false }
                kept.brief.append(address)
            }
            return true
        }
    }
}
