// What is done beside more and more files, and in larger and larger ones. Part of work.c, whose
// helpers it uses.
#pragma once

// look-up DIRECTORY FILES PER-DIRECTORY COUNT SEED: files at random in directories of a tree.
static double do_look_up(char **words) {
    char name[NAME];
    uint64_t files = number(words[1]), each = number(words[2]), most = number(words[3]);
    struct places places = all_places(files, number(words[4]));
    struct stat status;
    double start = now();
    for (counted = 0; counted < most; counted++) {
        uint64_t one = take(&places);
        snprintf(name, sizeof name, "%s/%06llu/%06llu", words[0], (unsigned long long)(one / each),
                 (unsigned long long)one);
        if (lstat(name, &status) != 0) err(1, "%s", name);
    }
    return now() - start;
}

// grow DIRECTORY FROM TO PER-DIRECTORY: makes that tree, of empty files, or goes on with it.
static double do_grow(char **words) {
    char name[NAME];
    uint64_t from = number(words[1]), to = number(words[2]), each = number(words[3]);
    double start = now();
    for (uint64_t one = from; one < to; one++, counted++) {
        int length = snprintf(name, sizeof name, "%s/%06llu", words[0],
                              (unsigned long long)(one / each));
        if (one % each == 0 && mkdir(name, 0755) != 0) err(1, "%s", name);
        snprintf(name + length, sizeof name - length, "/%06llu", (unsigned long long)one);
        close_or_die(open_or_die(name, O_WRONLY | O_CREAT | O_EXCL), name);
    }
    return now() - start;
}

// spread DIRECTORY FILES PER-DIRECTORY COUNT create|read|unlink: new files of a page in that tree,
// in directories at random.
static double do_spread(char **words) {
    char name[NAME];
    uint64_t each = number(words[2]), most = number(words[3]);
    struct places places = all_places(number(words[1]), 1);
    double start = now();
    for (; counted < most; counted++) {
        snprintf(name, sizeof name, "%s/%06llu/new%06llu", words[0],
                 (unsigned long long)(take(&places) / each), (unsigned long long)counted);
        if (words[4][0] == 'c') create_one(name, counted);
        else if (words[4][0] == 'r') read_one(name, counted);
        else if (unlink(name) != 0) err(1, "%s", name);
    }
    return now() - start;
}

// pages FILE COUNT write|read: 256 pages at random, which the smallest file has, again and again.
// None is read from a cache, and each write is stored by itself.
static double do_pages(char **words) {
    uint64_t most = number(words[1]);
    uint64_t *memory = allocate(PAGE);
    int file = open_or_die(words[0], O_RDWR), writes = strcmp(words[2], "write") == 0;
    struct places all = all_places(page_count(file, words[0]), 1), places = all;
    posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
    double start = now();
    for (; counted < most; counted++) {
        if (counted % 256 == 0) places = all;
        uint64_t page = take(&places);
        if (writes) {
            fill(memory, page, 0);
            if (pwrite(file, memory, PAGE, page * PAGE) != PAGE) err(1, "write %s", words[0]);
            if (fdatasync(file) != 0) err(1, "fdatasync %s", words[0]);
        } else {
            read_page(file, memory, page, words[0]);
            check_page(memory, page, words[0]);
            posix_fadvise(file, page * PAGE, PAGE, POSIX_FADV_DONTNEED);
        }
    }
    double seconds = now() - start;
    close_or_die(file, words[0]);
    free(memory);
    return seconds;
}
