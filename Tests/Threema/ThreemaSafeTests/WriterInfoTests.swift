import Encodings
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// The member `keytool` of a document: who wrote it when.
@Suite struct WriterInfoTests {
    private let writer = (0..<SafeBackup.WriterInfo.writerCount).map { UInt8($0) }

    private func writerInfo(_ value: String) throws -> SafeBackup.WriterInfo? {
        let json = sampleJSON.dropLast() + #","keytool":\#(value)}"#
        let opened = try open(sealed(String(json)))
        #expect(!opened.document.text.contains("keytool"))
        return opened.writerInfo
    }

    @Test(arguments: [(1, 0), (42, 1_800_000_000_000), (1 << 53, Int64.min), (7, -1)] as [(Int64, Int64)])
    func `writer info is read`(_ generation: Int64, _ milliseconds: Int64) throws {
        let writerInfo = try writerInfo(
            #"{"generation":\#(generation),"written_at":\#(milliseconds),"writer":"\#(writer.hex)","later":[1]}"#)
        #expect(
            writerInfo
                == SafeBackup.WriterInfo(
                    generation: generation, writtenAt: Timestamp(milliseconds: milliseconds), writer: writer))
    }

    @Test(arguments: [
        "null", "{}", "[]", "1", #""x""#, #"{"generation":1,"written_at":1}"#, #"{"generation":1,WRITER}"#,
        #"{"written_at":1,WRITER}"#, #"{"generation":0,"written_at":1,WRITER}"#,
        #"{"generation":-1,"written_at":1,WRITER}"#, #"{"generation":1.0,"written_at":1,WRITER}"#,
        #"{"generation":"1","written_at":1,WRITER}"#, #"{"generation":9007199254740993,"written_at":1,WRITER}"#,
        #"{"generation":9223372036854775807,"written_at":1,WRITER}"#,
        #"{"generation":9223372036854775808,"written_at":1,WRITER}"#,
        #"{"generation":1,"written_at":1e3,WRITER}"#, #"{"generation":1,"written_at":null,WRITER}"#,
        #"{"generation":1,"written_at":1,"writer":null}"#, #"{"generation":1,"written_at":1,"writer":""}"#,
        #"{"generation":1,"written_at":1,"writer":"0101"}"#,
        #"{"generation":1,"written_at":1,"writer":"zz010101010101010101010101010101"}"#,
        #"{"generation":1,"written_at":1,"writer":"0101010101010101010101010101010101"}"#,
    ]) func `writer info that keytool did not write counts as none`(_ value: String) throws {
        let writerInfo = try writerInfo(value.replacing("WRITER", with: #""writer":"\#(writer.hex)""#))
        #expect(writerInfo == nil)
    }

    @Test(arguments: [(1, 0), (1 << 53, Int64.max), (2, Int64.min)] as [(Int64, Int64)])
    func `writer info comes back`(_ generation: Int64, _ milliseconds: Int64) throws {
        let keys = safeKeys()
        let writerInfo = SafeBackup.WriterInfo(
            generation: generation, writtenAt: Timestamp(milliseconds: milliseconds), writer: writer)
        let opened = try open(SafeBackup.seal(clientKey(), .empty, writerInfo: writerInfo, keys: keys))
        #expect(opened.writerInfo == writerInfo)
        let withoutWriterInfo = try open(SafeBackup.seal(clientKey(), .empty, writerInfo: nil, keys: keys))
        #expect(withoutWriterInfo.writerInfo == nil)
        #expect(withoutWriterInfo.document == opened.document)
    }
}
