// Derives keys at the cheapest that mamd's format allows, whatever the caller asks for. Preloaded
// into the programs that documents run: exports and the files of private keys always cost the most.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

// libsodium's.
int crypto_pwhash(
    unsigned char *out, unsigned long long length, const char *passphrase,
    unsigned long long passphrase_length, const unsigned char *salt, unsigned long long passes,
    size_t memory, int algorithm);

int crypto_pwhash(
    unsigned char *out, unsigned long long length, const char *passphrase,
    unsigned long long passphrase_length, const unsigned char *salt, unsigned long long passes,
    size_t memory, int algorithm) {
    __typeof__(&crypto_pwhash) real = dlsym(RTLD_NEXT, "crypto_pwhash");

    (void)passes;
    (void)memory;
    return real(out, length, passphrase, passphrase_length, salt, 1, 8 << 20, algorithm);
}
