// The functions that keytool's key derivations are measured against.
#include <openssl/evp.h>
#include <sodium.h>
