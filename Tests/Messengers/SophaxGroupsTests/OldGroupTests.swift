import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat
@testable import SophaxGroups

/// An app of the old form: one chain for all, known by its key only, and boxes without AAD.
private struct OldApp {
    let id: PeerID
    var key: [UInt8]
    var number = 0

    init(_ index: Int, key: UInt8) {
        id = GroupTests.ids[index]
        self.key = [UInt8](repeating: key, count: 32)
    }

    init(_ id: PeerID, key: [UInt8]) {
        self.id = id
        self.key = key
    }

    private static func step(_ key: [UInt8]) -> (messageKey: [UInt8], next: [UInt8]) {
        let walk = HMACSHA256.walkChain(secure(key), steps: 1, output: 1, next: 2).copied
        return (Array(walk[..<32]), Array(walk[32...]))
    }

    /// The chain at its position, read as its receiver reads it.
    func distribution() throws -> SenderKeyDistribution {
        let json = #"{"groupID":"G","chainKey":"\#(Base64.encode(key.span))","iteration":\#(number)}"#
        let text = Array(json.utf8)
        return try SenderKeyDistribution(parsing: text.span)
    }

    mutating func seal(_ text: UInt8, attachment: [UInt8]? = nil) throws -> GroupPayload {
        let (messageKey, next) = Self.step(key)
        func box(_ bytes: [UInt8]) -> String {
            Base64.encode(Boxes.seal(bytes.span, key: secure(messageKey), data: []).span)
        }
        let extra = attachment.map { #","attachmentCiphertext":"\#(box($0))""# } ?? ""
        let json = """
            {"groupID":"G","messageID":"\(text)","senderPeerID":"\(id)","senderUsername":"old","timestamp":788918400,\
            "ciphertext":"\(box([text]))","senderKeyIteration":\(number)\(extra)}
            """
        (key, number) = (next, number + 1)
        return try #require(GroupPayload(parsing: Array(json.utf8)))
    }

    private static func bytes(_ value: JSONValue?) throws -> [UInt8] {
        let text = Array(try #require(value?.string).utf8)
        let bytes = Base64.decodePublic(text.span, isPadded: true)
        return try #require(bytes)
    }

    /// What the app shows of a message, with a chain that it was given. It ignores members that it does not know.
    static func open(_ message: GroupPayload, with given: GroupDistribution) throws -> [UInt8] {
        let text = try JSONScanner.parse(message.encoded.span)
        let distribution = try JSONScanner.parse(given.encoded().copied.span)
        var key = try bytes(distribution["chainKey"])
        let steps = try #require(text["senderKeyIteration"]?.integer) - #require(distribution["iteration"]?.integer)
        for _ in 0..<steps { key = step(key).next }
        let box = try bytes(text["ciphertext"])
        #expect(text["v"] == nil && text["senderUsername"]?.string != nil)
        return try Boxes.open(box, key: secure(step(key).messageKey), data: []).copied
    }
}

@Suite struct OldGroupTests {
    private static let ids = GroupTests.ids

    /// Members of which none has proved anything.
    private static func group(_ index: Int, _ members: [Int]) throws -> SophaxGroup {
        try SophaxGroup("G", own: ids[index], members: members.map { ids[$0] })
    }

    /// Opens a message, and stores the group as a record in between.
    private static func receive(
        _ message: GroupPayload, _ group: inout SophaxGroup
    ) throws -> (body: [UInt8], status: TranscriptView.Status?) {
        let opened = try group.open(message, from: message.sender, at: now)
        let (body, status) = (opened.body, opened.status)
        group = opened.next
        _ = try stored(&group)
        return (body, status)
    }

    /// Stores a group and reads it again.
    private static func stored(_ group: inout SophaxGroup) throws -> [UInt8] {
        let own = group.own
        let record = GroupRecord(group)
        let bytes = record.encoded().copied
        group = record.group
        let read = try GroupRecord(decoding: bytes.span, of: own)
        let again = read.encoded().copied
        #expect(again == bytes)
        group = read.group
        return bytes
    }

    /// Its result; the group stays as it is if it is refused.
    private static func refusal(_ message: GroupPayload, _ group: borrowing SophaxGroup) -> GroupError? {
        do throws(GroupError) {
            _ = try group.open(message, from: message.sender, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "old-message"))
    func `a message, as computed elsewhere`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let text = Array(try vector.expected.string("text").utf8)
        guard case .old(let message)? = GroupPayload(parsing: text) else {
            Issue.record("it was not read")
            return
        }
        #expect(message.encoded == text)
        #expect(try message.group == inputs.string("group") && message.sender.description == inputs.string("sender"))
        #expect(try message.id == inputs.string("id") && Int(message.iteration) == inputs.integer("iteration"))
        #expect(try message.details.username == inputs.string("username"))
        #expect(try message.details.attachmentType ?? "-" == inputs.string("type"))
        #expect(try message.details.replyTo ?? "-" == inputs.string("reply"))
        #expect(try message.details.expires.map { Int($0.seconds) } ?? -1 == inputs.integer("expires"))
        var group = try SophaxGroup(message.group, own: Self.ids[0], members: [Self.ids[0], message.sender])
        let key = held(try inputs.bytes("key"))
        let given = SenderKeyDistribution.old(group: message.group, key: key, iteration: 0)
        #expect(try group.accept(given, from: message.sender, at: now) == .stored)
        let opened = try group.open(.old(message), from: message.sender, at: now)
        #expect(try opened.body == Array(inputs.string("body").utf8) && opened.status == nil)
        let attachment = try inputs.string("attachment")
        #expect(try opened.attachment == (attachment == "-" ? nil : hex(attachment)))
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "old-group-record"))
    func `a record of a mixed group, as computed elsewhere`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let bytes = try vector.expected.bytes("record")
        let own = try #require(PeerID(inputs.string("own")))
        let sender = try #require(PeerID(inputs.string("sender")))
        let record = try GroupRecord(decoding: bytes.span, of: own)
        var group = record.group
        #expect(try Self.stored(&group) == bytes)
        let others = group.members.filter { $0 != own }
        let (form, views, proofs) = (group.form, group.views, group.proofs)
        #expect(form == .mixed(without: others) && views.isEmpty && proofs.proofs.isEmpty)
        // Every message of each chain that was not received opens, once; the others have been.
        let chains = try inputs.string("chains").split(separator: ",").map { try hex(String($0)) }
        let received = try inputs.string("received").split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.split(separator: ",").map { Int($0)! } }
        for (chain, numbers) in zip(chains, received) {
            let walk = HMACSHA256.walkChain(secure(chain), steps: 20, output: 1, next: 2).copied
            for number in 0..<20 {
                let key = secure(Array(walk[32 * number..<32 * number + 32]))
                let message = GroupPayload.old(
                    OldGroupMessage(
                        group: group.name, sender: sender, iteration: UInt32(number), id: "m", time: AppTime(now),
                        details: GroupMessageDetails(),
                        boxes: GroupBoxes(body: Boxes.seal([7].span, key: key, data: []))))
                if numbers.contains(number) {
                    let error = Self.refusal(message, group)
                    #expect(error == .unknownChain)
                } else {
                    #expect(try Self.receive(message, &group).body == [7])
                }
            }
        }
        try Self.checkClosed(try? inputs.string("closed"), &group)
        // The own chain goes on where it stands.
        let key = secure(try inputs.bytes("own_chain_key"))
        let sent = try inputs.string("sealed").split(separator: ",").count
        let walk = HMACSHA256.walkChain(key, steps: sent + 1, output: 1, next: 2).copied
        // It began long ago; but a message of that time is sealed.
        let time = Timestamp(milliseconds: Int64(try inputs.integer("time")))
        guard case .old(let message) = try group.seal([5], id: "m", at: time) else {
            Issue.record("not of the old form")
            return
        }
        #expect(try Int(message.iteration) == inputs.integer("own_first") + sent)
        let messageKey = secure(Array(walk[32 * sent..<32 * sent + 32]))
        #expect(try Boxes.open(message.boxes.body, key: messageKey, data: []).copied == [5])
    }

    /// Gives closed chains again, from their first message on: they go on where they stood.
    private static func checkClosed(_ places: String?, _ group: inout SophaxGroup) throws {
        for place in places?.split(separator: ",") ?? [] {
            let parts = place.split(separator: ":").map { String($0) }
            let (sender, stood) = (try #require(PeerID(parts[0])), try #require(Int(parts[2])))
            var app = OldApp(sender, key: try hex(parts[1]))
            #expect(try group.accept(app.distribution(), from: sender, at: now) == .stored)
            for number in 0...stood {
                let message = try app.seal(UInt8(number & 0xff))
                if number < stood {
                    #expect(refusal(message, group) != nil)
                } else {
                    #expect(try receive(message, &group).body == [UInt8(number & 0xff)])
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `an old app and this side read each other, whatever comes first`(isMessageFirst: Bool) throws {
        var app = OldApp(1, key: 1)
        var group = try Self.group(0, [0, 1])
        let distribution = try app.distribution()
        let message = try app.seal(1, attachment: [2])
        var heldMessages = HeldMessages()
        let sender = SophaxGroup.member(app.id)
        if isMessageFirst {
            #expect(Self.refusal(message, group) == .unknownChain)
            let decision = heldMessages.hold(message.heldName, from: sender, count: 9, at: now)
            #expect(decision == .keep(asks: true))
            // One of another chain has the same number.
            var other = OldApp(1, key: 2)
            let second = heldMessages.hold(try other.seal(1).heldName, from: sender, count: 9, at: now)
            #expect(
                second == .keep(asks: false)
                    && heldMessages.hold(message.heldName, from: sender, count: 9, at: now) == .duplicate)
        }
        #expect(try group.accept(distribution, from: app.id, at: now) == .stored)
        let released = heldMessages.release(GroupPayload.unnamedChain, of: sender)
        #expect(released.map(\.name.number) == (isMessageFirst ? [0, 0] : []))
        let opened = try group.open(message, from: app.id, at: now)
        #expect(opened.body == [1] && opened.attachment == [2] && opened.status == nil)
        group = opened.next
        #expect(Self.refusal(message, group) == .unknownChain)
        #expect(try group.accept(distribution, from: app.id, at: now) == .known)
        #expect(try group.accept(app.distribution(), from: app.id, at: now) == .known)
        #expect(Self.refusal(message, group) == .unknownChain)
        // The other way.
        #expect(group.form == .mixed(without: [app.id]) && group.pending(at: now) == [app.id])
        let own = try group.distribution(for: app.id, at: now)
        for number in 0..<3 as Range<UInt8> {
            let sealed = try group.seal([number], id: "\(number)", at: now)
            #expect(try OldApp.open(sealed, with: own) == [number])
        }
        // A signer cannot speak as another member, and messages of another group are refused.
        #expect(throws: GroupError.notMember) { _ = try group.open(message, from: Self.ids[2], at: now) }
        let stranger = try SophaxGroup("H", own: Self.ids[0], members: [Self.ids[0], app.id])
        #expect(Self.refusal(message, stranger) == .notMember)
    }

    @Test func `one to four chains of an old app: three stay open, and messages find theirs`() throws {
        var group = try Self.group(0, [0, 1])
        var apps = (1...4).map { OldApp(1, key: $0) }
        for count in 1...4 {
            #expect(try group.accept(apps[count - 1].distribution(), from: Self.ids[1], at: now) == .stored)
            for index in max(0, count - 3)..<count {
                #expect(try Self.receive(apps[index].seal(UInt8(10 * count + index)), &group).body[0] % 10 == index)
            }
        }
        #expect(Self.refusal(try apps[0].seal(9), group) == .unknownChain)
    }

    @Test func `100 messages may be missing of an old chain, 101 not`() throws {
        var group = try Self.group(0, [0, 1])
        var app = OldApp(1, key: 1)
        _ = try group.accept(app.distribution(), from: app.id, at: now)
        let messages = try (0..<102).map { try app.seal(UInt8($0)) }
        #expect(Self.refusal(messages[101], group) == .tooManySkipped)
        for index in [100, 101] + (0..<100).reversed() {
            #expect(try Self.receive(messages[index], &group).body == [UInt8(index)])
        }
        for message in messages { #expect(Self.refusal(message, group) == .unknownChain) }
    }

    @Test func `after a chain of version 3 old ones of its sender are refused, and their skipped keys stay`() throws {
        var app = OldApp(1, key: 1)
        var group = try Self.group(0, [0, 1, 2])
        _ = try group.accept(app.distribution(), from: app.id, at: now)
        let late = try app.seal(0)
        _ = try Self.receive(app.seal(1), &group)
        #expect(group.session.storedCount == 1)
        var other = try Self.group(1, [0, 1, 2])
        let given = try other.distribution(for: Self.ids[0], at: now)
        #expect(try group.accept(.version3(given), from: app.id, at: now) == .stored)
        #expect(group.session.storedCount == 1 && group.form == .mixed(without: [Self.ids[2]]))
        #expect(try Self.receive(late, &group).body == [0])
        #expect(Self.refusal(late, group) == .unknownChain && group.session.storedCount == 0)
        let before = try Self.stored(&group)
        #expect(throws: GroupError.lowerForm) { _ = try group.accept(app.distribution(), from: app.id, at: now) }
        var fresh = OldApp(1, key: 9)
        #expect(throws: GroupError.lowerForm) { _ = try group.accept(fresh.distribution(), from: app.id, at: now) }
        #expect(Self.refusal(try app.seal(2), group) == .unknownChain)
        #expect(Self.refusal(try fresh.seal(2), group) == .unknownChain)
        #expect(try Self.stored(&group) == before)
        // Also when it has left and comes back.
        _ = try group.setMembers([Self.ids[0], Self.ids[2]])
        #expect(throws: GroupError.notMember) { _ = try group.open(app.seal(3), from: app.id, at: now) }
        _ = try group.setMembers([Self.ids[0], Self.ids[1], Self.ids[2]])
        #expect(throws: GroupError.lowerForm) { _ = try group.accept(app.distribution(), from: app.id, at: now) }
    }

    /// An invitation gives a chain in the old form, and a distribution gives the same one with its name.
    @Test(arguments: [false, true]) func `a chain that was given in the old form first opens nothing twice`(
        isLater: Bool
    ) throws {
        var other = try Self.group(1, [0, 1, 2])
        var group = try Self.group(0, [0, 1, 2])
        let given = try other.distribution(for: Self.ids[0], at: now)
        _ = try other.distribution(for: Self.ids[2], at: now)
        let invited = SenderKeyDistribution.old(group: "G", key: given.chain.key, iteration: 0)
        #expect(try group.accept(invited, from: Self.ids[1], at: now) == .stored)
        let messages = try (0..<4).map { try other.seal([UInt8($0)], id: "m", at: now) }
        for index in [1, 2] { #expect(try Self.receive(messages[index], &group).body == [UInt8(index)]) }
        var named = given
        if isLater { named = try other.distribution(for: Self.ids[0], at: now) }
        #expect(try group.accept(.version3(named), from: Self.ids[1], at: now) == .stored)
        #expect(try group.accept(.version3(named), from: Self.ids[1], at: now) == .known)
        #expect(throws: GroupError.lowerForm) { _ = try group.accept(invited, from: Self.ids[1], at: now) }
        for index in [1, 2] { #expect(Self.refusal(messages[index], group) == .unknownChain) }
        for index in [0, 3] {
            #expect(try Self.receive(messages[index], &group).body == [UInt8(index)])
            #expect(Self.refusal(messages[index], group) == .unknownChain)
        }
    }

    @Test func `a late message of the old form opens after its sender has sealed version 3, and nothing above it`()
        throws
    {
        var app = OldApp(1, key: 1)
        var group = try Self.group(0, [0, 1])
        let first = try app.distribution()
        _ = try group.accept(first, from: app.id, at: now)
        let messages = try (0..<6).map { try app.seal(UInt8($0)) }
        _ = try Self.receive(messages[3], &group)
        // The app becomes one of version 3.
        var other = try Self.group(1, [0, 1])
        let back = try group.distribution(for: Self.ids[1], at: now)
        _ = try other.accept(.version3(back), from: Self.ids[0], at: now)
        let given = try other.distribution(for: Self.ids[0], at: now)
        _ = try group.accept(.version3(given), from: app.id, at: now)
        let new = try (0..<3).map { try other.seal3([UInt8(10 + $0)], id: "m", at: now) }
        #expect(try Self.receive(.version3(new[1]), &group).body == [11])
        #expect(group.proofs.proofs[app.id] == .spoken && group.form == .version3)
        // What was skipped below the place where the chain stood, each once.
        for index in [2, 0, 1] {
            #expect(try Self.receive(messages[index], &group).body == [UInt8(index)])
            #expect(Self.refusal(messages[index], group) == .lowerForm)
        }
        // What was received, what is above it, another chain, and the old form on a chain that has spoken version 3.
        for index in 3..<6 { #expect(Self.refusal(messages[index], group) == .lowerForm) }
        #expect(throws: GroupError.lowerForm) { _ = try group.accept(first, from: app.id, at: now) }
        var fresh = OldApp(1, key: 9)
        #expect(Self.refusal(try fresh.seal(0), group) == .lowerForm)
        #expect(group.session.storedCount == 1)
        var forger = OldApp(app.id, key: given.chain.key.bytes.copied)
        for _ in 0..<3 { #expect(Self.refusal(try forger.seal(7), group) == .lowerForm) }
        #expect(try Self.receive(.version3(new[0]), &group).body == [10])
    }

    @Test func `a late message of the old form opens on a chain with a name`() throws {
        var one = try Self.group(0, [0, 1, 2])
        var two = try Self.group(1, [0, 1, 2])
        var third = try Self.group(2, [0, 1, 2])
        try GroupTests.give(&one, 0, &two, 1)
        try GroupTests.give(&two, 1, &one, 0)
        _ = try one.distribution(for: Self.ids[2], at: now)
        let messages = try (0..<4).map { try one.seal([UInt8($0)], id: "m", at: now) }
        _ = try Self.receive(messages[2], &two)
        try GroupTests.give(&third, 2, &one, 0)
        try GroupTests.give(&third, 2, &two, 1)
        let given = try one.distribution(for: Self.ids[1], at: now)
        _ = try two.accept(.version3(given), from: Self.ids[0], at: now)
        try GroupTests.give(&one, 0, &third, 2)
        let new = try (0..<3).map { try one.seal3([UInt8(10 + $0)], id: "m", at: now) }
        #expect(try Self.receive(.version3(new[1]), &two).body == [11] && two.form == .version3)
        for index in [1, 0] { #expect(try Self.receive(messages[index], &two).body == [UInt8(index)]) }
        for message in messages { #expect(Self.refusal(message, two) == .lowerForm) }
        // The chain of version 3 is replaced, too: its skipped messages do not open in the old form.
        one.endChain()
        try GroupTests.give(&one, 0, &two, 1)
        #expect(two.session.storedCount == 1)
        var forger = OldApp(Self.ids[0], key: given.chain.key.bytes.copied)
        forger.number = Int(given.chain.number)
        for _ in 0..<3 { #expect(Self.refusal(try forger.seal(7), two) == .lowerForm) }
        #expect(try Self.receive(.version3(new[0]), &two).body == [10])
    }

    /// Two sides of version 3 and an old app, which later becomes one of version 3.
    @Test func `a mixed group is read by all, and becomes one of version 3 with another chain`() throws {
        var one = try Self.group(0, [0, 1, 2])
        var two = try Self.group(1, [0, 1, 2])
        var app = OldApp(2, key: 1)
        let toApp = try one.distribution(for: app.id, at: now)
        try GroupTests.give(&one, 0, &two, 1)
        for each in [try app.distribution()] {
            _ = try one.accept(each, from: app.id, at: now)
            _ = try two.accept(each, from: app.id, at: now)
        }
        #expect(one.form == .mixed(without: [Self.ids[1], app.id]) && two.form == .mixed(without: [app.id]))
        let first = try one.seal([1], id: "1", at: now)
        #expect(try OldApp.open(first, with: toApp) == [1])
        // The other side knows that this one has version 3, and reads the old form on the chain that it was given.
        let read = try Self.receive(first, &two)
        #expect(read.body == [1] && read.status == nil && Self.refusal(first, two) == .unknownChain)
        let appMessage = try app.seal(5)
        #expect(try Self.receive(appMessage, &one).body == [5])
        #expect(try Self.receive(appMessage, &two).body == [5])
        // Everybody proves version 3: the chain that has spoken the old form ends.
        try GroupTests.give(&two, 1, &one, 0)
        #expect(one.form == .mixed(without: [app.id]) && one.pending(at: now).isEmpty)
        var third = try Self.group(2, [0, 1, 2])
        try GroupTests.give(&third, 2, &one, 0)
        try GroupTests.give(&third, 2, &two, 1)
        #expect(one.form == .version3 && one.pending(at: now) == [Self.ids[1], Self.ids[2]])
        #expect(throws: GroupError.rekeyPending([Self.ids[1], Self.ids[2]].map(SophaxGroup.member))) {
            _ = try one.seal([2], id: "2", at: now)
        }
        #expect(throws: GroupError.notMember) { _ = try one.distribution(for: Self.ids[3], at: now) }
        try GroupTests.give(&one, 0, &two, 1)
        try GroupTests.give(&one, 0, &third, 2)
        let second = try one.seal3([2], id: "2", at: now)
        #expect(second.place.generation == 1 && second.place.iteration == 1, "it goes on at the present number")
        let opened = try Self.receive(.version3(second), &two)
        #expect(opened.body == [2] && opened.status == .consistent)
        // The chain of the second side has sealed nothing, so it stays.
        try GroupTests.give(&two, 1, &third, 2)
        #expect(two.pending(at: now).isEmpty)
        #expect(try two.seal3([3], id: "3", at: now).place.generation == 0)
    }

    @Test func `who has sealed version 3 goes back only for a member that lacks it here, too`() throws {
        var one = try GroupTests.group(0, [0, 1])
        var two = try GroupTests.group(1, [0, 1])
        try GroupTests.give(&one, 0, &two, 1)
        _ = try Self.receive(.version3(one.seal3([1], id: "1", at: now)), &two)
        #expect(two.proofs.proofs[Self.ids[0]] == .spoken)
        // The first side is told of an old app; the second one is not.
        let app = OldApp(2, key: 1)
        _ = try one.setMembers([Self.ids[0], Self.ids[1], app.id])
        #expect(one.pending(at: now) == [Self.ids[1], app.id])
        try GroupTests.give(&one, 0, &two, 1)
        let toApp = try one.distribution(for: app.id, at: now)
        let message = try one.seal([2], id: "2", at: now)
        #expect(try OldApp.open(message, with: toApp) == [2])
        #expect(Self.refusal(message, two) == .lowerForm)
        _ = try Self.stored(&two)
        #expect(Self.refusal(message, two) == .lowerForm)
        // When it is told, there is a reason.
        _ = try two.setMembers([Self.ids[0], Self.ids[1], app.id])
        #expect(two.form == .mixed(without: [app.id]))
        #expect(try Self.receive(message, &two).body == [2])
        _ = try two.setMembers([Self.ids[0], Self.ids[1]])
        let next = try one.seal([3], id: "3", at: now)
        #expect(Self.refusal(next, two) == .lowerForm)
    }

    @Test func `a removed member of the old form opens nothing later`() throws {
        var one = try Self.group(0, [0, 1, 2])
        let gone = try one.distribution(for: Self.ids[1], at: now)
        _ = try one.distribution(for: Self.ids[2], at: now)
        for number in 0..<5 as Range<UInt8> {
            let sealed = try one.seal([number], id: "m", at: now)
            #expect(try OldApp.open(sealed, with: gone) == [number])
        }
        var app = OldApp(1, key: 1)
        _ = try one.accept(app.distribution(), from: app.id, at: now)
        _ = try one.setMembers([Self.ids[0], Self.ids[2]])
        #expect(throws: GroupError.notMember) { _ = try one.open(app.seal(1), from: app.id, at: now) }
        #expect(throws: GroupError.notMember) { _ = try one.accept(app.distribution(), from: app.id, at: now) }
        let given = try one.distribution(for: Self.ids[2], at: now)
        #expect(given.chain.number == 5, "old apps refuse a lower number")
        let message = try one.seal([7], id: "m", at: now)
        #expect(try OldApp.open(message, with: given) == [7])
        #expect(throws: AuthenticationError.self) { _ = try OldApp.open(message, with: gone) }
        // Back again, it has to give another chain.
        _ = try one.setMembers([Self.ids[0], Self.ids[1], Self.ids[2]])
        #expect(throws: GroupError.unknownChain) { _ = try one.open(app.seal(2), from: app.id, at: now) }
    }

    @Test func `10,000 mutations of a message`() throws {
        let random = SeededRandom(seed: 2)
        var app = OldApp(1, key: 1)
        var group = try Self.group(0, [0, 1])
        _ = try group.accept(app.distribution(), from: app.id, at: now)
        let payload = try app.seal(1, attachment: [2])
        guard case .old(let message) = payload else { throw GroupError.lowerForm }
        let bytes = payload.encoded
        var refused = 0
        for _ in 0..<10_000 {
            guard let read = GroupPayload(parsing: random.changed(bytes)) else { continue }
            #expect(GroupPayload(parsing: read.encoded) == read)
            guard case .old(let other) = read else { continue }
            let isSame =
                other.sender.matches(message.sender) && other.group == message.group
                && other.iteration == message.iteration
                && other.boxes.body == message.boxes.body
                && (other.boxes.attachment == nil || other.boxes.attachment == message.boxes.attachment)
            #expect((Self.refusal(read, group) == nil) == isSame)
            refused += isSame ? 0 : 1
        }
        #expect(refused > 100)
    }

    @Test(arguments: ["sg-060", "sg-089"])
    func `10,000 mutations of a record of a mixed group`(_ id: String) throws {
        let vector = try Vector.named(id, in: .sophaxChatGroups)
        let bytes = try vector.expected.bytes("record")
        let random = SeededRandom(seed: 3)
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(bytes)
            guard let other = try? GroupRecord(decoding: changed.span, of: Self.ids[0]) else { continue }
            let again = other.encoded().copied
            #expect(again == changed)
            var group = other.group
            // What was read can be used.
            for member in group.members { _ = try? group.distribution(for: member, at: now) }
            _ = try? group.seal([1], id: "m", at: now)
            var app = OldApp(2, key: 0x63)
            if let opened = try? group.open(app.seal(1), from: app.id, at: now) { group = opened.next }
            _ = try? group.accept(app.distribution(), from: app.id, at: now)
            _ = try Self.stored(&group)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }

    @Test func `details of a wrong length`() {
        #expect(GroupMessageDetails(username: String(repeating: "u", count: 257)) == nil)
        #expect(GroupMessageDetails(username: "", attachmentType: String(repeating: "t", count: 256)) == nil)
        #expect(GroupMessageDetails(username: "", replyTo: "") == nil)
        #expect(GroupMessageDetails(username: "", replyTo: String(repeating: "r", count: 65)) == nil)
    }
}
