import Foundation
import Testing

@testable import Primitives
@testable import ThreemaCalls

/// What DTLS agrees upon, judged by handshakes of OpenSSL over loopback.
@Suite(.serialized) struct CallSecurityTests {
    private static let lists = (DTLSCipherSuite.openSSLList, SRTPProfile.openSSLList)

    private final class Files {
        let directory = URL(filePath: NSTemporaryDirectory()).appending(path: "dtls-\(UUID().uuidString)")
        let caller: String
        let called: String

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            caller = try DTLSPair.identity(in: directory, "caller")
            called = try DTLSPair.identity(in: directory, "called")
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        /// The fingerprint line that a session description would have.
        func fingerprint(_ identity: String) throws -> CertificateFingerprint {
            let text = try String(contentsOfFile: identity + ".crt", encoding: .utf8)
            let base64 = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let certificate = [UInt8](try #require(Data(base64Encoded: base64)))
            return try CertificateFingerprint(of: CertificateFingerprint(SHA256.hash(certificate.span)).line)
        }

        func pair(
            version: String = "dtls1_2", client: (String, String) = lists, server: (String, String) = lists
        ) throws -> DTLSPair {
            try DTLSPair(
                client: .init(version: version, ciphers: client.0, profiles: client.1, identity: caller),
                server: .init(version: version, ciphers: server.0, profiles: server.1, identity: called))
        }
    }

    private let files = try! Files()

    /// As a program checks the connection that one side has.
    private func check(
        _ side: DTLSPair.Messages, of negotiated: DTLSPair.Messages, expecting fingerprint: CertificateFingerprint
    ) throws -> CallSecurity {
        let hello = try #require(negotiated.negotiated)
        let certificate = try #require(side.certificate)
        #expect(side.isFinished)
        return try CallSecurity(
            version: hello.version, suite: hello.suite, profile: hello.profile, certificate: certificate.span,
            expecting: fingerprint)
    }

    @Test func `the lists are those of the whitepaper, in its order`() {
        #expect(DTLSCipherSuite.allCases.map(\.rawValue) == [0xcca9, 0xc02c, 0xc02b])
        #expect(SRTPProfile.allCases.map(\.rawValue) == [0x0008, 0x0007, 0x0001])
        #expect(DTLSCipherSuite.offered == [0, 6, 0xcc, 0xa9, 0xc0, 0x2c, 0xc0, 0x2b])
        #expect(SRTPProfile.offered == [0, 6, 0, 8, 0, 7, 0, 1, 0])
        #expect(
            DTLSCipherSuite.allCases.map(\.name) == [
                "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            ])
        #expect(
            SRTPProfile.allCases.map(\.name)
                == ["SRTP_AEAD_AES_256_GCM", "SRTP_AEAD_AES_128_GCM", "SRTP_AES128_CM_HMAC_SHA1_80"])
    }

    @Test func `a client offers the lists, and both sides prove their certificates`() throws {
        let pair = try files.pair()
        let hello = try #require(pair.client.clientHello)
        #expect(Array(hello[0..<2]) == [0xfe, 0xfd])
        // OpenSSL adds 00ff, which says that it knows renegotiation (RFC 5746, 3.3).
        let cookie = 35 + Int(hello[34])
        let suites = cookie + 1 + Int(hello[cookie])
        #expect(Array(hello[suites..<suites + 10]) == [0, 8] + DTLSCipherSuite.offered[2...] + [0x00, 0xff])
        let offered: [UInt8] = [0x00, 0x0e, 0x00, UInt8(SRTPProfile.offered.count)] + SRTPProfile.offered
        #expect(hello.indices.contains { hello[$0...].starts(with: offered) })

        let (caller, called) = (try files.fingerprint(files.caller), try files.fingerprint(files.called))
        let atCaller = try check(pair.client, of: pair.client, expecting: called)
        let atCalled = try check(pair.server, of: pair.client, expecting: caller)
        #expect(atCaller == atCalled && atCaller.suite == .chaCha20Poly1305 && atCaller.profile == .aes256GCM)
        // Each side with the other fingerprint: somebody else is on the line.
        #expect(throws: CallSecurityError.otherCertificate) {
            try check(pair.client, of: pair.client, expecting: caller)
        }
        #expect(throws: CallSecurityError.otherCertificate) {
            try check(pair.server, of: pair.client, expecting: called)
        }
    }

    @Test(arguments: zip(DTLSCipherSuite.allCases, SRTPProfile.allCases))
    func `each suite and each profile`(_ suite: DTLSCipherSuite, _ profile: SRTPProfile) throws {
        let pair = try files.pair(server: (suite.openSSLName, profile.openSSLName))
        let security = try check(pair.client, of: pair.client, expecting: files.fingerprint(files.called))
        #expect(security.suite == suite && security.profile == profile)
    }

    @Test func `what is not in the lists is refused`() throws {
        let other = "ECDHE-ECDSA-AES128-SHA256"
        let profiles = SRTPProfile.openSSLList
        let called = try files.fingerprint(files.called)
        // A side that keeps to the list makes no connection.
        #expect(try !files.pair(server: (other, profiles)).client.isFinished)
        // One that does not is found out.
        let pair = try files.pair(client: (other, profiles), server: (other, profiles))
        #expect(throws: CallSecurityError.otherSuite(0xc023)) {
            try check(pair.client, of: pair.client, expecting: called)
        }
        let suites = DTLSCipherSuite.openSSLList
        let without = try files.pair(server: (suites, ""))
        #expect(throws: CallSecurityError.noProfile) {
            try check(without.client, of: without.client, expecting: called)
        }
        let short = try files.pair(
            client: (suites, "SRTP_AES128_CM_SHA1_32"), server: (suites, "SRTP_AES128_CM_SHA1_32"))
        #expect(throws: CallSecurityError.otherProfile(0x0002)) {
            try check(short.client, of: short.client, expecting: called)
        }
        let old = ("ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0", profiles)
        let first = try files.pair(version: "dtls1", client: old, server: old)
        #expect(throws: CallSecurityError.otherVersion(0xfeff)) {
            try check(first.client, of: first.client, expecting: called)
        }
    }
}
