// The compression function itself (SHA256_Transform) is "deprecated" in OpenSSL 3 in favour of EVP.
// PBKDF2 needs it: 200,000 compressions through EVP cost 2.7 times as much, and EVP's first use loads
// the providers, which costs every command start-up time.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>
