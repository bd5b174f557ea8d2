import SecureMemory
import Testing
import VectorKit

@testable import Primitives
@testable import ThreemaCalls

@Suite struct SDPTests {
    private func lines(_ lines: String...) -> String { lines.map { $0 + "\r\n" }.joined() }

    private let audio = "m=audio 9 UDP/TLS/RTP/SAVPF 111"
    private let opus = "a=rtpmap:111 opus/48000/2"

    @Test(arguments: try Vector.all(in: .threemaClient, op: "sdp-patch"))
    func `descriptions of the apps`(_ vector: Vector) throws {
        let patched = try SDPPolicy.patch(vector.inputs.string("sdp"))
        #expect(patched == (try vector.expected.string("patched")))
        #expect(try SDPPolicy.patch(patched) == patched)
        // Lines that end with LF only.
        let bare = try vector.inputs.string("sdp").replacing("\r\n", with: "\n")
        #expect(try SDPPolicy.patch(bare) == patched)
    }

    @Test func `Opus without parameters gets them`() throws {
        let patched = try SDPPolicy.patch(lines("v=0", audio, opus, "a=sendrecv"))
        #expect(
            patched == lines("v=0", audio, opus, "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1", "a=sendrecv"))
    }

    @Test func `parameters that are forced are replaced however they are spelled`() throws {
        let patched = try SDPPolicy.patch(lines("v=0", audio, opus, "a=fmtp:111 CBR=0; stereo=1;;maxptime=60; cbr = 0"))
        #expect(patched == lines("v=0", audio, opus, "a=fmtp:111 maxptime=60;stereo=0;sprop-stereo=0;cbr=1"))
    }

    @Test func `other codecs and unknown sections are dropped`() throws {
        let patched = try SDPPolicy.patch(
            lines(
                "v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 0 96 111", "a=rtpmap:96 ISAC/16000", "a=rtcp-fb:96 nack", opus,
                "a=rtcp-fb:111 transport-cc", "a=rtcp-fb:* nack", "a=fmtp:96 x=1", "a=fmtp:111 useinbandfec=1",
                "m=video 9 UDP/TLS/RTP/SAVPF 100", "a=rtpmap:100 VP8/90000", "m=text 9 RTP/AVP 98", "a=secret",
                "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sctp-port:5000"))
        #expect(
            patched
                == lines(
                    "v=0", audio, opus, "a=rtcp-fb:111 transport-cc", "a=rtcp-fb:* nack",
                    "a=fmtp:111 useinbandfec=1;stereo=0;sprop-stereo=0;cbr=1", "m=video 9 UDP/TLS/RTP/SAVPF 100",
                    "a=rtpmap:100 VP8/90000", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sctp-port:5000"))
    }

    @Test func `only encrypted header extensions, and none about levels and frames`() throws {
        let encrypt = "urn:ietf:params:rtp-hdrext:encrypt"
        let kept = "a=extmap:4 \(encrypt) http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        let format = "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1"
        let patched = try SDPPolicy.patch(
            lines(
                "v=0", "a=extmap-allow-mixed", "a=extmap:9 urn:x", audio, opus, format,
                "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                "a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
                "a=extmap:3/sendonly \(encrypt) urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                "a=extmap:5 \(encrypt) http://tools.ietf.org/html/draft-ietf-avtext-framemarking-07",
                "a=extmap:6 \(encrypt)", kept))
        #expect(patched == lines("v=0", "a=extmap-allow-mixed", audio, opus, format, kept))
    }

    @Test func `what is refused`() throws {
        let start = lines("v=0", audio, opus)
        #expect(throws: SDPError.noOpus) { try SDPPolicy.patch(lines("v=0", "m=audio 9 RTP/AVP 0")) }
        #expect(throws: SDPError.noOpus) { try SDPPolicy.patch("") }
        #expect(throws: SDPError.malformed) { try SDPPolicy.patch(start + "rubbish\r\n") }
        #expect(throws: SDPError.malformed) { try SDPPolicy.patch(start + "a=x\ra=y\r\n") }
        let line = "a=" + String(repeating: "x", count: 4095)
        #expect(throws: SDPError.lineTooLong(limit: 4096)) { try SDPPolicy.patch(start + line) }
        let long = String(repeating: "a=b\n", count: 16_385)
        #expect(throws: SDPError.tooLong(limit: 65_536, actual: 65_540)) { try SDPPolicy.patch(long) }
    }

    @Test func `a fingerprint binds a certificate`() throws {
        let certificate = Random.bytes(500)
        let fingerprint = CertificateFingerprint(SHA256.hash(certificate.span))
        let text = lines("v=0", "a=fingerprint:sha-1 00:11", audio, opus, fingerprint.line, audio, fingerprint.line)
        let read = try CertificateFingerprint(of: text)
        #expect(read == fingerprint)
        #expect(try CertificateFingerprint(of: text.lowercased()) == fingerprint)
        #expect(try CertificateFingerprint(of: SDPPolicy.patch(text)) == fingerprint)
        let matches = [certificate, certificate + [0], Random.bytes(500), []].map { read.matches($0.span) }
        #expect(matches == [true, false, false, false])
        #expect(fingerprint.line.count == 22 + 95)
        #expect(throws: SDPError.noFingerprint) { try CertificateFingerprint(of: lines("v=0", audio)) }
        #expect(throws: SDPError.noFingerprint) { try CertificateFingerprint(of: "a=fingerprint:sha-1 00:11") }
        let second = CertificateFingerprint(Random.bytes(32)).line
        let line = fingerprint.line
        let damaged: [String] = [
            String(line.dropLast(3)), "\(line):00", "\(line) x", "a=fingerprint:sha-256", "\(line.dropLast())g",
            "\(line)\r\n\(second)",
        ]
        for line in damaged {
            #expect(throws: SDPError.badFingerprint, "\(line)") { try CertificateFingerprint(of: line) }
        }
    }

    @Test func `a thousand mutations end in a description or a refusal`() throws {
        var random = SeededRandom(seed: 4)
        let fingerprint = CertificateFingerprint(Random.bytes(32)).line
        let text = Array(lines("v=0", audio, opus, "a=fmtp:111 a=b", fingerprint).utf8)
        var refused = 0
        for _ in 0..<1000 {
            let mutation = String(decoding: text.mutated(&random), as: UTF8.self)
            do throws(SDPError) {
                let patched = try SDPPolicy.patch(mutation)
                #expect(patched.contains(";cbr=1\r\n"))
                _ = try CertificateFingerprint(of: mutation)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 100)
    }
}
