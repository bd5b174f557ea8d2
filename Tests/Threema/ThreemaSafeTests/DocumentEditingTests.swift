import Encodings
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// An edit of one field keeps every other byte of meaning.
@Suite struct DocumentEditingTests {
    private static let id = try! ThreemaID("ECHOECHO")
    private static let key = PublicKey([UInt8](repeating: 0xab, count: 32))!
    private static let time = Timestamp(milliseconds: 1_800_000_000_000)

    /// An edit, the paths that it may change, and whether it was done.
    struct Edit: CustomStringConvertible, Sendable {
        let description: String
        let paths: Set<String>
        let apply: @Sendable (SafeDocument) -> SafeDocument
        let isDone: @Sendable (SafeDocument) -> Bool

        init(
            _ description: String, _ paths: String..., apply: @escaping @Sendable (SafeDocument) -> SafeDocument,
            isDone: @escaping @Sendable (SafeDocument) -> Bool
        ) {
            self.description = description
            self.paths = Set(paths)
            self.apply = apply
            self.isDone = isDone
        }
    }

    static let edits: [Edit] = [
        Edit("nickname", "/user/nickname") {
            $0.settingNickname("neu \u{e9}")
        } isDone: {
            $0.nickname == "neu \u{e9}"
        },
        Edit("no nickname", "/user/nickname") {
            $0.settingNickname(nil)
        } isDone: {
            $0.nickname == nil
        },
        Edit("picture", "/user/profilePic") {
            $0.settingPicture(try! ProfilePicture(jpeg: SampleJPEG().bytes))
        } isDone: {
            $0.picture == SampleJPEG().bytes
        },
        Edit("no picture", "/user/profilePic") {
            $0.settingPicture(nil)
        } isDone: {
            !$0.hasPicture
        },
        Edit("audience", "/user/profilePicRelease") {
            $0.settingPictureAudience(.contacts(["A", "B"]))
        } isDone: {
            $0.pictureAudience == .contacts(["A", "B"])
        },
        Edit("phone", "/user/links") {
            $0.settingLink(.mobile, to: "4930123456")
        } isDone: {
            $0.links.map(\.value).contains("4930123456")
        },
        // A document without settings gets the one that all apps need.
        Edit("a flag", "/settings/threemaCalls", "/settings/syncContacts") {
            $0.setting(.threemaCalls, to: false).setting(.syncContacts, to: $0.settings[.syncContacts])
        } isDone: {
            !$0.settings[.threemaCalls]
        },
        Edit("blocked", "/settings/blockedContacts", "/settings/syncContacts") {
            $0.settingBlockedContacts([id])
        } isDone: {
            $0.settings.blockedContacts == [id.text]
        },
    ]

    @Test(arguments: edits) func `an edit changes its field and nothing else`(_ edit: Edit) throws {
        for seed in 0..<60 as Range<UInt64> {
            var generator = GeneratedDocument(seed: seed)
            let document = try generator.document(contacts: Int(seed % 7), groups: Int(seed % 4))
            let edited = edit.apply(document)
            #expect(try edited.leaves(but: edit.paths) == document.leaves(but: edit.paths))
            #expect(edit.isDone(edited))
        }
    }

    @Test func `the largest address books`() throws {
        var generator = GeneratedDocument(seed: 99)
        let document = try generator.document(contacts: 5000, groups: 500)
        #expect(document.contacts.count == 5000 && document.groups.count == 500)
        for edit in [Self.edits[0], Self.edits[6]] {
            #expect(try edit.apply(document).leaves(but: edit.paths) == document.leaves(but: edit.paths))
        }
        let added = document.addingContact(Self.id, Self.key, level: .fullyVerified, createdAt: Self.time)
        #expect(try added.leaves(but: ["/contacts/5000"]) == document.leaves())
        let contact = try #require(added.contacts.last)
        #expect(contact.id == Self.id && contact.publicKey == Self.key && contact.level == .fullyVerified)
        #expect(added.removingContact(Self.id.text) == document)
    }

    @Test func `a contact's level changes alone`() throws {
        var generator = GeneratedDocument(seed: 5)
        let document = try generator.document(contacts: 200, groups: 0)
        let index = try #require(document.contacts.firstIndex { $0.id != nil })
        let id = try #require(document.contacts[index].id)
        let edited = document.settingContact(id, publicKey: Self.key, level: .fullyVerified)
        let paths: Set = ["/contacts/\(index)/verification", "/contacts/\(index)/publickey"]
        #expect(try edited.leaves(but: paths) == document.leaves(but: paths))
        #expect(edited.contacts[index].publicKey == Self.key && edited.contacts[index].level == .fullyVerified)
    }

    @Test func `a removed contact leaves the others and the groups as they are`() throws {
        let document = try SafeDocument(
            parse(
                #"{"info":{"version":1},"user":{},"contacts":[{"identity":"A","x":1.0},{"identity":"é"},"#
                    + #"{"identity":"A"}],"groups":[{"members":["A"]}]}"#))
        #expect(
            document.removingContact("A").text
                == #"{"contacts":[{"identity":"é"}],"groups":[{"members":["A"]}],"info":{"version":1},"user":{}}"#)
        // By bytes, not by Characters.
        #expect(document.removingContact("e\u{301}") == document)
    }

    @Test func `an edit and its reverse give the same bytes`() throws {
        let document = try SafeDocument(
            parse(#"{"info":{"version":1},"user":{"nickname":"a","u":1e400},"settings":{"syncContacts":true}}"#))
        #expect(document.settingNickname("b").settingNickname("a").encoded == document.encoded)
        #expect(document.settingLink(.email, to: nil) == document)
        #expect(document.settingNickname("").text.contains("nickname") == false)
    }

    @Test func `a link replaces the one of its kind`() throws {
        let document = try SafeDocument(
            parse(
                #"{"info":{"version":1},"user":{"links":[{"type":"x","value":"1"},"#
                    + #"{"type":"email","value":"a@b","u":1},{"type":"email","value":"c@d"}]}}"#))
        let edited = document.settingLink(.email, to: "e@f").settingLink(.mobile, to: "41")
        #expect(
            edited.text.contains(
                #""links":[{"type":"x","value":"1"},{"type":"email","u":1,"value":"e@f"},"#
                    + #"{"type":"mobile","value":"41"}]"#
            ))
        #expect(edited.settingLink(.email, to: nil).links.map(\.value) == ["1", "41"])
    }

    @Test func `new settings are what all apps can read`() {
        let document = try! SafeDocument(["info": ["version": 1], "user": [:]])
        #expect(
            document.setting(.readReceipts, to: false).text
                == #"{"info":{"version":1},"settings":{"readReceipts":false,"syncContacts":false},"user":{}}"#)
    }
}
