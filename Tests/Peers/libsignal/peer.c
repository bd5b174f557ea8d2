// A side of TextSecure sessions on libsignal-protocol-c, for Scripts/test-libsignal, which compiles it. It reads a command
// from each line and answers with a line. Bytes are hexadecimal; keys have 33 bytes.
//
//     new                              IDENTITY ID PREKEY     a new identity and prekey; the session is forgotten
//     begin VERSION ID PREKEY IDENTITY ok
//     seal TEXT                        wrapped MESSAGE | plain MESSAGE
//     open wrapped|plain MESSAGE       text TEXT | refused ERROR
//     store                            ok                     the session is written and read
//
// What the library does not have is here: the start of version 2, and a first message that names a prekey without a
// signed prekey.

#include <signal/hkdf.h>
#include <signal/key_helper.h>
#include <signal/protocol.h>
#include <signal/session_cipher.h>
#include <signal/session_record.h>
#include <signal/session_state.h>

#include "crypto.h"
#include "wire.h"

static signal_context *context;
static signal_protocol_store_context *store;
static const signal_protocol_address address = {"peer", 4, 1};

static ratchet_identity_key_pair *identity;
static ec_key_pair *prekey;
static uint32_t prekey_id;
// The record of the session as bytes; none without a session.
static signal_buffer *session;
// Until the first answer: what stands around each message.
static struct { int is_pending; uint32_t prekey_id; uint8_t base[33]; } first;
static uint8_t base_key[33];

static void must(int result) {
    if (result >= 0) return;
    fprintf(stderr, "peer: libsignal-protocol-c returned %d\n", result);
    exit(2);
}

static int load_session(signal_buffer **record, signal_buffer **user, const signal_protocol_address *of, void *unused) {
    if (!session) return 0;
    *record = signal_buffer_copy(session);
    return 1;
}

static int store_session(const signal_protocol_address *of, uint8_t *record, size_t count, uint8_t *user,
                         size_t user_count, void *unused) {
    signal_buffer_free(session);
    session = signal_buffer_create(record, count);
    return 0;
}

static int contains_session(const signal_protocol_address *of, void *unused) { return session != NULL; }

static int get_identity(signal_buffer **public_data, signal_buffer **private_data, void *unused) {
    must(ec_public_key_serialize(public_data, ratchet_identity_key_pair_get_public(identity)));
    must(ec_private_key_serialize(private_data, ratchet_identity_key_pair_get_private(identity)));
    return 0;
}

static int get_registration_id(void *unused, uint32_t *id) { *id = 1; return 0; }

static int save_identity(const signal_protocol_address *of, uint8_t *key, size_t count, void *unused) { return 0; }

static int is_trusted(const signal_protocol_address *of, uint8_t *key, size_t count, void *unused) { return 1; }

static void set_up(void) {
    must(signal_context_create(&context, NULL));
    must(signal_context_set_crypto_provider(context, &provider));
    must(signal_protocol_store_context_create(&store, context));
    signal_protocol_session_store sessions = {
        .load_session_func = load_session, .store_session_func = store_session, .contains_session_func = contains_session};
    signal_protocol_identity_key_store identities = {
        get_identity, get_registration_id, save_identity, is_trusted, NULL, NULL};
    must(signal_protocol_store_context_set_session_store(store, &sessions));
    must(signal_protocol_store_context_set_identity_key_store(store, &identities));
}

static void key_bytes(const ec_public_key *key, uint8_t bytes[33]) {
    signal_buffer *buffer;
    must(ec_public_key_serialize(&buffer, key));
    if (signal_buffer_len(buffer) != 33) must(-1);
    memcpy(bytes, signal_buffer_data(buffer), 33);
    signal_buffer_free(buffer);
}

static ec_public_key *key_of(const uint8_t bytes[33]) {
    ec_public_key *key;
    must(curve_decode_point(&key, bytes, 33, context));
    return key;
}

static void keep(session_state *state) {
    session_record *record;
    signal_buffer *bytes;
    must(session_record_create(&record, state, context));
    must(session_record_serialize(&bytes, record));
    must(store_session(&address, signal_buffer_data(bytes), signal_buffer_len(bytes), NULL, 0, NULL));
    signal_buffer_free(bytes);
    SIGNAL_UNREF(record);
}

// The agreements one after the other, to root and chain key of version 2.
static void agree_two(const ec_public_key *public[3], const ec_private_key *private[3], hkdf_context **kdf,
                      ratchet_root_key **root, ratchet_chain_key **chain) {
    uint8_t secret[96], salt[32] = {0}, *shared, *derived;
    for (int index = 0; index < 3; index++) {
        must(curve_calculate_agreement(&shared, public[index], private[index]));
        memcpy(secret + 32 * index, shared, 32);
        free(shared);
    }
    must(hkdf_create(kdf, 2, context));
    must((int)hkdf_derive_secrets(*kdf, &derived, secret, sizeof secret, salt, sizeof salt,
                                  (const uint8_t *)"WhisperText", 11, 64));
    must(ratchet_root_key_create(root, *kdf, derived, 32, context));
    must(ratchet_chain_key_create(chain, *kdf, derived + 32, 32, 0, context));
    free(derived);
}

static session_state *state_with(uint32_t version, ec_public_key *peer) {
    session_state *state;
    must(session_state_create(&state, context));
    session_state_set_session_version(state, version);
    session_state_set_local_identity_key(state, ratchet_identity_key_pair_get_public(identity));
    session_state_set_remote_identity_key(state, peer);
    return state;
}

static void begin(uint32_t version, uint32_t id, ec_public_key *peer_prekey, ec_public_key *peer) {
    ec_key_pair *base;
    must(curve_generate_key_pair(context, &base));
    session_state *state = state_with(version, peer);
    if (version == 3) {
        alice_signal_protocol_parameters *parameters;
        must(alice_signal_protocol_parameters_create(&parameters, identity, base, peer, peer_prekey, NULL, peer_prekey));
        must(ratcheting_session_alice_initialize(state, parameters, context));
    } else {
        const ec_public_key *public[3] = {peer_prekey, peer, peer_prekey};
        const ec_private_key *private[3] = {
            ratchet_identity_key_pair_get_private(identity), ec_key_pair_get_private(base), ec_key_pair_get_private(base)};
        hkdf_context *kdf;
        ratchet_root_key *root, *next;
        ratchet_chain_key *receiving, *sending;
        ec_key_pair *ratchet;
        agree_two(public, private, &kdf, &root, &receiving);
        must(curve_generate_key_pair(context, &ratchet));
        must(ratchet_root_key_create_chain(root, &next, &sending, peer_prekey, ec_key_pair_get_private(ratchet)));
        must(session_state_add_receiver_chain(state, peer_prekey, receiving));
        session_state_set_sender_chain(state, ratchet, sending);
        session_state_set_root_key(state, next);
    }
    keep(state);
    first.is_pending = 1;
    first.prekey_id = id;
    key_bytes(ec_key_pair_get_public(base), first.base);
    memcpy(base_key, first.base, 33);
}

static void respond(uint32_t version, ec_public_key *base, ec_public_key *peer) {
    session_state *state = state_with(version, peer);
    if (version == 3) {
        bob_signal_protocol_parameters *parameters;
        must(bob_signal_protocol_parameters_create(&parameters, identity, prekey, NULL, prekey, peer, base));
        must(ratcheting_session_bob_initialize(state, parameters, context));
    } else {
        const ec_public_key *public[3] = {peer, base, base};
        const ec_private_key *private[3] = {
            ec_key_pair_get_private(prekey), ratchet_identity_key_pair_get_private(identity), ec_key_pair_get_private(prekey)};
        hkdf_context *kdf;
        ratchet_root_key *root;
        ratchet_chain_key *chain;
        agree_two(public, private, &kdf, &root, &chain);
        session_state_set_sender_chain(state, prekey, chain);
        session_state_set_root_key(state, root);
    }
    keep(state);
}

static void say_keys(void) {
    uint8_t public[33];
    key_bytes(ratchet_identity_key_pair_get_public(identity), public);
    say_bytes(public, 33);
    printf(" %u ", prekey_id);
    key_bytes(ec_key_pair_get_public(prekey), public);
    say_bytes(public, 33);
}

static void new_side(void) {
    signal_buffer_free(session);
    session = NULL;
    first.is_pending = 0;
    must(signal_protocol_key_helper_generate_identity_key_pair(&identity, context));
    must(curve_generate_key_pair(context, &prekey));
    must(random_bytes((uint8_t *)&prekey_id, sizeof prekey_id, NULL));
    prekey_id = prekey_id % 0xffffe + 1;
    say_keys();
}

static session_cipher *cipher(void) {
    session_cipher *cipher;
    must(session_cipher_create(&cipher, store, &address, context));
    return cipher;
}

static void seal(const uint8_t *text, size_t count) {
    ciphertext_message *message;
    session_cipher *sealer = cipher();
    must(session_cipher_encrypt(sealer, text, count, &message));
    signal_buffer *bytes = ciphertext_message_get_serialized(message);
    if (first.is_pending) {
        uint8_t public[33];
        key_bytes(ratchet_identity_key_pair_get_public(identity), public);
        struct bytes wrapped = wrap(signal_buffer_data(bytes), signal_buffer_len(bytes), first.prekey_id, first.base, public);
        printf("wrapped ");
        say_bytes(wrapped.data, wrapped.count);
        free(wrapped.data);
    } else {
        printf("plain ");
        say_bytes(signal_buffer_data(bytes), signal_buffer_len(bytes));
    }
    SIGNAL_UNREF(message);
    session_cipher_free(sealer);
}

// A message that does not open leaves the session that was there, or none.
static int open_message(const uint8_t *bytes, size_t count, signal_buffer **text) {
    signal_message *message;
    int result = signal_message_deserialize(&message, bytes, count, context);
    if (result < 0) return result;
    session_cipher *opener = cipher();
    result = session_cipher_decrypt_signal_message(opener, message, NULL, text);
    session_cipher_free(opener);
    SIGNAL_UNREF(message);
    if (result >= 0) first.is_pending = 0;
    return result;
}

static int open_wrapped(const uint8_t *bytes, size_t count, signal_buffer **text) {
    struct wrapped wrapped;
    if (!unwrap(bytes, count, &wrapped)) return SG_ERR_INVALID_PROTO_BUF;
    int is_new = session == NULL;
    if (is_new) {
        if (wrapped.prekey_id != prekey_id) return SG_ERR_INVALID_KEY_ID;
        respond(bytes[0] >> 4, key_of(wrapped.base), key_of(wrapped.identity));
    } else if (memcmp(base_key, wrapped.base, 33)) {
        return SG_ERR_STALE_KEY_EXCHANGE;
    }
    int result = open_message(wrapped.message.data, wrapped.message.count, text);
    if (is_new && result >= 0) memcpy(base_key, wrapped.base, 33);
    if (is_new && result < 0) {
        signal_buffer_free(session);
        session = NULL;
    }
    return result;
}

static void reload(void) {
    session_record *record;
    signal_buffer *bytes;
    must(session_record_deserialize(&record, signal_buffer_data(session), signal_buffer_len(session), context));
    must(session_record_serialize(&bytes, record));
    must(store_session(&address, signal_buffer_data(bytes), signal_buffer_len(bytes), NULL, 0, NULL));
    signal_buffer_free(bytes);
    SIGNAL_UNREF(record);
}

static void answer(char *line) {
    char *words[5] = {0};
    int count = 0;
    for (char *word = strtok(line, " \n"); word && count < 5; word = strtok(NULL, " \n")) words[count++] = word;
    if (!count) exit(2);
    if (!strcmp(words[0], "new")) {
        new_side();
    } else if (!strcmp(words[0], "begin") && count == 5) {
        struct bytes key = hex(words[3]), peer = hex(words[4]);
        begin((uint32_t)atoi(words[1]), (uint32_t)strtoul(words[2], NULL, 10), key_of(key.data), key_of(peer.data));
        printf("ok");
    } else if (!strcmp(words[0], "seal") && count == 2) {
        struct bytes text = hex(words[1]);
        seal(text.data, text.count);
        free(text.data);
    } else if (!strcmp(words[0], "open") && count == 3) {
        struct bytes bytes = hex(words[2]);
        signal_buffer *text = NULL;
        int is_wrapped = !strcmp(words[1], "wrapped");
        int result = (is_wrapped ? open_wrapped : open_message)(bytes.data, bytes.count, &text);
        if (result < 0) {
            printf("refused %d", result);
        } else {
            printf("text ");
            say_bytes(signal_buffer_data(text), signal_buffer_len(text));
            signal_buffer_free(text);
        }
        free(bytes.data);
    } else if (!strcmp(words[0], "store")) {
        reload();
        printf("ok");
    } else {
        exit(2);
    }
    printf("\n");
    fflush(stdout);
}

int main(void) {
    char *line = NULL;
    size_t capacity = 0;
    set_up();
    while (getline(&line, &capacity, stdin) > 0) answer(line);
    return 0;
}
