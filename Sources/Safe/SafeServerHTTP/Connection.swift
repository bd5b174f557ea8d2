#if Server
internal import NIOCore

/// What the requests of one connection share.
struct Connection: Sendable {
    /// nil for a Unix socket.
    let peer: IPAddress?
    /// What its peer is counted by.
    let peerName: String
    let service: Service
    /// Its number among the open connections.
    private(set) var number = 0

    init(_ channel: any Channel, _ service: Service) {
        self.service = service
        peer = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)
        peerName = peer?.client ?? "unix"
    }

    func numbered(_ number: Int) -> Connection {
        var connection = self
        connection.number = number
        return connection
    }

    /// What the client of a request is counted by.
    func client(_ headers: [(name: String, value: String)]) -> String {
        guard isFromProxy else { return peerName }
        return service.forwarding.client(peer: peer, headers: headers)?.client ?? "unix"
    }

    var isFromProxy: Bool { service.forwarding.isProxy(peer) }
}
#endif
