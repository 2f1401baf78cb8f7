// libsodium, and the functions whose optional pointers Swift would have to unwrap.
#pragma once
#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

/// Argon2id, parallelism 1. Returns 0, or -1 if the cost is refused or there is not enough memory.
static inline int mam_argon2id(void *out, size_t out_count, const void *passphrase, size_t count,
                               const void *salt, uint64_t passes, size_t memory) {
    int status = crypto_pwhash(
        (unsigned char *)out, out_count, count ? (const char *)passphrase : "", count,
        (const unsigned char *)salt, passes, memory, crypto_pwhash_ALG_ARGON2ID13);
    // libsodium 1.0.18 leaves the key 3.4 KiB below here.
    sodium_stackzero(16 << 10);
    return status;
}

/// The public half of a private key; 32 bytes each. Returns 0.
static inline int mam_x25519_public(void *out, const void *scalar) {
    return crypto_scalarmult_base((unsigned char *)out, (const unsigned char *)scalar);
}

/// X25519; 32 bytes each. Returns 0, or -1 if the result is all zeros.
static inline int mam_x25519(void *out, const void *scalar, const void *point) {
    return crypto_scalarmult((unsigned char *)out, (const unsigned char *)scalar,
                             (const unsigned char *)point);
}

/// Expands a seed of 32 bytes with ChaCha20.
static inline void mam_expand(void *out, size_t count, const void *seed) {
    randombytes_buf_deterministic(out, count, (const unsigned char *)seed);
}
