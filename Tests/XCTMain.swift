import Glibc
import Testing

/// Runs the tests. SwiftPM writes such a file itself if the build makes an index for editors: it looks there for tests of
/// XCTest, of which there are none here. Without the index, a build takes a sixth less.
@main
struct AllTests {
    static func main() async {
        guard CommandLine.arguments.contains("--testing-library") else {
            print("`make test` and `make check ROOM=…` run the tests; `swift test` cannot.")
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
