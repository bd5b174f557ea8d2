import Foundation
import SecureMemory

/// A piece of this process's memory, as proc(5) tells of it.
struct Mapping {
    let addresses: Range<UInt>
    /// For example `r--p`.
    let permissions: String
    /// Two letters each; `lo` is locked, `dd` is left out of core dumps.
    let flags: Set<String>

    /// Every mapping of this process, by rising address.
    static func all() throws -> [Mapping] {
        var mappings: [Mapping] = []
        var addresses: Range<UInt> = 0..<0
        var permissions = ""
        // Read to the end: the kernel gives a page at a time and no length, and String(contentsOfFile:) stops early.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 {
                addresses = bounds[0]..<bounds[1]
                permissions = String(words[1])
            } else if words[0] == "VmFlags:" {
                mappings.append(
                    Mapping(
                        addresses: addresses, permissions: permissions, flags: Set(words.dropFirst().map(String.init))))
            }
        }
        return mappings
    }

    /// Bytes that this process has locked.
    static func lockedBytes() throws -> Int {
        try all().filter { $0.flags.contains("lo") }.reduce(0) { $0 + $1.addresses.count }
    }

    /// Whether this process may lock a few pages.
    static var canLock: Bool {
        geteuid() == 0 || lockLimit.rlim_cur >= 1 << 16
    }

    /// How many bytes a process without privileges may lock.
    static var lockLimit: rlimit {
        var limit = rlimit()
        return getrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0 ? limit : rlimit()
    }
}

extension SecureBytes {
    /// Where the first byte stands.
    var address: UInt {
        withBytes { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress!) } }
    }
}
