// Derives keys as cheaply as mamd's formats allow where the standard cost is asked for: exports and
// the files of private keys have no other. Preloaded (Tests/Integration/preloaded.py) into all
// programs that are to open them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sodium.h>

int crypto_pwhash(unsigned char *out, unsigned long long length, const char *passphrase,
                  unsigned long long passphrase_length, const unsigned char *salt,
                  unsigned long long passes, size_t memory, int algorithm) {
    __typeof__(&crypto_pwhash) real = dlsym(RTLD_NEXT, "crypto_pwhash");

    if (memory == 256 << 20) {
        passes = 1;
        memory = 8 << 20;
    }
    return real(out, length, passphrase, passphrase_length, salt, passes, memory, algorithm);
}
