import Testing
import VectorKit
import Threema

@testable import ThreemaWeb

/// Sides that come, go and talk at random, over a network that loses, changes and repeats.
@Suite struct RandomPathTests {
    private final class Run {
        let path = TestPath()
        let random: SeededRandom
        var clients: [SignalingAddress: Client] = [:]
        var start = 0

        init(_ seed: UInt64) {
            random = SeededRandom(seed: seed)
            path.onRelay = { [random] message in
                switch random.number(below: 40) {
                case 0: nil
                case 1: random.changed(message)
                case 2: message + [UInt8](repeating: 0, count: random.number(below: 9000))
                default: message
                }
            }
        }

        func step() throws {
            start += 7
            let address = SignalingAddress(1 + random.number(below: 4))
            switch random.number(below: 10) {
            case 0, 1: try connect(address)
            case 2:
                clients[address] = nil
                try path.disconnect(address)
            case 3:
                guard let message = path.relayed.randomElement(random) else { return }
                try path.deliver(message, to: message[17])
            default:
                guard let client = clients[address], client.peer != nil else { return }
                try path.send([client.send(.data(.unsigned(UInt64(start))))], from: address)
            }
        }

        private func connect(_ address: SignalingAddress) throws {
            let isTrusted = random.number(below: 2) == 1
            let client =
                address == 1
                ? Client(
                    Scene.initiator(isTrusted ? .peer(Scene.responderKey.publicKey) : .token(Scene.token), start: start)
                )
                : Client(
                    Scene.responder(
                        isTrusted ? nil : address == 4 ? AuthToken(secure(bytes(9))) : Scene.token,
                        key: address == 4 ? Scene.otherKey : Scene.responderKey, start: start))
            clients[address] = client
            try path.connect(client, at: address)
        }
    }

    @Test func `nobody pairs without token or key, and those who are paired can talk`() throws {
        var (pairings, received) = (0, 0)
        for seed in 0..<150 {
            let run = Run(UInt64(seed))
            for _ in 0..<60 { try run.step() }
            for (address, event) in run.path.history {
                switch event {
                case .paired(let peer):
                    pairings += 1
                    let key = address == 1 ? Scene.responderKey : Scene.initiatorKey
                    #expect(peer.publicKey == key.publicKey && address != 4)
                case .received: received += 1
                default: break
                }
            }
        }
        #expect(pairings > 100)
        #expect(received > 100)
    }
}

extension Array {
    fileprivate func randomElement(_ random: SeededRandom) -> Element? {
        isEmpty ? nil : self[random.number(below: count)]
    }
}
