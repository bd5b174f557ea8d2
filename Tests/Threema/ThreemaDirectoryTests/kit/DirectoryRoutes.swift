import Encodings
import Primitives
import Threema
import ThreemaDirectory

/// What the directory of the tests does once it is satisfied with who asks.
enum DirectoryRoutes {
    private typealias State = TestDirectory.State

    private static func refused(_ words: String) -> JSONValue { ["success": false, "error": .string(words)] }

    /// Requests that need no proof.
    static func open(_ path: String, _ fields: JSONValue, _ state: inout TestDirectory.State) -> (Int, JSONValue) {
        let asked = fields["identities"]?.array?.compactMap(\.string) ?? []
        switch path {
        case "auth_token": return (200, ["authToken": "own-token"])
        case "check_license":
            let isValid = fields["licensePassword"]?.string == "secret"
            return (200, isValid ? ["success": true] : refused("Licence expired"))
        case "identity/fetch_bulk":
            return (200, ["identities": .array(asked.compactMap { TestDirectory.entry($0, state) })])
        case "identity/check":
            let records = asked.map { state.identities[$0] }
            return (
                200,
                [
                    "checkInterval": 3600, "states": .array(records.map { .number($0?.state ?? 2) }),
                    "types": .array(records.map { _ in 0 }),
                    "featureMasks": .array(records.map { $0.map { .number($0.mask) } ?? .null }),
                ]
            )
        case "identity/check_featuremask":
            return (
                200, ["featureMasks": .array(asked.map { state.identities[$0].map { .number($0.mask) } ?? .null })]
            )
        case "identity/match": return match(fields, state)
        case "identity/ws/revoke": return (200, revokeByKey(fields, &state))
        default: return (200, verify(path, fields, &state))
        }
    }

    /// Whether an address is linked, if that is all that is asked or if it is linked already; nil to go on.
    static func linkStatus(_ fields: JSONValue, _ state: TestDirectory.State) -> JSONValue? {
        guard let record = state.identities[fields["identity"]?.string ?? ""], let email = fields["email"]?.string,
            fields["token"] == nil
        else { return nil }
        let isLinked = record.email == email && !email.isEmpty
        if isLinked || fields["lang"] == nil { return ["linked": .bool(isLinked)] }
        return nil
    }

    private static func match(_ fields: JSONValue, _ state: TestDirectory.State) -> (Int, JSONValue) {
        guard let token = fields["matchToken"]?.string, state.matchTokens.contains(token) else {
            return (200, refused("Invalid token"))
        }
        func sent(_ name: String) -> Set<String> { Set(fields[name]?.array?.compactMap(\.string) ?? []) }
        var found: [JSONValue] = []
        for (id, record) in state.identities.sorted(by: { $0.key < $1.key }) where record.state == 0 {
            var members: [JSONValue.Member] = [
                .init("identity", .string(id)), .init("publicKey", .string(Base64.encode(record.publicKey.span))),
            ]
            let email = record.email.flatMap { try? EmailAddress(normalizing: $0) }.map { ContactHash($0).base64 }
            let mobile = record.mobile.flatMap { try? PhoneNumber(digits: $0) }.map { ContactHash($0).base64 }
            if let email, sent("emailHashes").contains(email) { members.append(.init("emailHash", .string(email))) }
            if let mobile, sent("mobileNoHashes").contains(mobile) {
                members.append(.init("mobileNoHash", .string(mobile)))
            }
            if members.count > 2 { found.append(.object(members)) }
        }
        return (200, ["checkInterval": 86400, "identities": .array(found)])
    }

    private static func revokeByKey(_ fields: JSONValue, _ state: inout TestDirectory.State) -> JSONValue {
        guard let id = fields["identity"]?.string, let key = state.identities[id]?.revocationKey,
            key == fields["revocationKey"]?.string
        else { return refused("Invalid revocation key") }
        state.identities[id]?.state = 2
        return ["success": true]
    }

    private static func verify(_ path: String, _ fields: JSONValue, _ state: inout TestDirectory.State) -> JSONValue {
        guard let pending = state.codes[fields["verificationId"]?.string ?? ""] else { return refused("Unknown") }
        if path == "identity/link_mobileno_call" { return ["success": true] }
        guard fields["code"]?.string == pending.code else { return refused("Wrong code\u{7}") }
        state.identities[pending.id]?.mobile = pending.mobile
        return ["success": true]
    }

    /// Requests whose proof is good.
    static func proven(_ path: String, _ fields: JSONValue, _ state: inout TestDirectory.State) -> JSONValue {
        let id = fields["identity"]?.string ?? ""
        switch path {
        case "identity/create":
            guard fields["deviceId"]?.string == "device" else { return refused("Which device?") }
            let id = ThreemaID.random().text
            state.identities[id] = .init(publicKey: TestDirectory.bytes(fields["publicKey"]!.string!)!)
            return ["success": true, "identity": .string(id), "serverGroup": "0a"]
        case "identity/fetch_priv":
            var reply: JSONValue = ["success": true, "serverGroup": "0a"]
            if let email = state.identities[id]?.email { reply = reply.setting("email", to: .string(email)) }
            if let mobile = state.identities[id]?.mobile { reply = reply.setting("mobileNo", to: .string(mobile)) }
            return reply
        case "identity/link_email":
            if fields["email"]?.string == "" {
                state.identities[id]?.email = nil
            } else {
                state.mails.append((fields["email"]!.string!, id))
            }
        case "identity/link_mobileno":
            let mobile = fields["mobileNo"]!.string!
            if mobile.isEmpty {
                state.identities[id]?.mobile = nil
            } else {
                state.codes["v1"] = (id, mobile, "123456")
                return ["success": true, "verificationId": "v1"]
            }
        case "identity/match_token":
            state.matchTokens = ["match-\(state.requests.count)"]
            return ["success": true, "matchToken": .string(state.matchTokens[0])]
        case "identity/set_featuremask": state.identities[id]?.mask = Int(fields["featureMask"]!.integer!)
        case "identity/set_revocation_key": state.identities[id]?.revocationKey = fields["revocationKey"]!.string!
        case "identity/check_revocation_key":
            guard state.identities[id]?.revocationKey != nil else { return ["revocationKeySet": false] }
            return ["revocationKeySet": true, "lastChanged": "2014-10-29T12:32:54Z"]
        case "identity/revoke": state.identities[id]?.state = 2
        case "identity/report_junk": state.junk.append(fields["senderIdentity"]!.string!)
        case "identity/turn_cred":
            return [
                "success": true, "turnUrls": ["turn:a"], "turnUrlsDualStack": [], "turnUsername": "u",
                "turnPassword": "p", "expiration": 60,
            ]
        case "identity/sfu_cred":
            return [
                "success": true, "sfuBaseUrl": "https://sfu.example", "allowedSfuHostnameSuffixes": [".example"],
                "sfuToken": "sfu", "expiration": 60,
            ]
        case "identity/blob_cred": return ["success": true, "token": "blob", "expiration": 60]
        case "identity/update_work_info": break
        default: return ["success": false]
        }
        return ["success": true]
    }
}
