import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import SophaxMesh
import SophaxStorage

/// What members of SophaxChat's mesh write to each other. Each stated text is also read.
enum SophaxPayloads {
    static func chatMessage(_ check: inout Check) throws {
        let header = Sophax.base64(try check.inputs.bytes("header"))
        let body = Sophax.base64(try check.inputs.bytes("body"))
        let pair = Array("{\"ciphertext\":\"\(body)\",\"encryptedHeader\":\"\(header)\"}".utf8)
        guard let sealed = PairMessage(parsing: pair),
            let message = ChatMessage(id: try check.inputs.text("id"), message: sealed)
        else { throw CheckError.malformed("input", "a message") }
        check.compare("text", String(decoding: message.encoded, as: UTF8.self))
        check.require("text", ChatMessage(parsing: Array(try check.expected.text("text").utf8)) == message)
    }

    static func groupInvite(_ check: inout Check) throws {
        let inputs = check.inputs
        guard
            let invite = GroupInvite(
                group: try inputs.text("group"), title: try inputs.text("title"), members: try peers(inputs, "members"),
                creator: try peer(try inputs.text("creator"), "creator"),
                chainKey: HeldKey(try inputs.secret("chain_key")),
                iteration: UInt32(try inputs.integer("iteration", in: 0...Int64(UInt32.max))))
        else { throw CheckError.malformed("input", "an invitation") }
        let stated = Array(try check.expected.text("text").utf8)
        check.note("text", invite.encoded().equals(stated))
        let read = try? GroupInvite(parsing: stated.span)
        check.require(
            "text", read?.members == invite.members && read?.chainKey.bytes.equals(invite.chainKey.bytes) == true)
    }

    static func groupMemberLeft(_ check: inout Check) throws {
        guard
            let left = GroupMemberLeft(
                group: try check.inputs.text("group"),
                leaving: try peer(try check.inputs.text("leaving"), "leaving"),
                remaining: try peers(check.inputs, "remaining"))
        else { throw CheckError.malformed("input", "a member that has left") }
        check.compare("text", String(decoding: left.encoded, as: UTF8.self))
        check.require("text", GroupMemberLeft(parsing: Array(try check.expected.text("text").utf8)) == left)
    }

    /// The key is that of both sides, in both directions: so the owner can open the stated box, too.
    static func shareBox(_ check: inout Check) throws {
        let inputs = check.inputs
        guard case .number(let created)? = inputs["created"] else {
            throw CheckError.malformed("input created", "a number")
        }
        let data = Sophax.base64(try inputs.bytes("data", count: IdentityShare.count))
        let json = Array(
            ("{\"id\":\"\(try inputs.text("id"))\",\"index\":\(try inputs.integer("index")),"
                + "\"threshold\":\(try inputs.integer("threshold")),\"total\":\(try inputs.integer("total")),"
                + "\"createdAt\":\(created),\"data\":\"\(data)\"}").utf8)
        let share = try IdentityShare(parsing: json.span)
        let text = share.encoded()
        check.note("share", text.equals(Array(try check.expected.text("share").utf8)))

        let agreement = try inputs.secret("owner_private")
        let peer = try inputs.bytes("keeper_public", count: 32)
        let key = try Sophax.agreedKey(agreement, peer, "SophaxChat_SSS_Share_v1")
        try check.compare("key", key)
        let nonce = try inputs.bytes("nonce", count: 12)
        try check.compare(
            "box", nonce + text.withBytes { ChaChaPoly.seal($0, nonce: nonce, key: key, additionalData: []) })

        guard let owner = SophaxIdentity(signing: Random.secret(32), agreement: agreement),
            let keeper = PublicIdentity(signing: owner.publicIdentity.signing, agreement: peer)
        else { throw CheckError.malformed("input", "two identities") }
        let opened = try? IdentityShare(opening: check.expected.bytes("box"), from: keeper, by: owner)
        check.require("box", opened?.encoded().equals(text) == true)
    }

    private static func peer(_ text: String, _ name: String) throws -> PeerID {
        guard let peer = PeerID(text) else { throw CheckError.malformed("input \(name)", "an ID") }
        return peer
    }

    private static func peers(_ inputs: Fields, _ name: String) throws -> [PeerID] {
        try inputs.text(name).split(separator: ",").map { try peer(String($0), name) }
    }
}
