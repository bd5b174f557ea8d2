import Foundation
import VectorKit

/// Other implementations, in Python: python-axolotl (TextSecure's sessions), DoubleRatchet and X3DH, and the pseudocode
/// of the specification's header encryption on cryptography. Scripts/set-up installs them in the directory
/// `.build/ratchet`.
///
/// Python makes whole conversations between two sides of its own, with all private keys, in which messages are late and
/// lost. The tests repeat them step by step.
enum PythonPeer {
    /// What happened. Keys are hexadecimal.
    struct Conversation: Decodable, Sendable {
        /// The first secret.
        let secret: String
        /// Private keys: of Alice's identity, ephemeral, of Bob's identity, prekey, Alice's first ratchet key.
        let identityA: String
        let ephemeral: String
        let identityB: String
        let prekey: String
        let ratchetA: String
        let events: [Event]
    }

    struct Event: Decodable, Sendable {
        /// 0 is Alice.
        let side: Int
        /// The number of a message that was opened; nil if one was sealed.
        let opened: Int?
        /// The public ratchet key.
        let ratchet: String?
        let previous: UInt32?
        let number: UInt32?
        /// The message key or keys.
        let key: String
        let headerKey: String?
        /// The private ratchet key that was made to open it.
        let fresh: String?
    }

    struct Agreement: Decodable, Sendable {
        let secret: String
        let identityA: String
        let ephemeral: String
        let identityB: String
        let prekey: String
        let oneTime: String
    }

    private static let python = InstalledPython("ratchet")

    private static let source = #"""
        import asyncio, hashlib, hmac, json, os, random, sys
        os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

        def secret_key():
            """Clamped, because python-axolotl does so when it makes a key, and not when it uses one."""
            key = bytearray(os.urandom(32))
            key[0] &= 248
            key[31] = key[31] & 127 | 64
            return bytes(key)

        def public(secret):
            return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

        def dh(secret, other):
            return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(other))

        def agree(keys):
            a, e, b, p = keys
            return dh(a, public(p)) + dh(e, public(b)) + dh(e, public(p))

        def hkdf(secret, salt, info, count):
            extracted = hmac.new(salt, secret, "sha256").digest()
            result = block = b""
            while len(result) < count:
                block = hmac.new(extracted, block + info + bytes([len(result) // 32 + 1]), "sha256").digest()
                result += block
            return result[:count]

        # Two sides of any implementation: each has send() -> (ratchet key, previous, number, key, header key) and
        # receive(of a sent message) -> key, and lists what private keys it has made.
        def converse(make, keys, seed):
            chance = random.Random(seed)
            secret, sides, first = make(keys)
            events, sent, flying = [], [], [[], []]
            for step in range(90):
                side = chance.randrange(2)
                if chance.random() < 0.5 and sides[side].can_send():
                    message = sides[side].send()
                    ratchet, previous, number, key, header_key = message
                    events.append({"side": side, "ratchet": ratchet.hex(), "previous": previous, "number": number,
                                   "key": key.hex(), "headerKey": header_key and header_key.hex()})
                    if chance.random() < 0.9:
                        flying[1 - side].append(len(sent))
                    sent.append(message)
                elif flying[side]:
                    late = chance.random() < 0.4
                    index = flying[side].pop(chance.randrange(len(flying[side])) if late else 0)
                    made = len(sides[side].made)
                    key = sides[side].receive(sent[index])
                    assert key == sent[index][3]
                    fresh = sides[side].made[made:]
                    assert len(fresh) < 2
                    events.append({"side": side, "opened": index, "key": key.hex(),
                                   "fresh": fresh[0].hex() if fresh else None})
            names = ["identityA", "ephemeral", "identityB", "prekey"]
            return {"secret": secret.hex(), "ratchetA": first.hex(), "events": events,
                    **{name: key.hex() for name, key in zip(names, keys)}}

        # python-axolotl: versions 2 and 3. Its sessions begin with version 3, so version 2 replaces what differs.
        def axolotl(version):
            from axolotl.ecc.curve import Curve
            from axolotl.ecc.djbec import DjbECPrivateKey, DjbECPublicKey
            from axolotl.ecc.eckeypair import ECKeyPair
            from axolotl.identitykey import IdentityKey
            from axolotl.identitykeypair import IdentityKeyPair
            from axolotl.kdf.hkdf import HKDF
            from axolotl.ratchet import ratchetingsession
            from axolotl.ratchet.aliceaxolotlparameters import AliceAxolotlParameters
            from axolotl.ratchet.bobaxolotlparamaters import BobAxolotlParameters
            from axolotl.sessioncipher import SessionCipher
            from axolotl.state.sessionstate import SessionState
            Session = ratchetingsession.RatchetingSession
            made = []

            def pair(secret):
                return ECKeyPair(DjbECPublicKey(public(secret)), DjbECPrivateKey(secret))

            def generate():
                made.append(secret_key())
                return pair(made[-1])

            Curve.generateKeyPair = staticmethod(generate)
            secrets = []

            def derived(master):
                kdf = HKDF.createFor(version)
                secrets.append(kdf.deriveSecrets(bytes(master), b"WhisperText", 64))
                return Session.DerivedKeys(ratchetingsession.RootKey(kdf, secrets[-1][:32]),
                                           ratchetingsession.ChainKey(kdf, secrets[-1][32:], 0))

            Session.calculateDerivedKeys = staticmethod(derived)
            if version == 2:
                Session.getDiscontinuityBytes = staticmethod(lambda: bytearray())
            size = 64 if version == 2 else 80

            def flat(keys):
                return (bytes(keys.getCipherKey()) + bytes(keys.getMacKey()) + bytes(keys.getIv()))[:size]

            class Side:
                def __init__(self, state):
                    self.state, self.made = state, made
                    state.setSessionVersion(version)
                    self.cipher = SessionCipher.__new__(SessionCipher)

                def can_send(self):
                    return True

                def send(self):
                    chain = self.state.getSenderChainKey()
                    message = (self.state.getSenderRatchetKey().getPublicKey(), self.state.getPreviousCounter(),
                               chain.getIndex(), flat(chain.getMessageKeys()), None)
                    self.state.setSenderChainKey(chain.getNextChainKey())
                    return message

                def receive(self, message):
                    state, other = SessionState(self.state), DjbECPublicKey(message[0])
                    chain = self.cipher.getOrCreateChainKey(state, other)
                    keys = self.cipher.getOrCreateMessageKeys(state, other, chain, message[2])
                    self.state = state
                    return flat(keys)

            def make(keys):
                a, e, b, p = keys
                def identity(secret):
                    return IdentityKeyPair(IdentityKey(DjbECPublicKey(public(secret))), DjbECPrivateKey(secret))
                alice, bob = SessionState(), SessionState()
                Session.initializeSessionAsAlice(alice, AliceAxolotlParameters.newBuilder()
                    .setOurBaseKey(pair(e)).setOurIdentityKey(identity(a))
                    .setTheirIdentityKey(identity(b).getPublicKey()).setTheirSignedPreKey(pair(p).getPublicKey())
                    .setTheirRatchetKey(pair(p).getPublicKey()).setTheirOneTimePreKey(None).create())
                first = made[-1]
                Session.initializeSessionAsBob(bob, BobAxolotlParameters.newBuilder()
                    .setOurIdentityKey(identity(b)).setOurSignedPreKey(pair(p)).setOurRatchetKey(pair(p))
                    .setOurOneTimePreKey(None).setTheirBaseKey(pair(e).getPublicKey())
                    .setTheirIdentityKey(identity(a).getPublicKey()).create())
                assert secrets[-1] == secrets[-2]
                return secrets[-1], [Side(alice), Side(bob)], first

            return make

        # DoubleRatchet, whose ciphertext here is the message key.
        def double_ratchet():
            from doubleratchet import AEAD, DoubleRatchet, EncryptedMessage, Header
            from doubleratchet.recommended import HashFunction, diffie_hellman_ratchet_curve25519 as curve
            from doubleratchet.recommended import kdf_hkdf, kdf_separate_hmacs
            made = []

            class Root(kdf_hkdf.KDF):
                _get_hash_function = staticmethod(lambda: HashFunction.SHA_256)
                _get_info = staticmethod(lambda: b"test root")

            class Chain(kdf_separate_hmacs.KDF):
                _get_hash_function = staticmethod(lambda: HashFunction.SHA_256)

            class Ratchet(curve.DiffieHellmanRatchet):
                @staticmethod
                def _generate_priv():
                    made.append(secret_key())
                    return made[-1]

            class Keys(AEAD):
                @staticmethod
                async def encrypt(plaintext, key, associated_data):
                    return key

                @staticmethod
                async def decrypt(ciphertext, key, associated_data):
                    assert ciphertext == key
                    return key

            class Session(DoubleRatchet):
                _build_associated_data = staticmethod(lambda associated_data, header: associated_data)

            settings = dict(diffie_hellman_ratchet_class=Ratchet, root_chain_kdf=Root, message_chain_kdf=Chain,
                            message_chain_constant=b"\2\1", dos_protection_threshold=500,
                            max_num_skipped_message_keys=500, aead=Keys)

            class Side:
                def __init__(self, secret, prekey):
                    self.secret, self.prekey, self.made, self.session = secret, prekey, made, None
                    self.first = None

                def can_send(self):
                    return self.session is not None

                def plain(self, message):
                    header = message.header
                    return (header.ratchet_pub, header.previous_sending_chain_length, header.sending_chain_length,
                            message.ciphertext, None)

                def send(self):
                    if self.first:
                        message, self.first = self.first, None
                        return message
                    return self.plain(asyncio.run(self.session.encrypt_message(b"", b"")))

                def start(self):
                    self.session, message = asyncio.run(Session.encrypt_initial_message(
                        **settings, shared_secret=self.secret, recipient_ratchet_pub=public(self.prekey), message=b"",
                        associated_data=b""))
                    self.first = self.plain(message)

                def receive(self, message):
                    wire = EncryptedMessage(header=Header(message[0], message[1], message[2]), ciphertext=message[3])
                    if self.session is None:
                        self.session, key = asyncio.run(Session.decrypt_initial_message(
                            **settings, shared_secret=self.secret, own_ratchet_priv=self.prekey, message=wire,
                            associated_data=b""))
                        return key
                    return asyncio.run(self.session.decrypt_message(wire, b""))

            def make(keys):
                secret = hkdf(b"\xff" * 32 + agree(keys), bytes(32), b"test agreement", 32)
                alice, bob = Side(secret, keys[3]), Side(secret, keys[3])
                alice.start()
                return secret, [alice, bob], made[0]

            made.clear()
            return make

        # The specification's functions with header encryption: RatchetInitAliceHE, RatchetEncryptHE and so on.
        class HeaderEncryption:
            def __init__(self):
                self.made, self.sending, self.receiving, self.other = [], None, None, None
                self.ns = self.nr = self.pn = 0
                self.hks = self.hkr = None
                self.skipped = {}

            def generate(self):
                self.made.append(secret_key())
                return self.made[-1]

            def root_step(self, result):
                keys = hkdf(result, self.root, b"SophaxChat_RootKey_v1", 96)
                self.root = keys[:32]
                return keys[32:64], keys[64:]

            @staticmethod
            def chain_step(chain):
                return hmac.new(chain, b"\2", "sha256").digest(), hmac.new(chain, b"\1", "sha256").digest()

            def can_send(self):
                return self.sending is not None

            def send(self):
                self.sending, key = self.chain_step(self.sending)
                self.ns += 1
                return public(self.own), self.pn, self.ns - 1, key, self.hks

            def receive(self, message):
                ratchet, pn, number, key, header_key = message
                if (header_key, number) in self.skipped:
                    return self.skipped.pop((header_key, number))
                if header_key != self.hkr:
                    assert header_key == self.nhkr
                    self.skip(pn)
                    self.pn, self.ns, self.nr = self.ns, 0, 0
                    self.hks, self.hkr, self.other = self.nhks, self.nhkr, ratchet
                    self.receiving, self.nhkr = self.root_step(dh(self.own, ratchet))
                    self.own = self.generate()
                    self.sending, self.nhks = self.root_step(dh(self.own, ratchet))
                self.skip(number)
                self.receiving, key = self.chain_step(self.receiving)
                self.nr += 1
                return key

            def skip(self, until):
                while self.receiving is not None and self.nr < until:
                    self.receiving, key = self.chain_step(self.receiving)
                    self.skipped[self.hkr, self.nr] = key
                    self.nr += 1

        def header_encryption(keys):
            secret = hkdf(b"\xff" * 32 + agree(keys), bytes(32), b"SophaxChat_X3DH_v1", 32)
            from_alice = hkdf(secret, b"", b"SophaxChat_HKAlice_v1", 32)
            from_bob = hkdf(secret, b"", b"SophaxChat_NHKBob_v1", 32)
            alice, bob = HeaderEncryption(), HeaderEncryption()
            alice.own, alice.root = alice.generate(), secret
            alice.sending, alice.nhks = alice.root_step(dh(alice.own, public(keys[3])))
            alice.hks, alice.nhkr = from_alice, from_bob
            bob.own, bob.root, bob.nhks, bob.nhkr = keys[3], secret, from_bob, from_alice
            return secret, [alice, bob], alice.own

        # X3DH: identities are Ed25519 keys there, and Curve25519 keys here.
        def x3dh_agreement(number):
            import secrets, x3dh, xeddsa

            class State(x3dh.BaseState):
                _encode_public_key = staticmethod(lambda key_format, pub: pub)

                def __init__(self):
                    pass

            def state():
                return State.create(x3dh.IdentityKeyFormat.CURVE_25519, x3dh.HashFunction.SHA_256,
                                    b"SophaxChat_X3DH_v1")

            alice, bob = state(), state()
            if number % 2:
                bob.generate_pre_keys(1)
            drawn, token_bytes = [], secrets.token_bytes
            def token(count):
                drawn.append(token_bytes(count))
                return drawn[-1]
            secrets.token_bytes = token
            try:
                secret, _, header = asyncio.run(alice.get_shared_secret_active(bob.bundle, require_pre_key=False))
            finally:
                secrets.token_bytes = token_bytes
            one_time = next(iter(bob.model.pre_keys), b"") if number % 2 else b""
            ephemeral = next(each for each in drawn if public(each) == header.ephemeral_key)
            identity = []
            for side in (alice, bob):
                pair = side.model.identity_key
                priv = pair.secret
                identity.append(priv if pair.secret_type.name == "PRIV" else xeddsa.seed_to_priv(priv))
            return {"secret": secret.hex(), "identityA": identity[0].hex(), "ephemeral": ephemeral.hex(),
                    "identityB": identity[1].hex(), "prekey": bob.model.signed_pre_key.priv.hex(),
                    "oneTime": one_time.hex()}

        what, count = sys.argv[1], int(sys.argv[2])
        result = []
        make = {"axolotl2": lambda: axolotl(2), "axolotl3": lambda: axolotl(3), "plain": double_ratchet,
                "headers": lambda: header_encryption, "x3dh": lambda: None}[what]
        for seed in range(count):
            if what == "x3dh":
                result.append(x3dh_agreement(seed))
            else:
                result.append(converse(make(), [secret_key() for _ in range(4)], seed))
        print(json.dumps(result))
        """#

    /// Conversations of one implementation: `axolotl2`, `axolotl3`, `plain`, `headers`.
    static func conversations(_ name: String, count: Int) throws -> [Conversation] {
        try JSONDecoder().decode([Conversation].self, from: output(name, count))
    }

    /// Agreements by X3DH; every second one has a one-time prekey.
    static func agreements(count: Int) throws -> [Agreement] {
        try JSONDecoder().decode([Agreement].self, from: output("x3dh", count))
    }

    private static func output(_ name: String, _ count: Int) throws -> Data {
        try python.run(source, [name, "\(count)"])
    }
}
