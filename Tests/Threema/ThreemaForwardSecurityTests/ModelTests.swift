import IbexModel
import Testing

/// The first steps of the search that `ibex-model search` continues.
@Suite struct ModelTests {
    @Test func `from every state of the first steps, both sides come to one session`() throws {
        let report = try Model().check(depth: 4)
        #expect(report.depth == 4 && report.states > 250, "\(report)")
        #expect(report.pairs.isSuperset(of: ["L20/none", "L20/L20", "L20/R20", "none/R20"]))
    }
}
