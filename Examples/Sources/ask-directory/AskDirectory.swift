import HTTP
import Threema
import ThreemaDirectory

/// Shows the requests by which an identity is registered, and what a directory gets of an address. Nothing is sent.
///
///     echo 'PHONE OR E-MAIL' | ask-directory
@main
struct AskDirectory {
    static func main() throws {
        guard let line = readLine() else { return print("usage: echo 'PHONE OR E-MAIL' | ask-directory") }
        let key = ClientKey.random()
        // A directory draws the token and the key pair for each request.
        let replies = [
            #"{"token":"AAAA","tokenRespKeyPub":"hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="}"#,
            #"{"success":true,"identity":"ECHOECHO","serverGroup":"0a"}"#,
        ]
        var sent = 0
        let created = try register(key) { request in
            print("\(request.method.rawValue) \(request.path)")
            let json = replies[sent]
            sent += 1
            return HTTPResponse(status: 200, body: Array(json.utf8))
        }
        print("registered: \(created.id)")
        for hash in try hashes(of: line) { print("hash: \(hash.base64)") }
    }

    /// - Parameter send: sends a request over HTTPS.
    static func register(
        _ key: borrowing ClientKey, send: (HTTPRequest) throws -> HTTPResponse
    ) throws -> CreatedIdentity {
        let request = SignedRequest.create(key)
        switch try request.next(send(request.http), key: key) {
        case .answer(let created): return created
        case .request(let proof): return try request.answer(send(proof))
        }
    }

    static func hashes(of address: String) throws -> [ContactHash] {
        if address.contains("@") { return try EmailAddress(normalizing: address).hashes }
        return [ContactHash(try PhoneNumber(parsing: address))]
    }
}
