public import AtomicFiles

/// Why a session store cannot be used. Nothing in it is secret.
public enum SessionStoreError: Error, Equatable, Sendable {
    /// The directory or the file cannot be used.
    case file(FileError)
    /// The disk or the account's quota is full. No change of the transaction was made.
    case full(path: String)
    /// The database or its journal is damaged, or a value does not open with this owner's key.
    case damaged(path: String)
    /// The database is sound, but was not made by this program: its tables, triggers or ids differ.
    case foreign(path: String)
    /// The store is of another version.
    case unknownVersion(Int, path: String)
    /// The file is a copy or was restored. Call `OpenSessionStore.adopt` before you change it.
    case copied(path: String)
    /// Another process has opened the file without holding the identity's lock.
    case busy(path: String)
    /// The transaction was made, or undone at an opening, but what is replaced could not be overwritten. The next opening
    /// tries again.
    case unerased(path: String)
    /// Any other failure: SQLite's extended result code, and the errno of the failed system call, or 0.
    case system(path: String, code: Int32, errno: Int32)
}
