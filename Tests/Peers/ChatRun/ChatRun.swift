import Encodings
import Foundation
import SecureMemory
import TCPTransport
import Threema
import ThreemaChat

/// Either half of the chat server protocol over TCP on loopback, for tests with another implementation of the other
/// half. Both read one command a line; bytes are hexadecimal digits.
///
///     chat-run serve      key SECRET, identity ID PUBLIC, idle MS, login MS, alert TEXT; at `go` it prints its port,
///                         and serves until the input ends
///     chat-run client     see ChatClientRun; prints one line for each command
@main
enum ChatRun {
    static func main() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "serve": try serve()
        case "client": ChatClientRun().run()
        default: print("usage: chat-run serve|client")
        }
    }

    private static func serve() throws {
        var key = ServerKey.random()
        var settings = ChatServer.Settings()
        settings.startMilliseconds = 1_700_000_000_000
        var identities: [ThreemaID: PublicKey] = [:]
        while let words = nextWords(), words[0] != "go" {
            switch words[0] {
            case "key": key = ServerKey(secret(words[1]))
            case "identity": identities[try ThreemaID(words[1])] = publicKey(words[2])
            case "idle": settings.idleTimeout = .milliseconds(Int(words[1])!)
            case "login": settings.loginTimeout = .milliseconds(Int(words[1])!)
            default: settings.alert = words.dropFirst().joined(separator: " ")
            }
        }
        let listener = try TCPListener()
        say("\(listener.port)")
        Thread.detachNewThread { [key, settings, identities] in
            try! listener.serve(ChatServer(key: key, settings: settings) { identities[$0] })
        }
        while readLine() != nil {}
    }

    /// - Returns: nil at the end of the input.
    static func nextWords() -> [String]? { readLine()?.split(separator: " ").map(String.init) }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    static func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex)! }

    static func secret(_ hex: String) -> SecureBytes { SecureBytes(copying: bytes(hex).span) }

    static func publicKey(_ hex: String) -> PublicKey { PublicKey(bytes(hex))! }
}
