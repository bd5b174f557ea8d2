import Foundation
import Threema
import ThreemaCalls
import ThreemaSafe

/// Reads the session description of an offer as the app that takes the call does: rewrites it, decides if the call needs
/// a relay, and checks what DTLS has agreed upon. The Safe document names contacts and settings.
///
///     take-call SAFE CALLER CERTIFICATE VERSION SUITE PROFILE < DESCRIPTION
@main
struct TakeCall {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7 else {
            return print("usage: take-call SAFE CALLER CERTIFICATE VERSION SUITE PROFILE < DESCRIPTION")
        }
        var offer = ""
        while let line = readLine(strippingNewline: false) { offer += line }
        let safe = try bytes(arguments[1])
        let file = try DocumentFile(decoding: safe.span)
        let relay = relay(for: try ThreemaID(arguments[2]), file.profile.document)
        print(relay == .relayOnly ? "by a relay" : "the shortest way")

        let description = try SDPPolicy.oneToOne.patch(offer)
        let fingerprint = try CertificateFingerprint(of: offer)
        for line in description.split(separator: "\r\n") where line.hasPrefix("a=fmtp") || line.hasPrefix("m=video") {
            print(line)
        }

        // WebRTC offers only these.
        print("\(DTLSCipherSuite.openSSLList) with \(SRTPProfile.openSSLList)")
        let certificate = try bytes(arguments[3])
        let numbers = arguments[4...].compactMap { UInt16($0, radix: 16) }
        do throws(CallSecurityError) {
            let security = try CallSecurity(
                version: numbers[0], suite: numbers[1], profile: numbers[2], certificate: certificate.span,
                expecting: fingerprint)
            print("The line is the caller's: \(security.suite.name), \(security.profile.name)")
        } catch .otherCertificate {
            print("Somebody else is on the line.")
        } catch {
            print("The call ends: \(error)")
        }
    }

    static func relay(for caller: ThreemaID, _ document: SafeDocument) -> CallRelay {
        let contact = document.contacts.first { $0.id == caller }
        return CallRelay(for: contact?.level ?? .unverified, isAlways: document.settings[.relayThreemaCalls])
    }

    static func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }
}
