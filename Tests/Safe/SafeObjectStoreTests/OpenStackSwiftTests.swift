import Encodings
import Foundation
import HTTP
import HTTPTransport
import SafeStore
import SafeWire
import SecureMemory
import StoreKit
import Testing

@testable import SafeObjectStore

extension ObjectStore {
    /// Whether it is OpenStack Swift, with three replicas on three devices. The directories sd1, sd2 and sd3 are the
    /// devices: one that is renamed is away, and the server avoids it for some seconds more.
    static let hasDevices = ProcessInfo.processInfo.environment["KEYTOOL_TEST_S3_DEVICES"] != nil

    /// Runs `body` while these devices are away, and waits until the server uses them again.
    func without(_ away: [Int], _ body: () throws -> Void) throws {
        let devices = URL(filePath: try Self.variable("_DEVICES"))
        let suppression = try #require(Double(Self.variable("_SUPPRESSION")))
        func move(_ from: String, _ to: String) throws {
            for number in away {
                try FileManager.default.moveItem(
                    at: devices.appending(path: "sd\(number)\(from)"), to: devices.appending(path: "sd\(number)\(to)"))
            }
        }
        try move("", ".away")
        defer { Thread.sleep(forTimeInterval: suppression + 1) }
        do {
            try body()
        } catch {
            try move(".away", "")
            throw error
        }
        try move(".away", "")
    }
}

@Suite(.serialized, .enabled(if: ObjectStore.hasDevices, "needs OpenStack Swift, which `make test-all` starts"))
struct OpenStackSwiftTests {
    /// Reads of each backup.
    private static let rounds = 3

    init() throws { try ObjectStore.prepared.get() }

    @Test func `an object expires, and each PUT begins its term again`() throws {
        let connection = try ObjectStore().connection
        let path = "/safe-00/\(UUID().uuidString)"
        func put(term: Int) throws {
            let headers = ["x-delete-after": String(term)]
            let answer = try connection.send(.put, path, headers: headers, body: [1], limit: 1000)
            #expect(answer.status == 200)
        }
        func status() throws -> Int {
            try connection.send(.get, path, headers: ["x-newest": "true"], limit: 1000).status
        }
        try put(term: 4)
        try put(term: 8)
        #expect(try status() == 200)
        Thread.sleep(forTimeInterval: 5)
        #expect(try status() == 200)
        Thread.sleep(forTimeInterval: 5)
        #expect(try status() == 404)
    }

    @Test(arguments: 1...3) func `a device that was away brings no old and no deleted backup back`(_ away: Int) throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        let overwritten = (0..<15).map { id($0) }
        let deleted = (15..<30).map { id($0) }
        for each in overwritten + deleted { _ = try store.put([1], at: each, if: .none, now: day(0)) }
        try server.without([away]) {
            for each in overwritten {
                let result = try store.put([2, 2], at: each, if: Preconditions(match: .any), now: day(1))
                #expect(result != .conditionFailed)
            }
            for each in deleted { #expect(try store.delete(each, if: .none, now: day(1)) == .deleted) }
        }
        var stale = 0
        for _ in 0..<Self.rounds {
            for each in overwritten { #expect(try store.get(each)?.bytes == [2, 2]) }
            for each in deleted { #expect(try store.get(each) == nil) }
            // Without the header, the replica that was away answers: this test would see it.
            let bucket = server.connection.address.bucket(of: account)
            for each in overwritten + deleted {
                let path = "/\(bucket)/\(account.text)/\(each.hex)"
                if try server.connection.send(.get, path, limit: 1000).body == [1] { stale += 1 }
            }
        }
        #expect(stale > 0)
    }

    @Test func `with two devices away, a write is no success`() throws {
        let server = try ObjectStore()
        let store = server.store()
        for byte: UInt8 in 0..<6 { _ = try store.put([1], at: id(byte), if: .none, now: day(0)) }
        try server.without([1, 2]) {
            for byte: UInt8 in 0..<3 {
                #expect(throws: StoreError.unavailable) { try store.put([2], at: id(byte), if: .none, now: day(1)) }
            }
            for byte: UInt8 in 3..<6 {
                #expect(throws: StoreError.unavailable) { try store.delete(id(byte), if: .none, now: day(1)) }
            }
        }
        // Each is the old one or the new one, and can be written.
        for byte: UInt8 in 0..<6 {
            let present = try store.get(id(byte))?.bytes
            #expect(byte < 3 ? [[1], [2]].contains(present) : [[1], nil].contains(present))
            _ = try store.put([3], at: id(byte), if: .none, now: day(2))
            #expect(try store.get(id(byte))?.bytes == [3])
        }
    }

    @Test func `a backup whose replicas are away is not called missing`() throws {
        let server = try ObjectStore()
        let store = server.store()
        try server.without([3]) {
            for byte: UInt8 in 0..<6 { _ = try store.put([1], at: id(byte), if: .none, now: day(0)) }
        }
        try server.without([1, 2]) {
            for byte: UInt8 in 0..<6 {
                #expect(throws: StoreError.unavailable) { try store.get(id(byte)) }
                #expect(throws: StoreError.unavailable) { try store.delete(id(byte), if: .none, now: day(0)) }
            }
        }
        for byte: UInt8 in 0..<6 { #expect(try store.get(id(byte))?.bytes == [1]) }
    }

    @Test func `a server knows what it has written itself when a list is late`() throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        _ = try store.put(bytes(10), at: id(1), if: .none, now: day(0))
        _ = try store.put(bytes(20), at: id(2), if: .none, now: day(0))
        try server.without([1]) {
            _ = try store.put(bytes(70), at: id(1), if: .none, now: day(1))
            _ = try store.delete(id(2), if: .none, now: day(1))
        }
        // One copy of the list does not have these writes. Without the memory, this test would see it.
        var late = 0
        for _ in 0..<20 {
            #expect(try store.lengthOfOthers(than: id(3)) == 70)
            // Stores of one connection share what they remember.
            if try ObjectStore().store(of: account).lengthOfOthers(than: id(3)) != 70 { late += 1 }
        }
        #expect(late > 0)
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
}
