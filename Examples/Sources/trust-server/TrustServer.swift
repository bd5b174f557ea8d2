import HTTP
import SafeWire
import SecureMemory

/// Puts together what a transport needs to know of a Safe server, and compares the server's key with the pinned one.
///
///     echo 'PASSWORD' | trust-server URL USER PIN SHOWN-PIN
@main
struct TrustServer {
    struct Malformed: Error {}

    static func main() throws {
        guard CommandLine.arguments.count == 5, let password = readLine() else {
            return print("usage: echo 'PASSWORD' | trust-server URL USER PIN SHOWN-PIN")
        }
        let words = CommandLine.arguments
        let server = try endpoint(
            words[1], user: words[2], password: SecureBytes(copying: Array(password.utf8).span), pin: words[3])
        guard let shown = PublicKeyPin(text: words[4]) else { throw Malformed() }
        do throws(SafeExchangeError) {
            try check(shown, of: server)
            print("The server may be asked.")
        } catch .pinMismatch(let address, _, .some(let offered), _) {
            print("\(address) has the key \(offered.text)")
        } catch {
            print(error)
        }
    }

    static func endpoint(
        _ url: String, user: String, password: consuming SecureBytes, pin: String
    ) throws -> SafeEndpoint {
        guard Login.isUser(user), password.count <= Login.maxPasswordBytes, let pin = PublicKeyPin(text: pin) else {
            throw Malformed()
        }
        return SafeEndpoint(
            try SafeServerAddress(parsing: url), login: Login(user: user, password: password), authority: nil,
            pins: [pin])
    }

    /// Before anything is sent.
    static func check(_ shown: PublicKeyPin, of server: borrowing SafeEndpoint) throws(SafeExchangeError) {
        guard server.pins.isEmpty || server.pins.contains(shown) else {
            throw .pinMismatch(server.address.text, expected: server.pins, offered: shown, provisioned: false)
        }
    }
}
