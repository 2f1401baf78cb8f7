// Inspects requests before libfuse sees them, from either transport.
#pragma once
#include <linux/fuse.h>
#include <stdbool.h>

// From this size on, reads and writes take longer than waking another thread.
enum { LARGE_REQUEST = 64 * 1024 };

// `arguments`: the bytes after the header.
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

// Whether the answer depends on the inodes that the kernel has, or gives it one.
static inline bool request_is_about_inodes(const struct fuse_in_header *head) {
        switch (head->opcode) {
        case FUSE_LOOKUP:
        case FUSE_GETATTR:
        case FUSE_LINK:
        case FUSE_OPEN:
        case FUSE_READDIRPLUS:
                return true;
        default:
                return false;
        }
}

// Since Linux 6.2 unnamed files (open(2) with O_TMPFILE) have their own opcode, which libfuse 3.14
// does not know. Request and reply are laid out like those of CREATE, and its flags still show
// O_TMPFILE.
static inline void request_make_known(struct fuse_in_header *head) {
        enum { TMPFILE = 51 };

        if (head->opcode == TMPFILE)
                head->opcode = FUSE_CREATE;
}
