#if Server
import ArgumentParser
import Console
import Glibc
import SafeServerHTTP

/// Where a listener listens, as it is typed: `192.0.2.1:8443`, `[::1]:8443`, `localhost:8443`, `unix:/PATH`.
struct TypedListenAddress: ExpressibleByArgument {
    let address: ListenAddress
    /// As it was typed.
    let text: String
    /// Whether only this machine can reach it.
    let isLocal: Bool

    init?(argument: String) {
        text = argument
        if argument.hasPrefix("unix:") {
            let path = String(argument.dropFirst("unix:".count))
            // The kernel's limit, without the NUL.
            guard path.hasPrefix("/"), (2...107).contains(path.utf8.count) else { return nil }
            address = .unix(path: path)
            isLocal = true
            return
        }
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        var host = String(argument[..<colon])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        // A name could come to mean another machine's address.
        guard let ip = IPAddress(host), isBracketed == host.contains(":") else { return nil }
        address = .tcp(host: host, port: Int(port))
        isLocal = ip.isLoopback
    }

    /// All addresses of this machine.
    static var standard: TypedListenAddress {
        let file = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if file >= 0 { close(file) }
        return TypedListenAddress(argument: file >= 0 ? "[::]:8443" : "0.0.0.0:8443")!
    }

    /// With the port that was chosen for 0.
    func shown(port: Int) -> String {
        guard case .tcp(let host, _) = address else { return text }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// The options about listeners.
struct ListenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Listen here: ADDRESS:PORT, or unix:/PATH for a proxy (default: port 8443 of all addresses).",
            valueName: "address"))
    var listen: TypedListenAddress?

    @Option(
        help: ArgumentHelp(
            "Answer GET /metrics here, for Prometheus: ADDRESS:PORT or unix:/PATH, without TLS.",
            valueName: "address"))
    var metricsListen: TypedListenAddress?

    @Option(
        help: ArgumentHelp(
            "Believe these proxies who the client is: 192.0.2.1, 10.0.0.0/8 or unix, with commas between them.",
            valueName: "addresses"))
    var behindProxy: TypedProxies?

    @Option(
        help: ArgumentHelp(
            "The header that these proxies set: x-forwarded-for or forwarded (default: x-forwarded-for).",
            valueName: "name"))
    var proxyHeader: TypedProxyHeader?
}

/// Addresses of proxies, with commas between them.
struct TypedProxies: ExpressibleByArgument {
    let ranges: [IPRange]
    let hasUnix: Bool

    init?(argument: String) {
        var ranges: [IPRange] = []
        var hasUnix = false
        for word in argument.split(separator: ",", omittingEmptySubsequences: false) {
            if word == "unix" {
                hasUnix = true
            } else if let range = IPRange(String(word)) {
                ranges.append(range)
            } else {
                return nil
            }
        }
        self.ranges = ranges
        self.hasUnix = hasUnix
    }
}

/// One of the two headers of proxies.
struct TypedProxyHeader: ExpressibleByArgument {
    let header: Forwarding.Header

    init?(argument: String) {
        guard let header = Forwarding.Header(rawValue: argument.lowercased()) else { return nil }
        self.header = header
    }
}

extension ListenOptions {
    /// Which proxies are believed.
    func forwarding() throws -> Forwarding {
        let proxies = try Setting.value(behindProxy, "behind-proxy")
        let header = try Setting.value(proxyHeader, "proxy-header")?.header
        guard let proxies else {
            guard header == nil else { throw UsageFailure("--proxy-header requires --behind-proxy") }
            return Forwarding()
        }
        return Forwarding(
            proxies.ranges, trustsUnixSockets: proxies.hasUnix, by: header ?? .xForwardedFor)
    }
}
#endif
