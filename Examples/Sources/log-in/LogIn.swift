import Threema
import ThreemaChat

/// An identity logs in at a chat server and asks it for an echo; both halves are in this process. Then it says when it
/// would connect again.
///
///     echo 'TEXT' | log-in
@main
struct LogIn {
    static func main() throws {
        let serverKey = ServerKey.random()
        let own = Identity(id: try ThreemaID("ECHOECHO"), clientKey: .random())
        let ownPublicKey = own.clientKey.publicKey
        var server = ChatServerConnection(serverKey: serverKey)
        let extensions = try LoginExtensions([.clientInfo("1.0;L;en/CH")])
        var client = ChatClient(identity: own, serverKeys: [serverKey.publicKey], extensions: extensions)

        var toServer = client.hello
        while !toServer.isEmpty {
            let answer = answer(toServer, by: &server, ownPublicKey)
            let progress = client.receive(answer.span)
            toServer = progress.toSend
            for event in progress.events { print(words(event)) }
            if let failure = progress.failure { throw failure }
            if case .loggedIn = progress.events.first {
                toServer += try client.seal(.echoRequest(Array((readLine() ?? "").utf8)))
            }
        }

        var policy = ReconnectPolicy()
        for _ in 0..<2 { print("the connection is lost:", policy.next(after: .network, jitter: 0)) }
        print("it is another server:", policy.next(after: .wrongServer, jitter: 0))
    }

    /// What a server sends for what it has received.
    static func answer(_ bytes: [UInt8], by server: inout ChatServerConnection, _ known: PublicKey) -> [UInt8] {
        let progress = server.receive(bytes.span) { _ in known }
        guard case .login(let id, _) = progress.events.first else { return progress.toSend }
        print("\(id.text) has proven itself")
        return progress.toSend + server.accept(LoginAcknowledgement(milliseconds: 0, queuedCount: 0)).toSend
    }

    static func words(_ event: ChatClient.Event) -> String {
        switch event {
        case .loggedIn: "logged in"
        case .received(.echoResponse(let bytes)): "echo: \(String(decoding: bytes, as: UTF8.self))"
        default: "\(event)"
        }
    }
}
