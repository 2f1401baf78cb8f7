// What a TPM 2.0 chip does for a key slot, in a process of its own: docs/FORMAT.md, section 3.3.
#pragma once

#include <stdint.h>

#define MAM_CHIP_SECRET 32
#define MAM_CHIP_NAME 34
#define MAM_CHIP_PART 448

// A secret that the chip has sealed: it alone opens it again.
struct mam_chip_sealed {
    uint32_t pcrs; // bit N: only while PCR N of SHA-256's bank is as it was
    uint16_t public_count, private_count;
    uint8_t parent[MAM_CHIP_NAME]; // the name of the key that it is sealed to
    uint8_t public_part[MAM_CHIP_PART], private_part[MAM_CHIP_PART];
};

enum mam_chip_act { MAM_CHIP_SEAL = 1, MAM_CHIP_UNSEAL };

enum mam_chip_end {
    MAM_CHIP_DONE,
    MAM_CHIP_NO_LIBRARY,
    MAM_CHIP_NONE,          // no chip, or none that answers
    MAM_CHIP_NOT_PERMITTED, // its device cannot be opened
    MAM_CHIP_OTHER,         // another chip, or this one was cleared
    MAM_CHIP_DAMAGED,       // what is sealed was changed
    MAM_CHIP_WRONG_PIN,
    MAM_CHIP_LOCKED_OUT,
    MAM_CHIP_PCRS_CHANGED,
    MAM_CHIP_NO_PCRS, // SHA-256's bank lacks them
    MAM_CHIP_OWNED,   // its owner hierarchy has a password
    MAM_CHIP_FAILED,
};

struct mam_chip_request {
    uint32_t act, has_pin;
    char transport[256];             // TCTI of tss2-tctildr(3)
    uint8_t pin[MAM_CHIP_SECRET];    // authValue
    uint8_t secret[MAM_CHIP_SECRET]; // to seal
    struct mam_chip_sealed sealed;   // to unseal; `pcrs` to seal, too
};

struct mam_chip_reply {
    uint32_t end;
    uint32_t code;    // of the library, for MAM_CHIP_FAILED
    uint32_t seconds; // until the chip takes one more PIN, at most; for MAM_CHIP_LOCKED_OUT
    uint8_t secret[MAM_CHIP_SECRET];
    struct mam_chip_sealed sealed;
};

// Reads one request, asks the chip, and writes the reply: an exit status. What the library leaves
// in memory ends with the process.
int mam_chip_serve(int requests, int replies);
