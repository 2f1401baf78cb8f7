// Empty functions, not inlined: callgrind zeroes its counters on entry to one and dumps them on
// entry to the other.
#include "bench.h"

__attribute__((noinline)) void bench_part_begins(void) { __asm__ volatile(""); }
__attribute__((noinline)) void bench_part_ends(void) { __asm__ volatile("" ::: "memory"); }
