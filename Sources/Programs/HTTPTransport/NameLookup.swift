internal import AtomicFiles
internal import Glibc
internal import HTTP
internal import Synchronization

/// Looks a name up once more if libcurl has found no address, because libcurl has one code for a name that does not
/// exist and for name servers that do not answer.
enum NameLookup {
    /// A name server that has the answer sends it within this time, because it was asked a moment ago.
    private static let timeout = Duration.seconds(1)
    private static let step: UInt32 = 5_000  // microseconds

    private final class Question: Sendable {
        let host: String
        let code = Mutex<Int32?>(nil)

        init(_ host: String) { self.host = host }

        func ask() {
            var found: UnsafeMutablePointer<addrinfo>?
            let result = unsafe getaddrinfo(host, nil, nil, &found)
            if let found = unsafe found { unsafe freeaddrinfo(found) }
            code.withLock { $0 = result }
        }
    }

    /// - Returns: `.unknownHost` if a name server says that the name or address does not exist; `.noNameServer` if no
    ///   name server answers or knows (EAI_AGAIN).
    static func failure(of host: String) -> ConnectionFailure {
        let question = Question(host)
        // The C library may take ten seconds.
        guard DetachedThread.start({ question.ask() }) else { return .unknownHost }
        let end = ContinuousClock.now + timeout
        while ContinuousClock.now < end {
            if let code = question.code.withLock({ $0 }) { return code == EAI_AGAIN ? .noNameServer : .unknownHost }
            usleep(step)
        }
        return .noNameServer
    }
}
