import AtomicFiles
import Foundation
import Testing
import VectorKit

/// Several writers of one name at once.
@Suite struct RaceTests {
    private let scratch: Scratch
    private static let writers = 8
    private static let rounds = 8

    init() throws {
        scratch = try Scratch()
    }

    private enum Outcome: Equatable {
        case written
        case failed(FileError)
    }

    /// What each writer fills the file with: long enough to take a while.
    private static func content(of writer: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(writer), count: 200_000)
    }

    private func race(
        _ name: String, _ rule: Directory.Rule, _ existing: Directory.Existing, isLocking: Bool
    ) -> [Outcome] {
        concurrently(Self.writers) { [scratch] writer in
            do throws(FileError) {
                let directory = try Directory.open(scratch.path, rule: rule)
                let lock: FileLock? = isLocking ? try directory.lock("lock", wait: .seconds(60)) : nil
                try directory.write(name, Self.content(of: writer).span, existing: existing)
                _ = consume lock
                return .written
            } catch {
                return .failed(error)
            }
        }
    }

    /// Who wrote what stands there, nil where nothing does, or nobody's whole content.
    private func author(of name: String) -> Int? {
        let content = try? scratch.content(name)
        return (0..<Self.writers).first { Self.content(of: $0) == content }
    }

    /// What is wrong after many races of writers that refuse to replace: each time one has to succeed.
    private func faultsOfRefusing(_ rule: Directory.Rule, isLocking: Bool) throws -> [String] {
        var faults: [String] = []
        for round in 0..<Self.rounds {
            let name = "file\(round)"
            let outcomes = race(name, rule, .refuse, isLocking: isLocking)
            let winners = outcomes.indices.filter { outcomes[$0] == .written }
            if winners.count != 1 { faults.append("\(winners.count) succeeded") }
            for case .failed(let error) in outcomes where error != .exists(path: scratch.at(name)) {
                faults.append("\(error)")
            }
            if winners.first != author(of: name) { faults.append("another one's content, or nobody's") }
        }
        return faults + (try scratch.names().filter { $0.hasPrefix(".") })
    }

    /// What is wrong after many races of writers that replace: each of them has to succeed.
    private func faultsOfReplacing(_ rule: Directory.Rule, isLocking: Bool) throws -> [String] {
        var faults: [String] = []
        for _ in 0..<Self.rounds {
            for case .failed(let error) in race("file", rule, .replace, isLocking: isLocking) {
                faults.append("\(error)")
            }
            if author(of: "file") == nil { faults.append("nobody's content") }
        }
        return faults + (try scratch.names().filter { $0.hasPrefix(".") })
    }

    @Test func `in a shared directory, of several that refuse one succeeds`() throws {
        #expect(try faultsOfRefusing(.shared, isLocking: false) == [])
    }

    @Test func `in a shared directory, of several that replace all succeed`() throws {
        #expect(try faultsOfReplacing(.shared, isLocking: false) == [])
    }

    @Test func `in a secret directory, under the lock, of several that refuse one succeeds`() throws {
        #expect(try faultsOfRefusing(.secret, isLocking: true) == [])
    }

    @Test func `in a secret directory, under the lock, of several that replace all succeed`() throws {
        #expect(try faultsOfReplacing(.secret, isLocking: true) == [])
    }

    /// Who takes no lock there may lose the temporary file to another one, but never replaces what was written.
    @Test func `in a secret directory, without the lock, of several that refuse never two succeed`() {
        for round in 0..<Self.rounds {
            let outcomes = race("file\(round)", .secret, .refuse, isLocking: false)
            #expect(outcomes.filter { $0 == .written }.count <= 1)
        }
    }

    @Test func `a reader meets whole contents only, while a writer replaces them`() throws {
        let count = 1000
        let isOver = Flag()
        try scratch.put("file", [UInt8](repeating: 0, count: count))
        let writer = Thread.answer { [scratch] in
            var rounds = 0
            while !isOver.isSet {
                let content = [UInt8](repeating: UInt8(truncatingIfNeeded: rounds), count: count)
                if (try? Directory.open(scratch.path, rule: .secret).write("file", content.span)) != nil { rounds += 1 }
            }
            return rounds
        }
        let faults = concurrently(4) { [scratch] _ in
            var faults: Set<String> = []
            for _ in 0..<500 {
                do {
                    let content = try Directory.open(scratch.path, rule: .secret).read("file", limit: count).copied
                    if content.count != count || Set(content).count != 1 { faults.insert("not whole") }
                } catch {
                    faults.insert("\(error)")
                }
            }
            return faults
        }
        isOver.set()
        #expect(writer() > 0)
        // A file that is replaced between opening it and looking at it has no name any more.
        #expect(faults.reduce([]) { $0.union($1) } == [])
    }
}
