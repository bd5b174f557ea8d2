import Encodings
import Foundation
import SafeWire
import SecureMemory
import ThreemaSafe

extension SafeFormats {
    // MARK: Servers

    /// The address of the official server, for the backup of these keys.
    static func officialBase(_ keys: borrowing SafeKeys) throws -> String {
        guard case .https(let address) = SafeServerAddress.official else {
            throw CheckError.notInAPI("an official server without HTTPS")
        }
        return address.base(for: keys.backupID)
    }

    /// The header of a login, which may stand in an address without `https://`; null if the library does not take it.
    static func login(_ check: inout Check) throws {
        let inputs = check.inputs
        var custom = inputs.has("custom_server") ? try inputs.text("custom_server") : ""
        if custom.isEmpty {
            custom = "\(encoded(try inputs.text("username"))):\(encoded(try inputs.text("password")))@server.example"
        }
        var header: String?
        if let endpoint = try? endpoint("https://" + custom), let login = parts(endpoint) {
            header = "Basic " + Data("\(login.user):\(login.password)".utf8).base64EncodedString()
        }
        check.compare("authorization", header)
    }

    /// An address split into login and server; without one, the address for a master key.
    static func address(_ check: inout Check) throws {
        let inputs = check.inputs
        guard inputs.has("url") else {
            let keys = SafeKeys(masterKey: try inputs.secret("master_key", count: SafeKeys.masterKeyCount))
            let base = try officialBase(keys)
            check.compare("server", String(base.dropLast()))
            return check.compare("backup_url", base + "backups/" + keys.backupID.hex)
        }
        guard check.expected["user"] != "", check.expected["password"] != "" else {
            throw CheckError.notInAPI("a login without user or password")
        }
        let endpoint = try endpoint(try inputs.text("url"))
        let login = parts(endpoint)
        check.compare("user", login?.user)
        check.compare("password", login?.password)
        // The library writes an address in one form.
        guard check.isExpected("server") else { return }
        check.note("server", (try? SafeServerAddress(parsing: check.expected.text("server"))) == endpoint.address)
    }

    private static func endpoint(_ url: String) throws -> SafeEndpoint {
        let text = Array(url.utf8)
        return try SafeEndpoint(url: SecureBytes(copying: text.span))
    }

    private static func parts(_ endpoint: borrowing SafeEndpoint) -> (user: String, password: String)? {
        switch endpoint.login {
        case .some(let login): (login.user, String(decoding: login.password.revealBytes(), as: UTF8.self))
        case .none: nil
        }
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
