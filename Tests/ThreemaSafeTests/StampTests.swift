import Encodings
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// The member `keytool` of a document: who wrote it when.
@Suite struct StampTests {
    private let writer = (0..<SafeBackup.Stamp.writerCount).map { UInt8($0) }

    private func stamp(_ value: String) throws -> SafeBackup.Stamp? {
        let json = sampleJSON.dropLast() + #","keytool":\#(value)}"#
        let opened = try open(sealed(String(json)))
        #expect(!opened.document.text.contains("keytool"))
        return opened.stamp
    }

    @Test(arguments: [(1, 0), (42, 1_800_000_000_000), (1 << 53, Int64.min), (7, -1)] as [(Int64, Int64)])
    func `a stamp is read`(_ generation: Int64, _ milliseconds: Int64) throws {
        let stamp = try stamp(
            #"{"generation":\#(generation),"written_at":\#(milliseconds),"writer":"\#(writer.hex)","later":[1]}"#)
        #expect(
            stamp
                == SafeBackup.Stamp(
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
    ]) func `a stamp that keytool did not write counts as none`(_ value: String) throws {
        let stamp = try stamp(value.replacing("WRITER", with: #""writer":"\#(writer.hex)""#))
        #expect(stamp == nil)
    }

    @Test(arguments: [(1, 0), (1 << 53, Int64.max), (2, Int64.min)] as [(Int64, Int64)])
    func `a stamp comes back`(_ generation: Int64, _ milliseconds: Int64) throws {
        let keys = safeKeys()
        let stamp = SafeBackup.Stamp(
            generation: generation, writtenAt: Timestamp(milliseconds: milliseconds), writer: writer)
        let opened = try open(SafeBackup.seal(clientKey(), .empty, stamp: stamp, keys: keys))
        #expect(opened.stamp == stamp)
        let unstamped = try open(SafeBackup.seal(clientKey(), .empty, stamp: nil, keys: keys))
        #expect(unstamped.stamp == nil)
        #expect(unstamped.document == opened.document)
    }
}
