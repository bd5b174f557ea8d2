public import AtomicFiles
public import Encodings
internal import SafeWire

extension ServerDirectory {
    /// When an account has uploaded last, of the backups that are still stored; nil without backups or a directory.
    ///
    /// Backups are dated by the store's time, which may be behind the wall clock's for good.
    /// - Parameter wall: the wall clock, by which the result is.
    public func lastUpload(of account: AccountName, now wall: Timestamp) throws(FileError) -> Timestamp? {
        do throws(FileError) {
            var last: Timestamp?
            try FolderStore(in: shared, account: account).eachBackup { _, time, _ in last = max(last ?? time, time) }
            let lead = try clock.lead(of: wall)
            return last.map { $0 + lead }
        } catch .missing {
            return nil
        }
    }
}
