/// The servers of the data centres. Telethon has their addresses in its sessions; Pyrogram has numbers.
enum DataCentres {
    /// What is added to the number of a data centre for tests: the Desktop app does so, too.
    static let testOffset: Int32 = 10_000
    /// Greatest number of a data centre: the texts have one byte for it.
    static let numbers: ClosedRange<Int64> = 1...255

    private static let production: [Int32: [UInt8]] = [
        1: [149, 154, 175, 53], 2: [149, 154, 167, 51], 3: [149, 154, 175, 100], 4: [149, 154, 167, 91],
        5: [91, 108, 56, 130], 203: [91, 105, 192, 100],
    ]
    private static let test: [Int32: [UInt8]] = [
        1: [149, 154, 175, 10], 2: [149, 154, 167, 40], 3: [149, 154, 175, 117],
    ]
    /// A server: IPv4 address and port.
    struct Server: Equatable {
        let address: [UInt8]
        let port: UInt16

        var text: String { DataCentres.text(address) }
    }

    /// - Parameter number: as in `TelegramAccount`.
    /// - Returns: nil if it is not known.
    static func server(of number: Int32) -> Server? {
        if let address = production[number] { return Server(address: address, port: 443) }
        // The least numbers have no difference to it.
        let (number, isOverflow) = number.subtractingReportingOverflow(testOffset)
        return isOverflow ? nil : test[number].map { Server(address: $0, port: 80) }
    }

    /// Whether an address is that of a server for tests. Telethon's sessions say it in no other way.
    static func isTest(_ address: String) -> Bool { test.values.contains { text($0) == address } }

    static func text(_ address: [UInt8]) -> String { address.map(String.init).joined(separator: ".") }
}
