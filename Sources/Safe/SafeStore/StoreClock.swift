public import AtomicFiles
public import Encodings
internal import Synchronization

/// The clock of a server's directory (`StoreTime`), shared by all of its stores in a process. `DIR/clock` is written
/// before the first backup is dated, at each sweep, and when the wall clock was set back. What was read in between may
/// be lost: then the store's time is earlier than it was, and backups stay longer. If the file is lost, the clock
/// begins again.
///
/// Processes do not lock each other out. Of two that write the file at once, the later one stays; that, too, costs time
/// and no backups.
public final class StoreClock: Sendable {
    static let name = "clock"
    private static let maxBytes = 1024
    /// A wall clock that goes back by less was not set: of two writes, the one that was asked for first may come later.
    private static let leastReturn = Duration.seconds(10)

    private let shared: SharedDirectory
    private let time = Mutex<StoreTime?>(nil)

    init(in shared: SharedDirectory) { self.shared = shared }

    /// The time of the store, by which backups are dated.
    /// - Parameter wall: the wall clock.
    func read(_ wall: Timestamp) throws(FileError) -> Timestamp {
        try change { time throws(FileError) in
            if time == nil { time = try stored() }
            if time == nil {
                // The next process could begin elsewhere, far from what is dated by this clock.
                let begun = try begun(at: wall)
                try store(begun)
                time = begun
            }
            let last = time!.wall ?? wall
            let now = time!.read(wall)
            // A command beside this process knows only what is stored. By that, no time would pass until the wall clock
            // has caught up, and what is uploaded meanwhile would seem to be uploaded later than it was.
            if last - wall > Self.leastReturn { try? store(time!) }
            return now
        }
    }

    /// The time of the store, for a command that changes nothing.
    func peek(_ wall: Timestamp) throws(FileError) -> StoreTime {
        var time = if let stored = try stored() { stored } else { try begun(at: wall) }
        _ = time.read(wall)
        return time
    }

    /// How far the wall clock is ahead of the store's time; zero for a store without a clock, whose times are the wall's.
    public func lead(of wall: Timestamp) throws(FileError) -> Duration {
        guard var time = try stored() else { return .zero }
        return wall - time.read(wall)
    }

    /// Throws if the clock cannot be read.
    func check() throws(FileError) { _ = try stored() }

    /// As `peek`, with what other processes have read, and stores it. A clock that cannot be stored is read all the
    /// same: a sweep of a full disk is needed most.
    func keep(_ wall: Timestamp) throws(FileError) -> StoreTime {
        try change { time throws(FileError) in
            let stored = try stored()
            var next = time ?? stored
            if next == nil { next = try begun(at: wall) }
            time = next?.joined(stored)
            _ = time!.read(wall)
            try? store(time!)
            return time!
        }
    }

    private func stored() throws(FileError) -> StoreTime? {
        do throws(FileError) {
            return StoreTime(stored: try shared.directory.readPublic(Self.name, limit: Self.maxBytes))
        } catch .missing {
            return nil
        } catch .tooLarge {
            return nil
        }
    }

    private func store(_ time: StoreTime) throws(FileError) {
        try shared.directory.write(Self.name, time.bytes.span)
    }

    private func begun(at wall: Timestamp) throws(FileError) -> StoreTime {
        StoreTime(at: wall, newest: try ServerDirectory(in: shared).newest())
    }

    private func change<Value>(
        _ body: (inout StoreTime?) throws(FileError) -> Value
    ) throws(FileError) -> Value {
        var result: Result<Value, FileError>?
        time.withLock { time in result = Result { () throws(FileError) in try body(&time) } }
        return try result!.get()
    }
}
