import Encodings
import Testing
import Threema

@testable import ThreemaMessages

@Suite struct PictureDistributionTests {
    static let now = Timestamp(milliseconds: 10_000_000_000)
    static let week = Duration.days(7).milliseconds
    static let bob = try! ThreemaID("00000BOB")
    static let picture = RandomMessages.picture()

    private func decide(
        type: MessageType = .text, to contact: ThreemaID = bob, hasPicture: Bool = true,
        audience: PictureDistribution.Audience = .everyone, uploadAge: Int64? = 0,
        told: PictureDistribution.Told = .nothing
    ) -> PictureDistribution.Decision {
        let upload = uploadAge.map {
            UploadedPicture(
                message: Self.picture, uploadedAt: Timestamp(milliseconds: Self.now.milliseconds - $0))
        }
        return PictureDistribution.decide(
            with: type, to: contact, hasPicture: hasPicture, audience: audience, upload: upload, told: told,
            now: Self.now)
    }

    @Test func `a contact that does not know the picture is told`() {
        #expect(decide() == .send(Self.picture))
        #expect(decide(told: .picture(RandomMessages.blob())) == .send(Self.picture))
        #expect(decide(told: .deletion(Self.now)) == .send(Self.picture))
        #expect(decide(told: .picture(Self.picture.blobID)) == .nothing)
        #expect(decide(audience: .selected([Self.bob])) == .send(Self.picture))
    }

    @Test func `an upload is good for a week`() {
        #expect(decide(uploadAge: nil) == .upload)
        #expect(decide(uploadAge: Self.week) == .upload)
        #expect(decide(uploadAge: Self.week - 1) == .send(Self.picture))
        #expect(decide(uploadAge: -1) == .upload)
        #expect(decide(uploadAge: Self.week, told: .picture(Self.picture.blobID)) == .upload)
    }

    @Test func `who is not to know is told so once a week`() {
        for decision in [decide(hasPicture: false), decide(audience: .nobody), decide(audience: .selected([]))] {
            #expect(decision == .delete)
        }
        let before = Timestamp(milliseconds: Self.now.milliseconds - Self.week)
        #expect(decide(hasPicture: false, told: .deletion(before)) == .delete)
        #expect(decide(hasPicture: false, told: .deletion(before + .milliseconds(1))) == .nothing)
        #expect(decide(hasPicture: false, told: .picture(Self.picture.blobID)) == .delete)
    }

    @Test func `gateways, the echo and control messages are left out`() throws {
        #expect(decide(to: try ThreemaID("*GATEWAY")) == .nothing)
        #expect(decide(to: try ThreemaID("ECHOECHO")) == .nothing)
        #expect(decide(type: .typing) == .nothing && decide(type: .deliveryReceipt) == .nothing)
        #expect(decide(type: .groupText) == .send(Self.picture))
    }
}
