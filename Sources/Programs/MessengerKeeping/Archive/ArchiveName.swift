internal import Keystore
internal import Tar

// The files of an archive, in this order:
//
//   README.txt                       how to read the archive without keytool
//   keytool-archive                  the version of this layout: "1" and a line feed
//   MESSENGER/ID/RECORD              a record of an identity, opened: threema/ABCD1234/identity
//   MESSENGER/ID/places/PLACE/RECORD one of its places: threema/ABCD1234/places/main/safe
//   MESSENGER/ID/sessions.values     all values of its session store (`ExportedValues`), if that was asked for
//
// A Threema identity's profile is called profile.json, so that other programs know what it is. Files may stand in
// another order, with directories between them, as GNU tar writes them. Another file is refused: nothing in an archive
// is left out without a word.

/// The name of a record in an archive.
struct ArchiveName: Hashable {
    static let readme = TarName("README.txt")!
    static let version = TarName("keytool-archive")!
    private static let places = "places"
    private static let sessions = "sessions.values"
    private static let ending = ".json"
    /// Records that are JSON documents for other programs, too.
    private static let documents: [String: RecordName] = ["threema": "profile"]

    let owner: Owner
    let record: RecordName

    init(_ owner: Owner, _ record: RecordName) {
        self.owner = owner
        self.record = record
    }

    /// - Returns: nil for a name that no record has.
    init?(_ name: TarName) {
        let parts = name.text.split(separator: "/").map(String.init)
        guard parts.count == 3 || parts.count == 5 && parts[2] == Self.places,
            let owner = Owner(messenger: parts[0], id: parts[1])
        else { return nil }
        var text = parts[parts.count - 1]
        var place: PlaceName?
        if parts.count == 5 {
            guard let name = PlaceName(parts[3]) else { return nil }
            place = name
        } else if let document = Self.documents[owner.messenger], text == document.text + Self.ending {
            text = document.text
        } else if text == Self.documents[owner.messenger]?.text {
            return nil
        }
        guard let record = RecordName(Array(text.utf8)), !record.isReserved else { return nil }
        self.init(owner, record.at(place))
    }

    /// The name of the values of an owner's session store. Cannot fail, as `text`.
    static func sessions(of owner: Owner) -> TarName { TarName("\(owner.messenger)/\(owner.id)/\(sessions)")! }

    /// Whose session store has this name; nil for any other name.
    static func owner(ofSessions name: TarName) -> Owner? {
        let parts = name.text.split(separator: "/").map(String.init)
        guard parts.count == 3, parts[2] == sessions else { return nil }
        return Owner(messenger: parts[0], id: parts[1])
    }

    /// Cannot fail: owners, places and records have the characters of file names, and are short enough.
    var text: TarName {
        let start = "\(owner.messenger)/\(owner.id)/"
        guard let place = record.place else {
            let isDocument = Self.documents[owner.messenger] == record
            return TarName(start + record.text + (isDocument ? Self.ending : ""))!
        }
        return TarName(start + "\(Self.places)/\(place.text)/\(record.text)")!
    }
}
