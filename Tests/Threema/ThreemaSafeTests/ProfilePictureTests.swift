import Testing
import VectorKit
import ThreemaSafe

@Suite struct ProfilePictureTests {
    private func refusal(_ change: (inout SampleJPEG) -> Void) -> ProfilePictureError? {
        var sample = SampleJPEG()
        change(&sample)
        do throws(ProfilePictureError) { _ = try ProfilePicture(jpeg: sample.bytes) } catch { return error }
        return nil
    }

    @Test func `what apps write is taken as it is`() throws {
        let picture = try ProfilePicture(jpeg: SampleJPEG().bytes)
        #expect(picture.width == 400 && picture.height == 300)
        #expect(picture.jpeg == SampleJPEG().bytes)
        #expect(refusal { $0.components = 1 } == nil)
        #expect(refusal { ($0.width, $0.height) = (1, 400) } == nil)
        #expect(refusal { $0.extra = [] } == nil)
        #expect(refusal { $0.extra.append((0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])) } == nil)
    }

    @Test func `size and process`() {
        #expect(refusal { $0.width = 401 } == .tooLarge(width: 401, height: 300, limit: 400))
        #expect(refusal { $0.height = 65535 } == .tooLarge(width: 400, height: 65535, limit: 400))
        // The height would follow after the first scan.
        #expect(refusal { $0.height = 0 } == .tooLarge(width: 400, height: 0, limit: 400))
        #expect(refusal { $0.width = 0 } == .tooLarge(width: 0, height: 300, limit: 400))
        for process in [0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xcf] as [UInt8] {
            #expect(refusal { $0.process = process } == .notBaseline)
        }
        #expect(refusal { $0.precision = 12 } == .notBaseline)
        #expect(refusal { $0.components = 4 } == .notBaseline)
        #expect(
            refusal { $0.pixels = [UInt8](repeating: 1, count: ProfilePicture.maxBytes) }.map { "\($0)" }?
                .contains("tooLong") == true)
    }

    @Test func `metadata of any kind`() {
        let exif = Array("Exif\0\0MM".utf8)
        for marker in [0xe1, 0xe2, 0xed, 0xef, 0xfe] as [UInt8] {
            #expect(refusal { $0.extra.append((marker, exif)) } == .hasMetadata)
        }
        // A thumbnail in JFIF's own segment, and in its extension.
        #expect(
            refusal { $0.extra = [(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 1, 9, 9, 9])] } == .hasMetadata
        )
        #expect(refusal { $0.extra.append((0xe0, Array("JFXX\0".utf8) + [0x10])) } == .hasMetadata)
        #expect(refusal { $0.extra.append((0xee, Array("AdobePhotoshop".utf8))) } == .hasMetadata)
    }

    @Test func `what is not a whole JPEG file`() {
        #expect(refusal { $0.end = [] } == .notJPEG)
        #expect(refusal { $0.end += [0] } == .notJPEG)
        #expect(refusal { $0.end += SampleJPEG().bytes } == .notJPEG)
        #expect(refusal { $0.process = 0xc8 } == .notJPEG)
        #expect(throws: ProfilePictureError.notJPEG) { try ProfilePicture(jpeg: []) }
        #expect(throws: ProfilePictureError.notJPEG) { try ProfilePicture(jpeg: [0x89, 0x50, 0x4e, 0x47, 13, 10]) }
        // No scan, no frame, a scan before the frame.
        #expect(throws: ProfilePictureError.notJPEG) { try ProfilePicture(jpeg: [0xff, 0xd8, 0xff, 0xd9]) }
        let scan = SampleJPEG.segment(0xda, [1, 1, 0, 0, 63, 0]) + [1, 0xff, 0xd9]
        #expect(throws: ProfilePictureError.notJPEG) { try ProfilePicture(jpeg: [0xff, 0xd8] + scan) }
    }

    @Test func `no beginning and no changed byte makes the parser read past the end`() {
        let bytes = SampleJPEG().bytes
        for count in bytes.indices {
            #expect(throws: ProfilePictureError.notJPEG) { try ProfilePicture(jpeg: Array(bytes[..<count])) }
        }
        var random = SeededRandom(seed: 3)
        var refused = 0
        for index in bytes.indices {
            for _ in 0..<20 {
                var changed = bytes
                changed[index] = UInt8.random(in: 0...255, using: &random)
                if (try? ProfilePicture(jpeg: changed)) == nil { refused += 1 }
            }
        }
        #expect(refused > bytes.count)
    }
}
