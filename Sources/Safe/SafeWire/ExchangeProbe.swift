// Probes: bytes that are stored under an id that no backup has, and removed again. The caller chooses both at random.

extension SafeExchange {
    /// Tests a server with PUT, GET and DELETE.
    /// - Returns: whether the server accepted a write whose condition held, and refused one whose condition did not; nil
    ///   if it did not return the content, or still had it after the DELETE.
    package func probe(_ content: [UInt8], at id: BackupID) throws(SafeExchangeError) -> Bool? {
        let hold = try hold()
        defer { withExtendedLifetime(hold) {} }
        do throws(SafeExchangeError) {
            var honoursConditions = try isStored(content, at: id)
            if !honoursConditions { try store(content, at: id, if: .none) }
            let isReturned = try fetch(id)?.bytes == content
            if try isStored(content, at: id) { honoursConditions = false }
            try remove(id, if: .none)
            guard isReturned, try fetch(id) == nil else {
                try? remove(id, if: .none)
                return nil
            }
            return honoursConditions
        } catch {
            try? remove(id, if: .none)
            throw error
        }
    }

    /// Whether another exchange returns what this one stores: then both lead to one place.
    package func isSeen(_ content: [UInt8], at id: BackupID, by reader: any SafeExchange) throws(SafeExchangeError)
        -> Bool
    {
        do throws(SafeExchangeError) {
            try store(content, at: id, if: .none)
            let isSeen = try reader.fetch(id)?.bytes == content
            try remove(id, if: .none)
            return isSeen
        } catch {
            try? remove(id, if: .none)
            throw error
        }
    }

    /// Whether the server accepts the content on condition that it has none.
    private func isStored(_ content: [UInt8], at id: BackupID) throws(SafeExchangeError) -> Bool {
        do throws(SafeExchangeError) {
            try store(content, at: id, if: .absent)
            return true
        } catch .changed {
            return false
        }
    }
}
