import Encodings
import Testing
import Threema
import ThreemaSafe

@Suite struct DocumentDifferenceTests {
    private func difference(_ before: String, _ after: String) throws -> DocumentDifference {
        try DocumentDifference(from: document(before), to: document(after))
    }

    private func document(_ members: String) throws -> SafeDocument {
        let hasUser = members.contains(#""user":"#)
        return try SafeDocument(parse(#"{"info":{"version":1}\#(hasUser ? "" : #","user":{}"#),\#(members)}"#))
    }

    @Test func `documents that say the same`() throws {
        for (left, right) in [
            (#""x":1"#, #""x":1"#),
            (#""info2":null,"contacts":[]"#, #""contacts":[]"#),
            (
                #""contacts":[{"identity":"A","verification":0,"lastname":""},{"identity":"B"}]"#,
                #""contacts":[{"identity":"B","private":"false","lastUpdate":null},{"identity":"A","hidden":false}]"#
            ),
            (
                #""groups":[{"id":"1","members":["A","B"]}]"#,
                #""groups":[{"id":"1","members":["B","A"],"deleted":false}]"#
            ),
            (#""settings":{"readReceipts":true,"blockedContacts":[]}"#, #""settings":{"syncContacts":false}"#),
            (#""user":{"nickname":null,"links":[]}"#, #""user":{"nickname":""}"#),
            (#""user":{"profilePicRelease":[null]}"#, #""user":{}"#),
            (#""user":{"profilePicRelease":["A","B"]}"#, #""user":{"profilePicRelease":["B","A"]}"#),
            (#""settings":{"syncExcludedIds":["a","b"]}"#, #""settings":{"syncExcludedIds":["b","a"]}"#),
            (#""settings":{"syncExcludedIDs":[]}"#, #""settings":{}"#),
            (#""contacts":[{"identity":"A","private":"true"}]"#, #""contacts":[{"identity":"A","private":true}]"#),
        ] {
            #expect(try difference(left, right).isEmpty, "\(left) \(right)")
            #expect(try difference(right, left).isEmpty, "\(right) \(left)")
        }
    }

    @Test func `contacts`() throws {
        let difference = try difference(
            #""contacts":[{"identity":"A","verification":1},{"identity":"B"},{"identity":"C","publickey":"k"},"#
                + #"{"identity":"D","firstname":"d"},{"identity":"E","u":1},{"identity":"F"}]"#,
            #""contacts":[{"identity":"G"},{"identity":"F"},{"identity":"E","u":1.0},{"identity":"D","firstname":"D"},"#
                + #"{"identity":"C","publickey":"K","hidden":true},{"identity":"A","verification":2}]"#)
        #expect(difference.addedContacts.map(\.identity) == ["G"])
        #expect(difference.removedContacts.map(\.identity) == ["B"])
        #expect(difference.changedContacts.map(\.after.identity) == ["E", "D", "C", "A"])
        #expect(difference.changedContacts.map(\.fields) == [[.other], [.names], [.publicKey, .other], [.level]])
        #expect(difference.changedContacts.last?.before.level == .serverVerified)
        #expect(difference.changedParts.isEmpty)
    }

    @Test func `a number that is no level is a difference`() throws {
        let difference = try difference(
            #""contacts":[{"identity":"A","verification":7}]"#, #""contacts":[{"identity":"A","verification":0}]"#)
        #expect(difference.changedContacts.map(\.fields) == [[.other]])
    }

    @Test func `an ID that stands twice`() throws {
        let difference = try difference(
            #""contacts":[{"identity":"A","firstname":"1"},{"identity":"A","firstname":"2"}]"#,
            #""contacts":[{"identity":"A","firstname":"1"}]"#)
        #expect(difference.removedContacts.map(\.firstName) == ["2"])
        #expect(difference.changedContacts.isEmpty)
    }

    @Test func `names are compared as bytes`() throws {
        let difference = try difference(
            "\"contacts\":[{\"identity\":\"\u{e9}\"}],\"user\":{\"nickname\":\"\u{e9}\"}",
            "\"contacts\":[{\"identity\":\"e\u{301}\"}],\"user\":{\"nickname\":\"e\u{301}\"}")
        #expect(difference.addedContacts.count == 1 && difference.removedContacts.count == 1)
        #expect(difference.changedParts == [.nickname])
    }

    @Test func `a member with a name of other bytes is another member`() throws {
        let difference = try difference(
            "\"settings\":{}", "\"settings\":{\"incognito\u{212a}eyboard\":true}")
        #expect(difference.changedParts == [.settings])
    }

    @Test func `those who may see the picture, beside everyone`() throws {
        let difference = try difference(
            #""user":{"profilePicRelease":["*"]}"#, #""user":{"profilePicRelease":["*","A"]}"#)
        #expect(difference.changedParts == [.pictureAudience])
        let first = try self.difference(
            #""user":{"profilePicRelease":["A","*"]}"#, #""user":{"profilePicRelease":["*","A"]}"#)
        #expect(first.changedParts == [.pictureAudience])
    }

    @Test func `groups and lists`() throws {
        let difference = try difference(
            #""groups":[{"id":"1","creator":"A","groupname":"g","members":["A"]},{"id":"2","creator":"A"}],"#
                + #""distributionlists":[{"name":"old","members":["A"]},{"id":"3","name":"l"}]"#,
            #""groups":[{"id":"1","creator":"B"},{"id":"1","creator":"A","groupname":"h","members":["A","B"],"x":1}],"#
                + #""distributionlists":[{"name":"old","members":[]},{"id":"3","name":"m"},{"id":"4"}]"#)
        #expect(difference.addedGroups.map(\.creator) == ["B"] && difference.removedGroups.map(\.id) == ["2"])
        #expect(difference.changedGroups.map(\.fields) == [[.name, .members, .other]])
        #expect(difference.addedLists.map(\.id) == ["4"] && difference.removedLists.isEmpty)
        #expect(difference.changedLists.map(\.fields) == [[.members], [.name]])
    }

    @Test(arguments: [
        (#""user":{"nickname":"a"}"#, DocumentDifference.Part.nickname), (#""user":{"profilePic":"AA=="}"#, .picture),
        (#""user":{"profilePicRelease":["*"]}"#, .pictureAudience),
        (#""user":{"links":[{"type":"email","value":"a"}]}"#, .links),
        (#""settings":{"blockedContacts":["A"]}"#, .blockedContacts),

        (#""settings":{"recentEmojis":["A"]}"#, .settings), (#""settings":{"u":0}"#, .settings),
        (#""u":false"#, .other),
        (#""user":{"u":""}"#, .other),
    ]) func `each part`(_ members: String, _ part: DocumentDifference.Part) throws {
        #expect(try difference(#""v":1"#, #""v":1,\#(members)"#).changedParts == [part])
        #expect(try difference(#""v":1,\#(members)"#, #""v":1"#).changedParts == [part])
    }

    @Test func `which settings changed`() throws {
        let difference = try difference(
            #""settings":{"blockUnknown":true,"sendTyping":false}"#,
            #""settings":{"sendTyping":true,"threemaCalls":false}"#)
        #expect(difference.changedFlags == [.blockUnknown, .sendTyping, .threemaCalls])
        #expect(difference.changedParts.isEmpty && !difference.isEmpty)
        let both = try self.difference(#""settings":{"calls":1}"#, #""settings":{"calls":2,"threemaCalls":false}"#)
        #expect(both.changedFlags == [.threemaCalls] && both.changedParts == [.settings])
    }

    @Test func `generated documents`() throws {
        for seed in 0..<40 as Range<UInt64> {
            var generator = GeneratedDocument(seed: seed)
            let document = try generator.document(contacts: 30, groups: 5)
            #expect(DocumentDifference(from: document, to: document).isEmpty)
            let contact = try #require(document.contacts.first)
            let without = document.removingContact(contact.identity)
            let difference = DocumentDifference(from: document, to: without)
            #expect(difference.removedContacts.count == document.contacts.count - without.contacts.count)
            #expect(difference.addedContacts.isEmpty && difference.changedContacts.isEmpty)
        }
    }
}
