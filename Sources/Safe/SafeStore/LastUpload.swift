public import AtomicFiles
public import Encodings
internal import SafeWire

extension ServerDirectory {
    /// When an account has uploaded last, of the backups that are still stored; nil without backups or a directory.
    public func lastUpload(of account: AccountName) throws(FileError) -> Timestamp? {
        do throws(FileError) {
            let backups = try FolderStore(in: shared, account: account).backups()
            var last: Int64?
            for name in try backups.names() {
                guard BackupID(hex: name) != nil, let time = try backups.modificationTime(of: name) else { continue }
                last = max(last ?? time, time)
            }
            return last.map { Timestamp(milliseconds: $0) }
        } catch .missing {
            return nil
        }
    }
}
