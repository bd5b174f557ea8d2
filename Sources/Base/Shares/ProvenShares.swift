package import SecureMemory

extension SharePlan {
    /// Shares a secret in one group, without a passphrase, and joins the shares again, read from their words. Each share
    /// is in one of the sets that are joined.
    /// - Parameter secret: an even number of bytes, 16 to 256.
    /// - Throws: `.secretCount`; `.notReproduced`.
    package func provenShares(of secret: borrowing SecureBytes) throws(SharePlanError) -> [Share] {
        precondition(groups.count == 1)
        let shares = try split(secret)[0]
        let needed = Int(groups[0].threshold)
        for first in stride(from: 0, to: shares.count, by: needed) {
            guard try Self.join(shares, needed, from: first, to: secret) else { throw .notReproduced }
        }
        return shares
    }

    private static func join(
        _ shares: [Share], _ needed: Int, from first: Int, to secret: borrowing SecureBytes
    ) throws(SharePlanError) -> Bool {
        do {
            var collection = ShareCollection()
            for offset in 0..<needed { _ = try collection.add(Share(shares[(first + offset) % shares.count].words)) }
            let joined = try collection.join()
            return joined.withBytes { joined in secret.withBytes { ConstantTime.areEqual(joined, $0) } }
        } catch {
            throw .notReproduced
        }
    }
}
