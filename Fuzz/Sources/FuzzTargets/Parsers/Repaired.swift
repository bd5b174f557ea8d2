/// Files beside an SQLite database, whose checksums are made right before they are read.
enum Repaired {
    /// As `TelegramFiles.sessionFile`, with a log and a journal whose headers and checksums are right.
    static func sessionFile(_ bytes: [UInt8]) throws {
        var bytes = bytes
        let files = max(bytes.count - 2, 0)
        let log = min(Int(bytes.first ?? 0) * 64, files)
        let journal = min(Int(bytes.dropFirst().first ?? 0) * 64, files - log)
        let start = 2 + files - log - journal
        guard start >= 2 + 18 else { return }
        let page = Int(bytes[2 + 16]) << 8 | Int(bytes[2 + 17])
        guard (512...4096).contains(page), page.isMultiple(of: 8) else { return }
        repairLog(&bytes, start..<start + log, page)
        repairJournal(&bytes, start + log..<bytes.count, page)
        try TelegramFiles.sessionFile(bytes)
    }

    /// SQLite's WAL (fileformat2.html, 4): the checksum of each frame goes on from the one before.
    private static func repairLog(_ bytes: inout [UInt8], _ log: Range<Int>, _ page: Int) {
        guard log.count >= 32 else { return }
        let isBigEndian = bytes[log.lowerBound + 3] & 1
        put(0x377f_0682 | Int(isBigEndian), 4, at: log.lowerBound, &bytes)
        put(3_007_000, 4, at: log.lowerBound + 4, &bytes)
        put(page, 4, at: log.lowerBound + 8, &bytes)
        var sums: (UInt32, UInt32) = (0, 0)
        func add(_ start: Int, _ count: Int) {
            for word in stride(from: start, to: start + count, by: 8) {
                let words = [word, word + 4].map { place in
                    let number = UInt32(number(4, at: place, bytes))
                    return isBigEndian == 1 ? number : number.byteSwapped
                }
                sums.0 = sums.0 &+ words[0] &+ sums.1
                sums.1 = sums.1 &+ words[1] &+ sums.0
            }
        }
        func putSums(at place: Int) {
            put(Int(sums.0), 4, at: place, &bytes)
            put(Int(sums.1), 4, at: place + 4, &bytes)
        }
        add(log.lowerBound, 24)
        putSums(at: log.lowerBound + 24)
        for frame in stride(from: log.lowerBound + 32, through: log.upperBound - 24 - page, by: 24 + page) {
            for index in 0..<8 { bytes[frame + 8 + index] = bytes[log.lowerBound + 16 + index] }
            add(frame, 8)
            add(frame + 24, page)
            putSums(at: frame + 16)
        }
    }

    /// A rollback journal (fileformat2.html, 3) of one header.
    private static func repairJournal(_ bytes: inout [UInt8], _ journal: Range<Int>, _ page: Int) {
        guard journal.count >= 512 else { return }
        let start = journal.lowerBound
        put(0xd9d5_05f9, 4, at: start, &bytes)
        put(0x20a1_63d7, 4, at: start + 4, &bytes)
        put(512, 4, at: start + 20, &bytes)
        put(page, 4, at: start + 24, &bytes)
        for record in stride(from: start + 512, through: journal.upperBound - page - 8, by: page + 8) {
            var sum = number(4, at: start + 12, bytes)
            for place in stride(from: page - 200, to: 0, by: -200) { sum += Int(bytes[record + 4 + place]) }
            put(sum & 0xffff_ffff, 4, at: record + 4 + page, &bytes)
        }
    }

    private static func number(_ count: Int, at start: Int, _ bytes: [UInt8]) -> Int {
        bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func put(_ number: Int, _ count: Int, at start: Int, _ bytes: inout [UInt8]) {
        for index in 0..<count { bytes[start + index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
    }
}
