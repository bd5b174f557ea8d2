import ThreemaCalls
import ThreemaMessages
import ThreemaTransport

/// The HTTPS half of a server of calls: who asks it gets what WebRTC needs to connect.
struct Lobby {
    private let id: GroupCallID
    private let server: CallServer
    private let client: CallClient
    private let token = EnclosedBytes(copying: Array("a-token-of-the-directory".utf8).span)

    /// - Parameter authority: that has signed the server's certificate, in PEM.
    init(_ id: GroupCallID, _ start: GroupCallStart, authority: [UInt8]) throws {
        self.id = id
        // The directory names the servers that are allowed, because anybody in the group can write the address.
        server = try CallServer(start.serverURL, suffixes: ["localhost"], authority: authority)
        client = CallClient(server, userAgent: "group-call")
    }

    func peek() throws -> String {
        let request = try CallRequest.peek(id, at: server, token: token)
        do throws(CallFailure) {
            return "\(try client.ask(request).maxParticipants) can take part"
        } catch .service(.unknownCall) {
            return "The call has not begun."
        }
    }

    /// - Returns: what the server says, and what is left of the own session description.
    func join() throws -> String {
        // Of the certificate that WebRTC has drawn for this connection.
        let own = CertificateFingerprint([UInt8](repeating: 7, count: 32))
        let join = try client.ask(.join(id, at: server, token: token, fingerprint: own))
        let description = try SDPPolicy.group.patch(Self.description + own.line)
        let opus = description.split(separator: "\r\n").first { $0.hasPrefix("a=fmtp") } ?? ""
        // Once DTLS has connected, `CallSecurity` compares the server's certificate with `join.fingerprint`.
        return "participant \(join.participant) of \(join.maxParticipants) at \(join.addresses[0].ip), \(opus)"
    }

    private static let description = """
        v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111 0\r\na=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10\r
        a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level\r\n
        """
}
