import Encodings
import Testing
import Threema
import ThreemaSafe

@Suite struct DocumentViewTests {
    private func document(_ members: String) throws -> SafeDocument {
        try SafeDocument(parse(#"{"info":{"version":1},"user":{},\#(members)}"#))
    }

    private func contact(_ members: String) throws -> SafeContact {
        try #require(try document(#""contacts":[{\#(members)}]"#).contacts.first)
    }

    @Test func `a contact as Android writes it`() throws {
        let contact = try contact(
            #""identity":"ECHOECHO","verification":2,"publickey":"\#(sampleKeyText)","createdAt":1.7e12,"#
                + #""workVerified":true,"hidden":true,"private":"true","firstname":"Anna","lastname":"Blum","#
                + #""nickname":"ab","lastUpdate":1700000000001,"readReceipts":1,"typingIndicators":2"#)
        #expect(contact.id?.text == "ECHOECHO")
        #expect(contact.publicKey?.bytes == [UInt8](repeating: 0xcc, count: 32) && !contact.isKeyMalformed)
        #expect(contact.level == .fullyVerified)
        #expect(contact.createdAt == Timestamp(milliseconds: 1_700_000_000_000))
        #expect(contact.lastUpdate == Timestamp(milliseconds: 1_700_000_000_001))
        #expect(contact.isWorkVerified && contact.isHidden && contact.isPrivate)
        #expect(contact.displayName == "Anna Blum" && contact.nickname == "ab")
        #expect(contact.readReceipts == .send && contact.typingIndicators == .doNotSend)
    }

    @Test func `a contact with the least`() throws {
        let contact = try contact(#""identity":"X""#)
        #expect(contact.identity == "X" && contact.id == nil && contact.publicKey == nil && !contact.isKeyMalformed)
        #expect(contact.level == .unverified && contact.displayName.isEmpty && contact.createdAt == nil)
        #expect(!contact.isHidden && !contact.isPrivate && contact.readReceipts == .asInSettings)
    }

    @Test(arguments: ["3", "-1", "99999999999999999999"]) func `a level that is none`(_ number: String) throws {
        #expect(try contact(#""identity":"X","verification":\#(number)"#).level == .unverified)
    }

    @Test(arguments: ["0", "-1", "1e308", "1e400", "18446744073709552000", "null"])
    func `a time that is none`(_ time: String) throws {
        #expect(try contact(#""identity":"X","createdAt":\#(time)"#).createdAt == nil)
    }

    @Test(arguments: ["", "zzz", "zMzM", "zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw"])
    func `a key that is none`(_ text: String) throws {
        let contact = try contact(#""identity":"X","publickey":"\#(text)""#)
        #expect(contact.publicKey == nil && contact.isKeyMalformed)
    }

    @Test func `levels as they are stored and shown`() {
        #expect(VerificationLevel.allCases.map(\.stored) == [0, 1, 2])
        #expect(VerificationLevel.allCases.map(\.shown) == [1, 2, 3])
        #expect(VerificationLevel.allCases == VerificationLevel.allCases.sorted())
    }

    @Test func `groups, lists and settings`() throws {
        let document = try document(
            #""groups":[{"id":"0100000000000000","creator":"ECHOECHO","groupname":"g","members":["A","B"],"#
                + #""deleted":true},{}],"distributionlists":[{"name":"l","members":["C"]},{"id":"2"}],"#
                + #""settings":{"readReceipts":false,"syncExcludedIds":["A"],"syncExcludedIDs":["B","A"]}"#)
        let group = document.groups[0]
        #expect(group.id == "0100000000000000" && group.creator == "ECHOECHO" && group.name == "g")
        #expect(group.members == ["A", "B"] && group.isDeleted)
        #expect(document.groups[1].id == "" && document.groups[1].members == [])
        #expect(document.distributionLists.map(\.id) == [nil, "2"])
        #expect(document.distributionLists[0].members == ["C"])
        #expect(
            !document.settings[.readReceipts] && document.settings[.sendTyping] && !document.settings[.blockUnknown])
        #expect(document.settings.syncExcludedIDs == ["A", "B"])
    }

    @Test(arguments: [
        ("null", PictureAudience.nobody), ("[]", .nobody), ("[null]", .nobody), (#"[null,"*"]"#, .nobody),
        (#"["*"]"#, .everyone), (#"["*","A"]"#, .everyone), (#"["A",null,"B"]"#, .contacts(["A", "B"])),
    ]) func `who may see the picture`(_ value: String, _ audience: PictureAudience) throws {
        let document = try SafeDocument(parse(#"{"info":{"version":1},"user":{"profilePicRelease":\#(value)}}"#))
        #expect(document.pictureAudience == audience)
        #expect(document.settingPictureAudience(audience).pictureAudience == audience)
        #expect(SafeDocument.empty.pictureAudience == .nobody)
    }

    @Test func `picture and links`() throws {
        let document = try SafeDocument(
            parse(
                #"{"info":{"version":1},"user":{"profilePic":"AQI=","links":[{"type":"mobile","value":"41"},"#
                    + #"{"type":"fax","name":"n"}]}}"#))
        #expect(document.picture == [1, 2] && document.hasPicture)
        #expect(document.links.map(\.kind) == [.mobile, .other("fax")])
        #expect(document.links.map(\.value) == ["41", ""] && document.links[1].name == "n")
        let odd = try SafeDocument(parse(#"{"info":{"version":1},"user":{"profilePic":"?"}}"#))
        #expect(odd.picture == nil && odd.hasPicture)
    }
}
