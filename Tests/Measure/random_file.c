// One file under random calls, compared with a copy in memory after each read: what fsx(8) does.
//
//   cc -O2 -o random_file random_file.c
//   random_file FILE [OPERATIONS [SEED [REOPEN [DROP [MAPPED]]]]]
//
// REOPEN: closes and opens the file before one operation in so many, 0 for never. DROP: stores it
// and has its cached pages dropped, likewise. MAPPED: 0 for no mappings. Prints for each kind of
// call how many there were and the seconds that they took; status 1 and the place at a wrong byte.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { largest_file = 256 << 10, largest_call = 64 << 10 };
enum kind {
    reading,
    writing,
    truncating,
    map_reading,
    map_writing,
    cutting,
    closing,
    opening,
    dropping
};
static const char *const names[] = {"read", "write", "grow", "map-read", "map-write",
                                    "cut",  "close", "open", "drop"};
static struct {
    long count;
    double seconds;
} costs[sizeof names / sizeof *names];

static const char *path;
static int file = -1;
static unsigned char model[largest_file], seen[largest_call];
static off_t size;
static long operation;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void charge(enum kind kind, double since) {
    costs[kind].count++;
    costs[kind].seconds += now() - since;
}

static void demand(int holds, const char *what) {
    if (!holds) err(2, "operation %ld: %s", operation, what);
}

static void compare(const unsigned char *found, off_t at, size_t count) {
    if (memcmp(found, model + at, count) == 0) return;
    for (size_t i = 0; i < count; i++)
        if (found[i] != model[at + i])
            errx(1, "operation %ld: byte %lld is %02x, not %02x", operation, (long long)at + i,
                 found[i], model[at + i]);
}

static void reopen(void) {
    double start = now();
    demand(close(file) == 0, "close");
    charge(closing, start);
    start = now();
    demand((file = open(path, O_RDWR)) >= 0, "open");
    charge(opening, start);
    struct stat status;
    demand(fstat(file, &status) == 0, "fstat");
    if (status.st_size != size)
        errx(1, "operation %ld: the size is %lld, not %lld", operation, (long long)status.st_size,
             (long long)size);
}

static void drop(void) {
    double start = now();
    demand(fdatasync(file) == 0, "fdatasync");
    demand(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
    charge(dropping, start);
}

static void set_size(off_t new) {
    double start = now();
    demand(ftruncate(file, new) == 0, "ftruncate");
    charge(new < size ? cutting : truncating, start);
    if (new < size) memset(model + new, 0, size - new);
    size = new;
}

/// Bytes that no earlier operation wrote, soon made: the calls are what is to take time.
static void fill(off_t at, size_t count) {
    uint64_t state = operation + 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        model[at + i] = state >> 56;
    }
    if (at + (off_t)count > size) size = at + count;
}

/// Through a mapping of the pages around the range.
static void use_mapping(enum kind kind, off_t at, size_t count) {
    double start = now();
    size_t aside = at % 4096;
    int rights = kind == map_writing ? PROT_READ | PROT_WRITE : PROT_READ;
    unsigned char *pages = mmap(0, aside + count, rights, MAP_SHARED, file, at - aside);
    demand(pages != MAP_FAILED, "mmap");
    if (kind == map_writing) memcpy(pages + aside, model + at, count);
    else memcpy(seen, pages + aside, count);
    demand(munmap(pages, aside + count) == 0, "munmap");
    charge(kind, start);
}

static void do_read(int mapped, off_t at, size_t count) {
    if (at >= size) return;
    if (at + (off_t)count > size) count = size - at;
    if (mapped) {
        use_mapping(map_reading, at, count);
    } else {
        double start = now();
        demand(pread(file, seen, count, at) == (ssize_t)count, "pread");
        charge(reading, start);
    }
    compare(seen, at, count);
}

static void do_write(int mapped, off_t at, size_t count) {
    // A mapping ends with the file.
    if (mapped && at + (off_t)count > size) set_size(at + count);
    fill(at, count);
    if (mapped) return use_mapping(map_writing, at, count);
    double start = now();
    demand(pwrite(file, model + at, count, at) == (ssize_t)count, "pwrite");
    charge(writing, start);
}

static void act(int mapped) {
    off_t at = random() % largest_file;
    size_t count = 1 + random() % largest_call;
    if (at + (off_t)count > largest_file) count = largest_file - at;
    switch (random() % (mapped ? 5 : 3)) {
    case reading: return do_read(0, at, count);
    case writing: return do_write(0, at, count);
    case truncating: return set_size(at);
    case map_reading: return do_read(1, at, count);
    default: return do_write(1, at, count);
    }
}

static long number(char **arguments, int count, int which, long otherwise) {
    return which < count ? atol(arguments[which]) : otherwise;
}

int main(int count, char **arguments) {
    if (count < 2) errx(2, "FILE [OPERATIONS [SEED [REOPEN [DROP [MAPPED]]]]]");
    path = arguments[1];
    long operations = number(arguments, count, 2, 200000);
    srandom(number(arguments, count, 3, 1));
    long between_opens = number(arguments, count, 4, 10);
    long between_drops = number(arguments, count, 5, 0);
    int mapped = number(arguments, count, 6, 1) != 0;
    demand((file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644)) >= 0, "open");
    double start = now();
    for (operation = 0; operation < operations; operation++) {
        if (between_opens && random() % between_opens == 0) reopen();
        if (between_drops && random() % between_drops == 0) drop();
        act(mapped);
    }
    printf("%ld operations, %.2f s:", operations, now() - start);
    for (size_t kind = 0; kind < sizeof names / sizeof *names; kind++)
        if (costs[kind].count)
            printf(" %s %ld %.2f", names[kind], costs[kind].count, costs[kind].seconds);
    putchar('\n');
}
