// What a call accepts in a session description, its own and the other side's (whitepaper, "1:1 Calls" and "Group
// Calls"):
//
//                 between two                           in a group
//   sections      audio, video, application (the data channel); all others are dropped
//   audio         Opus at 48 kHz; its payload type stands alone in `m=audio`
//   its `fmtp`    stereo=0;sprop-stereo=0;cbr=1         usedtx=1
//   video         VP8, VP9, H.264                       VP8
//   extensions    encrypted ones (RFC 6904), without    those in `groupExtensions`, encrypted or not
//                 audio levels and frame marking
//
// A variable bit rate would tell what is said (RFC 6562, 3), and so would audio levels. `rtpmap`, `fmtp` and `rtcp-fb` of
// payload types that go, go as well: also rtx, red and ulpfec, which carry a codec's packets again. Silence would tell
// as much, but `usedtx=0` is not among the parameters of a call between two, because the vector that the apps have
// published has exactly those three: Opus sends silence unless `usedtx=1` is there (RFC 7587, 6.1), and that one stays.
// Lines `a=candidate` stay, too: see CallRelay.
//
// The whitepaper says that groups have fewer extensions and does not name them: the list here is this library's.

/// Rewrites session descriptions to what is allowed in a call.
public enum SDPPolicy: Sendable {
    /// Of a call between two people.
    case oneToOne
    /// Of a group call, between a participant and the server.
    case group

    private static let encryption = "urn:ietf:params:rtp-hdrext:encrypt"
    private static let refusedExtensions = ["audio-level", "framemarking", "frame-marking"]
    /// They say to which stream a packet belongs, and when it was sent.
    private static let groupExtensions: Set = [
        "urn:ietf:params:rtp-hdrext:sdes:mid", "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
        "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id", "urn:ietf:params:rtp-hdrext:toffset",
        "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time",
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
    ]

    private var opusParameters: [(name: String, value: String)] {
        self == .oneToOne ? [("stereo", "0"), ("sprop-stereo", "0"), ("cbr", "1")] : [("usedtx", "1")]
    }

    private var videoCodecs: Set<String> { self == .oneToOne ? ["vp8", "vp9", "h264"] : ["vp8"] }

    /// Rewrites an offer or answer, before it is used or sent. Rewriting twice changes nothing more.
    /// - Throws: `.tooLong`, `.lineTooLong`, `.malformed`; `.noOpus` if no payload type is that of Opus.
    public func patch(_ text: String) throws(SDPError) -> String {
        var description = try SessionDescription(text)
        guard let opus = Self.opusPayloadType(description) else { throw .noOpus }
        description.sections = description.sections.compactMap { section in
            var section = section
            section.lines.removeAll { isRefusedExtension($0) }
            switch section.kind {
            case "", "application": return section
            case "audio":
                guard section.payloadTypes.contains(opus),
                    Self.isOpus(opus, in: section) || section.isRejected && !section.names(opus)
                else { return nil }
                var patched = section.keeping([opus])
                setParameters(of: opus, in: &patched)
                return patched
            case "video":
                let types = section.payloadTypes.filter { type in
                    section.codec(of: type).map { videoCodecs.contains($0.prefix { $0 != "/" }.lowercased()) } ?? false
                }
                // A section that was rejected (port 0) keeps its place and its types, and carries nothing.
                return types.isEmpty && !section.isRejected ? nil : section.keeping(types)
            default: return nil
            }
        }
        return description.text
    }

    /// The first payload type of Opus in a section for audio that offers it.
    private static func opusPayloadType(_ description: SessionDescription) -> Substring? {
        for section in description.sections where section.kind == "audio" {
            for type in section.payloadTypes where isOpus(type, in: section) { return type }
        }
        return nil
    }

    private static func isOpus(_ type: Substring, in section: SessionDescription.Section) -> Bool {
        guard let codec = section.codec(of: type)?.lowercased() else { return false }
        return codec == "opus/48000" || codec.hasPrefix("opus/48000/")
    }

    /// Sets the parameters of Opus, after its `rtpmap` if it has none.
    private func setParameters(of opus: Substring, in section: inout SessionDescription.Section) {
        let hasFormat = section.lines.contains { SessionDescription.payload("fmtp", of: $0)?.type == opus }
        section.lines = section.lines.flatMap { line in
            if let found = SessionDescription.payload("fmtp", of: line), found.type == opus {
                return [format(opus, found.rest)]
            }
            let isMap = SessionDescription.payload("rtpmap", of: line) != nil
            return isMap && !hasFormat ? [line, format(opus, "")] : [line]
        }
    }

    /// The parameters of Opus, with those that are forced last.
    private func format(_ opus: Substring, _ parameters: Substring) -> String {
        let forced = opusParameters
        let kept = parameters.split(separator: ";").map { $0.trimming(" ") }.filter { parameter in
            let name = parameter.prefix { $0 != "=" }.trimming(" ").lowercased()
            return !parameter.isEmpty && !forced.contains { $0.name == name }
        }
        return "a=fmtp:\(opus) "
            + (kept.map(String.init) + forced.map { "\($0.name)=\($0.value)" }).joined(separator: ";")
    }

    /// Whether a line offers a header extension that this kind of call does not have.
    private func isRefusedExtension(_ line: String) -> Bool {
        guard let value = SessionDescription.value("extmap", of: line) else {
            // Without a value, `extmap-allow-mixed` is no extension.
            return false
        }
        let words = value.split(separator: " ").dropFirst()
        let isEncrypted = words.first.map { $0 == Self.encryption } ?? false
        guard let name = isEncrypted ? words.dropFirst().first : words.first else { return true }
        switch self {
        case .oneToOne: return !isEncrypted || Self.refusedExtensions.contains { name.lowercased().contains($0) }
        case .group: return !Self.groupExtensions.contains(String(name))
        }
    }
}

extension SessionDescription.Section {
    /// The section with some of its payload types: their order in `m=` and the lines about them. Without any, the types
    /// in `m=` stay, because it has to have one.
    fileprivate func keeping(_ types: [Substring]) -> SessionDescription.Section {
        var section = self
        let words = media.split(separator: " ")
        if !types.isEmpty { section.media = (words.prefix(3) + types).joined(separator: " ") }
        section.lines.removeAll { line in
            if let feedback = SessionDescription.payload("rtcp-fb", of: line) {
                return feedback.type != "*" && !types.contains(feedback.type)
            }
            let about = ["rtpmap", "fmtp"].lazy.compactMap { SessionDescription.payload($0, of: line) }.first
            return about.map { !types.contains($0.type) } ?? false
        }
        return section
    }
}

extension Substring {
    /// Without these characters at both ends.
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = self
        while text.first == character { text.removeFirst() }
        while text.last == character { text.removeLast() }
        return text
    }
}
