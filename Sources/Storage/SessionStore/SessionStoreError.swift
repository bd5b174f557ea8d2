public import AtomicFiles

/// Why a session store cannot be used. Paths are for people; nothing here is secret.
public enum SessionStoreError: Error, Equatable, Sendable {
    /// The directory or the file cannot be used as it is.
    case file(FileError)
    /// The disk or the account's quota is full. Nothing of the transaction was made.
    case full(path: String)
    /// The file is no sound database, or a value does not open under this owner's key.
    case damaged(path: String)
    /// It is a sound database, but not one that this program made: other tables, triggers or marks.
    case foreign(path: String)
    /// It is a store of a later version.
    case unknownVersion(Int, path: String)
    /// The file is a copy, or was restored: nothing changes before `OpenSessionStore.adopt`.
    case copied(path: String)
    /// Another process has the file open without having the identity's lock.
    case busy(path: String)
    /// Anything else: SQLite's extended result code, and the errno of the system call that failed, or 0.
    case system(path: String, code: Int32, errno: Int32)
}
