package import HTTP
package import SafeKeeping
package import SafeWire
internal import ThreemaDirectory
internal import ThreemaRecords

extension OnPremKeeper {
    /// The public keys of which a Safe server must show one, as requests have them: if a provisioning file names the
    /// server, those of the file as it is now; else those that were stored with the server. Empty for any key.
    package func pins(of server: borrowing SafeEndpoint) -> [PublicKeyPin] {
        guard let name = server.onPrem.flatMap({ OnPremName($0) }), let present = try? file(name),
            let pins = try? present.file.pins(of: server.address.text)
        else { return server.pins }
        return pins
    }
}

extension ThreemaKeeper {
    /// The server of a place as it is asked: what is written down of it has to lead there without the file.
    /// - Throws: `SafeKeepingError.noSetup`; `KeystoreError`.
    package func server(of place: SafePlace) throws -> SafeEndpoint {
        let server = try safe.server(of: place)
        let (authority, pins) = (server.authority, onPrem.pins(of: server))
        return server.trusting(authority, pins: pins)
    }
}
