/// What a fuzzer gives its bytes to.
struct FuzzTarget: Sendable {
    let name: String
    /// The longest input that is tried, in bytes.
    let limit: Int
    /// What of the rooms reads the bytes: `Room/Type.function(labels:)`. Scripts/check-fuzz compares them with the sources.
    let reads: [String]
    /// Throws what the parser throws, which is not a finding.
    let run: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, limit: Int = 4096, _ reads: [String], _ run: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.limit = limit
        self.reads = reads
        self.run = run
    }
}

/// Ends the process if a property does not hold, which a fuzzer reports with the input.
func expect(_ condition: Bool, _ property: @autoclosure () -> String) {
    guard !condition else { return }
    fatalError(property())
}

/// The first byte of the input, and the others.
func split(_ bytes: [UInt8]) -> (first: UInt8, rest: [UInt8]) { (bytes.first ?? 0, Array(bytes.dropFirst())) }

/// So many bytes, the input's first ones, or zeros behind them.
func padded(_ bytes: some Collection<UInt8>, _ count: Int) -> [UInt8] {
    let head = Array(bytes.prefix(count))
    return head + [UInt8](repeating: 0, count: count - head.count)
}

nonisolated(unsafe) private var chosen: FuzzTarget?

/// Chooses the target of this process; `list` prints all. Returns 1 if it is chosen.
@_cdecl("fuzz_choose")
public func choose(_ name: UnsafePointer<CChar>) -> CInt {
    let name = String(cString: name)
    if name == "list" {
        for target in targets { print(target.name, target.limit) }
        return 0
    }
    chosen = targets.first { $0.name == name }
    return chosen == nil ? 0 : 1
}

/// Gives bytes to the chosen target.
@_cdecl("fuzz_run")
public func run(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    guard let target = chosen, count <= target.limit else { return }
    do { try target.run(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {}
}
