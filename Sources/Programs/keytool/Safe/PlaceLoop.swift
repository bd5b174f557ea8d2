import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import Threema
import ThreemaKeeping

/// What a command has to say of one of several places.
struct PlaceReport {
    /// The result, for people.
    var line: String?
    /// The result in JSON, `id` first; nil if it is not a result.
    var members: [JSONValue.Member]?
    /// Nil if all is well.
    var failure: Failure?
}

extension Session {
    /// Works on several places, one after the other, and prints the result of each, or a JSON document with those of
    /// all. A failure does not end the loop, and each place has time limits of its own: one server's silence must not
    /// use up the time of another. Nor does a stdout that takes nothing: the other places are as important as before.
    /// - Parameters:
    ///   - isData: whether the results are printed even when quiet.
    ///   - work: does the work for one place. What it throws is reported, and so is the failure of its result.
    /// - Throws: `CommandFailure` with the worst failure, which is reported already.
    func forEach(
        _ places: [ChosenPlace], _ keeper: ThreemaKeeper, _ limits: TimeLimits, command: String, isData: Bool = false,
        _ work: (ChosenPlace, ThreemaKeeper) throws -> PlaceReport
    ) throws {
        var results: [JSONValue] = []
        var worst: Failure?
        var unprinted: (any Error)?
        func print(_ lines: [String], _ json: JSONValue) {
            do {
                try output.result(lines.map(StyledLine.init), json: json, isData: isData)
            } catch {
                unprinted = unprinted ?? error
            }
        }
        for place in places {
            let report: PlaceReport
            do {
                if let unread = place.unread { throw unread }
                report = try work(place, renewed(keeper, limits))
            } catch {
                report = PlaceReport(failure: Failure(error))
            }
            if let line = report.line, !output.isJSON { print(["\(place.label): " + line], .object([])) }
            let failure = report.failure.map(place.named)
            if let failure {
                if !output.isJSON { failure.report(about: place.label) }
                worst = Failure.worse(worst, failure)
            }
            guard report.members != nil || failure != nil else { continue }
            let members = report.members ?? [.init("id", .string(place.id.text))]
            results.append(
                .object(
                    (place.unread == nil ? place.members(members) : members)
                        + (failure.map { [.init("error", $0.json)] } ?? [])))
        }
        if output.isJSON { print([], .result(command, [("results", .array(results))])) }
        try output.finish(worst, isReported: true) { if let unprinted { throw unprinted } }
    }
}

extension ChosenPlace {
    /// The members of a result, with the place behind the ID.
    func members(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
        Array(members.prefix(1)) + [.init("place", .string(place.name.text))] + members.dropFirst()
    }

    /// The same for `JSONValue.result`.
    func members(_ members: [(String, JSONValue?)]) -> [(String, JSONValue?)] {
        members.prefix(1) + [("place", .string(place.name.text))] + members.dropFirst()
    }
}

extension Failure {
    /// Whether the cause may be over later, and `--tolerate` is about it.
    var isTemporary: Bool { [.tempfail, .locked].contains(status) }

    /// The failure that decides the exit code of a command: the first one that is not temporary, or else the first one.
    static func worse(_ first: Failure?, _ second: Failure) -> Failure {
        guard let first, !first.isTemporary || second.isTemporary else { return second }
        return first
    }
}
