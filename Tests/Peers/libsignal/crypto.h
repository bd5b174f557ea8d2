// What libsignal-protocol-c asks of its caller: random numbers, HMAC-SHA-256, SHA-512 and AES, by OpenSSL.

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <signal/signal_protocol.h>

static int random_bytes(uint8_t *data, size_t count, void *unused) {
    return RAND_bytes(data, (int)count) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int hmac_begin(void **context, const uint8_t *key, size_t count, void *unused) {
    *context = HMAC_CTX_new();
    return HMAC_Init_ex(*context, key, (int)count, EVP_sha256(), NULL) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int hmac_add(void *context, const uint8_t *data, size_t count, void *unused) {
    return HMAC_Update(context, data, count) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int hmac_end(void *context, signal_buffer **output, void *unused) {
    uint8_t code[32];
    unsigned int count = 0;
    if (HMAC_Final(context, code, &count) != 1 || count != sizeof code) return SG_ERR_UNKNOWN;
    *output = signal_buffer_create(code, sizeof code);
    return SG_SUCCESS;
}

static void hmac_free(void *context, void *unused) { HMAC_CTX_free(context); }

static int sha512_begin(void **context, void *unused) {
    *context = EVP_MD_CTX_new();
    return EVP_DigestInit_ex(*context, EVP_sha512(), NULL) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int sha512_add(void *context, const uint8_t *data, size_t count, void *unused) {
    return EVP_DigestUpdate(context, data, count) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int sha512_end(void *context, signal_buffer **output, void *unused) {
    uint8_t digest[64];
    if (EVP_DigestFinal_ex(context, digest, NULL) != 1) return SG_ERR_UNKNOWN;
    *output = signal_buffer_create(digest, sizeof digest);
    return EVP_DigestInit_ex(context, EVP_sha512(), NULL) == 1 ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static void sha512_free(void *context, void *unused) { EVP_MD_CTX_free(context); }

static int aes(signal_buffer **output, int cipher, const uint8_t *key, const uint8_t *iv, const uint8_t *input,
               size_t count, int is_encryption) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *mode = cipher == SG_CIPHER_AES_CTR_NOPADDING ? EVP_aes_256_ctr() : EVP_aes_256_cbc();
    uint8_t *bytes = malloc(count + 16);
    int first = 0, last = 0;
    int is_done = EVP_CipherInit_ex(context, mode, NULL, key, iv, is_encryption) == 1
        && EVP_CipherUpdate(context, bytes, &first, input, (int)count) == 1
        && EVP_CipherFinal_ex(context, bytes + first, &last) == 1;
    if (is_done) *output = signal_buffer_create(bytes, (size_t)(first + last));
    free(bytes);
    EVP_CIPHER_CTX_free(context);
    return is_done ? SG_SUCCESS : SG_ERR_UNKNOWN;
}

static int encrypt(signal_buffer **output, int cipher, const uint8_t *key, size_t key_count, const uint8_t *iv,
                   size_t iv_count, const uint8_t *plaintext, size_t count, void *unused) {
    return key_count == 32 && iv_count == 16 ? aes(output, cipher, key, iv, plaintext, count, 1) : SG_ERR_INVAL;
}

static int decrypt(signal_buffer **output, int cipher, const uint8_t *key, size_t key_count, const uint8_t *iv,
                   size_t iv_count, const uint8_t *ciphertext, size_t count, void *unused) {
    return key_count == 32 && iv_count == 16 ? aes(output, cipher, key, iv, ciphertext, count, 0) : SG_ERR_INVAL;
}

static const signal_crypto_provider provider = {
    random_bytes, hmac_begin, hmac_add, hmac_end, hmac_free, sha512_begin, sha512_add, sha512_end, sha512_free,
    encrypt, decrypt, NULL,
};
