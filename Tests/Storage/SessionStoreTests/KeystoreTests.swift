import Foundation
import Keystore
import Testing

@testable import SessionStore

@Suite struct KeystoreTests {
    @Test func `a store in the directory of an identity goes with it`() throws {
        let scratch = try Scratch()
        let keystore = try OpenKeystore.openOrCreate(at: scratch.at("keys"))
        let owner = try #require(Owner(messenger: "threema", id: "ABCD1234"))
        try keystore.add(owner) { try $0.write("identity", [1].span) }
        for origin in [OpenSessionStore.Origin.created, .here] {
            let identity = try keystore.lockedIdentity(owner, wait: .seconds(10))
            let store = try identity.withDirectory { directory in
                try OpenSessionStore(
                    in: directory, messenger: owner.messenger, id: owner.id, key: keystore.digestKey("sessions"))
            }
            #expect(store.origin == origin)
            try store.transaction { try $0.set("session", "ECHOECHO", "state") }
            store.close()
        }
        let file = scratch.at("keys/identities/threema/ABCD1234/sessions.db")
        #expect(FileManager.default.fileExists(atPath: file))
        try keystore.remove(owner, wait: .seconds(10))
        #expect(!FileManager.default.fileExists(atPath: scratch.at("keys/identities/threema/ABCD1234")))
    }
}
