// What mambench counts by. In no other program.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Calls of malloc(3) and its kin that gave or moved memory, by all threads.
uint64_t bench_allocation_count(void);

// Bytes that are allocated now, with the allocator's own few around each; of a program with one
// thread.
uint64_t bench_held_byte_count(void);

// False where the kernel cannot tell a thread of its own calls.
bool bench_prepare_system_calls(void);

// Calls of this thread between the two. It may start no thread and no process there, and block no
// SIGSYS.
void bench_begin_system_calls(void);
uint64_t bench_end_system_calls(void);

// Callgrind stops at these by their names.
void bench_part_begins(void);
void bench_part_ends(void);
