import SecureMemory
import Testing

@testable import Tar

private let files: [Programs.File] = [
    ("README.txt", Array("Read me.\n".utf8)), ("empty", []), ("threema/ABCD1234/identity", [UInt8](0..<40)),
    ("threema/*ABCDEFG/places/main-2/safe", [UInt8](repeating: 7, count: 512)),
    ("threema/ABCD1234/profile.json", [UInt8](repeating: 0x7b, count: 70_001)),
    (
        "m" + String(repeating: "x", count: 31) + "/" + String(repeating: "I_-", count: 21) + "/places/"
            + String(repeating: "p", count: 32) + "/abcdefghijklmnop", [1, 2, 3]
    ),
]

private func read(_ archive: [UInt8], maxEntries: Int = 100) throws(TarError) -> [String: [UInt8]] {
    let found = try TarArchive(archive.span, maxEntries: maxEntries).files
    return Dictionary(uniqueKeysWithValues: found.map { ($0.name.text, Array(archive[$0.content])) })
}

private let contents = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.content) })

@Suite struct TarTests {
    @Test func `GNU tar unpacks what is written`() throws {
        #expect(try Programs.gnuFiles(Written.archive(files)) == contents)
    }

    @Test func `Python reads modes, owners, times and content`() throws {
        let program = """
            import sys, tarfile
            with tarfile.open(sys.argv[1], "r:") as archive:
                for file in archive:
                    print(file.name, oct(file.mode), file.uid, file.gid, file.mtime, file.size, file.isreg(),
                          archive.extractfile(file).read().hex()[:80])
            """
        let expected = files.map { file in
            let hex = file.content.prefix(40).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return "\(file.name) 0o600 0 0 1900000000 \(file.content.count) True \(hex)\n"
        }
        #expect(
            String(decoding: try Programs.python(program, Written.archive(files)), as: UTF8.self) == expected.joined())
    }

    @Test func `Its own archives open, and have the announced length`() throws {
        let archive = Written.archive(files)
        #expect(try read(archive) == contents)
        #expect(archive.count == TarWriter.count(ofFiles: files.map(\.content.count)))
        let found = try TarArchive(archive.span, maxEntries: files.count).files
        #expect(found.map(\.name.text) == files.map(\.name))
        #expect(found.allSatisfy { $0.seconds == 1_900_000_000 })
    }

    @Test(arguments: [["."], ["--format=ustar", "."], ["--format=v7", "--format=gnu", "--owner=0", "."]])
    func `What GNU tar writes opens`(_ arguments: [String]) throws {
        let short = files.filter { $0.name.utf8.count <= 100 || arguments[0] == "--format=ustar" }
        let archive = try Programs.gnuArchive(short, arguments)
        #expect(try read(archive) == Dictionary(uniqueKeysWithValues: short.map { ($0.name, $0.content) }))
    }

    @Test(arguments: ["USTAR", "GNU", "PAX"])
    func `What Python writes opens`(_ format: String) throws {
        let program = """
            import io, sys, tarfile
            with tarfile.open(sys.argv[1], "w", format=tarfile.\(format)_FORMAT) as archive:
                for name, content in (("a/b", b"x" * 513), ("c", b"")):
                    entry = tarfile.TarInfo(name)
                    entry.size, entry.mtime = len(content), 1234567890
                    archive.addfile(entry, io.BytesIO(content))
            sys.stdout.buffer.write(open(sys.argv[1], "rb").read())
            """
        let archive = try Programs.python(program)
        #expect(try read(archive) == ["a/b": [UInt8](repeating: 0x78, count: 513), "c": []])
        #expect(try TarArchive(archive.span, maxEntries: 2).files.map(\.seconds) == [1_234_567_890, 1_234_567_890])
    }

    @Test(arguments: [
        "", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a/./b", "./a", "a b", "a\\b", "ä", "a\u{0}",
        "a\n", "~", String(repeating: "a", count: 101), String(repeating: "a/", count: 130) + "a",
        String(repeating: "a", count: 156) + "/b",
    ])
    func `A name that leads elsewhere, or is too long, is none`(_ name: String) { #expect(TarName(name) == nil) }

    @Test func `Names as long as a header has room for`() throws {
        let longest = String(repeating: "p", count: 155) + "/" + String(repeating: "n", count: 100)
        for name in [String(repeating: "a", count: 100), longest] {
            #expect(try Programs.gnuFiles(Written.archive([(name, [1])])) == [name: [1]])
        }
    }

    @Test func `Times that do not fit are moved`() throws {
        for (time, expected) in [(Int64.min, 0), (-1, 0), (Int64.max, 0o77777777777)] as [(Int64, Int64)] {
            let archive = Written.archive([("a", [])], modified: time)
            #expect(try TarArchive(archive.span, maxEntries: 1).files.map(\.seconds) == [expected])
        }
    }
}

@Suite struct TarRefusalTests {
    /// An archive of one header, changed, with a right checksum.
    private func changed(_ content: [UInt8] = [], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var archive = Written.archive([("a", content)])
        var header = Array(archive[..<512])
        change(&header)
        let sum = TarBlock.sum(header.span)
        let digits = Array((String(repeating: "0", count: 6) + String(sum, radix: 8)).utf8.suffix(6))
        header.replaceSubrange(148..<156, with: digits + [0, 0x20])
        archive.replaceSubrange(..<512, with: header)
        return archive
    }

    private func refusal(_ archive: [UInt8], maxEntries: Int = 100) -> TarError? {
        do {
            _ = try read(archive, maxEntries: maxEntries)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: Array("1234678LKxgSDMVNX".utf8))
    func `Links, devices and extensions`(_ type: UInt8) {
        #expect(refusal(changed { $0[156] = type }) == .type(type, offset: 0))
    }

    @Test func `Extensions as GNU tar and Python write them`() throws {
        let long: [Programs.File] = [(String(repeating: "d/", count: 60) + "file", [1])]
        // Behind the headers of `./` and of the 49 directories whose names fit.
        let gnu = try Programs.gnuArchive(long, ["--format=gnu", "."])
        #expect(refusal(gnu) == .type(UInt8(ascii: "L"), offset: 512 * 50))
        #expect(refusal(try Programs.gnuArchive(long, ["--format=pax", "."])) == .type(UInt8(ascii: "x"), offset: 0))
    }

    @Test func `Links as GNU tar writes them`() throws {
        let archive = try Programs.python(
            """
            import os, subprocess, sys
            os.chdir(os.path.dirname(sys.argv[1]))
            os.symlink("/etc/passwd", "link")
            sys.stdout.buffer.write(subprocess.check_output(["tar", "-cf", "-", "link"]))
            """)
        #expect(refusal(archive) == .type(UInt8(ascii: "2"), offset: 0))
    }

    @Test(arguments: ["/a", "../a", "a/../../b", "a//b", "a b", "", ".", "a/.."])
    func `Names that lead elsewhere`(_ name: String) {
        let archive = changed { header in
            header.replaceSubrange(
                0..<100, with: Array(name.utf8) + [UInt8](repeating: 0, count: 100 - name.utf8.count))
        }
        #expect(refusal(archive) == .name(offset: 0))
    }

    @Test func `A prefix that leads elsewhere`() {
        for prefix in ["/", "..", "a/..", "/etc"] {
            let archive = changed { $0.replaceSubrange(345..<345 + prefix.utf8.count, with: Array(prefix.utf8)) }
            #expect(refusal(archive) == .name(offset: 0), "\(prefix)")
        }
    }

    @Test func `A name twice, also as a directory`() {
        #expect(refusal(Written.archive([("a", []), ("b", []), ("a", [1])])) == .duplicate("a"))
        let directory = changed { $0[156] = UInt8(ascii: "5") }
        #expect(refusal(Array(directory[..<512]) + Written.archive([("a", [1])])) == .duplicate("a"))
    }

    @Test func `Lengths`() {
        func length(_ text: String) -> [UInt8] {
            changed { $0.replaceSubrange(124..<124 + text.utf8.count, with: Array(text.utf8)) }
        }
        #expect(refusal(length("77777777777")) == .truncated)
        #expect(refusal(length("777777777777")) == .truncated)
        #expect(refusal(length("0000000000\u{0}1")) == .header(offset: 0))
        #expect(refusal(length("-0000000001")) == .header(offset: 0))
        #expect(refusal(length("8")) == .header(offset: 0))
        #expect(
            refusal(changed { $0.replaceSubrange(124..<136, with: [0x80] + [UInt8](repeating: 0, count: 10) + [1]) })
                == .header(offset: 0))
        #expect(
            refusal(changed { $0.replaceSubrange(124..<136, with: [UInt8](repeating: 0, count: 12)) })
                == .header(offset: 0))
    }

    @Test func `A directory with content, a link's target in a file, a sparse map, hidden text behind a name`() {
        #expect(refusal(changed([1]) { $0[156] = UInt8(ascii: "5") }) == .header(offset: 0))
        #expect(refusal(changed { $0[157] = 0x2f }) == .header(offset: 0))
        #expect(
            refusal(
                changed {
                    $0.replaceSubrange(257..<265, with: TarBlock.gnuMagic); $0[386] = 0x30
                })
                == .header(offset: 0))
        #expect(refusal(changed { $0[50] = 0x2f }) == .header(offset: 0))
    }

    @Test func `Ends`() {
        let archive = Written.archive([("a", [1, 2, 3])])
        #expect(refusal([]) == .notTar)
        #expect(refusal(Array(archive[..<511])) == .notTar)
        #expect(refusal(Array(archive[..<512])) == .truncated)
        #expect(refusal(Array(archive[..<1023])) == .truncated)
        #expect(refusal(Array(archive[..<1024])) == .noEnd)
        #expect(refusal(Array(archive[..<1100])) == .truncated)
        #expect(refusal(Array(archive[..<1536])) == .noEnd)
        #expect(refusal(Array(archive[..<2047])) == .noEnd)
        #expect(refusal(archive) == nil)
        #expect(refusal(archive + [0]) == .trailingData)
        #expect(refusal(archive + [UInt8](repeating: 0, count: 512)) == nil)
        #expect(refusal(archive + Written.archive([("b", [])])) == .trailingData)
        #expect(refusal([UInt8](repeating: 0, count: 1024)) == nil)
        #expect(refusal(Array("age-encryption.org/v1".utf8) + [UInt8](repeating: 0, count: 512)) == .notTar)
    }

    @Test func `Checksum, padding and number of entries`() {
        var archive = Written.archive([("a", [1, 2, 3])])
        archive[0] ^= 1
        #expect(refusal(archive) == .checksum(offset: 0))
        archive[0] ^= 1
        archive[516] = 1
        #expect(refusal(archive) == .padding(file: "a"))
        let three = Written.archive([("a", []), ("b", []), ("c", [])])
        #expect(refusal(three, maxEntries: 2) == .tooManyEntries(limit: 2))
        #expect(refusal(three, maxEntries: 3) == nil)
    }

    /// Each mutation is refused with a name, or its files lie within it. Some have a right checksum, so that the fields
    /// behind it are reached.
    @Test func `Ten thousand mutations`() {
        let original = Written.archive(files.map { ($0.name, Array($0.content.prefix(100))) })
        var state: UInt64 = 0x9e3779b97f4a7c15
        func next(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 11) % bound
        }
        var refusals = 0
        for _ in 0..<10_000 {
            var archive = original
            let header = 512 * next(below: archive.count / 512)
            switch next(below: 5) {
            case 0: archive.removeSubrange(next(below: archive.count)...)
            case 1: archive.remove(at: next(below: archive.count))
            case 2: archive.swapAt(next(below: archive.count), next(below: archive.count))
            default:
                for _ in 0...next(below: 3) { archive[header + next(below: 512)] = UInt8(next(below: 256)) }
                if next(below: 3) > 0 {
                    let sum = TarBlock.sum(archive.span.extracting(header..<header + 512))
                    let digits = Array((String(repeating: "0", count: 6) + String(sum, radix: 8)).utf8.suffix(6))
                    archive.replaceSubrange(header + 148..<header + 156, with: digits + [0, 0x20])
                }
            }
            do throws(TarError) {
                let found = try TarArchive(archive.span, maxEntries: 100).files
                #expect(found.allSatisfy { TarName($0.name.text) == $0.name && $0.content.upperBound <= archive.count })
            } catch {
                refusals += 1
            }
        }
        #expect(refusals > 4_000)
    }
}
