import Encodings
import HTTP
import SafeStore
import SafeWire
import Testing

@testable import SafeServer

/// A server whose clock is wrong, as one without a battery is until it has asked another machine.
@Suite struct WrongClockTests {
    private let place: Neighbourhood

    init() throws { place = try Neighbourhood() }

    private func id(_ number: Int) -> String { String(repeating: "0", count: 60) + "\(1000 + number)" }

    /// One run of the server, from its start to its end.
    private struct Run {
        let responder: ServerResponder

        init(_ place: Neighbourhood, day: Double) throws {
            responder = try ServerResponder(at: place.server, limits: .standard, keepsPrevious: true, throttle: .wide())
            _ = try sweep(day: day)
        }

        func at(_ day: Double) -> ClockReading {
            ClockReading(wall: noon + .seconds(Int64(day * 86_400)), monotonic: .zero)
        }

        func sweep(day: Double) throws -> SweepReport {
            try responder.expire(Sweep(retentionDays: 180, now: at(day), last: nil))
        }

        func status(_ method: String, _ id: String, day: Double, _ body: [UInt8] = []) -> Int {
            let headers = body.isEmpty ? [] : [(name: "Content-Length", value: "\(body.count)")]
            let request = ServerRequest(method, "/backups/" + id, headers: headers, client: "192.0.2.1")
            return responder.answer(request, body: body, at: at(day)).status
        }
    }

    @Test func `an upload while the clock is 400 days behind outlives the start with the right clock`() throws {
        let before = try Run(place, day: 0)
        for number in 0..<20 { #expect(before.status("PUT", id(number), day: 0, [1]) == 201) }
        let behind = try Run(place, day: -399)
        #expect(behind.status("PUT", id(20), day: -399, [2]) == 201)
        #expect(behind.status("PUT", id(0), day: -399, [3]) == 204)
        let right = try Run(place, day: 2)
        #expect(right.status("GET", id(20), day: 2) == 200)
        #expect(right.status("GET", id(0), day: 2) == 200)
        let versions = try FolderStore(at: place.server).versions(of: #require(BackupID(hex: id(0))))
        #expect(versions.count == 1)
    }

    @Test func `one upload while the clock is ahead does not stop later sweeps`() throws {
        let run = try Run(place, day: 0)
        for number in 0..<20 { #expect(run.status("PUT", id(number), day: 0, [1]) == 201) }
        #expect(run.status("PUT", id(20), day: 3000, [2]) == 201)
        for day in 1...230 {
            let report = try run.sweep(day: Double(day))
            // The store leapt by a week, so for a week it may take backups for older than they are.
            #expect(report.suspicion == (day <= 7 ? .leapt : nil))
            for number in 1..<20 { _ = run.status("PUT", id(number), day: Double(day), [1]) }
        }
        #expect(run.status("GET", id(0), day: 230) == 404)
        #expect(run.status("GET", id(1), day: 230) == 200)
    }

    @Test func `what a sweep deletes becomes a previous backup first`() throws {
        let run = try Run(place, day: 0)
        for number in 0..<20 { #expect(run.status("PUT", id(number), day: 0, [UInt8(number)]) == 201) }
        for day in stride(from: 5, through: 215, by: 5) {
            for number in 1..<20 { _ = run.status("PUT", id(number), day: Double(day), [1]) }
            _ = try run.sweep(day: Double(day))
        }
        #expect(run.status("GET", id(0), day: 215) == 404)
        let expired = try #require(BackupID(hex: id(0)))
        let store = try FolderStore(at: place.server)
        #expect(try store.versions(of: expired).map(\.count) == [1])
        _ = try run.sweep(day: 221)
        #expect(try store.versions(of: expired).count == 1)
        _ = try run.sweep(day: 223)
        #expect(try store.versions(of: expired).isEmpty)
    }
}
