import Foundation

/// Whether tests try all their cases, as in `make test-all`, or a sample of them.
public let triesAllCases = ProcessInfo.processInfo.environment["ALL_CASES"] == "1"
