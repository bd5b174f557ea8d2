// What a call between two accepts in a session description, its own and the other side's:
//
// - sections: audio, video, and application (the data channel); all others are dropped
// - codecs of audio: Opus only. In `m=audio` its payload type stands alone; `rtpmap`, `fmtp` and `rtcp-fb` of others go
// - Opus: stereo=0;sprop-stereo=0;cbr=1 at the end of `fmtp`. A variable bit rate would tell what is said
//   (RFC 6562, 3)
// - RTP header extensions: encrypted ones only (RFC 6904), and neither audio levels nor frame marking, which tell the
//   same

/// Rewrites session descriptions to what is allowed in a call between two people.
public enum SDPPolicy {
    private static let encryption = "urn:ietf:params:rtp-hdrext:encrypt"
    private static let refusedExtensions = ["audio-level", "framemarking", "frame-marking"]
    private static let forced = [("stereo", "0"), ("sprop-stereo", "0"), ("cbr", "1")]

    /// Rewrites an offer or answer, before it is used or sent. Rewriting twice changes nothing more.
    /// - Throws: `.tooLong`, `.lineTooLong`, `.malformed`; `.noOpus` if no payload type is that of Opus.
    public static func patch(_ text: String) throws(SDPError) -> String {
        var description = try SessionDescription(text)
        guard let opus = opusPayloadType(description) else { throw .noOpus }
        description.sections = description.sections.compactMap { section in
            var section = section
            section.lines.removeAll { isRefusedExtension($0) }
            switch section.kind {
            case "", "video", "application": return section
            case "audio": return patchAudio(section, opus)
            default: return nil
            }
        }
        return description.text
    }

    /// The first payload type of Opus in a section for audio that offers it.
    private static func opusPayloadType(_ description: SessionDescription) -> String? {
        for section in description.sections where section.kind == "audio" {
            for line in section.lines {
                guard let map = SessionDescription.value("rtpmap", of: line) else { continue }
                let words = map.split(separator: " ", maxSplits: 1)
                if words.count == 2, words[1].lowercased().hasPrefix("opus/"), UInt8(words[0]) != nil,
                    offers(section, words[0])
                {
                    return String(words[0])
                }
            }
        }
        return nil
    }

    /// Whether a payload type stands in `m=audio PORT PROTOCOL TYPE…`.
    private static func offers(_ section: SessionDescription.Section, _ type: Substring) -> Bool {
        section.media.split(separator: " ").dropFirst(3).contains(type)
    }

    private static func patchAudio(
        _ section: SessionDescription.Section, _ opus: String
    ) -> SessionDescription.Section? {
        guard offers(section, opus[...]) else { return nil }
        let words = section.media.split(separator: " ")
        var patched = SessionDescription.Section(media: words[..<3].joined(separator: " ") + " " + opus, lines: [])
        let hasFormat = section.lines.contains { payload("fmtp", of: $0).map { $0.type == opus } ?? false }
        for line in section.lines {
            if let map = payload("rtpmap", of: line) {
                guard map.type == opus else { continue }
                patched.lines.append(line)
                if !hasFormat { patched.lines.append(format(opus, "")) }
            } else if let found = payload("fmtp", of: line) {
                if found.type == opus { patched.lines.append(format(opus, found.rest)) }
            } else if let feedback = payload("rtcp-fb", of: line) {
                if feedback.type == opus || feedback.type == "*" { patched.lines.append(line) }
            } else {
                patched.lines.append(line)
            }
        }
        return patched
    }

    /// Payload type and the rest of `a=NAME:TYPE REST`.
    private static func payload(_ name: String, of line: String) -> (type: Substring, rest: Substring)? {
        guard let value = SessionDescription.value(name, of: line) else { return nil }
        let type = value.prefix { $0 != " " }
        return (type, value.dropFirst(type.count + 1))
    }

    /// The parameters of Opus, with those that are forced last.
    private static func format(_ opus: String, _ parameters: Substring) -> String {
        let kept = parameters.split(separator: ";").map { $0.trimming(" ") }.filter { parameter in
            let name = parameter.prefix { $0 != "=" }.trimming(" ").lowercased()
            return !parameter.isEmpty && !forced.contains { $0.0 == name }
        }
        return "a=fmtp:\(opus) " + (kept.map(String.init) + forced.map { "\($0.0)=\($0.1)" }).joined(separator: ";")
    }

    /// Whether a line offers a header extension that is not encrypted, or one that tells about sound and picture.
    private static func isRefusedExtension(_ line: String) -> Bool {
        guard let value = SessionDescription.value("extmap", of: line) else {
            // Without a value, `extmap-allow-mixed` is no extension.
            return false
        }
        let words = value.split(separator: " ")
        guard words.count >= 3, words[1] == encryption else { return true }
        let name = words[2].lowercased()
        return refusedExtensions.contains { name.contains($0) }
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
