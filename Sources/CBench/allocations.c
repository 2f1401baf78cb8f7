// Interposes glibc's allocator and counts calls. The memory is glibc's own, so free(3) needs no
// wrapper.
#include "bench.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

static uint64_t count;

uint64_t bench_allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

uint64_t bench_held_byte_count(void) {
    struct mallinfo2 facts = mallinfo2();
    return facts.uordblks + facts.hblkhd;
}

// The sanitizers interpose the allocator themselves.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

// glibc's own aliases. dlsym(3) would allocate.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static void note(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    note();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}

#endif
