#pragma once
#include <stdint.h>

/// Drops the code and constants of the library that contains the address `place` from this
/// process's memory. The kernel pages them in again when needed.
void mam_let_library_go(uint64_t place);
