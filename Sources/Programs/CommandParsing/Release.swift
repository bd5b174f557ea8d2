/// The release that all programs of this package belong to.
package enum Release {
    /// The number alone: scripts and pages take it from here.
    package static let version = "0.1.0"
}
