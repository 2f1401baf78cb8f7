// Counters for mambench. No other program links them.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Calls of malloc(3), calloc(3), realloc(3) and memalign(3) variants by all threads.
uint64_t bench_allocation_count(void);

// Bytes allocated now, including the allocator's overhead. Counts the main arena only, so the
// program must be single-threaded.
uint64_t bench_held_byte_count(void);

// False if the kernel lacks syscall user dispatch.
bool bench_prepare_system_calls(void);

// Count this thread's system calls between the two. In between it must not start a thread or
// process, nor block SIGSYS.
void bench_begin_system_calls(void);
uint64_t bench_end_system_calls(void);

// Callgrind finds these by name.
void bench_part_begins(void);
void bench_part_ends(void);
