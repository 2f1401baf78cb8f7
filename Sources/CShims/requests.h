// What is to be known of a request before libfuse sees it, however it came.
#pragma once
#include <linux/fuse.h>

// Reads and writes from so many bytes on take longer than it costs to wake another thread.
enum { LARGE_REQUEST = 64 * 1024 };

// Files without a name (open(2) with O_TMPFILE) are asked for by a number of their own since Linux 6.2, which libfuse 3.14 does
// not know. Such a request looks as one that creates a file, and is answered alike. Its flags still tell.
static inline void make_known(struct fuse_in_header *head) {
    enum { TMPFILE = 51 };
    if (head->opcode == TMPFILE) head->opcode = FUSE_CREATE;
}
