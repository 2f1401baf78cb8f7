// What is to be known of a request before libfuse sees it, however it came.
#pragma once
#include <linux/fuse.h>
#include <stdbool.h>

// Reads and writes from so many bytes on take longer than it costs to wake another thread.
enum { LARGE_REQUEST = 64 * 1024 };

// `arguments`: what follows the header.
static inline bool request_is_large(const struct fuse_in_header *head, const void *arguments) {
        switch (head->opcode) {
        case FUSE_READ:
                return ((const struct fuse_read_in *)arguments)->size >= LARGE_REQUEST;
        case FUSE_WRITE:
                return ((const struct fuse_write_in *)arguments)->size >= LARGE_REQUEST;
        case FUSE_COPY_FILE_RANGE:
                return true;
        default:
                return false;
        }
}

// Files without a name (open(2) with O_TMPFILE) are asked for by a number of their own since Linux
// 6.2, which libfuse 3.14 does not know. Such a request looks as one that creates a file, and is
// answered alike. Its flags still tell.
static inline void request_make_known(struct fuse_in_header *head) {
        enum { TMPFILE = 51 };

        if (head->opcode == TMPFILE)
                head->opcode = FUSE_CREATE;
}
