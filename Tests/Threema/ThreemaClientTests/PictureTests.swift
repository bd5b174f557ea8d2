import Encodings
import HTTP
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaMedia
import ThreemaMessages
import ThreemaSafe
import VectorKit

@testable import ThreemaClient

/// Pictures of the user, of contacts and of groups. Alice has a picture, Bob gets to see it.
@Suite struct PictureTests {
    private let home: Household
    private let http = MediaHouse()
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        for side in [home.alice, home.bob] { try connect(side) }
    }

    private func connect(_ side: Side) throws {
        try side.open()
        side.mailbox.media = http.client
    }

    private static func picture(_ pixel: UInt8) throws -> ProfilePicture {
        try ProfilePicture(jpeg: SampleJPEG(pixels: [pixel]).bytes)
    }

    private func share(_ picture: ProfilePicture?, with audience: PictureAudience = .everyone) throws {
        try alice.mailbox.takeOverPicture(
            of: SafeDocument.empty.settingPicture(picture).settingPictureAudience(audience))
    }

    /// What goes along with a text from Alice to Bob.
    private func told(_ text: String = "Hello") throws -> [PictureMessage?] {
        try alice.send(text, to: bob)
        return try bob.receive(alice.sendOutbox()).compactMap {
            guard case .profilePicture(let picture) = $0.message?.body else { return nil }
            return .some(picture)
        }
    }

    private func uploads() -> Int { http.state.withLock { $0.uploads } }

    private func pass(days: Int64) {
        for side in [alice, bob] { side.now = Timestamp(milliseconds: side.now.milliseconds + days * 86_400_000) }
    }

    @Test func `the picture goes along once, and again when it is another one`() throws {
        #expect(try told() == [])
        let (first, second) = (try Self.picture(1), try Self.picture(2))
        try share(first)
        #expect(try told().count == 1)
        #expect(try bob.mailbox.picture(of: alice.id) == nil)
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) == first.jpeg)
        #expect(try told() == [])
        try share(first)
        try connect(alice)
        #expect(try told() == [] && uploads() == 1)
        try share(second)
        #expect(try told().count == 1 && uploads() == 2)
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) == second.jpeg)
        // Nothing of it is fetched twice.
        try bob.mailbox.fetchPictures()
        #expect(http.state.withLock { $0.downloads } == 2)
    }

    @Test func `after a week the picture is uploaded under another key`() throws {
        try share(Self.picture(1))
        let first = try #require(try told().first)
        pass(days: 6)
        #expect(try told() == [])
        pass(days: 1)
        let second = try #require(try told().first)
        #expect(first?.key != second?.key && first?.blobID != second?.blobID && uploads() == 2)
    }

    @Test func `who may not see it is told that there is none, once a week`() throws {
        try share(Self.picture(1))
        #expect(try told().count == 1)
        try bob.mailbox.fetchPictures()
        for audience in [PictureAudience.nobody, .contacts(["000CAROL", "no ID"])] {
            try share(Self.picture(1), with: audience)
            // Bob is told once, not for each audience without him.
            #expect(try told() == (audience == .nobody ? [nil] : []))
            #expect(try bob.mailbox.picture(of: alice.id) == nil)
            #expect(try told() == [])
        }
        pass(days: 7)
        #expect(try told() == [nil])
        try share(Self.picture(1), with: .contacts([bob.id.text]))
        #expect(try told().count == 1)
        try share(nil)
        #expect(try told() == [nil])
    }

    @Test(arguments: [false, true]) func `an unread picture is told as it is now`(isReplaced: Bool) throws {
        try home.exchange()
        try share(Self.picture(1))
        try bob.mailbox.store.transaction { try $0.removeAll("ibex") }
        try connect(bob)
        try alice.send("Hello", to: bob)
        let sent = try alice.sendOutbox()
        // Before Bob has got it, another picture is chosen, or he may not see it any more.
        try share(Self.picture(isReplaced ? 2 : 1), with: isReplaced ? .everyone : .nobody)
        try bob.receive(sent)
        try alice.receiveSendingAgain(bob.sendOutbox())
        let bodies = try bob.receive(alice.sendOutbox()).compactMap(\.message).map(\.body)
        #expect(bodies.contains(.chat(.text("Hello"))))
        for case .profilePicture(let picture?) in bodies { Issue.record("\(picture.blobID)") }
        #expect(bodies.contains(.profilePicture(nil)) == !isReplaced)
        // What is true now comes along with a message.
        #expect(try told().count == (isReplaced ? 1 : 0))
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) == (isReplaced ? Self.picture(2).jpeg : nil))
    }

    @Test func `after a restore contacts are asked, and send it again`() throws {
        try share(Self.picture(1))
        #expect(try told().count == 1)
        try bob.mailbox.requestPictures()
        try alice.receive(bob.sendOutbox())
        let again = try bob.receive(alice.sendOutbox()).compactMap(\.message).map(\.body.type)
        #expect(again == [.setProfilePicture] && uploads() == 1)
    }

    @Test func `a revoked contact that asks gets the picture when it is valid again`() throws {
        try share(Self.picture(1))
        #expect(try told().count == 1)
        try alice.mailbox.store.transaction { try $0.set("revoked", bob.id.bytes, Span()) }
        try bob.mailbox.requestPictures()
        try alice.receive(bob.sendOutbox())
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.message).isEmpty)
        try alice.mailbox.store.transaction { try $0.remove("revoked", bob.id.bytes) }
        #expect(try told().count == 1 && uploads() == 1)
    }

    @Test func `a media server that is away holds no message up`() throws {
        try share(Self.picture(1))
        http.state.withLock { $0.failsBefore = 0 }
        #expect(try told() == [])
        // It is tried again after an hour, and not before.
        #expect(try told() == [] && uploads() == 0)
        alice.now = Timestamp(milliseconds: alice.now.milliseconds + 3_600_000)
        #expect(try told().count == 1)
        http.state.withLock { $0.failsBefore = 0 }
        #expect(throws: MediaFailure.http(.connection(.brokenOff))) { try bob.mailbox.fetchPictures() }
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) != nil)
    }

    @Test func `a picture that is gone, altered or too long is given up`() throws {
        try share(Self.picture(1))
        _ = try told()
        http.state.withLock { state in
            for id in state.blobs.keys { state.blobs[id]?.bytes[20] ^= 1 }
        }
        try bob.mailbox.fetchPictures()
        try share(Self.picture(2))
        _ = try told()
        http.state.withLock { $0.blobs = [:] }
        try bob.mailbox.fetchPictures()
        try share(Self.picture(3))
        _ = try told()
        http.state.withLock { state in
            for id in state.blobs.keys {
                state.blobs[id]?.bytes += [UInt8](repeating: 0, count: ProfilePicture.maxBytes)
            }
        }
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) == nil && bob.count("wanted") == 0)
    }

    @Test func `a picture that the server refuses holds up no other`() throws {
        try share(Self.picture(1))
        _ = try told()
        let refused = http.state.withLock { $0.blobs.keys.first }
        let rules = GroupRules(own: alice.id)
        let made = try rules.create(.random(), members: [bob.id], name: "Lake", ids: .random())
        try alice.mailbox.make(made)
        let picture = try Self.picture(2)
        try alice.mailbox.setPicture(picture, of: made.group)
        try bob.receive(alice.sendOutbox())
        http.state.withLock { $0.refused = refused }
        for _ in 0..<2 {
            #expect(throws: MediaFailure.service(.unexpectedStatus(500))) { try bob.mailbox.fetchPictures() }
            #expect(try bob.mailbox.picture(of: made.group.identity) == picture.jpeg && bob.count("wanted") == 1)
        }
        http.state.withLock { $0.refused = nil }
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: alice.id) == Self.picture(1).jpeg)
    }

    @Test func `a group's picture reaches its members, and late ones after another upload`() throws {
        let rules = GroupRules(own: alice.id)
        let made = try rules.create(.random(), members: [bob.id], name: "Lake", ids: .random())
        try alice.mailbox.make(made)
        let picture = try Self.picture(3)
        try alice.mailbox.setPicture(picture, of: made.group)
        try bob.receive(alice.sendOutbox())
        try bob.mailbox.fetchPictures()
        let group = made.group.identity
        #expect(try bob.mailbox.picture(of: group) == picture.jpeg && alice.mailbox.picture(of: group) == picture.jpeg)

        // Bob has lost everything, and asks when the upload is too old.
        pass(days: 8)
        try bob.mailbox.store.transaction { changes in
            for kind in ["group", "picture"] as [ValueKind] { try changes.removeAll(kind) }
        }
        let request = GroupSending(id: .random(), body: .groupSyncRequest(group.id), receivers: [alice.id])
        try bob.mailbox.send([request])
        try alice.receive(bob.sendOutbox())
        try connect(alice)
        try bob.receive(alice.sendOutbox())
        #expect(try bob.mailbox.group(group)?.name == "Lake" && bob.count("wanted") == 0 && uploads() == 1)
        try alice.mailbox.fetchPictures()
        #expect(try uploads() == 2 && alice.count("renewal") == 0)
        try bob.receive(alice.sendOutbox())
        try bob.mailbox.fetchPictures()
        #expect(try bob.mailbox.picture(of: group) == picture.jpeg)

        try alice.mailbox.setPicture(nil, of: #require(try alice.mailbox.group(group)))
        try bob.receive(alice.sendOutbox())
        for side in [alice, bob] { #expect(try side.mailbox.picture(of: group) == nil) }
        #expect(throws: GroupChangeError.notCreator) {
            try bob.mailbox.setPicture(picture, of: #require(try bob.mailbox.group(group)))
        }
        #expect(uploads() == 2)
    }

    @Test func `a picture in a document that is too long counts as none`() throws {
        func read(count: Int) throws {
            let text = Base64.encode([UInt8](repeating: 1, count: count).span)
            let document = try SafeDocument(["info": ["version": 1], "user": ["profilePic": .string(text)]])
            try alice.mailbox.takeOverPicture(of: document.settingPictureAudience(.everyone))
        }
        try read(count: ProfilePicture.maxBytes)
        #expect(try alice.mailbox.picture(of: alice.id)?.count == ProfilePicture.maxBytes)
        try share(Self.picture(1))
        #expect(try told().count == 1)
        for count in [ProfilePicture.maxBytes, OpenSessionStore.maxValueBytes] {
            try read(count: count + 1)
            #expect(try alice.mailbox.picture(of: alice.id) == nil)
        }
        #expect(try told() == [nil])
    }

    @Test func `an audience that is too long is cut, and who is beyond does not see the picture`() throws {
        // One more than a value has room for.
        let ids = (0..<OpenSessionStore.maxValueBytes / ThreemaID.count).map { "X\(1_000_000 + $0)" }
        try share(Self.picture(1), with: .contacts(ids + [bob.id.text]))
        #expect(try told() == [nil])
        try share(Self.picture(1), with: .contacts([bob.id.text] + ids))
        #expect(try told().count == 1)
        // An ID that is repeated counts once.
        try share(Self.picture(1), with: .contacts([String](repeating: ids[0], count: ids.count) + [bob.id.text]))
        #expect(try told() == [])
    }

    @Test func `damaged values are named`() throws {
        try share(Self.picture(1))
        _ = try told()
        for (kind, name) in [("audience", alice.id), ("shared", alice.id), ("told", bob.id)] as [(ValueKind, ThreemaID)]
        {
            let value = try alice.mailbox.store.read(kind, name.bytes)?.withBytes { $0.revealBytes() } ?? []
            try alice.mailbox.store.transaction { try $0.set(kind, name.bytes, [9, 9, 9].span) }
            #expect(throws: MailboxError.malformedValue(alice.id)) { try alice.send("Hello", to: bob) }
            try alice.mailbox.store.transaction { try $0.set(kind, name.bytes, value.span) }
        }
        for kind in ["wanted", "renewal"] as [ValueKind] {
            try alice.mailbox.store.transaction { try $0.set(kind, alice.id.bytes, [9].span) }
            #expect(throws: MailboxError.malformedValue(alice.id)) { try alice.mailbox.fetchPictures() }
            try alice.mailbox.store.transaction { try $0.removeAll(kind) }
        }
    }
}
