// Certificates with keys on P-256, for servers that the organisation itself vouches for.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <time.h>

static inline EVP_PKEY *mam_p256_new(void) { return EVP_EC_gen("P-256"); }

static inline int mam_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    int done = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return done;
}

/// A positive number of 127 bits at most: no two certificates have the same.
static inline int mam_random_serial(X509 *certificate) {
    unsigned char bytes[16];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return 0;
    bytes[0] = (bytes[0] & 0x7F) | 0x40;
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    int done = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    BN_free(number);
    return done;
}

/// A certificate for `key`, or NULL, signed with `signer`, the key of `issuer`; without an issuer
/// its own. With `names`, `DNS:a,IP:b`, it is a server's, else an authority's.
static inline X509 *mam_certificate(EVP_PKEY *key, const char *name, const char *names,
                                    X509 *issuer, EVP_PKEY *signer, long seconds) {
    X509 *made = X509_new();
    if (!made) return NULL;
    X509_NAME *subject = X509_get_subject_name(made);
    int done = X509_set_version(made, 2) == 1 && mam_random_serial(made) &&
               // Machines whose clocks are behind by two days still check in.
               X509_gmtime_adj(X509_getm_notBefore(made), -3 * 86400) &&
               X509_gmtime_adj(X509_getm_notAfter(made), seconds) &&
               X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
                                          (const unsigned char *)name, -1, -1, 0) == 1 &&
               X509_set_issuer_name(made, issuer ? X509_get_subject_name(issuer) : subject) == 1 &&
               X509_set_pubkey(made, key) == 1 &&
               mam_extension(made, issuer, NID_subject_key_identifier, "hash");
    if (done && issuer) done = mam_extension(made, issuer, NID_authority_key_identifier, "keyid");
    if (done && names)
        done = mam_extension(made, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
               mam_extension(made, issuer, NID_key_usage, "critical,digitalSignature") &&
               mam_extension(made, issuer, NID_ext_key_usage, "serverAuth,clientAuth") &&
               mam_extension(made, issuer, NID_subject_alt_name, names);
    else if (done)
        done = mam_extension(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
               mam_extension(made, made, NID_key_usage, "critical,keyCertSign");
    if (done) done = X509_sign(made, signer, EVP_sha256()) > 0;
    if (done) return made;
    X509_free(made);
    return NULL;
}

/// The key in PEM, in memory that is zeroed when it is freed; or NULL.
static inline BIO *mam_key_pem(EVP_PKEY *key) {
    BIO *out = BIO_new(BIO_s_secmem());
    if (out && PEM_write_bio_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) == 1) return out;
    BIO_free(out);
    return NULL;
}

static inline BIO *mam_certificate_pem(X509 *certificate) {
    BIO *out = BIO_new(BIO_s_mem());
    if (out && PEM_write_bio_X509(out, certificate) == 1) return out;
    BIO_free(out);
    return NULL;
}

static inline size_t mam_bio_bytes(BIO *bio, const void **start) {
    char *data = NULL;
    long count = BIO_get_mem_data(bio, &data);
    *start = data;
    return count > 0 ? (size_t)count : 0;
}

static inline EVP_PKEY *mam_read_key(const void *bytes, size_t count) {
    BIO *in = count <= 65536 ? BIO_new_mem_buf(bytes, (int)count) : NULL;
    EVP_PKEY *key = in ? PEM_read_bio_PrivateKey(in, NULL, NULL, (void *)"") : NULL;
    BIO_free(in);
    return key;
}

static inline X509 *mam_read_certificate(const void *bytes, size_t count) {
    BIO *in = count <= 65536 ? BIO_new_mem_buf(bytes, (int)count) : NULL;
    X509 *found = in ? PEM_read_bio_X509(in, NULL, NULL, (void *)"") : NULL;
    BIO_free(in);
    return found;
}

/// Its last second, since 1970; -1 if that cannot be told.
static inline long mam_certificate_end(X509 *certificate) {
    struct tm time;
    return ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 ? timegm(&time) : -1;
}

/// Whether `authority` has signed `link`, a certificate for the key of the authority `next`.
static inline int mam_vouches(X509 *authority, X509 *link, X509 *next) {
    EVP_PKEY *key = X509_get0_pubkey(next);
    return key && X509_check_ca(next) == 1 && X509_verify(next, key) == 1 &&
           X509_check_ca(link) == 1 && EVP_PKEY_eq(X509_get0_pubkey(link), key) == 1 &&
           X509_verify(link, X509_get0_pubkey(authority)) == 1;
}

/// Whether the certificate is the key's, and was signed with it.
static inline int mam_is_authority(X509 *certificate, EVP_PKEY *key) {
    return X509_check_private_key(certificate, key) == 1 && X509_verify(certificate, key) == 1 &&
           X509_check_ca(certificate) == 1;
}
