import Glibc

/// Looks for bytes in the writable memory of this process: stacks, heap, and guarded memory that is borrowed now.
public final class MemoryScan {
    private static let chunkCount = 1 << 20
    private let needle: UnsafeMutableRawBufferPointer
    private let chunk: UnsafeMutableRawBufferPointer
    private let memory: CInt

    /// - Parameter inverted: the bytes with all their bits inverted, so that the test itself leaves no copy; 16 or more.
    public init(inverted: [UInt8]) {
        precondition(inverted.count >= 16)
        needle = .allocate(byteCount: inverted.count, alignment: 16)
        chunk = .allocate(byteCount: Self.chunkCount, alignment: 4096)
        for index in inverted.indices { needle[index] = ~inverted[index] }
        memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        precondition(memory >= 0)
    }

    deinit {
        close(memory)
        needle.initializeMemory(as: UInt8.self, repeating: 0)
        needle.deallocate()
        chunk.initializeMemory(as: UInt8.self, repeating: 0)
        chunk.deallocate()
    }

    /// How many copies there are, without the scan's own.
    public func copies() -> Int { Self.writable().reduce(0) { $0 + copies(in: $1) } }

    private func copies(in region: Range<UInt>) -> Int {
        var found = 0
        var start = region.lowerBound
        while start < region.upperBound {
            let wanted = min(UInt(Self.chunkCount), region.upperBound - start)
            let count = pread(memory, chunk.baseAddress!, Int(wanted), off_t(start))
            // Gone meanwhile, or a part of it.
            guard count > needle.count else { return found }
            found += offsets(count).count { !isOwn(start + UInt($0)) }
            // A copy may lie across two chunks.
            start += wanted == UInt(Self.chunkCount) ? UInt(count - needle.count + 1) : wanted
        }
        return found
    }

    private func offsets(_ count: Int) -> [Int] {
        // Most of memory is zero, so another byte is looked for first.
        let mark = needle.firstIndex { $0 != 0 } ?? 0
        let base = UnsafeMutableRawPointer(chunk.baseAddress!)
        let end = count - needle.count + mark + 1
        var offsets: [Int] = []
        var position = mark
        while position < end, let place = memchr(base + position, CInt(needle[mark]), end - position) {
            position = place - base + 1
            if memcmp(place - mark, needle.baseAddress!, needle.count) == 0 { offsets.append(place - mark - base) }
        }
        return offsets
    }

    private func isOwn(_ address: UInt) -> Bool {
        [needle, chunk].contains { own in
            let start = UInt(bitPattern: own.baseAddress!)
            return address >= start && address < start + UInt(own.count)
        }
    }

    private static func writable() -> [Range<UInt>] {
        guard let file = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(file) }
        var regions: [Range<UInt>] = []
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, fields[1].hasPrefix("rw") else { continue }
            regions.append(ends[0]..<ends[1])
        }
        return regions
    }
}
