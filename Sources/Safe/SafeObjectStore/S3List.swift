internal import HTTP
internal import SafeStore
internal import SafeWire

extension S3Connection {
    /// Most pages of a list that are read: 10,000 objects, if the server fills its pages. A deleted backup is an object,
    /// and so are files with other names below the account's.
    static let maxListPages = 10

    /// The lengths of an account's backups together in bytes, as the list of their bucket has them. The list may be
    /// late: it may lack the last writes, and have objects that have expired.
    ///
    /// Each page is asked for by the last name of the page before. The lengths of objects with other names are not
    /// counted.
    /// - Parameter exceptions: backups that are not counted.
    /// - Returns: nil if the list has more than `maxListPages` pages.
    /// - Throws: `StoreError`; `.failed` also if an answer is not a list of this account in order.
    func listedLength(
        of account: AccountName, except exceptions: Set<BackupID>
    ) throws(StoreError) -> Int? {
        let beginning = account.text + "/"
        var query = ["list-type": "2", "max-keys": String(S3ListPage.maxCount), "prefix": beginning]
        var last = ""
        var lastKey = ""
        var total = 0
        for _ in 0..<Self.maxListPages {
            let page = try page(of: address.bucket(of: account), S3Query(query))
            let before = lastKey
            for object in page.objects {
                guard object.key.hasPrefix(beginning) else { throw .badList }
                lastKey = object.key
                guard let id = BackupID(hex: String(object.key.dropFirst(beginning.count))) else { continue }
                // In order, none comes twice.
                guard id.hex > last else { throw .badList }
                last = id.hex
                if !exceptions.contains(id) { total += object.count }
            }
            guard page.isTruncated else { return total }
            guard before.utf8.lexicographicallyPrecedes(lastKey.utf8) else { throw .badList }
            query["start-after"] = lastKey
        }
        return nil
    }

    private func page(of bucket: String, _ query: S3Query) throws(StoreError) -> S3ListPage {
        let answer = try send(.get, "/" + bucket, query: query, limit: S3ListPage.maxBytes)
        guard answer.status == 200 else { throw StoreError(answer) }
        do throws(S3ListError) { return try S3ListPage(parsing: answer.body) } catch { throw .badList }
    }
}

extension StoreError {
    fileprivate static let badList = StoreError.failed(reason: "the object store's list of a bucket cannot be read")
}
