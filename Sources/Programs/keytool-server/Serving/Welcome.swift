#if Server
import Console
import Encodings
import SafeServerHTTP

/// What a server prints when it has started: where it listens, and what to type on a client.
struct Welcome {
    private let listening: String
    private let metrics: String?
    private let pin: String?
    private let setup: String?
    private let authorityPath: String?

    init(_ settings: ServeSettings, _ server: RunningServer) {
        let scheme = settings.source == nil ? "http" : "https"
        let isTCP = if case .tcp = settings.listen.address { true } else { false }
        listening = isTCP ? "\(scheme)://\(settings.listen.shown(port: server.port))" : settings.listen.text
        metrics = server.metricsPort.flatMap { settings.metricsListen?.shown(port: $0) }
        pin = server.pin
        authorityPath = settings.source?.authorityPath
        guard case .selfSigned(let name, _)? = settings.source, let pin, let authorityPath else {
            setup = nil
            return
        }
        let host = name.contains(":") ? "[\(name)]" : name
        setup =
            "keytool safe setup --server https://\(host):\(server.port) --ca-file \(authorityPath) --pin \(pin)"
    }

    var lines: [String] {
        var lines = ["listening on \(listening)"]
        if let metrics { lines.append("metrics on http://\(metrics)/metrics") }
        if let setup, let authorityPath {
            lines += ["on a client, with a copy of \(authorityPath):", "  " + setup]
        } else if let pin {
            lines.append("pin of the certificate: \(pin)")
        }
        return lines
    }

    var json: JSONValue {
        .result(
            "serve",
            [
                ("listening", .string(listening)), ("metrics", metrics.map { .string($0) }),
                ("pin", pin.map { .string($0) }), ("ca_file", authorityPath.map { .string($0) }),
                ("setup", setup.map { .string($0) }),
            ])
    }
}
#endif
