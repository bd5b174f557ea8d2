import AtomicFiles
import Foundation
import Testing
import VectorKit

/// Several writers of one name without a lock, as a shared folder has them.
@Suite struct RaceTests {
    private let scratch: Scratch
    private static let writers = 8
    private static let rounds = 20

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

    private func race(_ name: String, _ existing: Folder.Existing) -> [Outcome] {
        concurrently(Self.writers) { [scratch] writer in
            do throws(FileError) {
                let folder = try Folder.open(scratch.path, rule: .shared)
                try folder.write(name, Self.content(of: writer).span, existing: existing)
                return .written
            } catch {
                return .failed(error)
            }
        }
    }

    /// Who wrote what stands there, nil where it is nobody's whole content.
    private func author(of name: String) throws -> Int? {
        let content = try scratch.content(name)
        return (0..<Self.writers).first { Self.content(of: $0) == content }
    }

    @Test func `of several that refuse to replace, one succeeds and its content stands there`() throws {
        var faults: [String] = []
        for round in 0..<Self.rounds {
            let name = "file\(round)"
            let outcomes = race(name, .refuse)
            let winners = outcomes.indices.filter { outcomes[$0] == .written }
            if winners.count != 1 { faults.append("\(winners.count) succeeded") }
            for case .failed(let error) in outcomes where error != .exists(path: scratch.at(name)) {
                faults.append("\(error)")
            }
            let author = try author(of: name)
            if winners.first != author { faults.append("another one's content, or nobody's") }
        }
        faults += try scratch.names().filter { $0.hasPrefix(".") }
        #expect(faults == [])
    }

    @Test func `of several that replace, one whole content stands there`() throws {
        var faults: [String] = []
        for _ in 0..<Self.rounds {
            for case .failed(let error) in race("file", .replace) { faults.append("\(error)") }
            if try author(of: "file") == nil { faults.append("nobody's content") }
        }
        faults += try scratch.names().filter { $0.hasPrefix(".") }
        #expect(faults == [])
    }

    @Test func `a reader meets whole contents only, while a writer replaces them`() throws {
        let count = 1000
        let isOver = Flag()
        try scratch.put("file", [UInt8](repeating: 0, count: count))
        let writer = Thread.answer { [scratch] in
            var rounds = 0
            while !isOver.isSet {
                let content = [UInt8](repeating: UInt8(truncatingIfNeeded: rounds), count: count)
                if (try? Folder.open(scratch.path, rule: .secret).write("file", content.span)) != nil { rounds += 1 }
            }
            return rounds
        }
        let faults = concurrently(4) { [scratch] _ in
            var faults: Set<String> = []
            for _ in 0..<500 {
                do {
                    let content = try Folder.open(scratch.path, rule: .secret).read("file", limit: count).copied
                    if content.count != count || Set(content).count != 1 { faults.insert("not whole") }
                } catch {
                    faults.insert("\(error)")
                }
            }
            return faults
        }
        isOver.set()
        #expect(writer() > 0)
        #expect(faults.reduce([]) { $0.union($1) } == [])
    }
}
