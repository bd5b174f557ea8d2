import ArgumentParser
import CommandLine
import Console
import Keystore
import SafeKeeping
import Threema
import ThreemaKeeping

/// The Safe place that a command is about.
struct PlaceOption: ParsableArguments {
    @Option(help: ArgumentHelp("The Safe place, if the identity has several.", valueName: "place"))
    var name: PlaceName?

    /// - Parameter all: whether the command is to work on every place of every identity.
    func validate(all: Bool, _ named: IdentityArgument) throws {
        guard all else { return }
        guard named.id == nil else { throw ValidationError("--all cannot be combined with an identity") }
        guard name == nil else { throw ValidationError("--all cannot be combined with --name") }
    }
}

/// A Safe place that a command works on, and how to name it.
struct ChosenPlace {
    let place: SafePlace
    /// Whether the identity has no other place, so that nobody has to name it.
    let isOnly: Bool
    /// Whether the command is about all identities, of which there are several.
    var isAmongOthers = false
    /// Why the places of the identity could not be read. Then this stands for all of them.
    var unread: Failure?

    var id: ThreemaID { place.id }

    /// At the beginning of a line about one of several: `ABCD1234 nas`, or the ID if the place is the only one.
    var label: String { isOnly ? id.text : "\(id) \(place.name.text)" }

    /// As operands of a command line: `--name nas ABCD1234`, or the ID if the place is the only one.
    var argument: String { (isOnly ? "" : "--name \(place.name.text) ") + ShellWord.quoted(id.text) }

    /// Words about one of several places, with its label in front.
    func labelled(_ words: String) -> String { isOnly && !isAmongOthers ? words : "\(label): \(words)" }

    /// Runs `body`. The commands that a failure advises name the place, if there are others.
    func naming<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch  where !isOnly {
            throw named(Failure(error))
        }
    }

    /// The failure with the place and the ID in the commands of its hints, if there are others.
    func named(_ failure: Failure) -> Failure {
        isOnly && !isAmongOthers
            ? failure : failure.at(isOnly ? nil : place.name.text, of: isAmongOthers ? id.text : nil)
    }
}

extension Session {
    /// The place that was named, or the only one.
    /// - Throws: `SafeKeepingError.noSetup`; 10 for an unknown name; 64 if there are several and none is named.
    func place(_ name: PlaceName?, of id: ThreemaID, in keeper: ThreemaKeeper) throws -> ChosenPlace {
        try choose(name, of: id, among: keeper.safe.places(of: id))
    }

    /// The same for a command about the history, which stays if a place is deleted. What is left of a deleted place is
    /// taken only if it is named, or if no place is set up.
    func placeWithHistory(_ name: PlaceName?, of id: ThreemaID, in keeper: ThreemaKeeper) throws -> ChosenPlace {
        let setUp = try keeper.safe.places(of: id)
        let places = name == nil && !setUp.isEmpty ? setUp : try keeper.safe.placesWithHistory(of: id)
        return try choose(name, of: id, among: places.isEmpty ? [SafePlace(id, .main)] : places)
    }

    /// The place that was named, or all that are set up.
    /// - Throws: as `place`.
    func places(_ name: PlaceName?, of id: ThreemaID, in keeper: ThreemaKeeper) throws -> [ChosenPlace] {
        guard name == nil else { return [try place(name, of: id, in: keeper)] }
        let places = try allPlaces(of: id, in: keeper)
        guard !places.isEmpty else { throw SafeKeepingError.noSetup(id: id.text) }
        return places
    }

    /// All places of all identities, those of one identity together. For an identity whose places cannot be read there
    /// is one that says so.
    /// - Throws: 10 if no Safe is set up.
    func places(in keeper: ThreemaKeeper) throws -> [[ChosenPlace]] {
        let ids = try keeper.identities.ids()
        let isAmongOthers = ids.count > 1
        let places = ids.map { id in
            do {
                return try allPlaces(of: id, in: keeper, isAmongOthers: isAmongOthers)
            } catch {
                let place = SafePlace(id, .main)
                return [ChosenPlace(place: place, isOnly: true, isAmongOthers: isAmongOthers, unread: Failure(error))]
            }
        }.filter { !$0.isEmpty }
        guard !places.isEmpty else { throw Failure.noSafe }
        return places
    }

    /// All that are set up; empty without a Safe.
    func allPlaces(
        of id: ThreemaID, in keeper: ThreemaKeeper, isAmongOthers: Bool = false
    ) throws -> [ChosenPlace] {
        let places = try keeper.safe.places(of: id)
        return places.map { ChosenPlace(place: $0, isOnly: places.count == 1, isAmongOthers: isAmongOthers) }
    }

    private func choose(_ name: PlaceName?, of id: ThreemaID, among places: [SafePlace]) throws -> ChosenPlace {
        guard let first = places.first else { throw SafeKeepingError.noSetup(id: id.text) }
        let names = places.map(\.name.text).joined(separator: " ")
        if let name {
            guard let place = places.first(where: { $0.name == name }) else {
                throw Failure(.absent, "\(id) has no Safe place \"\(name.text)\"", hints: "it has: \(names)")
                    .because(of: "no_place")
            }
            return ChosenPlace(place: place, isOnly: places.count == 1)
        }
        guard places.count == 1 else {
            throw UsageFailure("\(id) has \(places.count) Safe places; name one of them with --name", hint: Hint(names))
        }
        return ChosenPlace(place: first, isOnly: true)
    }
}

extension Failure {
    /// No identity of the keystore has a Safe.
    static var noSafe: Failure {
        Failure(.absent, "no identity has a Safe", hints: "keytool safe setup").because(of: "no_setup")
    }
}
