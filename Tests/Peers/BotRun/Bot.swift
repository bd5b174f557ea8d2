import Encodings
import Foundation
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaClient
import ThreemaMessages

/// A process of `echo-bot` that is killed at any time and started again with the same directory.
final class Bot: @unchecked Sendable {
    static let passphrase = "a passphrase of a bot"

    let path: String
    private let program: [String]
    private var process: Process?
    let id: ThreemaID
    private(set) var kills = 0

    /// - Parameter program: path and arguments behind the directory.
    init(in path: String, _ program: [String]) throws {
        self.path = path
        self.program = program
        let (process, line) = try Self.start(path, program)
        self.process = process
        id = try ThreemaID(line)
    }

    private func start() throws { process = try Self.start(path, program).0 }

    /// - Returns: the process, and the first line that it prints.
    private static func start(_ path: String, _ program: [String]) throws -> (Process, String) {
        let started = Process()
        started.executableURL = URL(filePath: program[0])
        started.arguments = [path] + program[1...]
        let (input, output) = (Pipe(), Pipe())
        (started.standardInput, started.standardOutput) = (input, output)
        try started.run()
        input.fileHandleForWriting.write(Data((passphrase + "\n").utf8))
        try input.fileHandleForWriting.close()
        var line = Data()
        // A bot that was killed before prints nothing.
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) {
            line += byte
        }
        return (started, String(decoding: line, as: UTF8.self))
    }

    /// Kills it, wherever it is, and starts it again.
    /// - Parameter wait: seconds from the start to a second kill, which it may not have logged in before; nil for none.
    func restart(killingAgainAfter wait: Double?) throws {
        stop()
        if let wait {
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                Thread.sleep(forTimeInterval: wait)
                if let process { kill(process.processIdentifier, SIGKILL) }
                isOver.signal()
            }
            try start()
            isOver.wait()
            stop()
        }
        try start()
    }

    func stop() {
        guard let process else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
        kills += 1
    }

    /// What the bot knows. It does not run.
    func groups() throws -> [Group] {
        let keystore = try OpenKeystore.openOrCreate(
            at: path, passphrase: SecureBytes(copying: Array(Self.passphrase.utf8).span))
        guard let owner = Owner(messenger: "threema", id: id.text) else { return [] }
        let records = try keystore.lockedIdentity(owner, wait: .seconds(5))
        let store = try records.withDirectory { directory in
            try OpenSessionStore(
                in: directory, messenger: owner.messenger, id: owner.id, key: keystore.digestKey("sessions"))
        }
        defer { store.close() }
        let identity = try records.records.read("identity")!.withBytes { try Identity(decoding: $0) }
        return try Mailbox(identity, in: store, now: { Timestamp(milliseconds: 0) }).groups()
    }
}
