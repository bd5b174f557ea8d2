import HTTP
import SafeWire
import Testing
import SafeTransports

@Suite struct HTTPExchangeTests {
    @Test(arguments: SafeExchangeRule.prepared) func `on a prepared server`(_ rule: SafeExchangeRule) throws {
        try rule.check(HTTPSSafe.prepared())
    }

    @Test(arguments: SafeExchangeRule.unprepared) func `on an empty server`(_ rule: SafeExchangeRule) throws {
        try rule.check(HTTPSSafe())
    }

    @Test func `a login that is missing or wrong is named`() throws {
        let server = try HTTPSSafe.prepared()
        for password in [nil, "wrong horse"] {
            let exchange = server.exchange(password: password, authority: server.ownAuthority)
            #expect(throws: SafeExchangeError.unauthorized(server.address, hasLogin: password != nil)) {
                try exchange.config()
            }
        }
    }

    @Test func `a certificate of nobody's is not trusted`() throws {
        let server = try HTTPSSafe.prepared()
        let exchange = server.exchange(password: "correct horse", authority: nil)
        #expect(throws: SafeExchangeError.untrusted(server.address, .selfSigned)) { try exchange.config() }
    }

    @Test func `a pin that is right is no obstacle, and one that is wrong is told with the right one`() throws {
        let server = try HTTPSSafe.prepared()
        let pin = try #require(try server.exchange.presentPin())
        let pinned = server.exchange(password: "correct horse", authority: server.ownAuthority, pins: [pin])
        let config = try pinned.config()
        #expect(try ServerLimits(config: config.span) == .standard)

        let other = try #require(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
        let wrong = server.exchange(password: "correct horse", authority: server.ownAuthority, pins: [other])
        #expect(
            throws: SafeExchangeError.pinMismatch(
                server.address, expected: [other], offered: pin, provisioned: false)
        ) {
            try wrong.config()
        }
    }

    @Test func `an unknown certificate is shown, and works as the authority once it is trusted`() throws {
        let server = try HTTPSSafe.prepared()
        let stranger = server.exchange(password: "correct horse", authority: nil)
        let shown = try #require(try stranger.presentCertificate())
        #expect(shown.flaw == nil && shown.fingerprint.count == 32 && !shown.subject.isEmpty)
        #expect(shown.subject == shown.issuer && shown.validFrom != shown.validUntil)
        let pin = try stranger.presentPin()
        #expect(shown.pin == pin)
        let config = try server.exchange(password: "correct horse", authority: shown.pem).config()
        #expect(try ServerLimits(config: config.span) == .standard)
    }

    @Test func `the chain is what it shows, and a directory has none`() throws {
        let server = try HTTPSSafe.prepared()
        let stranger = server.exchange(password: "wrong", authority: nil)
        let shown = try #require(try stranger.presentCertificate())
        #expect(try stranger.presentChain() == [shown])
        #expect(try DirectoryServer.prepared().exchange.presentChain().isEmpty)
    }

    @Test func `what changed since it was read is neither replaced nor removed`() throws {
        let server = try HTTPSSafe.prepared()
        let id = SafeExchangeRule.id(1)
        try server.exchange.store([1], at: id, if: .none)
        let tag = try #require(try server.exchange.fetch(id)?.tag)
        try server.putBackup([2], at: id)
        let changed = SafeExchangeError.changed(server.address)
        #expect(throws: changed) { try server.exchange.store([3], at: id, if: .unchanged(tag: tag)) }
        #expect(throws: changed) { try server.exchange.remove(id, if: .unchanged(tag: tag)) }
        let isKept = try server.exchange.fetch(id)?.bytes == [2]
        #expect(isKept)
    }

    @Test func `a verb is started again after what may pass, five times in all`() throws {
        let exchange = try HTTPSSafe().exchange
        let passing: [SafeExchangeError] = [
            .unavailable("", .connection(.timeout)), .unavailable("", .connection(.brokenOff)),
            .unavailable("", .status(423)),
            .throttled("", seconds: nil, status: 429), .throttled("", seconds: 2, status: 429), .changed(""),
        ]
        for error in passing {
            #expect(exchange.pause(after: 1, error), "\(error)")
            #expect(!exchange.pause(after: 5, error), "\(error)")
        }
        #expect(exchange.notes.retries == passing.count)
        let lasting: [SafeExchangeError] = [
            .unavailable("", .connection(.unknownHost)), .unavailable("", .status(501)),
            .throttled("", seconds: 31, status: 429), .full, .notPrepared(""), .unauthorized("", hasLogin: true),
            .deletionForbidden(""), .untrusted("", .selfSigned),
        ]
        for error in lasting { #expect(!exchange.pause(after: 1, error), "\(error)") }
    }

    @Test func `authorities that are none are told from a server that is not trusted`() throws {
        let server = try HTTPSSafe.prepared()
        let exchange = server.exchange(
            password: nil, authority: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
        #expect(throws: SafeExchangeError.badAuthority) { try exchange.config() }
    }
}
