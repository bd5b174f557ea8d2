import Encodings
import Testing
import Threema
import ThreemaSafe

/// What an Android phone does with a document.
@Suite struct RestorePreviewTests {
    private func preview(_ members: String, user: String = "{}") throws -> RestorePreview {
        let document = try SafeDocument(parse(#"{"info":{"version":1},"user":\#(user),\#(members)}"#))
        return RestorePreview(of: document, owner: try ThreemaID("OWNER000"))
    }

    @Test func `levels stay only with a key`() throws {
        let preview = try preview(
            #""contacts":[{"identity":"A0000000","verification":2,"publickey":"\#(sampleKeyText)"},"#
                + #"{"identity":"B0000000","verification":2},{"identity":"C0000000","verification":1},"#
                + #"{"identity":"D0000000","verification":0},{"identity":"E0000000","verification":2,"publickey":"?"},"#
                + #"{"identity":"short","verification":2}]"#)
        #expect(preview.loweredContacts.map(\.identity) == ["B0000000", "C0000000", "E0000000"])
        #expect(preview.skippedContacts.map(\.identity) == ["short"])
    }

    @Test func `groups`() throws {
        let preview = try preview(
            #""contacts":[{"identity":"A0000000"}],"groups":["#
                + #"{"id":"1","creator":"A0000000","members":["A0000000","OWNER000"]},"#
                + #"{"id":"2","creator":"B0000000","members":["OWNER000"]},"#
                + #"{"id":"3","creator":"OWNER000","members":["OWNER000"],"deleted":true},"#
                + #"{"id":"4","creator":"A0000000","members":["A0000000"]},"#
                + #"{"id":"5","creator":"A0000000","members":["OWNER000"]},"#
                + #"{"id":"6","creator":"OWNER000","members":["OWNER000","B0000000"]}]"#)
        #expect(preview.skippedGroups.map(\.group.id) == ["2", "3"])
        #expect(preview.skippedGroups.map(\.reason) == [.noCreator, .isDeleted])
        #expect(preview.formerGroups.map(\.id) == ["4", "5"])
    }

    @Test func `a document without contacts loses its groups and lists`() throws {
        let members =
            #""groups":[{"id":"1","creator":"OWNER000","members":["OWNER000"]}],"distributionlists":[{"name":"l"}]"#
        let preview = try preview(members)
        #expect(preview.isWithoutContacts && preview.isWithoutSettings && preview.isIDNickname)
        #expect(preview.skippedGroups.map(\.reason) == [.noContacts])
        #expect(preview.skippedLists.count == 1)
        let whole = try self.preview(members + #","contacts":[],"settings":{}"#, user: #"{"nickname":"n"}"#)
        #expect(!whole.isWithoutContacts && !whole.isWithoutSettings && !whole.isIDNickname)
        #expect(whole.skippedGroups.isEmpty && whole.skippedLists.isEmpty)
    }

    @Test func `lists and viewers`() throws {
        let preview = try preview(
            #""contacts":[],"distributionlists":[{"id":"0100000000000000"},{"id":"1"},{"name":"old"}]"#,
            user: #"{"profilePicRelease":["ECHOECHO","x"]}"#)
        #expect(preview.renumberedLists.map(\.id) == ["1"])
        #expect(preview.droppedPictureViewers == ["x"])
    }
}
