import Foundation
import ProtonMainKey
import SecureMemory

/// Unlocks the MainKey whose items are files in a directory, locks it again under the same PIN, and moves a value of the
/// app to the authenticated form.
///
///     echo 'PIN' | open-mainkey DIRECTORY
@main
struct OpenMainKey {
    static func main() throws {
        let directory = URL(filePath: CommandLine.arguments[1])
        let pin = SecureBytes(copying: Array((readLine() ?? "").utf8).span)
        let items = try items(in: directory)
        if items.hasClearCopyBesideProtection { print("The key is there in the clear, too.") }
        guard let protection = try items.pinProtection() else {
            print("There is no key under a PIN.")
            return
        }
        do {
            let key = try protection.unlock(pin: pin)
            print("\(protection.version): key \(key.checkValue)")
            let again = try PINProtection.lock(key, pin: pin)
            for (item, content) in again.items { print("\(item.rawValue): \(content.count) bytes") }
            try rewrap(directory.appending(path: "token"), key)
        } catch PINProtectionError.wrongPINOrDamaged {
            print("The PIN is wrong, or the items are damaged.")
        }
    }

    static func items(in directory: URL) throws -> ProtectionItems {
        var items = ProtectionItems()
        for item in ProtectionItem.allCases {
            let url = directory.appending(path: item.rawValue)
            guard FileManager.default.fileExists(atPath: url.path) else { continue }
            let file = try FileHandle(forReadingFrom: url).read(upToCount: ProtectionItem.maxFileCount + 1) ?? Data()
            let bytes = SecureBytes(copying: Array(file).span)
            try bytes.withBytes { try items.add(item, file: $0) }
        }
        return items
    }

    static func rewrap(_ url: URL, _ key: borrowing MainKey) throws {
        let value = Array(try Data(contentsOf: url))
        let sealed = try LockedValue.rewrap(version1: value.span, name: "token", key: key)
        let content = try LockedValue.open(sealed.span, name: "token", key: key)
        print("token: \(content.count) bytes in \(sealed.count)")
    }
}
