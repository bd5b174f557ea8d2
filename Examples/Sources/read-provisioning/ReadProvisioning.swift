import Foundation
import ThreemaDirectory

/// Verifies a company's provisioning file, and prints where its servers are.
///
///     read-provisioning FILE KEY, with the key that the user trusts in Base64
@main
struct ReadProvisioning {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let key = Data(base64Encoded: arguments[2]) else {
            return print("usage: read-provisioning FILE KEY")
        }
        let bytes = try Array(Data(contentsOf: URL(filePath: arguments[1])))
        do throws(ProvisioningError) {
            try show(ProvisioningFile(bytes.span, signedBy: Array(key)))
        } catch {
            print("This file counts for nothing: \(error)")
        }
    }

    static func show(_ file: ProvisioningFile) throws(ProvisioningError) {
        let directory = try file.directory()
        print("directory \(directory.url), pins: \(directory.pins.map(\.text))")
        print("media \(file.servers.upload), \(file.servers.download)")
        print("Safe \(file.servers.safe), pins: \(try file.pins(of: file.servers.safe).map(\.text))")
        print("chat \(file.chat.host), ports \(file.chat.ports)")
        print("license \(file.license.id) ends \(file.license.end.rfc3339); read again after \(file.refresh)")
    }
}
