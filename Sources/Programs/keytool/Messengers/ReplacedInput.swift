import Console

extension DocumentTarget {
    /// Whether a path leads to the file that was written: the result has replaced what was read there. A second name of
    /// the old file still leads to that.
    /// - Parameter path: what was read; `-` for stdin.
    func isWritten(to path: String) -> Bool {
        guard path != "-", let target = self.path, let result = FileStatus(target), let file = FileStatus(path) else {
            return false
        }
        return file.isSameFile(as: result)
    }
}
