import SecureMemory
import Threema
import ThreemaChat
import ThreemaMessages

/// Operations of the chat server protocol.
enum Chat {
    /// Both halves of a handshake with given keys and cookies, and the first frames.
    static func handshake(_ check: inout Check) throws {
        let inputs = check.inputs
        let identity = Identity(id: try inputs.id("identity"), clientKey: try inputs.clientKey("clientKey"))
        let publicKey = identity.clientKey.publicKey
        let serverKey = ServerKey(try inputs.secret("serverPermanentSecret"))
        if inputs.has("serverPermanentPublic") {
            check.require("serverPermanentPublic", try inputs.publicKey("serverPermanentPublic") == serverKey.publicKey)
        }
        let extensionBytes = try inputs.bytes("extensions")
        let extensions = try LoginExtensions(decoding: extensionBytes.span)
        try vouch(identity, serverKey, &check)

        var client = ChatClient(
            identity: identity, serverKeys: [serverKey.publicKey], extensions: extensions,
            temporaryKey: TemporaryKey(try inputs.secret("tckSecret")), cookie: try cookie(check, "cck"))
        var server = ChatServerConnection(
            serverKey: serverKey, temporaryKey: TemporaryKey(try inputs.secret("tskSecret")),
            cookie: try cookie(check, "sck"))
        try check.compare("clientHello", client.hello)
        let hello = server.receive(client.hello.span) { _ in publicKey }
        if let failure = hello.failure { throw failure }
        try check.compare("serverHello", hello.toSend)
        let login = client.receive(hello.toSend.span)
        if let failure = login.failure { throw failure }
        try check.compare("login", login.toSend)
        let loggedIn = server.receive(login.toSend.span) { _ in publicKey }
        if let failure = loggedIn.failure { throw failure }
        check.require("login", loggedIn.events == [.login(identity.id, extensions)])
        let accepted = server.accept(.silent)
        try check.compare("loginAck", accepted.toSend)
        check.require("loginAck", client.receive(accepted.toSend.span).events == [.loggedIn(.silent)])
        try stated(&check)
    }

    private static func vouch(
        _ identity: borrowing Identity, _ serverKey: ServerKey, _ check: inout Check
    ) throws {
        let tck = TemporaryKey(try check.inputs.secret("tckSecret"))
        let tsk = TemporaryKey(try check.inputs.secret("tskSecret"))
        try check.compare("sessionKey", try ChatSecrets.shared(tck.bytes, tsk.publicKey))
        let ss1 = try ChatSecrets.shared(identity.clientKey.bytes, serverKey.publicKey)
        let ss2 = try ChatSecrets.shared(identity.clientKey.bytes, tsk.publicKey)
        try check.compare("ss1", ss1)
        try check.compare("ss2", ss2)
        let key = ChatSecrets.vouchKey(permanent: ss1, temporary: ss2)
        try check.compare("vouchKey", key)
        let sck = try cookie(check, "sck")
        let vouch = ChatSecrets.vouch(key: key, serverCookie: sck, temporaryClientKey: tck.publicKey)
        try check.compare("vouch", vouch)
        let boxCount = try check.inputs.bytes("extensions").count + 16
        let data = LoginData(
            identity: identity.id, extensionsBoxCount: UInt16(clamping: boxCount), serverCookie: sck, vouch: vouch)
        try check.compare("loginDataPlain", data.encoded)
    }

    /// The results whose content the inputs do not say: they are opened, and sealed again.
    private static func stated(_ check: inout Check) throws {
        if check.isExpected("loginAckLibthreema") {
            let box = try check.expected.bytes("loginAckLibthreema")
            var opening = try cipher(check, isServer: false, 2)
            var sealing = try cipher(check, isServer: true, 2)
            let plaintext = (try? opening.open(box.span)) ?? []
            var isEqual = false
            if plaintext.count == LoginAcknowledgement.count {
                isEqual = sealing.seal(LoginAcknowledgement(decoding: plaintext.span).encoded.span) == box
            }
            check.note("loginAckLibthreema", isEqual)
        }
        try frame("echoRequestFrame", type: 0x00, isServer: false, &check)
        try frame("echoResponseFrame", type: 0x80, isServer: true, &check)
        try frame("incomingMessageAckFrame", type: 0x82, isServer: false, &check)
    }

    private static func frame(_ name: String, type: UInt8, isServer: Bool, _ check: inout Check) throws {
        guard check.isExpected(name) else { return }
        let frame = try check.expected.bytes(name)
        guard frame.count >= ChatFrame.prefixCount + ChatFrame.minBoxCount else { return check.note(name, false) }
        let box = Array(frame[ChatFrame.prefixCount...])
        // The first frames of a side: which one it is, the inputs do not say.
        for sequence in UInt64(3)...5 {
            var opening = try cipher(check, isServer: !isServer, sequence)
            guard let payload = try? ChatFrame.open(box.span, with: &opening), payload.type == type else { continue }
            var sealing = try cipher(check, isServer: isServer, sequence)
            return check.note(name, try ChatFrame.seal(payload, with: &sealing) == frame)
        }
        check.note(name, false)
    }

    /// The boxes of one side; both sides are at the same number.
    private static func cipher(_ check: Check, isServer: Bool, _ sequence: UInt64) throws -> ChatCipher {
        let tsk = TemporaryKey(try check.inputs.secret("tskSecret"))
        let key = try ChatSecrets.shared(try check.inputs.secret("tckSecret"), tsk.publicKey)
        let (own, other) = (
            try cookie(check, isServer ? "sck" : "cck"), try cookie(check, isServer ? "cck" : "sck")
        )
        return ChatCipher(key: key, own: (own, sequence), other: (other, sequence))
    }

    private static func cookie(_ check: Check, _ name: String) throws -> ChatCookie {
        ChatCookie(try check.inputs.bytes(name, count: ChatCookie.count))
    }
}
