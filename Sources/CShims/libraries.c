#define _GNU_SOURCE
#include "libraries.h"

#include <link.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_read_only(const ElfW(Phdr) *segment) {
    return segment->p_type == PT_LOAD && !(segment->p_flags & PF_W);
}

static bool holds(const struct dl_phdr_info *object, uintptr_t place) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (is_read_only(&object->dlpi_phdr[i]) && place - start < object->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

static int let_go(struct dl_phdr_info *object, size_t size, void *place) {
    (void)size;
    if (!holds(object, (uintptr_t)place)) return 0;
    const uintptr_t within_page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr, first = start & ~within_page;
        if (is_read_only(segment))
            madvise((void *)first, start + segment->p_memsz - first, MADV_DONTNEED);
    }
    return 1;
}

void mam_let_library_go(uint64_t place) { dl_iterate_phdr(let_go, (void *)(uintptr_t)place); }
