// OpenSSL, with the macros and the parameter arrays that Swift cannot import.
#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/// HKDF-SHA256 (RFC 5869), extract then expand. Returns 1, or 0 if OpenSSL fails.
static inline int mam_hkdf_sha256(unsigned char *out, size_t out_count,
                                  const unsigned char *key, size_t key_count,
                                  const unsigned char *salt, size_t salt_count,
                                  const unsigned char *info, size_t info_count) {
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    EVP_KDF_free(kdf);
    if (!context) return 0;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count),
        OSSL_PARAM_construct_end(),
    };
    int ok = EVP_KDF_derive(context, out, out_count, params) > 0;
    EVP_KDF_CTX_free(context);
    return ok;
}

/// A context with the key schedule of one AES-256-GCM key and 16-byte nonces, or NULL.
/// It seals and opens: GCM uses the cipher's forward direction for both.
static inline EVP_CIPHER_CTX *mam_gcm_new(const EVP_CIPHER *cipher, const unsigned char *key) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return NULL;
    // The length has to be set before the first nonce, and holds for all later ones.
    if (EVP_EncryptInit_ex(context, cipher, NULL, NULL, NULL) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, NULL) == 1 &&
        EVP_EncryptInit_ex(context, NULL, NULL, key, NULL) == 1)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

/// Seals `count` bytes, in place if `out` is `in`. Returns 1, or 0 if OpenSSL fails.
static inline int mam_gcm_seal(EVP_CIPHER_CTX *context, const unsigned char *in, int count,
                               const unsigned char *nonce, const unsigned char *data,
                               int data_count, unsigned char *out, unsigned char *tag) {
    int done = 0, rest = 0;
    return EVP_EncryptInit_ex(context, NULL, NULL, NULL, nonce) == 1 &&
           (data_count == 0 || EVP_EncryptUpdate(context, NULL, &done, data, data_count) == 1) &&
           (count == 0 || EVP_EncryptUpdate(context, out, &done, in, count) == 1) &&
           EVP_EncryptFinal_ex(context, out + count, &rest) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
}

/// Opens `count` bytes, in place if `out` is `in`. Returns 1; 0 if the tag does not verify; -1 if
/// OpenSSL fails. Unless it returns 1, the caller wipes `out`: GCM writes before it verifies.
static inline int mam_gcm_open(EVP_CIPHER_CTX *context, const unsigned char *in, int count,
                               const unsigned char *nonce, const unsigned char *data,
                               int data_count, const unsigned char *tag, unsigned char *out) {
    int done = 0, rest = 0;
    if (EVP_DecryptInit_ex(context, NULL, NULL, NULL, nonce) != 1 ||
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag) != 1 ||
        (data_count != 0 && EVP_DecryptUpdate(context, NULL, &done, data, data_count) != 1) ||
        (count != 0 && EVP_DecryptUpdate(context, out, &done, in, count) != 1))
        return -1;
    return EVP_DecryptFinal_ex(context, out + count, &rest) == 1;
}
