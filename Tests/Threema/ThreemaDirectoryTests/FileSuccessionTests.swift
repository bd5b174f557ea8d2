import Encodings
import Testing

@testable import ThreemaDirectory

/// Which provisioning file may replace which.
@Suite struct FileSuccessionTests {
    private typealias Version = FileSuccession.Version
    private static let key = [UInt8](repeating: 1, count: 32)

    private static func version(_ number: UInt8, until day: Int) -> Version {
        Version(digest: [UInt8](repeating: number, count: 32), licenseEnd: Timestamp(milliseconds: 0) + .days(day))
    }

    /// What a user of the store sees, kept here in another way: all that was ever present, and how it came to be.
    private struct Witness {
        var present: Version?
        var past: [Version] = []

        mutating func accept(_ version: Version) {
            if let present, present != version { past.append(present) }
            present = version
        }
    }

    /// Offers a file, as the keeper does.
    private func offer(_ version: Version, isReplacing: Bool, _ held: inout FileSuccession?) -> FileSuccession.Judgement
    {
        let judgement = FileSuccession.judge(version, signedBy: Self.key, after: held)
        guard judgement.isProgress || isReplacing else { return judgement }
        if held == nil { held = FileSuccession(key: Self.key, present: version) }
        held?.replace(by: version, signedBy: Self.key)
        return judgement
    }

    @Test func `every sequence of five of four files, with and without consent`() {
        let files = [
            Self.version(1, until: 10), Self.version(2, until: 10), Self.version(3, until: 20),
            Self.version(4, until: 5),
        ]
        var count = 0
        func search(_ depth: Int, _ held: FileSuccession?, _ witness: Witness) {
            count += 1
            guard depth > 0 else { return }
            for file in files {
                for isReplacing in [false, true] {
                    var (next, seen) = (held, witness)
                    let judgement = offer(file, isReplacing: isReplacing, &next)
                    #expect((judgement == .first) == (witness.present == nil))
                    #expect((judgement == .same) == (witness.present == file))
                    if isReplacing || judgement.isProgress {
                        seen.accept(file)
                        #expect(next?.present == file)
                    } else {
                        // What is refused changes nothing.
                        #expect(next == held)
                    }
                    if !isReplacing, let present = witness.present {
                        // Without consent, time does not run backwards.
                        #expect(next?.present == present || !witness.past.contains(file))
                        #expect((next?.present.licenseEnd ?? present.licenseEnd) >= present.licenseEnd)
                        let isEarlier =
                            file != present && !witness.past.contains(file) && file.licenseEnd < present.licenseEnd
                        #expect(
                            (judgement
                                == .licenseEndsEarlier(present: present.licenseEnd, offered: file.licenseEnd))
                                == isEarlier)
                        #expect((judgement == .replacedBefore) == (file != present && witness.past.contains(file)))
                    }
                    #expect(next?.replaced.contains(next?.present.digest ?? []) != true)
                    search(depth - 1, next, seen)
                }
            }
        }
        search(5, nil, Witness())
        #expect(count == (0...5).reduce(0) { $0 + Int([1, 8, 64, 512, 4096, 32_768][$1]) })
    }

    @Test func `sixteen files before the present one are remembered`() {
        var held: FileSuccession?
        let files = (1...20).map { Self.version($0, until: 10) }
        for file in files { #expect(offer(file, isReplacing: false, &held).isProgress) }
        for file in files[3..<19] { #expect(offer(file, isReplacing: false, &held) == .replacedBefore) }
        #expect(held?.replaced.count == FileSuccession.maxReplaced && held?.present == files[19])
        // An older one is not told from a new one.
        #expect(offer(files[2], isReplacing: false, &held) == .newer)
    }

    @Test func `another key needs consent, whatever the file is`() {
        let held = FileSuccession(key: Self.key, present: Self.version(1, until: 10))
        let other = [UInt8](repeating: 2, count: 32)
        for file in [Self.version(1, until: 10), Self.version(2, until: 99)] {
            #expect(FileSuccession.judge(file, signedBy: other, after: held) == .otherKey)
        }
        var replaced = held
        replaced.replace(by: Self.version(2, until: 5), signedBy: other)
        #expect(replaced.key == other && replaced.replaced == [held.present.digest])
    }
}
