import Encodings
import Foundation
import Ratchet
import SecureMemory
import SophaxChat
import SophaxGroups

/// Three identities write to a group, until one of them is no longer a member.
///
///     echo 'TEXT' | write-to-group
@main
struct WriteToGroup {
    static let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))

    static func main() throws {
        let text = Array((readLine() ?? "").utf8)
        let (alice, bob, carol) = (SophaxIdentity().peerID, SophaxIdentity().peerID, SophaxIdentity().peerID)
        var alices = try SophaxGroup("friends", own: alice, members: [alice, bob, carol])
        var bobs = try SophaxGroup("friends", own: bob, members: [alice, bob, carol])
        var carols = try SophaxGroup("friends", own: carol, members: [alice, bob, carol])
        print("before chains:", alices.form == .version3 ? "version 3" : "mixed")
        try give(from: &bobs, to: &alices)
        try give(from: &carols, to: &alices)
        try give(from: &alices, to: &bobs)
        try give(from: &alices, to: &carols)
        print("with chains:", alices.form == .version3 ? "version 3" : "mixed")

        let message = try alices.seal(text, id: "first", at: now)
        guard let received = GroupPayload(parsing: message.encoded) else { return }
        let opened = try bobs.open(received, from: alice, at: now)
        print("Bob reads:", String(decoding: opened.body, as: UTF8.self))
        bobs = opened.next

        _ = try alices.setMembers([alice, bob])
        do throws(GroupError) {
            _ = try alices.seal(text, id: "second", at: now)
        } catch {
            print("Alice cannot seal:", error)
        }
        try give(from: &alices, to: &bobs)
        let second = try alices.seal(text, id: "second", at: now)
        let last = try bobs.open(second, from: alice, at: now)
        print("Bob reads:", String(decoding: last.body, as: UTF8.self))
        do throws(GroupError) {
            _ = try carols.open(second, from: alice, at: now)
        } catch {
            print("Carol cannot open:", error)
        }

        // The order in which they came. For the first one Alice's clock was a day ahead.
        let shown = [
            (DisplayOrder(received: now, sequence: 1, claimed: now), "second"),
            (DisplayOrder(received: now, sequence: 0, claimed: now + .days(1)), "first"),
        ].sorted { $0.0 < $1.0 }
        let skewed = shown.filter(\.0.isSkewed).map(\.1)
        print("shown: \(shown.map(\.1).joined(separator: ", ")); wrong clocks: \(skewed.joined(separator: ", "))")
        try keepUntilGiven(text)
    }

    /// A message that comes before its chain is kept until the chain is there.
    static func keepUntilGiven(_ text: [UInt8]) throws {
        let (alice, bob) = (SophaxIdentity().peerID, SophaxIdentity().peerID)
        var alices = try SophaxGroup("early", own: alice, members: [alice, bob])
        var bobs = try SophaxGroup("early", own: bob, members: [alice, bob])
        let chain = try alices.distribution(for: bob, at: now).encoded()
        let message = try alices.seal(text, id: "first", at: now)
        var held = HeldMessages()
        guard let sender = GroupMember(Array(alice.description.utf8)) else { return }
        do throws(GroupError) {
            _ = try bobs.open(message, from: alice, at: now)
        } catch {
            let decision = held.hold(message.heldName, from: sender, count: message.encoded.count, at: now)
            print("\(error): \(decision)")
        }
        let given = try chain.withBytes { (text) throws(FieldError) in try SenderKeyDistribution(parsing: text) }
        _ = try bobs.accept(given, from: alice, at: now)
        for _ in held.release(message.heldName.chain, of: sender) {
            let opened = try bobs.open(message, from: alice, at: now)
            print("Bob reads what was kept:", String(decoding: opened.body, as: UTF8.self))
        }
    }

    /// Gives the writer's chain to a reader. Between the two lines the session of both carries the text.
    static func give(from writer: inout SophaxGroup, to reader: inout SophaxGroup) throws {
        let chain = try writer.distribution(for: reader.own, at: now).encoded()
        let given = try chain.withBytes { (text) throws(FieldError) in try SenderKeyDistribution(parsing: text) }
        _ = try reader.accept(given, from: writer.own, at: now)
    }
}
