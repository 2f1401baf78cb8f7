// Random bytes from the kernel's generator.
#pragma once
#include <stddef.h>

/// Fills `out` as getrandom(2) does, without a system call where the vDSO has the generator
/// (x86-64: Linux 6.11). Returns 1, or 0 if the kernel fails.
int mam_random(void *out, size_t count);
