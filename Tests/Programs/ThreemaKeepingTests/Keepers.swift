import SafeKeepingKit

@testable import ThreemaKeeping

extension Household {
    var identities: IdentityKeeper { IdentityKeeper(keystore: keystore) }
    var codes: CodeKeeper { CodeKeeper(keystore: keystore, now: safe.now) }
}
