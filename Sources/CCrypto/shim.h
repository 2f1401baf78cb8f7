// OpenSSL, with the macros and the parameter arrays that Swift cannot import.
#pragma once
// Its macros name the file that calls them by the path where it was built.
#define OPENSSL_NO_FILENAMES
#include <openssl/core_names.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/// HKDF-SHA256 (RFC 5869), extract then expand. Returns 1, or 0 if OpenSSL fails.
static inline int mam_hkdf_sha256(unsigned char *out, size_t out_count, const unsigned char *key,
                                  size_t key_count, const unsigned char *salt, size_t salt_count,
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

/// A public key of parameters that `builder` has, which is freed; NULL if OpenSSL refuses them.
static inline EVP_PKEY *mam_public_key(const char *kind, OSSL_PARAM_BLD *builder) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = builder ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *context = params ? EVP_PKEY_CTX_new_from_name(NULL, kind, NULL) : NULL;
    if (context && (EVP_PKEY_fromdata_init(context) != 1 ||
                    EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1))
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// An RSA public key of big-endian numbers, or NULL.
static inline EVP_PKEY *mam_rsa_key(const unsigned char *modulus, size_t modulus_count,
                                    const unsigned char *exponent, size_t exponent_count) {
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
    OSSL_PARAM_BLD *builder = n && e ? OSSL_PARAM_BLD_new() : NULL;
    EVP_PKEY *key = NULL;
    if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        key = mam_public_key("RSA", builder);
    else OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return key;
}

/// A public key on the curve P-256 of its point, 0x04 X Y, or NULL.
static inline EVP_PKEY *mam_p256_key(const unsigned char *point, size_t count) {
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) ==
            1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1)
        return mam_public_key("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    return NULL;
}

/// Whether the key has signed SHA-256 of the message: PKCS #1 v1.5 for RSA, DER for ECDSA.
static inline int mam_is_signed(EVP_PKEY *key, const unsigned char *signature, size_t count,
                                const unsigned char *message, size_t message_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
             EVP_DigestVerify(context, signature, count, message, message_count) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return ok;
}

/// The same for ECDSA with R and S, big-endian and of 32 bytes each (RFC 7518).
static inline int mam_is_signed_p256(EVP_PKEY *key, const unsigned char *r_and_s,
                                     const unsigned char *message, size_t message_count) {
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(r_and_s, 32, NULL), *s = BN_bin2bn(r_and_s + 32, 32, NULL);
    unsigned char *der = NULL;
    int count = 0, ok = 0;
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1) {
        r = s = NULL;
        count = i2d_ECDSA_SIG(signature, &der);
    }
    if (count > 0) ok = mam_is_signed(key, der, (size_t)count, message, message_count);
    OPENSSL_free(der);
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    return ok;
}
