// AES-256-GCM from Intel's IPsec Multi-Buffer library.
#pragma once
#include <intel-ipsec-mb.h>
#include <openssl/crypto.h>
#include <stddef.h>

/// The instructions in use.
enum mam_vector_kind {
    /// AES-NI and AVX2.
    MAM_VECTOR_AVX,
    /// VAES and AVX-512.
    MAM_VECTOR_VAES,
};

/// The functions for one instruction set, without state between calls.
struct mam_vector_gcm {
    aes_gcm_pre_t prepare;
    aes_gcm_init_var_iv_t begin;
    aes_gcm_enc_dec_update_t encrypt, decrypt;
    aes_gcm_enc_dec_finalize_t end_encryption, end_decryption;
};

/// Returns 1; 0 if the processor lacks the instructions, or the library does not clear registers
/// and stack after use, or fails its self-test. Takes half a millisecond, because that tests all
/// its ciphers.
static inline int mam_vector_gcm_find(enum mam_vector_kind kind, struct mam_vector_gcm *found) {
    const uint64_t instructions = kind == MAM_VECTOR_VAES ? IMB_CPUFLAGS_AVX512_T2
                                                          : IMB_CPUFLAGS_AVX2;
    const uint64_t needed = instructions | IMB_FEATURE_SAFE_DATA | IMB_FEATURE_SELF_TEST_PASS;
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) return 0;
    // The features are known before any of the instructions run.
    int is_good = (manager->features & instructions) == instructions;
    if (is_good) {
        if (kind == MAM_VECTOR_VAES) init_mb_mgr_avx512(manager);
        else init_mb_mgr_avx2(manager);
        is_good = imb_get_errno(manager) == 0 && (manager->features & needed) == needed;
    }
    *found = (struct mam_vector_gcm){manager->gcm256_pre,          manager->gcm256_init_var_iv,
                                     manager->gcm256_enc_update,   manager->gcm256_dec_update,
                                     manager->gcm256_enc_finalize, manager->gcm256_dec_finalize};
    free_mb_mgr(manager);
    return is_good;
}

/// An address in the library's code.
static inline uint64_t mam_vector_gcm_place(const struct mam_vector_gcm *by) {
    return (uint64_t)(uintptr_t)by->prepare;
}

/// Takes 32 bytes.
static inline void mam_vector_gcm_prepare(const struct mam_vector_gcm *by, const uint8_t *key,
                                          struct gcm_key_data *prepared) {
    by->prepare(key, prepared);
}

/// Seals `count` bytes, in place if `out` is `in`. Nonce and tag have 16 bytes.
static inline void mam_vector_gcm_seal(const struct mam_vector_gcm *by,
                                       const struct gcm_key_data *key, const uint8_t *in,
                                       size_t count, const uint8_t *nonce, const uint8_t *data,
                                       size_t data_count, uint8_t *out, uint8_t *tag) {
    // It contains the last piece of the key stream.
    struct gcm_context_data context;
    by->begin(key, &context, nonce, 16, data, data_count);
    if (count) by->encrypt(key, &context, out, in, count);
    by->end_encryption(key, &context, tag, 16);
    OPENSSL_cleanse(&context, sizeof context);
}

/// Opens `count` bytes, in place if `out` is `in`. Returns 1, or 0 if the tag does not verify: the
/// caller then wipes `out`.
static inline int mam_vector_gcm_open(const struct mam_vector_gcm *by,
                                      const struct gcm_key_data *key, const uint8_t *in,
                                      size_t count, const uint8_t *nonce, const uint8_t *data,
                                      size_t data_count, const uint8_t *tag, uint8_t *out) {
    struct gcm_context_data context;
    uint8_t computed[16];
    by->begin(key, &context, nonce, 16, data, data_count);
    if (count) by->decrypt(key, &context, out, in, count);
    by->end_decryption(key, &context, computed, sizeof computed);
    OPENSSL_cleanse(&context, sizeof context);
    return CRYPTO_memcmp(computed, tag, sizeof computed) == 0;
}
