import HTTP
import SafeServer
import SafeStore
import SafeWire
import Testing
import VectorKit

/// Random sequences of valid requests, compared with a dictionary.
@Suite struct ModelTests {
    private static let paths = (0..<4).map { "/backups/" + String(repeating: "\($0)", count: 64) }

    /// The server as a dictionary: contents by path, and the tags that were given for contents.
    private struct Model {
        var contents: [String: [UInt8]] = [:]
        var tags: [[UInt8]: String] = [:]

        func tag(_ path: String) -> String? { contents[path].flatMap { tags[$0] } }
    }

    /// A condition, and whether it holds for a tag.
    private static func condition(
        _ model: Model, _ path: String, _ random: inout SeededRandom
    ) -> (lines: [String], holds: (String?) -> Bool) {
        let other = paths[random.number(below: paths.count)]
        let tag = model.tag(random.number(below: 2) == 0 ? path : other) ?? "\"none\""
        return switch random.number(below: 6) {
        case 0: (["If-Match: " + tag], { $0 == tag })
        case 1: (["If-Match: *"], { $0 != nil })
        case 2: (["If-None-Match: *"], { $0 == nil })
        case 3: (["If-None-Match: " + tag], { $0 != tag })
        default: ([], { _ in true })
        }
    }

    private func run<Store: BackupStore & ~Copyable>(_ server: TestServer<Store>, steps: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var model = Model()
        for step in 0..<steps {
            let path = Self.paths[random.number(below: Self.paths.count)]
            let (lines, holds) = Self.condition(model, path, &random)
            let old = model.contents[path]
            let expected: Int
            let answer: HTTPResponse
            switch random.number(below: 4) {
            case 0, 1:
                // Few contents, so that equal ones meet.
                let body = [UInt8](repeating: UInt8(random.number(below: 3)), count: 1 + random.number(below: 3))
                answer = server.ask("PUT", path, lines, body: body, at: reading(step))
                expected = !holds(model.tag(path)) ? 412 : old == nil ? 201 : 204
                if expected != 412 {
                    model.contents[path] = body
                    let tag = answer.headers["etag"] ?? ""
                    #expect(!tag.isEmpty && model.tags[body, default: tag] == tag)
                    model.tags[body] = tag
                }
            case 2:
                answer = server.ask("DELETE", path, lines, at: reading(step))
                expected = old == nil ? 404 : holds(model.tag(path)) ? 204 : 412
                if expected == 204 { model.contents[path] = nil }
            default:
                answer = server.ask("GET", path, at: reading(step))
                expected = old == nil ? 404 : 200
                #expect(answer.body == old ?? [] && answer.headers["etag"] == model.tag(path))
            }
            if answer.status != expected { Issue.record("step \(step): \(answer.status), not \(expected)") }
        }
        for path in Self.paths {
            let answer = server.ask("GET", path, at: reading(steps))
            #expect(answer.body == model.contents[path] ?? [])
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `in memory`(_ seed: UInt64) {
        run(TestServer(MemoryStore(keepsPrevious: true)), steps: 500, seed: seed)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func `in a directory`(_ seed: UInt64) throws {
        let place = try Neighbourhood()
        run(TestServer(try place.store()), steps: 200, seed: seed)
        let strangers = try place.strangers()
        #expect(strangers == [])
    }
}
