internal import Encodings
internal import HTTP
public import SecureMemory

// A request as JSON, for any HTTP client. Compact, names in byte order:
//
//     {"body":{…},"headers":{"Authorization":"Basic …","Content-Type":"application/json"},"method":"PUT",
//      "url":"https://textsecure.example/v1/keys/"}
//
// `body` is missing without a body, `Authorization` where the request is sent without the login.

extension TextSecureAccount {
    /// Writes a request with the account's login. It holds the password: a file of it is for its owner alone.
    /// - Parameters:
    ///   - request: with a JSON body, or none.
    ///   - server: the server's address, without a slash at its end.
    public borrowing func document(of request: borrowing ServerRequest, at server: String) -> SecureBytes {
        // Each part is small: the longest body has 1000 public keys.
        var document = SecureBuffer(capacity: 1024 * 1024)
        document.append("{")
        switch request.body {
        case .some(let body):
            document.append(#""body":"#)
            document.append(body)
            document.append(",")
        case .none: break
        }
        document.append(#""headers":{"#)
        if request.isAuthorized {
            // The header ends in NUL, which HTTP clients of C need.
            let header = password.login(number).authorization
            let beginning = "Authorization: ".utf8.count
            document.append(#""Authorization":""#)
            header.withBytes { document.append($0.extracting(beginning..<$0.count - 1)) }
            document.append(#"""#)
        }
        if let type = request.contentType {
            document.append((request.isAuthorized ? "," : "") + #""Content-Type":"# + Self.quoted(type))
        }
        document.append(#"},"method":"# + Self.quoted(request.method.rawValue))
        document.append(#","url":"# + Self.quoted(server + request.path) + "}\n")
        return document.finish()
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).encoded, as: UTF8.self)
    }
}

extension SecureBuffer {
    fileprivate mutating func append(_ text: String) {
        let bytes = Array(text.utf8)
        append(bytes.span)
    }
}
