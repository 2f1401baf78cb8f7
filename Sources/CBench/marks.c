// Nothing, but not inlined: a place where callgrind can zero its count, and one where it writes it
// down.
#include "bench.h"

__attribute__((noinline)) void bench_part_begins(void) { __asm__ volatile(""); }
__attribute__((noinline)) void bench_part_ends(void) { __asm__ volatile("" ::: "memory"); }
