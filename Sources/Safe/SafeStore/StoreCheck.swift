public import AtomicFiles
internal import Glibc

extension ServerDirectory {
    /// The file that a check writes and removes. One that a killed check has left is replaced by the next one.
    private static let checkName = "ready.check"

    /// Does what an upload does: opens the directories of the backups, reads the clock, then writes, reads and removes a file.
    /// - Parameter room: bytes that have to be free.
    /// - Throws: `StoreError`; `.full` also if less is free; `.failed` also if the path leads to another directory.
    public func check(room: Int) throws(StoreError) {
        let isEnough: Bool
        do throws(FileError) { isEnough = try tryOut(room: room) } catch { throw StoreError(error) }
        try shared.requirePlace()
        guard isEnough else { throw .full }
    }

    private func tryOut(room: Int) throws(FileError) -> Bool {
        _ = try shared.directory.directory(FolderStore.backupsName)
        if try hasAccounts() { _ = try shared.directory.directory(Self.accountsName) }
        try clock.check()
        let content: [UInt8] = Array("ready\n".utf8)
        try shared.directory.write(Self.checkName, content.span)
        let found = try shared.directory.readPublic(Self.checkName, limit: content.count)
        try shared.directory.remove(Self.checkName)
        guard found == content else {
            throw .system(.read, path: shared.directory.path(of: Self.checkName), code: EIO)
        }
        let free = try freeSpace()
        return free.bytes.map { $0 >= room } ?? true && free.files.map { $0 > 0 } ?? true
    }

    /// What is free on the file system of the directory.
    public func freeSpace() throws(FileError) -> FreeSpace { try shared.directory.freeSpace() }
}
