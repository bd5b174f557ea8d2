import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

/// What keytool seals, byte for byte what another implementation computes from the same nonce and time.
@Suite struct SealingVectorTests {
    @Test(arguments: try Vector.all(in: .safeSeal)) func `whole backups, both ways`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let masterKey = try inputs.bytes("master_key")
        let keys = SafeKeys(masterKey: SecureBytes(copying: masterKey.span))
        let key = try inputs.bytes("client_key")
        let client = ClientKey(SecureBytes(copying: key.span))
        let nonce = try inputs.bytes("nonce")
        let profile = try profile(inputs)
        let writerInfo = try writerInfo(inputs)

        let blob = try SafeBackup.seal(client, profile, writerInfo: writerInfo, keys: keys, nonce: nonce)
        #expect(try blob == vector.expected.bytes("blob"))

        let fromText = try SafeBackup.seal(
            client, content: profile.revealContent(), writerInfo: writerInfo, keys: keys, nonce: nonce)
        #expect(fromText == blob)
    }

    private func profile(_ inputs: Fields) throws -> Profile {
        let document = try SafeDocument(parse(inputs.string("document")))
        guard inputs.has("device_group_key") else { return Profile(document) }
        let key = try inputs.bytes("device_group_key")
        return Profile(document, deviceGroupKey: DeviceGroupKey(SecureBytes(copying: key.span)))
    }

    private func writerInfo(_ inputs: Fields) throws -> SafeBackup.WriterInfo? {
        guard inputs.has("generation") else { return nil }
        return SafeBackup.WriterInfo(
            generation: Int64(try inputs.integer("generation")),
            writtenAt: Timestamp(milliseconds: Int64(try inputs.integer("written_at"))),
            writer: try inputs.bytes("writer"))
    }
}
