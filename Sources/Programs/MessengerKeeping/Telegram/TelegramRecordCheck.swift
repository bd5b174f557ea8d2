package import Keystore
internal import Telegram

extension TelegramKeeper {
    /// Checks records before they are stored that this keystore has not sealed itself.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) {
        guard let id = records.owner.telegram else { throw .owner }
        if let name = records.names.first(where: { $0 != recordName }) { throw .unknown(name) }
        guard records.count(of: recordName) != nil else { throw .missing(recordName) }
        let account = try? records.withRecord(recordName) { (text) throws(TelegramAccountError) in
            try TelegramAccount(decoding: text)
        }
        guard let account, account.mainKey.id == id else { throw .malformed(recordName) }
    }
}
