import Primitives
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaChat

/// What a client with the right keys may not say in its login.
@Suite struct LoginTests {
    private let scene = Scene()

    private func data(_ cookie: ChatCookie = Scene.serverCookie, boxCount: UInt16 = 16) throws -> LoginData {
        let temporaryKey = TemporaryKey(secure([UInt8](repeating: 2, count: 32)))
        let server = TemporaryKey(secure([UInt8](repeating: 4, count: 32)))
        let key = ChatSecrets.vouchKey(
            permanent: try ChatSecrets.shared(scene.identity.clientKey.bytes, scene.serverKey.publicKey),
            temporary: try ChatSecrets.shared(scene.identity.clientKey.bytes, server.publicKey))
        return LoginData(
            identity: Scene.alice, extensionsBoxCount: boxCount, serverCookie: cookie,
            vouch: ChatSecrets.vouch(key: key, serverCookie: cookie, temporaryClientKey: temporaryKey.publicKey))
    }

    /// - Returns: what a server says of login data and extensions that are sealed as they are.
    private func refusal(_ data: [UInt8], _ extensions: [UInt8] = []) throws -> ChatError? {
        let temporaryKey = TemporaryKey(secure([UInt8](repeating: 2, count: 32)))
        let serverTemporary = TemporaryKey(secure([UInt8](repeating: 4, count: 32)))
        var server = scene.server()
        let hello = server.receive(
            Hello.client(temporaryKey.publicKey, Scene.clientCookie).span, publicKey: scene.publicKey)
        #expect(hello.failure == nil)
        let session = try ChatSecrets.shared(temporaryKey.bytes, serverTemporary.publicKey)
        var cipher = ChatCipher(key: session, own: (Scene.clientCookie, 1), other: (Scene.serverCookie, 2))
        let login = cipher.seal(data.span) + cipher.seal(extensions.span)
        return server.receive(login.span, publicKey: scene.publicKey).failure
    }

    @Test func `a login without extensions is accepted`() throws {
        #expect(try refusal(data().encoded) == nil)
    }

    @Test func `login data are refused by their part`() throws {
        let good = try data().encoded
        #expect(try LoginData(decoding: good.span) == data())
        func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
            var bytes = good
            bytes[index] = value
            return bytes
        }
        #expect(try refusal(changed(0, 0x61)) == .loginData(.invalidID))
        #expect(try refusal(changed(7, 0x5a)) == .unknownIdentity)
        #expect(try refusal(changed(8, 0)) == .loginData(.wrongIndicator))
        #expect(try refusal(changed(37, 0)) == .loginData(.wrongIndicator))
        #expect(try refusal(changed(38, 15)) == .loginData(.extensionsTooShort(minimum: 16, actual: 15)))
        #expect(try refusal(changed(40, 0)) == .serverCookieNotRepeated)
        #expect(try refusal(changed(56, 1)) == .loginData(.reservedNotZero))
        #expect(try refusal(changed(79, 1)) == .loginData(.reservedNotZero))
        #expect(try refusal(changed(80, good[80] ^ 1)) == .wrongVouch)
        #expect(try refusal(changed(111, good[111] ^ 1)) == .wrongVouch)
        #expect(try refusal(changed(112, 1)) == .loginData(.reservedNotZero))
        #expect(try refusal(changed(127, 1)) == .loginData(.reservedNotZero))
        for count in [0, 127, 129] {
            #expect(throws: LoginDataError.wrongLength(expected: 128, actual: count)) {
                try LoginData(decoding: [UInt8](repeating: 0, count: count).span)
            }
        }
    }

    @Test(
        arguments: [
            ([0], .truncated), ([0, 0], .truncated), ([0, 1, 0], .truncated), ([0, 2, 0, 0x41], .truncated),
            ([0, 1, 0, 0xff], .notText), ([1, 1, 0, 0], .wrongLength(type: 1, expected: 8, actual: 1)),
            ([2, 0, 0], .wrongLength(type: 2, expected: 1, actual: 0)),
            ([3, 1, 0, 0], .wrongLength(type: 3, expected: 16, actual: 1)), ([2, 1, 0, 3, 2, 1, 0, 3], .repeated(2)),
            ([9, 0, 0, 9, 0, 0], .repeated(9)),
        ] as [([UInt8], LoginExtensionError)])
    func `malformed extensions are refused`(_ bytes: [UInt8], _ error: LoginExtensionError) throws {
        #expect(try refusal(data(boxCount: UInt16(16 + bytes.count)).encoded, bytes) == .extensions(error))
    }

    @Test func `extensions are read in any order, with unknown ones`() throws {
        let list: [LoginExtension] = [
            .features([.metadataBox, .echoRequests]), .clientInfo("1.0;A;de/CH"), .deviceID(0x0807_0605_0403_0201),
            .deviceCookie(Array(0..<16)), .unknown(type: 0x7f, [1, 2]),
        ]
        let first = try LoginExtensions(list)
        #expect(Array(first.encoded.prefix(7)) == [2, 1, 0, 3, 0, 11, 0])
        for turn in list.indices {
            let extensions = try LoginExtensions(
                decoding: LoginExtensions(Array(list[turn...] + list[..<turn])).encoded.span)
            #expect(extensions.list == Array(list[turn...] + list[..<turn]))
            #expect(extensions.clientInfo == "1.0;A;de/CH")
            #expect(extensions.deviceID == 0x0807_0605_0403_0201)
            #expect(extensions.features == [.metadataBox, .echoRequests])
            #expect(extensions.deviceCookie == Array(0..<16))
        }
        let none = try LoginExtensions(decoding: Span())
        #expect(none.list.isEmpty && none.clientInfo == nil && none.features == [] && none.deviceCookie == nil)
    }

    /// Bytes of the mask: none of its bits, each alone, both, and bits without a name here.
    @Test(
        arguments: [
            (0x00, []), (0x01, .metadataBox), (0x02, .echoRequests), (0x03, [.metadataBox, .echoRequests]),
            (0x84, SupportedFeatures(rawValue: 0x84)),
            (0xff, SupportedFeatures([.metadataBox, .echoRequests]).union(SupportedFeatures(rawValue: 0xfc))),
        ] as [(UInt8, SupportedFeatures)])
    func `features are a mask, and unknown bits stay`(_ byte: UInt8, _ features: SupportedFeatures) throws {
        let encoded = try LoginExtensions([.features(features)]).encoded
        #expect(encoded == [2, 1, 0, byte])
        let decoded = try LoginExtensions(decoding: encoded.span)
        #expect(decoded.features == features)
        #expect(decoded.features.contains(.metadataBox) == (byte & 1 == 1))
        #expect(decoded.features.contains(.echoRequests) == (byte & 2 == 2))
        // The server's half has them as they were sent.
        var scene = Scene()
        scene.extensions = decoded
        _ = try Connected(scene)
    }

    @Test func `extensions that do not fit are not made`() {
        let limit = LoginExtensions.maxCount
        #expect(throws: LoginExtensionError.tooLong(limit: limit, actual: limit + 1)) {
            try LoginExtensions([.clientInfo(String(repeating: "x", count: limit - 2))])
        }
        #expect(throws: Never.self) { try LoginExtensions([.clientInfo(String(repeating: "x", count: limit - 3))]) }
    }
}
