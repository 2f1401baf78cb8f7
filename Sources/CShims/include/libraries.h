#pragma once
#include <stdint.h>

/// Takes the code and constants of the library that `place` is in out of this process's memory.
/// They come back from the file, page by page, when they are needed.
void mam_let_library_go(uint64_t place);
