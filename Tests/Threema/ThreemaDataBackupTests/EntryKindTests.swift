import Testing
import ThreemaDataBackup

/// Names of entries, of old and new files.
@Suite struct EntryKindTests {
    @Test(arguments: [
        ("settings", EntryKind.settings), ("identity", .identity), ("contacts.csv", .table), ("groups.csv", .table),
        ("distribution_list.csv", .table), ("contact_avatar_me", .picture), ("contact_avatar_ECHOECHO", .picture),
        ("contact_profile_pic_0000000001", .picture), ("group_avatar_0123456789abcdef-ECHOECHO", .picture),
        ("message_0000000001.csv", .conversation), ("message_ECHOECHO.csv", .conversation),
        ("group_message_0000000001.csv", .conversation), ("distribution_list_message_5.csv", .conversation),
        ("message_media_ab", .media), ("group_message_media_ab", .media), ("message_media_ab.csv", .media),
        ("distribution_list_message_media_ab", .media), ("message_thumbnail_ab", .thumbnail),
        ("group_message_thumbnail_ab", .thumbnail), ("distribution_list_message_thumbnail_ab", .thumbnail),
        ("ballot.csv", .polls), ("ballot_choice.csv", .polls), ("ballot_vote.csv", .polls),
        ("contact_reactions.csv", .reactions), ("group_reactions.csv", .reactions), ("reaction_counts.csv", .reactions),
        ("nonces.csv", .nonces), ("nonces_d2d.csv", .nonces), ("nonce_counts.csv", .nonces),
        ("message_0000000001", .unknown), ("Settings", .unknown), ("settings/", .unknown), ("../identity", .unknown),
        ("", .unknown), ("\u{1b}[2J", .unknown),
    ])
    func `a name tells the kind`(name: String, kind: EntryKind) {
        #expect(EntryKind(name: Array(name.utf8)) == kind)
    }

    @Test func `bytes that are not UTF-8 are unknown`() {
        #expect(EntryKind(name: [0xff, 0xfe]) == .unknown)
    }
}
