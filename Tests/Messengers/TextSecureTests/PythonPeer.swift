import Foundation
import VectorKit

/// Other implementations of sessions, in Python: python-axolotl as it is for version 3; for version 2, which its cipher
/// does not have, its ratchet with the MAC of Python's hmac and AES-CTR of cryptography. Scripts/set-up installs them in
/// the directory `.build/ratchet`.
///
/// Python makes whole conversations between two sides of its own, with all private keys, in which messages are late and
/// lost. The tests repeat them to the byte.
enum PythonPeer {
    /// What happened. Bytes are hexadecimal; keys are private ones.
    struct Conversation: Decodable, Sendable {
        let identityA: String
        let identityB: String
        let prekey: String
        /// Beside a signed prekey, which `prekey` is then.
        let oneTime: String?
        let ephemeral: String
        let ratchetA: String
        let prekeyID: UInt32
        let signedID: UInt32?
        /// Alice's registration id.
        let registrationID: UInt16
        let events: [Event]
    }

    struct Event: Decodable, Sendable {
        /// 0 is Alice.
        let side: Int
        /// The number of a message that was opened; nil if one was sealed.
        let opened: Int?
        /// Of a sealed message.
        let wire: String?
        let text: String?
        /// The private ratchet key that was made to open it.
        let fresh: String?
    }

    private static let python = InstalledPython("ratchet")

    private static let source = #"""
        import hmac, json, os, random, sys
        os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
        from axolotl.ecc.curve import Curve
        from axolotl.ecc.djbec import DjbECPrivateKey, DjbECPublicKey
        from axolotl.ecc.eckeypair import ECKeyPair
        from axolotl.identitykey import IdentityKey
        from axolotl.kdf.hkdf import HKDF
        from axolotl.protocol import whisperprotos_pb2
        from axolotl.protocol.prekeywhispermessage import PreKeyWhisperMessage
        from axolotl.protocol.whispermessage import WhisperMessage
        from axolotl.ratchet import ratchetingsession
        from axolotl.ratchet.aliceaxolotlparameters import AliceAxolotlParameters
        from axolotl.ratchet.bobaxolotlparamaters import BobAxolotlParameters
        from axolotl.sessionbuilder import SessionBuilder
        from axolotl.sessioncipher import SessionCipher
        from axolotl.state.prekeybundle import PreKeyBundle
        from axolotl.state.prekeyrecord import PreKeyRecord
        from axolotl.state.sessionstate import SessionState
        from axolotl.state.signedprekeyrecord import SignedPreKeyRecord
        from axolotl.tests.inmemoryaxolotlstore import InMemoryAxolotlStore
        Session = ratchetingsession.RatchetingSession
        made = []

        def public(secret):
            return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

        def generate():
            # Clamped, because python-axolotl does so when it makes a key, and not when it uses one.
            key = bytearray(os.urandom(32))
            key[0] &= 248
            key[31] = key[31] & 127 | 64
            made.append(bytes(key))
            return ECKeyPair(DjbECPublicKey(public(made[-1])), DjbECPrivateKey(made[-1]))

        Curve.generateKeyPair = staticmethod(generate)
        # Signatures are no part of this.
        Curve.verifySignature = staticmethod(lambda *arguments: True)

        def secret(pair):
            return bytes(pair.getPrivateKey().getPrivateKey())

        class Side3:
            """python-axolotl itself."""
            def __init__(self, store):
                self.store = store
                self.cipher = SessionCipher(store, store, store, store, "peer", 1)

            def can_send(self):
                return self.store.containsSession("peer", 1)

            def send(self, text):
                return self.cipher.encrypt(text).serialize()

            def receive(self, wire, is_wrapped):
                if is_wrapped:
                    return self.cipher.decryptPkmsg(PreKeyWhisperMessage(serialized=wire))
                return self.cipher.decryptMsg(WhisperMessage(serialized=wire))

        def begin3(chance):
            alice, bob = InMemoryAxolotlStore(), InMemoryAxolotlStore()
            signed, one_time = generate(), generate()
            prekey_id, signed_id = chance.randrange(1, 0xFFFFF), chance.randrange(1, 0xFFFFF)
            bob.storePreKey(prekey_id, PreKeyRecord(prekey_id, one_time))
            bob.storeSignedPreKey(signed_id, SignedPreKeyRecord(signed_id, 0, signed, b""))
            SessionBuilder(alice, alice, alice, alice, "peer", 1).processPreKeyBundle(PreKeyBundle(
                bob.getLocalRegistrationId(), 1, prekey_id, one_time.getPublicKey(), signed_id, signed.getPublicKey(),
                b"", bob.getIdentityKeyPair().getPublicKey()))
            keys = [secret(alice.getIdentityKeyPair()), secret(bob.getIdentityKeyPair()), secret(signed),
                    secret(one_time), made[-2], made[-1]]
            return keys, prekey_id, signed_id, alice.getLocalRegistrationId() % 16380 + 1, alice, bob

        class Side2:
            def __init__(self, store, prekey, prekey_id, registration_id):
                self.store, self.prekey, self.prekey_id = store, prekey, prekey_id
                self.registration_id, self.state, self.base = registration_id, None, None
                self.cipher = SessionCipher.__new__(SessionCipher)

            def can_send(self):
                return self.state is not None

            def send(self, text):
                state, chain = self.state, self.state.getSenderChainKey()
                keys = chain.getMessageKeys()
                block = chain.getIndex().to_bytes(4, "big") + bytes(12)
                body = Cipher(algorithms.AES(bytes(keys.getCipherKey())), modes.CTR(block)).encryptor().update(text)
                message = whisperprotos_pb2.WhisperMessage(
                    ratchetKey=bytes(state.getSenderRatchetKey().serialize()), counter=chain.getIndex(),
                    previousCounter=state.getPreviousCounter(), ciphertext=body)
                wire = b"\x23" + message.SerializeToString()
                wire += hmac.new(bytes(keys.getMacKey()), wire, "sha256").digest()[:8]
                state.setSenderChainKey(chain.getNextChainKey())
                if self.base is None:
                    return wire
                return b"\x23" + whisperprotos_pb2.PreKeyWhisperMessage(
                    preKeyId=self.prekey_id, baseKey=bytes(self.base.serialize()),
                    identityKey=bytes(self.store.getIdentityKeyPair().getPublicKey().serialize()), message=wire,
                    registrationId=self.registration_id).SerializeToString()

            def receive(self, wire, is_wrapped):
                assert wire[0] == 0x23
                if is_wrapped:
                    outer = whisperprotos_pb2.PreKeyWhisperMessage()
                    outer.ParseFromString(wire[1:])
                    assert outer.preKeyId == self.prekey_id
                    if self.state is None:
                        self.state = SessionState()
                        Session.initializeSessionAsBob(self.state, BobAxolotlParameters.newBuilder()
                            .setOurIdentityKey(self.store.getIdentityKeyPair()).setOurSignedPreKey(self.prekey)
                            .setOurRatchetKey(self.prekey).setOurOneTimePreKey(None)
                            .setTheirBaseKey(Curve.decodePoint(bytearray(outer.baseKey), 0))
                            .setTheirIdentityKey(IdentityKey(Curve.decodePoint(bytearray(outer.identityKey), 0)))
                            .create())
                        self.state.setSessionVersion(2)
                    wire = outer.message
                message = whisperprotos_pb2.WhisperMessage()
                message.ParseFromString(wire[1:-8])
                other = Curve.decodePoint(bytearray(message.ratchetKey), 0)
                state = SessionState(self.state)
                chain = self.cipher.getOrCreateChainKey(state, other)
                keys = self.cipher.getOrCreateMessageKeys(state, other, chain, message.counter)
                assert hmac.new(bytes(keys.getMacKey()), wire[:-8], "sha256").digest()[:8] == wire[-8:]
                self.state, self.base = state, None
                block = message.counter.to_bytes(4, "big") + bytes(12)
                return Cipher(algorithms.AES(bytes(keys.getCipherKey())), modes.CTR(block)).decryptor().update(
                    message.ciphertext)

        def begin2(chance):
            def derived(master):
                kdf = HKDF.createFor(2)
                keys = kdf.deriveSecrets(bytes(master), b"WhisperText", 64)
                return Session.DerivedKeys(ratchetingsession.RootKey(kdf, keys[:32]),
                                           ratchetingsession.ChainKey(kdf, keys[32:], 0))

            Session.calculateDerivedKeys = staticmethod(derived)
            Session.getDiscontinuityBytes = staticmethod(lambda: bytearray())
            stores = InMemoryAxolotlStore(), InMemoryAxolotlStore()
            prekey, prekey_id, registration_id = generate(), chance.randrange(1, 0xFFFFF), chance.randrange(1, 16381)
            alice, bob = [Side2(store, prekey, prekey_id, registration_id) for store in stores]
            base = generate()
            alice.state, alice.base = SessionState(), base.getPublicKey()
            Session.initializeSessionAsAlice(alice.state, AliceAxolotlParameters.newBuilder()
                .setOurBaseKey(base).setOurIdentityKey(stores[0].getIdentityKeyPair())
                .setTheirIdentityKey(stores[1].getIdentityKeyPair().getPublicKey())
                .setTheirSignedPreKey(prekey.getPublicKey()).setTheirRatchetKey(prekey.getPublicKey())
                .setTheirOneTimePreKey(None).create())
            alice.state.setSessionVersion(2)
            keys = [secret(stores[0].getIdentityKeyPair()), secret(stores[1].getIdentityKeyPair()), secret(prekey),
                    None, secret(base), made[-1]]
            return keys, prekey_id, None, registration_id, alice, bob

        def converse(version, seed):
            chance = random.Random(seed)
            begun = (begin3 if version == 3 else begin2)(chance)
            keys, prekey_id, signed_id, registration_id, alice, bob = begun
            sides = [alice, bob]
            if version == 3:
                session = alice.loadSession("peer", 1)
                session.getSessionState().setLocalRegistrationId(registration_id)
                alice.storeSession("peer", 1, session)
                sides = [Side3(alice), Side3(bob)]
            events, sent, flying, wrapped = [], [], [[], []], True
            for step in range(80):
                side = chance.randrange(2)
                if chance.random() < 0.5 and sides[side].can_send():
                    text = chance.randbytes(chance.choice([1, 5, 15, 16, 17, 160, 1000]))
                    wire = sides[side].send(text)
                    events.append({"side": side, "wire": wire.hex(), "text": text.hex()})
                    if chance.random() < 0.9:
                        flying[1 - side].append(len(sent))
                    sent.append((wire, text, side == 0 and wrapped))
                elif flying[side]:
                    late = chance.random() < 0.4
                    index = flying[side].pop(chance.randrange(len(flying[side])) if late else 0)
                    count = len(made)
                    wire, text, is_wrapped = sent[index]
                    assert bytes(sides[side].receive(wire, is_wrapped)) == text
                    if side == 0:
                        wrapped = False
                    fresh = made[count:]
                    assert len(fresh) < 2
                    events.append({"side": side, "opened": index, "fresh": fresh[0].hex() if fresh else None})
            names = ["identityA", "identityB", "prekey", "oneTime", "ephemeral", "ratchetA"]
            return {"events": events, "prekeyID": prekey_id, "signedID": signed_id, "registrationID": registration_id,
                    **{name: key and key.hex() for name, key in zip(names, keys)}}

        print(json.dumps([converse(int(sys.argv[1]), seed) for seed in range(int(sys.argv[2]))]))
        """#

    /// Conversations of a version.
    static func conversations(version: UInt8, count: Int) throws -> [Conversation] {
        try JSONDecoder().decode([Conversation].self, from: python.run(source, ["\(version)", "\(count)"]))
    }
}
