package import Age
package import ProtonMainKey
package import SecureMemory

extension MainKeyKeeper {
    /// Opens the PIN protection, which takes a second.
    /// - Throws: `.wrongPIN`; `.noProtection`; `AgeError` if the protection is damaged; `.otherKey`; `.noKey`.
    package func open(_ id: CheckValue, pin: borrowing SecureBytes) throws -> MainKey {
        guard let bytes = try records(of: id).protections().pin else {
            throw MainKeyKeepingError.noProtection(.pin, of: id)
        }
        let file = try AgeFile(bytes, .binary)
        let key: AgeFileKey
        do throws(AgeError) {
            key = try file.unlock(passphrase: pin)
        } catch .noMatch {
            throw MainKeyKeepingError.wrongPIN
        } catch {
            throw error
        }
        return try open(file, key, as: id)
    }

    /// Opens the key protection with a secret key.
    /// - Throws: as `open(_:pin:)`, `.wrongIdentity` instead of `.wrongPIN`.
    package func open(_ id: CheckValue, identity: borrowing AgeIdentity) throws -> MainKey {
        guard let protection = try records(of: id).protections().key else {
            throw MainKeyKeepingError.noProtection(.key, of: id)
        }
        let file = try AgeFile(protection.file, .binary)
        let key: AgeFileKey
        do throws(AgeError) {
            key = try file.unlock(identity)
        } catch .noMatch {
            throw MainKeyKeepingError.wrongIdentity(id)
        } catch {
            throw error
        }
        return try open(file, key, as: id)
    }

    /// The copy in the clear, unless a real protection stands beside it: then the user is asked.
    /// - Throws: `.otherKey`; `.noKey`.
    package func openUnprotected(_ id: CheckValue) throws -> MainKey? {
        let set = try records(of: id).protections()
        guard set.kinds == .clear else { return nil }
        switch set.clear {
        case .none: return nil
        case .some(let key): return try Self.checked(key.copy(), as: id)
        }
    }

    private func open(_ file: consuming AgeFile, _ fileKey: consuming AgeFileKey, as id: CheckValue) throws -> MainKey {
        let bytes = try file.open(fileKey).readAll(limit: MainKey.count)
        guard bytes.count == MainKey.count else { throw MainKeyKeepingError.otherKey(id) }
        return try Self.checked(MainKey(bytes), as: id)
    }

    static func checked(_ key: consuming MainKey, as id: CheckValue) throws -> MainKey {
        guard key.checkValue == id else { throw MainKeyKeepingError.otherKey(id) }
        return key
    }
}
