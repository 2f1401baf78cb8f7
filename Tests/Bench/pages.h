// Files of pages that each say where they belong, so that a wrong one is noticed wherever it is
// read; and calls that end the program where they fail.
#pragma once
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, WORDS = PAGE / 8, PATTERNS = 256 };

static uint64_t patterns[PATTERNS][WORDS];

static uint64_t mixed(uint64_t value) {
    value += 0x9E3779B97F4A7C15;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

static void make_patterns(void) {
    for (int number = 0; number < PATTERNS; number++)
        for (int word = 0; word < WORDS; word++)
            patterns[number][word] = mixed((uint64_t)number << 32 | word);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static uint64_t number(const char *text) {
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (!*text || *end) errx(2, "%s is no number", text);
    return value;
}

static int open_or_die(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0644);
    if (file < 0) err(1, "%s", path);
    return file;
}

static void close_or_die(int file, const char *path) {
    if (close(file) != 0) err(1, "close %s", path);
}

static void *allocate(size_t size) {
    void *memory;
    if (posix_memalign(&memory, PAGE, size) != 0) errx(1, "no memory");
    return memory;
}

// Pages. The last word seals the first two, so that a page that is half old is noticed too.

static uint64_t seal(uint64_t page, uint64_t generation) { return mixed(page * 31 + generation); }

static void stamp(uint64_t *memory, uint64_t page, uint64_t generation) {
    memory[0] = page;
    memory[1] = generation;
    memory[WORDS - 1] = seal(page, generation);
}

static void fill(uint64_t *memory, uint64_t page, uint64_t generation) {
    memcpy(memory, patterns[page % PATTERNS], PAGE);
    stamp(memory, page, generation);
}

static void check_stamp(const uint64_t *memory, uint64_t page, const char *path) {
    if (memory[0] != page || memory[WORDS - 1] != seal(page, memory[1]) ||
        memory[2] != patterns[page % PATTERNS][2])
        errx(3, "%s: page %llu is wrong", path, (unsigned long long)page);
}

static void check_page(const uint64_t *memory, uint64_t page, const char *path) {
    check_stamp(memory, page, path);
    if (memcmp(memory + 2, patterns[page % PATTERNS] + 2, PAGE - 24) != 0)
        errx(3, "%s: page %llu is wrong inside", path, (unsigned long long)page);
}

static uint64_t page_count(int file, const char *path) {
    struct stat status;
    if (fstat(file, &status) != 0) err(1, "%s", path);
    if (status.st_size == 0 || status.st_size % PAGE)
        errx(3, "%s: %lld bytes", path, (long long)status.st_size);
    return status.st_size / PAGE;
}

static void read_page(int file, uint64_t *memory, uint64_t at, const char *path) {
    ssize_t count = pread(file, memory, PAGE, at * PAGE);
    if (count < 0) err(1, "%s", path);
    if (count != PAGE) errx(3, "%s: page %llu has %zd bytes", path, (unsigned long long)at, count);
}

// Random places. Each is taken at most once, as the kernel would answer a second one itself.

struct places {
    uint64_t count, next, step;
};

static uint64_t common_divisor(uint64_t one, uint64_t other) {
    return other ? common_divisor(other, one % other) : one;
}

// Steps of a size that has no divisor in common with the count reach all pages, and no two steps
// are neighbours.
static struct places all_places(uint64_t count, uint64_t seed) {
    struct places places = {count, mixed(seed) % count,
                            count / 2 + mixed(seed + 1) % (count / 3 + 1) + 1};
    while (common_divisor(places.step, count) != 1) places.step++;
    return places;
}

static uint64_t take(struct places *places) {
    uint64_t page = places->next;
    places->next = (places->next + places->step) % places->count;
    return page;
}
