import Dispatch
import Encodings
import Foundation
import SafeServer
import SafeStore
import SafeWire
import SecureMemory
import SophaxStorage
import TextSecure

/// Measures what an attacker can time over a network, in two classes of inputs each. Prints a line per run: name, class
/// (0 or 1), nanoseconds. The classes are drawn for each run, so that a machine that slows down slows both.
///
///     Timing NAME RUNS DIRECTORY      DIRECTORY: a server's, whose file `logins` has the account `alice`
@main
struct Timing {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let runs = Int(arguments[2]) else { exit(64) }
        var subject: any Subject
        switch arguments[1] {
        case "account": subject = try Accounts(arguments[3])
        case "pin": subject = try PINs()
        case "mac": subject = Codes()
        case "planted": subject = Planted()
        default: exit(64)
        }
        // The first ones load and allocate what later ones reuse.
        for kind in [0, 1, 0, 1] { _ = try subject.time(kind) }
        var lines = ""
        for _ in 0..<runs {
            let kind = Int.random(in: 0...1)
            lines += "\(arguments[1]) \(kind) \(try subject.time(kind))\n"
        }
        print(lines, terminator: "")
    }
}

/// Something with two classes of inputs.
protocol Subject {
    /// Prepares an input of a class, and measures the work on it.
    /// - Returns: nanoseconds.
    mutating func time(_ kind: Int) throws -> UInt64
}

func elapsed(_ work: () throws -> Void) rethrows -> UInt64 {
    let start = DispatchTime.now().uptimeNanoseconds
    try work()
    return DispatchTime.now().uptimeNanoseconds - start
}

/// The server's answer to a wrong password: of a user who exists (0), and of one who does not (1).
struct Accounts: Subject {
    private let responder: AccountResponder
    private var number = 0

    init(_ directory: String) throws {
        responder = try AccountResponder(at: directory, limits: .standard, throttle: Throttle())
    }

    mutating func time(_ kind: Int) throws -> UInt64 {
        number += 1
        let password = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let login = Data("\(kind == 0 ? "alice" : "carol"):\(password)".utf8).base64EncodedString()
        // An address of its own: after some wrong passwords, an address waits.
        let request = ServerRequest(
            "GET", "/config", headers: [("authorization", "Basic \(login)")], client: "client-\(number)")
        let now = ClockReading(wall: Timestamp(milliseconds: 0), monotonic: .seconds(number))
        var status = 0
        let time = elapsed {
            guard case .login(let pending) = responder.examine(request, at: now) else { return }
            let decided = DispatchSemaphore(value: 0)
            pending.whenDecided { decided.signal() }
            decided.wait()
            if case .answer(let answer) = pending.finish(at: now) { status = answer.status }
        }
        guard status == 401 else { fatalError("a wrong password has got \(status)") }
        return time
    }
}

/// The check of a PIN: of the owner's (0), and of that of duress (1).
struct PINs: Subject {
    private let lock: PINLock
    private static let pins = ["271828", "161803"]

    init() throws {
        lock = try PINLock(pin: Self.secret(Self.pins[0])).setting(duress: Self.secret(Self.pins[1]))
    }

    private static func secret(_ text: String) -> SecureBytes {
        let bytes = Array(text.utf8)
        return SecureBytes(copying: bytes.span)
    }

    mutating func time(_ kind: Int) throws -> UInt64 {
        let pin = Self.secret(Self.pins[kind])
        var result = PINLock.Result.wrong
        let time = try elapsed {
            result = try lock.check(pin, counts: .none, at: Timestamp(milliseconds: 0), store: { _ in }).result
        }
        guard result == (kind == 0 ? .real : .duress) else { fatalError("the PIN has the result \(result)") }
        return time
    }
}

/// The check of a code of 10 bytes: one that differs in its first byte (0), and one that differs in its last byte (1).
struct Codes: Subject {
    private let key = SignalingKey()
    private let payload: [UInt8]

    init() {
        let signal = [UInt8](repeating: 7, count: 200)
        payload = PushPayload.seal(signal.span, key: key)
    }

    mutating func time(_ kind: Int) throws -> UInt64 {
        var wrong = payload
        wrong[wrong.count - (kind == 0 ? 10 : 1)] ^= 1
        var isRefused = false
        let time = elapsed {
            do throws(PushPayloadError) { _ = try PushPayload.open(wrong.span, key: key) } catch { isRefused = true }
        }
        guard isRefused else { fatalError("a wrong code was accepted") }
        return time
    }
}

/// A comparison of 32 bytes that ends at the first difference, which the figure has to show: in the first byte (0), and in
/// the last byte (1).
struct Planted: Subject {
    private let code = Random.bytes(32)

    mutating func time(_ kind: Int) throws -> UInt64 {
        var wrong = code
        wrong[kind == 0 ? 0 : 31] ^= 1
        var isSame = true
        let time = elapsed { isSame = areEqual(code, wrong) }
        guard !isSame else { fatalError("a wrong code was accepted") }
        return time
    }

    @inline(never) private func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
