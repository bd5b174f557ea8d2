import ArgumentParser
import Shares

/// How many shares are needed, and of how many: `3/5`.
struct ShareNumbers: ExpressibleByArgument {
    let plan: SharePlan
    var threshold: Int { Int(plan.groups[0].threshold) }
    var count: Int { Int(plan.groups[0].count) }

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { UInt8($0) }
        // One share of one would be the private key itself.
        guard parts.count == 2, let threshold = parts[0], let count = parts[1], threshold >= 2,
            let plan = try? SharePlan(threshold: threshold, count: count)
        else { return nil }
        self.plan = plan
    }
}
