import Foundation
import SecureMemory
import Threema
import ThreemaCalls
import ThreemaMessages
import ThreemaTransport

/// A group call of three people without WebRTC: the server of calls is asked over HTTPS, and what it would forward goes
/// from one to the other in memory. Their sound is text. `Examples/servers` starts a server.
///
///     group-call URL AUTHORITY
@main
struct GroupCall {
    static func main() throws {
        let url = CommandLine.arguments[1]
        let authority = try [UInt8](Data(contentsOf: URL(filePath: CommandLine.arguments[2])))
        // Alice draws the key of the call, and sends it to the members of the group in a message.
        let group = GroupIdentity(creator: try ThreemaID("000ALICE"), id: .random())
        let start = GroupCallStart(protocolVersion: 1, key: .random(), serverURL: url)
        let lobby = try Lobby(GroupCallID(of: start, in: group), start, authority: authority)
        let names = ["000ALICE", "00000BOB", "000CAROL"]
        let members = try Set(names.map { try ThreemaID($0) })
        let (alice, bob, carol) = try (
            Participant(names[0], start, members), Participant(names[1], start, members),
            Participant(names[2], start, members)
        )

        print(try lobby.peek())
        print("Alice creates it:", try lobby.join())
        print("Bob joins it:", try lobby.join())
        try connect(bob, with: alice)
        let before = try alice.say("one")
        print("Bob hears", try bob.hear(before, from: alice))

        // The server has it for those who look before they join. It cannot read it; in a real call, it is of Protocol Buffers.
        let state = CallState.seal(Array("Alice, Bob".utf8).span, keys: CallKeys(start.key))
        let opened = try CallState.open(state.span, keys: CallKeys(start.key))
        print(
            "Carol reads who is in it:",
            opened.withBytes { text in String(decoding: text.indices.map { text[$0] }, as: UTF8.self) })
        print("Carol joins it:", try lobby.join())
        for present in [alice, bob] { try connect(carol, with: present) }
        let after = try alice.say("two")
        print("Bob hears", try bob.hear(after, from: alice))
        print("Carol hears", try carol.hear(after, from: alice), "and of before", try carol.hear(before, from: alice))
        print("Alice hears", try alice.hear(carol.say("Hello"), from: carol))

        // Bob leaves, and keeps what he knows.
        let now = ContinuousClock.now
        for message in try alice.left(bob, at: now) { _ = try carol.receive(message, from: alice) }
        let soon = try alice.say("three", at: now + .seconds(1))
        print("soon Bob hears", try bob.hear(soon, from: alice), "and Carol", try carol.hear(soon, from: alice))
        let late = try alice.say("four", at: now + MediaSender.rekeyDelay)
        print("then Bob hears", try bob.hear(late, from: alice), "and Carol", try carol.hear(late, from: alice))
    }

    /// Does what the server would: forwards the messages of somebody who is new, and of one who is there.
    static func connect(_ new: Participant, with present: Participant) throws {
        var toNew = try present.begin(.present, with: new)
        var toPresent = try new.begin(.joining, with: present)
        while !toNew.isEmpty || !toPresent.isEmpty {
            let (forNew, forPresent) = (toNew, toPresent)
            toPresent = try forNew.flatMap { try new.receive($0, from: present) }
            toNew = try forPresent.flatMap { try present.receive($0, from: new) }
        }
    }
}
