import Foundation
import Threema
import ThreemaCalls
import ThreemaMessages
import ThreemaSafe

/// Takes the message with an offer as the app that is called does: decides if the call needs a relay, rewrites the session
/// description, and checks what DTLS has agreed upon. The Safe document names contacts and settings.
///
///     take-call SAFE CALLER CERTIFICATE VERSION SUITE PROFILE < OFFER
@main
struct TakeCall {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7 else {
            return print("usage: take-call SAFE CALLER CERTIFICATE VERSION SUITE PROFILE < OFFER")
        }
        // The body of a message that was opened.
        let body = Array((readLine() ?? "").utf8)
        let signal = try CallSignal(.opaque(.callOffer, EnclosedBytes(copying: body.span)))
        guard case .offer(let offer, _) = signal.content else { return print("no offer") }
        let safe = try bytes(arguments[1])
        let file = try DocumentFile(decoding: safe.span)
        let relay = relay(for: try ThreemaID(arguments[2]), file.profile.document)
        print(candidates.filter(relay.permits).map(\.text).joined(separator: "\n"))

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
        } catch {
            print(error == .otherCertificate ? "Somebody else is on the line." : "The call ends: \(error)")
            let end = CallSignal(call: signal.call, .hangup)
            print("Call \(end.call) is ended by a message of the type \(end.body.type).")
        }
    }

    static func relay(for caller: ThreemaID, _ document: SafeDocument) -> CallRelay {
        let contact = document.contacts.first { $0.id == caller }
        return CallRelay(for: contact?.level ?? .unverified, isAlways: document.settings[.relayThreemaCalls])
    }

    /// Where WebRTC says that this device is reached: its own address, and that of a relay.
    static let candidates = ["198.51.100.1 9 typ host", "203.0.113.1 9 typ relay raddr 0.0.0.0 rport 0"].map {
        CallCandidate(text: "candidate:1 1 udp 1 \($0)", section: nil, index: 0, fragment: nil)
    }

    static func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }
}
