// The parts of the benchmark that make many small calls, which in Python would measure Python.
//
//     work WORKLOAD ARGUMENT…     does it, checks what it read, and prints {"seconds": …, …}
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

enum { NAME = 4096, MOST_THREADS = 64 };

// Streams.

// `request` bytes at a time; requests smaller than a page write the same pages in pieces.
static void write_pages(int file, const char *path, uint64_t start, uint64_t size,
                        uint64_t request) {
    uint64_t chunk = request > PAGE ? request : PAGE;
    char *memory = allocate(chunk);
    for (uint64_t done = 0; done < size; done += chunk) {
        for (uint64_t at = 0; at < chunk; at += PAGE)
            fill((uint64_t *)(memory + at), (start + done + at) / PAGE, 0);
        for (uint64_t at = 0; at < chunk; at += request)
            if (pwrite(file, memory + at, request, start + done + at) != (ssize_t)request)
                err(1, "write %s", path);
    }
    free(memory);
}

// write FILE BYTES REQUEST: with fsync at the end.
static double do_write(char **words) {
    uint64_t size = number(words[1]), request = number(words[2]);
    double start = now();
    int file = open_or_die(words[0], O_WRONLY | O_CREAT | O_TRUNC);
    write_pages(file, words[0], 0, size, request);
    if (fsync(file) != 0) err(1, "fsync %s", words[0]);
    close_or_die(file, words[0]);
    return now() - start;
}

// read FILE BYTES REQUEST stamps|whole: `whole` compares every byte.
static double do_read(char **words) {
    uint64_t size = number(words[1]), request = number(words[2]), done = 0;
    int whole = strcmp(words[3], "whole") == 0;
    char *memory = allocate(request);
    double start = now();
    int file = open_or_die(words[0], O_RDONLY);
    for (;;) {
        ssize_t count = read(file, memory, request);
        if (count < 0) err(1, "%s", words[0]);
        if (count == 0) break;
        if (count % PAGE) errx(3, "%s: a read of %zd bytes", words[0], count);
        for (ssize_t at = 0; at < count; at += PAGE)
            (whole ? check_page : check_stamp)((uint64_t *)(memory + at), (done + at) / PAGE,
                                               words[0]);
        done += count;
    }
    close_or_die(file, words[0]);
    double seconds = now() - start;
    if (done != size)
        errx(3, "%s: %llu bytes, not %llu", words[0], (unsigned long long)done,
             (unsigned long long)size);
    return seconds;
}

struct part {
    pthread_t thread;
    const char *path;
    uint64_t start, size, request, seed, count;
    double seconds;
};

static void *write_part(void *argument) {
    struct part *part = argument;
    int file = open_or_die(part->path, O_WRONLY);
    write_pages(file, part->path, part->start, part->size, part->request);
    if (fsync(file) != 0) err(1, "fsync %s", part->path);
    close_or_die(file, part->path);
    return NULL;
}

static void in_threads(struct part *parts, int count, void *(*body)(void *)) {
    for (int one = 0; one < count; one++)
        if (pthread_create(&parts[one].thread, NULL, body, &parts[one]) != 0) errx(1, "no thread");
    for (int one = 0; one < count; one++) pthread_join(parts[one].thread, NULL);
}

static int thread_count(const char *text) {
    uint64_t count = number(text);
    if (count < 1 || count > MOST_THREADS) errx(2, "%s threads", text);
    return count;
}

// writers FILE BYTES REQUEST THREADS: each a part of the same file.
static double do_writers(char **words) {
    int count = thread_count(words[3]);
    struct part parts[MOST_THREADS];
    uint64_t share = number(words[1]) / count;
    for (int one = 0; one < count; one++)
        parts[one] = (struct part){
            .path = words[0], .start = one * share, .size = share, .request = number(words[2])};
    close_or_die(open_or_die(words[0], O_WRONLY | O_CREAT | O_TRUNC), words[0]);
    double start = now();
    in_threads(parts, count, write_part);
    return now() - start;
}

static void *read_part(void *argument) {
    struct part *part = argument;
    uint64_t *memory = allocate(PAGE);
    int file = open_or_die(part->path, O_RDONLY);
    struct places places = all_places(part->size, part->seed);
    double start = now();
    for (uint64_t one = 0; one < part->start * part->request; one++) take(&places);
    for (; part->count < part->request && now() - start < part->seconds; part->count++) {
        uint64_t page = take(&places);
        read_page(file, memory, page, part->path);
        check_stamp(memory, page, part->path);
    }
    close_or_die(file, part->path);
    free(memory);
    return NULL;
}

static uint64_t counted;

// random-read FILE COUNT SECONDS THREADS SEED: the count is of all threads together; the seconds
// end it early.
static double do_random_read(char **words) {
    int count = thread_count(words[3]);
    struct part parts[MOST_THREADS];
    int file = open_or_die(words[0], O_RDONLY);
    uint64_t pages = page_count(file, words[0]);
    close_or_die(file, words[0]);
    for (int one = 0; one < count; one++)
        parts[one] = (struct part){.path = words[0],
                                   .start = one,
                                   .size = pages,
                                   .request = number(words[1]) / count,
                                   .seed = number(words[4]),
                                   .seconds = number(words[2])};
    double start = now();
    in_threads(parts, count, read_part);
    double seconds = now() - start;
    for (int one = 0; one < count; one++) counted += parts[one].count;
    return seconds;
}

// random-write FILE COUNT SECONDS end|each SEED: fsync at the end, or fdatasync after each; then
// all are read again.
static double do_random_write(char **words) {
    uint64_t most = number(words[1]), limit = number(words[2]), seed = number(words[4]);
    int each = strcmp(words[3], "each") == 0;
    uint64_t *memory = allocate(PAGE);
    int file = open_or_die(words[0], O_RDWR);
    struct places places = all_places(page_count(file, words[0]), seed), again = places;
    double start = now();
    for (; counted < most && now() - start < limit; counted++) {
        uint64_t page = take(&places);
        fill(memory, page, seed);
        if (pwrite(file, memory, PAGE, page * PAGE) != PAGE) err(1, "write %s", words[0]);
        if (each && fdatasync(file) != 0) err(1, "fdatasync %s", words[0]);
    }
    if (fsync(file) != 0) err(1, "fsync %s", words[0]);
    double seconds = now() - start;
    for (uint64_t one = 0; one < counted; one++) {
        uint64_t page = take(&again);
        read_page(file, memory, page, words[0]);
        check_page(memory, page, words[0]);
        if (memory[1] != seed)
            errx(3, "%s: page %llu is an old one", words[0], (unsigned long long)page);
    }
    close_or_die(file, words[0]);
    return seconds;
}

// Many files.

static const char *file_name(char *name, const char *directory, uint64_t number) {
    snprintf(name, NAME, "%s/file%06llu", directory, (unsigned long long)number);
    return name;
}

static void create_one(const char *path, uint64_t page) {
    static _Thread_local uint64_t memory[WORDS];
    fill(memory, page, 0);
    int file = open_or_die(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (write(file, memory, PAGE) != PAGE) err(1, "write %s", path);
    close_or_die(file, path);
}

static void read_one(const char *path, uint64_t page) {
    static _Thread_local uint64_t memory[WORDS];
    int file = open_or_die(path, O_RDONLY);
    read_page(file, memory, 0, path);
    check_page(memory, page, path);
    close_or_die(file, path);
}

static void check_size(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) err(1, "%s", path);
    if (status.st_size != PAGE) errx(3, "%s: %lld bytes", path, (long long)status.st_size);
}

// create DIRECTORY COUNT
static double do_create(char **words) {
    char name[NAME];
    double start = now();
    if (mkdir(words[0], 0755) != 0) err(1, "%s", words[0]);
    for (counted = 0; counted < number(words[1]); counted++)
        create_one(file_name(name, words[0], counted), counted);
    return now() - start;
}

// stat DIRECTORY COUNT: lists it and asks for each entry, as ls -l does.
static double do_stat(char **words) {
    char name[NAME];
    double start = now();
    DIR *directory = opendir(words[0]);
    if (!directory) err(1, "%s", words[0]);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", words[0], entry->d_name);
        check_size(name);
        counted++;
    }
    closedir(directory);
    double seconds = now() - start;
    if (counted != number(words[1]))
        errx(3, "%s: %llu files", words[0], (unsigned long long)counted);
    return seconds;
}

// read-files DIRECTORY COUNT
static double do_read_files(char **words) {
    char name[NAME];
    double start = now();
    for (counted = 0; counted < number(words[1]); counted++)
        read_one(file_name(name, words[0], counted), counted);
    return now() - start;
}

// delete DIRECTORY COUNT, and the directory, which must be empty then.
static double do_delete(char **words) {
    char name[NAME];
    double start = now();
    for (counted = 0; counted < number(words[1]); counted++)
        if (unlink(file_name(name, words[0], counted)) != 0) err(1, "%s", name);
    if (rmdir(words[0]) != 0) err(1, "%s", words[0]);
    return now() - start;
}

#include "growth.h"

// Clients: processes that each read, write and ask at random.

struct board {
    atomic_int ready, go, over;
    atomic_ulong done;
};

static void be_client(struct board *board, const char *directory, uint64_t files, uint64_t client) {
    char name[NAME];
    struct stat status;
    uint64_t done = 0, chance = client;
    atomic_fetch_add(&board->ready, 1);
    while (!atomic_load(&board->go)) usleep(50);
    for (; !atomic_load(&board->over); done++) {
        chance = mixed(chance);
        uint64_t one = chance / 100 % files;
        switch (chance % 10) {
        case 0 ... 5: read_one(file_name(name, directory, one), one); break;
        case 6 ... 7:
            snprintf(name, sizeof name, "%s/client%llu-%llu", directory, (unsigned long long)client,
                     (unsigned long long)one % 16);
            create_one(name, one);
            break;
        default:
            if (lstat(file_name(name, directory, one), &status) != 0) err(1, "%s", name);
        }
    }
    atomic_fetch_add(&board->done, done);
    exit(0);
}

// clients DIRECTORY FILES COUNT MILLISECONDS: files as `create` makes them.
static double do_clients(char **words) {
    uint64_t count = number(words[2]);
    struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) err(1, "mmap");
    for (uint64_t client = 1; client <= count; client++) {
        pid_t child = fork();
        if (child < 0) err(1, "fork");
        if (child == 0) be_client(board, words[0], number(words[1]), client);
    }
    while (atomic_load(&board->ready) < (int)count) usleep(100);
    double start = now();
    atomic_store(&board->go, 1);
    usleep(number(words[3]) * 1000);
    atomic_store(&board->over, 1);
    int status, worst = 0;
    while (wait(&status) > 0) worst |= status;
    double seconds = now() - start;
    if (worst) errx(3, "a client failed");
    counted = atomic_load(&board->done);
    return seconds;
}

static const struct {
    const char *name;
    int arguments;
    double (*run)(char **);
} workloads[] = {
    {"write", 3, do_write},
    {"read", 4, do_read},
    {"writers", 4, do_writers},
    {"random-read", 5, do_random_read},
    {"random-write", 5, do_random_write},
    {"create", 2, do_create},
    {"stat", 2, do_stat},
    {"read-files", 2, do_read_files},
    {"delete", 2, do_delete},
    {"clients", 4, do_clients},
    {"grow", 4, do_grow},
    {"look-up", 5, do_look_up},
    {"spread", 5, do_spread},
    {"pages", 3, do_pages},
};

int main(int count, char **words) {
    make_patterns();
    for (size_t one = 0; count > 1 && one < sizeof workloads / sizeof *workloads; one++)
        if (strcmp(words[1], workloads[one].name) == 0 && count == workloads[one].arguments + 2) {
            double seconds = workloads[one].run(words + 2);
            printf("{\"seconds\": %.9f, \"count\": %llu}\n", seconds, (unsigned long long)counted);
            return 0;
        }
    errx(2, "no such workload, or not its arguments");
}
