import AtomicFiles
import Foundation
import HTTP
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaChat
import ThreemaMedia
import ThreemaMessages
import ThreemaSafe
import VectorKit

@testable import ThreemaClient

/// Alice sends Bob files.
@Suite struct FileTests {
    private let home: Household
    private let network: Network
    private let media = MediaHouse()
    private let content = Random.bytes(200_000)
    private let thumbnail = Random.bytes(3000)
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        network = Network(home)
        for name in ["copies", "files"] { try AtomicFiles.Directory.make(path(name)) }
        try Data(content).write(to: URL(filePath: path("file")))
    }

    private func path(_ name: String) -> String { home.path + "/" + name }
    private func directory(_ name: String) throws -> AtomicFiles.Directory { try .open(path(name), rule: .secret) }
    private func names(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }

    private func place() throws -> UploadPlace { UploadPlace(media.client, copiesIn: try directory("copies")) }
    private func input() throws -> InputFile {
        try AtomicFiles.Directory.open(home.path, rule: .shared).inputFile("file")
    }

    private var outgoing: OutgoingFile {
        OutgoingFile(mediaType: "image/png", name: "a.png", caption: "A", thumbnail: thumbnail, rendering: .media)
    }

    private func send(id: MessageID = .random()) throws {
        let (client, stream) = try network.connect(alice)
        defer { stream.close() }
        try client.send(input(), as: outgoing, to: bob.id, id: id, at: place())
    }

    /// The files that Bob has got.
    private func received() throws -> [FileMessage] {
        try network.visit(bob).compactMap { incoming in
            switch incoming.message?.body {
            case .chat(.file(let file)), .groupChat(_, .file(let file)): file
            default: nil
            }
        }
    }

    private func file(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: path("files/" + name))))
    }

    private func count(_ counted: KeyPath<MediaHouse.State, Int> & Sendable) -> Int {
        media.state.withLock { $0[keyPath: counted] }
    }
    private func blobCount() -> Int { media.state.withLock { $0.blobs.count } }

    @Test func `a file with its thumbnail goes from one to the other, and is gone then`() throws {
        try send()
        let message = try #require(received().first)
        #expect(message.size == 200_000 && message.mediaType == "image/png" && message.name == "a.png")
        #expect(message.caption == "A" && message.rendering == .media)
        #expect(blobCount() == 2 && media.state.withLock(\.timeout) == .seconds(103))
        #expect(try names("copies") == [] && alice.count("upload") == 0)
        #expect(
            try media.client.receive(message, as: "mine", in: directory("files"), isInGroup: false) == thumbnail)
        #expect(try file("mine") == content && names("files") == ["mine"])
        #expect(blobCount() == 0)
        #expect(throws: FileError.exists(path: path("files/mine"))) {
            try media.client.receive(message, as: "mine", in: directory("files"), isInGroup: false)
        }
    }

    @Test func `a thumbnail that was not downloaded stays at the server`() throws {
        try send()
        let message = try #require(received().first)
        let left = try #require(message.thumbnail).blobID
        media.state.withLock { $0.failsBefore = 1 }
        #expect(try media.client.receive(message, as: "mine", in: directory("files"), isInGroup: false) == nil)
        let stored = media.state.withLock { $0.blobs.keys.map(\.self) }
        #expect(try file("mine") == content && stored == ["\(left)"])
    }

    @Test func `the user's picture goes along with a file`() throws {
        alice.mailbox.media = media.client
        let picture = try ProfilePicture(jpeg: SampleJPEG(pixels: [1]).bytes)
        try alice.mailbox.takeOverPicture(
            of: SafeDocument.empty.settingPicture(picture).settingPictureAudience(.everyone))
        try send()
        let types = try network.visit(bob).compactMap(\.message).map(\.body.type)
        #expect(types == [.file, .setProfilePicture] && count(\.uploads) == 3)
    }

    @Test func `the members of a group leave it to the others`() throws {
        let stranger = try ThreemaID("STRANGER")
        let made = try GroupRules(own: alice.id).create(
            .random(), members: [bob.id, stranger], name: "", ids: .random())
        try alice.mailbox.make(made)
        let (group, identity) = (made.group, made.group.identity)
        let (client, stream) = try network.connect(alice)
        #expect(try client.send(input(), as: outgoing, to: group, at: place()) == [stranger])
        stream.close()
        let message = try #require(received().first)
        for name in ["one", "two"] {
            #expect(try media.client.receive(message, as: name, in: directory("files"), isInGroup: true) == thumbnail)
        }
        #expect(media.state.withLock { $0.blobs.values.allSatisfy(\.persists) } && blobCount() == 2)
        // Nobody reads notes.
        let notes = Group(identity: identity, others: [])
        let (again, _) = try network.connect(alice)
        #expect(try again.send(input(), as: outgoing, to: notes, at: place()) == [])
        let left = Group(identity: identity, others: [bob.id], standing: .left)
        #expect(throws: GroupChangeError.left) { try again.send(input(), as: outgoing, to: left, at: place()) }
        #expect(count(\.uploads) == 2)
    }

    @Test(arguments: [false, true]) func `who is not in the group any more does not get the file`(
        _ isOver: Bool
    ) throws {
        let carol = try Side("000CAROL", in: home.path)
        try alice.mailbox.set(carol.contact)
        let rules = GroupRules(own: alice.id)
        let made = try rules.create(.random(), members: [bob.id, carol.id], name: "", ids: .random())
        try alice.mailbox.make(made)
        media.state.withLock { $0.failsBefore = 0 }
        let (client, stream) = try network.connect(alice)
        #expect(throws: (any Error).self) { try client.send(input(), as: outgoing, to: made.group, at: place()) }
        stream.close()
        let change =
            isOver
            ? try rules.disband(made.group, ids: .random())
            : try rules.update(made.group, members: [carol.id], ids: .random(), now: alice.now)
        try alice.mailbox.make(change)
        try resume()
        #expect(try !network.visit(bob).contains { $0.delivered?.body.type == .groupFile })
        #expect(try alice.mailbox.uploads() == [] && names("copies") == [] && count(\.uploads) == (isOver ? 0 : 2))
    }

    /// Which request fails, whether the server has it, and how many uploads there are in all.
    @Test(arguments: [(0, false, 2), (1, false, 2), (0, true, 3), (1, true, 3)])
    func `a process that dies uploads nothing twice that the server has told it`(
        _ number: Int, _ isBehind: Bool, _ uploads: Int
    ) throws {
        media.state.withLock { if isBehind { $0.failsBehind = number } else { $0.failsBefore = number } }
        let id = MessageID.random()
        #expect(throws: MediaFailure.http(.connection(.brokenOff))) { try send(id: id) }
        try alice.open()
        #expect(try alice.mailbox.uploads() == [id] && received().isEmpty && names("copies").count == 1)
        // The file may be gone: the copy is sent.
        try FileManager.default.removeItem(atPath: path("file"))
        try resume()
        #expect(try count(\.uploads) == uploads && alice.mailbox.uploads() == [] && names("copies") == [])
        let messages = try received()
        #expect(messages.count == 1)
        _ = try media.client.receive(messages[0], as: "mine", in: directory("files"), isInGroup: false)
        #expect(try file("mine") == content)
        try resume()
        #expect(try received().isEmpty && count(\.uploads) == uploads)
    }

    private func resume() throws {
        let (client, stream) = try network.connect(alice)
        defer { stream.close() }
        #expect(try client.continueUploads(at: place()).isEmpty)
    }

    @Test func `a message that cannot be sealed is sealed later, without another upload`() throws {
        try send()
        #expect(try received().count == 1)
        let (client, stream) = try network.connect(alice)
        try alice.damage(.malformed, .sessions(bob.id))
        let id = MessageID.random()
        #expect(throws: (any Error).self) { try client.send(input(), as: outgoing, to: bob.id, id: id, at: place()) }
        stream.close()
        #expect(try count(\.uploads) == 4 && alice.mailbox.uploads() == [id])
        try alice.open()
        try alice.mailbox.resetSessions(with: bob.id)
        try resume()
        #expect(try received().count == 1 && alice.mailbox.uploads() == [])
        #expect(count(\.uploads) == 4)
    }

    @Test func `a transaction that was undone leaves the upload as it was`() throws {
        media.state.withLock { $0.failsBefore = 1 }
        let id = MessageID.random()
        #expect(throws: (any Error).self) { try send(id: id) }
        let value = try alice.mailbox.store.read("upload", id.bytes)!.copied
        var upload = Upload(decoding: value.span)!
        upload.uploadedFile(BlobID(Random.bytes(16)))
        #expect(throws: Crash.self) {
            try alice.mailbox.store.transaction { changes in
                try alice.mailbox.set(upload, id, in: changes)
                throw Crash()
            }
        }
        #expect(try alice.mailbox.store.read("upload", id.bytes)!.copied == value)
        // A copy that no upload has is removed.
        let stale = ".\(alice.id)-\(MessageID.random()).upload"
        let other = ".\(bob.id)-\(MessageID.random()).upload"
        for name in [stale, other] { try Data([1]).write(to: URL(filePath: path("copies/" + name))) }
        try resume()
        #expect(try names("copies") == [other])
        #expect(count(\.uploads) == 2)
    }

    @Test func `an upload that fails again stays, and can be given up`() throws {
        let ids = [MessageID.random(), .random()]
        for (number, id) in ids.enumerated() {
            media.state.withLock { $0.failsBefore = number }
            #expect(throws: (any Error).self) { try send(id: id) }
        }
        try FileManager.default.removeItem(atPath: path("copies/" + alice.mailbox.copyName(ids[0])))
        let (client, _) = try network.connect(alice)
        // The program tries again itself.
        try client.send(input(), as: outgoing, to: bob.id, id: ids[1], at: place())
        let failures = try client.continueUploads(at: place())
        #expect(failures.keys.map(\.self) == [ids[0]] && count(\.uploads) == 3)
        #expect(try alice.mailbox.uploads() == [ids[0]])
        try alice.mailbox.discardUpload(ids[0], from: place())
        #expect(try alice.mailbox.uploads() == [] && received().count == 1)
    }

    @Test func `a contact who was revoked during an upload is named, and nothing is uploaded`() throws {
        media.state.withLock { $0.failsBefore = 1 }
        let id = MessageID.random()
        #expect(throws: MediaFailure.http(.connection(.brokenOff))) { try send(id: id) }
        try alice.mailbox.store.transaction { try $0.set("revoked", bob.id.bytes, Span()) }
        #expect(throws: MailboxError.revokedContact(bob.id)) { try send(id: id) }
        let (client, _) = try network.connect(alice)
        let failures = try client.continueUploads(at: place())
        #expect(failures[id] as? MailboxError == .revokedContact(bob.id))
        #expect(try count(\.uploads) == 1 && alice.mailbox.uploads() == [id])
    }

    @Test func `a damaged upload is an error, and can be given up`() throws {
        media.state.withLock { $0.failsBefore = 0 }
        let id = MessageID.random()
        #expect(throws: (any Error).self) { try send(id: id) }
        try alice.mailbox.store.transaction { try $0.set("upload", id.bytes, [9, 9, 9].span) }
        let (client, _) = try network.connect(alice)
        let failures = try client.continueUploads(at: place())
        #expect(failures[id] as? MailboxError == .malformedValue(alice.id))
        try alice.mailbox.discardUpload(id, from: place())
        #expect(try client.continueUploads(at: place()).isEmpty && names("copies") == [])
    }

    @Test func `what cannot be sent is refused before the work`() throws {
        let (client, _) = try network.connect(alice)
        let stranger = try ThreemaID("STRANGER")
        #expect(throws: MailboxError.unknownContact(stranger)) {
            try client.send(input(), as: outgoing, to: stranger, at: place())
        }
        try alice.mailbox.store.transaction { try $0.set("revoked", bob.id.bytes, Span()) }
        #expect(throws: MailboxError.revokedContact(bob.id)) {
            try client.send(input(), as: outgoing, to: bob.id, at: place())
        }
        try alice.mailbox.store.transaction { try $0.remove("revoked", bob.id.bytes) }
        var long = outgoing
        long.name = String(repeating: "a", count: 257)
        #expect(throws: MessageBodyError.tooLong(limit: 256, actual: 257)) {
            try client.send(input(), as: long, to: bob.id, at: place())
        }
        long = outgoing
        long.thumbnail = [UInt8](repeating: 0, count: FileMessage.maxThumbnailBytes + 1)
        let limit = FileMessage.maxThumbnailBytes
        #expect(throws: MessageBodyError.tooLong(limit: limit, actual: limit + 1)) {
            try client.send(input(), as: long, to: bob.id, at: place())
        }
        #expect(try names("copies") == [] && count(\.uploads) == 0 && alice.count("upload") == 0)
    }

    @Test func `a copied store forgets what the other one uploads`() throws {
        media.state.withLock { $0.failsBefore = 0 }
        #expect(throws: (any Error).self) { try send() }
        try AtomicFiles.Directory.make(path("copy"))
        alice.mailbox.store.close()
        try FileManager.default.copyItem(atPath: alice.path + "/sessions.db", toPath: path("copy") + "/sessions.db")
        try alice.open(at: path("copy"))
        #expect(try alice.mailbox.wasCopied && alice.mailbox.uploads() == [])
        try alice.open()
        #expect(try alice.mailbox.uploads().count == 1)
    }

    @Test func `a blob that was downloaded is not downloaded again, unless it is altered`() throws {
        try send()
        let message = try #require(received().first)
        let id = "\(message.blobID)"
        let blob = try #require(media.state.withLock { $0.blobs[id]?.bytes })
        // The process has died before the blob was opened.
        let left = path("files/.\(id).download")
        try Data(blob).write(to: URL(filePath: left))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: left)
        var altered = blob
        altered[100] ^= 1
        media.state.withLock { $0.blobs[id]?.bytes = altered }
        _ = try media.client.receive(message, as: "one", in: directory("files"), isInGroup: true)
        #expect(try file("one") == content && count(\.downloads) == 1)
        // Another one has died when the file had its name: its blob is not left behind.
        try Data(blob).write(to: URL(filePath: left))
        #expect(throws: FileError.exists(path: path("files/one"))) {
            try media.client.receive(message, as: "one", in: directory("files"), isInGroup: true)
        }
        #expect(try names("files") == ["one"])
        for _ in 0..<2 {
            #expect(throws: BlobStreamError<FileError, FileError>.notAuthentic) {
                try media.client.receive(message, as: "two", in: directory("files"), isInGroup: true)
            }
        }
        #expect(try names("files") == ["one"] && count(\.downloads) > 2)
        #expect(throws: MediaFailure.http(.bodyTooLong)) {
            try media.client.receive(message, as: "two", in: directory("files"), isInGroup: true, limit: 10)
        }
    }

    @Test func `changed bytes are another upload, or none`() throws {
        let random = SeededRandom(seed: 36)
        let message = FileMessage(
            blobID: Upload.noBlob, key: .random(), mediaType: "a/b", size: 5, thumbnail: .init(blobID: Upload.noBlob))
        for group in [nil, GroupIdentity(creator: alice.id, id: .random())] {
            let upload = Upload(
                message, thumbnail: [1, 2, 3], tag: Random.bytes(16), to: [bob.id, alice.id], in: group)
            let value = try upload.encoded().copied
            #expect(Upload(decoding: value.span) == upload)
            for _ in 0..<5000 {
                guard let accepted = Upload(decoding: random.changed(value).span) else { continue }
                // What was accepted can be stored again, unless it is too long for a message.
                if let again = try? accepted.encoded().copied { #expect(Upload(decoding: again.span) == accepted) }
            }
        }
    }
}
