internal import Encodings
public import HTTP

/// Which public keys the servers of a provisioning file may show. They add to the checks of the certificate.
///
/// Two forms may stand in a file, and both count: each matching one of `domains.rules`, as mobile apps read them, and the
/// first matching one of `publicKeyPinning`, as the Desktop app reads it.
public struct PinRules: Equatable, Sendable {
    fileprivate enum Match: Equatable {
        /// This host.
        case exactly(String)
        /// This host and those below it.
        case below(String)
        /// One `*` stands for characters without a dot.
        case pattern(String)
    }

    private struct Rule: Equatable {
        let match: Match
        let pins: [PublicKeyPin]
    }

    private let all: [Rule]
    private let first: [Rule]

    init(_ members: ProvisioningMembers) throws(ProvisioningError) {
        var all: [Rule] = []
        if members["domains"] != nil {
            for rule in try members.object("domains").objects("rules") {
                let name = try rule.text("fqdn").lowercased()
                // Without keys it says nothing; an unknown mode is passed over, as the apps do.
                guard rule["spkis"] != nil else { continue }
                switch try rule.text("matchMode") {
                case "exact": all.append(Rule(match: .exactly(name), pins: try rule.pins()))
                case "include-subdomains": all.append(Rule(match: .below(name), pins: try rule.pins()))
                default: continue
                }
            }
        }
        self.all = all
        var first: [Rule] = []
        for rule in try members.objects("publicKeyPinning") {
            first.append(Rule(match: .pattern(try rule.text("domain").lowercased()), pins: try rule.pins()))
        }
        self.first = first
    }

    /// - Parameter host: a name. A dot at its end changes nothing: both names lead to the same server.
    /// - Returns: nil if no rule names the host, so that any key will do; empty if no key is accepted.
    public func pins(of host: String) -> [PublicKeyPin]? {
        var host = host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        let rules = all.filter { $0.match.fits(host) } + first.filter { $0.match.fits(host) }.prefix(1)
        let lists = rules.map(\.pins)
        guard let pins = lists.first else { return nil }
        return pins.filter { pin in lists.allSatisfy { $0.contains(pin) } }
    }
}

extension PinRules.Match {
    fileprivate func fits(_ host: String) -> Bool {
        switch self {
        case .exactly(let name): return host == name
        case .below(let name): return host == name || host.hasSuffix("." + name)
        case .pattern(let pattern):
            guard let star = pattern.firstIndex(of: "*") else { return host == pattern }
            let (start, end) = (pattern[..<star], pattern[pattern.index(after: star)...])
            guard host.count >= start.count + end.count, host.hasPrefix(start), host.hasSuffix(end) else {
                return false
            }
            return !host.dropFirst(start.count).dropLast(end.count).contains(".")
        }
    }
}

extension ProvisioningMembers {
    /// The digests in `spkis`; none of an unknown algorithm.
    fileprivate func pins() throws(ProvisioningError) -> [PublicKeyPin] {
        var pins: [PublicKeyPin] = []
        for entry in try objects("spkis") where try entry.text("algorithm") == "sha256" {
            let digest = try entry.bytes("value", count: PublicKeyPin.count)
            if let pin = PublicKeyPin(digest: digest) { pins.append(pin) }
        }
        return pins
    }
}

extension ProvisioningFile {
    /// What a client of the server at this address pins.
    /// - Parameter url: without placeholders in its host.
    /// - Returns: empty for no pins.
    /// - Throws: `.noKeyIsAccepted`.
    public func pins(of url: String) throws(ProvisioningError) -> [PublicKeyPin] {
        guard let host = HTTPOrigin(url: url)?.host, let pins = pinRules.pins(of: host) else { return [] }
        guard !pins.isEmpty else { throw .noKeyIsAccepted(url) }
        return pins
    }
}
