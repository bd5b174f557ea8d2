// The compression function itself (SHA256_Transform) is "deprecated" in OpenSSL 3 in favour of EVP.
// PBKDF2 needs it: 200,000 compressions through EVP cost 2.7 times as much, and EVP's first use loads
// the providers, which costs every command start-up time. Frames of calls use EVP: no command has them.
// AES_encrypt, below AES-256-GCM on processors without AES instructions, is deprecated likewise.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/modes.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
