internal import Encodings
internal import HTTP
internal import Ratchet
public import SecureMemory

// A request as JSON, for any HTTP client. Compact, names in byte order:
//
//     {"body":{…},"headers":{"Authorization":"Basic …","Content-Type":"application/json"},"method":"PUT",
//      "url":"https://textsecure.example/v1/keys/"}
//
// `body` is missing without a body, and if it is not JSON: a blob is a file of its own. `Authorization` is missing if the
// request is sent without the login.

extension ServerRequest {
    /// The URL of the request.
    /// - Parameter server: the server's address, without a slash at its end. A blob has a URL of its own.
    public borrowing func url(at server: String) -> String { path.hasPrefix("/") ? server + path : path }

    fileprivate var isJSON: Bool { contentType == Self.json }
}

extension TextSecureAccount {
    /// Writes a request with the account's login. It holds the password: a file of it is for its owner alone.
    /// - Parameters:
    ///   - request: a body that is not JSON is left out.
    ///   - server: the server's address, without a slash at its end. A request with a URL of its own does not need it.
    public borrowing func document<Answer>(
        of request: borrowing ServerRequest<Answer>, at server: String
    ) -> SecureBytes {
        let (url, isJSON) = (request.url(at: server), request.isJSON)
        let bodyCount =
            switch request.body {
            case .some(let body): isJSON ? body.count : 0
            case .none: 0
            }
        // Beside them a few names. A control character of the URL would take six bytes.
        let loginCount = Base64.encodedCount(number.text.utf8.count + 1 + password.held.bytes.count)
        var document = SecureBuffer(capacity: bodyCount + loginCount + 6 * url.utf8.count + 1024)
        document.append("{")
        if isJSON {
            switch request.body {
            case .some(let body):
                document.append(#""body":"#)
                document.append(body)
                document.append(",")
            case .none: break
            }
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
        document.append(#","url":"# + Self.quoted(url) + "}\n")
        return document.finish()
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).encoded, as: UTF8.self)
    }
}
