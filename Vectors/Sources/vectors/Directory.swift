import Encodings
import Foundation
import HTTP
import Primitives
import SecureMemory
import Threema
import ThreemaDirectory

/// Operations of requests to the directory and of its replies.
enum Directory {
    static func challenge(_ check: inout Check) throws {
        let text = try check.inputs.text("salt")
        guard let kind = Challenge.Kind(rawValue: text) else {
            throw CheckError.malformed("input salt", "that of a directory")
        }
        try answer(&check, kind, token: "token")
    }

    static func workChallenge(_ check: inout Check) throws { try answer(&check, .work, token: "challenge") }

    private static func answer(_ check: inout Check, _ kind: Challenge.Kind, token name: String) throws {
        let inputs = check.inputs
        let token = try inputs.bytes(name)
        let publicKey = try inputs.publicKey("challengePublicKey")
        let key = try inputs.clientKey("clientKey")
        let challenge = Challenge(kind: kind, token: token, publicKey: publicKey)
        let response = try challenge.response(of: key)
        try check.compare("response", response)
        check.compare("responseBase64", Data(response).base64EncodedString())

        let shared = try Primitive.sharedKey(inputs, "clientKey", "challengePublicKey")
        let personal = inputs.has("personal") ? try inputs.text("personal") : "3ma-csp"
        let salt = inputs.has("salt") ? try inputs.text("salt") : kind.rawValue
        let responseKey = try Primitive.derive(shared, salt, personal)
        try check.compare("responseKey", responseKey)
        // The primitives alone, with the vector's constants.
        check.require("response", BLAKE2b.authenticate(token.span, key: responseKey) == response)
        if inputs.has("challengeSecretKey") {
            check.require("challengePublicKey", try inputs.clientKey("challengeSecretKey").publicKey == publicKey)
        }
    }

    static func decodeIdentity(_ check: inout Check) throws {
        let path = try check.inputs.text("path")
        guard let id = try? ThreemaID(String(path.suffix(ThreemaID.count))) else {
            throw CheckError.malformed("input path", "that of an identity")
        }
        let request = DirectoryRequest.fetch(id)
        check.require("path", request.http.path == path)
        let entry = try request.answer(reply(check.inputs))
        check.compare("identity", entry.id.text)
        check.compare("featureMask", entry.featureMask.rawValue)
        check.compare("state", entry.state.rawValue)
        check.compare("type", entry.kind.rawValue)
    }

    static func decodeTurnCredentials(_ check: inout Check) throws {
        // The reply is the same for everybody.
        let credentials = try SignedRequest.turnCredentials(for: .random()).answer(reply(check.inputs))
        check.compare("turnUrls", .array(credentials.urls.map { .string($0) }))
        check.compare("turnUrlsDualStack", .array(credentials.dualStackURLs.map { .string($0) }))
        check.compare("turnUsername", credentials.user)
        check.compare("expiration", credentials.expiration)
        if check.isExpected("turnPassword") {
            let password = Array(try check.expected.text("turnPassword").utf8)
            check.note("turnPassword", credentials.password.equals(password))
        }
    }

    private static func reply(_ inputs: Fields) throws -> HTTPResponse {
        HTTPResponse(status: 200, body: Array(try inputs.text("json").utf8))
    }
}
