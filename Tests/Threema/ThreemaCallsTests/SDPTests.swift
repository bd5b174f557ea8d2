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
        let patched = try SDPPolicy.oneToOne.patch(vector.inputs.string("sdp"))
        #expect(patched == (try vector.expected.string("patched")))
        #expect(try SDPPolicy.oneToOne.patch(patched) == patched)
        // Lines that end with LF only.
        let bare = try vector.inputs.string("sdp").replacing("\r\n", with: "\n")
        #expect(try SDPPolicy.oneToOne.patch(bare) == patched)
    }

    @Test func `Opus without parameters gets them`() throws {
        let patched = try SDPPolicy.oneToOne.patch(lines("v=0", audio, opus, "a=sendrecv"))
        #expect(
            patched == lines("v=0", audio, opus, "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1", "a=sendrecv"))
    }

    @Test func `parameters that are forced are replaced however they are spelled`() throws {
        let patched = try SDPPolicy.oneToOne.patch(
            lines("v=0", audio, opus, "a=fmtp:111 CBR=0; stereo=1;;maxptime=60; cbr = 0"))
        #expect(patched == lines("v=0", audio, opus, "a=fmtp:111 maxptime=60;stereo=0;sprop-stereo=0;cbr=1"))
    }

    @Test func `other codecs and unknown sections are dropped`() throws {
        let patched = try SDPPolicy.oneToOne.patch(
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
        let patched = try SDPPolicy.oneToOne.patch(
            lines(
                "v=0", "a=extmap-allow-mixed", "a=extmap:9 urn:x", audio, opus, format,
                "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                "a=extmap:2 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
                "a=extmap:3/sendonly \(encrypt) urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                "a=extmap:5 \(encrypt) http://tools.ietf.org/html/draft-ietf-avtext-framemarking-07",
                "a=extmap:6 \(encrypt)", kept))
        #expect(patched == lines("v=0", "a=extmap-allow-mixed", audio, opus, format, kept))
    }

    private let video = "m=video 9 UDP/TLS/RTP/SAVPF"

    /// All that a browser offers for video today.
    private var manyCodecs: [String] {
        [
            "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
            "a=rtpmap:98 VP9/90000", "a=fmtp:98 profile-id=0", "a=rtpmap:45 AV1/90000", "a=rtcp-fb:45 nack",
            "a=rtpmap:127 H264/90000", "a=fmtp:127 packetization-mode=1", "a=rtpmap:49 H265/90000",
            "a=rtpmap:39 red/90000", "a=rtpmap:40 ulpfec/90000", "a=rtpmap:41 flexfec-03/90000", "a=rtcp-fb:* ccm fir",
        ]
    }

    private func patched(_ policy: SDPPolicy, _ lines: [String]) throws -> [String] {
        let text = try policy.patch(lines.map { $0 + "\r\n" }.joined())
        #expect(try policy.patch(text) == text)
        return text.split(separator: "\r\n").map(String.init)
    }

    @Test func `video is VP8, VP9 or H.264, in groups VP8`() throws {
        let start = ["v=0", audio, opus, "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1"]
        let offer = start + ["\(video) 96 97 98 45 127 49 39 40 41", "a=mid:1"] + manyCodecs
        #expect(
            try patched(.oneToOne, offer) == start + [
                "\(video) 96 98 127", "a=mid:1", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli",
                "a=rtpmap:98 VP9/90000", "a=fmtp:98 profile-id=0", "a=rtpmap:127 H264/90000",
                "a=fmtp:127 packetization-mode=1", "a=rtcp-fb:* ccm fir",
            ])
        #expect(
            try patched(.group, offer).dropFirst(start.count) == [
                "\(video) 96", "a=mid:1", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli", "a=rtcp-fb:* ccm fir",
            ])
        // A section without any of them goes, unless it was rejected: then it keeps its place.
        let others = ["\(video) 45", "a=rtpmap:45 AV1/90000", "a=rtcp-fb:45 nack"]
        #expect(try patched(.oneToOne, start + others) == start)
        let rejected = ["m=video 0 UDP/TLS/RTP/SAVPF 45"] + others.dropFirst()
        #expect(try patched(.oneToOne, start + rejected) == start + ["m=video 0 UDP/TLS/RTP/SAVPF 45"])
        #expect(try patched(.oneToOne, start + ["m=video 0 UDP/TLS/RTP/SAVPF 0"]).count == start.count + 1)
        // What a type is called in another section does not count.
        #expect(try patched(.oneToOne, start + ["\(video) 111"]) == start)
        // Nor does a type that is called two things.
        let ambiguous = ["a=rtpmap:96 VP8/90000", "a=rtpmap:96 AV1/90000"]
        #expect(try patched(.oneToOne, start + ["\(video) 96"] + ambiguous) == start)
        #expect(throws: SDPError.noOpus) { try SDPPolicy.group.patch(lines(audio, opus, "a=rtpmap:111 ISAC/16000")) }
        // VP8 and VP80 are not the same.
        #expect(try patched(.oneToOne, start + ["\(video) 96", "a=rtpmap:96 VP80/90000"]) == start)
    }

    @Test func `a further section does not give the payload type of Opus to another codec`() throws {
        let start = ["v=0", audio, opus, "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1"]
        #expect(try patched(.oneToOne, start + [audio, "a=rtpmap:111 ISAC/16000"]) == start)
        #expect(try patched(.oneToOne, start + [audio]) == start)
    }

    @Test func `a section with port 0 stays if it is Opus, or says nothing of its codec`() throws {
        let format = "a=fmtp:111 stereo=0;sprop-stereo=0;cbr=1"
        let start = ["v=0", audio, opus, format]
        let rejected = "m=audio 0 UDP/TLS/RTP/SAVPF 111"
        for section in [[rejected], [rejected, opus, format, "a=bundle-only"]] {
            #expect(try patched(.oneToOne, start + section) == start + section)
        }
        // It may carry something: the port is that of the bundle.
        for maps in [["a=rtpmap:111 ISAC/16000"], [opus, "a=rtpmap:111 ISAC/16000"]] {
            #expect(try patched(.oneToOne, start + [rejected] + maps + ["a=bundle-only"]) == start)
        }
    }

    @Test func `in groups Opus leaves out silence`() throws {
        #expect(
            try patched(.group, ["v=0", audio, opus, "a=fmtp:111 minptime=10;usedtx=0"])
                == ["v=0", audio, opus, "a=fmtp:111 minptime=10;usedtx=1"])
        #expect(try patched(.group, ["v=0", audio, opus]) == ["v=0", audio, opus, "a=fmtp:111 usedtx=1"])
        // Opus is 48 kHz.
        for codec in ["opus/16000", "opus/480000", "opus/48000x"] {
            #expect(throws: SDPError.noOpus) { try SDPPolicy.group.patch(lines(audio, "a=rtpmap:111 \(codec)")) }
        }
        let mono = ["v=0", audio, "a=rtpmap:111 OPUS/48000"]
        #expect(try patched(.group, mono) == mono + ["a=fmtp:111 usedtx=1"])
    }

    @Test func `groups have few header extensions, which need not be encrypted`() throws {
        let start = ["v=0", audio, opus, "a=fmtp:111 usedtx=1"]
        let kept = [
            "a=extmap:1 urn:ietf:params:rtp-hdrext:sdes:mid",
            "a=extmap:2/sendonly http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
            "a=extmap:3 urn:ietf:params:rtp-hdrext:encrypt urn:ietf:params:rtp-hdrext:toffset",
        ]
        let dropped = [
            "a=extmap:4 urn:ietf:params:rtp-hdrext:ssrc-audio-level", "a=extmap:5 urn:3gpp:video-orientation",
            "a=extmap:6 urn:ietf:params:rtp-hdrext:encrypt urn:ietf:params:rtp-hdrext:ssrc-audio-level",
            "a=extmap:7 urn:ietf:params:rtp-hdrext:encrypt", "a=extmap:8",
            "a=extmap:9 urn:ietf:params:rtp-hdrext:sdes:mid2",
        ]
        #expect(try patched(.group, start + kept + dropped) == start + kept)
        #expect(
            try patched(.oneToOne, ["v=0", audio, opus] + kept + dropped).filter { $0.hasPrefix("a=extmap") } == [
                kept[2]
            ])
    }

    @Test func `what is refused`() throws {
        let start = lines("v=0", audio, opus)
        #expect(throws: SDPError.noOpus) { try SDPPolicy.oneToOne.patch(lines("v=0", "m=audio 9 RTP/AVP 0")) }
        #expect(throws: SDPError.noOpus) { try SDPPolicy.oneToOne.patch("") }
        #expect(throws: SDPError.malformed) { try SDPPolicy.oneToOne.patch(start + "rubbish\r\n") }
        #expect(throws: SDPError.malformed) { try SDPPolicy.oneToOne.patch(start + "a=x\ra=y\r\n") }
        let line = "a=" + String(repeating: "x", count: 4095)
        #expect(throws: SDPError.lineTooLong(limit: 4096)) { try SDPPolicy.oneToOne.patch(start + line) }
        let long = String(repeating: "a=b\n", count: 16_385)
        #expect(throws: SDPError.tooLong(limit: 65_536, actual: 65_540)) { try SDPPolicy.oneToOne.patch(long) }
    }

    @Test func `a fingerprint binds a certificate`() throws {
        let certificate = Random.bytes(500)
        let fingerprint = CertificateFingerprint(SHA256.hash(certificate.span))
        let text = lines("v=0", "a=fingerprint:sha-1 00:11", audio, opus, fingerprint.line, audio, fingerprint.line)
        let read = try CertificateFingerprint(of: text)
        #expect(read == fingerprint)
        #expect(try CertificateFingerprint(of: text.lowercased()) == fingerprint)
        #expect(try CertificateFingerprint(of: SDPPolicy.oneToOne.patch(text)) == fingerprint)
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

    @Test func `ten thousand mutations end in a description or a refusal`() throws {
        var random = SeededRandom(seed: 4)
        let fingerprint = CertificateFingerprint(Random.bytes(32)).line
        let extmap = "a=extmap:3 urn:ietf:params:rtp-hdrext:encrypt urn:ietf:params:rtp-hdrext:toffset"
        let text = Array(
            (lines("v=0", audio, opus, "a=fmtp:111 a=b", fingerprint, extmap, "\(video) 96 45")
                + lines("a=rtpmap:96 VP8/90000", "a=rtpmap:45 AV1/90000")).utf8)
        var refused = 0
        for _ in 0..<10_000 {
            let mutation = String(decoding: text.mutated(&random), as: UTF8.self)
            do throws(SDPError) {
                for (policy, forced) in [(SDPPolicy.oneToOne, ";cbr=1\r\n"), (.group, "usedtx=1\r\n")] {
                    let patched = try policy.patch(mutation)
                    #expect(patched.contains(forced))
                    let lines = patched.split(separator: "\r\n")
                    #expect(!lines.contains { $0.hasPrefix("a=rtpmap:") && $0.contains("AV1") })
                    #expect(try policy.patch(patched) == patched)
                }
                _ = try CertificateFingerprint(of: mutation)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 1000)
    }
}
