// What rget needs from OpenSSL's libcrypto: the EVP interface to hash functions, see EVP_DigestInit(3ssl).
#ifndef RESUMABLE_DOWNLOADS_CCRYPTO_SHIM_H
#define RESUMABLE_DOWNLOADS_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
