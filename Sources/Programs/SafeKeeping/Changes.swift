internal import Keystore
package import SafeRules
package import SafeWire
package import SecureMemory
internal import Threema
internal import ThreemaRecords

// Changing the Safe password or the place. `SafeRules/Changing.swift` has the steps.

extension SafeKeeper {
    /// The options of a change of password or place.
    package typealias ChangeOptions = SafeVerb.Change

    /// The result of a change of password or place.
    package struct ChangeResult: Equatable, Sendable {
        /// The address of the server after the change.
        package let server: SafeServerAddress
        /// Whether both addresses are one place, so that nothing was moved.
        package let isSamePlace: Bool
        /// Whether a foreign backup was replaced or deleted, by consent.
        package let hasReplacedForeign: Bool
        /// Why the backup at the old place was not deleted; nil if it is gone.
        package let left: SafeFailure?
    }

    /// Moves the Safe backup of an identity to a key from a new password.
    /// - Throws: `SafeKeepingError.noSetup`, `.sameTarget`, `.samePlace`, `.refused`; as `push`. After a failure the
    ///   change may be unfinished: the next run finishes it, and `abortChange` aborts it.
    package func changePassword(
        at place: SafePlace, to password: borrowing SecureBytes, _ options: ChangeOptions = .init()
    ) throws -> ChangeResult {
        let server = try keystore.identity(.threema(place.id)).requiredSetup(at: place.name).current.server.copy
        let new = try SafeTarget(server: server, password: password, id: place.id)
        return try change(place, options) { current in
            SafeTarget(server: current.server.copy, keys: new.copy.takeKeys(), placeName: current.placeName)
        }
    }

    /// Moves the Safe backup of an identity to another place, under the same password.
    /// - Parameter preparing: whether to turn an empty directory into a Safe server. If the change is refused for a
    ///   reason that does not need the new place, nothing is created there.
    /// - Throws: as `changePassword`.
    package func move(
        _ place: SafePlace, to server: consuming SafeEndpoint, preparing: Bool = false,
        _ options: ChangeOptions = .init()
    ) throws -> ChangeResult {
        let new = server
        if preparing { try requireWritable(place) }
        let name = SafeTarget.freshPlaceName
        return try change(place, options, preparing: preparing) { $0.moved(to: new.copy, placeName: name) }
    }

    private func change(
        _ place: SafePlace, _ options: ChangeOptions, preparing: Bool = false,
        to target: (borrowing SafeTarget) -> SafeTarget
    ) throws -> ChangeResult {
        var tries = 0
        let result = try run(place) { setup in
            tries += 1
            let new = target(setup.current)
            guard !new.isSame(as: setup.current) else {
                // An earlier run or try has switched to the new place, but could not delete the old backup.
                guard setup.isRetiring || tries > 1 else { throw SafeKeepingError.sameTarget(id: place.id.text) }
                var options = options
                options.isContinuation = true
                return Job(verb: .change(options), candidate: nil)
            }
            var options = options
            switch setup.next {
            case .some(let next):
                options.isContinuation = new.isSame(as: next)
                return Job(verb: .change(options), candidate: nil, isPreparing: preparing)
            case .none:
                // A place that is to be prepared has no backups yet: the run proves it afterwards.
                if tries == 1, !setup.isReadOnly, !preparing {
                    try prove(new, .readAndWrite, isNot: place, in: keystore.identity(.threema(place.id)))
                }
                return Job(verb: .change(options), candidate: new, isPreparing: preparing)
            }
        }
        try check(result, at: place)
        return ChangeResult(
            server: result.address, isSamePlace: result.outcome.result == .readdressed,
            hasReplacedForeign: result.outcome.progress.hasReplacedForeign,
            left: result.outcome.left.first?.reason)
    }

    /// Changes address, login, authorities or pins of the same place. Nothing is moved.
    /// - Throws: `SafeKeepingError.noSetup`, `.refused(.otherPlace)` if it was not proven to be the same place;
    ///   `SafeExchangeError`.
    package func readdress(_ place: SafePlace, as server: consuming SafeEndpoint) throws {
        let new = server
        let isSame =
            try keystore.identity(.threema(place.id)).requiredSetup(at: place.name).current.address == new.address
        let result = try run(place) { setup in
            let target = setup.current.approached(as: new.copy)
            try proveLogin(
                target, setup.isReadOnly ? .readOnly : .readAndWrite, isNot: place,
                in: keystore.identity(.threema(place.id)))
            return Job(verb: .readdress(isSameAddress: isSame), candidate: target)
        }
        guard case .exchange(.next, let error)? = result.outcome.failure else { return try check(result, at: place) }
        throw error
    }

    /// The server of an identity's Safe, with login, authorities and pins.
    /// - Throws: `SafeKeepingError.noSetup`.
    package func server(of place: SafePlace) throws -> SafeEndpoint {
        try keystore.identity(.threema(place.id)).requiredSetup(at: place.name).current.server.copy
    }

    /// Aborts an unfinished change, and deletes the backup at the new place if that is possible.
    /// - Returns: nil if no change was unfinished.
    package func abortChange(at place: SafePlace) throws -> AbortResult? {
        let result = try run(place) { _ in Job(verb: .abort) }
        try check(result, at: place)
        guard result.outcome.result == .ended else { return nil }
        return AbortResult(left: result.outcome.left.first?.reason)
    }

    /// The result of aborting a change.
    package struct AbortResult: Equatable, Sendable {
        /// Why the backup at the new place was not deleted; nil if the new place holds none.
        package let left: SafeFailure?
    }

    /// Abandons the backup at the old place of an earlier change, without a request to its server.
    /// - Returns: whether a backup was left there.
    package func forgetOldPlace(of place: SafePlace) throws -> Bool {
        let result = try run(place) { _ in Job(verb: .forgetOld) }
        try check(result, at: place)
        return result.outcome.result == .ended
    }
}
